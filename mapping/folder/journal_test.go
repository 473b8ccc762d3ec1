package folder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mybot/mapping"
	"mybot/mapping/journal"
	"mybot/robot"
	"mybot/robot/robottest"
)

func ignore(journal.Record) error { return nil }

func begin(t *testing.T, s *Store) *Journal {
	t.Helper()
	j, err := s.Begin(journal.Header{Began: noon})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func addFrames(t *testing.T, j *Journal, n int) {
	t.Helper()
	for i := range n {
		if _, err := j.AddKeyFrame(keyFrame(i)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAMapThatWasBeingMadeIsResumed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "maps")
	s := open(t, dir)
	if _, _, err := s.Resume(ignore); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("nothing was being made: %v", err)
	}
	j := begin(t, s)
	addFrames(t, j, 5)
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	robottest.MustBeSynced(t, filepath.Join(dir, inProgress))
	// The program is killed in the middle of a write.
	if err := os.Truncate(filepath.Join(dir, inProgress), j.Size()-3); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	j, c, err := s.Resume(ignore)
	if err != nil || c.KeyFrames != 4 || !strings.Contains(c.Missing, "after 4 key frames") || !c.Header.Began.Equal(noon) {
		t.Fatalf("%+v, %v", c, err)
	}
	addFrames(t, j, 2)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j, c, err = s.Resume(ignore)
	if err != nil || c.KeyFrames != 6 || c.Missing != "" {
		t.Fatalf("%+v, %v", c, err)
	}
	v := version(t, 6)
	if v.Journal, err = j.Reader(); err != nil {
		t.Fatal(err)
	}
	if err := s.Save("Lab", false, v, used); err != nil || wholeVersion(t, s.Path("Lab")) != 6 {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Resume(ignore); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a map that was saved is being made: %v", err)
	}
}

func TestAMapThatWasSavedIsNotBeingMadeAnyMore(t *testing.T) {
	s := open(t, t.TempDir())
	j := begin(t, s)
	addFrames(t, j, 3)
	data, err := os.ReadFile(filepath.Join(s.dir, inProgress))
	if err != nil {
		t.Fatal(err)
	}
	v := version(t, 3)
	if v.Journal, err = j.Reader(); err != nil {
		t.Fatal(err)
	}
	if err := s.Save("Lab", false, v, used); err != nil {
		t.Fatal(err)
	}
	// The program is killed before it has removed the journal.
	if err := os.WriteFile(filepath.Join(s.dir, inProgress), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Resume(ignore); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if got := entries(t, s.dir); len(got) != 1 {
		t.Errorf("%v are left", got)
	}
}

func TestAJournalIsDiscarded(t *testing.T) {
	s := open(t, t.TempDir())
	j := begin(t, s)
	if err := errors.Join(j.Close(), s.Discard(), s.Discard()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Resume(ignore); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestAJournalThatCannotBeReadIsPutAside(t *testing.T) {
	s := open(t, t.TempDir())
	if err := os.WriteFile(filepath.Join(s.dir, inProgress), []byte("no journal"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Resume(ignore); err == nil || !strings.Contains(err.Error(), "this is no journal of a map") || !strings.Contains(err.Error(), "its journal is now "+filepath.Join(s.dir, damagedFile)) {
		t.Errorf("%v", err)
	}
	if _, _, err := s.Resume(ignore); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestWhatAFullDiskDoesNotTakeIsWrittenLater(t *testing.T) {
	s := open(t, t.TempDir())
	j := begin(t, s)
	addFrames(t, j, 2)
	writable := j.tail.file
	var err error
	if j.tail.file, err = os.Open(writable.Name()); err != nil { // which cannot be written to
		t.Fatal(err)
	}
	addFrames(t, j, 3)
	if err := j.Sync(); err == nil {
		t.Error("what was not written counts as synced")
	}
	if _, err := j.Reader(); err == nil {
		t.Error("what was not written is read")
	}
	if err := j.tail.file.Close(); err != nil {
		t.Fatal(err)
	}
	j.tail.file = writable
	addFrames(t, j, 1)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if _, c, err := s.Resume(ignore); err != nil || c.KeyFrames != 6 || c.Missing != "" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestAMapIsBegunOnAFullDisk(t *testing.T) {
	const full = "/dev/full" // takes nothing
	if _, err := os.Stat(full); err != nil {
		t.Skip(err)
	}
	s := open(t, t.TempDir())
	if err := os.Symlink(full, filepath.Join(s.dir, inProgress)); err != nil {
		t.Fatal(err)
	}
	j := begin(t, s)
	addFrames(t, j, 2)
	if err := j.Sync(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("what the disk did not take is synced: %v", err)
	}
	if _, err := j.Reader(); err == nil || err.Error() != "The map cannot be saved: the disk is full. Free some space and try again." {
		t.Errorf("%v", err)
	}
	if err := errors.Join(j.tail.file.Close(), os.Remove(filepath.Join(s.dir, inProgress))); err != nil {
		t.Fatal(err)
	}
	var err error
	if j.tail.file, err = os.Create(filepath.Join(s.dir, inProgress)); err != nil { // now there is room
		t.Fatal(err)
	}
	addFrames(t, j, 1)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if _, c, err := s.Resume(ignore); err != nil || c.KeyFrames != 3 || c.Missing != "" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestASavedMapIsExtended(t *testing.T) {
	s := open(t, t.TempDir())
	save(t, s, "Lab", 4)
	replay := journal.Replay{Mapper: &mapping.Mapper{}}
	j, err := s.Extend(s.Path("Lab"), journal.Header{Began: noon.Add(time.Hour), Map: "Lab"}, replay.Take)
	if err != nil {
		t.Fatal(err)
	}
	for replay.Mapper.Step() {
	}
	if m := replay.Mapper.Summary(); m.KeyFrames != 4 || m.Fixed != 4 {
		t.Errorf("%+v", m)
	}
	addFrames(t, j, 1)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j, c, err := s.Resume(ignore)
	if err != nil || c.KeyFrames != 5 || c.Fixed != 4 || c.Header.Map != "Lab" {
		t.Fatalf("%+v, %v", c, err)
	}
	v := version(t, 5)
	if v.Journal, err = j.Reader(); err != nil {
		t.Fatal(err)
	}
	if err := s.Save("Lab", true, v, used); err != nil || wholeVersion(t, s.Path("Lab")) != 5 || s.Versions("Lab") != 1 {
		t.Error(err)
	}
}

func TestAMapThatWasNotMadeHereIsNotExtended(t *testing.T) {
	s := open(t, t.TempDir())
	if err := s.Save("Drawn", false, Version{Plan: floor(1)}, used); err != nil {
		t.Fatal(err)
	}
	var refusal robot.Refusal
	_, err := s.Extend(s.Path("Drawn"), journal.Header{}, ignore)
	if want := "This map cannot be extended: its folder has no mapping/journal, which maps have that were made here. Make a new map instead."; !errors.As(err, &refusal) || err.Error() != want {
		t.Errorf("%v", err)
	}
	save(t, s, "Lab", 4)
	path := filepath.Join(s.Path("Lab"), "mapping", "journal")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:len(data)-10], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Extend(s.Path("Lab"), journal.Header{}, ignore); err == nil || !strings.Contains(err.Error(), "The map cannot be extended: mapping/journal is damaged: the journal ends in the middle of a record") {
		t.Errorf("%v", err)
	}
	if _, _, err := s.Resume(ignore); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a map is being made that could not be begun: %v", err)
	}
}
