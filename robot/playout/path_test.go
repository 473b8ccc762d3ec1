package playout

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"mybot/robot"
)

func pathOf(p *Player, samples []Sample) *path {
	for i := range samples {
		p.addSample(&samples[i])
	}
	return &p.path
}

func drawn(t *rapid.T, desc robot.Description) *page {
	p := newPage(desc, robot.Pose{X: 2, Y: -1, Theta: rapid.Float64Range(-3, 3).Draw(t, "heading")})
	p.wander(6, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "drive"), 1)))
	return p
}

func TestThePathIsTheVirtualRobots(t *testing.T) {
	desc := mybot(t)
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t, desc)
		known := pathOf(NewPlayer(desc, Options{}), p.samples)
		for i, m := range p.motions {
			got, _ := known.motionAt(float64(i) * robot.Tick)
			if off := got.Axle.Point().Sub(m.Axle.Point()).Norm(); off > 1e-6 || math.Abs(robot.WrapAngle(got.Axle.Theta-m.Axle.Theta)) > 1e-6 {
				t.Fatalf("at %.2f s the path is %g m off", float64(i)*robot.Tick, off)
			}
		}
	})
}

func TestThePathIsTheSameInWhateverOrderItsSamplesCome(t *testing.T) {
	desc := mybot(t)
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t, desc)
		ordered := pathOf(NewPlayer(desc, Options{}), p.samples)
		mixed := []Sample{p.samples[0]}
		rest := append([]Sample(nil), p.samples[1:]...)
		rest = append(rest, rapid.SliceOfN(rapid.SampledFrom(rest), 0, 20).Draw(t, "twice")...)
		luck := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 2))
		luck.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
		other := pathOf(NewPlayer(desc, Options{}), append(mixed, rest...))
		if len(ordered.knots) != len(other.knots) || ordered.end != other.end {
			t.Fatalf("%d knots to %d, and %d to %d", len(ordered.knots), ordered.end, len(other.knots), other.end)
		}
		for i := range ordered.knots {
			if ordered.knots[i] != other.knots[i] {
				t.Fatalf("knot %d is %+v, and %+v", i, ordered.knots[i], other.knots[i])
			}
		}
	})
}

func TestLostSamplesMoveThePathByCentimetres(t *testing.T) {
	desc := mybot(t)
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t, desc)
		var kept []Sample
		missing := 0.0
		for i, s := range p.samples {
			gap := 0.0
			if i+1 < len(p.samples) && len(kept) > 0 {
				gap = p.samples[i+1].T - kept[len(kept)-1].T
			}
			if i > 0 && i+1 < len(p.samples) && gap < 0.31 && rapid.Float64Range(0, 1).Draw(t, "luck") < 0.4 {
				missing = max(missing, gap)
				continue
			}
			kept = append(kept, s)
		}
		known := pathOf(NewPlayer(desc, Options{}), kept)
		for i, m := range p.motions {
			got, _ := known.motionAt(float64(i) * robot.Tick)
			if off := got.Axle.Point().Sub(m.Axle.Point()).Norm(); off > 0.03 {
				t.Fatalf("with gaps of %.2f s the path is %.3f m off at %.2f s", missing, off, float64(i)*robot.Tick)
			}
		}
	})
}

func TestAPathIsCutWhereNoRobotMovesSo(t *testing.T) {
	desc := mybot(t)
	p := newPage(desc, robot.Pose{})
	p.press(0, 0, 0.1)
	p.press(0.4, 0.2, 2)
	for name, change := range map[string]func(*Sample){
		"it jumps aside":                              func(s *Sample) { s.Pose.Y += 0.4 },
		"it turns round at once":                      func(s *Sample) { s.Pose.Theta += 2 },
		"it was silent for 2 s and is somewhere else": func(s *Sample) { s.T += 2; s.Pose.X += 1 },
	} {
		t.Run(name, func(t *testing.T) {
			samples := append([]Sample(nil), p.samples[:20]...)
			s := p.samples[20]
			change(&s)
			known := pathOf(NewPlayer(desc, Options{}), append(samples, s))
			if known.end != 19 || len(known.knots) != 21 {
				t.Errorf("of %d knots the path reaches %d", len(known.knots), known.end)
			}
		})
	}
}

func TestTheDeadManLivesInVirtualTime(t *testing.T) {
	desc := mybot(t)
	p := newPage(desc, robot.Pose{})
	p.press(0, 0, 0.1)
	p.press(0.45, -0.4, 1.5)
	p.send() // the last one that arrives
	last := p.samples[len(p.samples)-1]
	known := pathOf(NewPlayer(desc, Options{}), p.samples)
	// The virtual robot continues while the sample is valid, and brakes.
	for range 25 {
		p.live()
	}
	p.want = robot.Twist{}
	for range 200 {
		p.live()
	}
	for i := int(last.T / robot.Tick); i < len(p.motions); i++ {
		got, _ := known.motionAt(float64(i) * robot.Tick)
		if off := got.Axle.Point().Sub(p.motions[i].Axle.Point()).Norm(); off > 1e-6 {
			t.Fatalf("%.2f s after the last sample the two are %.4f m apart", float64(i)*robot.Tick-last.T, off)
		}
	}
	if got, _ := known.motionAt(p.now()); !got.Twist.IsZero() {
		t.Errorf("without a successor it still moves with %v", got.Twist)
	}
	// A drive that continues from there after a long silence is no jump.
	p.press(0, 0, 0.1)
	p.press(0.3, 0, 0.5)
	player := NewPlayer(desc, Options{})
	if known := pathOf(player, p.samples); known.end != len(known.knots)-1 {
		t.Errorf("after the silence the path is cut at knot %d of %d", known.end, len(known.knots))
	}
}

// knots is a path of samples of M.
func knots(desc robot.Description, ks ...knot) *path {
	p := &NewPlayer(desc, Options{}).path
	for n, k := range ks {
		k.seq = uint64(n + 1)
		if k.valid == 0 {
			k.valid = robot.DriveValid.Seconds()
		}
		p.insertKnot(k)
	}
	return p
}

func TestTwoSamplesAreJoinedWhenAVirtualRobotMovesSo(t *testing.T) {
	desc := mybot(t)
	v := desc.Safe.Linear * 0.9
	pose := func(x, y, theta float64) robot.Motion {
		return robot.Motion{Axle: robot.Pose{X: x, Y: y, Theta: theta}}
	}
	moving := func(x float64) robot.Motion {
		return robot.Motion{Axle: robot.Pose{X: x}, Twist: robot.Twist{Linear: v}}
	}
	drives := robot.Twist{Linear: v}
	for _, c := range []struct {
		name string
		a, b knot
		want link
	}{
		{"it stands and goes on standing", knot{}, knot{t: 5}, foretold},
		{"it stands and begins anew near by", knot{}, knot{t: 5, motion: pose(0.2, 0.2, 1)}, foretold},
		{"it stands and begins anew farther away", knot{}, knot{t: 5, motion: pose(0.31, 0, 0)}, broken},
		{"it stands and is elsewhere, and wants to drive", knot{}, knot{t: 5, motion: pose(0.2, 0.2, 1), want: drives}, broken},
		{"it stands and is elsewhere, and moves", knot{}, knot{t: 5, motion: robot.Motion{Axle: robot.Pose{X: 0.2, Y: 0.2}, Twist: drives}}, broken},
		{"it is elsewhere before it can have come to a stand", knot{motion: moving(0), want: drives}, knot{t: 0.6, motion: pose(0.05, 0.2, 0)}, bridged},
		{"it does what it wanted", knot{motion: moving(0), want: drives}, knot{t: 0.2, motion: moving(0.2 * v), want: drives}, foretold},
		{"it does a little else", knot{motion: moving(0), want: drives}, knot{t: 0.2, motion: moving(0.2*v + 0.01), want: drives}, bridged},
		{"it is a little turned", knot{motion: moving(0), want: drives}, knot{t: 0.2, motion: robot.Motion{Axle: robot.Pose{X: 0.2 * v, Theta: 0.01}, Twist: drives}, want: drives}, bridged},
		{"it is a little slower", knot{motion: moving(0), want: drives}, knot{t: 0.2, motion: robot.Motion{Axle: robot.Pose{X: 0.2 * v}, Twist: robot.Twist{Linear: v - 0.05}}, want: drives}, bridged},
		{"it turns a little", knot{motion: moving(0), want: drives}, knot{t: 0.2, motion: robot.Motion{Axle: robot.Pose{X: 0.2 * v}, Twist: robot.Twist{Linear: v, Angular: 0.1}}, want: drives}, bridged},
		{"it has gone half as far again as it can", knot{motion: moving(0), want: drives}, knot{t: 0.2, motion: moving(1.5*0.2*v + 0.019), want: drives}, bridged},
		{"it has gone farther than that", knot{motion: moving(0), want: drives}, knot{t: 0.2, motion: moving(1.5*0.2*v + 0.021), want: drives}, broken},
		{"it has turned farther than it can", knot{motion: moving(0), want: drives}, knot{t: 0.2, motion: pose(0.2*v, 0, 0.27), want: drives}, broken},
		{"it was silent for almost a second", knot{motion: moving(0), want: drives}, knot{t: 0.95, motion: moving(0.9 * v), want: drives}, bridged},
		{"it was silent for a second", knot{motion: moving(0), want: drives}, knot{t: 1, motion: moving(0.95 * v), want: drives}, broken},
	} {
		if p := knots(desc, c.a, c.b); p.knots[0].next != c.want || p.end != min(1, int(c.want)) {
			t.Errorf("%s: %v, up to %d; want %v", c.name, p.knots[0].next, p.end, c.want)
		}
	}
}

func TestAPathThatIsForgottenUpToASampleBeginsWithIt(t *testing.T) {
	desc := mybot(t)
	drives := robot.Twist{Linear: 0.2}
	moving := func(at float64) knot {
		return knot{t: at, s: 0.2 * at, want: drives, motion: robot.Motion{Axle: robot.Pose{X: 0.2 * at}, Twist: drives}}
	}
	p := knots(desc, moving(0), moving(0.1), moving(0.2), moving(0.3))
	for _, c := range []struct {
		tau  float64
		left int
		from float64
	}{{0.05, 4, 0}, {0.1, 3, 0.1}, {0.25, 2, 0.2}, {9, 1, 0.3}} {
		if p.dropBefore(c.tau); len(p.knots) != c.left || p.knots[0].t != c.from || p.end != c.left-1 {
			t.Errorf("at %g s %d samples are left from %g s on, the path ends with number %d", c.tau, len(p.knots), p.knots[0].t, p.end)
		}
	}
	if m, s := p.motionAt(0.3); m.Twist != drives || s != 0.2*0.3 {
		t.Errorf("at its time a sample is %+v, after %g m", m, s)
	}
	if m, s := p.motionAt(0.2); !m.Twist.IsZero() || m.Axle.X != 0.2*0.3 || s != 0.2*0.3 {
		t.Errorf("before the first sample the reference is %+v, after %g m", m, s)
	}
	// What follows a gap is stored: a later packet may close the gap.
	p = knots(desc, moving(0), moving(5), moving(5.1))
	if p.dropBefore(9); len(p.knots) != 3 || p.end != 0 {
		t.Errorf("%d samples are left behind a break", len(p.knots))
	}
}

func TestAReferenceStandsUntilTheSampleThatMovesIt(t *testing.T) {
	desc := mybot(t)
	drives := robot.Twist{Linear: 0.2}
	p := knots(desc, knot{t: 1}, knot{t: 2}, knot{t: 3, want: drives}, knot{t: 3.2, want: drives, motion: robot.Motion{Axle: robot.Pose{X: 0.03}, Twist: drives}})
	for tau, want := range map[float64]float64{0: 3, 1: 3, 2.5: 3, 3: 3, 3.1: 3.1} {
		if got := p.standsUntil(tau); got != want {
			t.Errorf("at %g s it stands until %g s, want %g s", tau, got, want)
		}
	}
	if got := p.standsUntil(9); !math.IsInf(got, 1) {
		t.Errorf("long after the last sample it stands until %g s", got)
	}
}
