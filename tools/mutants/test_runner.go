package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// fate is the outcome of a mutant.
type fate int

const (
	lived  fate = iota
	killed      // a test failed, crashed or never ended
	unborn      // it does not compile
	untried
)

// A testRunner builds and runs the tests of one package.
type testRunner struct {
	root  string
	pkg   testedPackage
	dir   string        // for build output
	flags []string      // of every test run
	most  time.Duration // longest time of a test run

	switched string // a test binary that can be any of most mutants
	ids      []int  // the number of a mutant in it, by its index
}

func newTestRunner(root string, r testedPackage) (*testRunner, error) {
	dir, err := os.MkdirTemp("", "mybot-mutants-")
	if err != nil {
		return nil, err
	}
	return &testRunner{root: root, pkg: r, dir: dir, flags: []string{"-test.failfast"}}, nil
}

func (t *testRunner) removeFiles() { _ = os.RemoveAll(t.dir) }

// measureBaseline runs the package's tests on the unchanged code. It measures their duration,
// and returns the lines of the package's files that they never run.
func (t *testRunner) measureBaseline(ctx context.Context) ([]string, error) {
	binary, profile := filepath.Join(t.dir, "covered"), filepath.Join(t.dir, "profile")
	if out, err := t.buildTests(ctx, binary, "-cover"); err != nil {
		return nil, fmt.Errorf("the tests do not compile: %w\n%s", err, out)
	}
	if help, _ := t.runTests(ctx, 0, binary, "-help"); strings.Contains(help, "-rapid.nofailfile") {
		t.flags = append(t.flags, "-rapid.nofailfile") // do not store these failures
	}
	began := time.Now()
	if out, err := t.runTests(ctx, 0, binary, append(t.flags, "-test.coverprofile="+profile)...); err != nil {
		return nil, fmt.Errorf("the tests fail before anything is changed: %w\n%s", err, out)
	}
	t.most = 10*time.Second + 5*time.Since(began)
	text, err := os.ReadFile(profile)
	if err != nil {
		return nil, err
	}
	return t.findUnrun(string(text))
}

// buildMutants builds one test binary with a switch for every boolean mutant. If that does not
// compile, each mutant is built separately.
func (t *testRunner) buildMutants(ctx context.Context, all []mutant) error {
	t.ids = make([]int, len(all))
	for i := range all {
		t.ids[i] = i + 1
	}
	replace := map[string]string{}
	write := func(file string, text []byte) error {
		to := filepath.Join(t.dir, fmt.Sprintf("switch%d.go", len(replace)))
		replace[filepath.Join(t.root, t.pkg.folder, file)] = to
		return os.WriteFile(to, text, 0o644)
	}
	pkg := ""
	for _, f := range t.pkg.files {
		src, err := os.ReadFile(filepath.Join(t.root, t.pkg.folder, f))
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), f, src, parser.PackageClauseOnly)
		if err != nil {
			return err
		}
		pkg = tree.Name.Name
		var found []mutant
		var ids []int
		for i, m := range all {
			if m.file == path.Join(t.pkg.folder, f) {
				found, ids = append(found, m), append(ids, t.ids[i])
			}
		}
		if err := write(f, withSwitches(src, found, ids)); err != nil {
			return err
		}
	}
	if err := write("mutant_chosen.go", switchFile(pkg)); err != nil {
		return err
	}
	plan, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return err
	}
	overlay, binary := filepath.Join(t.dir, "switched.json"), filepath.Join(t.dir, "switched")
	if err := os.WriteFile(overlay, plan, 0o644); err != nil {
		return err
	}
	if out, err := t.buildTests(ctx, binary, "-overlay", overlay); err != nil {
		fmt.Printf("%s: each mutant is built on its own, since the switches do not compile:\n%s\n", t.pkg.folder, out)
		return ctx.Err()
	}
	if out, err := t.runTests(ctx, 0, binary, append(t.flags, "-test.timeout", t.most.String())...); err != nil {
		fmt.Printf("%s: each mutant is built on its own, since the tests fail with switches:\n%s\n", t.pkg.folder, out)
		return ctx.Err()
	}
	t.switched = binary
	return nil
}

// findUnrun parses a coverage profile: lines of "file:line.column,line.column statements
// count".
func (t *testRunner) findUnrun(profile string) ([]string, error) {
	var faults []string
	for _, f := range t.pkg.files {
		var all, run int
		for line := range strings.Lines(profile) {
			_, span, ok := strings.Cut(line, "/"+t.pkg.folder+"/"+f+":")
			if !ok {
				continue
			}
			fields := strings.Fields(span)
			if len(fields) != 3 {
				return nil, fmt.Errorf("the coverage profile has the line %q; it should have a place and two numbers", line)
			}
			statements, err := strconv.Atoi(fields[1])
			if err != nil {
				return nil, err
			}
			all += statements
			if fields[2] != "0" {
				run += statements
				continue
			}
			faults = append(faults, fmt.Sprintf("%s/%s:%s is never run", t.pkg.folder, f, fields[0]))
		}
		if all == 0 {
			return nil, fmt.Errorf("%s is not in the coverage profile", f)
		}
		fmt.Printf("%-28s %5.1f %% of %d statements run\n", t.pkg.folder+"/"+f, 100*float64(run)/float64(all), all)
	}
	return faults, nil
}

// tryAll tries every mutant, as many at a time as there are cores, and calls tell with each
// outcome.
func (t *testRunner) tryAll(ctx context.Context, all []mutant, tell func(mutant, fate)) ([]fate, error) {
	fates, faults := make([]fate, len(all)), make([]error, len(all))
	for i := range fates {
		fates[i] = untried
	}
	next := make(chan int)
	var workers sync.WaitGroup
	for w := range runtime.NumCPU() {
		workers.Go(func() {
			for i := range next {
				fates[i], faults[i] = t.tryMutant(ctx, filepath.Join(t.dir, strconv.Itoa(w)), all[i], t.ids[i])
				tell(all[i], fates[i])
			}
		})
	}
	for i := range all {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	return fates, errors.Join(append(faults, ctx.Err())...)
}

// tryMutant runs the package's tests on one mutant, the quick ones first.
func (t *testRunner) tryMutant(ctx context.Context, dir string, m mutant, id int) (fate, error) {
	binary := t.switched
	if !m.truth || binary == "" {
		var err error
		if binary, err = t.buildAlone(ctx, dir, m); err != nil || binary == "" {
			return unborn, errors.Join(err, ctx.Err())
		}
	}
	runs := [][]string{nil}
	if t.pkg.slow != "" {
		runs = [][]string{{"-test.skip", t.pkg.slow}, {"-test.run", t.pkg.slow}}
	}
	for _, flags := range runs {
		flags = append(flags, "-test.timeout", t.most.String())
		if _, err := t.runTests(ctx, id, binary, append(flags, t.flags...)...); err != nil {
			return killed, ctx.Err()
		}
	}
	return lived, nil
}

// buildAlone builds the package's tests with one mutant; "" if it does not compile.
func (t *testRunner) buildAlone(ctx context.Context, dir string, m mutant) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	source, overlay, binary := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "tests")
	plan, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(t.root, m.file): source}})
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.WriteFile(source, m.source, 0o644), os.WriteFile(overlay, plan, 0o644)); err != nil {
		return "", err
	}
	if _, err := t.buildTests(ctx, binary, "-overlay", overlay); err != nil {
		return "", nil
	}
	return binary, nil
}

func (t *testRunner) buildTests(ctx context.Context, binary string, flags ...string) (string, error) {
	args := append([]string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", binary}, flags...)
	return outputOf(exec.CommandContext(ctx, "go", append(args, "./"+t.pkg.folder)...), t.root)
}

// runTests runs a test binary as mutant id, or as the unchanged code if id is 0. Property tests
// use one seed, so that the fate of a mutant is reproducible.
func (t *testRunner) runTests(ctx context.Context, id int, binary string, flags ...string) (string, error) {
	c := exec.CommandContext(ctx, binary, flags...)
	c.Env = append(os.Environ(), chosenEnv+"="+strconv.Itoa(id), "RAPID_SEED=1")
	return outputOf(c, filepath.Join(t.root, t.pkg.folder))
}

func outputOf(c *exec.Cmd, dir string) (string, error) {
	var out bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = dir, &out, &out
	err := c.Run()
	return out.String(), err
}
