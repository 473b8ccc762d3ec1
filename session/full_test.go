package session

import (
	"slices"
	"testing"
	"time"
	"unicode"

	"mybot/robot"
	"mybot/session/protocol"
)

// The disk hangs: the queues to the stores are not drained. The hub waits for none
// of them, and STOP is still carried out.
func TestAFullQueueIsReportedAndDelaysNoUser(t *testing.T) {
	for name, tc := range map[string]struct {
		fill  func(h *Hub) (drain func())
		frame string
		busy  string
	}{
		"names": {
			func(h *Hub) func() {
				h.coordinator.saveName = h.saveName
				for range maxNameRequests {
					h.nameRequests <- nameRequest{}
				}
				return func() { <-h.nameRequests }
			},
			`{"type":"rename","id":5,"name":"Mina"}`,
			"BUSY Too many names are being saved. Try again in a moment.",
		},
		"motions": {
			func(h *Hub) func() {
				for range maxMotionRequests {
					h.motionRequests <- motionRequest{}
				}
				return func() { <-h.motionRequests }
			},
			`{"type":"motion","id":5,"lease":1,"action":"delete","motion":1}`,
			"BUSY Too many motions are being saved. Try again in a moment.",
		},
		"jobs": {
			func(h *Hub) func() {
				for range maxPrepareRequests {
					h.prepareRequests <- prepareRequest{}
				}
				return func() { <-h.prepareRequests }
			},
			`{"type":"job","id":5,"lease":1,"action":"run","name":"J","steps":[{"type":"WAIT","seconds":5}]}`,
			"BUSY Too many jobs are being prepared. Try again in a moment.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tb, store := newStoreTable(t)
			store.kept = append(store.kept, kept("Round the table"))
			jobs := &fakeJobs{}
			tb.hub.cfg.Jobs, tb.hub.coordinator.jobs = jobs, jobs
			ana := tb.join("Ana")
			tb.runs(nil)
			ana.hear()
			drain := tc.fill(tb.hub)
			tb.pass(2 * time.Second)
			ana.hear()
			ana.say("%s", tc.frame)
			if told := ana.results(); !slices.Equal(told, []string{tc.busy}) {
				t.Errorf("it is answered %q, want %q", told, tc.busy)
			}
			ana.say(`{"type":"stop","id":6}`)
			if by := tb.robot.stopped(); by != "Ana" {
				t.Errorf("the robot is stopped by %q, want Ana", by)
			}
			ana.say(`{"type":"unstop","id":7,"lease":1}`)
			drain()
			tb.pass(2 * time.Second)
			ana.hear()
			ana.say("%s", tc.frame)
			if told := ana.results(); slices.Contains(told, tc.busy) {
				t.Errorf("with room again it is answered %q", told)
			}
		})
	}
}

// A motion for which the queue has no room is dropped, and the program's log says
// so.
func TestADriveThatIsNotStoredDelaysNoUser(t *testing.T) {
	tb, _ := newStoreTable(t)
	ana := tb.join("Ana")
	for range maxMotionRequests {
		tb.hub.motionRequests <- motionRequest{}
	}
	ana.lead(1, 60)
	tb.pass(2 * motionPause)
	if len(tb.hub.motionRequests) != maxMotionRequests {
		t.Errorf("%d wait", len(tb.hub.motionRequests))
	}
}

// Characters that reverse the text around them (Unicode's Bidi_Control) make a line
// read as something else.
func TestNoTextOfAUserReversesTheTextNextToIt(t *testing.T) {
	tb, store := newStoreTable(t)
	store.kept = append(store.kept, kept("Round the table"))
	ana := tb.join("Ana")
	ana.hear()
	n := 0
	for c := rune(0); c <= unicode.MaxRune; c++ {
		if !unicode.Is(unicode.Bidi_Control, c) {
			continue
		}
		n++
		text := "J" + string(c) + "in"
		if robot.Turns(c) != true || protocol.IsLine(text, 10) {
			t.Errorf("%U is taken in a line", c)
		}
		if got := protocol.TidyName(text); got != "Jin" {
			t.Errorf("with %U a name becomes %q", c, got)
		}
		for _, with := range []func(string) string{
			func(text string) string { return `{"type":"rename","id":9,"name":"` + text + `"}` },
			func(text string) string {
				return `{"type":"control","id":9,"action":"request","reason":"` + text + `"}`
			},
			func(text string) string {
				return `{"type":"goto","id":9,"lease":1,"goal":[1,2,0],"name":"` + text + `"}`
			},
			func(text string) string {
				return `{"type":"motion","id":9,"lease":1,"action":"rename","motion":1,"name":"` + text + `"}`
			},
			func(text string) string {
				return `{"type":"job","id":9,"lease":1,"action":"run","name":"` + text + `","steps":[{"type":"WAIT","seconds":5}]}`
			},
			func(text string) string {
				return `{"type":"job","id":9,"lease":1,"action":"run","name":"J","steps":[{"type":"MESSAGE","text":"` + text + `"}]}`
			},
			func(text string) string {
				return `{"type":"job","id":9,"lease":1,"action":"run","name":"J","steps":[{"type":"VOICE","text":"` + text + `"}]}`
			},
		} {
			if _, fault := protocol.Decode([]byte(with("Jin"))); fault != nil {
				t.Fatalf("%s: %v", with("Jin"), fault)
			}
			if _, fault := protocol.Decode([]byte(with(text))); fault == nil {
				t.Errorf("%U is taken in %s", c, with(text))
			}
		}
	}
	if n != 12 {
		t.Errorf("there are %d such letters, want 12", n)
	}
}
