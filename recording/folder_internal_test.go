package recording

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"mybot/mcap"
	"mybot/robot"
	"mybot/robot/models/modelstest"
)

// A recordedRobot is a robot that does nothing, and records it.
type recordedRobot struct {
	*Recorder
	*Folder
	dir   string
	disk  int64 // free bytes on it
	ticks int
}

func newRecordedRobot(t *testing.T, l Limits) *recordedRobot {
	t.Helper()
	desc := modelstest.Mybot(t)
	r := &recordedRobot{Recorder: NewRecorder(About{Robot: desc, Build: "test"}), dir: filepath.Join(t.TempDir(), "recordings"), disk: 5 << 30}
	r.Folder = NewFolder(r.dir, r.Recorder, l, slog.New(slog.DiscardHandler))
	r.free = func(string) (free, whole int64, err error) { return r.disk, 10 << 30, nil }
	return r
}

// run lets time pass in which the robot publishes readings.
func (r *recordedRobot) run(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		r.ticks++
		now := time.Now()
		r.ObserveTick(now, robot.Reading{Time: now, Ranges: []float64{float64(r.ticks)}}, robot.State{Time: now})
	}
	synctest.Wait()
}

// readAll counts the readings of a file and returns its end.
func readAll(t *testing.T, path string) (series Series, ticks int, end error) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	steps, err := NewStepReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for {
		s, err := steps.Next()
		switch {
		case err != nil:
			return series, ticks, err
		case s.Series != nil:
			series = *s.Series
		case s.Tick != nil:
			ticks++
		}
	}
}

func TestARecordingIsInFilesOfWhichNoReadingIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := UsualLimits
		l.FileLasts = 10 * time.Second
		r := newRecordedRobot(t, l)
		if s := r.Status(); s.Recording || r.Active() {
			t.Fatalf("a robot records unasked: %+v", s)
		}
		if err := errors.Join(r.Start(), r.Start()); err != nil {
			t.Fatal(err)
		}
		r.run(25 * time.Second)
		if s := r.Status(); !s.Recording || s.File == "" || !r.Active() {
			t.Errorf("the status is %+v", s)
		}
		r.Stop()
		if s := r.Status(); s.Recording || s.File != "" || s.Ended != "" || s.Missing != 0 || r.Active() {
			t.Errorf("after the end the status is %+v", s)
		}
		files, err := r.List()
		if err != nil || len(files) != 3 {
			t.Fatalf("25 s are in the files %v (%v)", files, err)
		}
		sum, id := 0, ""
		for i, f := range files {
			series, ticks, end := readAll(t, filepath.Join(r.dir, f.Name))
			if !errors.Is(end, io.EOF) || series.Part != len(files)-i || i > 0 && series.ID != id {
				t.Errorf("%s is part %+v and ends with %v", f.Name, series, end)
			}
			sum, id = sum+ticks, series.ID
		}
		if sum != r.ticks {
			t.Errorf("of %d readings %d are recorded", r.ticks, sum)
		}
	})
}

func TestTheOldestRecordingsGo(t *testing.T) {
	for name, c := range map[string]struct {
		limit func(*Limits)
		disk  int64
	}{
		"when all are too long": {func(l *Limits) { l.MaxBytes = 60_000 }, 5 << 30},
		"when they are too old": {func(l *Limits) { l.MaxAge = 2500 * time.Millisecond }, 5 << 30},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := UsualLimits
				l.FileLasts = 2 * time.Second
				c.limit(&l)
				r := newRecordedRobot(t, l)
				r.disk = c.disk
				// The clock of the files is not the bubble's.
				if err := os.MkdirAll(r.dir, 0o700); err != nil {
					t.Fatal(err)
				}
				old := filepath.Join(r.dir, "mybot-1999-01-02-030405.mcap")
				other := filepath.Join(r.dir, "notes.txt")
				for _, path := range []string{old, other} {
					if err := os.WriteFile(path, make([]byte, 50_000), 0o600); err != nil {
						t.Fatal(err)
					}
					if err := os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
						t.Fatal(err)
					}
				}
				if err := r.Start(); err != nil {
					t.Fatal(err)
				}
				r.run(20 * time.Second)
				if s := r.Status(); !s.Recording {
					t.Errorf("it no longer records: %s", s.Ended)
				}
				r.Stop()
				if _, err := os.Stat(old); err == nil {
					t.Error("the oldest recording is still there")
				}
				if _, err := os.Stat(other); err != nil {
					t.Error("a file that is no recording is gone")
				}
			})
		})
	}
}

func TestADiskWithTooLittleRoomEndsTheRecordingWithASentence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecordedRobot(t, UsualLimits)
		if err := r.Start(); err != nil {
			t.Fatal(err)
		}
		r.run(3 * time.Second)
		name := r.Status().File
		r.disk = 1<<30 - 1
		r.run(2 * time.Second)
		s := r.Status()
		if s.Recording || !strings.Contains(s.Ended, "the disk has 1073 MB left") || r.Active() {
			t.Errorf("the status is %+v", s)
		}
		if _, ticks, end := readAll(t, filepath.Join(r.dir, name)); !errors.Is(end, io.EOF) || ticks < 140 {
			t.Errorf("the file has %d readings and ends with %v", ticks, end)
		}
		if err := r.Start(); err == nil || !strings.Contains(err.Error(), "leave") {
			t.Errorf("another recording begins: %v", err)
		}
		r.disk = 5 << 30
		if err := r.Start(); err != nil {
			t.Errorf("with room it does not begin: %v", err)
		}
		r.Stop()
	})
}

func TestARecordingWithoutAFileDoesNotBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecordedRobot(t, UsualLimits)
		r.free = func(dir string) (free, whole int64, err error) { return 1 << 40, 1 << 40, os.RemoveAll(dir) }
		if err := r.Start(); err == nil || !strings.Contains(err.Error(), "no file can be made") || IsDiskFault(err) {
			t.Errorf("it begins in a folder that takes no file: %v", err)
		}
		if s := r.Status(); s.Recording || !strings.Contains(s.Ended, "no file can be made") {
			t.Errorf("the status is %+v", s)
		}
	})
	for err, fault := range map[error]bool{
		&fs.PathError{Op: "open", Err: syscall.ENOSPC}: true, &fs.PathError{Op: "open", Err: syscall.EROFS}: true,
		ErrSlow: true, noRoomError{errors.New("none")}: true, fs.ErrPermission: false, syscall.ENOTDIR: false,
	} {
		if IsDiskFault(fmt.Errorf("it did not begin: %w", err)) != fault {
			t.Errorf("that %v is a fault of the disk is not %v", err, fault)
		}
	}
}

func TestOnlyRecordingsAreOpenedAndRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecordedRobot(t, UsualLimits)
		if err := r.Start(); err != nil {
			t.Fatal(err)
		}
		r.run(time.Second)
		name := r.Status().File
		if err := r.Remove(name); err == nil || errors.Is(err, ErrNone) {
			t.Errorf("the recording that is made is removed: %v", err)
		}
		r.Stop()
		if f, err := r.Open(name); err != nil {
			t.Error(err)
		} else {
			_ = f.Close()
		}
		for _, bad := range []string{"", "..", "../" + name, "x/../" + name, "/etc/passwd", "mybot-2026-01-02-030405.mcap", name + "\x00", strings.TrimSuffix(name, ".mcap") + "-" + strings.Repeat("1", 300) + ".mcap"} {
			if _, err := r.Open(bad); !errors.Is(err, ErrNone) {
				t.Errorf("%q is opened: %v", bad, err)
			}
			if err := r.Remove(bad); !errors.Is(err, ErrNone) {
				t.Errorf("%q is removed: %v", bad, err)
			}
		}
		if err := r.Remove(name); err != nil {
			t.Error(err)
		}
		if files, err := r.List(); err != nil || len(files) != 0 {
			t.Errorf("there are %v (%v)", files, err)
		}
	})
}

// TestRecordingsOverTheNetworkTakeNoPlaceOfThatOnTheDisk because an operator, who may make
// the former, would else keep an admin from the latter.
func TestRecordingsOverTheNetworkTakeNoPlaceOfThatOnTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecordedRobot(t, UsualLimits)
		ctx, end := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range MaxRecordings {
			all.Go(func() { _ = r.Record(ctx, io.Discard, func() error { return nil }) })
		}
		synctest.Wait()
		if err := r.Start(); err != nil || !r.Status().Recording {
			t.Errorf("beside %d others the recording on the disk does not begin: %v", MaxRecordings, err)
		}
		if err := r.Record(ctx, io.Discard, nil); !errors.Is(err, ErrBusy) {
			t.Errorf("one more: %v", err)
		}
		r.Stop()
		end()
		all.Wait()
	})
}

// TestARecordingThatIsMadeIsReadAsItWasWhenItWasOpened because the end of its file is
// written again while it is read.
func TestARecordingThatIsMadeIsReadAsItWasWhenItWasOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecordedRobot(t, UsualLimits)
		if err := r.Start(); err != nil {
			t.Fatal(err)
		}
		for range 13 {
			r.run(1100 * time.Millisecond)
			before := r.ticks
			file, err := r.Open(r.Status().File)
			if err != nil {
				t.Fatal(err)
			}
			half := make([]byte, 300)
			if _, err := io.ReadFull(file, half); err != nil {
				t.Fatal(err)
			}
			r.run(6 * time.Second)
			steps, err := NewStepReader(io.MultiReader(bytes.NewReader(half), file))
			ticks := 0
			for err == nil {
				var s Step
				if s, err = steps.Next(); s.Tick != nil {
					ticks++
				}
			}
			if !errors.As(err, new(*mcap.CutError)) || ticks > before || ticks < before-60 {
				t.Errorf("of %d readings %d are read: %v", before, ticks, err)
			}
			if size, err := file.Seek(0, io.SeekEnd); err != nil || size < 300 {
				t.Errorf("it has %d bytes (%v)", size, err)
			}
			if err := file.Close(); err != nil {
				t.Error(err)
			}
		}
		r.Stop()
	})
}

func TestALinkInTheFolderIsNoRecording(t *testing.T) {
	r := newRecordedRobot(t, UsualLimits)
	secret := filepath.Join(t.TempDir(), "secret")
	const name = "mybot-1999-01-02-030405.mcap"
	if err := errors.Join(os.WriteFile(secret, []byte("secret"), 0o600), os.Mkdir(r.dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(r.dir, name)); err != nil {
		t.Skip(err)
	}
	if file, err := r.Open(name); !errors.Is(err, ErrNone) {
		t.Errorf("it is opened: %v, %v", file, err)
	}
}

// TestRecordingsOfATimeToComeGoToo has recordings made while the robot's clock was
// wrong: the current one is older than they are.
func TestRecordingsOfATimeToComeGoToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := UsualLimits
		l.MaxBytes = 60_000
		r := newRecordedRobot(t, l)
		later := filepath.Join(r.dir, "mybot-2091-01-02-030405.mcap")
		if err := errors.Join(os.Mkdir(r.dir, 0o700), os.WriteFile(later, make([]byte, 59_000), 0o600), os.Chtimes(later, time.Time{}, time.Now().AddDate(91, 0, 0))); err != nil {
			t.Fatal(err)
		}
		if err := r.Start(); err != nil {
			t.Fatal(err)
		}
		r.run(10 * time.Second)
		r.Stop()
		if _, err := os.Stat(later); err == nil {
			t.Error("it is still there")
		}
	})
}

// hang makes the disk of a robot hang until the returned function is called.
func (r *recordedRobot) hang() (mend func()) {
	mended := make(chan struct{})
	answers := r.readDir
	r.readDir = func(dir string) ([]fs.DirEntry, error) {
		<-mended
		return answers(dir)
	}
	return func() { close(mended) }
}

// TestADiskThatHangsHoldsNobodyUp checks that the list of recordings does not wait
// for the disk with a lock that everyone needs who asks whether the robot records.
func TestADiskThatHangsHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecordedRobot(t, UsualLimits)
		if err := r.Start(); err != nil {
			t.Fatal(err)
		}
		r.run(3500 * time.Millisecond)
		name := r.Status().File
		mend := r.hang()
		r.run(2 * time.Second) // the writer hangs, too
		within := func(what string, most time.Duration, do func()) {
			t.Helper()
			began := time.Now()
			do()
			if took := time.Since(began); took > most {
				t.Errorf("%s takes %v", what, took)
			}
		}
		within("the control loop", 0, func() { r.ObserveTick(time.Now(), robot.Reading{}, robot.State{}) })
		within("the status", 0, func() {
			if s := r.Status(); !s.Recording {
				t.Errorf("it is %+v", s)
			}
		})
		for range 2 * maxAsking {
			within("the list", diskTimeout, func() {
				if _, err := r.List(); !errors.Is(err, ErrSlow) {
					t.Errorf("the list says %v", err)
				}
			})
		}
		within("removing", diskTimeout, func() {
			if err := r.Remove("mybot-1999-01-02-030405.mcap"); !errors.Is(err, ErrSlow) {
				t.Errorf("it says %v", err)
			}
		})
		within("Stop", endTimeout, r.Stop)
		within("Start", diskTimeout, func() {
			if err := r.Start(); !errors.Is(err, ErrSlow) {
				t.Errorf("another recording begins: %v", err)
			}
		})
		mend()
		synctest.Wait()
		if s := r.Status(); s.Recording || s.Ended != "" {
			t.Errorf("when the disk answers again: %+v", s)
		}
		if files, err := r.List(); err != nil || len(files) != 1 {
			t.Errorf("there are %v (%v)", files, err)
		}
		if _, ticks, end := readAll(t, filepath.Join(r.dir, name)); !errors.Is(end, io.EOF) || ticks < 170 {
			t.Errorf("the file has %d readings and ends with %v", ticks, end)
		}
	})
}

func TestARecordingThatNobodyWaitsForAnyMoreDoesNotBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecordedRobot(t, UsualLimits)
		mend := r.hang()
		if err := r.Start(); !errors.Is(err, ErrSlow) {
			t.Fatalf("it begins: %v", err)
		}
		mend()
		synctest.Wait()
		if s := r.Status(); s.Recording || r.Active() {
			t.Errorf("it began all the same: %+v", s)
		}
		if err := r.Start(); err != nil {
			t.Error(err)
		}
		r.Stop()
	})
}
