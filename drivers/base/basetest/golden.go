package basetest

import (
	"os"
	"strings"
	"testing"
)

// CompareGolden compares a text with a golden file, or rewrites the file if update
// is set. It shows the first difference with the lines around it.
func CompareGolden(t *testing.T, path, got string, update bool) {
	t.Helper()
	if update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, want := strings.Split(got, "\n"), strings.Split(string(file), "\n")
	for i := range max(len(lines), len(want)) {
		if i >= len(lines) || i >= len(want) || lines[i] != want[i] {
			t.Fatalf("line %d differs from %s (-update rewrites it); it is\n%s\nand should be\n%s", i+1, path, linesAround(lines, i), linesAround(want, i))
		}
	}
}

// linesAround returns a line and two lines before and after it.
func linesAround(lines []string, i int) string {
	return strings.Join(lines[max(0, min(len(lines), i)-2):min(len(lines), i+3)], "\n")
}
