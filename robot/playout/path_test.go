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
		p.add(&samples[i])
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
		for i, m := range p.way {
			got, _ := known.at(float64(i) * robot.Tick)
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

func TestLostSamplesBendThePathByCentimetres(t *testing.T) {
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
		for i, m := range p.way {
			got, _ := known.at(float64(i) * robot.Tick)
			if off := got.Axle.Point().Sub(m.Axle.Point()).Norm(); off > 0.03 {
				t.Fatalf("with gaps of %.2f s the path is %.3f m off at %.2f s", missing, off, float64(i)*robot.Tick)
			}
		}
	})
}

func TestAPathIsCutWhereNobodyMovesSo(t *testing.T) {
	desc := mybot(t)
	p := newPage(desc, robot.Pose{})
	p.hold(0, 0, 0.1)
	p.hold(0.4, 0.2, 2)
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
	p.hold(0, 0, 0.1)
	p.hold(0.45, -0.4, 1.5)
	p.send() // the last that is heard
	last := p.samples[len(p.samples)-1]
	known := pathOf(NewPlayer(desc, Options{}), p.samples)
	// The page's robot goes on for as long as the sample is valid, and brakes.
	for range 25 {
		p.live()
	}
	p.want = robot.Twist{}
	for range 200 {
		p.live()
	}
	for i := int(last.T / robot.Tick); i < len(p.way); i++ {
		got, _ := known.at(float64(i) * robot.Tick)
		if off := got.Axle.Point().Sub(p.way[i].Axle.Point()).Norm(); off > 1e-6 {
			t.Fatalf("%.2f s after the last sample the two are %.4f m apart", float64(i)*robot.Tick-last.T, off)
		}
	}
	if got, _ := known.at(p.now()); !got.Twist.IsZero() {
		t.Errorf("without a successor it still moves with %v", got.Twist)
	}
	// A drive that goes on from there after a long silence is no jump.
	p.hold(0, 0, 0.1)
	p.hold(0.3, 0, 0.5)
	player := NewPlayer(desc, Options{})
	if known := pathOf(player, p.samples); known.end != len(known.knots)-1 {
		t.Errorf("after the silence the path is cut at knot %d of %d", known.end, len(known.knots))
	}
}
