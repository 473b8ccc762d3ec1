package handlers

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"mybot/script"
)

// A scriptWord is a word that a script may contain, for completion.
type scriptWord struct {
	Word   string `json:"word"` // as it is inserted
	Kind   string `json:"kind"` // statement, function, device, place or job
	Detail string `json:"detail"`
}

// ScriptNames are the names that the robot adds to the language.
type ScriptNames struct {
	Devices   []script.Device
	Functions []script.Function
}

// scriptStatements are the words of the language itself: its keywords, and the modifiers.
var scriptStatements = []scriptWord{
	{"at", "statement", "at (test) command: once when the test becomes true"},
	{"onleave", "statement", "after at: once when the test becomes false again"},
	{"whenever", "statement", "whenever (test) command: again and again while the test is true"},
	{"every", "statement", "every (30min) command: at once, then every 30 minutes"},
	{"if", "statement", "if (test) command else command"},
	{"else", "statement", "after if or whenever"},
	{"while", "statement", "while (test) command"},
	{"loop", "statement", "loop command: without end"},
	{"loopn", "statement", "loopn (3) command: three times"},
	{"for", "statement", "for (i = 0; i < 3; i++) command"},
	{"foreach", "statement", "foreach x in [1, 2] command"},
	{"in", "statement", "foreach x in [1, 2] command"},
	{"wait", "statement", "wait(2s)"},
	{"waituntil", "statement", "waituntil(test)"},
	{"sleep", "statement", "sleep(2s): the same as wait(2s)"},
	{"timeout", "statement", "timeout (5s) command: ended after 5 s"},
	{"stopif", "statement", "stopif (test) command: ended when the test is true"},
	{"freezeif", "statement", "freezeif (test) command: frozen while the test is true"},
	{"stop", "statement", "stop tag: ends what runs under it"},
	{"freeze", "statement", "freeze tag: its clock stands"},
	{"unfreeze", "statement", "unfreeze tag: it continues"},
	{"block", "statement", "block tag: ends it and lets nothing begin under it"},
	{"unblock", "statement", "unblock tag"},
	{"emit", "statement", "emit name(42): an event"},
	{"echo", "statement", "echo value: a line of output"},
	{"load", "statement", "load \"name\": runs the text of a saved script as a block"},
	{"var", "statement", "var x = 1: a variable of this block"},
	{"def", "statement", "def f(x) { return x + 1; }"},
	{"undef", "statement", "undef f: removes a function"},
	{"self", "statement", "in def head.rest() {..}: the device or group, here head"},
	{"return", "statement", "return value: of a function"},
	{"group", "statement", "group head {headPan, headTilt}"},
	{"only", "statement", "only head.x, or @head.x: of the group itself, not of its members"},
	{"blend", "statement", "blend[mix] x: what two settings of one value do"},
	{"unit", "statement", "unit x: the unit of a value"},
	{"rangemin", "statement", "rangemin x: the least value that x can have"},
	{"rangemax", "statement", "rangemax x: the greatest value that x can have"},
	{"info", "statement", "info x: what is known about a value"},
	{"noop", "statement", "nothing, for one tick"},
	{"inf", "statement", "infinity"},
	{"pi", "statement", "3.14159.."},
	{"true", "statement", "1"},
	{"false", "statement", "0"},
	{"BIN", "statement", "BIN 2048 wav: so many bytes follow the command"},
	{"motoron", "statement", "for a connection: takes control, so that it may move the robot"},
	{"motoroff", "statement", "for a connection: gives control back"},
	{"motor", "statement", "motor on, motor off: the same as motoron and motoroff"},
	{"devices", "statement", "lists the devices"},
	{"connections", "statement", "lists the connections and scripts"},
	{"ping", "statement", "answered by *** pong"},
	{"killall", "statement", "killall name: ends what a connection or a script runs"},
	{"quit", "statement", "ends the connection"},
	{"time:", "modifier", "time:1000, at constant speed within 1 s"},
	{"speed:", "modifier", "speed:0.2, per second"},
	{"accel:", "modifier", "accel:1, per second squared"},
	{"smooth:", "modifier", "smooth:1000, half a cosine within 1 s"},
	{"sin:", "modifier", "sin:2000 ampli:30, swings with a period of 2 s"},
	{"ampli:", "modifier", "the amplitude of sin:"},
	{"phase:", "modifier", "the phase of sin:, in degrees"},
}

// serveScriptWords lists the words for completion: those of the language, the robot's
// devices and functions, places of the map, and jobs.
func (h *Handler) serveScriptWords(w http.ResponseWriter, _ *http.Request) {
	words := append([]scriptWord{}, scriptStatements...)
	if h.cfg.Scripts.Names != nil {
		names := h.cfg.Scripts.Names()
		for _, d := range names.Devices {
			words = append(words, wordOfDevice(d))
		}
		for _, f := range names.Functions {
			isStatement := func(w scriptWord) bool { return w.Word == f.Name } // such as motoron
			if !slices.ContainsFunc(scriptStatements, isStatement) {
				words = append(words, scriptWord{f.Name, "function", describeFunction(f)})
			}
		}
	}
	for _, p := range h.cfg.floorplan().Places {
		words = append(words, scriptWord{strconv.Quote(p.Name), "place", "a place on the map"})
	}
	if h.cfg.Jobs != nil {
		for _, j := range h.cfg.Jobs.List() {
			words = append(words, scriptWord{strconv.Quote(j.Name), "job", "a saved job"})
		}
	}
	h.writeJSON(w, http.StatusOK, map[string]any{"words": words})
}

// wordOfDevice returns the word of a device, with its unit and whether it can be set.
func wordOfDevice(d script.Device) scriptWord {
	field := d.Field
	if field == "" {
		field = "val"
	}
	var details []string
	for _, s := range []string{d.Kind, d.Unit} {
		if s != "" {
			details = append(details, s)
		}
	}
	if !d.ReadOnly {
		details = append(details, "can be set")
	}
	return scriptWord{d.Name + "." + field, "device", strings.Join(details, ", ")}
}

// describeFunction says how many arguments a function has, and whether it moves the robot.
func describeFunction(f script.Function) string {
	detail := strconv.Itoa(f.Min)
	if f.Max != f.Min {
		detail += " to " + strconv.Itoa(f.Max)
	}
	if detail += " values"; f.Min == 1 && f.Max == 1 {
		detail = "1 value"
	}
	if f.Moves {
		detail += ", moves the robot"
	}
	return detail
}
