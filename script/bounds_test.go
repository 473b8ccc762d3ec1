package script

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

// newTalker returns a machine with the connections A and B and a device.
func newTalker(t testing.TB) *Machine {
	t.Helper()
	m := New(Config{Devices: []Device{{Name: "headPan", Unit: "deg", Min: -91, Max: 91, FollowsAtOnce: true}, {Name: "led", FollowsAtOnce: true}}})
	for _, name := range []string{"A", "B"} {
		if err := m.Open(0, name, false); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// sayAll returns the lines that a machine said, without their times.
func sayAll(m *Machine) []string {
	var said []string
	for _, l := range m.Lines() {
		said = append(said, l.Unit+" "+l.Text)
	}
	return said
}

// run runs ticks from one time to another.
func run(m *Machine, from, to int64) {
	for ms := from; ms <= to; ms += 20 {
		m.Tick(Milliseconds(ms))
	}
}

func TestWhatIsBeyondABoundIsNamedAndNothingElseSuffers(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("{", n) + "noop" + strings.Repeat("}", n) + ";" }
	var variables, statements strings.Builder
	for i := range MaxVariables + 1 {
		fmt.Fprintf(&variables, "v%d = %d;\n", i, i)
	}
	for i := range MaxUnitStatements + 1 {
		fmt.Fprintf(&statements, "w%d: wait(1h),\n", i)
	}
	for _, c := range []struct{ name, text, want string }{
		{"a long command", "x = 1" + strings.Repeat(" ", MaxScript) + ";", "a command has at most 65536"},
		{"deep blocks", nested(MaxNesting + 1), "blocks and brackets are nested more than 64 deep"},
		{"deep brackets", strings.Repeat("(", 200) + "1" + strings.Repeat(")", 200) + ";", "nested more than 64 deep"},
		{"deep signs", "x = " + strings.Repeat("- ", 200) + "1;", "nested more than 64 deep"},
		{"deep controls", strings.Repeat("loop ", 100) + "noop;", "nested more than 64 deep"},
		{"deep powers", "x = 1" + strings.Repeat("^1", 100) + ";", "nested more than 64 deep"},
		{"a long text", `x = "` + strings.Repeat("x", MaxText+1) + `";`, "a text has at most 4096"},
		{"a text that grows", `x = "` + strings.Repeat("x", 3000) + `"; x = x + x;`, "a text has at most 4096"},
		{"a long list", "x = [1" + strings.Repeat(",1", MaxList) + "];", "a list has at most 1000"},
		{"a list that grows", "x = [1]; loopn (10) x = x + x;", "a list has at most 1000"},
		{"a list that deepens", "x = []; loopn (70) x = [x];", "lists would be nested more than 64 deep"},
		{"memory", `t = "` + strings.Repeat("x", 4000) + `"; l = [t]; loopn (9) l = l + l; a = l; b = l; c = l; d = l;`, "all scripts share 4 MiB"},
		{"variables", variables.String(), "A has 1000 variables, which is the most it can have"},
		{"statements", statements.String(), "256 statements are running in A, and no more can run until one ends"},
		{"calls", "def f(n) { f(n + 1) } f(0);", "calls are nested more than 64 deep; f may be calling itself"},
		{"calls in values", "def f(n) { return f(n + 1) } x = f(0);", "calls are nested more than 64 deep"},
		{"binary data", "x = BIN 2000000 wav;", "binary data has at most"},
		{"values of a call", "max(1" + strings.Repeat(",1", MaxList) + ");", "max takes 1 to 1000 values, not 1001"},
		{"emissions", "at (e?) noop; for (i=0; i<300; i++) emit e;", "256 emissions of e are waiting"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newTalker(t)
			m.Say(0, "A", c.text+"\n")
			run(m, 20, 200)
			m.Say(Milliseconds(210), "B", "1+1;")
			m.Say(Milliseconds(210), "A", "stop w0; q: 2+2;")
			run(m, 220, 300)
			said := strings.Join(sayAll(m), "\n")
			if !strings.Contains(said, c.want) {
				t.Errorf("it says\n%.400s\nwant %q", said, c.want)
			}
			if !strings.Contains(said, "B 2.000000") || !strings.Contains(said, "A 4.000000") {
				t.Errorf("somebody is not served:\n%.400s", said)
			}
			if m.memory > MaxMemory || m.statements > MaxStatements {
				t.Errorf("%d bytes and %d statements are in use", m.memory, m.statements)
			}
		})
	}
}

func TestBlocksBracketsAndControlsAreNested64DeepAndNoDeeper(t *testing.T) {
	for _, c := range []struct{ name, open, middle, closed string }{
		{"blocks", "{", "echo 1", "}"},
		{"brackets", "(", "1", ")"},
		{"lists", "[", "", "]"},
		{"calls", "abs(", "1", ")"},
		{"controls", "if (1) ", "echo 1", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, n := range []int{MaxNesting, MaxNesting + 1} {
				_, faults := Parse(strings.Repeat(c.open, n) + c.middle + strings.Repeat(c.closed, n) + ";")
				if isRefused := len(faults) > 0; isRefused != (n > MaxNesting) {
					t.Errorf("%d %s in each other: %v", n, c.name, faults)
				}
			}
		})
	}
}

func TestAScriptIsAtMost64KiB(t *testing.T) {
	_, faults := Parse(strings.Repeat(" ", MaxScript+1))
	if len(faults) != 1 || !strings.Contains(faults[0].Error(), "a script has at most 65536") {
		t.Errorf("Parse says %v", faults)
	}
}

func TestAnEndlessProgramTakesItsShareOfATickAndIsNamed(t *testing.T) {
	m := newTalker(t)
	m.Say(0, "A", "n = 0; for (i=0; 1; i++) n = n + 1,")
	m.Say(0, "B", "every (20ms) led.val = led.val + 1,")
	last := m.steps
	for ms := int64(20); ms <= 2000; ms += 20 {
		m.Tick(Milliseconds(ms))
		if taken := m.steps - last; taken > MaxSteps {
			t.Fatalf("the tick at %d ms takes %d steps", ms, taken)
		}
		last = m.steps
		m.Lines()
		m.Say(Milliseconds(ms+5), "B", "ask: 1;")
		if said := sayAll(m); len(said) != 1 || said[0] != "B 1.000000" {
			t.Fatalf("at %d ms a question of B is answered with %q", ms, said)
		}
	}
	if n := m.cells["led.val"].value.number; n != 101 {
		t.Errorf("B had %v turns; want 101", n)
	}
	if n := m.units["A"].cells["n"].value.number; n < 100*MaxSteps/4 {
		t.Errorf("A had only %v turns", n)
	}
	m = newTalker(t)
	m.Say(0, "A", "for (i=0; 1; i++) noop = 1;")
	m.Say(0, "A", "for (i=0; 1; i++) n = 1;")
	run(m, 20, 3000)
	var named []string
	for _, l := range sayAll(m) {
		if strings.Contains(l, "needs more steps") {
			named = append(named, l)
		}
	}
	if len(named) != 1 || !strings.HasPrefix(named[0], "A *** A needs more steps than it can have") {
		t.Errorf("it is named by %q", named)
	}
}

func TestStepsAreSharedRoundRobin(t *testing.T) {
	m := New(Config{})
	for i := range 4 {
		name := fmt.Sprintf("U%d", i)
		if err := m.Open(0, name, false); err != nil {
			t.Fatal(err)
		}
		m.Say(0, name, "n = 0; for (i=0; 1; i++) n = n + 1;")
	}
	run(m, 20, 1000)
	first := m.units["U0"].cells["n"].value.number
	for _, u := range m.order {
		if n := u.cells["n"].value.number; n < 0.7*first || n > 1.3*first {
			t.Errorf("%s had %v turns and U0 %v", u.name, n, first)
		}
	}
}

func TestAUnitSays200LinesASecond(t *testing.T) {
	m := newTalker(t)
	m.Say(0, "A", "loopn (1200) echo 1;")
	m.Say(0, "B", "echo 2;")
	run(m, 20, 40)
	said := sayAll(m)
	if n := len(said); n < 1000 || n > 1010 {
		t.Errorf("%d lines are said at once", n)
	}
	if all := strings.Join(said, "\n"); !strings.Contains(all, "B 2.000000") || !strings.Contains(all, "A *** 200 lines left out; 200 a second are sent") {
		t.Errorf("it ends with %q", said[len(said)-3:])
	}
	run(m, 60, 1100)
	m.Say(Milliseconds(1101), "A", "every (1ms) echo 3,")
	run(m, 1120, 11100)
	said = sayAll(m)
	if n := len(said); n < 2000 || n > 2250 {
		t.Errorf("in 10 s it says %d lines", n)
	}
	if n := strings.Count(strings.Join(said, "\n"), "lines left out"); n < 9 || n > 10 {
		t.Errorf("in 10 s of too many lines it is told %d times how many are left out; want once a second", n)
	}
}

func TestTenFaultsASecondStopTheirTagAndNoOther(t *testing.T) {
	m := newTalker(t)
	m.Say(0, "A", "bad: loop { nix; wait(30ms) }, good: every (100ms) led.val = led.val + 1,")
	m.Say(0, "B", "bad: { wait(1s) | echo \"never\" }, slow: every (200ms) nix,")
	run(m, 20, 3000)
	said := strings.Join(sayAll(m), "\n")
	if !strings.Contains(said, "A !!! 10 faults in a second; bad is stopped") || strings.Contains(said, "never") || strings.Contains(said, "slow is stopped") {
		t.Errorf("it says\n%s", said)
	}
	if n := m.cells["led.val"].value.number; n != 31 {
		t.Errorf("the good tag had %v turns; want 31", n)
	}
}

func TestAllMemoryIsGivenBack(t *testing.T) {
	m := newTalker(t)
	m.Say(0, "A", `def f(a) { var b = [a, a]; wait(50ms) } x = "text"; loopn (20) f("x"), t: { var y = [1, 2, 3]; every (10ms) { var z = y; z } },`)
	m.Say(0, "A", `foreach e in [1, 2] { at (e?(k)) k; emit e(3) }, x = 5 time:100; unfinished (`)
	run(m, 20, 3000)
	m.Close(Milliseconds(3010), "A")
	m.Say(Milliseconds(3020), "B", "undef f;")
	m.Close(Milliseconds(3030), "B")
	if m.statements != 0 || len(m.order) != 0 {
		t.Errorf("%d statements and %d units are left", m.statements, len(m.order))
	}
	m = newTalker(t)
	m.Say(0, "A", `x = 1; y = "text"; at (x > 3) { echo 1 } t: wait(1s),`)
	run(m, 20, 100)
	m.Close(Milliseconds(110), "A")
	if m.memory != 0 {
		t.Errorf("%d bytes are left after a connection", m.memory)
	}
}

// Each command waits behind the first, with the bytes behind it and all that came with it.
func TestCommandsThatWaitCountWithAllThatTheyKeep(t *testing.T) {
	for _, c := range []struct {
		name, text  string
		least, most int // of them that wait
	}{
		{"sounds", "x = BIN 1000000 wav;" + strings.Repeat("a", 1_000_000), 3, 4},
		{"what follows a text that is too long", `"` + strings.Repeat("a", 32_000) + `"; x = 1;`, 100, 30_000},
	} {
		m := newTalker(t)
		m.Say(0, "A", "wait(1h);")
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for range 300 {
			m.Say(0, "A", strings.Clone(c.text))
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if waiting := len(m.units["A"].root.items) - 1; waiting < c.least || waiting > c.most {
			t.Errorf("%s: %d commands wait", c.name, waiting)
		}
		if grown := int(after.HeapAlloc) - int(before.HeapAlloc); grown > MaxMemory*3/2 {
			t.Errorf("%s: %d KiB are kept", c.name, grown>>10)
		}
		said := ""
		for _, l := range m.Lines() {
			said += l.String() + "\n"
		}
		if c.least == 3 && !strings.Contains(said, "this command is left out: the 4 MiB that all scripts share are used") {
			t.Errorf("%s: it says %.500s", c.name, said)
		}
	}
}

func TestWhatLooksAtManyThingsTakesManySteps(t *testing.T) {
	var many strings.Builder
	for i := range 200 {
		fmt.Fprintf(&many, "var%d = 1; at (e?) x%d = 1; ", i, i)
	}
	for name, text := range map[string]string{
		"emit":  "for (i=0; 1; i++) emit e,",
		"stop":  "for (i=0; 1; i++) stop nothing,",
		"fault": "loop { for (j=0; j<9999; j++) { a: nix; b: nix } },",
	} {
		m := newTalker(t)
		m.Say(0, "A", many.String())
		m.Say(0, "A", "x = 0; "+text)
		run(m, 20, 100)
		before, commands := m.steps, m.moments
		m.Tick(Milliseconds(120))
		if taken := m.steps - before; taken > MaxSteps+1000 {
			t.Errorf("%s: a tick takes %d steps", name, taken)
		}
		if n := m.moments - commands; n > MaxSteps/2 {
			t.Errorf("%s: a tick has %d commands", name, n)
		}
	}
}

func TestAListThatIsSaidTakesStepsForEachElement(t *testing.T) {
	for name, element := range map[string]string{"empty texts": `""`, "numbers": "1", "texts": `"` + strings.Repeat("a", 60) + `"`} {
		m := newTalker(t)
		m.Say(0, "A", "l = ["+strings.TrimSuffix(strings.Repeat(element+",", 900), ",")+"]; for (i=0; 1; i++) echo l,")
		run(m, 20, 100)
		said := 0
		for ms := int64(120); ms <= 500; ms += 20 {
			m.Lines()
			m.units["A"].tokens = MaxLines
			m.Tick(Milliseconds(ms))
			said = max(said, len(m.Lines()))
		}
		if most := MaxSteps/(2*900) + 1; said == 0 || said > most {
			t.Errorf("%s: a tick says %d lists of 900, want 1 to %d", name, said, most)
		}
	}
}

// The text of one is 64 times as long as a line.
func TestAListThatIsSaidIsWrittenNoFurtherThanALineIsLong(t *testing.T) {
	l := Text(strings.Repeat("ü", MaxText/2))
	for range 10 {
		l = List(l, l)
	}
	m := newTalker(t)
	s := &scope{machine: m, unit: m.units["A"], names: m.units["A"]}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s.sayValue(0, l)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 16*maxLine {
		t.Errorf("%d KiB are allocated", took>>10)
	}
	whole, cut := l.String(), maxLine
	for !utf8.RuneStart(whole[cut]) {
		cut--
	}
	if lines := m.Lines(); len(lines) != 1 || lines[0].Text != whole[:cut]+".." {
		t.Errorf("it says %d lines", len(lines))
	}
}

func TestACallWithinAValueEndsAlthoughTheTickHasNoStepsLeft(t *testing.T) {
	m := newTalker(t)
	m.Say(0, "A", "n = 0; def after(x) { for (var i = 0; i < 50; i++) {}; return x + 1 };")
	m.Say(0, "B", "def endless() { loop {} }; def long() { for (var i = 0; i < 9999; i++) {}; return 1 };")
	m.Say(0, "A", "for (i=0; 1; i++) n = after(n),")
	run(m, 20, 100)
	before := m.units["A"].cells["n"].value.number
	run(m, 120, 1100)
	if said := sayAll(m); len(said) != 1 || !strings.Contains(said[0], "needs more steps than it can have") {
		t.Errorf("it says %q", said)
	}
	if turns := m.units["A"].cells["n"].value.number - before; turns < 1000 {
		t.Errorf("in a second it has %v turns", turns)
	}
	for text, want := range map[string]string{"x = long();": "takes too many steps to be used in a value", "x = endless();": "takes time"} {
		m.Say(1110, "B", text)
		last := m.steps
		run(m, 1120, 1200)
		if said := sayAll(m); len(said) != 1 || !strings.Contains(said[0], want) {
			t.Errorf("%s says %q", text, said)
		}
		if taken := m.steps - last; taken > 5*MaxSteps+2*overdraft {
			t.Errorf("%s takes %d steps in five ticks", text, taken)
		}
	}
}

func TestWhatTakesLongerThanAStepTakesMore(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		steps int // at least, of a turn
	}{
		"a turn of foreach":       {"loopn (1000000) foreach x in [" + strings.TrimSuffix(strings.Repeat("1,", 900), ",") + "] { n = n + 1 },", 8},
		"a block with a variable": {"for (i=0; 1; i++) { var a = 1; n = n + a },", 8},
		"a call":                  {"for (i=0; 1; i++) count(1),", 8},
		"a call in a value":       {"for (i=0; 1; i++) n = after(n),", 8},
		"a tag":                   {"for (i=0; 1; i++) a: n = n + 1,", 5},
		"a timeout":               {"for (i=0; 1; i++) timeout (1s) n = n + 1,", 6},
		"a stopif":                {"for (i=0; 1; i++) stopif (0) n = n + 1,", 6},
		"a freezeif":              {"for (i=0; 1; i++) freezeif (0) n = n + 1,", 8},
		"joining texts":           {"for (i=0; 1; i++) { s = long + long; n = n + 1 },", 12},
	} {
		m := newTalker(t)
		m.Say(0, "A", `n = 0; def count(x) { n = n + x; }; def after(x) { return x + 1 }; long = "`+strings.Repeat("a", 1500)+`"; `)
		m.Say(0, "A", strings.Clone(c.text))
		run(m, 20, 100)
		before := m.units["A"].cells["n"].value.number
		m.Tick(Milliseconds(120))
		if turns := m.units["A"].cells["n"].value.number - before; turns < 100 || turns > float64(MaxSteps/c.steps) {
			t.Errorf("%s: a tick has %v turns, want 100 to %d", name, turns, MaxSteps/c.steps)
		}
	}
}

func TestATextIsQuotedWithoutPreparation(t *testing.T) {
	v := Text(`a "quoted" text`)
	if n := testing.AllocsPerRun(100, func() { _ = v.String() }); n > 2 {
		t.Errorf("it allocates %g times, want 2 at most: the text with escapes, and that with quotes", n)
	}
}

func TestAnEventThatIsHeardTooOftenLeavesOthersAlone(t *testing.T) {
	m := newTalker(t)
	m.Say(0, "A", "at (e?(k)) wait(100ms); loopn (200) emit e(1); loopn (100) emit e(2);")
	run(m, 20, 300)
	m.Lines()
	m.Say(Milliseconds(301), "A", "at (e?(k)) echo k; emit e(3); echo 4;")
	if said := strings.Join(sayAll(m), ","); said != "A 4.000000,A 3.000000" {
		t.Errorf("it says %s", said)
	}
}

// pairedGroups defines 14 groups on a device or group, each of which has the two below it as
// members, so that the last one, NAMEg7, reaches its base 128 times.
func pairedGroups(name, base string) string {
	var text strings.Builder
	below := base
	for i := range 7 {
		fmt.Fprintf(&text, "group %[1]sg%[2]d {%[3]s}; group %[1]sh%[2]d {%[3]s};\n", name, i+1, below)
		below = fmt.Sprintf("%[1]sg%[2]d, %[1]sh%[2]d", name, i+1)
	}
	return text.String()
}

// Each of the groups has few members when it is defined. With a further stage the control
// loop would not come back.
func TestNoGroupGetsMoreMembersThanItMayByTheChangeOfAnother(t *testing.T) {
	m := newTalker(t)
	m.Say(0, "A", "group inner {led}; group outer {led};\n"+pairedGroups("i", "inner")+pairedGroups("o", "outer"))
	m.Say(Milliseconds(20), "A", "group outer {ig7}; group outer;\n")
	m.Say(Milliseconds(40), "A", "undef outer; group outer {ig7}; group outer {headPan}; group outer;\n")
	run(m, 40, 200)
	said := strings.Join(sayAll(m), "\n")
	const refused = "a group that contains outer would have more than 256 members, with theirs"
	if strings.Count(said, refused) != 2 || !strings.Contains(said, `A ["led"]`) || !strings.Contains(said, `A ["headPan"]`) {
		t.Errorf("it says\n%s", said)
	}
}

func TestAGroupIsDefinedWithNoMoreMembersThanItMayHave(t *testing.T) {
	m := newTalker(t)
	m.Say(0, "A", "group all {led"+strings.Repeat(", led", 10_000)+"};\n")
	run(m, 20, 200)
	if said := strings.Join(sayAll(m), "\n"); !strings.Contains(said, "all would have 10001 members; a group has at most 256") {
		t.Errorf("it says\n%s", said)
	}
}

func TestWhatIsComparedWithManyNamesTakesManySteps(t *testing.T) {
	many := func(text string) string {
		var all strings.Builder
		for i := range 500 {
			fmt.Fprintf(&all, text+"\n", i)
		}
		return all.String()
	}
	deep := func(inner string) string { return strings.Repeat("t: {", 50) + inner + strings.Repeat("}", 50) }
	const again = "for (i=0; 1; i++) "
	const ticks = 10
	for _, c := range []struct {
		name, before, text string
		turns              float64 // in one tick, at most
	}{
		{"members of a group that is set", "group all {led};" + pairedGroups("", "all"), again + "{ n++; g7.val = 1 },", MaxSteps / 128},
		{"members of a group that is called", "group all {led}; def led.f() {};" + pairedGroups("", "all"), again + "{ n++; g7.f() },", MaxSteps / 128},
		{"tags that are blocked", many("block x%d;"), deep(again+"u: n++") + ",", MaxSteps * comparedInAStep / 500 / 50},
		{"tags that are frozen", many("freeze x%d;"), deep(again+"{ n++ }") + ",", MaxSteps * comparedInAStep / 500 / 50},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newTalker(t)
			m.Say(0, "A", c.before+"n = 0;\n")
			run(m, 20, 400)
			m.Say(Milliseconds(410), "A", c.text+"\n")
			run(m, 420, 400+20*ticks)
			if n, _ := m.units["A"].cells["n"].value.Number(); n < 1 || n > ticks*c.turns {
				t.Errorf("%g turns in %d ticks, want 1 to %g; it says\n%s", n, ticks, ticks*c.turns, sayAll(m))
			}
		})
	}
}

func TestOfManyLongNamesNoneIsSuggested(t *testing.T) {
	for _, c := range []struct {
		length  int
		suggest bool
	}{{9, true}, {90, false}} {
		m := newTalker(t)
		for i := range 950 {
			m.Say(0, "A", fmt.Sprintf("v%s%03d = 1;\n", strings.Repeat("x", c.length-4), i))
		}
		m.Say(0, "A", fmt.Sprintf("y = w%s042;\n", strings.Repeat("x", c.length-4)))
		run(m, 20, 400)
		said := strings.Join(sayAll(m), "\n")
		if !strings.Contains(said, "is not known.") || strings.Contains(said, "Did you mean") != c.suggest {
			t.Errorf("of names with %d letters it says\n%s", c.length, said)
		}
	}
}
