package script

import (
	"fmt"
	"testing"
)

// BenchmarkATickWith100WaitingRules is the cost of rules that wait for what does not
// happen: mybot's control loop pays it at each reading.
func BenchmarkATickWith100WaitingRules(b *testing.B) {
	m := newTalker(b)
	m.Say(0, "A", "battery = 80; near = 3; hour = 12;")
	for i := range 100 {
		m.Say(0, "A", fmt.Sprintf("rule%d: at (battery < %d && hour > 6 ~ 5s) { echo \"low\" } onleave echo \"charged\";", i, i%50))
	}
	ms := int64(0)
	b.ReportAllocs()
	for b.Loop() {
		ms += 20
		m.Tick(Milliseconds(ms))
	}
	if n := len(m.Lines()); n > 0 {
		b.Fatalf("%d lines are said", n)
	}
}

// BenchmarkTenThousandSteps is the most that scripts can take of a tick.
func BenchmarkTenThousandSteps(b *testing.B) {
	m := newTalker(b)
	m.Say(0, "A", "n = 0; for (i=0; 1; i++) n = n + i * 2,")
	m.Say(0, "B", "n = 0; for (i=0; 1; i++) { if (i > 3) n = n + 1 else n = 0 },")
	ms, before := int64(0), m.steps
	b.ReportAllocs()
	for b.Loop() {
		ms += 20
		m.Tick(Milliseconds(ms))
		m.orderLeft = 0
	}
	b.ReportMetric(float64(m.steps-before)/float64(b.N), "steps/op")
}

// BenchmarkAQuestion is what a question costs in the machine.
func BenchmarkAQuestion(b *testing.B) {
	m := newTalker(b)
	b.ReportAllocs()
	ms := int64(0)
	for b.Loop() {
		if ms++; ms%20 == 0 {
			m.Tick(Milliseconds(ms))
		}
		m.Say(Milliseconds(ms), "A", "q: headPan.val;\n")
		m.Lines()
	}
}
