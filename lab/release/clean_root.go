package release

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A cleanRoot is a folder into which packages are installed as into a minimal Debian system.
// dpkg runs the scripts of packages outside of it, with DPKG_ROOT.
type cleanRoot struct {
	dir    string
	before map[string]string // content of its files before the installation
}

// accounts are the files in which users and groups are.
var accounts = map[string]string{
	"etc/passwd":  "root:x:0:0:root:/root:/bin/sh\n",
	"etc/group":   "root:x:0:\ndialout:x:20:\naudio:x:29:\nvideo:x:44:\n",
	"etc/shadow":  "root:*:19000:0:99999:7:::\n",
	"etc/gshadow": "root:*::\ndialout:*::\naudio:*::\nvideo:*::\n",
}

// newCleanRoot creates a root in dir, with the systemd targets to which units refer.
func newCleanRoot(dir string) (*cleanRoot, error) {
	const units = "usr/lib/systemd/system"
	for _, d := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers", units} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return nil, err
		}
	}
	targets, err := filepath.Glob("/lib/systemd/system/*.target")
	if err != nil {
		return nil, err
	}
	files := map[string]string{"var/lib/dpkg/status": ""}
	for _, t := range targets {
		content, err := os.ReadFile(t)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a link to a target that is not installed
			return nil, err
		}
		files[filepath.Join(units, filepath.Base(t))] = string(content)
	}
	for name, content := range accounts {
		files[name] = content
	}
	for name, content := range files {
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(to, []byte(content), 0o644); err != nil {
			return nil, err
		}
	}
	r := &cleanRoot{dir: dir}
	r.before, err = r.readFiles()
	return r, err
}

// findPackage returns the package of a release for this computer's architecture.
func findPackage(ctx context.Context, release string) (string, error) {
	arch, err := output(ctx, "", "dpkg", "--print-architecture")
	if err != nil {
		return "", err
	}
	found, err := filepath.Glob(filepath.Join(release, "mybot_*_"+arch+".deb"))
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("there is no package for %s, the architecture of this computer", arch)
	}
	if err != nil {
		return "", err
	}
	return found[0], nil
}

// dpkg runs dpkg on the root. The root lacks the package's dependencies: its scripts use those
// of this computer.
func (r *cleanRoot) dpkg(ctx context.Context, args ...string) error {
	c := exec.CommandContext(ctx, "dpkg", append([]string{"--root=" + r.dir, "--force-not-root", "--force-script-chrootless", "--force-depends", "--force-confold", "--log=/dev/null"}, args...)...)
	if said, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("dpkg %s: %w: %s", strings.Join(args, " "), err, said)
	}
	return nil
}

func (r *cleanRoot) install(ctx context.Context, deb string) error {
	return r.dpkg(ctx, "--install", deb)
}
func (r *cleanRoot) remove(ctx context.Context) error { return r.dpkg(ctx, "--remove", "mybot") }
func (r *cleanRoot) purge(ctx context.Context) error  { return r.dpkg(ctx, "--purge", "mybot") }

// saveData writes the data that a server would have saved.
func (r *cleanRoot) saveData() error {
	maps := filepath.Join(r.dir, "var/lib/mybot/maps")
	if err := os.MkdirAll(maps, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(maps, "map.yaml"), []byte("image: map.pgm\n"), 0o600)
}

// verifyUnit checks the unit with systemd; any output is a fault.
func (r *cleanRoot) verifyUnit(ctx context.Context) error {
	said, err := exec.CommandContext(ctx, "systemd-analyze", "verify", "--root="+r.dir, "mybot.service").CombinedOutput()
	if text := strings.TrimSpace(string(said)); err != nil || text != "" {
		return fmt.Errorf("systemd-analyze verify: %s (%w)", text, err)
	}
	return nil
}

// overall is the last line of systemd-analyze security.
var overall = regexp.MustCompile(`Overall exposure level for mybot\.service: (\d+\.\d+)`)

// measureExposure returns the exposure of the unit, 0 to 10, by systemd-analyze.
func (r *cleanRoot) measureExposure(ctx context.Context) (float64, error) {
	said, err := output(ctx, "", "systemd-analyze", "security", "--no-pager", "--offline=true", "--root="+r.dir, "mybot.service")
	if err != nil {
		return 0, err
	}
	found := overall.FindStringSubmatch(said)
	if found == nil {
		return 0, errors.New("systemd-analyze security does not name the exposure")
	}
	return strconv.ParseFloat(found[1], 64)
}

// readFiles returns the content of all files, except those that dpkg and the account tools
// leave for themselves.
func (r *cleanRoot) readFiles() (map[string]string, error) {
	files := map[string]string{}
	names, err := listFiles(r.dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if strings.HasPrefix(name, "var/lib/dpkg/") || name == "etc/.pwd.lock" || strings.HasPrefix(name, "etc/") && strings.HasSuffix(name, "-") {
			continue
		}
		at := filepath.Join(r.dir, name)
		content, err := os.ReadFile(at)
		if target, bad := os.Readlink(at); bad == nil { // the link leads out of the root
			content, err = []byte(target), nil
		}
		if err != nil {
			return nil, err
		}
		files[name] = string(content)
	}
	return files, nil
}

// listLeft returns the differences from before the installation, one sentence each.
func (r *cleanRoot) listLeft() ([]string, error) {
	after, err := r.readFiles()
	if err != nil {
		return nil, err
	}
	var left []string
	for name, content := range after {
		if was, ok := r.before[name]; !ok {
			left = append(left, name+" is left")
		} else if was != content {
			left = append(left, name+" is not as it was")
		}
	}
	for name := range r.before {
		if _, ok := after[name]; !ok {
			left = append(left, name+" is gone")
		}
	}
	slices.Sort(left)
	return left, nil
}
