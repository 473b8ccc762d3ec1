// Package robottest compares the robot's behavior with recorded files. Tests that import it
// have the flag -update, which records it again.
package robottest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "record in testdata what comes out now")

// Golden compares got with the file, and reports the first line that differs.
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

// at returns a line, or a note that the text has ended.
func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(the end)"
}

// Transcripts plays each story of testdata/*.txt and compares the file with the story that play
// returns, with its results.
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
