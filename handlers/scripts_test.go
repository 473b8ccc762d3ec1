package handlers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"mybot/robot"
	"mybot/script"
	"mybot/script/library"
	"mybot/session"
	"mybot/store"
)

// A scriptShelf is a store that saves nothing, or fails.
type scriptShelf struct {
	mu     sync.Mutex
	refuse error
}

func (s *scriptShelf) Scripts() (map[string][]byte, uint64, error) { return nil, 0, nil }

func (s *scriptShelf) PutScript(string, []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refuse
}

func (s *scriptShelf) DeleteScript(string, uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refuse
}

// A stage runs scripts in place of a hub, and records what it is asked.
type stage struct {
	mu      sync.Mutex
	done    []string
	refuse  error
	frozen  bool // the tag patrol is frozen at the start
	deliver func([]script.Line)
}

func (s *stage) note(format string, args ...any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = append(s.done, fmt.Sprintf(format, args...))
	return s.refuse
}

func (s *stage) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := strings.Join(s.done, "; ")
	s.done = nil
	return all
}

func (s *stage) StartScript(_ context.Context, by session.Identity, lease uint64, one session.Script) error {
	return s.note("start %s with lease %d as %s", one.ID, lease, by.Role)
}

func (s *stage) StopScript(_ context.Context, _ session.Identity, name string) error {
	return s.note("stop %s", name)
}

func (s *stage) ResumeScripts(_ context.Context, _ session.Identity, lease uint64) error {
	return s.note("resume with lease %d", lease)
}

func (s *stage) OpenScriptUnit(context.Context, session.Identity) (string, error) {
	return "U1", s.note("open")
}

// GiveScriptCommands executes the commands on a machine with a script that waits 50 ms
// under the tag patrol, and records when the script ends.
func (s *stage) GiveScriptCommands(_ context.Context, unit string, c script.Commands) error {
	m := script.New(script.Config{})
	program, _ := script.Parse("patrol: wait(50ms);")
	if err := errors.Join(m.Open(0, unit, false), m.Start(0, "walk", program, false)); err != nil {
		return err
	}
	if s.frozen {
		m.Say(0, unit, "freeze patrol;")
	}
	m.Give(0, unit, c)
	ended := "never"
	for ms := range int64(100) {
		if m.Tick(script.Milliseconds(ms)); m.IsIdle("walk") {
			ended = fmt.Sprintf("after %d ms", ms)
			break
		}
	}
	return s.note("in %s: ends %s", unit, ended)
}

func (s *stage) CloseScriptUnit(unit string) { _ = s.note("close %s", unit) }

func (s *stage) Subscribe(unit string, deliver func([]script.Line)) func() {
	s.deliver = deliver
	return func() { _ = s.note("no more lines of %q", unit) }
}

// withStage gives a server scripts that run on a stage.
func withStage(t *testing.T, s *stage, shelf *scriptShelf) func(*Config) {
	t.Helper()
	l, err := library.Open(shelf, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return func(c *Config) {
		c.Scripts = ScriptConfig{Library: l, Runner: s, Units: s, Router: s, Names: func() ScriptNames {
			return ScriptNames{
				Devices:   []script.Device{{Name: "headPan", Unit: "deg", Kind: "joint"}, {Name: "battery", Field: "volts", Unit: "V", ReadOnly: true}},
				Functions: []script.Function{{Name: "goto", Min: 1, Max: 3, Moves: true}, {Name: "say", Min: 1, Max: 1}},
			}
		}}
	}
}

// scripted returns a server with a stage, and a function that checks an answer.
func scripted(t *testing.T) (s *stage, shelf *scriptShelf, d *testServer, want func(method, path, body string, status int, say ...string) string) {
	t.Helper()
	s, shelf = &stage{}, &scriptShelf{}
	d = newTestServer(t, withStage(t, s, shelf))
	want = func(method, path, sent string, status int, say ...string) string {
		t.Helper()
		got := d.ask(method, path, body(sent))
		answer := text(t, got)
		if got.StatusCode != status {
			t.Fatalf("%s %s is answered %s: %s", method, path, got.Status, answer)
		}
		for _, part := range say {
			if !strings.Contains(answer, part) {
				t.Errorf("%s %s is answered %s, want it to say %s", method, path, answer, part)
			}
		}
		return answer
	}
	return s, shelf, d, want
}

const batteryScript = `{"name":"Low battery","text":"at (battery.val < 20 ~ 5s) dock();\n"}`

func TestAScriptIsSavedChangedReadAndDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, shelf, d, want := scripted(t)
		want("GET", "/api/v1/scripts", "", 200, `"scripts":[]`, `{"name":"Battery","text":"# Goes to the dock`)
		if got := d.ask("POST", "/api/v1/scripts", body(batteryScript)); got.StatusCode != http.StatusCreated || got.Header.Get("Location") != "/api/v1/scripts/low_battery" {
			t.Fatalf("%s, %s", got.Status, got.Header.Get("Location"))
		}
		want("GET", "/api/v1/scripts", "", 200, `{"id":"low_battery","name":"Low battery","bytes":35,"revision":1,`)
		want("GET", "/api/v1/scripts/low_battery", "", 200, `"text":"at (battery.val \u003c 20 ~ 5s) dock();\n"`)
		got := d.ask("GET", "/api/v1/scripts/low_battery/text")
		if all := text(t, got); all != "at (battery.val < 20 ~ 5s) dock();\n" || got.Header.Get("Content-Disposition") != `attachment; filename="low_battery.u"` {
			t.Errorf("%q, %s", all, got.Header.Get("Content-Disposition"))
		}
		want("PUT", "/api/v1/scripts/low_battery", `{"name":"Low","text":"dock();","revision":1}`, 200, `"id":"low_battery"`, `"revision":2`)
		want("PUT", "/api/v1/scripts/low_battery", `{"name":"Low","text":"dock();","revision":1}`, 409, "Someone else has saved this script.")
		want("PUT", "/api/v1/scripts/other", `{"name":"Low","text":"","revision":1}`, 404, `There is no script "other"; /api/v1/scripts lists the scripts.`)
		shelf.refuse = store.ErrFull
		want("POST", "/api/v1/scripts", batteryScript, 507, "The robot's disk is full.")
		shelf.refuse = errors.New("input/output error")
		want("DELETE", "/api/v1/scripts/low_battery", "", 500, "The robot's log says why.")
		shelf.refuse = nil
		want("DELETE", "/api/v1/scripts/low_battery", "", 204)
		want("DELETE", "/api/v1/scripts/low_battery", "", 404)
		if all := d.audit.all(); !strings.Contains(all, `The script "Low" was deleted.`) {
			t.Errorf("the audit log says %s", all)
		}
	})
}

func TestAWrongBodyOfAScriptIsAnsweredWithASentence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, _, want := scripted(t)
		want("POST", "/api/v1/scripts", batteryScript, 201)
		long := fmt.Sprintf(`{"name":"Long","text":%q}`, strings.Repeat("a", script.MaxScript+1))
		for _, c := range []struct{ method, path, body, say string }{
			{"POST", "", `{"name":"A"}`, "The body has no text; it should have name and text."},
			{"POST", "", `{"name":"A","text":3}`, `"text" is 3; it should be text in quotes.`},
			{"POST", "", `{"name":"A","text":"","steps":[]}`, `The body has a field "steps", which is not known; the fields are name, text, revision.`},
			{"POST", "", `{"name":"A","text":"","revision":1}`, "A new script has no revision; leave it out."},
			{"POST", "", `{"name":" ","text":""}`, "The name of the script is empty; it should have 1 to 60 characters."},
			{"POST", "", long, "The script has 65537 bytes; it should have at most 65536."},
			{"PUT", "/low_battery", `{"name":"A","text":""}`, "The script has no revision; it should have the one that it was read with."},
			{"POST", "/check", `{}`, "The body has no text; it should have text."},
			{"POST", "/try", `{}`, "There is nothing to try; the body should have text, or id, that of a saved script."},
			{"POST", "/try", `{"text":"x","code":1}`, `The body has a field "code", which is not known; the fields are id, name, text, what_if, seconds.`},
			{"POST", "/try", `{"text":"dock(;"}`, "The script has a fault in line 1, column 6: "},
			{"POST", "/try", `{"text":"dock();","what_if":"\n at battery"}`, "The what-if has a fault in line 2, column 5: "},
			{"POST", "/try", `{"text":"dock();","seconds":0}`, "seconds is 0; it should be more than 0 and at most 7200."},
			{"POST", "/try", `{"text":"dock();","seconds":7201}`, "seconds is 7201; it should be more than 0 and at most 7200."},
			{"POST", "/try", strings.Replace(long, `"name"`, `"what_if":"","name"`, 1), "The script has 65537 bytes; it should have at most 65536."},
			{"POST", "/low_battery/start", `{"lease":-1}`, `"lease" is -1; it should be a whole number, 0 or more.`},
			{"POST", "/low_battery/stop", `{"lease":1}`, `The body has a field "lease", which is not known`},
			{"POST", "/tags/a+b/stop", "", `"a+b" cannot be a tag; a tag is a name, or names joined by dots.`},
			{"POST", "/tags/wait/stop", "", `"wait" cannot be a tag`},
		} {
			want(c.method, "/api/v1/scripts"+c.path, c.body, 400, c.say)
		}
	})
}

func TestACheckAnswersWithEveryFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, _, want := scripted(t)
		want("POST", "/api/v1/scripts/check", `{"text":"wait(1s);"}`, 200, `{"faults":[]}`)
		want("POST", "/api/v1/scripts/check", `{"text":"wait(1s);\nwait 2 3;"}`, 200, `{"faults":[{"line":2,"column":8,"text":"`)
	})
}

func TestScriptsAreStartedStoppedAndResumedForTheirUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, _, want := scripted(t)
		want("POST", "/api/v1/scripts", batteryScript, 201)
		want("POST", "/api/v1/scripts", `{"name":"Broken","text":"at battery.val < 20 dock();"}`, 201)
		want("POST", "/api/v1/scripts/low_battery/start", `{"lease":4}`, 200, `{"reason":"","word":"SUCCESS"}`)
		want("POST", "/api/v1/scripts/low_battery/start", ``, 200)
		want("POST", "/api/v1/scripts/low_battery/start", `{"revision":1}`, 200)
		want("POST", "/api/v1/scripts/low_battery/start", `{"lease":4,"revision":2}`, 409, "Someone else has saved this script since you saw it.")
		want("POST", "/api/v1/scripts/broken/start", ``, 409, `"reason":"The script has a fault in line 1, column 4: `, `"word":"ERROR"`)
		want("POST", "/api/v1/scripts/gone/start", ``, 404)
		want("POST", "/api/v1/scripts/gone/stop", ``, 200)
		want("POST", "/api/v1/scripts/resume", `{"lease":4}`, 200)
		if got, all := s.take(), "start low_battery with lease 4 as operator; start low_battery with lease 0 as operator; start low_battery with lease 0 as operator; stop gone; resume with lease 4"; got != all {
			t.Errorf("%s, want %s", got, all)
		}
		s.refuse = robot.Refusef("Ana has control. Ask for it first.")
		want("POST", "/api/v1/scripts/resume", `{"lease":4}`, 409, `{"reason":"Ana has control. Ask for it first.","word":"ERROR"}`)
		s.refuse = errors.New("low_battery runs already")
		want("POST", "/api/v1/scripts/low_battery/start", ``, 409, `"reason":"Low_battery runs already."`)
	})
}

func TestARobotWithoutScriptsSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newTestServer(t, func(c *Config) { c.Scripts = ScriptConfig{} })
		if got := d.ask("GET", "/api/v1/scripts"); got.StatusCode != http.StatusNotFound || text(t, got) != "This robot cannot run scripts.\n" {
			t.Error(got.Status)
		}
		if got := d.ask("GET", "/api/v1/scripts/guide.txt"); got.StatusCode != http.StatusOK || !strings.HasPrefix(got.Header.Get("Content-Type"), "text/plain") {
			t.Error(got.Status)
		}
	})
}

func TestATagIsStoppedFrozenAndUnfrozenInAUnitOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, _, want := scripted(t)
		for _, c := range []struct {
			path   string
			frozen bool
			ends   string
		}{
			{"patrol/stop", false, "after 0 ms"},
			{"patrol/freeze", false, "never"},
			{"patrol/unfreeze", true, "after 50 ms"},
			{"patrol.leg/stop", false, "after 50 ms"},
		} {
			s.frozen = c.frozen
			want("POST", "/api/v1/scripts/tags/"+c.path, "", 200, `"word":"SUCCESS"`)
			if got := s.take(); got != "open; in U1: ends "+c.ends+"; close U1" {
				t.Errorf("%s: %s, want that the script ends %s", c.path, got, c.ends)
			}
		}
		s.refuse = robot.Refusef("There are 32 connections already.")
		want("POST", "/api/v1/scripts/tags/patrol/stop", "", 409, "There are 32 connections already.")
		if got := s.take(); got != "open" {
			t.Errorf("a unit that was not opened is used: %s", got)
		}
	})
}

func TestTheWordsAreThoseOfTheLanguageTheRobotAndTheMap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, d, want := scripted(t)
		if got := d.ask("POST", "/api/v1/jobs", body(paperJob)); got.StatusCode != http.StatusCreated {
			t.Fatal(got.Status)
		}
		want("GET", "/api/v1/scripts/words", "", 200,
			`{"word":"at","kind":"statement","detail":"at (test) command: once when the test becomes true"}`,
			`{"word":"headPan.val","kind":"device","detail":"joint, deg, can be set"}`,
			`{"word":"battery.volts","kind":"device","detail":"V"}`,
			`{"word":"goto","kind":"function","detail":"1 to 3 values, moves the robot"}`,
			`{"word":"say","kind":"function","detail":"1 value"}`,
			`{"word":"\"Sofa\"","kind":"place"`, `{"word":"\"Paper to Jin\"","kind":"job"`)
		keywords, listed := script.Keywords(), map[string]bool{}
		for _, w := range scriptStatements {
			if listed[w.Word] {
				t.Errorf("%s is listed twice", w.Word)
			}
			if listed[w.Word] = true; w.Kind == "statement" && !slices.Contains(keywords, w.Word) {
				t.Errorf("%s is no word of the language", w.Word)
			}
		}
		for _, word := range keywords {
			if !listed[word] {
				t.Errorf("%s is a word of the language and is not listed", word)
			}
		}
	})
}

func TestTheNewestLinesOfEveryUnitAreThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, d, want := scripted(t)
		want("GET", "/api/v1/scripts/lines", "", 200, `{"lines":[]}`)
		s.deliver([]script.Line{{Unit: "guard", Time: script.Milliseconds(41307), Tag: "greet", Text: `"Hello"`}})
		for i := range maxUnitLines + 50 {
			s.deliver([]script.Line{{Unit: "patrol", Text: fmt.Sprint(i)}})
		}
		want("GET", "/api/v1/scripts/lines?unit=guard", "", 200, `{"lines":[{"n":1,"unit":"guard","t":41307,"tag":"greet","text":"\"Hello\""}]}`)
		for _, path := range []string{"/api/v1/scripts/lines", "/api/v1/scripts/lines?unit=patrol"} {
			all := want("GET", path, "", 200, `{"lines":[{"n":52,"unit":"patrol","t":0,"tag":"notag","text":"50"}`, `"text":"249"}]}`)
			if n := strings.Count(all, `"n":`); n != maxUnitLines {
				t.Errorf("%s has %d lines", path, n)
			}
		}
		for i := range maxLineUnits {
			s.deliver([]script.Line{{Unit: fmt.Sprint("U", i), Text: "1"}})
		}
		want("GET", "/api/v1/scripts/lines?unit=guard", "", 200, `{"lines":[]}`)
		want("GET", "/api/v1/scripts/lines?unit=U63", "", 200, `"unit":"U63"`)
		if err := d.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.take(); got != `no more lines of ""` {
			t.Errorf("after the shutdown: %s", got)
		}
	})
}

func TestALongLineIsStoredShortened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, _, want := scripted(t)
		const start = "The robot says "
		long := start + strings.Repeat("ü", 32<<10)
		for range maxUnitLines {
			s.deliver([]script.Line{{Unit: "guard", Text: long}})
		}
		clipped := start + strings.Repeat("ü", (maxLineText-len(start))/2) + "..."
		all := want("GET", "/api/v1/scripts/lines?unit=guard", "", 200, `"text":"`+clipped+`"}`)
		if n := strings.Count(all, clipped); n != maxUnitLines {
			t.Errorf("%d of %d lines are stored shortened", n, maxUnitLines)
		}
		if most := maxUnitLines * (maxLineText + 100); len(all) > most {
			t.Errorf("the answer has %d bytes, want %d at most", len(all), most)
		}
	})
}
