package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"mybot/app"
	"mybot/robot"
	"mybot/robot/models"
)

// A speakingBase is the simulated robot as a base in its own process. It records the lines that
// it is to say and show.
type speakingBase struct {
	*wheels
	mute bool // it never reports that it has spoken

	told chan string
}

func (b *speakingBase) Say(s robot.Speech) error {
	b.told <- "says " + s.Text
	return b.wheels.Say(s)
}

func (b *speakingBase) Said() uint64 {
	if b.mute {
		return 0
	}
	return b.wheels.Said()
}

func (b *speakingBase) Show(lines []string) error {
	b.told <- "shows " + strings.Join(lines, "|")
	return b.wheels.Show(lines)
}

// hears waits until the base has received these lines, in order.
func (b *speakingBase) hears(t *testing.T, all ...string) {
	t.Helper()
	for _, want := range all {
		select {
		case got := <-b.told:
			if got != want {
				t.Errorf("the base received %q, want %q", got, want)
			}
		case <-time.After(patience):
			t.Fatalf("the base never received %q", want)
		}
	}
}

// openSpeaking starts a server whose robot is on a TCP line and has its own speaker.
func openSpeaking(t *testing.T, mute bool) (*testServer, *speakingBase) {
	t.Helper()
	desc, plan, scene := office(t)
	scene.People, scene.Obstacles, scene.Magnets = nil, nil, nil
	b := &speakingBase{mute: mute, told: make(chan string, 100)}
	h := openBehind(t, desc, plan, scene, "127.0.0.1:0", func(d robot.Driver) robot.Driver {
		b.wheels = d.(*wheels)
		return putOnLine(t, b, models.Mybot(), func(at string) string { return "tcp:" + at })
	}, func(c *app.Config) { c.Simulator = false })
	return h, b
}

// ok taps OK under the message on the screen.
func (d *display) ok(h *testServer, cookie, text string) {
	d.t.Helper()
	e := d.until("the message", func(e shown) bool { return e.Message != nil && e.Message.Text == text })
	if status, says := h.ask(cookie, "POST", "/screen/ok", fmt.Sprintf(`{"message":%d}`, e.Message.N)); status != http.StatusOK {
		d.t.Fatalf("OK is answered %d %s", status, says)
	}
}

func TestARobotWithASpeakerAndADisplaySaysAndShowsItsJobByItself(t *testing.T) {
	t.Parallel()
	h, b := openSpeaking(t, false)
	cookie := h.cookie()
	screen := h.display()
	h.begin(cookie, enter(t, h.addr, cookie, "Ana"), `{"type":"VOICE","text":"Hello! I am here."},{"type":"MESSAGE","text":"A paper, for Jin.","ok":true},{"type":"WAIT","seconds":600,"ok":true}`)
	caption := screen.until("the sentence", func(e shown) bool { return e.Speech != nil })
	if s := caption.Speech; s.Text != "Hello!" || s.Aloud || !s.Base {
		t.Errorf("the screen, which must be silent, has %+v", *s)
	}
	b.hears(t, "shows ", "says Hello!", "says I am here.", "shows A paper, for Jin.|Touch OK.")
	screen.ok(h, cookie, "A paper, for Jin.")
	b.hears(t, "shows Touch OK.")
	screen.ok(h, cookie, "")
	b.hears(t, "shows ")
	screen.until("the end", func(e shown) bool { return e.Message == nil && e.Mode == "ready" })
	if r := h.run(cookie, 1); r.Phase != "ended" || r.Word != "SUCCESS" || r.Steps[0].Word != "SUCCESS" || r.Steps[0].Reason != "" {
		t.Errorf("the run ended as %+v", r)
	}
}

func TestASentenceThatTheBaseNeverReportsEndsAndStopEndsItAtOnce(t *testing.T) {
	t.Parallel()
	h, b := openSpeaking(t, true)
	cookie := h.cookie()
	screen := h.display()
	ana := enter(t, h.addr, cookie, "Ana")
	h.begin(cookie, ana, `{"type":"VOICE","text":"No."},{"type":"VOICE","text":"This is a long sentence, which a stop interrupts."}`)
	b.hears(t, "shows ", "says No.", "says This is a long sentence, which a stop interrupts.")
	if r := h.run(cookie, 1); r.Steps[0].Word != "MODIFIED" || !strings.Contains(r.Steps[0].Reason, "speaker did not report") {
		t.Errorf("a sentence that was never reported ended as %+v", r.Steps[0])
	}
	screen.until("the sentence", func(e shown) bool { return e.Speech != nil && e.Speech.Text != "No." })
	if status, says := h.ask(cookie, "POST", "/screen/stop", ""); status != http.StatusOK {
		t.Fatalf("the stop was answered %d %s", status, says)
	}
	screen.until("the stop", func(e shown) bool { return e.Stop != nil && e.Speech == nil })
	if r := h.run(cookie, 1); r.Phase != "paused" || r.Steps[1].State != "PAUSED" {
		t.Errorf("after the stop the run is %s, its step %s", r.Phase, r.Steps[1].State)
	}
}
