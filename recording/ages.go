package recording

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"mybot/store/atomicfile"
)

const (
	// agesFile is where a Folder keeps how old its recordings are.
	agesFile = "ages.json"
	// maxAway is how much older recordings get while the program does not run, at most:
	// how long that was, only a clock says that may be wrong.
	maxAway = 24 * time.Hour
	// agesPeriod is how often ages are saved when no file comes or goes.
	agesPeriod = 10 * time.Minute
)

// ages count how old recordings are. The clock of a robot may be wrong, jump ahead when it
// hears of the right time, and with it every file would seem to be years old. So ages are
// counted by the clock that is never set while the program runs, and by at most a day for
// each time that it did not. A file that was put there is new when it is first seen.
type ages struct {
	path   string
	Passed time.Duration            `json:"passed"` // ns that were counted
	At     time.Time                `json:"at"`     // by the clock, when they were saved
	Born   map[string]time.Duration `json:"born"`   // Passed when a file was first seen

	counted time.Time // when Passed was counted, with the clock that is never set
	saved   time.Duration
}

// readAges reads the ages of a folder; what cannot be read begins anew.
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

// count takes the files that are there, and saves what changed. An error says that it was
// not saved; ages are right all the same while the program runs.
func (a *ages) count(now time.Time, files []File) error {
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

// of returns how old a file is.
func (a *ages) of(name string) time.Duration { return a.Passed - a.Born[name] }
