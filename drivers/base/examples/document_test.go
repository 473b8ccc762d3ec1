package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mybot/drivers/base/examples"
)

// A listing is the text between ``` and ``` in a document.
type listing struct{ language, text string }

func readListings(t *testing.T, path string) (listings []listing) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range strings.Split(string(data), "```") {
		if i%2 == 1 {
			language, text, _ := strings.Cut(part, "\n")
			listings = append(listings, listing{language, text})
		}
	}
	return listings
}

// lines returns the non-empty lines of a text.
func lines(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
}

const document = "../../../docs/your-robot.md"

// Typing in the listings in order gives the example.
func TestTheListingsOfTheDocumentAreTheExamples(t *testing.T) {
	var python []string
	arduino, _ := examples.Find("arduino")
	gripper, _ := examples.Find("gripper")
	speaker, _ := examples.Find("speaker")
	for _, l := range readListings(t, document) {
		switch l.language {
		case "python":
			python = append(python, lines(l.text)...)
		case "py":
			if !strings.Contains(gripper.Text, l.text) && !strings.Contains(speaker.Text, l.text) {
				t.Errorf("neither gripper.py nor speaker.py has\n%s", l.text)
			}
		case "cpp":
			if !strings.Contains(arduino.Text, l.text) {
				t.Errorf("base.ino does not have\n%s", l.text)
			}
		}
	}
	example, _ := examples.Find("python")
	if want := lines(example.Text); !slices.Equal(python, want) {
		for i := range min(len(python), len(want)) {
			if python[i] != want[i] {
				t.Fatalf("line %d, without empty ones, is\n%s\nand in base.py\n%s", i+1, python[i], want[i])
			}
		}
		t.Errorf("the listings have %d lines and base.py %d, without empty ones", len(python), len(want))
	}
}

// runConversation has Python read a program and then the lines after >>>, and
// compares what they print.
const runConversation = `
import doctest, sys
names = {}
exec(open(sys.argv[1]).read(), names)
test = doctest.DocTestParser().get_doctest(open(sys.argv[2]).read(), names, "the document", None, 0)
runner = doctest.DocTestRunner()
runner.run(test)
sys.exit(runner.failures > 0 or runner.tries == 0)
`

// What the document shows at Python's prompt is the output of the program as
// written so far.
func TestWhatTheDocumentShowsIsWhatPythonSays(t *testing.T) {
	need(t, "python3")
	dir := t.TempDir()
	program, talk := filepath.Join(dir, "base.py"), filepath.Join(dir, "talk.txt")
	written, conversations := "", 0
	for _, l := range readListings(t, document) {
		switch l.language {
		case "python":
			written += l.text + "\n"
		case "pycon":
			conversations++
			if err := os.WriteFile(program, []byte(written), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(talk, []byte(l.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command("python3", "-c", runConversation, program, talk).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		}
	}
	if conversations != 3 {
		t.Errorf("the document shows %d conversations", conversations)
	}
}
