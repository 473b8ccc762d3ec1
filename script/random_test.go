package script

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A writer writes random programs that mean something: names that exist, times
// that pass, tags that are used.
type writer struct {
	*rand.Rand
	depth int
}

func (w *writer) pick(of ...string) string { return of[w.IntN(len(of))] }

func (w *writer) value() string {
	switch w.IntN(8) {
	case 0:
		return w.pick("x", "y", "B.z", "headPan.val", "led.val", "time")
	case 1:
		return fmt.Sprintf("(%s %s %s)", w.pick("x", "y", "1"), w.pick("+", "-", "*", "%", "<", "==", "&&"), w.pick("2", "y", "x"))
	case 2:
		return w.pick("f(1)", "random(0, 9)", `"t"`, "[1, 2, 3]", "nix", "inf")
	default:
		return fmt.Sprint(w.IntN(100))
	}
}

func (w *writer) wait() string { return fmt.Sprintf("wait(%dms)", w.IntN(120)) }
func (w *writer) tag() string  { return w.pick("a", "b", "c", "a.d") }

func (w *writer) setting() string {
	s := w.pick("x", "y", "headPan.val", "led.val", "g.val", "A.x") + " = " + w.value()
	return s + w.pick("", "", " time:100", " speed:50", " accel:400", " smooth:70", " sin:80 ampli:3", " speed:40 time:50")
}

// simple writes a command that holds no other.
func (w *writer) simple() string {
	switch w.IntN(10) {
	case 0, 1, 2:
		return w.setting()
	case 3, 4:
		return w.wait()
	case 5:
		return w.pick("stop ", "freeze ", "unfreeze ", "unfreeze ", "block ", "unblock ", "unblock ") + w.tag()
	case 6:
		return w.pick("emit e", "emit e(1)", "x++", "f(2)", "g.m(1)", "noop", "ping")
	case 7:
		return "blend[" + w.pick("cancel", "queue", "discard", "mix", "add") + "] " + w.pick("x", "headPan.val", "g.val")
	default:
		return "echo " + w.value()
	}
}

func (w *writer) command() string {
	if w.depth++; w.depth > 6 {
		w.depth--
		return w.simple()
	}
	defer func() { w.depth-- }()
	body := func() string {
		if w.IntN(2) == 0 {
			return w.statement()
		}
		return "{ " + w.program() + " }"
	}
	switch w.IntN(18) {
	case 0:
		return w.tag() + w.pick("", "+report", "+error") + ": " + w.simple()
	case 1:
		return w.tag() + ": { " + w.program() + " }"
	case 2:
		return "if (" + w.value() + ") { " + w.program() + " } else " + body()
	case 3:
		return "loop { " + w.program() + " }"
	case 4:
		return fmt.Sprintf("loopn (%d) %s", w.IntN(5), body())
	case 5:
		return "for (i=0; i<4; i++) " + body()
	case 6:
		return "every (" + fmt.Sprint(10+w.IntN(90)) + ") " + body()
	case 7:
		return "at (" + w.value() + w.pick("", " ~ 2", " ~ 50ms") + ") { " + w.program() + " } onleave " + body()
	case 8:
		return "whenever (" + w.value() + ") { " + w.program() + " } else " + body()
	case 9:
		return fmt.Sprintf("timeout (%d) %s", w.IntN(200), body())
	case 10:
		return w.pick("stopif", "freezeif") + " (" + w.value() + w.pick("", " ~ 3") + ") " + body()
	case 11:
		return "at (e?(k)) " + body()
	case 12:
		return "foreach k in [1, 2] " + body()
	default:
		return w.simple()
	}
}

func (w *writer) statement() string {
	s := w.command()
	for w.IntN(4) == 0 {
		s += w.pick(" & ", " | ") + w.simple()
	}
	return s
}

func (w *writer) program() string {
	var b strings.Builder
	for range 1 + w.IntN(3) {
		b.WriteString(w.statement() + w.pick("; ", ", "))
	}
	return b.String()
}

const prelude = "def f(n) { return n + 1 } group g {headPan, led}; def g.m(k) { self.val = k time:30 } x = 0; y = 1;"

// act runs random programs of two clients, with holds, for 1.6 s, and returns what
// they are told.
func act(t *testing.T, seed uint64) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 1))}
	m := checkedMachine{newTalker(t), t, 0}
	m.cells["headPan.val"].device.Moves = true
	m.Say(0, "A", prelude)
	m.Say(0, "B", "z = 3;")
	for ms := int64(0); ms < 1600; ms += 20 {
		m.tick(ms)
		switch w.IntN(12) {
		case 0:
			m.Say(Milliseconds(ms+int64(w.IntN(20))), "A", w.program()+"\n")
		case 1:
			m.Say(Milliseconds(ms+int64(w.IntN(20))), "B", w.program()+"\n")
		case 2:
			m.Hold(Milliseconds(ms+3), "")
		case 3, 4:
			m.Resume(Milliseconds(ms+4), "")
		}
		m.check()
	}
	said := fmt.Sprint(m.Lines())
	m.Close(Milliseconds(1600), "B")
	m.Say(Milliseconds(1601), "A", "killall A;")
	m.Say(Milliseconds(1602), "A", "undef f;")
	m.Say(Milliseconds(1603), "A", "undef g.m;")
	m.Close(Milliseconds(1604), "A")
	for _, c := range m.cells {
		if len(c.motions) > 0 {
			t.Errorf("seed %d: %s is moved by nobody", seed, c.name)
		}
	}
	if m.statements != 0 {
		t.Errorf("seed %d: %d statements are left", seed, m.statements)
	}
	return said
}

func TestRandomProgramsKeepToTheirBoundsAndSayTheSameAgain(t *testing.T) {
	spoken := 0
	rapid.Check(t, func(r *rapid.T) {
		seed := rapid.Uint64().Draw(r, "seed")
		first := act(t, seed)
		spoken += len(first)
		if second := act(t, seed); second != first {
			r.Fatalf("seed %d: once it says\n%s\nand once\n%s", seed, first, second)
		}
		if t.Failed() {
			r.Fatalf("seed %d", seed)
		}
	})
	if spoken < 1000 {
		t.Errorf("the programs say only %d bytes", spoken)
	}
}

// TestHeldMotionNeverMoves: whatever programs do, a joint stands while motion is held.
func TestHeldMotionNeverMoves(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		seed := rapid.Uint64().Draw(r, "seed")
		w := &writer{Rand: rand.New(rand.NewPCG(seed, 2))}
		m := newTalker(t)
		pan := m.cells["headPan.val"]
		pan.device.Moves = true
		m.Say(0, "A", prelude)
		for ms := int64(0); ms < 600; ms += 20 {
			m.Tick(Milliseconds(ms))
			if ms%60 == 0 {
				m.Say(Milliseconds(ms+1), "A", w.program()+"\n")
			}
		}
		m.Hold(Milliseconds(601), "")
		m.Outputs()
		for ms := int64(620); ms < 1200; ms += 20 {
			m.Tick(Milliseconds(ms))
			if ms%60 == 0 {
				m.Say(Milliseconds(ms+1), "A", w.program()+"\n")
			}
			for _, o := range m.Outputs() {
				if o.Name == "headPan.val" {
					r.Fatalf("seed %d: at %d ms the head is told %s", seed, ms, o.Value)
				}
			}
		}
	})
}
