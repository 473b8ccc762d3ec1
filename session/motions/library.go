// Package motions is the library of recorded drives: session.Motions on the store.
// The description of each drive is also in memory; its path is read on request. Any
// goroutine may call every method.
package motions

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mybot/robot"
	"mybot/robot/playout"
	"mybot/session"
	"mybot/store"
)

// How many recorded drives are saved per owner and in total. When an owner has too
// many, that owner's oldest drive is deleted; when there are too many in total, the
// oldest drive of the owner with the most. So no owner, however many drives they
// add, can push out all of another's.
const (
	maxOfOwner = 50
	maxMotions = 100
)

// A Library holds the recorded drives of the store.
type Library struct {
	store *store.Store
	log   *slog.Logger

	changing sync.Mutex // held by the goroutine that changes the list
	list     atomic.Pointer[[]session.KeptMotion]
}

var _ session.Motions = (*Library)(nil)

// about is the stored description of a motion, without its path.
type about struct {
	Name     string     `json:"name"`
	Made     time.Time  `json:"made"`
	Length   float64    `json:"length"`   // m
	Duration float64    `json:"duration"` // s
	Start    robot.Pose `json:"start"`
	Owner    string     `json:"owner,omitempty"`
}

// Open returns the library of motions in the store.
func Open(s *store.Store, log *slog.Logger) (*Library, error) {
	l := &Library{store: s, log: log}
	return l, l.loadMotions()
}

// loadMotions reads the descriptions of the motions from the store.
func (l *Library) loadMotions() error {
	all, err := l.store.Motions()
	if err != nil {
		return err
	}
	list := make([]session.KeptMotion, 0, len(all))
	for _, m := range slices.Backward(all) {
		var a about
		if err := json.Unmarshal(m.About, &a); err != nil {
			return fmt.Errorf("motion %d cannot be read: %w", m.N, err)
		}
		list = append(list, session.KeptMotion{N: m.N, Name: a.Name, Made: a.Made, Length: a.Length, Duration: a.Duration, Start: a.Start, Owner: a.Owner})
	}
	l.list.Store(&list)
	return nil
}

// List returns the motions, newest first.
func (l *Library) List() []session.KeptMotion { return *l.list.Load() }

// Add saves a motion of the owner.
func (l *Library) Add(m playout.Motion, owner string) (n uint64, err error) {
	if fault := session.CheckMotion(m); fault != "" {
		return 0, robot.Refusef("%s", fault)
	}
	path, err := packMotion(m)
	if err != nil {
		return 0, l.logFailure("saved", err)
	}
	text, err := json.Marshal(about{m.Name, m.Made, m.Length(), m.Duration(), m.Points[0].Pose, owner})
	if err != nil {
		return 0, l.logFailure("saved", err)
	}
	l.changing.Lock()
	defer l.changing.Unlock()
	if n, err = l.store.AddMotion(text, path, maxMotions+1); err == nil {
		err = l.loadMotions()
	}
	for err == nil {
		one, over := findExcess(l.List())
		if !over {
			break
		}
		if err = l.store.DeleteMotion(one); err == nil {
			err = l.loadMotions()
		}
	}
	if err != nil {
		return 0, l.logFailure("saved", err)
	}
	return n, nil
}

// findExcess returns the motion to delete if there are too many. list is sorted
// newest first.
func findExcess(list []session.KeptMotion) (n uint64, over bool) {
	count, oldest := map[string]int{}, map[string]uint64{}
	largest := ""
	for i, m := range list {
		count[m.Owner]++
		oldest[m.Owner] = m.N
		if i == 0 || count[m.Owner] >= count[largest] {
			largest = m.Owner
		}
	}
	return oldest[largest], count[largest] > maxOfOwner || len(list) > maxMotions
}

// Get returns a motion.
func (l *Library) Get(n uint64) (playout.Motion, error) {
	known, ok := l.findMotion(n)
	if !ok {
		return playout.Motion{}, refuseUnknown(n)
	}
	path, err := l.store.MotionPath(n)
	if err != nil {
		return playout.Motion{}, l.logFailure("read", err)
	}
	if path == nil {
		return playout.Motion{}, refuseUnknown(n)
	}
	m, err := unpackMotion(path)
	if err != nil {
		return playout.Motion{}, l.logFailure("read", err)
	}
	m.Name = known.Name
	return m, nil
}

// Rename renames a motion that is called was, or whatever its name is if was is empty.
func (l *Library) Rename(n uint64, was, name string) error {
	l.changing.Lock()
	defer l.changing.Unlock()
	m, ok := l.findMotion(n)
	if !ok {
		return refuseUnknown(n)
	}
	if was != "" && was != m.Name {
		return robot.Refusef("It was given the name %q meanwhile. Press again to rename it all the same.", m.Name)
	}
	text, err := json.Marshal(about{name, m.Made, m.Length, m.Duration, m.Start, m.Owner})
	if err == nil {
		err = l.store.SayOfMotion(n, text)
	}
	if err == nil {
		err = l.loadMotions()
	}
	if err != nil {
		return l.logFailure("renamed", err)
	}
	return nil
}

// Delete deletes a motion.
func (l *Library) Delete(n uint64) error {
	l.changing.Lock()
	defer l.changing.Unlock()
	if _, ok := l.findMotion(n); !ok {
		return refuseUnknown(n)
	}
	err := l.store.DeleteMotion(n)
	if err == nil {
		err = l.loadMotions()
	}
	if err != nil {
		return l.logFailure("deleted", err)
	}
	return nil
}

func (l *Library) findMotion(n uint64) (session.KeptMotion, bool) {
	list := l.List()
	i := slices.IndexFunc(list, func(m session.KeptMotion) bool { return m.N == n })
	if i < 0 {
		return session.KeptMotion{}, false
	}
	return list[i], true
}

// logFailure logs why an operation failed, and returns the error for the user.
func (l *Library) logFailure(what string, err error) error {
	l.log.Error("a motion cannot be "+what, "error", err)
	return robot.Refusef("The motion cannot be %s. The robot's log says why.", what)
}

func refuseUnknown(n uint64) error { return robot.Refusef("There is no motion %d.", n) }

// packMotion compresses a motion.
func packMotion(m playout.Motion) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if err := json.NewEncoder(w).Encode(m); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func unpackMotion(packed []byte) (playout.Motion, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return playout.Motion{}, err
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return playout.Motion{}, err
	}
	return playout.ParseMotion(data)
}
