package app

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/playout"
	"mybot/store"
)

func driven(name string) playout.Motion {
	m := playout.Motion{Name: name, Made: time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)}
	for i := range 50 {
		m.Points = append(m.Points, playout.Waypoint{T: 0.05 * float64(i), Pose: robot.Pose{X: 1 + 0.02*float64(i)}})
	}
	return m
}

func TestMotionsLastUntilTheyAreDeleted(t *testing.T) {
	dir := t.TempDir()
	open := func() (*motionKeeper, func()) {
		s, err := store.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		k, err := newMotionKeeper(s, quiet())
		if err != nil {
			t.Fatal(err)
		}
		return k, func() { _ = s.Close() }
	}
	lasting, shut := open()
	passing, err := newMotionKeeper(nil, quiet())
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []*motionKeeper{lasting, passing} {
		for range mostMotions + 2 {
			if _, err := k.Add(driven("Ana's drive")); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(k.Rename(5, "Round the table"), k.Delete(6)); err != nil {
			t.Fatal(err)
		}
	}
	again, err := newMotionKeeper(nil, quiet())
	if err != nil || len(again.List()) != 0 {
		t.Errorf("%d motions last without a directory, %v", len(again.List()), err)
	}
	shut()
	lasting, shut = open()
	defer shut()
	for name, k := range map[string]*motionKeeper{"with a directory": lasting, "without": passing} {
		list := k.List()
		if len(list) != mostMotions-1 || list[0].N != mostMotions+2 || list[len(list)-1].N != 3 {
			t.Errorf("%s: %d motions, from %d to %d", name, len(list), list[0].N, list[len(list)-1].N)
		}
		want := driven("Round the table")
		m, err := k.Get(5)
		if err != nil || !reflect.DeepEqual(m, want) {
			t.Errorf("%s: %v: %+v", name, err, m)
		}
		if about := list[len(list)-3]; about.N != 5 || about.Name != want.Name || about.Length != want.Length() || about.Duration != want.Duration() || about.Start != want.Points[0].Pose || !about.Made.Equal(want.Made) {
			t.Errorf("%s: %+v", name, about)
		}
		for _, err := range []error{func() error { _, err := k.Get(6); return err }(), k.Rename(6, "x"), k.Delete(6)} {
			if err == nil || err.Error() != "There is no motion 6." {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := k.Add(driven("")); err == nil || !strings.Contains(err.Error(), "name") {
			t.Errorf("%s: %v", name, err)
		}
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
	packed, err := pack(m)
	if err != nil || len(packed) > 400<<10 {
		t.Fatalf("%d bytes, %v", len(packed), err)
	}
	if back, err := unpack(packed); err != nil || !reflect.DeepEqual(back, m) {
		t.Error("it comes back otherwise", err)
	}
}
