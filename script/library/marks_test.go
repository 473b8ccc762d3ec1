package library_test

import (
	"errors"
	"testing"

	"mybot/script/library"
	"mybot/store"
)

// marks returns what is marked of the script patrol.
func marks(l *library.Library) string {
	s, _ := l.Get("patrol")
	text := ""
	if s.Starts {
		text = "starts "
	}
	if by, permitted, ok := l.StandbyOf("patrol"); ok && permitted == s.Text {
		text += "stands by, by " + by
	}
	return text
}

func TestMarksAreKeptWithTheScriptButNotWithItsText(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	l := openLibrary(t, s)
	is := func(what, want string) {
		t.Helper()
		if got := marks(l); got != want {
			t.Errorf("%s: it is marked %q, want %q", what, got, want)
		}
	}
	// A text that is new comes without marks, whatever else comes with it.
	patrol, err := l.Save(library.Script{Name: "Patrol", Text: "x = 1;", Starts: true}, "Ana")
	if err != nil || patrol.Starts {
		t.Fatalf("%+v, %v", patrol, err)
	}
	is("new", "")
	if got, err := l.SetStarts("patrol", 0, true); err != nil || !got.Starts || got.Revision != 1 || !got.Changed.Equal(patrol.Changed) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := l.PermitStandby("patrol", 0, "g1"); err != nil {
		t.Error(err)
	}
	is("marked", "starts stands by, by g1")
	patrol.Name = "Round" // by a page that knows nothing of the marks
	if patrol, err = l.Save(patrol, "Ben"); err != nil || !patrol.Starts {
		t.Errorf("%+v, %v", patrol, err)
	}
	_ = s.Close()
	s = openStore(t, dir)
	l = openLibrary(t, s)
	is("another name, after a restart", "starts stands by, by g1")
	patrol.Text = "x = 2;"
	if patrol, err = l.Save(patrol, "Ben"); err != nil {
		t.Error(err)
	}
	is("another text", "starts ")
	if _, err := l.PermitStandby("patrol", patrol.Revision-1, "g2"); !errors.Is(err, library.ErrStale) {
		t.Errorf("the text that an admin saw, and another saved since: %v", err)
	}
	if _, err := l.SetStarts("patrol", patrol.Revision-1, true); !errors.Is(err, library.ErrStale) {
		t.Errorf("the text that a user saw, and another saved since: %v", err)
	}
	is("another text", "starts ")
	if _, err := l.PermitStandby("patrol", 0, "g2"); err != nil {
		t.Error(err)
	}
	if _, err := l.EndStandby("patrol"); err != nil {
		t.Error(err)
	}
	if _, err := l.SetStarts("patrol", 0, false); err != nil {
		t.Error(err)
	}
	is("off again", "")
	if _, err := l.SetStarts("never", 0, true); err == nil {
		t.Error("a script that does not exist is marked")
	}
	if err := l.Delete("patrol"); err != nil {
		t.Error(err)
	}
	if _, _, ok := l.StandbyOf("patrol"); ok {
		t.Error("a deleted script stands by")
	}
}

func TestAMarkThatCannotBeStoredIsNotSet(t *testing.T) {
	f := &failingStore{Store: openStore(t, t.TempDir())}
	l := openLibrary(t, f)
	if _, err := l.Save(library.Script{Name: "Patrol"}, "Ana"); err != nil {
		t.Fatal(err)
	}
	f.err = store.ErrFull
	if _, err := l.PermitStandby("patrol", 0, "g1"); !errors.Is(err, store.ErrFull) || marks(l) != "" {
		t.Errorf("%v; it is marked %q", err, marks(l))
	}
}
