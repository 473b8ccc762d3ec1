// Command mutants measures how much the tests of a package notice. It inverts comparisons,
// bounds and negations, one at a time, and runs the package's own tests on each: a mutant that
// survives is a fault that the tests would miss.
//
//	go run -C tools ./mutants                 all packages
//	go run -C tools ./mutants robot/onboard   this one, or these files
//	go run -C tools ./mutants -sample 40      at most 40 mutants of a file
//
// A sample is spread evenly over a file and is the same each time; safety files are always
// examined completely. The command fails if fewer mutants are killed than the package's bound,
// or if the package's own tests never run a line of a safety file. A mutant that behaves like
// the code is no fault; equivalent.txt lists such mutants, each with its reason. The sources
// are not changed: the compiler gets the mutants as an overlay.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// How many of 100 mutants the tests of a package must kill: in packages on which people's
// safety depends, and elsewhere.
const (
	minSafetyScore = 95
	minScore       = 90
)

// A testedPackage is a package, and its files to examine.
type testedPackage struct {
	folder string // from the module's root
	files  []string
	slow   string // tests that only run on mutants that survived the others; a pattern
	safety bool   // the files decide what moves
}

// minScore returns how many of 100 mutants the package's tests must kill.
func (r testedPackage) minScore() float64 {
	if r.safety {
		return minSafetyScore
	}
	return minScore
}

func testedPackages() []testedPackage {
	return []testedPackage{
		{folder: "robot", files: []string{"twist.go"}, safety: true},
		{
			folder: "robot/onboard", safety: true, files: []string{"core.go", "arrival.go", "take_reading.go", "velocity_request.go"},
			slow: "^(TestTheHullNeverTouchesAWall|TestARecklessDriverTouchesNothingInAnOfficeWithoutPeople|TestTheEstimateOfTheWholeRobotIsHonest)$",
		},
		{folder: "robot/guard", files: []string{"footprint.go", "guard.go", "sonar_memory.go"}, safety: true},
		{folder: "robot/obstacle", safety: true, slow: "^(TestTheLayerOfAHallIsAlwaysTheSame|TestWhoWalksIsFollowed|TestWhatStandsNeverMoves)$", files: []string{
			"bumper.go", "field.go", "layer.go", "raster.go", "scans.go", "sonars.go", "tracker.go",
		}},
		{
			folder: "robot/rollout", safety: true, files: []string{"aside.go", "controller.go", "hull.go", "judge.go", "rollout.go", "terms.go"},
			slow: "^(TestNoChoiceLeadsIntoWhatStands|TestPassing|TestRobotsOfOtherSizesAndSpeedsDoTheSame)$",
		},
		{folder: "robot/behavior", files: []string{"machine.go"}, safety: true},
		{folder: "drivers/base/firmware", files: []string{"base.go"}, safety: true},
		{folder: "drivers/base/protocol", files: []string{"decode.go", "encode.go", "line.go"}},
		{folder: "drivers/sim", files: []string{"world.go"}, safety: true},
		{folder: "session/lease", safety: true, files: []string{"gate.go", "lease.go"}},
		{folder: "session", safety: true, files: []string{"handover.go", "order.go"}},
		{folder: "robot/playout", slow: "^TestARoomThatSaysAnythingLeadsNoFartherThanItMay$", files: []string{
			"controller.go", "detour.go", "jitter.go", "motion.go", "path.go", "player.go", "queue.go", "sample.go", "silence.go",
			"start.go",
		}},
		{folder: "session/access", files: []string{"authenticator.go"}},
		{folder: "handlers", files: []string{
			"caller.go", "cookie.go", "gate.go", "jobs.go", "limits.go", "map.go", "motions.go", "pair.go", "places.go", "queue.go",
			"rtc.go", "screen.go", "frame_pump.go", "user.go", "voice.go", "websocket.go", "whep.go",
		}},
		{folder: "jobs", files: []string{"check.go", "job.go", "legal.go", "parse.go", "run.go", "step.go"}},
		{folder: "store", files: []string{"job.go", "motion.go", "store.go"}},
		{folder: "store/audit", files: []string{"log.go"}},
		{folder: "localization", files: []string{
			"cloud.go", "drift.go", "health.go", "likelihood.go", "mcl.go", "observation.go", "odometry.go", "relocalizer.go", "seed.go",
			"table.go", "trip.go", "trust.go", "walls.go",
		}},
		{folder: "pathplan", slow: "^(TestNoHullIsOverAWallOnAnyRoute|TestBenchmarkScenariosHaveTheKnownOctileLength)$", files: []string{
			"band.go", "clearance.go", "field.go", "follow.go", "graph.go", "heap.go", "jps.go", "landmark.go", "lane.go", "leaf.go",
			"planner.go", "route.go", "taut.go",
		}},
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

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	sample := flags.Int("sample", 0, "examine at most `N` mutants of a file that is not about safety; 0 = all")
	if err := flags.Parse(args); err != nil {
		return err
	}
	wanted := flags.Args()
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	known, err := readEquivalents(root)
	if err != nil {
		return err
	}
	picked, err := pickPackages(testedPackages(), wanted)
	if err != nil {
		return err
	}
	var faults []string
	for _, r := range picked {
		found, err := examinePackage(ctx, root, r, known, *sample)
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

// pickPackages returns the wanted packages and files; all if none are named.
func pickPackages(all []testedPackage, wanted []string) ([]testedPackage, error) {
	if len(wanted) == 0 {
		return all, nil
	}
	var picked []testedPackage
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
			return nil, fmt.Errorf("%q is not among the packages that are examined; it should be one of them, or one of their files:\n%s", w, listPackages(all))
		}
	}
	return picked, nil
}

func listPackages(all []testedPackage) string {
	var text strings.Builder
	for _, r := range all {
		fmt.Fprintf(&text, "  %s: %s\n", r.folder, strings.Join(r.files, ", "))
	}
	return text.String()
}

// spreadMutants returns at most n of the mutants, evenly spread; all if n is 0.
func spreadMutants(found []mutant, n int) []mutant {
	if n == 0 || len(found) <= n {
		return found
	}
	picked := make([]mutant, n)
	for i := range picked {
		picked[i] = found[(2*i+1)*len(found)/(2*n)]
	}
	return picked
}

// examinePackage tries the mutants of a package and returns the gaps of its tests.
func examinePackage(ctx context.Context, root string, r testedPackage, known excuses, sample int) ([]string, error) {
	runner, err := newTestRunner(root, r)
	if err != nil {
		return nil, err
	}
	defer runner.removeFiles()
	unrun, err := runner.measureBaseline(ctx)
	if err != nil {
		return nil, err
	}
	var all []mutant
	exist := map[string]bool{}
	for _, f := range r.files {
		src, err := os.ReadFile(filepath.Join(root, r.folder, f))
		if err != nil {
			return nil, err
		}
		found, err := findMutants(path.Join(r.folder, f), src)
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			exist[m.String()] = true
		}
		if !r.safety {
			found = spreadMutants(found, sample)
		}
		all = append(all, found...)
	}
	if err := runner.buildMutants(ctx, all); err != nil {
		return nil, err
	}
	fates, err := runner.tryAll(ctx, all, func(m mutant, f fate) {
		if f == lived && !known[m.String()] {
			fmt.Printf("lived, line %d: %s\n", m.line, m)
		}
	})
	if err != nil {
		return nil, err
	}

	var faults []string
	if r.safety {
		faults = unrun
	}
	tallies := map[string]*tally{}
	for i, m := range all {
		t := tallies[m.file]
		if t == nil {
			t = &tally{}
			tallies[m.file] = t
		}
		excused := known[m.String()]
		t.noteFate(fates[i], excused)
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
			whole.addTally(*t)
		}
		for m := range known {
			if known.isIn(m, file) && !exist[m] {
				faults = append(faults, fmt.Sprintf("%s excuses %q, which is no mutant any more; strike it", listed, m))
			}
		}
	}
	fmt.Printf("%-28s %s\n\n", r.folder, &whole)
	if whole.score() < r.minScore() {
		faults = append(faults, fmt.Sprintf("%s: the tests kill %.1f of 100 mutants; it should be %.0f", r.folder, whole.score(), r.minScore()))
	}
	return faults, nil
}

// A tally counts the fates of mutants.
type tally struct{ killed, lived, equivalent int }

func (t *tally) noteFate(f fate, excused bool) {
	switch {
	case f == killed:
		t.killed++
	case f == lived && excused:
		t.equivalent++
	case f == lived:
		t.lived++
	}
}

func (t *tally) addTally(u tally) {
	t.killed += u.killed
	t.lived += u.lived
	t.equivalent += u.equivalent
}

// score returns how many of 100 mutants that change the behavior were killed.
func (t *tally) score() float64 {
	if t.killed+t.lived == 0 {
		return 100
	}
	return 100 * float64(t.killed) / float64(t.killed+t.lived)
}

func (t *tally) String() string {
	return fmt.Sprintf("%8d %8d %8d %10d %8.1f", t.killed+t.lived+t.equivalent, t.killed, t.lived, t.equivalent, t.score())
}
