package e2e_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"mybot/drivers/sim"
)

// A display is the robot's screen as a program.
type display struct {
	t      *testing.T
	events *bufio.Scanner
}

// shown has the fields of an event that the tests check.
type shown struct {
	Mode    string
	Message *struct {
		N    uint64
		Text string
		OK   bool
	}
	Speech *struct {
		N     uint64
		Text  string
		Aloud bool
		Base  bool
	}
	Stop *struct{ By string }
}

func (h *testServer) display() *display {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, "http://"+h.addr+"/screen/events", nil)
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = got.Body.Close() })
	if got.StatusCode != http.StatusOK {
		h.t.Fatalf("the events were answered %s", got.Status)
	}
	return &display{h.t, bufio.NewScanner(got.Body)}
}

func (d *display) until(what string, ok func(shown) bool) shown {
	d.t.Helper()
	for late := time.Now().Add(patience); d.events.Scan() && time.Now().Before(late); {
		data, is := strings.CutPrefix(d.events.Text(), "data: {")
		if !is {
			continue
		}
		var e shown
		if err := json.Unmarshal([]byte("{"+data), &e); err != nil {
			d.t.Fatal(err)
		}
		if ok(e) {
			return e
		}
	}
	d.t.Fatalf("waiting for %s: %v", what, d.events.Err())
	return shown{}
}

// begin makes the person in control, whose browser has the cookie, start a run of steps.
func (h *testServer) begin(cookie string, ana *guest, steps string) {
	h.t.Helper()
	ana.until("a state", func(m message) bool { return m.Type == "state" })
	lease := ana.epoch
	ana.keepReading()
	if status, answer := h.ask(cookie, "POST", "/api/v1/runs", fmt.Sprintf(`{"lease":%d,"name":"Paper to Jin","steps":[%s]}`, lease, steps)); status/100 != 2 {
		h.t.Fatalf("the run was answered %d %s", status, answer)
	}
}

// keepReading makes a guest read, like a page, while the test does something else. The guest is
// of no other use afterwards.
func (g *guest) keepReading() {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			if _, err := g.next(g.t.Context()); err != nil {
				return
			}
		}
	}()
	g.t.Cleanup(func() { _ = g.conn.CloseNow(); <-ended })
}

// A run is a run in the REST API.
type run struct {
	Phase, Word, Reason string
	Steps               []struct{ Type, State, Word, Reason string }
}

func (h *testServer) run(cookie string, n int) run {
	h.t.Helper()
	_, answer := h.ask(cookie, "GET", fmt.Sprintf("/api/v1/runs/%d", n), "")
	var r run
	if err := json.Unmarshal([]byte(answer), &r); err != nil {
		h.t.Fatalf("%v: %s", err, answer)
	}
	return r
}

func TestTheSwitchAndTheScreenAnswerAMessageAndAnOldAnswerIsRefused(t *testing.T) {
	h := openScene(t, func(s *sim.Scene) { s.People, s.Obstacles, s.Magnets = nil, nil, nil })
	cookie := h.cookie()
	screen := h.display()
	h.begin(cookie, enter(t, h.addr, cookie, "Ana"), `{"type":"MESSAGE","text":"One.","ok":true},{"type":"MESSAGE","text":"Two.","ok":true},{"type":"WAIT","seconds":600,"ok":true},{"type":"VOICE","text":"Three."}`)
	shows := func(text string) shown {
		t.Helper()
		return screen.until(text, func(e shown) bool { return e.Message != nil && e.Message.Text == text })
	}
	one := shows("One.")
	if err := h.driver.PressOK(true); err != nil {
		t.Fatal(err)
	}
	two := shows("Two.")
	if err := h.driver.PressOK(false); err != nil {
		t.Fatal(err)
	}
	answer := func(e shown) (int, string) {
		t.Helper()
		return h.ask(cookie, "POST", "/screen/ok", fmt.Sprintf(`{"message":%d}`, e.Message.N))
	}
	if status, says := answer(one); status != http.StatusConflict || !strings.Contains(says, "no longer shown") {
		t.Errorf("an OK for the first message while the second is shown was answered %d %s", status, says)
	}
	if status, says := h.ask(cookie, "POST", "/screen/stop", ""); status != http.StatusOK {
		t.Fatalf("the stop was answered %d %s", status, says)
	}
	screen.until("the stop", func(e shown) bool { return e.Stop != nil && e.Stop.By == "someone at the robot's screen" })
	if status, says := answer(two); status != http.StatusConflict {
		t.Errorf("while the robot is stopped, an OK was answered %d %s", status, says)
	}
	if r := h.run(cookie, 1); r.Phase != "paused" || r.Steps[1].State != "PAUSED" {
		t.Errorf("after the stop the run is %s, its step %s", r.Phase, r.Steps[1].State)
	}
}

func TestOKGoesOnThroughAWaitToWhatIsSaid(t *testing.T) {
	for _, c := range []struct{ name, word, reason string }{{"by the robot's own voice", "SUCCESS", ""}, {"by the screen", "MODIFIED", "espeak-ng"}} {
		t.Run(c.name, func(t *testing.T) {
			aloud := c.word == "SUCCESS"
			if _, err := exec.LookPath("espeak-ng"); aloud && err != nil {
				t.Skip("there is no espeak-ng")
			} else if !aloud {
				t.Setenv("PATH", t.TempDir())
			}
			h := openScene(t, func(s *sim.Scene) { s.People, s.Obstacles, s.Magnets = nil, nil, nil })
			cookie := h.cookie()
			screen := h.display()
			h.begin(cookie, enter(t, h.addr, cookie, "Ana"), `{"type":"WAIT","seconds":600,"ok":true},{"type":"VOICE","text":"Three."}`)
			wait := screen.until("the wait", func(e shown) bool { return e.Message != nil })
			if wait.Message.Text != "" || !wait.Message.OK {
				t.Errorf("while it waits the screen shows %+v", *wait.Message)
			}
			if status, says := h.ask(cookie, "POST", "/screen/ok", fmt.Sprintf(`{"message":%d}`, wait.Message.N)); status != http.StatusOK {
				t.Fatalf("OK was answered %d %s", status, says)
			}
			speech := screen.until("the sentence", func(e shown) bool { return e.Speech != nil && e.Speech.Text == "Three." && e.Message == nil })
			if speech.Speech.Aloud != aloud {
				t.Errorf("the robot's own voice speaks it: %v", speech.Speech.Aloud)
			}
			if !aloud {
				if status, says := h.ask(cookie, "POST", "/screen/spoken", fmt.Sprintf(`{"speech":%d}`, speech.Speech.N)); status != http.StatusOK {
					t.Errorf("the report of the speech was answered %d %s", status, says)
				}
			}
			screen.until("the end", func(e shown) bool { return e.Speech == nil && e.Mode == "ready" })
			r := h.run(cookie, 1)
			if r.Phase != "ended" || r.Steps[0].Word != "SUCCESS" {
				t.Errorf("the run ended as %+v", r)
			}
			if v := r.Steps[1]; v.State != "FINISHED" || v.Word != c.word || !strings.Contains(v.Reason, c.reason) {
				t.Errorf("the speech ended %s %s: %s", v.State, v.Word, v.Reason)
			}
		})
	}
}
