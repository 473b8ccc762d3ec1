package recording

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// A shelf is the recordings of a robot whose clock may be wrong.
type shelf struct {
	*testing.T
	ages  *ages
	dir   string
	files []File
}

// begin starts the program when the clock shows that time.
func (s *shelf) begin(clock time.Time) {
	s.ages = readAges(s.dir, clock)
	s.see(clock)
}

func (s *shelf) see(clock time.Time) {
	s.Helper()
	if err := s.ages.countAges(clock, s.files); err != nil {
		s.Fatal(err)
	}
}

func (s *shelf) want(file string, age time.Duration) {
	s.Helper()
	if got := s.ages.ageOf(file); got != age {
		s.Errorf("%s is %v old, not %v", file, got, age)
	}
}

func TestAgesAreNotThoseOfAClockThatJumps(t *testing.T) {
	s := &shelf{T: t, dir: t.TempDir(), files: []File{{Name: "a"}}}
	clock := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	s.begin(clock)
	clock = clock.Add(time.Hour)
	s.see(clock)
	s.want("a", time.Hour)

	// The program starts again with the right time: 56 years later by the clock.
	clock = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s.files = append(s.files, File{Name: "b"})
	s.begin(clock)
	s.want("a", time.Hour+maxAway)
	s.want("b", 0)

	// A short interruption counts in full, and a step into the past not at all.
	s.begin(clock.Add(10 * time.Minute))
	s.want("b", 10*time.Minute)
	s.begin(clock.AddDate(-30, 0, 0))
	s.want("b", 10*time.Minute)

	// Deleted recordings are forgotten, and the age of an unreadable one starts at
	// zero.
	s.files = s.files[1:]
	s.see(clock.AddDate(-30, 0, 0))
	if _, known := s.ages.Born["a"]; known {
		t.Error("a file that is gone has an age")
	}
	for _, text := range []string{"", "null", "{", `{"passed":-5,"born":{"b":-1}}`} {
		if err := os.WriteFile(filepath.Join(s.dir, agesFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s.begin(clock)
		s.want("b", 0)
	}
}

// TestAClockThatJumpsAheadRemovesNoRecording lets the clock of the files jump,
// which used to determine the age of a recording.
func TestAClockThatJumpsAheadRemovesNoRecording(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecordedRobot(t, UsualLimits)
		if err := r.Start(); err != nil {
			t.Fatal(err)
		}
		r.run(time.Second)
		name := r.Status().File
		r.Stop()
		if err := os.Chtimes(filepath.Join(r.dir, name), time.Time{}, time.Now().AddDate(-10, 0, 0)); err != nil {
			t.Fatal(err)
		}
		tidy := func() int {
			t.Helper()
			if err := r.checkRoom(""); err != nil {
				t.Fatal(err)
			}
			files, err := r.List()
			if err != nil {
				t.Fatal(err)
			}
			return len(files)
		}
		if tidy() != 1 {
			t.Fatal("a recording is removed because the clock jumped")
		}
		time.Sleep(UsualLimits.MaxAge - time.Minute)
		if tidy() != 1 {
			t.Error("it is removed too early")
		}
		time.Sleep(2 * time.Minute)
		if tidy() != 0 {
			t.Error("it is not removed when it is old")
		}
	})
}
