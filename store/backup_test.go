package store_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mybot/store"
)

func TestTheCopyOfALostStoreIsNotReplaced(t *testing.T) {
	for name, lose := range map[string]func(path string) error{
		"missing": os.Remove,
		"empty":   func(path string) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, store.File)
			s := openFile(t, dir)
			if s.EarlierCopy() != "" {
				t.Errorf("the first store has set %s aside", s.EarlierCopy())
			}
			now := time.Now()
			if err := errors.Join(s.SetName("browser", "Ana"), s.Backup(now)); err != nil {
				t.Fatal(err)
			}
			shut(t, s)
			if err := lose(path); err != nil {
				t.Fatal(err)
			}
			s = openFile(t, dir)
			earlier := s.EarlierCopy()
			if err := s.Backup(now.Add(48 * time.Hour)); err != nil || s.NameOf("browser") != "" {
				t.Errorf("the new store has the name %q, %v", s.NameOf("browser"), err)
			}
			shut(t, s)
			if err := os.Rename(earlier, path); err != nil {
				t.Fatal(err)
			}
			s = openFile(t, dir)
			if s.NameOf("browser") != "Ana" || s.EarlierCopy() != "" {
				t.Errorf("the copy %s has the name %q, and set %q aside", earlier, s.NameOf("browser"), s.EarlierCopy())
			}
			shut(t, s)
		})
	}
}

func TestADayOldCopyTakesThePlaceOfADamagedStore(t *testing.T) {
	dir := t.TempDir()
	path, beside := filepath.Join(dir, store.File), filepath.Join(dir, store.BackupFile)
	if err := store.Check(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a store Check = %v", err)
	}
	s := openFile(t, dir)
	now := time.Now()
	for i, name := range []string{"Ana", "Jin", "Mina"} {
		if err := s.SetName("browser", name); err != nil {
			t.Fatal(err)
		}
		if err := s.Backup(now.Add(time.Duration(i) * 20 * time.Hour)); err != nil { // the second one is too soon
			t.Fatal(err)
		}
	}
	if err := s.SetName("browser", "Eve"); err != nil {
		t.Fatal(err)
	}
	if err := store.Check(dir); !errors.Is(err, store.ErrInUse) {
		t.Errorf("while it is open Check = %v", err)
	}
	shut(t, s)
	if err := store.Check(dir); err != nil {
		t.Errorf("for a sound store Check = %v", err)
	}
	info, err := os.Stat(beside)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the copy is %v, %v", info, err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := append(bytes.Clone(data[:2*4096]), bytes.Repeat([]byte{0xff}, len(data)-2*4096)...)
	for what, look := range map[string]func(dir string) error{
		"Check": store.Check,
		"Open":  func(dir string) error { _, err := store.Open(dir); return err },
	} {
		broken := t.TempDir()
		file := filepath.Join(broken, store.File)
		if err := errors.Join(os.WriteFile(file, damaged, 0o600), os.WriteFile(filepath.Join(broken, store.BackupFile), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		if err := look(broken); err == nil || !strings.Contains(err.Error(), file+" is damaged") || !strings.Contains(err.Error(), "put mybot.db.backup in its place") {
			t.Errorf("%s of a damaged store = %v", what, err)
		}
		if left, err := os.ReadFile(file); err != nil || !bytes.Equal(left, damaged) {
			t.Errorf("%s changed the file", what)
		}
	}
	if err := os.Rename(beside, path); err != nil {
		t.Fatal(err)
	}
	again := openFile(t, dir)
	defer shut(t, again)
	if name := again.NameOf("browser"); name != "Mina" {
		t.Errorf("the copy knows %q, want Mina of 40 hours after the first", name)
	}
}
