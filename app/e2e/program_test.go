package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The document's program drives the robot.
func TestTheProgramOfTheDocumentDrives(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/drive-from-your-program.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(doc), "```go\n")
	code, _, found := strings.Cut(rest, "```")
	file := filepath.Join(t.TempDir(), "drive.go")
	if err := os.WriteFile(file, []byte(code), 0o600); err != nil || !found {
		t.Fatal("the document contains no program", err)
	}
	h := open(t)
	from := h.driver.Truth().Pose
	run := exec.CommandContext(t.Context(), "go", "run", file, h.addr)
	run.Dir = "../.."
	if said, err := run.CombinedOutput(); err != nil || len(said) > 0 {
		t.Fatalf("the program printed %q: %v", said, err)
	}
	if went, _ := apart(from, h.awaitStill().Pose); went < 0.7 || went > 1.0 {
		t.Errorf("the robot drove %.2f m, want 0.9", went)
	}
}
