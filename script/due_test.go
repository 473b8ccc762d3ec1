package script

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// forward leaves out of a program what can say a time that is over: an event that emits
// itself stays in its time, and what is ended while it is frozen ended then.
var forward = strings.NewReplacer("emit e(1)", "echo 1", "emit e", "echo 1", "freezeif", "stopif", "unfreeze", "unblock", "freeze", "stop")

// TestWhatIsSaidComesInOrderOfTime: whatever programs do, and whenever they are sent, the
// lines of all units come in order of their times, unless a bound is reached.
func TestWhatIsSaidComesInOrderOfTime(t *testing.T) {
	between := 0
	say := func(t *testing.T, seed uint64) {
		w := &writer{Rand: rand.New(rand.NewPCG(seed, 3))}
		m := newTalker(t)
		m.Say(0, "A", prelude)
		m.Say(0, "B", "z = 3;")
		var last Time
		hear := func(what string, at int64) {
			for _, l := range m.Lines() {
				if l.Time < last {
					t.Fatalf("seed %d: %s at %d ms says %s after %d us", seed, what, at, l, last)
				}
				if last = l.Time; l.Time%(20*millisecond) != 0 {
					between++
				}
			}
		}
		for ms := int64(0); ms < 1600; ms += 20 {
			m.Tick(Milliseconds(ms))
			hear("the tick", ms)
			if at := ms + int64(w.IntN(20)); w.IntN(4) == 0 {
				m.Say(Milliseconds(at), w.pick("A", "B"), forward.Replace(w.program())+"\n")
				hear("an order", at)
			}
			if m.caught >= maxCatchUp || m.cutUnits() > 0 || max(m.units["A"].statements, m.units["B"].statements) > MaxUnitStatements/2 {
				return
			}
		}
	}
	for seed := range uint64(150) {
		say(t, seed)
	}
	if between < 1000 {
		t.Errorf("only %d lines are said between two ticks", between)
	}
}

func TestCatchingUpTakesStepsOfTheTick(t *testing.T) {
	for _, c := range []struct {
		name, text string
		turns      int64 // that must be done in 1 s
	}{
		{"waits of 20 us", "loop { wait(0.02) | n++ },", 50_000},
		{"waits of 1 us, which are too many", "loop { wait(0.001) | n++ },", 50_000},
		{"an event that emits itself", "at (e?) { n++; emit e }; emit e; loop wait(0.1),", 50},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := checkedMachine{newTalker(t), t, 0}
			m.Say(0, "A", "n = 0; "+c.text)
			m.Say(0, "B", "every (100ms) 1,")
			m.Lines()
			before, lines := m.Machine.steps, 0
			for ms := int64(20); ms <= 1000; ms += 20 {
				m.tick(ms)
				lines += len(m.Lines())
				m.Say(Milliseconds(ms+7), "B", "2,")
				if said := m.Lines(); len(said) == 0 || said[len(said)-1].Text != "2.000000" {
					t.Fatalf("at %d ms a question is answered by %v", ms+7, said)
				}
				m.check()
			}
			if lines != 10 {
				t.Errorf("another rule says %d lines in a second", lines)
			}
			if taken := m.Machine.steps - before; taken > 50*MaxSteps {
				t.Errorf("%d steps are taken in 50 ticks", taken)
			}
			if n, _ := m.units["A"].cells["n"].value.Number(); int64(n) < c.turns {
				t.Errorf("%v turns are done; want %d", n, c.turns)
			}
		})
	}
}

func TestNothingIsAllocatedWhileNothingIsDue(t *testing.T) {
	m := newTalker(t)
	for range 50 {
		m.Say(0, "A", "x = 0; at (x > 1 ~ 5s) echo x; every (1h) 1; whenever (x > 2 ~ 3) 2;")
	}
	m.Tick(0)
	ms := int64(0)
	if n := testing.AllocsPerRun(100, func() {
		ms += 20
		m.Measure("headPan.val", Number(float64(ms)))
		m.Tick(Milliseconds(ms))
		m.Hear(Milliseconds(ms+3), "A")
	}); n > 0 {
		t.Errorf("%v allocations in a tick", n)
	}
}

func TestTheTurnsOfALoopAllocateNothing(t *testing.T) {
	m := newTalker(t)
	m.Say(0, "A", "n = 0; for (i = 0; 1; i++) { if (i > 3) n = n + 1 else n = 0 },")
	m.Say(0, "B", "loop { loopn (100000) { k = 1 + 1 } },")
	ms := int64(0)
	if n := testing.AllocsPerRun(100, func() {
		ms += 20
		m.Tick(Milliseconds(ms))
	}); n > 1 { // of a loopn that ends
		t.Errorf("%v allocations in a tick", n)
	}
}

func TestAReadingIsNotSeenBeforeItsTick(t *testing.T) {
	h := newHost(t)
	h.send(0, "at (battery.val < 20) echo time; every (7ms) if (battery.val < 20) echo battery.val,")
	h.until(20)
	h.expect()
	h.Measure("battery.val", Number(19))
	h.until(40)
	h.expect("[000000040:notag] 40.000000")
	h.until(60)
	h.expect("[000000042:notag] 19.000000", "[000000049:notag] 19.000000", "[000000056:notag] 19.000000")
}

func TestWhatWasDueBeforeAHoldDoesNotMove(t *testing.T) {
	h := newHost(t)
	h.send(0, "wait(30ms) | { wheelL.val = 9 & goto(\"Desk\") & echo \"late\" };")
	h.Hold(Milliseconds(35), "")
	h.drain()
	h.until(200)
	h.expect(`[000000030:notag] "late"`)
	if _, moves := h.told["wheelL.val"]; moves {
		t.Error("a wheel moves")
	}
	if len(h.asks) > 0 {
		t.Errorf("it asks for %v", h.asks)
	}
	h.Resume(Milliseconds(205), "")
	h.drain()
	h.expectTold("wheelL.val", "9.000000")
	if len(h.asks) != 1 {
		t.Errorf("after Resume it asks for %v", h.asks)
	}
}
