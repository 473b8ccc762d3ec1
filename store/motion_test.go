package store

import (
	"fmt"
	"slices"
	"testing"
)

func TestMotionsAreKeptAndTheOldestMakeRoom(t *testing.T) {
	dir := t.TempDir()
	s := reopened(t, dir)
	for i := range 5 {
		n, err := s.AddMotion(fmt.Appendf(nil, "about %d", i+1), fmt.Appendf(nil, "path %d", i+1), 3)
		if err != nil || n != uint64(i+1) {
			t.Fatalf("motion %d: %v", n, err)
		}
	}
	if err := s.SayOfMotion(4, []byte("another name")); err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteMotion(5); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = reopened(t, dir)
	all, err := s.Motions()
	want := []Motion{{3, []byte("about 3")}, {4, []byte("another name")}}
	if err != nil || !slices.EqualFunc(all, want, func(a, b Motion) bool { return a.N == b.N && string(a.About) == string(b.About) }) {
		t.Errorf("%+v: %v", all, err)
	}
	for n, want := range map[uint64]string{1: "", 2: "", 3: "path 3", 4: "path 4", 5: ""} {
		if path, err := s.MotionPath(n); err != nil || string(path) != want {
			t.Errorf("the path of %d is %q: %v", n, path, err)
		}
	}
	if n, err := s.AddMotion(nil, nil, 3); err != nil || n != 6 {
		t.Errorf("a number is given again: %d, %v", n, err)
	}
	if err := s.SayOfMotion(5, []byte("back")); err == nil {
		t.Error("a motion that was deleted has a name again")
	}
}

func reopened(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}
