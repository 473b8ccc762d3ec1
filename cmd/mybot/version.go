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

// version is the current or next release of this tree. ./release reads it here.
const version = "0.1.0"

// commit is the commit that a release was built from; the suffix -modified means that the tree
// had other changes. ./release sets it with -ldflags -X, because the data that Go itself
// records about a checkout would make the program depend on more than its sources.
var commit string

// findCommit returns the commit that the program was built from, "" = unknown, and whether the
// tree had other changes.
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

// buildName identifies the running program by its version and, if known, the commit. If the
// commit alone does not distinguish two programs it adds a hash, so that a page notices that it
// came from another program.
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

// leftOut lists the features that this build lacks, with the consequences; "" = none.
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

// programHash returns the first digits of the SHA-256 of the program's file, or "" if the file
// cannot be read.
func programHash() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }() // it was only read
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
}
