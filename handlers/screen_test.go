package handlers

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mybot/robot"
	"mybot/session"
)

// A display is the robot's screen: it reads events.
type display struct {
	t     *testing.T
	lines *bufio.Scanner
	close func() error
}

// watchScreen opens the event stream of a listening server.
func watchScreen(t *testing.T, address string, change ...func(*http.Request)) *display {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address+screensPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	for _, c := range change {
		c(r)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = got.Body.Close() })
	if kind := got.Header.Get("Content-Type"); got.StatusCode != http.StatusOK || kind != "text/event-stream" {
		t.Fatalf("the events are answered %s, %s", got.Status, kind)
	}
	return &display{t, bufio.NewScanner(got.Body), got.Body.Close}
}

// next returns the next event and its data; "" = the stream has ended.
func (d *display) next() (event, data string) {
	for d.lines.Scan() {
		name, value, _ := strings.Cut(d.lines.Text(), ": ")
		switch name {
		case "event":
			event = value
		case "data":
			data = value
		case "":
			return event, data
		}
	}
	return "", ""
}

// until returns the first event for which ok is true.
func (d *display) until(what string, ok func(screenEvent) bool) screenEvent {
	d.t.Helper()
	for {
		event, data := d.next()
		var e screenEvent
		switch {
		case event != "show":
			d.t.Fatalf("waiting for %s the screen hears %q %s", what, event, data)
		case json.Unmarshal([]byte(data), &e) != nil:
			d.t.Fatalf("the event is %s", data)
		case ok(e):
			return e
		}
	}
}

// onAir is a listening server with a state that may change.
func onAir(t *testing.T) (d *testServer, address string, state *atomic.Pointer[robot.State]) {
	t.Helper()
	state = &atomic.Pointer[robot.State]{}
	d = newTestServer(t, func(c *Config) {
		c.State = func() (robot.State, bool) {
			if s := state.Load(); s != nil {
				now := *s
				now.Time = time.Now()
				return now, true
			}
			return robot.State{}, false
		}
	})
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	return d, server.URL, state
}

func TestTheScreenShowsEveryChange(t *testing.T) {
	_, address, state := onAir(t)
	screen := watchScreen(t, address)
	first := screen.until("the first event", func(screenEvent) bool { return true })
	if first.Mode != "" || first.Build != "test" || !first.May || first.Now == 0 {
		t.Errorf("before the robot has said anything the screen shows %+v", first)
	}
	until := time.Now().Add(time.Minute)
	state.Store(&robot.State{Mode: robot.ModeJob, Message: &robot.Message{Number: 3, Text: "Touch OK.", OK: true, Until: until}})
	e := screen.until("the message", func(e screenEvent) bool { return e.Message != nil })
	if m := *e.Message; m.N != 3 || m.Text != "Touch OK." || !m.OK || *m.Until != until.UnixMilli() {
		t.Errorf("it shows %+v", m)
	}
	state.Store(&robot.State{Mode: robot.ModeJob, Speech: &robot.Speech{Number: 5, Text: "Hello!", Voice: "en", Speed: 1, Duration: time.Second, Aloud: true}})
	e = screen.until("the sentence", func(e screenEvent) bool { return e.Speech != nil })
	if e.Message != nil || e.Speech.Text != "Hello!" || e.Speech.Takes != 1000 || !e.Speech.Aloud {
		t.Errorf("it shows %+v and says %+v", e.Message, e.Speech)
	}
}

func TestAScreenThatHearsNothingNewIsToldSoNowAndThen(t *testing.T) {
	_, address, state := onAir(t)
	state.Store(&robot.State{Mode: robot.ModeReady})
	screen := watchScreen(t, address)
	begin := time.Now()
	first := screen.until("the first event", func(screenEvent) bool { return true })
	second := screen.until("the second one", func(screenEvent) bool { return true })
	if gap := time.Duration(second.Now-first.Now) * time.Millisecond; gap < screenAlways || time.Since(begin) > 10*screenAlways {
		t.Errorf("the second event, without a change, comes %v after the first", gap)
	}
}

func TestTheDevicesOfOneLinkKeepNoOperatorFromAScreen(t *testing.T) {
	d, address, _ := onAir(t)
	link, err := d.access.Share(time.Now(), false, "")
	if err != nil {
		t.Fatal(err)
	}
	open := func(token string) (event, data string) {
		return watchScreen(t, address, with("X-Forwarded-For", "192.0.2.7"), with("Authorization", "Bearer "+token)).next()
	}
	screens := 0
	for range maxScreens {
		token, _, err := d.access.Redeem(time.Now(), "test", link, "")
		if err != nil {
			t.Fatal(err)
		}
		if event, _ := open(token); event == "show" {
			screens++
		}
	}
	if screens != maxScreens/2 {
		t.Errorf("%d devices of one link have %d screens, want %d", maxScreens, screens, maxScreens/2)
	}
	if event, data := open(d.paired(t, session.Operator)); event != "show" {
		t.Errorf("then an operator's screen hears %q %s", event, data)
	}
}

// TestTwoDevicesKeepNoThirdFromAScreen has them open more and more screens far away, which
// also take no place of the robot's own.
func TestTwoDevicesKeepNoThirdFromAScreen(t *testing.T) {
	d, address, _ := onAir(t)
	newcomer := func() (open func() (event, data string)) {
		far := []func(*http.Request){with("X-Forwarded-For", "192.0.2.7"), with("Authorization", "Bearer "+d.paired(t, session.Observer))}
		return func() (event, data string) { return watchScreen(t, address, far...).next() }
	}
	for _, want := range []int{maxScreens / 2, maxScreens / 4, maxScreens / 8, maxScreens / 8} {
		open := newcomer()
		for range want {
			if event, data := open(); event != "show" {
				t.Fatalf("one of the %d screens of a device hears %q %s", want, event, data)
			}
		}
		if event, data := open(); event != "bye" || !strings.Contains(data, fmt.Sprintf("Your link has %d screens already", want)) {
			t.Errorf("one screen too many of a device hears %q %s", event, data)
		}
	}
	if event, data := newcomer()(); event != "bye" || !strings.Contains(data, "There are 8 screens already") {
		t.Errorf("one screen too many far away hears %q %s", event, data)
	}
	var screens []*display
	for range maxScreens {
		screens = append(screens, watchScreen(t, address))
		screens[len(screens)-1].until("an event", func(screenEvent) bool { return true })
	}
	if event, data := watchScreen(t, address).next(); event != "bye" || !strings.Contains(data, "8 screens are open") {
		t.Errorf("one screen too many hears %q %s", event, data)
	}
	if err := screens[0].close(); err != nil {
		t.Fatal(err)
	}
	for late := time.Now().Add(10 * time.Second); ; {
		if event, _ := watchScreen(t, address).next(); event == "show" {
			break
		}
		if time.Now().After(late) {
			t.Fatal("the place of a screen that went is not free again")
		}
	}
}

func TestAScreenHearsThatTheServerEnds(t *testing.T) {
	d, address, _ := onAir(t)
	screen := watchScreen(t, address)
	screen.until("an event", func(screenEvent) bool { return true })
	if err := d.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for event, data := screen.next(); event != "bye"; event, data = screen.next() {
		if event == "" {
			t.Fatalf("it ends without a word, with %q", data)
		}
	}
	if event, data := screen.next(); event != "" {
		t.Errorf("after the goodbye comes %q %s", event, data)
	}
}

func TestAScreenWhoseAccessHasEndedIsTold(t *testing.T) {
	d, address, _ := onAir(t)
	token := d.paired(t, session.Observer)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address+screensPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Authorization", "Bearer "+token)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	screen := display{t: t, lines: bufio.NewScanner(got.Body)}
	if e := screen.until("the first event", func(screenEvent) bool { return true }); e.May {
		t.Error("an observer may touch OK")
	}
	for _, g := range d.access.Grants(time.Now()) {
		grant, err := d.access.Revoke(g.ID)
		if err != nil {
			t.Fatal(err)
		}
		d.sendAway(grant, "the test", "revoked")
	}
	if _, err := io.ReadAll(got.Body); err != nil {
		t.Errorf("the events end with %v", err)
	}
}

func TestOKIsForTheMessageThatIsShown(t *testing.T) {
	message := func(n uint64, ok bool) *robot.Message { return &robot.Message{Number: n, Text: "Touch OK.", OK: ok} }
	for _, c := range []struct {
		name   string
		state  robot.State
		body   string
		status int
		says   string
		given  bool
	}{
		{"the message that is shown", robot.State{Message: message(3, true)}, `{"message":3}`, 200, "SUCCESS", true},
		{"an old one", robot.State{Message: message(4, true)}, `{"message":3}`, 409, "no longer shown", false},
		{"none is shown", robot.State{}, `{"message":3}`, 409, "no longer shown", false},
		{"one that does not wait", robot.State{Message: message(3, false)}, `{"message":3}`, 409, "does not wait for OK", false},
		{"while the robot is stopped", robot.State{Message: message(3, true), Stop: &robot.StopState{By: "Jin"}}, `{"message":3}`, 409, "stopped", false},
		{"no number", robot.State{Message: message(3, true)}, `{}`, 400, `{"message":3}`, false},
		{"a word", robot.State{Message: message(3, true)}, `{"message":"three"}`, 400, `"message" is "three"; it should be a whole number`, false},
		{"something else", robot.State{Message: message(3, true)}, `{"message":3,"lease":1}`, 400, `a field "lease", which is not known`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newTestServer(t)
			c.state.Time, c.state.Mode = time.Now(), robot.ModeJob
			d.state = &c.state
			d.hub.Publish(c.state)
			got := d.ask("POST", "/screen/ok", func(r *http.Request) { setBody(r, c.body) })
			if body := text(t, got); got.StatusCode != c.status || !strings.Contains(body, c.says) {
				t.Errorf("it is answered %s: %s", got.Status, body)
			}
			if given := strings.Contains(strings.Join(d.robot.done(), " "), "robot.OK"); given != c.given {
				t.Errorf("the robot has had it: %v, want %v", given, c.given)
			}
		})
	}
}

func setBody(r *http.Request, body string) {
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
}

// done returns the commands that the robot received, by type.
func (s *still) done() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.did...)
}

func TestTheScreenSaysWhatItHasSpoken(t *testing.T) {
	d := newTestServer(t)
	d.hub.Publish(*d.state)
	for body, status := range map[string]int{`{"speech":5}`: 200, `{}`: 400, `{"speech":-1}`: 400} {
		if got := d.ask("POST", "/screen/spoken", func(r *http.Request) { setBody(r, body) }); got.StatusCode != status {
			t.Errorf("%s is answered %s: %s", body, got.Status, text(t, got))
		}
	}
	if did := d.robot.done(); !reflect.DeepEqual(did, []string{"robot.Spoken"}) {
		t.Errorf("the robot has had %q", did)
	}
}

func TestTheStopOnTheScreenSaysWhereItWasTouched(t *testing.T) {
	d := newTestServer(t)
	if got := d.ask("POST", "/screen/stop"); got.StatusCode != http.StatusOK {
		t.Errorf("it is answered %s", got.Status)
	}
	token := d.paired(t, session.Observer)
	if got := d.ask("POST", "/screen/stop", with("Authorization", "Bearer "+token), func(r *http.Request) { r.RemoteAddr = "192.168.1.50:1" }); got.StatusCode != http.StatusOK {
		t.Errorf("an observer's is answered %s", got.Status)
	}
	by := d.robot.stoppedBy()
	if len(by) != 2 || by[0] != "someone at the robot's screen" || !strings.HasPrefix(by[1], "observer") {
		t.Errorf("the robot was stopped by %q", by)
	}
}

func TestWhatTheScreenShowsOfAState(t *testing.T) {
	now := time.UnixMilli(1_000_000)
	people := session.Screen{Driver: "Ana", Away: true, Lent: session.Lent{Head: "Ada", Arm: "Jin"}}
	none := screenEvent{Driver: "Ana", Away: true, Lent: screenLent{Head: "Ada", Arm: "Jin"}, Viewers: 2}
	change := func(f func(*screenEvent)) screenEvent {
		e := none
		e.Mode, e.Charge = robot.ModeJob, new(0.0)
		f(&e)
		return e
	}
	until := int64(1_002_000)
	for _, c := range []struct {
		name  string
		state robot.State
		want  screenEvent
	}{
		{"a state that is old tells nothing", robot.State{Time: now.Add(-3 * time.Second), Mode: robot.ModeJob, Stop: &robot.StopState{}}, none},
		{
			"a silent base tells why, and a stop stays",
			robot.State{Time: now.Add(-3 * time.Second), Mode: robot.ModeJob, Stop: &robot.StopState{By: "Jin"}, Base: &robot.BaseLink{Why: "The cable is gone."}},
			func() screenEvent { e := none; e.Stop, e.Silent = &screenStop{"Jin"}, "The cable is gone."; return e }(),
		},
		{
			"a base that would not drive, without a battery",
			robot.State{Time: now, Mode: robot.ModeJob, Refuses: "It is tipped over.", Battery: robot.UnknownBattery(), Base: &robot.BaseLink{Up: true}},
			change(func(e *screenEvent) { e.Refuses, e.Charge = "It is tipped over.", nil }),
		},
		{"nothing more", robot.State{Time: now, Mode: robot.ModeJob}, change(func(*screenEvent) {})},
		{
			"a stop, lost, a motion",
			robot.State{Time: now, Mode: robot.ModeStopped, Stop: &robot.StopState{By: "Jin"}, Estimate: robot.Estimate{Trust: robot.TrustLost}, Play: robot.Play{Motion: 2}},
			change(func(e *screenEvent) {
				e.Mode, e.Stop, e.Lost, e.Motion = robot.ModeStopped, &screenStop{"Jin"}, true, true
			}),
		},
		{
			"a goal and a run under way",
			robot.State{
				Time: now, Mode: robot.ModeJob, Goal: &robot.Goal{Name: "Sofa", Phase: robot.GoalBlocked},
				Run: &robot.Run{Name: "Paper", Phase: robot.RunPaused, Step: 1, Steps: make([]robot.StepRun, 3), Result: robot.Result{Reason: "Ana drives."}},
			},
			change(func(e *screenEvent) {
				e.Goal, e.Run = &screenGoal{"Sofa", robot.GoalBlocked, ""}, &screenRun{"Paper", robot.RunPaused, 2, 3, "Ana drives."}
			}),
		},
		{"what has ended is over", robot.State{Time: now, Mode: robot.ModeJob, Goal: &robot.Goal{Phase: robot.GoalEnded}, Run: &robot.Run{Phase: robot.RunEnded}}, change(func(*screenEvent) {})},
		{
			"a message with a limit",
			robot.State{Time: now, Mode: robot.ModeJob, Message: &robot.Message{Number: 4, Text: "Hi", Until: now.Add(2 * time.Second)}},
			change(func(e *screenEvent) { e.Message = &screenMessage{4, "Hi", false, &until} }),
		},
		{
			"a sentence that the base says",
			robot.State{Time: now, Mode: robot.ModeJob, Speech: &robot.Speech{Number: 5, Text: "Hello!", Voice: "en", Speed: 1, At: now, Duration: time.Second, ByBase: true}},
			change(func(e *screenEvent) { e.Speech = &screenSpeech{5, "Hello!", "en", 1, 1_000_000, 1000, false, true} }),
		},
		{
			"the head and the battery, not to every digit",
			robot.State{Time: now, Mode: robot.ModeJob, Head: robot.HeadAngles{Pan: 0.5134, Tilt: math.NaN()}, Battery: robot.Battery{Charge: 0.7777, Charging: true}},
			change(func(e *screenEvent) { e.Head, e.Charge, e.Charges = [2]float64{0.5, 0}, new(0.78), true }),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := screenOf(c.state, people, 2, now); !reflect.DeepEqual(got, c.want) {
				t.Errorf("it shows %+v, want %+v", got, c.want)
			}
		})
	}
}
