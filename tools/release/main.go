// Command release builds a release: static programs, an archive for each, Debian packages and
// SHA256SUMS. Its output depends only on the commit and the version of Go. ./release runs it.
package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A target is a system that the program is built for.
type target struct {
	os, arch string
	debian   string // architecture of its Debian package; "" = none
}

var targets = []target{
	{"linux", "amd64", "amd64"},
	{"linux", "arm64", "arm64"},
	{"linux", "armv7", "armhf"},
	{"darwin", "amd64", ""},
	{"darwin", "arm64", ""},
	{"windows", "amd64", ""},
}

func (t target) String() string { return t.os + "/" + t.arch }

// environment returns all environment variables that the compiler reads, each with a value, so
// that no setting of this computer affects the program.
func (t target) environment() []string {
	arch := t.arch
	if arch == "armv7" {
		arch = "arm"
	}
	return append(os.Environ(), "GOOS="+t.os, "GOARCH="+arch, "GOAMD64=v1", "GOARM64=v8.0", "GOARM=7",
		"CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off")
}

// A release is one run of this command.
type release struct {
	root, out string
	version   string
	commit    string    // with the suffix -modified if the tree has changes; "" = no git checkout
	time      time.Time // of every file in an archive
	packages  bool      // Debian packages too
	made      []string  // files in out
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	out := flag.String("out", "artifacts/release", "`DIR` for what is made")
	only := flag.String("only", "", "`SYSTEMS` to build for, such as linux/amd64,windows/amd64 (default: all)")
	packages := flag.Bool("deb", true, "make Debian packages of the programs for Linux")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("%q is not a flag", flag.Arg(0))
	}
	chosen, err := chooseTargets(*only)
	if err != nil {
		log.Fatal(err)
	}
	r, err := newRelease("..", *out)
	if err == nil {
		r.packages = *packages
		err = r.make(chosen)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// chooseTargets returns the targets in a list such as "linux/amd64,linux/arm64"; "" = all.
func chooseTargets(list string) ([]target, error) {
	if list == "" {
		return targets, nil
	}
	var chosen []target
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(targets, func(t target) bool { return t.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("--only: there is no system %q; the systems are %v", name, targets)
		}
		chosen = append(chosen, targets[i])
	}
	return chosen, nil
}

// newRelease determines the commit and time of the sources in root.
func newRelease(root, out string) (*release, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(out) {
		out = filepath.Join(root, out)
	}
	r := &release{root: root, out: out, time: time.Unix(315532800, 0)} // 1980, the earliest time in a zip
	source, err := os.ReadFile(filepath.Join(root, "cmd/mybot/version.go"))
	if err != nil {
		return nil, err
	}
	found := regexp.MustCompile(`(?m)^const version = "([^"]+)"$`).FindSubmatch(source)
	if found == nil {
		return nil, errors.New("cmd/mybot/version.go has no line: const version = \"...\"")
	}
	r.version = string(found[1])
	when := os.Getenv("SOURCE_DATE_EPOCH")
	if revision, err := r.git("rev-parse", "HEAD"); err == nil {
		r.commit = revision
		if changes, err := r.git("status", "--porcelain"); err != nil || changes != "" {
			r.commit += "-modified"
		}
		if when == "" {
			if when, err = r.git("log", "-1", "--format=%ct"); err != nil {
				return nil, err
			}
		}
	}
	if when != "" {
		seconds, err := strconv.ParseInt(when, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("SOURCE_DATE_EPOCH is %q; it must be in seconds since 1970", when)
		}
		r.time = time.Unix(seconds, 0)
	}
	r.time = r.time.UTC()
	return r, nil
}

// git returns the output of a git command in the sources.
func (r *release) git(args ...string) (string, error) {
	c := exec.Command("git", args...)
	c.Dir = r.root
	out, err := c.Output()
	return strings.TrimSpace(string(out)), err
}

// make builds everything into an empty folder.
func (r *release) make(chosen []target) error {
	if _, err := exec.LookPath("dpkg-deb"); r.packages && err != nil {
		return errors.New("there is no dpkg-deb, which makes the Debian packages: install dpkg, or leave the packages out with --deb=false")
	}
	if err := r.empty(); err != nil {
		return err
	}
	for _, t := range chosen {
		program := filepath.Join(r.out, "programs", t.os+"_"+t.arch, "mybot")
		if t.os == "windows" {
			program += ".exe"
		}
		log.Printf("%s", t)
		if err := r.build(t, program); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		if err := r.archive(t, program); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		if t.debian == "" || !r.packages {
			continue
		}
		if err := r.pack(t, program); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	return r.writeSums()
}

// sumsFile marks a folder as one that this command made.
const sumsFile = "SHA256SUMS"

// empty creates the folder for the release, and removes a previous release there.
func (r *release) empty() error {
	files, err := os.ReadDir(r.out)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	_, notOurs := os.Stat(filepath.Join(r.out, sumsFile))
	if len(files) > 0 && notOurs != nil {
		return fmt.Errorf("--out: %s is neither empty nor a release; choose another folder", r.out)
	}
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, sumsFile), nil, 0o644)
}

// build builds the program.
func (r *release) build(t target, program string) error {
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-tags", "nodlopen", "-ldflags", "-s -w -buildid= -X main.commit="+r.commit, "-o", program, "./cmd/mybot")
	c.Dir, c.Env, c.Stderr = r.root, t.environment(), os.Stderr
	return c.Run()
}

// writeSums writes the checksums of the output, in the format of sha256sum --check.
func (r *release) writeSums() error {
	var sums strings.Builder
	slices.Sort(r.made)
	for _, name := range r.made {
		content, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), name)
	}
	return os.WriteFile(filepath.Join(r.out, sumsFile), []byte(sums.String()), 0o644)
}
