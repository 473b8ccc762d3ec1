package handlers

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"mybot/script"
	"mybot/script/library"
	"mybot/store"
)

// A scriptShelf is a store that saves nothing, or fails.
type scriptShelf struct {
	mu     sync.Mutex
	refuse error
}

func (s *scriptShelf) Scripts() (map[string][]byte, error) { return nil, nil }

func (s *scriptShelf) PutScript(string, []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refuse
}

func (s *scriptShelf) DeleteScript(string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refuse
}

// scripted returns a server with scripts, and a function that checks an answer.
func scripted(t *testing.T) (shelf *scriptShelf, d *testServer, want func(method, path, body string, status int, say ...string) string) {
	t.Helper()
	shelf = &scriptShelf{}
	l, err := library.Open(shelf, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	d = newTestServer(t, func(c *Config) { c.Scripts.Library = l })
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
	return shelf, d, want
}

const batteryScript = `{"name":"Low battery","text":"at (battery.val < 20 ~ 5s) dock();\n"}`

func TestAScriptIsSavedChangedReadAndDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf, d, want := scripted(t)
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
		_, _, want := scripted(t)
		want("POST", "/api/v1/scripts", batteryScript, 201)
		long := fmt.Sprintf(`{"name":"Long","text":%q}`, strings.Repeat("a", script.MaxScript+1))
		for _, c := range []struct{ method, path, body, say string }{
			{"POST", "", `{"name":"A"}`, "The body has no text; it should have name and text."},
			{"POST", "", `{"name":"A","text":3}`, `"text" is 3; it should be text in quotes.`},
			{"POST", "", `{"name":"A","text":"","steps":[]}`, `The body has a field "steps", which is not known; the fields are name, text, revision.`},
			{"POST", "", `{"name":"A","text":"","revision":1}`, "A new script has no revision; leave it out."},
			{"POST", "", `{"name":" ","text":""}`, "The name of the script has 1 characters; it should have 1 to 60."},
			{"POST", "", long, "The script has 65537 bytes; it should have at most 65536."},
			{"PUT", "/low_battery", `{"name":"A","text":""}`, "The script has no revision; it should have the one that it was read with."},
			{"POST", "/check", `{}`, "The body has no text; it should have text."},
		} {
			want(c.method, "/api/v1/scripts"+c.path, c.body, 400, c.say)
		}
	})
}

func TestACheckAnswersWithEveryFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, want := scripted(t)
		want("POST", "/api/v1/scripts/check", `{"text":"wait(1s);"}`, 200, `{"faults":[]}`)
		want("POST", "/api/v1/scripts/check", `{"text":"wait(1s);\nwait 2 3;"}`, 200, `{"faults":[{"line":2,"column":8,"text":"`)
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
