package localization

import (
	"math"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/robot"
)

// settle lets a seed filter stand in the room, off by (dx, dy), and returns the
// error after a while.
func settleFrom(t *testing.T, k K, dx, dy float64, lasts time.Duration) float64 {
	desc, plan := robotOf(t), room()
	at := robot.Pose{X: 2, Y: 2}
	w := sim.NewWorld(desc, plan, sim.Scene{}, sim.Options{Ideal: true, Start: at, Epoch: time.Unix(0, 0)})
	s := NewSeed(desc, plan, robot.Pose{X: at.X + dx, Y: at.Y + dy}, k)
	for w.Truth().Time.Before(time.Unix(0, 0).Add(lasts)) {
		s.Update(w.Step())
	}
	return s.Estimate().Pose.Point().Sub(at.Point()).Norm()
}

func TestTheSeedsFilterFindsItsPlaceAgain(t *testing.T) {
	computesLong(t)
	for _, k := range []K{KSum, KMean} {
		lasts := 10 * time.Second
		if k == KMean { // the same sum divided by k instead of multiplied is slow
			lasts = 300 * time.Second
		}
		for _, d := range []robot.Point{{X: 0.2}, {Y: -0.2}, {X: -0.15, Y: 0.15}} {
			if off := settleFrom(t, k, d.X, d.Y, lasts); off > 0.05 {
				t.Errorf("with k read as %d, from %v off it ends %v m off", k, d, off)
			}
		}
	}
}

func TestTheSeedsCorrectionIsTheOneOfItsFormula(t *testing.T) {
	desc := robotOf(t)
	desc.Sonars = []robot.Sonar{{Beam: 0.1, Max: 5}, {Pose: robot.Pose{Theta: math.Pi / 2}, Beam: 0.1, Max: 5}, {Pose: robot.Pose{Theta: math.Pi}, Beam: 0.1, Max: 5}}
	for _, c := range []struct {
		k    K
		want float64
	}{{KSum, 2}, {KMean, 0.5}} {
		s := NewSeed(desc, room(), robot.Pose{X: 2, Y: 2}, c.k)
		// The walls are 6, 3 and 2 m away; the last range is not valid.
		r := robot.Reading{Time: time.Unix(0, 0), Heading: math.NaN(), Ranges: []float64{5, 3.3, 0.4}}
		s.Update(r)
		r.Time = r.Time.Add(alphaPeriod)
		s.Update(r)
		// The front wall is nearer than on the map, so the robot is farther along
		// +x; the left one is farther away, so the robot is farther along -y.
		want := robot.Pose{X: 2 + seedBeta*c.want*seedGamma*1, Y: 2 - seedBeta*c.want*seedGamma*0.3}
		if got := s.Estimate().Pose; math.Abs(got.X-want.X) > 1e-9 || math.Abs(got.Y-want.Y) > 1e-9 {
			t.Errorf("with k read as %d the pose is %+v, want %+v", c.k, got, want)
		}
		s.SetPose(robot.Pose{X: 1, Y: math.NaN()})
		s.SetPose(robot.Pose{X: 3, Y: 3, Theta: 4})
		if got := s.Estimate().Pose; got != (robot.Pose{X: 3, Y: 3, Theta: robot.WrapAngle(4)}) {
			t.Errorf("set, the pose is %v", got)
		}
	}
}

func TestTheSeedsHeadingFollowsTheCompassByAlpha(t *testing.T) {
	desc := robotOf(t)
	s := NewSeed(desc, room(), robot.Pose{X: 2, Y: 2}, KMean)
	now := time.Unix(0, 0)
	for range 2 {
		s.Update(robot.Reading{Time: now, Heading: 0.4})
		now = now.Add(alphaPeriod)
	}
	if got := s.Estimate().Pose.Theta; math.Abs(got-alpha*0.4) > 1e-12 {
		t.Errorf("one correction by the compass turns the heading by %v, want %v", got, alpha*0.4)
	}
}

func TestTheSeedsFilterSaysWhenItIsOff(t *testing.T) {
	for _, k := range []K{KSum, KMean} {
		desc, plan := robotOf(t), office(t)
		scene := sim.DefaultScene()
		scene.Start = robot.Pose{X: 4, Y: 7.3}
		w := sim.NewWorld(desc, plan, scene, sim.Options{Seed: 1, Epoch: time.Unix(0, 0)})
		s := NewSeed(desc, plan, robot.Pose{X: 7, Y: 9.5, Theta: 0.1}, k)
		off, said := 0, 0
		d := &driver{t: t, world: w, loc: s, round: hall, to: 1}
		d.each = func() {
			if w.Truth().Time.After(time.Unix(3, 0)) && w.Truth().Pose.Point().Sub(s.Estimate().Pose.Point()).Norm() > 0.5 {
				off++
				if s.Estimate().Trust != robot.TrustOK {
					said++
				}
			}
		}
		d.drive(30 * time.Second)
		if off < 100 || float64(said) < 0.9*float64(off) {
			t.Errorf("with k read as %d it is half a metre off in %d readings and says so in %d", k, off, said)
		}
	}
}
