package onboard

import (
	"math"
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/playout"
)

// leg is what a driver asks for, and for how long.
type leg struct {
	want robot.Twist
	time float64 // s
}

// recorded is the drive of a virtual robot from start, a point every 50 ms.
func recorded(d robot.Description, start robot.Pose, legs ...leg) playout.Motion {
	m := robot.Motion{Axle: d.Drivetrain.Axle(start)}
	out := playout.Motion{Points: []playout.Waypoint{{Pose: start}}}
	t := 0.0
	for _, l := range append(legs, leg{time: 2}) {
		for end := t + l.time; t < end-1e-9; {
			for range 5 {
				m = robot.Step(m, l.want, playout.LimitOf(d), robot.Tick)
			}
			t += 0.05
			out.Points = append(out.Points, playout.Waypoint{T: t, Pose: d.Drivetrain.Centre(m.Axle), Twist: m.Twist, Want: l.want})
		}
	}
	return out
}

var metreAndTurn = []leg{{robot.Twist{Linear: 0.4}, 2.5}, {robot.Twist{}, 1}, {robot.Twist{Angular: 0.6}, 2}}

func replay(m playout.Motion, hold uint64) robot.Replay {
	return robot.Replay{Lease: 1, Hold: hold, Number: 7, Points: m.Points}
}

func TestAMotionIsPlayedAgainToItsEnd(t *testing.T) {
	for _, tc := range []struct {
		name  string
		start robot.Pose
	}{
		{"from its start", robot.Pose{}},
		{"from beside its start", robot.Pose{X: -0.1, Y: 0.15, Theta: 0.2}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newPlant(tc.start)
			m := recorded(p.desc, robot.Pose{}, metreAndTurn...)
			if r := p.core.Do(p.now, replay(m, 1)); r.Word != robot.Success {
				t.Fatal(r)
			}
			p.wait(time.Second)
			if s := p.state; s.Mode != robot.ModeManual || s.Play.Policy != "playback" || s.Play.Motion != 7 || !(s.Play.Left > 0.5 && s.Play.Left < m.Length()) {
				t.Errorf("after a second it is %s: %+v", s.Mode, s.Play)
			}
			p.wait(time.Duration(m.Duration() * float64(time.Second)))
			end := m.Points[len(m.Points)-1].Pose
			off := p.centre().Inverse().Compose(end)
			if off.Point().Norm() > 0.05 || math.Abs(off.Theta) > robot.Radians(3) || p.state.Play.Policy != "" || p.state.Held != nil || !p.state.Twist.IsStill() {
				t.Errorf("it ends %.3f m and %.1f deg off: %+v, held %+v", off.Point().Norm(), robot.Degrees(off.Theta), p.state.Play, p.state.Held)
			}
			p.page = newPage(p.desc, p.centre(), p.now)
			p.page.want = robot.Twist{Linear: 0.3}
			p.wait(time.Second)
			if s := p.state; s.Play.Policy != "track" || s.Play.Motion != 0 || s.Twist.Linear < 0.2 {
				t.Errorf("a driver is followed like this: %+v at %v", s.Play, s.Twist)
			}
		})
	}
}

func TestAMotionIsRefusedWhereItCannotBegin(t *testing.T) {
	m := recorded(mybot(), robot.Pose{}, metreAndTurn...)
	for _, tc := range []struct {
		name  string
		start robot.Pose
		spoil func(p *plant)
		play  robot.Replay
		want  string
	}{
		{"too far", robot.Pose{X: 0.32}, nil, replay(m, 1), "ERROR The motion begins 0.3 m from here, turned by 0 deg. Send the robot to its start first."},
		{"turned away", robot.Pose{Theta: 0.6}, nil, replay(m, 1), "ERROR The motion begins 0.0 m from here, turned by 34 deg. Send the robot to its start first."},
		{"nothing in it", robot.Pose{}, nil, robot.Replay{Lease: 1, Hold: 1}, "ERROR The motion is empty."},
		{"stopped", robot.Pose{}, func(p *plant) { p.core.Do(p.now, robot.Stop{By: "Jin"}) }, replay(m, 1), "PANIC The robot is stopped by Jin. Release the stop first."},
		{"lost", robot.Pose{}, func(p *plant) { p.core.loc.(*believed).trust = robot.TrustLost; p.tick() }, replay(m, 1), "ERROR " + lostReason},
		{"on the move", robot.Pose{}, func(p *plant) { p.drive(0.3, 0, 400*time.Millisecond) }, replay(m, 1), "BUSY The robot is moving. Let it stop, then replay the motion."},
		{"an old number", robot.Pose{}, func(p *plant) { p.core.Do(p.now, replay(m, 2)); p.core.Do(p.now, robot.Halt{}) }, replay(m, 2), "INTERRUPTED This motion belongs to a drive that has ended."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newPlant(tc.start)
			if tc.spoil != nil {
				tc.spoil(p)
			}
			before := p.centre()
			if r := p.core.Do(p.now, tc.play); string(r.Word)+" "+r.Reason != tc.want {
				t.Errorf("%s %s, should be %s", r.Word, r.Reason, tc.want)
			}
			if tc.name != "on the move" {
				if p.wait(time.Second); p.centre() != before {
					t.Errorf("it moves from %v to %v", before, p.centre())
				}
			}
		})
	}
}

// The robot plays a motion; each of these ends it, and after the way that it
// takes to brake nothing moves any more.
func TestWhatEndsADriveEndsAPlayedMotion(t *testing.T) {
	for _, tc := range []struct {
		name string
		ends func(p *plant)
		held string
	}{
		{"STOP", func(p *plant) { p.core.Do(p.now, robot.Stop{By: "Jin"}) }, "The robot is stopped by Jin."},
		{"a halt, as at a change of control", func(p *plant) { p.core.Do(p.now, robot.Halt{Reason: "Ana gave control to Jin."}) }, "Ana gave control to Jin."},
		{"a driver without compensation", func(p *plant) { p.core.Do(p.now, drive(0, 0)) }, "The driving mode was changed."},
		{"something in the way", func(p *plant) { p.walls = append(p.walls, wall(0.9, -2, 0.9, 2)) }, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newPlant(robot.Pose{})
			m := recorded(p.desc, robot.Pose{}, leg{robot.Twist{Linear: 0.4}, 8})
			if r := p.core.Do(p.now, replay(m, 1)); r.Word != robot.Success {
				t.Fatal(r)
			}
			p.wait(1500 * time.Millisecond)
			if p.state.Twist.Linear < 0.3 {
				t.Fatalf("it goes at %v", p.state.Twist)
			}
			tc.ends(p)
			p.wait(6 * time.Second)
			if s := p.state; s.Held == nil || s.Held.Hold != 1 || !strings.HasPrefix(s.Held.Reason, tc.held) || s.Play.Motion != 0 || !s.Twist.IsStill() {
				t.Errorf("held %+v, played %+v at %v", s.Held, s.Play, s.Twist)
			}
			rests := p.centre()
			p.core.Do(p.now, robot.ClearStop{})
			if p.wait(3 * time.Second); p.centre().Point().Sub(rests.Point()).Norm() > 0.001 {
				t.Errorf("it goes on from %v to %v", rests, p.centre())
			}
			if p.closest < 0.02 {
				t.Errorf("it comes within %.3f m of the wall", p.closest)
			}
		})
	}
}
