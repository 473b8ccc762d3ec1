package onboard

import (
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// standsBy are the reasons after which a script may stand by. Nothing else of holders and
// enders does.
var standsBy = map[string]bool{
	"a driver": true, "a driver with compensation": true, "a person who turns the head": true, "a queued drive": true,
	"a person's goal": true, "a person's job": true, "a handover": true,
}

const testAfter = 20 * time.Second

// handover is control that passes to another person.
func handover(t *testing.T, p *plant) {
	p.order(t, robot.HoldUnits{Reason: "Ben has control.", Handover: true})
}

// continues reports whether wheels or head move within a time, while session lets A continue at
// every tick; and after how long.
func (p *plant) continues(epoch uint64, d time.Duration) (after time.Duration, moves bool) {
	began, head := p.now, p.head
	for p.now.Sub(began) < d {
		p.core.Do(p.now, robot.ContinueUnit{Unit: "A", Epoch: epoch})
		if p.tick(); !p.told.IsZero() || p.head != head {
			return p.now.Sub(began), true
		}
	}
	return d, false
}

// visited returns a robot whose script A moved it until a person took it.
func visited(t *testing.T, do func(t *testing.T, p *plant)) *plant {
	t.Helper()
	p := worker(waitFor(9, false))
	p.order(t, robot.OpenUnit{Unit: "A"})
	p.say(t, patrols["a speed"])
	if !p.moves(time.Second) {
		t.Fatal("the script moves nothing")
	}
	do(t, p)
	p.wait(3 * time.Second)
	return p
}

func TestAScriptStandsByOnlyAfterThatWhichAPersonInControlDid(t *testing.T) {
	all := map[string]func(t *testing.T, p *plant){"a handover": handover}
	for how, h := range holders {
		all[how] = func(t *testing.T, p *plant) {
			h.do(t, p)
			if p.wait(time.Second); h.undo != nil {
				h.undo(t, p)
			}
		}
	}
	for how, e := range enders {
		all[how] = e
	}
	for how, do := range all {
		t.Run(how, func(t *testing.T) {
			p := visited(t, do)
			p.order(t, robot.LetStandBy{Units: []string{"A"}, Epoch: 4, After: testAfter})
			after, moves := p.continues(4, 3*testAfter)
			if moves != standsBy[how] {
				t.Errorf("it continues: %v, after %v; %+v", moves, after, p.state.Scripts)
			}
			if moves && (after < testAfter || after > testAfter+100*time.Millisecond) {
				t.Errorf("it continues after %v", after)
			}
		})
	}
}

// enders are what ends standing by until Resume, however short it is. Each comes after a
// driver or a handover.
var enders = map[string]func(t *testing.T, p *plant){
	"a STOP that was released": func(t *testing.T, p *plant) {
		holders["a driver"].do(t, p)
		p.order(t, robot.Stop{By: "Jin"})
		p.order(t, robot.ClearStop{})
	},
	"an emergency stop": func(t *testing.T, p *plant) {
		holders["a driver"].do(t, p)
		holders["its own emergency stop"].do(t, p)
		p.order(t, robot.ClearStop{})
	},
	"a position that was lost for a moment": func(t *testing.T, p *plant) {
		holders["a driver"].do(t, p)
		p.core.loc.(*believed).trust = robot.TrustLost
		p.tick()
		p.core.loc.(*believed).trust = robot.TrustOK
	},
	"a base that was silent for a moment": func(t *testing.T, p *plant) {
		holders["a driver"].do(t, p)
		p.now = p.now.Add(limits.ReadingGap + 20*time.Millisecond)
		p.core.Do(p.now, robot.StepUnits{})
	},
	"a reading with a fault": func(t *testing.T, p *plant) {
		holders["a driver"].do(t, p)
		r := p.reading()
		r.Ranges = nil
		p.feel(r)
	},
	"a base that refused for a moment": func(t *testing.T, p *plant) {
		holders["a driver"].do(t, p)
		holders["a base that refuses"].do(t, p)
	},
	"a position that was set": func(t *testing.T, p *plant) {
		holders["a driver"].do(t, p)
		p.wait(2 * time.Second)
		p.order(t, robot.SetPose{Pose: p.centre()})
	},
	"a hold of another kind": func(t *testing.T, p *plant) {
		handover(t, p)
		p.order(t, robot.HoldUnits{Reason: "The access of the person who started it has been revoked."})
	},
	"a loop that was held up": func(t *testing.T, p *plant) {
		handover(t, p)
		holders["a loop that was held up"].do(t, p)
	},
	"a loop that was held up for a moment, while its readings waited": func(t *testing.T, p *plant) {
		handover(t, p)
		p.core.Arrive(p.now, p.now)
		p.core.Arrive(p.now.Add(limits.ReadingSilence+20*time.Millisecond), p.now)
	},
	"a loop that hung until the base had braked": func(t *testing.T, p *plant) {
		handover(t, p)
		p.core.Do(p.now, robot.Lapse{})
	},
	"a pause": func(t *testing.T, p *plant) {
		p.say(t, "drive.val = drive.val, turn.val = turn.val, wait(1s) | goto(5, 0),")
		p.wait(2 * time.Second)
		p.order(t, robot.Pause{})
	},
	"a cancelled goal": func(t *testing.T, p *plant) {
		p.say(t, "drive.val = drive.val, turn.val = turn.val, wait(1s) | goto(5, 0),")
		p.wait(2 * time.Second)
		p.order(t, robot.Cancel{})
	},
	"another script of its name": func(t *testing.T, p *plant) {
		handover(t, p)
		p.order(t, robot.CloseUnit{Unit: "A"})
		p.order(t, robot.OpenUnit{Unit: "A", Held: true})
		p.say(t, patrols["a speed"])
	},
	"a start without control": func(t *testing.T, p *plant) {
		p.order(t, robot.CloseUnit{Unit: "A"})
		p.order(t, robot.OpenUnit{Unit: "A", Held: true})
		p.say(t, patrols["a speed"])
		handover(t, p)
	},
}

// Before it continues, the robot says so by a line, on its display and by speech.
func TestARobotSaysThatAScriptContinues(t *testing.T) {
	p := visited(t, handover)
	p.core.ScriptLines()
	p.order(t, robot.LetStandBy{Units: []string{"A"}, Epoch: 4, After: testAfter})
	p.tick()
	u := p.state.Scripts.Units[0]
	if left := u.ContinuesAt.Sub(p.now); !u.Yields || u.Announced || left < testAfter-100*time.Millisecond || left > testAfter {
		t.Errorf("%+v, in %v", u, left)
	}
	if p.wait(testAfter - limits.StandByNotice - time.Second); p.lines() != "" || p.state.Message != nil {
		t.Errorf("a second before its time there is %+v", p.state.Message)
	}
	p.wait(time.Second)
	if m := p.state.Message; p.lines() != "A "+noticeLine || m == nil || m.Text != noticeText || !p.state.Scripts.Units[0].Announced {
		t.Errorf("then there is %+v", m)
	}
	asks := p.core.ScriptAsks()
	if len(asks) != 1 || asks[0].Name != "say" || asks[0].Values[0].Plain() != noticeSaid {
		t.Fatalf("it asks %+v", asks)
	}
	p.say(t, "speaker.val = \"Ha!\",") // does not take its place
	p.order(t, robot.AnswerAsk{ID: asks[0].ID, Speech: []robot.Speech{{Text: noticeSaid, Duration: 2 * time.Second, Aloud: true}}})
	for _, a := range p.core.ScriptAsks() {
		p.order(t, robot.AnswerAsk{ID: a.ID, Speech: []robot.Speech{{Text: "Ha!", Duration: 2 * time.Second, Aloud: true}}})
	}
	if p.tick(); p.state.Speech == nil || p.state.Speech.Text != noticeSaid {
		t.Errorf("it says %+v", p.state.Speech)
	}
	p.wait(limits.StandByNotice - time.Second)
	if _, moves := p.continues(4, 2*time.Second); !moves || p.state.Message != nil || p.lines() != "A *** It continues, because no one has control." {
		t.Errorf("it continues: %v; the display shows %+v", moves, p.state.Message)
	}
	if u := p.state.Scripts.Units[0]; u.Held || u.Yields || u.Announced || !u.ContinuesAt.IsZero() {
		t.Errorf("%+v", u)
	}
	handover(t, p) // with the next visitor it restarts
	if p.tick(); p.state.Scripts.Units[0].ContinuesAt.Sub(p.now) < testAfter-time.Second {
		t.Errorf("%+v", p.state.Scripts.Units[0])
	}
}

// What a script says goes its own way beside the announcement: each ends alone.
func TestAnAnnouncementAndWhatAScriptSaysAreIndependent(t *testing.T) {
	announce := func(t *testing.T) (p *plant, ask int) {
		t.Helper()
		p = visited(t, handover)
		p.order(t, robot.LetStandBy{Units: []string{"A"}, Epoch: 4, After: testAfter})
		p.wait(testAfter - limits.StandByNotice - time.Second)
		p.say(t, "long: say(\"One. Two.\"),")
		p.order(t, robot.AnswerAsk{ID: p.core.ScriptAsks()[0].ID, Speech: []robot.Speech{{Text: "One.", Duration: 5 * time.Second, Aloud: true}, {Text: "Two.", Duration: time.Second, Aloud: true}}})
		p.wait(2 * time.Second)
		return p, p.core.ScriptAsks()[0].ID
	}
	says := func(p *plant) string {
		if p.tick(); p.state.Speech == nil {
			return ""
		}
		return p.state.Speech.Text
	}
	withdraw := robot.LetStandBy{Epoch: 4}

	p, ask := announce(t)
	p.order(t, robot.AnswerAsk{ID: ask, Speech: sentences(noticeSaid)})
	if got := says(p); got != "One." {
		t.Errorf("it says %q while a sentence is not over", got)
	}
	p.order(t, withdraw)
	if got := says(p); got != "One." {
		t.Errorf("after the announcement was taken back it says %q", got)
	}

	p, ask = announce(t)
	p.order(t, robot.AnswerAsk{ID: ask, Speech: sentences(noticeSaid)})
	p.say(t, "stop long,")
	if got := says(p); got != noticeSaid {
		t.Errorf("after the script's sentence was stopped it says %q", got)
	}

	p, _ = announce(t)
	p.say(t, "speaker.val = \"Three.\",")
	p.order(t, withdraw)
	if got := strings.Join(p.speak(t), "|"); got != "A Three." {
		t.Errorf("while the announcement is prepared the host is asked for %q", got)
	}
}

// Who takes control before it continues, a goal of a person, and a session that does not let
// it continue restart the time, and the announcement is taken back.
func TestWhatRestartsTheTimeOfStandingBy(t *testing.T) {
	list := robot.LetStandBy{Units: []string{"A"}, Epoch: 4, After: testAfter}
	for name, c := range map[string]struct {
		do    func(t *testing.T, p *plant)
		lasts time.Duration // from where it restarts to the end of do
	}{
		"control that was taken and given back": {do: func(t *testing.T, p *plant) { p.order(t, robot.LetStandBy{Epoch: 4}); p.order(t, list) }},
		"a lease that session had no time to report": {do: func(t *testing.T, p *plant) {
			list := list
			list.Epoch = 6
			p.order(t, list)
		}},
		"a goal of a person": {do: func(t *testing.T, p *plant) {
			p.order(t, robot.GoTo{Goal: robot.Pose{X: 4}})
			for p.tick(); p.state.Goal.Phase != robot.GoalEnded; p.tick() {
				if p.state.Scripts.Units[0].Announced {
					t.Fatal("it is announced while the robot is on its way for a person")
				}
			}
		}},
		"a session that is silent": {do: func(_ *testing.T, p *plant) { p.wait(limits.StandByNotice + continueWithin + 2*time.Second) }, lasts: 3 * time.Second},
	} {
		for when, wait := range map[string]time.Duration{"before": testAfter - limits.StandByNotice - time.Second, "after": testAfter - limits.StandByNotice + time.Second} {
			t.Run(name+", "+when+" the announcement", func(t *testing.T) {
				p := visited(t, handover)
				p.order(t, list)
				p.wait(wait)
				isSaid := p.state.Scripts.Units[0].Announced
				if isSaid != (when == "after") {
					t.Fatalf("it is announced: %v", isSaid)
				}
				asks := p.core.ScriptAsks()
				c.do(t, p)
				began := p.now
				p.tick()
				if p.state.Message != nil || p.state.Scripts.Units[0].Announced {
					t.Errorf("the announcement stays: %+v", p.state.Message)
				}
				if isSaid {
					p.core.Do(p.now, robot.AnswerAsk{ID: asks[0].ID, Speech: []robot.Speech{{Text: noticeSaid, Duration: time.Second}}})
					if p.tick(); p.state.Speech != nil {
						t.Errorf("it still says %q", p.state.Speech.Text)
					}
				}
				epoch := uint64(4)
				if strings.HasPrefix(name, "a lease") {
					epoch = 6
				}
				if _, moves := p.continues(epoch, testAfter-100*time.Millisecond-c.lasts); moves {
					t.Errorf("it continues after %v", p.now.Sub(began))
				}
				if _, moves := p.continues(epoch, testAfter); !moves {
					t.Error("it does not continue")
				}
			})
		}
	}
}

// Without LetStandBy, for another unit or lease, or before its time, ContinueUnit moves nothing.
func TestAUnitContinuesOnlyUnderTheLeaseThatIsFree(t *testing.T) {
	p := visited(t, handover)
	if _, moves := p.continues(0, 3*testAfter); moves {
		t.Error("it continues without a permission")
	}
	p.order(t, robot.LetStandBy{Units: []string{"B"}, Epoch: 4, After: testAfter})
	if _, moves := p.continues(4, 3*testAfter); moves {
		t.Error("it continues with the permission of another unit")
	}
	p.order(t, robot.LetStandBy{Units: []string{"A"}, Epoch: 4, After: time.Second}) // the announcement takes longer
	if after, moves := p.continues(4, limits.StandByNotice-100*time.Millisecond); moves {
		t.Errorf("it continues after %v", after)
	}
	if _, moves := p.continues(5, 2*time.Second); moves {
		t.Error("it continues under another lease")
	}
	if _, moves := p.continues(4, time.Second); !moves {
		t.Error("it does not continue in time")
	}
	handover(t, p)
	p.order(t, robot.CloseUnit{Unit: "A"})
	if p.wait(2 * testAfter); p.state.Message != nil {
		t.Errorf("of a script that has ended it shows %+v", p.state.Message)
	}
}
