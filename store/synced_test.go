package store_test

import (
	"path/filepath"
	"testing"

	"mybot/robot/robottest"
	"mybot/store"
)

func TestWhatIsKeptHasReachedTheDisk(t *testing.T) {
	dir := t.TempDir()
	s := openFile(t, dir)
	defer shut(t, s)
	for what, keep := range map[string]func() error{
		"a name":   func() error { return s.SetName("k3v9", "Ana") },
		"a grant":  func() error { return s.PutGrant("a1b2", []byte("{}")) },
		"a job":    func() error { return s.PutJob("j1", []byte("{}")) },
		"a motion": func() error { _, err := s.AddMotion([]byte("{}"), make([]byte, 9000), 5); return err },
		"a run":    func() error { _, err := s.AddRun([]byte("{}"), 5); return err },
	} {
		t.Run(what, func(t *testing.T) {
			if err := keep(); err != nil {
				t.Fatal(err)
			}
			robottest.MustBeSynced(t, filepath.Join(dir, store.File))
		})
	}
}
