package motions

import (
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/playout"
	"mybot/store"
)

var quiet = slog.New(slog.DiscardHandler)

func driven(name string) playout.Motion {
	m := playout.Motion{Name: name, Made: time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)}
	for i := range 50 {
		m.Points = append(m.Points, playout.Waypoint{T: 0.05 * float64(i), Pose: robot.Pose{X: 1 + 0.02*float64(i)}})
	}
	return m
}

func TestMotionsLastUntilTheyAreDeleted(t *testing.T) {
	dir := t.TempDir()
	open := func() (*Library, func()) {
		s, err := store.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		l, err := Open(s, quiet)
		if err != nil {
			t.Fatal(err)
		}
		return l, func() { _ = s.Close() }
	}
	l, shut := open()
	for range maxOfOwner + 2 {
		if _, err := l.Add(driven("Ana's drive"), "Ana"); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(l.Rename(5, "", "Round the"), l.Rename(5, "Round the", "Round the table"), l.Delete(6)); err != nil {
		t.Fatal(err)
	}
	const meanwhile = `It was given the name "Round the table" meanwhile. Press again to rename it all the same.`
	if err := l.Rename(5, "Round the", "Another"); err == nil || err.Error() != meanwhile {
		t.Errorf("a new name for what another person has renamed: %v", err)
	}
	shut()
	l, shut = open()
	defer shut()
	list := l.List()
	if len(list) != maxOfOwner-1 || list[0].N != maxOfOwner+2 || list[len(list)-1].N != 3 {
		t.Errorf("%d motions, from %d to %d", len(list), list[0].N, list[len(list)-1].N)
	}
	want := driven("Round the table")
	m, err := l.Get(5)
	if err != nil || !reflect.DeepEqual(m, want) {
		t.Errorf("%v: %+v", err, m)
	}
	if about := list[len(list)-3]; about.N != 5 || about.Name != want.Name || about.Length != want.Length() || about.Duration != want.Duration() || about.Start != want.Points[0].Pose || !about.Made.Equal(want.Made) {
		t.Errorf("%+v", about)
	}
	for _, err := range []error{func() error { _, err := l.Get(6); return err }(), l.Rename(6, "", "x"), l.Delete(6)} {
		if err == nil || err.Error() != "There is no motion 6." {
			t.Error(err)
		}
	}
	if _, err := l.Add(driven(""), "Ana"); err == nil || !strings.Contains(err.Error(), "name") {
		t.Error(err)
	}
}

func TestAMotionOfTenMinutesIsSmall(t *testing.T) {
	t.Parallel()
	m := driven("long")
	for i := len(m.Points); i < 12000; i++ {
		m.Points = append(m.Points, playout.Waypoint{
			T: 0.05 * float64(i), Pose: robot.Pose{X: 0.02345 * float64(i%977), Y: 0.01731 * float64(i%611), Theta: 0.00317 * float64(i%733)},
			Twist: robot.Twist{Linear: 0.41037, Angular: 0.00231 * float64(i%97)}, Want: robot.Twist{Linear: 0.45},
		})
	}
	packed, err := packMotion(m)
	if err != nil || len(packed) > 400<<10 {
		t.Fatalf("%d bytes, %v", len(packed), err)
	}
	if back, err := unpackMotion(packed); err != nil || !reflect.DeepEqual(back, m) {
		t.Error("it comes back otherwise", err)
	}
}

func TestNoUserPushesOutWhatAnotherHasRecorded(t *testing.T) {
	s, err := store.OpenTemporary()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	l, err := Open(s, quiet)
	if err != nil {
		t.Fatal(err)
	}
	of := func(owner string) (n int) {
		for _, m := range l.List() {
			if m.Owner == owner {
				n++
			}
		}
		return n
	}
	add := func(owner string, n int) {
		t.Helper()
		for range n {
			if _, err := l.Add(driven(owner+"'s drive"), owner); err != nil {
				t.Fatal(err)
			}
		}
	}
	add("Ana", 20)
	add("Bob", 60)
	if of("Ana") != 20 || of("Bob") != maxOfOwner {
		t.Errorf("after 60 of Bob's, Ana has %d of 20 and Bob has %d, want 20 and %d", of("Ana"), of("Bob"), maxOfOwner)
	}
	add("Cat", 200)
	if of("Ana") != 20 || len(l.List()) != maxMotions {
		t.Errorf("after 200 of Cat's, Ana has %d of 20 of %d", of("Ana"), len(l.List()))
	}
	if l.List()[0].Owner != "Cat" {
		t.Error("the newest one is not kept")
	}
}
