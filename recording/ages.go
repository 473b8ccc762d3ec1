package recording

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"mybot/store/atomicfile"
)

const (
	// agesFile is where a Folder stores the ages of its recordings.
	agesFile = "ages.json"
	// maxAway is the most by which recordings age while the program does not run,
	// because only a clock that may be wrong knows how long that was.
	maxAway = 24 * time.Hour
	// agesPeriod is how often ages are saved when no file comes or goes.
	agesPeriod = 10 * time.Minute
)

// ages measures the ages of recordings. A robot's clock may be wrong and jump ahead
// when it is corrected, which would make every file seem years old. So ages advance
// by the monotonic clock while the program runs, and by at most a day for each time
// that it did not run. A new file has age zero when it is first seen.
type ages struct {
	path   string
	Passed time.Duration            `json:"passed"` // ns counted so far
	At     time.Time                `json:"at"`     // wall-clock time of saving
	Born   map[string]time.Duration `json:"born"`   // Passed when a file was first seen

	counted time.Time // when Passed was updated, with a monotonic reading
	saved   time.Duration
}

// readAges reads the ages of a folder; without a readable file, all ages begin at
// zero.
func readAges(dir string, now time.Time) *ages {
	a := &ages{path: filepath.Join(dir, agesFile), counted: now}
	data, err := os.ReadFile(a.path)
	if err != nil || json.Unmarshal(data, a) != nil || a.Passed < 0 {
		a.Passed, a.At, a.Born = 0, now, nil
	}
	a.saved = a.Passed
	if away := now.Sub(a.At); away > 0 {
		a.Passed += min(away, maxAway)
	}
	if a.Born == nil {
		a.Born = map[string]time.Duration{}
	}
	return a
}

// countAges updates the ages for the existing files, and saves changes. An error says
// that they were not saved; the ages are still right while the program runs.
func (a *ages) countAges(now time.Time, files []File) error {
	if passed := now.Sub(a.counted); passed > 0 {
		a.Passed += passed
	}
	a.counted = now
	born := make(map[string]time.Duration, len(files))
	changed := false
	for _, f := range files {
		at, known := a.Born[f.Name]
		if !known {
			at, changed = a.Passed, true
		}
		born[f.Name] = at
	}
	changed = changed || len(born) != len(a.Born)
	a.Born = born
	if !changed && a.Passed < a.saved+agesPeriod {
		return nil
	}
	a.saved, a.At = a.Passed, now
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return atomicfile.Write(a.path, text, 0o600)
}

// ageOf returns the age of a file.
func (a *ages) ageOf(name string) time.Duration { return a.Passed - a.Born[name] }
