package store_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	bolterrors "go.etcd.io/bbolt/errors"

	"mybot/store"
)

func openFile(t *testing.T, dir string) *store.Store {
	t.Helper()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func shut(t *testing.T, s *store.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestANameOutlivesTheProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "mybot")
	s := openFile(t, dir)
	if got := s.NameOf("k3v9"); got != "" {
		t.Errorf("a name that was never given: %q", got)
	}
	for browser, name := range map[string]string{"k3v9": "Ana", "x2": "진", "": "nobody"} {
		err := s.SetName(browser, name)
		if (err != nil) != (browser == "") {
			t.Errorf("SetName(%q) = %v", browser, err)
		}
	}
	shut(t, s)
	s = openFile(t, dir)
	defer s.Close()
	if s.NameOf("k3v9") != "Ana" || s.NameOf("x2") != "진" || s.NameOf("other") != "" {
		t.Errorf("%q, %q, %q", s.NameOf("k3v9"), s.NameOf("x2"), s.NameOf("other"))
	}
	if err := s.SetName("k3v9", ""); err != nil || s.NameOf("k3v9") != "" {
		t.Errorf("the name was not forgotten: %q, %v", s.NameOf("k3v9"), err)
	}
}

func TestNoOtherAccountMayReadTheStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	shut(t, openFile(t, dir))
	for path, want := range map[string]fs.FileMode{dir: fs.ModeDir | 0o700, filepath.Join(dir, store.File): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s is %v, %v", path, info.Mode(), err)
		}
	}
	t.Run("even when the file was open to others before", func(t *testing.T) {
		path := filepath.Join(dir, store.File)
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
		shut(t, openFile(t, dir))
		if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	})
}

func TestASecondMybotIsToldThatTheFileIsTaken(t *testing.T) {
	dir := t.TempDir()
	first := openFile(t, dir)
	defer first.Close()
	began := time.Now()
	_, err := store.Open(dir)
	if !errors.Is(err, bolterrors.ErrTimeout) || !strings.Contains(err.Error(), "another Mybot is using "+filepath.Join(dir, store.File)) {
		t.Errorf("Open = %v", err)
	}
	if took := time.Since(began); took < 900*time.Millisecond || took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if err := first.SetName("k3v9", "Ana"); err != nil {
		t.Errorf("the first one was disturbed: %v", err)
	}
}

func TestADamagedFileIsNamed(t *testing.T) {
	whole := t.TempDir()
	s := openFile(t, whole)
	for i := range 200 {
		if err := s.SetName(strings.Repeat("k", i+1), "Ana"); err != nil {
			t.Fatal(err)
		}
	}
	shut(t, s)
	good, err := os.ReadFile(filepath.Join(whole, store.File))
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	for name, content := range map[string][]byte{
		"another kind of file": bytes.Repeat([]byte("not a store\n"), 1000),
		"a short file":         []byte("x"),
		"half of it":           good[:page+page/2],
		"both heads lost":      append(make([]byte, 2*page), good[2*page:]...),
		"all but the heads":    append(bytes.Clone(good[:2*page]), bytes.Repeat([]byte{0xff}, len(good)-2*page)...),
		"zeros but the heads":  append(bytes.Clone(good[:2*page]), make([]byte, len(good)-2*page)...),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, store.File)
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := store.Open(dir)
			if err == nil {
				shut(t, s)
				t.Fatal("it was opened")
			}
			if !strings.HasPrefix(err.Error(), "store: "+path+" is damaged") || strings.Contains(err.Error(), "\n") {
				t.Errorf("Open = %v", err)
			}
			if left, err := os.ReadFile(path); err != nil || !bytes.Equal(left, content) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestADirectoryThatCannotBeMadeIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(filepath.Join(file, "state")); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("Open = %v", err)
	}
	if _, err := store.Open(""); err == nil || !strings.Contains(err.Error(), "--data") {
		t.Errorf("Open = %v", err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, store.File), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(dir); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, store.File)) {
		t.Errorf("Open = %v", err)
	}
}

func TestAClosedStoreKnowsNoNames(t *testing.T) {
	s := openFile(t, t.TempDir())
	if err := s.SetName("k3v9", "Ana"); err != nil {
		t.Fatal(err)
	}
	shut(t, s)
	if got := s.NameOf("k3v9"); got != "" {
		t.Errorf("Name = %q", got)
	}
	if err := s.SetName("k3v9", "Ana"); !errors.Is(err, bolterrors.ErrDatabaseNotOpen) || errors.Is(err, store.ErrFull) {
		t.Errorf("SetName = %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
}

func TestManyMayAskAtOnce(t *testing.T) {
	s := openFile(t, t.TempDir())
	defer s.Close()
	var all sync.WaitGroup
	for _, browser := range []string{"a", "b", "c", "d"} {
		all.Go(func() {
			for range 20 {
				if err := s.SetName(browser, "name of "+browser); err != nil {
					t.Error(err)
				}
				if got := s.NameOf(browser); got != "name of "+browser {
					t.Errorf("Name(%q) = %q", browser, got)
				}
			}
		})
	}
	all.Wait()
}

func TestGrantsAreKeptUntilTheyAreDeleted(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for id, grant := range map[string]string{"b": "two", "a": "one", "c": "three"} {
		if err := s.PutGrant(id, []byte(grant)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.PutGrant("c", []byte("drei")), s.DeleteGrant("b"), s.DeleteGrant("nobody"), s.Close()); err != nil {
		t.Fatal(err)
	}
	if err := s.PutGrant("d", nil); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a closed store answers %v", err)
	}
	if s, err = store.Open(dir); err != nil {
		t.Fatal(err)
	}
	defer s.Close() // nothing was written
	grants, err := s.Grants()
	if err != nil || string(bytes.Join(grants, []byte(" "))) != "one drei" {
		t.Errorf("after a restart the grants are %q, %v", grants, err)
	}
}
