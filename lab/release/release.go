// Package release builds a release of the source tree twice and examines it: whether both are
// equal byte for byte, whether the programs are static, whether the Debian package installs in
// a clean root and leaves nothing behind when purged, and the exposure of its unit.
package release

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"mybot/lab/internal/experiment"
)

// maxExposure is the largest accepted exposure of the unit, of 10, in systemd-analyze security.
const maxExposure = 3.0

// outcome is the outcome of the examination of a release.
type outcome struct {
	Binaries     int      `json:"binaries"`
	Static       bool     `json:"static"` // Linux programs need no library, others only those of the system
	Reproducible bool     `json:"reproducible"`
	Fresh        bool     `json:"fresh"` // the second build compiled everything again
	Exposure     float64  `json:"exposure"`
	Install      bool     `json:"install"`
	PurgeLeaves  int      `json:"purge_leaves"` // files, and accounts
	Commit       string   `json:"commit"`
	Faults       []string `json:"faults,omitempty"`
	Took         float64  `json:"took_s"`
}

func (o *outcome) String() string {
	text := fmt.Sprintf("%d programs of commit %.12s: static %t, two builds equal %t (the second one compiled anew: %t). The unit's exposure is %.1f of 10. The package installs: %t; purged it leaves %d files. %.0f s.",
		o.Binaries, o.Commit, o.Static, o.Reproducible, o.Fresh, o.Exposure, o.Install, o.PurgeLeaves, o.Took)
	return strings.Join(append([]string{text}, o.Faults...), "\n  ")
}

// Examine builds a release twice and examines it.
func Examine(ctx context.Context, c experiment.Call) error {
	o := &outcome{}
	if err := c.Parse(func(f *experiment.Flags) {
		f.BoolVar(&o.Fresh, "fresh", true, "compile everything anew for the second build; false = only link again, which is faster and shows less")
	}); err != nil {
		return err
	}
	began := time.Now()
	if err := o.run(ctx); err != nil {
		return fmt.Errorf("lab: release: %w", err)
	}
	o.Took = time.Since(began).Seconds()
	return c.Print(o)
}

// run fills the outcome. It builds the committed sources, in two clones at paths of different
// lengths.
func (o *outcome) run(ctx context.Context) (err error) {
	tree, err := findTree(ctx)
	if err != nil {
		return err
	}
	if missing := missingTools(); missing != "" {
		return errors.New(missing)
	}
	if o.Commit, err = output(ctx, tree, "git", "rev-parse", "HEAD"); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "mybot-lab-release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	releases := []string{filepath.Join(work, "first"), filepath.Join(work, "second")}
	for n, name := range []string{"sources", "the-same-sources-at-another-path"} {
		sources := filepath.Join(work, name)
		if _, err := output(ctx, tree, "git", "clone", "--quiet", tree, sources); err != nil {
			return err
		}
		var settings []string
		if n == 1 && o.Fresh {
			settings = []string{"GOCACHE=" + filepath.Join(work, "cache")}
		}
		if err := build(ctx, sources, releases[n], settings); err != nil {
			return err
		}
	}
	different, err := compareReleases(releases[0], releases[1])
	if err != nil {
		return err
	}
	o.Reproducible = len(different) == 0
	o.Faults = append(o.Faults, different...)
	count, dynamic, err := examinePrograms(releases[0])
	if err != nil {
		return err
	}
	o.Binaries, o.Static = count, count > 0 && len(dynamic) == 0
	o.Faults = append(o.Faults, dynamic...)
	return o.examinePackage(ctx, releases[0], filepath.Join(work, "root"))
}

// examinePackage installs the package in a clean root, examines it and purges it.
func (o *outcome) examinePackage(ctx context.Context, release, dir string) error {
	deb, err := findPackage(ctx, release)
	if err != nil {
		return err
	}
	r, err := newCleanRoot(dir)
	if err != nil {
		return err
	}
	if err := r.install(ctx, deb); err != nil {
		o.Faults = append(o.Faults, err.Error())
		return nil
	}
	o.Install = true
	if o.Exposure, err = r.measureExposure(ctx); err != nil {
		return err
	}
	if o.Exposure > maxExposure {
		o.Faults = append(o.Faults, fmt.Sprintf("the unit's exposure is %.1f; it must be at most %.1f", o.Exposure, maxExposure))
	}
	if err := r.verifyUnit(ctx); err != nil {
		o.Faults = append(o.Faults, err.Error())
	}
	if err := r.saveData(); err != nil {
		return err
	}
	if err := r.purge(ctx); err != nil {
		o.Faults = append(o.Faults, err.Error())
	}
	left, err := r.listLeft()
	o.PurgeLeaves = len(left)
	o.Faults = append(o.Faults, left...)
	return err
}

// findTree returns the root of the source tree that contains the working directory.
func findTree(ctx context.Context) (string, error) {
	const needs = "this experiment needs Go, and is run in the source tree of Mybot"
	mod, err := output(ctx, "", "go", "env", "GOMOD")
	if err != nil {
		return "", fmt.Errorf("%s: %w", needs, err)
	}
	tree := filepath.Dir(mod)
	if _, err := os.Stat(filepath.Join(tree, "release")); err != nil {
		return "", fmt.Errorf("%s: %w", needs, err)
	}
	return tree, nil
}

// missingTools returns the tools that the examination needs and this computer lacks; "" = none.
func missingTools() string {
	for tool, of := range map[string]string{"dpkg": "dpkg", "dpkg-deb": "dpkg", "deb-systemd-helper": "init-system-helpers", "systemd-analyze": "systemd", "systemd-sysusers": "systemd", "userdel": "passwd"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Sprintf("there is no %s; it is in the Debian package %s", tool, of)
		}
	}
	return ""
}

// build runs ./release of the sources with the destination out.
func build(ctx context.Context, sources, out string, settings []string, args ...string) error {
	c := exec.CommandContext(ctx, filepath.Join(sources, "release"), append([]string{"--out", out}, args...)...)
	c.Env = append(os.Environ(), settings...)
	if said, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("./release: %w: %s", err, said)
	}
	return nil
}

// output returns what a program prints, without the last newline. Its error includes the
// program's own message.
func output(ctx context.Context, dir, program string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, program, args...)
	c.Dir = dir
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%s: %w: %s", program, err, strings.TrimSpace(string(exit.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}
