package main

import "runtime/debug"

// version is the release that this tree leads to or is.
const version = "0.1.0"

// build names what is running: the version and, where it is known, the commit.
func build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version
	}
	var commit, changed string
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = "+" + s.Value[:min(len(s.Value), 12)]
		case "vcs.modified":
			if s.Value == "true" {
				changed = ".changed"
			}
		}
	}
	if commit == "" {
		return version
	}
	return version + commit + changed
}
