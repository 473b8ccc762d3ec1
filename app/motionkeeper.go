package app

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

// mostMotions is how many recorded drives are kept; the oldest make room.
const mostMotions = 50

// Motions is where motions lie: store.Store, or memory that forgets.
type Motions interface {
	Motions() ([]store.Motion, error)
	AddMotion(about, path []byte, owner int) (n uint64, err error)
	SayOfMotion(n uint64, about []byte) error
	MotionPath(n uint64) ([]byte, error)
	DeleteMotion(n uint64) error
}

// A motionKeeper keeps recorded drives: session.Motions. What is said about
// them is in memory too.
type motionKeeper struct {
	store Motions
	log   *slog.Logger

	changing sync.Mutex // one after the other
	list     atomic.Pointer[[]session.KeptMotion]
}

// about is what is said about a motion, beside its path.
type about struct {
	Name     string     `json:"name"`
	Made     time.Time  `json:"made"`
	Length   float64    `json:"length"`   // m
	Duration float64    `json:"duration"` // s
	Start    robot.Pose `json:"start"`
}

// newMotionKeeper returns the keeper of the motions on the shelf; nil = they
// are forgotten when the server ends.
func newMotionKeeper(shelf Motions, log *slog.Logger) (*motionKeeper, error) {
	if shelf == nil {
		shelf = &loose{paths: map[uint64][]byte{}}
	}
	k := &motionKeeper{store: shelf, log: log}
	return k, k.load()
}

// load reads what is said about the motions there are.
func (k *motionKeeper) load() error {
	all, err := k.store.Motions()
	if err != nil {
		return err
	}
	list := make([]session.KeptMotion, 0, len(all))
	for _, m := range slices.Backward(all) {
		var a about
		if err := json.Unmarshal(m.About, &a); err != nil {
			return fmt.Errorf("motion %d cannot be read: %w", m.N, err)
		}
		list = append(list, session.KeptMotion{N: m.N, Name: a.Name, Made: a.Made, Length: a.Length, Duration: a.Duration, Start: a.Start})
	}
	k.list.Store(&list)
	return nil
}

// List returns the motions, the newest first.
func (k *motionKeeper) List() []session.KeptMotion { return *k.list.Load() }

// Add keeps one more motion.
func (k *motionKeeper) Add(m playout.Motion) (n uint64, err error) {
	if fault := session.CheckMotion(m); fault != "" {
		return 0, refuse("%s", fault)
	}
	path, err := pack(m)
	if err != nil {
		return 0, k.logFailure("kept", err)
	}
	text, err := json.Marshal(about{m.Name, m.Made, m.Length(), m.Duration(), m.Points[0].Pose})
	if err != nil {
		return 0, k.logFailure("kept", err)
	}
	k.changing.Lock()
	defer k.changing.Unlock()
	if n, err = k.store.AddMotion(text, path, mostMotions); err == nil {
		err = k.load()
	}
	if err != nil {
		return 0, k.logFailure("kept", err)
	}
	return n, nil
}

// Get returns a motion.
func (k *motionKeeper) Get(n uint64) (playout.Motion, error) {
	known, ok := k.find(n)
	if !ok {
		return playout.Motion{}, refuseUnknown(n)
	}
	path, err := k.store.MotionPath(n)
	if err != nil {
		return playout.Motion{}, k.logFailure("read", err)
	}
	if path == nil {
		return playout.Motion{}, refuseUnknown(n)
	}
	m, err := unpack(path)
	if err != nil {
		return playout.Motion{}, k.logFailure("read", err)
	}
	m.Name = known.Name
	return m, nil
}

// Rename gives a motion another name.
func (k *motionKeeper) Rename(n uint64, name string) error {
	k.changing.Lock()
	defer k.changing.Unlock()
	kept, ok := k.find(n)
	if !ok {
		return refuseUnknown(n)
	}
	text, err := json.Marshal(about{name, kept.Made, kept.Length, kept.Duration, kept.Start})
	if err == nil {
		err = k.store.SayOfMotion(n, text)
	}
	if err == nil {
		err = k.load()
	}
	if err != nil {
		return k.logFailure("renamed", err)
	}
	return nil
}

// Delete forgets a motion.
func (k *motionKeeper) Delete(n uint64) error {
	k.changing.Lock()
	defer k.changing.Unlock()
	if _, ok := k.find(n); !ok {
		return refuseUnknown(n)
	}
	err := k.store.DeleteMotion(n)
	if err == nil {
		err = k.load()
	}
	if err != nil {
		return k.logFailure("deleted", err)
	}
	return nil
}

func (k *motionKeeper) find(n uint64) (session.KeptMotion, bool) {
	list := k.List()
	i := slices.IndexFunc(list, func(m session.KeptMotion) bool { return m.N == n })
	if i < 0 {
		return session.KeptMotion{}, false
	}
	return list[i], true
}

// logFailure tells people what did not work, and the log why.
func (k *motionKeeper) logFailure(what string, err error) error {
	k.log.Error("a motion cannot be "+what, "error", err)
	return refuse("The motion cannot be %s. The robot's log says why.", what)
}

func refuseUnknown(n uint64) error { return refuse("There is no motion %d.", n) }

// pack makes a motion small.
func pack(m playout.Motion) ([]byte, error) {
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

func unpack(packed []byte) (playout.Motion, error) {
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

// loose is a Motions in memory, for a server without a data directory.
type loose struct {
	mu    sync.Mutex
	last  uint64
	said  []store.Motion
	paths map[uint64][]byte
}

// Motions returns what is said about every motion, in the order of their
// numbers.
func (l *loose) Motions() ([]store.Motion, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.said), nil
}

// AddMotion keeps one more motion.
func (l *loose) AddMotion(about, path []byte, most int) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	l.said = append(l.said, store.Motion{N: l.last, About: about})
	l.paths[l.last] = path
	for len(l.said) > most {
		delete(l.paths, l.said[0].N)
		l.said = l.said[1:]
	}
	return l.last, nil
}

// SayOfMotion changes what is said about a motion that is there.
func (l *loose) SayOfMotion(n uint64, about []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.said {
		if l.said[i].N == n {
			l.said[i].About = about
		}
	}
	return nil
}

// MotionPath returns the path of a motion, nil when there is none.
func (l *loose) MotionPath(n uint64) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.paths[n], nil
}

// DeleteMotion forgets a motion, if there is one.
func (l *loose) DeleteMotion(n uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said = slices.DeleteFunc(l.said, func(m store.Motion) bool { return m.N == n })
	delete(l.paths, n)
	return nil
}
