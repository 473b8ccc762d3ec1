package folder

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mybot/mapping"
	"mybot/mapping/journal"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/robottest"
	"mybot/robot/scan"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// floor is a plan with a picture and a place, both of which contain its number.
func floor(number int) *robot.Floorplan {
	g := robot.Grid{Width: 20 + number, Height: 20, Resolution: 0.1, Cells: slices.Repeat([]robot.Cell{robot.Free}, (20+number)*20)}
	for i := range g.Cells {
		if x := i % g.Width; x == 0 || x == g.Width-1 || i < g.Width || i >= 19*g.Width {
			g.Cells[i] = robot.Occupied
		}
	}
	return &robot.Floorplan{Name: fmt.Sprintf("Floor %d", number), Grid: g, Places: []robot.Place{{Name: fmt.Sprint("Place ", number), Pose: robot.Pose{X: 1, Y: 1}}}}
}

// version is the saved files of the plan with a number: that many key frames.
func version(t testing.TB, number int) Version {
	t.Helper()
	var out bytes.Buffer
	w, err := journal.NewWriter(&out, journal.Header{Began: noon.Add(time.Duration(number) * time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range number {
		if _, err := w.AddKeyFrame(keyFrame(i)); err != nil {
			t.Fatal(err)
		}
	}
	return Version{Plan: floor(number), Edits: fmt.Appendf(nil, `{"number":%d}`, number), Journal: bytes.NewReader(out.Bytes()), Poses: make([]robot.Pose, number)}
}

func keyFrame(i int) mapping.KeyFrame {
	return mapping.KeyFrame{Motion: robot.Pose{X: 0.2}, Cloud: scan.Cloud{Time: noon, Last: noon, Beams: []scan.Beam{{End: robot.Point{X: 1 + float64(i)}, Echo: true}}}}
}

// wholeVersion returns the number of the version in a map folder, whose files must
// all agree.
func wholeVersion(t testing.TB, dir string) int {
	t.Helper()
	plan, err := floorplan.Load(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	number := plan.Grid.Width - 20
	want := floor(number)
	edits, err := ReadEdits(dir)
	if err != nil || string(edits) != fmt.Sprintf(`{"number":%d}`, number) || plan.Name != want.Name || !reflect.DeepEqual(plan.Places, want.Places) {
		t.Fatalf("%s has a picture of floor %d, %q, %v, edits %s, %v", dir, number, plan.Name, plan.Places, edits, err)
	}
	file, err := os.Open(filepath.Join(dir, "mapping", "journal"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if c, err := journal.Read(file, func(journal.Record) error { return nil }); err != nil || c.KeyFrames != number || c.Fixed != number || c.Missing != "" {
		t.Fatalf("%s has the journal %+v, %v, want %d key frames", dir, c, err, number)
	}
	return number
}

func open(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// used takes a version into use.
func used() error { return nil }

func save(t testing.TB, s *Store, name string, number int) {
	t.Helper()
	names, err := s.Names()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Save(name, slices.Contains(names, name), version(t, number), used); err != nil {
		t.Fatal(err)
	}
}

func TestTheLastFiveVersionsComeBackOneByOne(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "new", "maps"))
	if names, err := s.Names(); len(names) != 0 || err != nil {
		t.Fatal(names, err)
	}
	for n := 1; n <= 8; n++ {
		save(t, s, "Lab 3", n)
		if got := wholeVersion(t, s.Path("Lab 3")); got != n || s.Versions("Lab 3") != min(n-1, MaxVersions) {
			t.Fatalf("version %d is in use after version %d was saved, and %d before it", got, n, s.Versions("Lab 3"))
		}
	}
	if names, err := s.Names(); err != nil || !reflect.DeepEqual(names, []string{"Lab 3"}) {
		t.Errorf("%v, %v", names, err)
	}
	robottest.MustBeSynced(t, filepath.Join(s.Path("Lab 3"), "mapping", "journal"))
	for n := 7; n >= 3; n-- {
		if err := s.Revert("Lab 3"); err != nil {
			t.Fatal(err)
		}
		if got := wholeVersion(t, s.Path("Lab 3")); got != n || s.Versions("Lab 3") != n-3 {
			t.Fatalf("version %d came back, want %d; %d before it", got, n, s.Versions("Lab 3"))
		}
		if err := s.Advance("Lab 3"); err != nil || wholeVersion(t, s.Path("Lab 3")) != n+1 || s.Versions("Lab 3") != n-2 {
			t.Fatalf("version %d does not come back: %v", n+1, err)
		}
		if err := s.Revert("Lab 3"); err != nil || wholeVersion(t, s.Path("Lab 3")) != n || s.Reverted("Lab 3") != 8-n {
			t.Fatalf("version %d does not come back again, or there are %d after it: %v", n, s.Reverted("Lab 3"), err)
		}
	}
	if err := s.Revert("Lab 3"); err == nil || err.Error() != `There is no version of the map "Lab 3" before this one.` {
		t.Errorf("%v", err)
	}
	for n := 4; n <= 8; n++ {
		if err := s.Advance("Lab 3"); err != nil || wholeVersion(t, s.Path("Lab 3")) != n {
			t.Fatalf("version %d does not come back: %v", n, err)
		}
	}
	if err := s.Advance("Lab 3"); err == nil || err.Error() != `There is no version of the map "Lab 3" after this one.` {
		t.Errorf("%v", err)
	}
	for range 2 {
		if err := s.Revert("Lab 3"); err != nil {
			t.Fatal(err)
		}
	}
	save(t, s, "Lab 3", 9) // it is derived from version 6, so that 7 and 8 are not its ancestors
	if s.Reverted("Lab 3") != 0 {
		t.Errorf("after a new version was saved there are %d after it", s.Reverted("Lab 3"))
	}
	if err := s.Revert("Lab 3"); err != nil || wholeVersion(t, s.Path("Lab 3")) != 6 {
		t.Errorf("%v", err)
	}
}

func TestANameIsCheckedBeforeAMapIsSaved(t *testing.T) {
	s := open(t, t.TempDir())
	save(t, s, "Lab", 1)
	for name, want := range map[string]string{
		"":                      "needs a name",
		"Lab":                   `There is a map with the name "Lab" already. Choose another name.`,
		"lab":                   "already",
		"a/b":                   "may not begin or end with a dot",
		`a\b`:                   "cannot be the name",
		"..":                    "cannot be the name",
		".hidden":               "cannot be the name",
		"dot.":                  "cannot be the name",
		"CON":                   "the name of a device",
		"nul.v2":                "the name of a device",
		"Aux .map":              "the name of a device",
		"com1":                  "the name of a device",
		"LPT²":                  "the name of a device",
		" a":                    "a space at an end",
		"a\nb":                  "cannot be seen",
		strings.Repeat("é", 61): "it may have 60 characters",
		strings.Repeat("世", 67): "too long",
	} {
		err := s.Save(name, false, version(t, 2), used)
		var refusal robot.Refusal
		if !errors.As(err, &refusal) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
	for _, name := range []string{"Labor", "Étage 2 – Süd", "世界", "Console", "COM", "LPT10", "Nullarbor.v2"} {
		save(t, s, name, 2)
		if wholeVersion(t, s.Path(name)) != 2 {
			t.Errorf("%q was not saved", name)
		}
	}
	if err := s.Save("Attic", true, version(t, 2), used); err == nil || !strings.Contains(err.Error(), "no longer exists") {
		t.Errorf("%v", err)
	}
	if wholeVersion(t, s.Path("Lab")) != 1 || s.Versions("Lab") != 0 {
		t.Error("a map was changed by what was refused")
	}
}

func TestAMapOfTheSameNameAsOneThatWasRemovedHasNoVersions(t *testing.T) {
	s := open(t, t.TempDir())
	save(t, s, "Lab", 1)
	save(t, s, "Lab", 2)
	if err := os.RemoveAll(s.Path("Lab")); err != nil {
		t.Fatal(err)
	}
	save(t, s, "Lab", 3)
	if n := s.Versions("Lab"); n != 0 {
		t.Errorf("it has %d", n)
	}
}

// A failingDisk fails at its n-th change, with err; if it was killed, from then on
// as well.
type failingDisk struct {
	n, at  int
	killed bool
	err    error
}

func (d *failingDisk) fail() error {
	d.n++
	if d.n == d.at || d.killed && d.n > d.at {
		return d.err
	}
	return nil
}

func TestAMapIsOneVersionWholeWhateverFailsAndWhenever(t *testing.T) {
	for _, c := range []struct {
		name      string
		before    []int // versions; one below 0 is reverted
		do        func(*Store) error
		old, new  int // version in use; 0 = none
		versions  int // number of earlier versions after success
		killed    bool
		wantError string
	}{
		{"a new map, killed", nil, func(s *Store) error { return s.Save("Lab", false, version(t, 1), used) }, 0, 1, 0, true, ""},
		{"a version, killed", []int{1, 2}, func(s *Store) error { return s.Save("Lab", true, version(t, 3), used) }, 2, 3, 2, true, ""},
		{"a sixth version, killed", []int{1, 2, 3, 4, 5, 6}, func(s *Store) error { return s.Save("Lab", true, version(t, 7), used) }, 6, 7, 5, true, ""},
		{"a revert, killed", []int{1, 2, 3}, func(s *Store) error { return s.Revert("Lab") }, 3, 2, 1, true, ""},
		{"an advance, killed", []int{1, 2, -3}, func(s *Store) error { return s.Advance("Lab") }, 2, 3, 2, true, ""},
		{"an advance, full disk", []int{1, -2}, func(s *Store) error { return s.Advance("Lab") }, 1, 2, 1, false, "The map cannot be brought back: the disk is full."},
		{"a new map, full disk", nil, func(s *Store) error { return s.Save("Lab", false, version(t, 1), used) }, 0, 1, 0, false, "The map cannot be saved: the disk is full."},
		{"a version, full disk", []int{1, 2}, func(s *Store) error { return s.Save("Lab", true, version(t, 3), used) }, 2, 3, 2, false, "The map cannot be saved: the disk is full."},
		{"a revert, full disk", []int{1, 2}, func(s *Store) error { return s.Revert("Lab") }, 2, 1, 0, false, "The map cannot be brought back: the disk is full."},
	} {
		t.Run(c.name, func(t *testing.T) {
			for at := 1; ; at++ {
				dir := t.TempDir()
				s := open(t, dir)
				for _, n := range c.before {
					save(t, s, "Lab", max(n, -n))
					if n < 0 {
						if err := s.Revert("Lab"); err != nil {
							t.Fatal(err)
						}
					}
				}
				disk := &failingDisk{at: at, killed: c.killed, err: &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}}
				s.fail = disk.fail
				err := c.do(s)
				s.fail = nil
				if disk.n < at { // all went well
					if err != nil || wholeVersion(t, s.Path("Lab")) != c.new || s.Versions("Lab") != c.versions || at < 4 {
						t.Fatalf("after %d changes of the disk: %v", at, err)
					}
					break
				}
				if c.wantError != "" && err != nil && !strings.HasPrefix(err.Error(), c.wantError) {
					t.Errorf("change %d fails: %v", at, err)
				}
				if c.killed {
					s = open(t, dir)
				}
				got := 0
				if names, _ := s.Names(); len(names) > 0 {
					got = wholeVersion(t, s.Path("Lab"))
				}
				if got != c.old && got != c.new || err == nil && got != c.new || err != nil && !c.killed && got != c.old && !strings.Contains(c.name, "revert") && !strings.Contains(c.name, "advance") {
					t.Fatalf("change %d fails: version %d is in use, error %v; before it was %d", at, got, err, c.old)
				}
				for _, n := range numbersOf(t, s) {
					wholeVersion(t, s.versionPath("Lab", n))
				}
				for _, e := range entries(t, dir) {
					if e != "Lab" && e != versionsFolder {
						t.Errorf("change %d fails: %s is left", at, e)
					}
				}
				if got == c.old { // it is done again
					if err := c.do(s); err != nil || wholeVersion(t, s.Path("Lab")) != c.new || s.Versions("Lab") != c.versions {
						t.Fatalf("change %d fails: done again: %v, %d versions before it", at, err, s.Versions("Lab"))
					}
				}
			}
		})
	}
}

func TestAMapThatCannotBeTakenIntoUseIsNotSaved(t *testing.T) {
	for _, c := range []struct {
		name   string
		before int // versions
	}{{"a new map", 0}, {"the next version", 2}, {"one version more than are stored", MaxVersions + 1}} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, t.TempDir())
			for n := range c.before {
				save(t, s, "Lab", n+1)
			}
			versions := s.Versions("Lab")
			j := begin(t, s)
			addFrames(t, j, 9)
			v := version(t, 9)
			var err error
			if v.Journal, err = j.Reader(); err != nil {
				t.Fatal(err)
			}
			var there int
			err = s.Save("Lab", c.before > 0, v, func() error {
				there = wholeVersion(t, s.Path("Lab"))
				return robot.Refusef("The robot is moving.")
			})
			if want := "The map is not saved, because it cannot be taken into use: The robot is moving."; err == nil || err.Error() != want || there != 9 {
				t.Errorf("version %d was to be taken into use; saving is answered %v, want %s", there, err, want)
			}
			if c.before == 0 {
				if names, err := s.Names(); err != nil || len(names) != 0 {
					t.Errorf("the maps are %q, %v", names, err)
				}
			} else if got := wholeVersion(t, s.Path("Lab")); got != c.before || s.Versions("Lab") != versions {
				t.Errorf("version %d is there with %d before it, want %d with %d", got, s.Versions("Lab"), c.before, versions)
			}
			if _, contents, err := open(t, s.dir).Resume(ignore); err != nil || contents.KeyFrames != 9 {
				t.Errorf("a program that is killed now continues with %d key frames, %v", contents.KeyFrames, err)
			}
			if err := s.Save("Lab", c.before > 0, v, used); err != nil || wholeVersion(t, s.Path("Lab")) != 9 || s.Versions("Lab") != min(c.before, MaxVersions) {
				t.Errorf("then it is saved with %d versions before it: %v", s.Versions("Lab"), err)
			}
		})
	}
}

func TestAMapThatCouldNotBeReadAgainIsNotSaved(t *testing.T) {
	s := open(t, t.TempDir())
	v := version(t, 1)
	v.Plan.Lines = []robot.Segment{{B: robot.Point{X: 1e6}}}
	if err := s.Save("Lab", false, v, used); err == nil || !strings.Contains(err.Error(), "The map cannot be saved") || !strings.Contains(err.Error(), "lines.geojson") {
		t.Errorf("saving is answered %v", err)
	}
	if got := entries(t, s.dir); len(got) != 0 {
		t.Errorf("%q are left", got)
	}
	save(t, s, "Lab", 1)
}

func numbersOf(t *testing.T, s *Store) []int {
	t.Helper()
	numbers, err := listNumbers(s.versionsPath("Lab"))
	if err != nil {
		t.Fatal(err)
	}
	return numbers
}

func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}
