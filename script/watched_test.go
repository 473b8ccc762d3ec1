package script

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// lookAt returns what a watched value is, in one line.
func lookAt(t *testing.T, m *Machine, text string) string {
	t.Helper()
	w, f := ParseWatched(text)
	if f != nil {
		return "refused: " + f.Error()
	}
	l := m.Look(m.now, []*Watched{w}, 0)[0]
	if l.Fault != "" {
		return "fault: " + l.Fault
	}
	return strings.TrimSpace(l.Text + " " + l.Unit)
}

func TestAWatchedValueIsWhatAScriptWouldRead(t *testing.T) {
	m := newTalker(t)
	m.Say(0, "A", `count = 3; word = "so"; all = [1, [2, "x"]]; group eyes {headPan, led}; headPan.val = 30 time:1000, def abs(x) { return 7 }`+"\n")
	m.Tick(Milliseconds(500))
	for text, want := range map[string]string{
		"headPan.val":           "15.000000 deg",
		" headPan.val * 2 ":     "30.000000",
		"headPan'n":             "0.582418",
		"headPan->rangemax":     "91.000000",
		"eyes.val":              "15.000000 deg",
		"A.count":               "3.000000",
		"A.word + \"!\"":        `"so!"`,
		"A.all":                 `[1.000000, [2.000000, "x"]]`,
		"A.count > 2 && !false": "1.000000",
		"time":                  "500.000000 ms",
		"max(A.count, 5, -inf)": "5.000000",
		"abs(-2)":               "2.000000", // and not the function of A
		"inf":                   "inf",

		"A.coutn":     "fault: A.coutn is not known now",
		"count":       "fault: count is not known; a variable of a script is NAME.count",
		"headPan":     "fault: the value of headPan is headPan.val",
		"nix->unit":   "fault: nix is not known; a variable of a script is NAME.nix",
		"self.val":    "fault: self is known only in a function",
		"led'n":       "fault: led has no range, so it has no normalized value",
		"1 / 0":       "fault: this divides by 0",
		"A.word * 2":  `fault: * needs two numbers, not the text "so"`,
		"led->colour": "fault: colour is not a property; the properties are unit, rangemin, rangemax and blend.",

		"":                        "refused: line 1, column 1: expected a value, found the end of the command",
		"A.count = 5":             "refused: line 1, column 9: expected one value and no more, found =",
		"A.count++":               "refused: line 1, column 8: expected one value and no more, found ++",
		"A.count; stop all":       "refused: line 1, column 8: expected one value and no more, found ;",
		"random(0, 1)":            "refused: line 1, column 1: random is not called in a watched value, which may change nothing; functions such as abs and max are",
		"1 + max(2, [f(3)])":      "refused: line 1, column 13: f is not called in a watched value, which may change nothing; functions such as abs and max are",
		`say("Hello.")`:           "refused: line 1, column 1: say is not called in a watched value, which may change nothing; functions such as abs and max are",
		"headPan.rest(1)":         "refused: line 1, column 1: headPan.rest is not called in a watched value, which may change nothing; functions such as abs and max are",
		"stop look":               "refused: line 1, column 1: expected a value, found stop, which is a word of the language",
		strings.Repeat("1+", 100): "refused: line 1, column 201: expected a value, found the end of the command",
		strings.Repeat("1", 201):  "refused: line 1, column 1: this has 201 bytes; a watched value has at most 200",
	} {
		if got := lookAt(t, m, text); got != want {
			t.Errorf("%s\n  is   %s\n  want %s", text, got, want)
		}
	}
	m.Say(m.now, "A", `long = ""; for (i = 0; i < 100; i++) { long = long + "0123456789" }; many = []; for (i = 0; i < 900; i++) { many = many + [i] };`+"\n")
	for _, text := range []string{"A.long", "A.many", "[A.many, A.many]"} {
		run(m, int64(m.now/millisecond)+20, int64(m.now/millisecond)+200)
		if got := lookAt(t, m, text); len(got) < 150 || len(got) > 260 || !strings.Contains(got, "..") {
			t.Errorf("%s is %s", text, got)
		}
	}
}

// insides returns everything that can decide what a machine does next.
func insides(m *Machine) string {
	cells := map[string]string{}
	note := func(name string, c *cell) {
		cells[name] = fmt.Sprint(c.value, c.version, c.measured, c.size, len(c.motions), len(c.wants), c.ended, c.listed)
	}
	for name, c := range m.cells {
		note(name, c)
	}
	for _, u := range m.order {
		cells[u.name+" unit"] = fmt.Sprint(u.left, u.cut, u.statements, u.variables, u.tokens, u.leftOut)
		for name, c := range u.cells {
			note(u.name+"."+name, c)
		}
	}
	random := m.random.Int64()
	return fmt.Sprint(cells, random, m.now, m.ticks, m.moment, m.names, m.changes, m.statements, m.memory, m.steps, m.orderLeft, m.isVolatile, len(m.unsettled), len(m.functions), len(m.listeners), m.lastAsk)
}

// Observers watch. So whatever they watch, the machine must go on as if nobody had looked.
func TestWatchingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		var said [2]string
		for look := range said {
			m := New(Config{Seed: 7, Devices: []Device{{Name: "headPan", Unit: "deg", Min: -91, Max: 91, FollowsAtOnce: true}, {Name: "led", FollowsAtOnce: true}}})
			for _, name := range []string{"A", "B"} {
				if err := m.Open(0, name, false); err != nil {
					t.Fatal(err)
				}
			}
			w, viewer := &writer{Rand: rand.New(rand.NewPCG(seed, 1))}, &writer{Rand: rand.New(rand.NewPCG(seed, 2))}
			m.Say(0, "A", strings.Replace(prelude, "{ return", "{ y++; headPan.val = y; echo y; return", 1)+"\n")
			for tick := range 20 {
				if tick%5 == 0 {
					m.Say(m.now, w.pick("A", "B"), w.program()+"\n")
				}
				m.Tick(Milliseconds(20 * int64(tick+1)))
				if look == 1 {
					var all []*Watched
					for range 10 {
						text := viewer.value() + viewer.pick("", " + ", " && ", " == ") + viewer.value()
						if one, f := ParseWatched(strings.Replace(text, "led.val", "led'n + led->rangemax", 1)); f == nil {
							all = append(all, one)
						}
					}
					m.Look(m.now, all, tick)
				}
				said[look] += fmt.Sprintln(m.Lines(), m.Outputs(), m.Asks(), insides(m))
			}
		}
		if said[0] != said[1] {
			t.Errorf("without a viewer the machine does\n%s\nwith one\n%s", said[0], said[1])
		}
	})
}

func TestALookTakesBoundedSteps(t *testing.T) {
	m := newTalker(t)
	m.Say(0, "A", "many = []; for (i = 0; i < 99; i++) { many = many + [i] };\n")
	run(m, 20, 400)
	costly, f := ParseWatched("A.many == A.many" + strings.Repeat(" && A.many+[]==A.many", 3))
	if f != nil {
		t.Fatal(f)
	}
	cheap, _ := ParseWatched("1 + 1")
	all := []*Watched{costly, costly, costly, cheap}
	refused := map[int]int{}
	for begin := range len(all) {
		for i, l := range m.Look(m.now, all, begin) {
			if strings.HasPrefix(l.Fault, "what is watched takes more than 1000 steps") {
				refused[i]++
			} else if l.Text != "1.000000" && i < 3 || i == 3 && l.Text != "2.000000" {
				t.Errorf("value %d is %+v", i, l)
			}
		}
	}
	for i := range all {
		if refused[i] == 0 || refused[i] == len(all) {
			t.Errorf("value %d is left out in %d of %d looks; each one has its turn", i, refused[i], len(all))
		}
	}
}
