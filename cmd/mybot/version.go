package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime/debug"
)

// version is the release that this tree leads to or is.
const version = "0.1.0"

// buildName names what is running: the version and, where it is known, the commit.
// Where a commit alone does not tell two programs apart, a hash of the program
// does, so that a page notices that it came from another one.
func buildName() string {
	name := version
	known := false
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				name, known = version+"+"+s.Value[:min(len(s.Value), 12)], true
			case "vcs.modified":
				known = known && s.Value == "false"
			}
		}
	}
	if known {
		return name
	}
	hash := programHash()
	switch {
	case hash == "":
		return name
	case name == version:
		return name + "+" + hash
	default:
		return name + "." + hash
	}
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
