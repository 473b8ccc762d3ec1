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

// fate is what became of a mutant.
type fate int

const (
	lived  fate = iota
	killed      // a test failed, crashed or never ended
	unborn      // it does not compile
	untried
)

// A lab builds and runs the tests of one room.
type lab struct {
	root  string
	room  room
	dir   string        // for what it builds
	flags []string      // of every test run
	most  time.Duration // for one test run

	switched string // a test binary that can be each of most mutants
	ids      []int  // the number by which it knows a mutant, by its index
}

func newLab(root string, r room) (*lab, error) {
	dir, err := os.MkdirTemp("", "mybot-mutants-")
	if err != nil {
		return nil, err
	}
	return &lab{root: root, room: r, dir: dir, flags: []string{"-test.failfast"}}, nil
}

func (l *lab) close() { _ = os.RemoveAll(l.dir) }

// baseline runs the room's tests on the code as it is. It measures how long
// they take, and tells which lines of the room's files they never run.
func (l *lab) baseline(ctx context.Context) ([]string, error) {
	binary, profile := filepath.Join(l.dir, "covered"), filepath.Join(l.dir, "profile")
	if out, err := l.build(ctx, binary, "-cover"); err != nil {
		return nil, fmt.Errorf("the tests do not compile: %w\n%s", err, out)
	}
	if help, _ := l.run(ctx, 0, binary, "-help"); strings.Contains(help, "-rapid.nofailfile") {
		l.flags = append(l.flags, "-rapid.nofailfile") // the failures are not ours to keep
	}
	began := time.Now()
	if out, err := l.run(ctx, 0, binary, append(l.flags, "-test.coverprofile="+profile)...); err != nil {
		return nil, fmt.Errorf("the tests fail before anything is changed: %w\n%s", err, out)
	}
	l.most = 10*time.Second + 5*time.Since(began)
	text, err := os.ReadFile(profile)
	if err != nil {
		return nil, err
	}
	return l.unrun(string(text))
}

// prepare builds one test binary with a switch for every mutant that is true or
// false. Where that does not compile, each mutant is built on its own.
func (l *lab) prepare(ctx context.Context, all []mutant) error {
	l.ids = make([]int, len(all))
	for i := range all {
		l.ids[i] = i + 1
	}
	replace := map[string]string{}
	write := func(file string, text []byte) error {
		to := filepath.Join(l.dir, fmt.Sprintf("switch%d.go", len(replace)))
		replace[filepath.Join(l.root, l.room.folder, file)] = to
		return os.WriteFile(to, text, 0o644)
	}
	pkg := ""
	for _, f := range l.room.files {
		src, err := os.ReadFile(filepath.Join(l.root, l.room.folder, f))
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
			if m.file == path.Join(l.room.folder, f) {
				found, ids = append(found, m), append(ids, l.ids[i])
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
	overlay, binary := filepath.Join(l.dir, "switched.json"), filepath.Join(l.dir, "switched")
	if err := os.WriteFile(overlay, plan, 0o644); err != nil {
		return err
	}
	if out, err := l.build(ctx, binary, "-overlay", overlay); err != nil {
		fmt.Printf("%s: each mutant is built on its own, since the switches do not compile:\n%s\n", l.room.folder, out)
		return ctx.Err()
	}
	if out, err := l.run(ctx, 0, binary, append(l.flags, "-test.timeout", l.most.String())...); err != nil {
		fmt.Printf("%s: each mutant is built on its own, since the tests fail with switches:\n%s\n", l.room.folder, out)
		return ctx.Err()
	}
	l.switched = binary
	return nil
}

// unrun reads a coverage profile: lines of "file:line.column,line.column
// statements count".
func (l *lab) unrun(profile string) ([]string, error) {
	var faults []string
	for _, f := range l.room.files {
		var all, run int
		for line := range strings.Lines(profile) {
			_, span, ok := strings.Cut(line, "/"+l.room.folder+"/"+f+":")
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
			faults = append(faults, fmt.Sprintf("%s/%s:%s is never run", l.room.folder, f, fields[0]))
		}
		if all == 0 {
			return nil, fmt.Errorf("%s is not in the coverage profile", f)
		}
		fmt.Printf("%-28s %5.1f %% of %d statements run\n", l.room.folder+"/"+f, 100*float64(run)/float64(all), all)
	}
	return faults, nil
}

// tryAll tries every mutant, as many at a time as there are cores, and tells
// what became of each as soon as it is known.
func (l *lab) tryAll(ctx context.Context, all []mutant, tell func(mutant, fate)) ([]fate, error) {
	fates, faults := make([]fate, len(all)), make([]error, len(all))
	for i := range fates {
		fates[i] = untried
	}
	next := make(chan int)
	var workers sync.WaitGroup
	for w := range runtime.NumCPU() {
		workers.Go(func() {
			for i := range next {
				fates[i], faults[i] = l.try(ctx, filepath.Join(l.dir, strconv.Itoa(w)), all[i], l.ids[i])
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

// try runs the room's tests on one mutant, first the quick ones.
func (l *lab) try(ctx context.Context, dir string, m mutant, id int) (fate, error) {
	binary := l.switched
	if !m.truth || binary == "" {
		var err error
		if binary, err = l.buildAlone(ctx, dir, m); err != nil || binary == "" {
			return unborn, errors.Join(err, ctx.Err())
		}
	}
	runs := [][]string{nil}
	if l.room.slow != "" {
		runs = [][]string{{"-test.skip", l.room.slow}, {"-test.run", l.room.slow}}
	}
	for _, flags := range runs {
		flags = append(flags, "-test.timeout", l.most.String())
		if _, err := l.run(ctx, id, binary, append(flags, l.flags...)...); err != nil {
			return killed, ctx.Err()
		}
	}
	return lived, nil
}

// buildAlone builds the room's tests with one mutant; "" when it does not
// compile.
func (l *lab) buildAlone(ctx context.Context, dir string, m mutant) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	source, overlay, binary := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "tests")
	plan, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(l.root, m.file): source}})
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.WriteFile(source, m.source, 0o644), os.WriteFile(overlay, plan, 0o644)); err != nil {
		return "", err
	}
	if _, err := l.build(ctx, binary, "-overlay", overlay); err != nil {
		return "", nil
	}
	return binary, nil
}

func (l *lab) build(ctx context.Context, binary string, flags ...string) (string, error) {
	args := append([]string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", binary}, flags...)
	return output(exec.CommandContext(ctx, "go", append(args, "./"+l.room.folder)...), l.root)
}

// run runs a test binary as mutant id, or as the code is when that is 0.
// Property tests draw from one seed, so that a mutant's fate is the same twice.
func (l *lab) run(ctx context.Context, id int, binary string, flags ...string) (string, error) {
	c := exec.CommandContext(ctx, binary, flags...)
	c.Env = append(os.Environ(), chosenEnv+"="+strconv.Itoa(id), "RAPID_SEED=1")
	return output(c, filepath.Join(l.root, l.room.folder))
}

func output(c *exec.Cmd, dir string) (string, error) {
	var out bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = dir, &out, &out
	err := c.Run()
	return out.String(), err
}
