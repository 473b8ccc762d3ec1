package library

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mybot/robot"
	"mybot/store"
)

// maxScripts is how many scripts are stored.
const maxScripts = 100

// A Script is a saved script.
type Script struct {
	ID       string    `json:"id"` // assigned by the robot; the name of its unit
	Name     string    `json:"name"`
	Text     string    `json:"text"` // at most script.MaxScript bytes
	Revision uint64    `json:"revision"`
	Changed  time.Time `json:"changed"`
	Starts   bool      `json:"starts"` // with the robot; Save leaves it as it is
}

// ErrStale says that another user has saved the script meanwhile.
var ErrStale = errors.New("script/library: another user has saved the script")

// A Store stores scripts: store.Store.
type Store interface {
	Scripts() (all map[string][]byte, deleted uint64, err error)
	PutScript(id string, script []byte) error
	DeleteScript(id string, revision uint64) error
}

// A Library holds the scripts of one store.
type Library struct {
	store Store
	log   *slog.Logger

	list       atomic.Pointer[[]saved] // by name; read-only
	changing   sync.Mutex              // held by the goroutine that changes the scripts
	deleted    uint64                  // highest revision of those deleted; that of a new one, which may have the id of one of them, is higher
	devices    map[string]bool         // names of the robot's devices, which are ids of no script
	unreadable map[string]bool         // ids of scripts that cannot be read, and remain unchanged in the store
}

// saved is the stored form of a script.
type saved struct {
	Script
	Owner   string  `json:"owner,omitempty"` // as session.Owner returns it; "" = unknown
	Standby *permit `json:"standby,omitempty"`
}

// A permit lets a script stand by. It is for the text that the admin saw.
type permit struct {
	By string `json:"by"` // the admin, as session.Owner returns it
}

// An explainedError is a sentence for users with its cause.
type explainedError struct {
	sentence string
	cause    error
}

func (e explainedError) Error() string { return e.sentence }
func (e explainedError) Unwrap() error { return e.cause }

// Open reads the scripts of a store. It leaves an unreadable one unchanged. No script gets
// the name of a device as its id, because a unit of that name cannot run.
func Open(s Store, devices []string, log *slog.Logger) (*Library, error) {
	l := &Library{store: s, log: log, devices: map[string]bool{}, unreadable: map[string]bool{}}
	for _, name := range devices {
		l.devices[name] = true
	}
	all, deleted, err := s.Scripts()
	if err != nil {
		return nil, err
	}
	l.deleted = deleted
	list := make([]saved, 0, len(all))
	for id, data := range all {
		var one saved
		err := json.Unmarshal(data, &one)
		if err == nil && one.ID != id {
			err = fmt.Errorf("its id is %q", one.ID)
		}
		if err != nil {
			log.Error("a script cannot be read; it remains in the store", "id", id, "error", err)
			l.unreadable[id] = true
			continue
		}
		list = append(list, one)
	}
	l.setList(list)
	return l, nil
}

// setList sorts the scripts by name and publishes them.
func (l *Library) setList(list []saved) {
	slices.SortFunc(list, func(a, b saved) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.ID, b.ID))
	})
	l.list.Store(&list)
}

// List returns the scripts, sorted by name.
func (l *Library) List() []Script {
	all := *l.list.Load()
	list := make([]Script, len(all))
	for i, s := range all {
		list[i] = s.Script
	}
	return list
}

// find returns the script with the id, and its place in the list.
func (l *Library) find(id string) (s saved, at int, ok bool) {
	list := *l.list.Load()
	if at = slices.IndexFunc(list, func(s saved) bool { return s.ID == id }); at < 0 {
		return saved{}, at, false
	}
	return list[at], at, true
}

// Get returns a script.
func (l *Library) Get(id string) (Script, bool) {
	s, _, ok := l.find(id)
	return s.Script, ok
}

// countOf returns how many scripts an owner has. As in ratelimit.Shares, one who has some gets
// one more only while more than those are free.
func (l *Library) countOf(owner string) (n int) {
	for _, s := range *l.list.Load() {
		if s.Owner == owner {
			n++
		}
	}
	return n
}

// OwnerOf returns the owner of a script; "" = unknown.
func (l *Library) OwnerOf(id string) string {
	s, _, _ := l.find(id)
	return s.Owner
}

// Save saves a script, as a new one of the owner if it has no id, and returns it as
// saved. A new script has no marks, wherever its text comes from, and another text ends the
// permission to stand by. The error is a sentence; it is ErrStale if the script was saved or
// deleted after this revision was read, and store.ErrFull if the disk is full.
func (l *Library) Save(s Script, owner string) (Script, error) {
	if err := checkForm(s); err != nil {
		return Script{}, err
	}
	l.changing.Lock()
	defer l.changing.Unlock()
	was, at, ok := l.find(s.ID)
	var standby *permit
	switch {
	case s.ID == "" && len(*l.list.Load()) >= maxScripts:
		return Script{}, robot.Refusef("There are %d scripts already; delete one first.", maxScripts)
	case s.ID == "" && l.countOf(owner) >= maxScripts-len(*l.list.Load()):
		return Script{}, robot.Refusef("This device has made %d of the %d scripts already; the other places are for other devices. Delete one of its own first.", l.countOf(owner), maxScripts)
	case s.ID == "":
		s.ID, s.Revision, s.Starts = l.NextID(s.Name), l.deleted, false
	case !ok || was.Revision != s.Revision:
		return Script{}, ErrStale
	default:
		owner, s.Starts = was.Owner, was.Starts
		if s.Text == was.Text {
			standby = was.Standby
		}
	}
	s.Revision++
	s.Changed = time.Now().UTC()
	return s, l.put(saved{s, owner, standby}, at, ok)
}

// put stores a script in place of the one at a place of the list, or as a new one.
func (l *Library) put(one saved, at int, replaces bool) error {
	data, err := json.Marshal(one)
	if err == nil {
		err = l.store.PutScript(one.ID, data)
	}
	if err != nil {
		return l.logFailure("The script cannot be saved.", err)
	}
	list := slices.Clone(*l.list.Load())
	if replaces {
		list[at] = one
	} else {
		list = append(list, one)
	}
	l.setList(list)
	return nil
}

// NextID returns the id that a new script of this name gets: no other script has it, not
// even an unreadable one.
func (l *Library) NextID(name string) string {
	id := IDOf(name)
	if l.devices[id] {
		id = "script_" + id
	}
	base := id
	for n := 2; ; n++ {
		if _, taken := l.Get(id); !taken && !l.unreadable[id] {
			return id
		}
		end := fmt.Sprintf("_%d", n)
		id = strings.TrimRight(base[:min(len(base), MaxName-len(end))], "_") + end
	}
}

// Delete deletes a script.
func (l *Library) Delete(id string) error {
	l.changing.Lock()
	defer l.changing.Unlock()
	s, at, ok := l.find(id)
	if !ok {
		return robot.Refusef("This script no longer exists.")
	}
	if err := l.store.DeleteScript(id, s.Revision); err != nil {
		return l.logFailure("The script cannot be deleted.", err)
	}
	l.deleted = max(l.deleted, s.Revision)
	l.setList(slices.Delete(slices.Clone(*l.list.Load()), at, at+1))
	return nil
}

// logFailure logs why an operation failed, and returns the error for the user.
func (l *Library) logFailure(what string, err error) error {
	l.log.Error("scripts", "what", what, "error", err)
	if errors.Is(err, store.ErrFull) {
		return explainedError{what + " The robot's disk is full. Make room on it, then try again.", err}
	}
	return explainedError{what + " The robot's log says why.", err}
}
