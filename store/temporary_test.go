package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mybot/store"
)

func TestATemporaryStoreIsEmptyAndLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for range 2 {
		s, err := store.OpenTemporary()
		if err != nil {
			t.Fatal(err)
		}
		if name := s.NameOf("k3v9"); name != "" {
			t.Errorf("it knows %q already", name)
		}
		if err := s.SetName("k3v9", "Ana"); err != nil {
			t.Error(err)
		}
		if name := s.NameOf("k3v9"); name != "Ana" {
			t.Errorf("it knows %q, want Ana", name)
		}
		shut(t, s)
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("closed, it leaves %v, %v", left, err)
		}
	}
}

func TestWithoutAFolderForTemporaryFilesTheErrorSaysWhatToDo(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	if _, err := store.OpenTemporary(); err == nil || !strings.Contains(err.Error(), "--data") || !strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("the error is %v", err)
	}
}
