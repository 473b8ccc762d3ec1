package atomicfile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"mybot/robot/robottest"
	"mybot/store/atomicfile"
)

func TestAFileIsTheOldOneOrTheNewOne(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "note.json")
	for _, text := range []string{"first", "second"} {
		if err := atomicfile.Write(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("the file says %q, %v; want %q", got, err, text)
		}
	}
	robottest.MustBeSynced(t, path)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file has the mode %v, %v", info.Mode(), err)
	}

	broken := errors.New("the writer broke")
	err := atomicfile.WriteFrom(path, 0o640, func(w io.Writer) error {
		_, _ = io.WriteString(w, "hal")
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("a writer that breaks = %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "second" {
		t.Errorf("after that the file says %q, %v", got, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("the directory has %v, %v; want the file alone", left, err)
	}
	if err := atomicfile.Write(filepath.Join(dir, "missing", "note.json"), nil, 0o600); err == nil {
		t.Error("a file in no directory was written")
	}
}

func TestWhatAKilledProgramHasLeftIsRemoved(t *testing.T) {
	dir := t.TempDir()
	path, left := filepath.Join(dir, "note.json"), ""
	err := atomicfile.WriteFrom(path, 0o600, func(io.Writer) error {
		names, err := os.ReadDir(dir)
		if err != nil || len(names) != 1 {
			t.Fatalf("while it is written the directory has %v, %v", names, err)
		}
		left = filepath.Join(dir, names[0].Name())
		return nil
	})
	for _, name := range []string{left, filepath.Join(dir, ".mine-123456789")} {
		err = errors.Join(err, os.WriteFile(name, []byte("half"), 0o600))
	}
	if err = errors.Join(err, atomicfile.RemoveUnfinished(dir)); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 || entries[0].Name() != ".mine-123456789" || entries[1].Name() != "note.json" {
		t.Errorf("the directory has %v, %v", entries, err)
	}
}
