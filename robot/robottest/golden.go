// Package robottest compares what the robot does with what was recorded of it.
// Tests that import it have the flag -update, which records anew.
package robottest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "record in testdata what comes out now")

// Golden compares got with the file, and tells the first line that differs.
func Golden(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	is, want := strings.Split(got, "\n"), strings.Split(string(data), "\n")
	for i := range max(len(is), len(want)) {
		if line, recorded := at(is, i), at(want, i); line != recorded {
			t.Fatalf("%s, line %d: got\n%s\nwant\n%s", file, i+1, line, recorded)
		}
	}
}

// at returns a line, and that there is none where the text has ended.
func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(the end)"
}

// Transcripts plays each story of testdata/*.txt, which returns it with what
// comes out in it, and compares the two.
func Transcripts(t *testing.T, play func(story string) (string, error)) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			story, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := play(string(story))
			if err != nil {
				t.Fatal(err)
			}
			Golden(t, file, got)
		})
	}
}
