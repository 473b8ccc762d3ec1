package script

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// addStories seeds a fuzzer with the texts of the conversations in testdata.
func addStories(f *testing.F) {
	files, err := filepath.Glob("testdata/*.talk")
	if err != nil || len(files) == 0 {
		f.Fatalf("there are no conversations: %v", err)
	}
	for _, file := range files {
		story, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(story)) {
			if _, text, ok := strings.Cut(line, " "); ok && line[0] != '#' {
				f.Add(text, len(text)/2)
			}
		}
	}
	f.Add("speaker.val = BIN 4 wav;\nRIFFecho 1;", 20)
}

// readAll returns the commands and faults of a text that arrives in pieces.
func readAll(pieces ...string) string {
	var all []string
	var r Reader
	for _, p := range pieces {
		for _, a := range r.Read(p).arrived {
			if a.fault != nil {
				all = append(all, a.fault.Text)
				continue
			}
			all = append(all, fmt.Sprintf("%T %v", a.item.command, a.item.beside))
		}
	}
	return strings.Join(all, "\n")
}

// FuzzReader: no text makes the lexer or the parser panic, and it does not matter
// in which pieces a text arrives.
func FuzzReader(f *testing.F) {
	addStories(f)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		cut = min(max(cut, 0), len(text))
		whole, parts := readAll(text), readAll(text[:cut], text[cut:])
		if whole != parts {
			t.Errorf("at once it is\n%s\nin two pieces\n%s", whole, parts)
		}
		Parse(text)
	})
}

// FuzzMachine: no program makes the machine panic, or take more steps, memory or
// statements than it may.
func FuzzMachine(f *testing.F) {
	addStories(f)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		cut = min(max(cut, 0), len(text))
		var said [2]string
		for i := range said {
			m := newTalker(t)
			checked := checkedMachine{m, t, 0}
			checked.tick(0)
			m.Say(Milliseconds(3), "A", text[:cut])
			m.Say(Milliseconds(5), "B", text[cut:]+"\n;")
			checked.check()
			for ms := int64(20); ms < 200; ms += 20 {
				checked.tick(ms)
			}
			m.Hold(Milliseconds(201), "")
			m.Say(Milliseconds(205), "A", text[cut:]+"\n")
			checked.tick(220)
			m.Resume(Milliseconds(221), "")
			for ms := int64(240); ms < 1400; ms += 20 {
				checked.tick(ms)
			}
			said[i] = fmt.Sprint(m.Lines())
			m.Close(Milliseconds(1401), "A")
			m.Close(Milliseconds(1402), "B")
			if m.statements != 0 || len(m.order) != 0 {
				t.Errorf("%d statements are left behind", m.statements)
			}
		}
		if said[0] != said[1] {
			t.Errorf("once it says\n%s\nand once\n%s", said[0], said[1])
		}
	})
}

// FuzzWatched: whatever people watch of whatever runs, the scripts say what they say unwatched.
func FuzzWatched(f *testing.F) {
	f.Add("n = 0; every (20) n++, x = random(9);", "A.n + random(5) * headPan.val'n")
	f.Add("def f(x) { x + 1 }; e: at (headPan.val > 3) echo f(2);", "A.f(1) == 2 || A.e && [1, \"a\"]")
	f.Fuzz(func(t *testing.T, text, expression string) {
		w, fault := ParseWatched(expression)
		if fault != nil {
			return
		}
		var said [2]string
		for i := range said {
			m := newTalker(t)
			m.Say(Milliseconds(3), "A", text+"\n;")
			for ms := int64(20); ms < 200; ms += 20 {
				m.Tick(Milliseconds(ms))
				if i == 1 {
					m.Look(Milliseconds(ms), []*Watched{w, w}, 1)
				}
			}
			said[i] = fmt.Sprint(m.Lines())
		}
		if said[0] != said[1] {
			t.Errorf("it says\n%s\nand while %s is watched\n%s", said[0], expression, said[1])
		}
	})
}

// A checkedMachine is checked against its bounds at every tick.
type checkedMachine struct {
	*Machine
	t     *testing.T
	steps int
}

func (m *checkedMachine) tick(ms int64) {
	m.Tick(Milliseconds(ms))
	m.check()
}

func (m *checkedMachine) check() {
	m.t.Helper()
	if taken := m.Machine.steps - m.steps; taken > MaxSteps+MaxScript { // one value may take more than is left
		m.t.Errorf("%d steps are taken at once", taken)
	}
	m.steps = m.Machine.steps
	running := 0
	for _, u := range m.order {
		count := 0
		walk(u.root, func(r runner) bool {
			if r.state().counted {
				count++
			}
			return true
		})
		if count != u.statements || count > MaxUnitStatements {
			m.t.Errorf("%s runs %d statements and has counted %d", u.name, count, u.statements)
		}
		running += count
		if u.variables > MaxVariables || u.variables < 0 {
			m.t.Errorf("%s has %d variables", u.name, u.variables)
		}
	}
	if running != m.statements || running > MaxStatements {
		m.t.Errorf("%d statements run and %d are counted", running, m.statements)
	}
	if m.memory < 0 || m.memory > MaxMemory {
		m.t.Errorf("%d bytes are in use", m.memory)
	}
}
