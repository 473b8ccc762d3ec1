package release

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/experiment/experimenttest"
)

var commands = experimenttest.New(map[string]func(context.Context, experiment.Call) error{"release": Examine})

func TestMain(m *testing.M) { commands.Main(m) }

func TestThePackageInstallsInACleanRootAndPurgingLeavesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("building the program takes long")
	}
	if missing := missingTools(); missing != "" {
		t.Skip(missing)
	}
	tree, err := findTree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "release")
	if err := build(t.Context(), tree, out, nil, "--only", "linux/"+runtime.GOARCH); err != nil {
		t.Fatal(err)
	}
	if count, dynamic, err := examinePrograms(out); count != 1 || len(dynamic) > 0 || err != nil {
		t.Errorf("there are %d programs, not one that is static: %v (%v)", count, dynamic, err)
	}
	program := filepath.Join(out, "programs", "linux_"+runtime.GOARCH, "mybot")
	if said, err := output(t.Context(), "", program, "--version"); err != nil || !strings.Contains(said, "\ncommit ") || !strings.Contains(said, "without   OpenH264") {
		t.Errorf("--version says %q (%v)", said, err)
	}
	deb, err := findPackage(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	r, err := newCleanRoot(filepath.Join(t.TempDir(), "root"))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.install(t.Context(), deb); err != nil {
		t.Fatal(err)
	}
	r.checkInstalled(t)
	r.checkRemoved(t)
	if err := r.purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, err := r.listLeft(); len(left) > 0 || err != nil {
		t.Errorf("after purging %v (%v)", left, err)
	}
}

func TestPurgingRemovesTheUserOfThePackageOnly(t *testing.T) {
	if missing := missingTools(); missing != "" {
		t.Skip(missing)
	}
	for _, c := range []struct {
		name, home string
		stays      bool
	}{
		{"the user that the package made", "/var/lib/mybot", false},
		{"a person's account", "/home/mybot", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := newCleanRoot(filepath.Join(t.TempDir(), "root"))
			if err != nil {
				t.Fatal(err)
			}
			for name, line := range map[string]string{
				"etc/passwd": "mybot:x:1000:1000::" + c.home + ":/bin/bash\n", "etc/group": "mybot:x:1000:\n",
				"etc/shadow": "mybot:*:19000:0:99999:7:::\n", "etc/gshadow": "mybot:*::\n",
			} {
				if err := os.WriteFile(filepath.Join(r.dir, name), []byte(accounts[name]+line), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			purge := exec.CommandContext(t.Context(), "sh", "../../packaging/debian/postrm", "purge")
			purge.Env = append(os.Environ(), "DPKG_ROOT="+r.dir)
			if said, err := purge.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			files, err := r.readFiles()
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"etc/passwd", "etc/group"} {
				if got := strings.Contains(files[name], "\nmybot:"); got != c.stays {
					t.Errorf("%s has it: %v\n%s", name, got, files[name])
				}
			}
		})
	}
}

// checkInstalled checks the unit, the user and its groups.
func (r *cleanRoot) checkInstalled(t *testing.T) {
	t.Helper()
	if err := r.verifyUnit(t.Context()); err != nil {
		t.Error(err)
	}
	if exposure, err := r.measureExposure(t.Context()); exposure > maxExposure || exposure == 0 || err != nil {
		t.Errorf("the unit's exposure is %v (%v)", exposure, err)
	}
	files, err := r.readFiles()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"etc/passwd": "\nmybot:x:",
		"etc/systemd/system/multi-user.target.wants/mybot.service": "mybot.service",
		"etc/mybot/mybot.env":                  "MYBOT_FLAGS=",
		"usr/lib/udev/rules.d/60-mybot.rules":  "ID_MM_DEVICE_IGNORE",
		"usr/share/doc/mybot/docs/drivers.md":  "# ",
		"usr/share/doc/mybot/examples/base.py": "mybot.base",
		"usr/share/doc/mybot/licences.txt":     "The Go Programming Language",
	} {
		if !strings.Contains(files[name], want) {
			t.Errorf("%s does not have %q", name, want)
		}
	}
	for _, group := range []string{"dialout", "video", "audio"} {
		if !slices.ContainsFunc(strings.Split(files["etc/group"], "\n"), func(line string) bool {
			return strings.HasPrefix(line, group+":") && strings.HasSuffix(line, ":mybot")
		}) {
			t.Errorf("the user mybot is not in the group %s", group)
		}
	}
	broken := strings.Replace(files["usr/lib/systemd/system/mybot.service"], "Type=notify", "Typ=notify", 1)
	unit := filepath.Join(r.dir, "usr/lib/systemd/system/mybot.service")
	if err := os.WriteFile(unit, []byte(broken), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := r.verifyUnit(t.Context()); err == nil || !strings.Contains(err.Error(), "Typ") {
		t.Errorf("for an unknown key in the unit systemd says %v", err)
	}
}

// checkRemoved checks that data and settings survive the removal of the package.
func (r *cleanRoot) checkRemoved(t *testing.T) {
	t.Helper()
	if err := r.saveData(); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(r.dir, "etc/mybot/mybot.env")
	if err := os.WriteFile(settings, []byte("MYBOT_FLAGS=--seed=2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := r.remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	files, err := r.readFiles()
	if err != nil {
		t.Fatal(err)
	}
	if files["var/lib/mybot/maps/map.yaml"] == "" || files["etc/mybot/mybot.env"] != "MYBOT_FLAGS=--seed=2\n" {
		t.Error("the removal of the package removed data or settings")
	}
	if _, there := files["usr/bin/mybot"]; there {
		t.Error("the removal of the package left the program")
	}
}

func TestReleasesAreComparedByteForByte(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b map[string]string
		want string
	}{
		{"equal ones", map[string]string{"x": "1", "d/y": "2"}, map[string]string{"x": "1", "d/y": "2"}, ""},
		{"one byte", map[string]string{"x": "1", "d/y": "2"}, map[string]string{"x": "1", "d/y": "3"}, "d/y differs between two builds"},
		{"a file more", map[string]string{"x": "1"}, map[string]string{"x": "1", "y": ""}, "y is in one of the two releases only"},
		{"a file less", map[string]string{"x": "1", "y": ""}, map[string]string{"x": "1"}, "y is in one of the two releases only"},
		{"nothing at all", nil, nil, "nothing was built"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dirs := []string{t.TempDir(), t.TempDir()}
			for n, files := range []map[string]string{c.a, c.b} {
				for name, content := range files {
					at := filepath.Join(dirs[n], name)
					if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(at, []byte(content), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			got, err := compareReleases(dirs[0], dirs[1])
			if err != nil || strings.Join(got, "; ") != c.want {
				t.Errorf("it says %q (%v), want %q", got, err, c.want)
			}
		})
	}
}

func TestADynamicProgramIsFound(t *testing.T) {
	sh, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("there is no shell to look at")
	}
	if libraries, err := listLibraries(sh); err != nil || !slices.Contains(libraries, "a dynamic loader") {
		t.Errorf("the shell needs %v (%v)", libraries, err)
	}
	if _, err := listLibraries("release_test.go"); err == nil {
		t.Error("a text is accepted as a program")
	}
}
