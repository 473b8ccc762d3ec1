package playout

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/robot"
	"mybot/robot/limits"
)

func TestTheRobotFollowsThePathAndStands(t *testing.T) {
	desc := mybot(t)
	for _, delay := range []float64{0, 0.155, 1, 2} {
		p := newPage(desc, robot.Pose{X: 1, Y: 2, Theta: 0.5})
		p.press(0, 0, 0.2)
		p.press(0.45, 0.5, 3)
		p.press(0.45, -0.5, 3)
		p.press(0, 0.6, 1.5)
		p.press(-0.3, 0.2, 3)
		p.release(0)
		r := newRobot(desc, robot.Pose{X: 1, Y: 2, Theta: 0.5}, 3)
		worst, still := 0.0, 0.0
		ride(NewPlayer(desc, Options{}), r, straight(p.samples, delay), p.now()+delay+4, func(tt float64, twist robot.Twist, s Status) {
			worst = max(worst, p.off(r.axle))
			if still += 0.02; !twist.IsZero() || s.Active {
				still = 0
			}
			if s.Hold != "" {
				t.Fatalf("delay %g: held at %.2f s: %s", delay, tt, s.Hold)
			}
		})
		end := p.motion.Axle.Point().Sub(r.axle.Point()).Norm()
		if worst > 0.03 || end > 0.05 || still < 1 {
			t.Errorf("delay %g: off by %.3f m at most and %.3f m at the end, still for the last %.2f s", delay, worst, end, still)
		}
	}
}

func TestNothingMovesAfterNeutral(t *testing.T) {
	desc := mybot(t)
	rapid.Check(t, func(t *rapid.T) {
		p := newPage(desc, robot.Pose{})
		p.hist = rapid.IntRange(0, 3).Draw(t, "hist")
		luck := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "luck"), 3))
		p.wander(4, luck)
		last := p.now()
		loss := rapid.Float64Range(0, 0.3).Draw(t, "loss")
		wait := rapid.Float64Range(0, 0.6).Draw(t, "wait")
		policy := rapid.SampledFrom([]Policy{Track, Direct, Delay}).Draw(t, "policy")
		var packets []packet
		for i, s := range p.samples {
			if i == 0 || luck.Float64() >= loss {
				packets = append(packets, packet{s.T + 0.1 + wait*luck.Float64(), s})
				if luck.Float64() < 0.1 {
					packets = append(packets, packet{s.T + 0.1 + 3*wait*luck.Float64(), s})
				}
			}
		}
		r := newRobot(desc, robot.Pose{}, 1)
		rolled := 0.0
		ride(NewPlayer(desc, Options{Policy: policy, Delay: at(0.7).Sub(at(0))}), r, inOrder(packets), last+12, func(tt float64, twist robot.Twist, s Status) {
			if tt < last+6 {
				rolled = r.rolled
				return
			}
			if !twist.IsZero() || s.Active && s.Hold == "" {
				t.Fatalf("%s: %.2f s after the drive the command is %v (%+v)", policy, tt-last, twist, s)
			}
		})
		if r.rolled-rolled > 1e-9 {
			t.Fatalf("it rolled %g after the drive", r.rolled-rolled)
		}
	})
}

// stalled delays the packets in an interval, which arrive in a burst at its end.
func stalled(samples []Sample, from, to float64) []packet {
	out := straight(samples, 0.1)
	for i := range out {
		if out[i].at >= from && out[i].at < to {
			out[i].at = to
		}
	}
	return out
}

// The driver keeps driving all the time.
func TestAStallIsWaitedOutAndALongOneHolds(t *testing.T) {
	desc := mybot(t)
	for _, c := range []struct {
		lasts float64
		hold  string
	}{{0.6, ""}, {0.95, ""}, {1.5, ""}, {2.4, ""}, {2.6, "Nothing arrived"}, {4, "Nothing arrived"}} {
		p := newPage(desc, robot.Pose{})
		p.press(0, 0, 0.2)
		p.press(0.45, 0.3, 16)
		p.release(0)
		packets := stalled(p.samples, 3, 3+c.lasts)
		player, r := NewPlayer(desc, Options{}), newRobot(desc, robot.Pose{}, 1)
		waited, held, after, worst := false, "", 0.0, 0.0
		ride(player, r, packets, 24, func(tt float64, twist robot.Twist, s Status) {
			waited = waited || s.Stalled
			if s.Hold != "" {
				held = s.Hold
			}
			worst = max(worst, p.off(r.axle))
			if tt >= 3+c.lasts && !twist.IsZero() {
				after += 0.02
			}
		})
		if !waited || c.hold == "" && (held != "" || after < 2) || c.hold != "" && (!strings.HasPrefix(held, c.hold) || after > 0) {
			t.Errorf("stall of %g s: waited %v, held %q, moved for %.2f s afterwards", c.lasts, waited, held, after)
		}
		if worst > 0.05 {
			t.Errorf("stall of %g s: %.3f m off the path", c.lasts, worst)
		}
		if c.hold != "" {
			if a := player.Take(at(25), p.samples[len(p.samples)-1]); a.Word != robot.Interrupted || !strings.HasPrefix(a.Reason, c.hold) {
				t.Errorf("a sample after the hold is answered %v", a)
			}
		}
	}
}

func TestOldNumbersAreInterruptedAndNewOnesBeginAnew(t *testing.T) {
	desc := mybot(t)
	player := NewPlayer(desc, Options{})
	p := newPage(desc, robot.Pose{})
	p.press(0, 0, 0.2)
	p.press(0.4, 0, 1)
	take := func(s Sample, lease, hold uint64) robot.Word {
		s.Lease, s.Hold = lease, hold
		return player.Take(at(s.T), s).Word
	}
	for i, c := range []struct {
		sample      int
		lease, hold uint64
		want        robot.Word
	}{
		{0, 2, 3, robot.Success},
		{1, 2, 3, robot.Success},
		{2, 2, 2, robot.Interrupted}, // an old drive epoch
		{2, 1, 9, robot.Interrupted}, // an old lease
		{10, 2, 4, robot.Error},      // a press begins with a neutral sample
		{3, 2, 3, robot.Interrupted}, // the newer epoch has ended it
		{0, 2, 4, robot.Success},
		{0, 3, 1, robot.Success},
		{10, 3, 1, robot.Success},
	} {
		if got := take(p.samples[c.sample], c.lease, c.hold); got != c.want {
			t.Errorf("step %d: %s, want %s", i, got, c.want)
		}
	}
	player.End("An obstacle is in the way.")
	if got := player.Take(at(2), Sample{Lease: 3, Hold: 1, Seq: 99, T: 2}); got.Word != robot.Interrupted || got.Reason != "An obstacle is in the way." {
		t.Errorf("after a hold: %v", got)
	}
	if twist, s := player.Tick(at(2), robot.Pose{}, robot.Twist{}); !twist.IsZero() || s.Active || s.Hold == "" {
		t.Errorf("after a hold the command is %v: %+v", twist, s)
	}
}

func TestASampleThatCannotBeTrueIsToldWhy(t *testing.T) {
	desc := mybot(t)
	for _, c := range []struct {
		sample Sample
		want   string
	}{
		{Sample{Seq: 3, T: math.NaN()}, "Drive sample 3 holds something that is not a number."},
		{Sample{Seq: 3, Want: robot.Twist{Linear: math.Inf(1)}}, "not a number"},
		{Sample{Seq: 3, Pose: robot.Pose{X: 1e7}}, "beyond all bounds"},
		{Sample{Seq: 3, Valid: -1}, "give more than 0 s and at most 500ms"},
		{Sample{Seq: 1, T: 1, Want: robot.Twist{Linear: 0.1}}, "A drive begins with a neutral sample"},
	} {
		player := NewPlayer(desc, Options{})
		if got := player.Take(at(0), c.sample); got.Word != robot.Error || !strings.Contains(got.Reason, c.want) {
			t.Errorf("%+v: %v", c.sample, got)
		}
	}
	player := NewPlayer(desc, Options{})
	player.Take(at(0), Sample{Lease: 1, Seq: 1, T: 5})
	if got := player.Take(at(0), Sample{Lease: 1, Seq: 2, T: 4}); got.Word != robot.Error || !strings.Contains(got.Reason, "The time of sample 2, 4.000 s, does not fit") {
		t.Errorf("a decreasing time: %v", got)
	}
	for i := range maxKnots + 10 {
		got := player.Take(at(float64(i)), Sample{Lease: 1, Seq: uint64(i + 2), T: 5 + float64(i)})
		if i > maxKnots && got.Word != robot.Busy {
			t.Fatalf("sample %d is answered %v", i, got)
		}
	}
}

func TestARobotOffItsPathHolds(t *testing.T) {
	desc := mybot(t)
	for name, c := range map[string]struct {
		carry robot.Pose
		want  string
	}{
		"its position jumps":            {robot.Pose{X: 0.4, Y: 0.1}, "The robot's position jumped by"},
		"it is turned away by 75 deg":   {robot.Pose{Theta: 75 * math.Pi / 180}, "deg off its path"},
		"it is turned away by a little": {robot.Pose{Theta: 0.2}, ""},
		"its position steps aside":      {robot.Pose{Y: 0.2}, ""},
	} {
		p := newPage(desc, robot.Pose{})
		p.press(0, 0, 0.2)
		p.press(0.4, 0, 8)
		player, r := NewPlayer(desc, Options{}), newRobot(desc, robot.Pose{}, 2)
		held := ""
		ride(player, r, straight(p.samples, 0.1), 8, func(tt float64, _ robot.Twist, s Status) {
			if math.Abs(tt-3) < 0.001 {
				r.axle = r.axle.Compose(c.carry)
			}
			if s.Hold != "" && held == "" {
				held = s.Hold
			}
		})
		if c.want == "" && (held != "" || p.off(r.axle) > 0.05) || c.want != "" && !strings.Contains(held, c.want) {
			t.Errorf("%s: held %q, in the end %.3f m off", name, held, p.off(r.axle))
		}
	}
}

func TestARobotThatItsGuardSlowsDownIsWaitedFor(t *testing.T) {
	desc := mybot(t)
	p := newPage(desc, robot.Pose{})
	p.press(0, 0, 0.2)
	p.press(0.45, 0.3, 10)
	p.release(0)
	for _, share := range []float64{0.3, 0} {
		player, r := NewPlayer(desc, Options{}), newRobot(desc, robot.Pose{}, 2)
		held, lag, worst := "", 0.0, 0.0
		ride(player, r, straight(p.samples, 0.1), 30, func(tt float64, _ robot.Twist, s Status) {
			r.share = 1
			if tt > 3 && tt < 7 {
				r.share = share
			}
			if held = s.Hold; held == "" {
				lag = max(lag, s.Along)
			}
			worst = max(worst, p.off(r.axle))
		})
		if lag > 0.36 || lag < 0.1 || worst > 0.05 {
			t.Errorf("share %g: %.2f m behind at most, %.3f m off the path", share, lag, worst)
		}
		if end := p.motion.Axle.Point().Sub(r.axle.Point()).Norm(); share > 0 && (held != "" || end > 0.05) {
			t.Errorf("share %g: held %q, %.3f m from the end", share, held, end)
		}
		if share == 0 && held != "The robot could not follow." {
			t.Errorf("a robot that is stopped for 4 s: held %q", held)
		}
	}
}

// A guard that only allows creeping keeps the robot moving on the rest of the path, but not
// long after the driver has let go.
func TestARobotThatOnlyCreepsDoesNotFollowItsPathToTheEnd(t *testing.T) {
	desc := mybot(t)
	for _, share := range []float64{0.5, 0.1, 0.06} {
		p := newPage(desc, robot.Pose{})
		p.press(0, 0, 0.2)
		p.press(0.45, 0, 3)
		letGo, lead := p.now(), math.NaN()
		p.release(12)
		player, r := NewPlayer(desc, Options{}), newRobot(desc, robot.Pose{}, 2)
		held, moved := "", 0.0
		ride(player, r, straight(p.samples, 0.1), p.now(), func(tt float64, twist robot.Twist, s Status) {
			if tt > 2.5 {
				r.share = share
			}
			if tt > letGo+0.1 && math.IsNaN(lead) {
				lead = s.Lead
			}
			held = s.Hold
			if !twist.IsZero() {
				moved = tt
			}
		})
		if moved > letGo+0.1+limits.EndAfter+limits.EndPerLead*lead+0.1 {
			t.Errorf("a guard that allows %g of the speed: %.2f s after the release, %.2f s behind, the robot still moves", share, moved-letGo, lead)
		}
		if (held == Stuck) != (share < 0.2) {
			t.Errorf("a guard that lets %g of the speed through: held %q", share, held)
		}
	}
}

// After a stall, the reference catches up faster than it was driven. If the virtual robot
// braked, turned in place and drove on, the robot must be able to brake as well.
func TestARobotThatCatchesUpDoesNotOvershootWhereTheVirtualOneTurned(t *testing.T) {
	desc := mybot(t)
	for _, from := range []float64{1.6, 1.8, 2, 2.2, 2.4} {
		p := newPage(desc, robot.Pose{})
		p.press(0, 0, 0.2)
		p.press(0.45, 0, 3)
		p.press(0, 0.6, 2.6)
		p.press(0.45, 0, 2)
		p.release(0)
		player, r := NewPlayer(desc, Options{}), newRobot(desc, robot.Pose{}, 4)
		worst, fastest := 0.0, 0.0
		ride(player, r, stalled(p.samples, from, from+0.8), p.now()+5, func(_ float64, _ robot.Twist, s Status) {
			worst, fastest = max(worst, p.off(r.axle)), max(fastest, s.Rate)
			if s.Hold != "" {
				t.Fatalf("held: %s", s.Hold)
			}
		})
		if worst > 0.03 || fastest < 1.1 {
			t.Errorf("a stall at %g s: %.3f m off the path, %.2f times as fast at most", from, worst, fastest)
		}
	}
}

func TestWhatStandsIsSkipped(t *testing.T) {
	desc := mybot(t)
	p := newPage(desc, robot.Pose{})
	p.press(0, 0, 0.2)
	p.press(0.4, 0, 2)
	p.press(0, 0, 6) // the stick is held in the centre
	p.press(0.4, 0, 2)
	p.release(0)
	packets := straight(p.samples, 0.1)
	for i := range packets { // the path falls behind by a second during the motion
		if packets[i].at > 1.5 && packets[i].at < 2.4 {
			packets[i].at = 2.4
		}
	}
	player, r := NewPlayer(desc, Options{}), newRobot(desc, robot.Pose{}, 2)
	before, after := 0.0, 0.0
	ride(player, r, packets, 12, func(tt float64, _ robot.Twist, s Status) {
		if math.Abs(tt-2.6) < 0.001 {
			before = tt - s.Tau
		}
		if math.Abs(tt-9.5) < 0.001 {
			after = tt - s.Tau
		}
	})
	if before < 0.5 || after > before-0.2 || after > 0.72 {
		t.Errorf("behind by %.2f s before the pause and by %.2f s after it", before, after)
	}
}

func TestTheReferenceIsNeverFasterThanIsSafe(t *testing.T) {
	desc := mybot(t)
	p := newPage(desc, robot.Pose{})
	p.limit = desc.Safe // a page that drives faster than it should
	p.limit.Linear, p.limit.LinearAcceleration = 2, 1
	p.press(0, 0, 0.2)
	p.press(1, 0.3, 5)
	p.release(0)
	player, r := NewPlayer(desc, Options{}), newRobot(desc, robot.Pose{}, 2)
	var last Status
	ride(player, r, straight(p.samples, 0.1), 6, func(tt float64, twist robot.Twist, s Status) {
		if math.Abs(twist.Linear) > desc.Safe.Linear+1e-9 || math.Abs(twist.Angular) > desc.Safe.Angular+1e-9 {
			t.Fatalf("the command is %v", twist)
		}
		if last.Active && s.Hold == "" {
			if v := s.Reference.Point().Sub(last.Reference.Point()).Norm() / 0.02; v > desc.Safe.Linear+0.1 {
				t.Fatalf("the reference moves with %.2f m/s at %.2f s", v, tt)
			}
		}
		last = s
	})
}

func TestARobotThatIsKeptOffTheEndOfItsPathHolds(t *testing.T) {
	desc := mybot(t)
	for _, kept := range []float64{0.10, 0.25} { // m before the end, where its guard brakes
		p := newPage(desc, robot.Pose{})
		p.press(0, 0, 0.2)
		p.press(0.3, 0, 2)
		p.release(3)
		end := desc.Drivetrain.Centre(p.motion.Axle)
		player, r := NewPlayer(desc, Options{}), newRobot(desc, robot.Pose{}, 3)
		held := ""
		ride(player, r, straight(p.samples, 0.1), p.now(), func(_ float64, _ robot.Twist, s Status) {
			if r.axle.X > desc.Drivetrain.Axle(end).X-kept {
				r.share = 0
			}
			held = s.Hold
		})
		if want := kept > 0.2; (held == Stuck) != want {
			t.Errorf("braked %.2f m before the end it holds with %q, want a hold: %v", kept, held, want)
		}
	}
}

func TestDelayPlaysAFixedTimeLater(t *testing.T) {
	desc := mybot(t)
	for _, known := range []bool{false, true} {
		p := newPage(desc, robot.Pose{})
		p.press(0, 0, 0.2)
		p.press(0.4, 0.2, 4)
		p.release(0)
		var packets []packet
		luck := rand.New(rand.NewPCG(4, 4))
		for i, s := range p.samples {
			if known {
				s.Made = at(s.T)
			}
			wait := 0.1 + 0.2*luck.Float64()
			if i == 5 {
				wait = 0.1
			}
			packets = append(packets, packet{s.T + wait, s})
		}
		behind := 0.8
		if !known {
			behind = 0.9 // relative to the fastest packet
		}
		player, r := NewPlayer(desc, Options{Policy: Delay, Delay: at(0.8).Sub(at(0))}), newRobot(desc, robot.Pose{}, 2)
		ride(player, r, inOrder(packets), 4, func(tt float64, _ robot.Twist, s Status) {
			if tt > 1.5 && tt < 4 && math.Abs(tt-s.Tau-behind) > 0.001 {
				t.Fatalf("at %.2f s it plays %.3f s late", tt, tt-s.Tau)
			}
		})
	}
}

func TestDirectForgetsASampleThatHasNoSuccessor(t *testing.T) {
	desc := mybot(t)
	p := newPage(desc, robot.Pose{})
	p.press(0, 0, 0.2)
	p.press(0.4, 0, 1)
	player, r := NewPlayer(desc, Options{Policy: Direct}), newRobot(desc, robot.Pose{}, 2)
	moved := 0.0
	ride(player, r, straight(p.samples, 0), 4, func(tt float64, twist robot.Twist, _ Status) {
		if !twist.IsZero() {
			moved = tt
		}
	})
	if last := p.samples[len(p.samples)-1].T; moved < last || moved > last+0.26 {
		t.Errorf("the last sample was of %.2f s and counted until %.2f s", last, moved)
	}
}

func TestAChangeOfPolicyWhileFollowingHolds(t *testing.T) {
	desc := mybot(t)
	p := newPage(desc, robot.Pose{})
	p.press(0, 0, 0.2)
	p.press(0.4, 0, 2)
	player, r := NewPlayer(desc, Options{}), newRobot(desc, robot.Pose{}, 2)
	ride(player, r, straight(p.samples, 0), 1.5, nil)
	player.SetOptions(Options{Policy: Track})
	if _, s := player.Tick(at(1.52), desc.Drivetrain.Centre(r.axle), r.given); s.Hold != "" {
		t.Errorf("the same policy again holds: %s", s.Hold)
	}
	player.SetOptions(Options{Policy: Direct})
	if twist, s := player.Tick(at(1.54), desc.Drivetrain.Centre(r.axle), r.given); s.Hold == "" || !twist.IsZero() {
		t.Errorf("another policy: %v, %+v", twist, s)
	}
}

func TestATickAllocatesNothing(t *testing.T) {
	desc := mybot(t)
	player, tick := busy(desc)
	if n := testing.AllocsPerRun(200, tick); n != 0 {
		t.Errorf("%v allocations in a tick", n)
	}
	if _, s := player.Tick(player.ticked, player.pose, robot.Twist{}); !s.Active {
		t.Error("the player that was measured had nothing to do")
	}
}

// busy returns a player that follows a path for 40 s, and a function that runs one tick with
// the samples of that time.
func busy(desc robot.Description) (*Player, func()) {
	p := newPage(desc, robot.Pose{})
	p.press(0, 0, 0.2)
	p.press(0.4, 0.3, 40)
	player := NewPlayer(desc, Options{})
	now, next, pose := 0.0, 0, robot.Pose{}
	return player, func() {
		now += 0.02
		for ; next < len(p.samples) && p.samples[next].T <= now; next++ {
			player.Take(at(now), p.samples[next])
		}
		twist, s := player.Tick(at(now), pose, robot.Twist{})
		if pose = s.Reference; twist.Linear > 1 {
			panic("too fast")
		}
	}
}

func BenchmarkTick(b *testing.B) {
	desc := mybot(b)
	player, tick := busy(desc)
	b.ReportAllocs()
	for b.Loop() {
		if tick(); player.newest.T > 39 {
			b.StopTimer()
			player, tick = busy(desc)
			b.StartTimer()
		}
	}
}

func BenchmarkTake(b *testing.B) {
	desc := mybot(b)
	p := newPage(desc, robot.Pose{})
	p.press(0, 0, 0.2)
	p.press(0.4, 0.3, 60)
	player := NewPlayer(desc, Options{})
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if i == len(p.samples) {
			i = 0
			player.End("again")
			player.stream, player.held = stream{}, ""
		}
		player.Take(at(p.samples[i].T), p.samples[i])
		if len(player.path.knots) > 20 {
			player.path.dropBefore(player.path.newestKnot().t - 0.5)
		}
		i++
	}
}

func TestASampleBeyondAllBoundsIsRefusedAndOneAtThemIsNot(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		change func(s *Sample, f float64)
		most   float64
	}{
		{"its time", func(s *Sample, f float64) { s.T = f }, 1e10},
		{"its x", func(s *Sample, f float64) { s.Pose.X = f }, 1e6},
		{"its y", func(s *Sample, f float64) { s.Pose.Y = f }, 1e6},
		{"its speed", func(s *Sample, f float64) { s.Twist.Linear = f }, 100},
		{"its turning", func(s *Sample, f float64) { s.Twist.Angular = f }, 100},
		{"its way", func(s *Sample, f float64) { s.S = f }, 1e300},
		{"its heading", func(s *Sample, f float64) { s.Pose.Theta = f }, 1e300},
		{"the wish for speed", func(s *Sample, f float64) { s.Want.Linear = f }, 1e300},
		{"the wish to turn", func(s *Sample, f float64) { s.Want.Angular = f }, 1e300},
	} {
		for f, wrong := range map[float64]bool{c.most: false, -c.most: false, 2 * c.most: c.most < 1e300, -2 * c.most: c.most < 1e300, math.Inf(-1): true} {
			var s Sample
			if c.change(&s, f); (sampleFault(&s) != "") != wrong {
				t.Errorf("%s is %g: %q", c.name, f, sampleFault(&s))
			}
		}
		var s Sample
		if c.change(&s, nan); !strings.Contains(sampleFault(&s), "not a number") {
			t.Errorf("%s is no number: %q", c.name, sampleFault(&s))
		}
	}
	for valid, wrong := range map[time.Duration]bool{0: false, limits.SampleValidity: false, limits.SampleValidity + 1: true, -1: true} {
		if s := (Sample{Valid: valid}); (sampleFault(&s) != "") != wrong {
			t.Errorf("valid for %v: %q", valid, sampleFault(&s))
		}
	}
}

func TestTheRateOfTheReferenceChangesNoFasterThanTheRobotCan(t *testing.T) {
	p := NewPlayer(mybot(t), Options{})
	for _, twist := range []robot.Twist{{Linear: 0.45}, {Linear: -0.45, Angular: 0.3}, {Angular: 0.7}, {Angular: -0.7}, {Linear: 0.05, Angular: 0.7}} {
		h := p.maxRateChange(twist)
		v, w := h*math.Abs(twist.Linear)/p.safe.LinearAcceleration, h*math.Abs(twist.Angular)/p.safe.AngularAcceleration
		if math.Abs(max(v, w)-1) > 1e-9 {
			t.Errorf("with %+v the rate changes by %.2f 1/s: %.2f of what the wheels can", twist, h, max(v, w))
		}
	}
	if h := p.maxRateChange(robot.Twist{}); math.IsInf(h, 1) || h < 1 {
		t.Errorf("at rest the rate changes by %g 1/s", h)
	}
}
