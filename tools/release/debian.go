package main

import (
	"crypto/md5" //nolint:gosec // what dpkg --verify reads
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// The package's files besides the program and its documents: their places, and their names
// below packaging.
var packaged = [][2]string{
	{"usr/lib/systemd/system/mybot.service", "mybot.service"},
	{"usr/lib/udev/rules.d/60-mybot.rules", "60-mybot.rules"},
	{"usr/lib/sysusers.d/mybot.conf", "mybot.sysusers"},
	{"etc/mybot/mybot.env", "mybot.env"},
	{"usr/share/doc/mybot/copyright", "debian/copyright"},
}

// scripts are run by dpkg at installation and removal.
var scripts = []string{"postinst", "prerm", "postrm"}

// pack builds the Debian package of a program.
func (r *release) pack(t target, program string) error {
	files, err := r.listDocuments("usr/share/doc/mybot")
	if err != nil {
		return err
	}
	files = append(files, file{"usr/bin/mybot", program, 0o755})
	for _, p := range packaged {
		files = append(files, file{p[0], filepath.Join(r.root, "packaging", p[1]), 0o644})
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	tree, err := os.MkdirTemp(r.out, "package-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tree) //nolint:errcheck // it is only in the way
	if err := os.Chmod(tree, 0o755); err != nil {
		return err
	}
	var sums strings.Builder
	size := 0
	for _, f := range files {
		content, err := os.ReadFile(f.from)
		if err != nil {
			return err
		}
		size += len(content)
		if !strings.HasPrefix(f.name, "etc/") {
			fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(content), f.name) //nolint:gosec // what dpkg --verify reads
		}
		if err := writeFile(filepath.Join(tree, f.name), content, f.mode); err != nil {
			return err
		}
	}
	if err := r.writeControl(filepath.Join(tree, "DEBIAN"), t, size, sums.String()); err != nil {
		return err
	}
	name := fmt.Sprintf("mybot_%s_%s.deb", r.version, t.debian)
	c := exec.Command("dpkg-deb", "--root-owner-group", "-Zxz", "--build", tree, filepath.Join(r.out, name))
	c.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.time.Unix()))
	if said, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("dpkg-deb: %w: %s", err, said)
	}
	r.made = append(r.made, name)
	return nil
}

// writeControl writes dpkg's description of the package.
func (r *release) writeControl(folder string, t target, size int, sums string) error {
	control, err := os.ReadFile(filepath.Join(r.root, "packaging/debian/control"))
	if err != nil {
		return err
	}
	filled := strings.NewReplacer("@VERSION@", r.version, "@ARCH@", t.debian, "@SIZE@", fmt.Sprint(size/1024)).Replace(string(control))
	for name, content := range map[string]string{"control": filled, "conffiles": "/etc/mybot/mybot.env\n", "md5sums": sums} {
		if err := writeFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	for _, name := range scripts {
		content, err := os.ReadFile(filepath.Join(r.root, "packaging/debian", name))
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(folder, name), content, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes a file and the folders above it.
func writeFile(name string, content []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, content, mode)
}
