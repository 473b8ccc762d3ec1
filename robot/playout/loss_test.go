package playout

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/robot"
	"mybot/robot/limits"
)

// The link is lost during a drive at full speed, over networks from good to bad, with any
// amount of path buffered.
func TestALostLinkEndsInTime(t *testing.T) {
	desc := mybot(t)
	farthest, longest := 0.0, 0.0
	rapid.Check(t, func(t *rapid.T) {
		luck := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "luck"), 1))
		jitter := rapid.Float64Range(0, 0.6).Draw(t, "jitter")
		stall := rapid.Float64Range(0, 0.9).Draw(t, "stall")
		cut := rapid.Float64Range(4, 7).Draw(t, "cut")
		p := newPage(desc, robot.Pose{})
		p.press(0, 0, 0.2)
		p.press(0.45, rapid.Float64Range(-0.3, 0.3).Draw(t, "turn"), 12)
		var packets []packet
		last := 0.0
		for _, s := range p.samples {
			at := s.T + 0.1 + jitter*luck.Float64()
			if from := cut - 0.3 - stall; at >= from && at < from+stall {
				at = from + stall
			}
			if at < cut { // later packets never arrive
				packets = append(packets, packet{at, s})
				last = max(last, at)
			}
		}
		r := newRobot(desc, robot.Pose{}, 1)
		was, distance, stood := r.axle, 0.0, 0.0
		ride(NewPlayer(desc, Options{}), r, inOrder(packets), cut+6, func(tt float64, _ robot.Twist, _ Status) {
			if tt > last {
				distance += r.axle.Point().Sub(was.Point()).Norm()
			}
			was = r.axle
			if math.Abs(r.given.Linear) > 0.01 {
				stood = tt
			}
		})

		took := stood - last
		farthest, longest = max(farthest, distance), max(longest, took)
		const tick = 0.02 // s: the player sees a packet, and the silence, at its next tick
		if distance > 0.64 || took > 1.8+tick+1e-9 {
			t.Fatalf("it rolled %.2f m and %.2f s after the last packet", distance, took)
		}
	})
	t.Logf("at worst %.2f m and %.2f s after the last packet", farthest, longest)
}

func TestASampleThatMovesAndComesMoreThanASecondLateHolds(t *testing.T) {
	desc := mybot(t)
	for late, word := range map[time.Duration]robot.Word{999 * time.Millisecond: robot.Success, 1001 * time.Millisecond: robot.Interrupted} {
		player := NewPlayer(desc, Options{})
		take := func(seq uint64, v float64) robot.Result {
			return player.Take(at(9), Sample{Lease: 1, Hold: 1, Seq: seq, T: float64(seq), Made: at(9).Add(-late), Want: robot.Twist{Linear: v}})
		}
		if r := take(1, 0); r.Word != robot.Success {
			t.Fatalf("a neutral sample that is %v late: %v", late, r)
		}
		if r := take(2, 0.3); r.Word != word {
			t.Errorf("a sample that is %v late: %v, want %s", late, r, word)
		}
		if _, _, reason := player.Held(); (reason == "") != (word == robot.Success) {
			t.Errorf("%v late: held %q", late, reason)
		}
	}
}

// Between two drives, something else may have moved the robot.
func TestADriveBeginsAnewWhereTheRobotHasBeenMovedTo(t *testing.T) {
	desc := mybot(t)
	player, r := NewPlayer(desc, Options{}), newRobot(desc, robot.Pose{}, 1)
	p := newPage(desc, robot.Pose{})
	p.press(0, 0, 0.1)
	p.press(0.4, 0, 1)
	p.release(3)
	first := len(p.samples)
	second := newPage(desc, robot.Pose{X: 9, Y: 9})
	second.tick, second.seq = p.tick, p.seq
	second.hist = 4
	second.samples = append(second.samples, p.samples...)
	second.press(0, 0, 0.1)
	second.press(0.4, 0.2, 1)
	second.release(4)
	moved := false
	ride(player, r, straight(second.samples, 0.1), second.now(), func(tt float64, _ robot.Twist, s Status) {
		if s.Hold != "" {
			t.Fatalf("%.2f s: %s", tt, s.Hold)
		}
		if tt > p.now()-0.5 && !moved {
			moved = true
			r.axle = desc.Drivetrain.Axle(robot.Pose{X: 9, Y: 9})
		}
	})
	if end := second.motion.Axle.Point().Sub(r.axle.Point()).Norm(); end > 0.05 {
		t.Errorf("%.3f m from the end of the second drive", end)
	}
	if !player.path.isEmpty() {
		t.Error("the second drive is not over")
	}
	// A late copy of the first drive moves nothing.
	for _, s := range second.samples[:first] {
		s.Hist = nil
		if r := player.Take(at(20), s); r.Word != robot.Success {
			t.Fatal(r)
		}
	}
	for k := range 100 {
		if twist, s := player.Tick(at(20+0.02*float64(k)), desc.Drivetrain.Centre(r.axle), robot.Twist{}); !twist.IsZero() || s.Active || s.Hold != "" {
			t.Fatalf("after a late copy of a drive the command is %v, hold %q", twist, s.Hold)
		}
	}
}

func TestLeavingAPathHoldsOnlyWhatIsFollowed(t *testing.T) {
	desc := mybot(t)
	p := newPage(desc, robot.Pose{})
	p.press(0, 0, 0.1)
	p.press(0.4, 0, 1)
	p.release(2)
	for _, c := range []struct {
		until float64
		hold  string
	}{{0.06, ""}, {0.2, "why"}, {1, "why"}, {1.5, "why"}, {3, ""}} {
		player, r := NewPlayer(desc, Options{}), newRobot(desc, robot.Pose{}, 1)
		player.Leave("why") // there is no path yet
		var packets []packet
		for _, k := range straight(p.samples, 0) {
			if k.at <= c.until {
				packets = append(packets, k)
			}
		}
		ride(player, r, packets, c.until, nil)
		if player.Leave("why"); player.held != c.hold || !player.path.isEmpty() {
			t.Errorf("after %g s: held %q, want %q", c.until, player.held, c.hold)
		}
	}
}

func TestLeavingAPathInAPauseHoldsWhenMoreOfItIsKnown(t *testing.T) {
	desc := mybot(t)
	p := newPage(desc, robot.Pose{})
	p.press(0, 0, 0.1)
	p.press(0.4, 0, 1)
	p.release(2)
	pause := p.now()
	p.press(0, 0, 0.1)
	p.press(0.4, 0, 1)
	player, r := NewPlayer(desc, Options{Policy: Delay, Delay: 2 * time.Second}), newRobot(desc, robot.Pose{}, 1)
	ride(player, r, straight(p.samples, 0), pause+1.5, nil)
	if !player.settled {
		t.Fatal("the robot does not stand in the pause")
	}
	if player.Leave("why"); player.held != "why" {
		t.Errorf("held %q: what comes next would move it", player.held)
	}
}

func TestARobotFarBehindItsPathHolds(t *testing.T) {
	desc := mybot(t)
	p := newPage(desc, robot.Pose{})
	p.press(0, 0, 0.2)
	p.press(0.45, 0.1, 30)
	player, r := NewPlayer(desc, Options{}), newRobot(desc, robot.Pose{}, 2)
	r.share = 0.4
	held, lead := "", 0.0
	ride(player, r, straight(p.samples, 0.1), 30, func(_ float64, twist robot.Twist, s Status) {
		if s.Hold == "" {
			lead = max(lead, s.Lead)
		} else if held = s.Hold; !twist.IsZero() {
			t.Fatal("a robot that holds moves")
		}
	})
	if held != Stuck || lead > limits.FollowLead+0.1 {
		t.Errorf("held %q, at most %.2f s were buffered", held, lead)
	}
}

func TestWhatIsInHistBeforeTheBeginningIsPassedOver(t *testing.T) {
	desc := mybot(t)
	player := NewPlayer(desc, Options{})
	s := Sample{Lease: 1, Hold: 1, Seq: 9, T: 9, Hist: []Sample{{Seq: 7, T: 7, Want: robot.Twist{Linear: 0.4}}, {Seq: 8, T: 8, Twist: robot.Twist{Linear: 0.1}}}}
	if r := player.Take(at(0), s); r.Word != robot.Success || len(player.path.knots) != 1 {
		t.Errorf("%v, %d knots", r, len(player.path.knots))
	}
	s = Sample{Lease: 1, Hold: 1, Seq: 12, T: 9.1, Want: robot.Twist{Linear: 0.4}, Hist: []Sample{{Seq: 11, T: 9.05, Want: robot.Twist{Linear: 0.4}}}}
	if r := player.Take(at(0.1), s); r.Word != robot.Success || len(player.path.knots) != 3 {
		t.Errorf("%v, %d knots", r, len(player.path.knots))
	}
}

// A reloaded page has another clock.
func TestAnotherClockSaysNothingOfTheJitter(t *testing.T) {
	j := newJitter()
	for i := range 100 {
		s := float64(i) / 20
		j.addArrival(at(s), 500+s)
	}
	for i := range 20 {
		s := 5 + float64(i)/20
		if j.addArrival(at(s), s-5); j.wait != minWait {
			t.Fatalf("after %d packets of another clock the delay is %.2f s", i, j.wait)
		}
	}
}

func TestAHoldEndsAStreamWhosePathIsOverToo(t *testing.T) {
	desc := mybot(t)
	fresh := NewPlayer(desc, Options{})
	if fresh.End("why"); fresh.held != "" {
		t.Error("a player without a sample is held")
	}
	p := newPage(desc, robot.Pose{})
	p.press(0, 0, 0.1)
	p.press(0.3, 0, 1)
	p.release(0)
	player, r := NewPlayer(desc, Options{}), newRobot(desc, robot.Pose{}, 1)
	ride(player, r, straight(p.samples, 0), p.now()+4, nil)
	if !player.path.isEmpty() {
		t.Fatal("the path is not over")
	}
	player.End("STOP")
	player.End("later")
	if _, _, reason := player.Held(); reason != "STOP" {
		t.Errorf("held: %q, want STOP", reason)
	}
	if a := player.Take(at(99), p.samples[0]); a.Word != robot.Interrupted || a.Reason != "STOP" {
		t.Errorf("a sample of the stream is answered %v", a)
	}
}
