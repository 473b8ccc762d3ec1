package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"mybot/media/h264"
)

// version is the release that this tree leads to or is. ./release reads it here.
const version = "0.1.0"

// commit is what a release was built from; -modified at its end says that the tree
// had changes beside it. ./release sets it with -ldflags -X: what Go itself records
// of a checkout would make the program depend on more than its sources.
var commit string

// findCommit returns the commit that the program was built from, "" = it is not
// known, and whether the tree had changes beside it.
func findCommit() (revision string, modified bool) {
	if commit != "" {
		return strings.CutSuffix(commit, "-modified")
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				revision = s.Value
			case "vcs.modified":
				modified = s.Value == "true"
			}
		}
	}
	return revision, modified
}

// buildName names what is running: the version and, where it is known, the commit.
// Where a commit alone does not tell two programs apart, a hash of the program
// does, so that a page notices that it came from another one.
func buildName() string {
	revision, modified := findCommit()
	name := version
	if revision != "" {
		name += "+" + revision[:min(len(revision), 12)]
	}
	if revision != "" && !modified {
		return name
	}
	hash := programHash()
	switch {
	case hash == "":
		return name
	case revision == "":
		return name + "+" + hash
	default:
		return name + "." + hash
	}
}

// leftOut lists what this program cannot do because of how it was built, with the
// consequence; "" = nothing.
func leftOut() string {
	var all []string
	if !h264.Built {
		all = append(all, "OpenH264 (video is encoded as VP8)")
	}
	if runtime.GOOS != "linux" {
		all = append(all, "cameras of this computer (V4L2 is of Linux; the simulator's camera and y4m files work)")
	}
	if !hasLab {
		all = append(all, "the experiments of mybot lab")
	}
	return strings.Join(all, ", ")
}

// versionCommand prints the build.
func versionCommand(args []string, stdout io.Writer) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("version takes no arguments, but got %q", args[0])}
	}
	text := "mybot " + buildName() + "\n"
	if revision, modified := findCommit(); revision != "" {
		if modified {
			revision += ", with changes that are not committed"
		}
		text += "commit    " + revision + "\n"
	}
	text += fmt.Sprintf("built by  %s for %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if out := leftOut(); out != "" {
		text += "without   " + out + "\n"
	}
	_, err := io.WriteString(stdout, text+"licence   Apache-2.0; mybot licences prints those of what it is built from\n")
	return err
}

// programHash returns the first letters of the SHA-256 of the program's file,
// or "" where it cannot be read.
func programHash() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }() // it is read only
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
}
