// Package folder stores the maps that people make with the robot: a folder for each,
// its earlier versions, and the journal of the map in progress.
//
//	DIR/NAME/                       the map: a map folder like any other, and in it
//	DIR/NAME/mapping/journal        key frames and poses, needed to extend the map
//	DIR/NAME/mapping/edits.json     a person's edits of it
//	DIR/.versions/NAME/N/           earlier versions, the highest number is the newest
//	DIR/.versions/NAME/reverted/N/  reverted versions, the highest number is the last
//	DIR/.journal                    of the map in progress
//
// Whatever ends the program, and whenever, a map is completely the old version or the
// new one: a version is written beside it and moved into its place, and Open restores
// what was moved away for a version that did not arrive.
//
// One goroutine uses a Store. Another goroutine than the one that appends to a Journal
// may sync it.
package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"

	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/store/atomicfile"
)

// Limits of the store.
const (
	MaxVersions = 5  // of a map that are stored beside the one in use
	MaxName     = 60 // characters

	mappingFolder  = "mapping"
	journalFile    = "journal"
	editsFile      = "edits.json"
	versionsFolder = ".versions"
	inProgress     = ".journal"
	damagedFile    = ".journal.damaged"
	stagingFolder  = ".saving"
	nextSuffix     = ".next"  // of a new version being moved in; the map's name precedes it
	backSuffix     = ".back"  // of an old version being restored
	afterSuffix    = ".after" // of a reverted version being restored
	revertedFolder = "reverted"
)

// A Store is the folder of all maps.
type Store struct {
	dir  string
	fail func() error // nil; a test uses it to make changes of the disk fail
}

// Open prepares the folder dir, which need not exist, and repairs what a killed
// program has left.
func Open(dir string) (*Store, error) {
	s := &Store{dir: dir}
	if err := s.repairMaps(); err != nil {
		return nil, fmt.Errorf("maps: %w", err)
	}
	return s, nil
}

// changeDisk makes one change on the disk.
func (s *Store) changeDisk(change func() error) error {
	if s.fail != nil {
		if err := s.fail(); err != nil {
			return err
		}
	}
	return change()
}

// moveFolder moves a folder, on the same disk.
func (s *Store) moveFolder(from, to string) error {
	return s.changeDisk(func() error {
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.Rename(from, to); err != nil {
			return err
		}
		return errors.Join(s.syncUp(filepath.Dir(from)), s.syncUp(filepath.Dir(to)))
	})
}

// syncUp makes sure that the names in a folder of the store, and in its parents,
// have reached the disk.
func (s *Store) syncUp(dir string) error {
	err := atomicfile.SyncDir(dir)
	for dir != s.dir && err == nil {
		dir = filepath.Dir(dir)
		err = atomicfile.SyncDir(dir)
	}
	return err
}

func (s *Store) removeFolder(path string) error {
	return s.changeDisk(func() error { return os.RemoveAll(path) })
}

// Path returns the map folder of a saved map.
func (s *Store) Path(name string) string { return filepath.Join(s.dir, name) }

func (s *Store) nextPath(name string) string { return filepath.Join(s.dir, "."+name+nextSuffix) }

func (s *Store) afterPath(name string) string { return filepath.Join(s.dir, "."+name+afterSuffix) }

func (s *Store) backPath(name string) string { return filepath.Join(s.dir, "."+name+backSuffix) }

func (s *Store) versionsPath(name string) string { return filepath.Join(s.dir, versionsFolder, name) }

// Names returns the names of all maps, sorted.
func (s *Store) Names() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("maps: %w", err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Versions returns the number of versions before the one in use.
func (s *Store) Versions(name string) int {
	numbers, _ := listNumbers(s.versionsPath(name))
	return len(numbers)
}

// Reverted returns the number of versions that Advance can restore.
func (s *Store) Reverted(name string) int {
	numbers, _ := listNumbers(s.revertedPath(name))
	return len(numbers)
}

func (s *Store) revertedPath(name string) string {
	return filepath.Join(s.versionsPath(name), revertedFolder)
}

// listNumbers returns the numbers of the versions in a folder, newest last.
func listNumbers(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var numbers []int
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && n > 0 {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

func (s *Store) versionPath(name string, n int) string { return numberedPath(s.versionsPath(name), n) }

func numberedPath(dir string, n int) string { return filepath.Join(dir, strconv.Itoa(n)) }

// CheckName says why a new map may not have a name; nil = it may. The error is a
// sentence for people.
func (s *Store) CheckName(name string) error {
	const forbidden = `/\:*?"<>|`
	switch {
	case name == "":
		return robot.Refusef("The map needs a name.")
	case utf8.RuneCountInString(name) > MaxName || len(name) > 200:
		return robot.Refusef("The name of the map is too long: it may have %d characters.", MaxName)
	case !floorplan.IsName(name, MaxName):
		return robot.Refusef("The name of the map has a space at an end, or a character that cannot be seen.")
	case strings.ContainsAny(name, forbidden) || strings.HasPrefix(name, ".") || strings.HasSuffix(name, "."):
		return robot.Refusef("%q cannot be the name of a map: it becomes the name of a folder, so it may not begin or end with a dot or have one of %s", name, forbidden)
	case isDevice(name):
		return robot.Refusef("%q cannot be the name of a map: it becomes the name of a folder, and on Windows this is the name of a device. Choose another name.", name)
	}
	names, err := s.Names()
	if err != nil {
		return ExplainDisk("saved", err)
	}
	for _, other := range names {
		if strings.EqualFold(other, name) { // some disks ignore case
			return robot.Refusef("There is a map with the name %q already. Choose another name.", other)
		}
	}
	return nil
}

// isDevice reports whether Windows takes a file of that name for a device, as it does
// whatever follows a dot. Folders of maps move between computers.
func isDevice(name string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch base = strings.TrimRight(base, " "); base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	port, number := strings.CutPrefix(base, "COM")
	if !number {
		port, number = strings.CutPrefix(base, "LPT")
	}
	return number && utf8.RuneCountInString(port) == 1 && strings.Contains("0123456789¹²³", port)
}

// ExplainDisk converts an error of the disk to a sentence for people.
func ExplainDisk(done string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return robot.Refusef("The map cannot be %s: the disk is full. Free some space and try again.", done)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return robot.Refusef("The map cannot be %s: this program may not write to the folder of the maps (%v).", done, err)
	}
	return robot.Refusef("The map cannot be %s: %v.", done, err)
}

// A Version is the content of a version of a map.
type Version struct {
	Plan    *robot.Floorplan
	Edits   []byte        // of the draft, encoded by their owner; nil = none
	Journal io.ReadSeeker // of the map; nil = it cannot be extended
	Poses   []robot.Pose  // of base_link in map, at the remaining key frames of the journal
}

// Save saves a new map, or with extend the next version of an existing one, takes
// it into use by calling use, and ends its journal. The error is a sentence for
// people, and then nothing has changed.
func (s *Store) Save(name string, extend bool, v Version, use func() error) error {
	if !extend {
		if err := s.CheckName(name); err != nil {
			return err
		}
	} else if _, err := os.Stat(s.Path(name)); err != nil {
		return robot.Refusef("The map %q cannot be extended: it no longer exists. Save it under another name.", name)
	}
	if err := s.save(name, extend, v); err != nil {
		return ExplainDisk("saved", errors.Join(err, s.repairMaps()))
	}
	if err := use(); err != nil {
		return robot.Refusef("The map is not saved, because it cannot be taken into use: %v", errors.Join(err, s.undoArrived(name)))
	}
	s.pruneVersions(name)
	_ = s.removeFolder(filepath.Join(s.dir, inProgress)) // otherwise Resume sees that it was saved
	return nil
}

func (s *Store) save(name string, extend bool, v Version) error {
	staging := filepath.Join(s.dir, stagingFolder)
	if err := s.removeFolder(staging); err != nil {
		return err
	}
	if !extend { // versions of a map that a person deleted do not belong to this one
		if err := s.removeFolder(s.versionsPath(name)); err != nil {
			return err
		}
	}
	if err := s.writeVersion(staging, v); err != nil {
		return err
	}
	if err := s.moveFolder(staging, s.nextPath(name)); err != nil {
		return err
	}
	if _, err := os.Stat(s.Path(name)); err == nil {
		numbers, err := listNumbers(s.versionsPath(name))
		if err != nil {
			return err
		}
		if err := s.moveFolder(s.Path(name), s.versionPath(name, newestVersion(numbers)+1)); err != nil {
			return err
		}
	}
	return s.moveFolder(s.nextPath(name), s.Path(name))
}

func newestVersion(numbers []int) int {
	if len(numbers) == 0 {
		return 0
	}
	return numbers[len(numbers)-1]
}

// writeVersion writes a version into an empty folder.
func (s *Store) writeVersion(dir string, v Version) error {
	if err := s.changeDisk(func() error { return floorplan.WriteFolder(dir, v.Plan) }); err != nil {
		return err
	}
	if _, err := floorplan.Load(os.DirFS(dir)); err != nil { // a map that cannot be read again would be lost
		return err
	}
	if v.Journal == nil {
		return nil
	}
	return s.changeDisk(func() error { return WriteMapping(dir, v.Journal, v.Poses, v.Edits) })
}

// undoArrived undoes a Save whose version is in its place.
func (s *Store) undoArrived(name string) error {
	return errors.Join(s.moveFolder(s.Path(name), s.nextPath(name)), s.undoSave(name))
}

// pruneVersions deletes the oldest versions, and reverted ones when a new version was
// saved.
func (s *Store) pruneVersions(name string) {
	_ = s.removeFolder(s.revertedPath(name)) // otherwise Advance could restore what the new version does not descend from
	numbers, err := listNumbers(s.versionsPath(name))
	for err == nil && len(numbers) > MaxVersions {
		err = s.removeFolder(s.versionPath(name, numbers[0]))
		numbers = numbers[1:]
	}
}

// Revert restores the previous version. Advance restores the one in use, until a
// new version is saved. The error is a sentence for people.
func (s *Store) Revert(name string) error {
	numbers, err := listNumbers(s.versionsPath(name))
	if err == nil && len(numbers) == 0 {
		return robot.Refusef("There is no version of the map %q before this one.", name)
	}
	var reverted []int
	if err == nil {
		reverted, err = listNumbers(s.revertedPath(name))
	}
	if err == nil {
		err = s.replaceMap(name, s.versionPath(name, newestVersion(numbers)), s.backPath(name), numberedPath(s.revertedPath(name), newestVersion(reverted)+1))
	}
	return s.refuseReturn(err)
}

// Advance restores the version that Revert replaced last. The error is a sentence
// for people.
func (s *Store) Advance(name string) error {
	reverted, err := listNumbers(s.revertedPath(name))
	if err == nil && len(reverted) == 0 {
		return robot.Refusef("There is no version of the map %q after this one.", name)
	}
	var numbers []int
	if err == nil {
		numbers, err = listNumbers(s.versionsPath(name))
	}
	if err == nil {
		err = s.replaceMap(name, numberedPath(s.revertedPath(name), newestVersion(reverted)), s.afterPath(name), s.versionPath(name, newestVersion(numbers)+1))
	}
	return s.refuseReturn(err)
}

// replaceMap replaces the map by a version, via a folder that repairMaps recognizes,
// and moves the map away.
func (s *Store) replaceMap(name, from, way, to string) error {
	for _, m := range [][2]string{{from, way}, {s.Path(name), to}, {way, s.Path(name)}} {
		if err := s.moveFolder(m[0], m[1]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) refuseReturn(err error) error {
	if err == nil {
		return nil
	}
	return ExplainDisk("brought back", errors.Join(err, s.repairMaps()))
}

// repairMaps undoes an incomplete Save, and completes an incomplete Revert or Advance.
func (s *Store) repairMaps() error {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		hidden, isHidden := strings.CutPrefix(e.Name(), ".")
		if name, ok := strings.CutSuffix(hidden, nextSuffix); ok && isHidden {
			err = errors.Join(err, s.undoSave(name))
		}
		if name, ok := strings.CutSuffix(hidden, backSuffix); ok && isHidden {
			err = errors.Join(err, s.endReplace(name, s.backPath(name), s.versionsPath(name)))
		}
		if name, ok := strings.CutSuffix(hidden, afterSuffix); ok && isHidden {
			err = errors.Join(err, s.endReplace(name, s.afterPath(name), s.revertedPath(name)))
		}
	}
	return errors.Join(err, s.removeFolder(filepath.Join(s.dir, stagingFolder)))
}

// undoSave restores the version that was moved away, and deletes the incomplete
// one.
func (s *Store) undoSave(name string) error {
	numbers, err := listNumbers(s.versionsPath(name))
	if err != nil {
		return err
	}
	if _, err := os.Stat(s.Path(name)); errors.Is(err, fs.ErrNotExist) && len(numbers) > 0 {
		if err := s.moveFolder(s.versionPath(name, newestVersion(numbers)), s.Path(name)); err != nil {
			return err
		}
	}
	return s.removeFolder(s.nextPath(name))
}

// endReplace moves a version in transit into the place of the map, or back to its
// folder as the newest.
func (s *Store) endReplace(name, way, from string) error {
	if _, err := os.Stat(s.Path(name)); errors.Is(err, fs.ErrNotExist) {
		return s.moveFolder(way, s.Path(name))
	}
	numbers, err := listNumbers(from)
	if err != nil {
		return err
	}
	return s.moveFolder(way, numberedPath(from, newestVersion(numbers)+1))
}
