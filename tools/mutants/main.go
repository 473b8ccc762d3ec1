// Command mutants asks how much the tests of the rooms that keep people safe
// notice. It turns their comparisons, bounds and negations round, one at a
// time, and runs the room's tests on each: a mutant that the tests let live is
// a fault that they would let pass.
//
//	go run -C tools ./mutants                 all rooms
//	go run -C tools ./mutants robot/onboard   this one, or these files
//
// It fails when a line of these files is never run by the room's own tests, or
// when fewer than 95 of 100 mutants are killed. What behaves as the code does
// is no fault; equivalent.txt lists such mutants, each with its reason. The
// sources are left alone: the compiler gets the mutants as an overlay.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// least is how many of 100 mutants the tests of a room have to kill.
const least = 95

// A room is a package, and the files in it that decide what moves.
type room struct {
	folder string // from the module's root
	files  []string
	slow   string // tests that only look at what the others let live; a pattern
}

func rooms() []room {
	return []room{
		{folder: "robot", files: []string{"twist.go"}},
		{
			folder: "robot/onboard", files: []string{"wish.go", "core.go", "guard.go", "hull.go", "memory.go"},
			slow: "^(TestTheHullNeverTouchesAWall|TestARecklessHandTouchesNothingInTheOffice|TestTheEstimateOfTheWholeRobotIsHonest)$",
		},
		{folder: "drivers/sim", files: []string{"world.go"}},
		{
			folder: "session", files: []string{"gate.go", "lease.go", "handover.go"},
			slow: "^TestWhateverHappensControlPassesOnAsItShould$",
		},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, wanted []string) error {
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	known, err := equivalents(root)
	if err != nil {
		return err
	}
	picked, err := pick(rooms(), wanted)
	if err != nil {
		return err
	}
	var faults []string
	for _, r := range picked {
		found, err := examine(ctx, root, r, known)
		if err != nil {
			return fmt.Errorf("%s: %w", r.folder, err)
		}
		faults = append(faults, found...)
	}
	if len(faults) > 0 {
		return fmt.Errorf("the tests are too weak:\n  %s", strings.Join(faults, "\n  "))
	}
	return nil
}

// pick returns the rooms and files that are wanted; all when nothing is named.
func pick(all []room, wanted []string) ([]room, error) {
	if len(wanted) == 0 {
		return all, nil
	}
	var picked []room
	for _, w := range wanted {
		n := len(picked)
		for _, r := range all {
			if w == r.folder {
				picked = append(picked, r)
			} else if path.Dir(w) == r.folder && slices.Contains(r.files, path.Base(w)) {
				r.files = []string{path.Base(w)}
				picked = append(picked, r)
			}
		}
		if len(picked) == n {
			return nil, fmt.Errorf("%q is not among the rooms that are examined; it should be one of them, or one of their files:\n%s", w, list(all))
		}
	}
	return picked, nil
}

func list(all []room) string {
	var text strings.Builder
	for _, r := range all {
		fmt.Fprintf(&text, "  %s: %s\n", r.folder, strings.Join(r.files, ", "))
	}
	return text.String()
}

// examine tries every mutant of a room and returns what its tests lack.
func examine(ctx context.Context, root string, r room, known excuses) ([]string, error) {
	lab, err := newLab(root, r)
	if err != nil {
		return nil, err
	}
	defer lab.close()
	unrun, err := lab.baseline(ctx)
	if err != nil {
		return nil, err
	}
	var all []mutant
	for _, f := range r.files {
		src, err := os.ReadFile(filepath.Join(root, r.folder, f))
		if err != nil {
			return nil, err
		}
		found, err := mutants(path.Join(r.folder, f), src)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	fates, err := lab.tryAll(ctx, all, func(m mutant, f fate) {
		if f == lived && !known[m.String()] {
			fmt.Printf("lived, line %d: %s\n", m.line, m)
		}
	})
	if err != nil {
		return nil, err
	}

	faults := unrun
	tallies, names := map[string]*tally{}, map[string]bool{}
	for i, m := range all {
		t := tallies[m.file]
		if t == nil {
			t = &tally{}
			tallies[m.file] = t
		}
		excused := known[m.String()]
		names[m.String()] = true
		t.note(fates[i], excused)
		if fates[i] == killed && excused {
			faults = append(faults, fmt.Sprintf("%s is killed, so it is not equivalent; strike it from %s", m, listed))
		}
	}
	whole := tally{}
	fmt.Printf("\n%-28s %8s %8s %8s %10s %8s\n", "", "mutants", "killed", "lived", "equivalent", "of 100")
	for _, f := range r.files {
		file := path.Join(r.folder, f)
		if t := tallies[file]; t != nil {
			fmt.Printf("%-28s %s\n", file, t)
			whole.add(*t)
		}
		for m := range known {
			if known.in(m, file) && !names[m] {
				faults = append(faults, fmt.Sprintf("%s excuses %q, which is no mutant any more; strike it", listed, m))
			}
		}
	}
	fmt.Printf("%-28s %s\n\n", r.folder, &whole)
	if whole.score() < least {
		faults = append(faults, fmt.Sprintf("%s: the tests kill %.1f of 100 mutants; it should be %d", r.folder, whole.score(), least))
	}
	return faults, nil
}

// A tally counts what became of mutants.
type tally struct{ killed, lived, equivalent int }

func (t *tally) note(f fate, excused bool) {
	switch {
	case f == killed:
		t.killed++
	case f == lived && excused:
		t.equivalent++
	case f == lived:
		t.lived++
	}
}

func (t *tally) add(u tally) {
	t.killed += u.killed
	t.lived += u.lived
	t.equivalent += u.equivalent
}

// score returns how many of 100 mutants that change what the code does were
// killed.
func (t *tally) score() float64 {
	if t.killed+t.lived == 0 {
		return 100
	}
	return 100 * float64(t.killed) / float64(t.killed+t.lived)
}

func (t *tally) String() string {
	return fmt.Sprintf("%8d %8d %8d %10d %8.1f", t.killed+t.lived+t.equivalent, t.killed, t.lived, t.equivalent, t.score())
}
