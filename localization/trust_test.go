package localization

import (
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/robot/limits"
)

// inOffice returns a driver of an MCL that starts at a pose in the office's
// corridor, and the world it drives in.
func inOffice(t *testing.T, start robot.Pose, scene sim.Scene) (*driver, *MCL) {
	t.Helper()
	desc, plan := robotOf(t), office(t)
	scene.Start = start
	m := NewMCL(desc, tableOf(t, plan, desc.Sonars, kept), start, 1)
	return &driver{t: t, world: sim.NewWorld(desc, plan, scene, sim.Options{Seed: 3, Epoch: time.Unix(0, 0)}), loc: m, round: hall}, m
}

// stand lets the robot stand for a time, and reports whether the trust in its
// estimate was ever below OK, and ever LOST.
func (d *driver) stand(lasts time.Duration) (unsure, lost bool) {
	for end := d.world.Truth().Time.Add(lasts); d.world.Truth().Time.Before(end); {
		d.loc.Update(d.world.Step())
		trust := d.loc.Estimate().Trust
		unsure = unsure || trust != robot.TrustOK
		lost = lost || trust == robot.TrustLost
	}
	return unsure, lost
}

func (d *driver) carry(to robot.Pose) {
	d.t.Helper()
	if err := d.world.CarryRobot(to); err != nil {
		d.t.Fatal(err)
	}
}

func TestAStandingRobotThatIsCarriedAwaySaysThatItIsNotSureAndIsFoundWhenItMoves(t *testing.T) {
	computesLong(t)
	for _, stood := range []time.Duration{time.Second, time.Minute} {
		t.Run("after "+stood.String(), func(t *testing.T) {
			d, m := inOffice(t, robot.Pose{X: 4.5, Y: 7.3}, sim.DefaultScene())
			d.drive(10 * time.Second)
			if unsure, _ := d.stand(stood); unsure {
				t.Error("it is not sure though nothing happened")
			}
			d.carry(robot.Pose{X: 17, Y: 12, Theta: 2})
			if unsure, _ := d.stand(6 * time.Second); !unsure {
				t.Error("6 s after it was carried away it is still sure")
			}
			if _, lost := d.stand(20 * time.Second); lost {
				t.Error("it gives up after one bad scan, which a crowd may also cause")
			}
			d.round, d.to = []robot.Point{{X: 17, Y: 9.4}, {X: 17, Y: 14}}, 0
			d.drive(10 * time.Second)
			d.drive(4 * time.Second)
			if d.worst > 0.3 || m.Estimate().Trust != robot.TrustOK {
				t.Errorf("after 10 s of driving it is %v m off and says %v", d.worst, m.Estimate().Trust)
			}
		})
	}
}

func TestAStandingRobotThatIsTurnedRoundInACorridorIsNotSureThoughItLooksAlike(t *testing.T) {
	computesLong(t)
	d, m := inOffice(t, robot.Pose{X: 4.5, Y: 7.3}, sim.DefaultScene())
	d.to = 1
	d.drive(3 * time.Second)
	d.stand(3 * time.Second)
	d.carry(robot.Pose{X: 18.2, Y: 7.3, Theta: 3.1})
	if unsure, lost := d.stand(3 * time.Second); !unsure || lost {
		t.Errorf("3 s later it is unsure: %v, lost: %v", unsure, lost)
	}
	d.to = 0
	d.drive(8 * time.Second)
	d.drive(4 * time.Second)
	if d.worst > 0.3 || m.Estimate().Trust != robot.TrustOK {
		t.Errorf("after 8 s of driving it is %v m off and says %v", d.worst, m.Estimate().Trust)
	}
}

func TestARobotThatIsCarriedBackIsSureAgain(t *testing.T) {
	d, _ := inOffice(t, robot.Pose{X: 4.5, Y: 7.3}, sim.DefaultScene())
	d.drive(5 * time.Second)
	d.stand(15 * time.Second)
	home := d.world.Truth().Pose
	d.carry(robot.Pose{X: 17, Y: 12, Theta: 2})
	if unsure, _ := d.stand(10 * time.Second); !unsure {
		t.Error("it has not noticed")
	}
	d.carry(home)
	d.stand(10 * time.Second)
	if unsure, _ := d.stand(10 * time.Second); unsure {
		t.Error("10 s after it is back at its place it is not sure")
	}
}

func TestARobotThatStandsForLongNeitherDriftsNorGrowsSure(t *testing.T) {
	computesLong(t)
	d, m := inOffice(t, robot.Pose{X: 4.5, Y: 7.3}, sim.DefaultScene())
	d.drive(10 * time.Second)
	d.stand(15 * time.Second)
	before := m.Estimate()
	if unsure, _ := d.stand(10 * time.Minute); unsure {
		t.Error("it is not sure though nothing happened")
	}
	if after := m.Estimate(); after.Pose != before.Pose || after.Covariance != before.Covariance {
		t.Errorf("10 minutes later it says %+v, before %+v", after, before)
	}
}

func TestAnOldPoseIsDoubtedUntilTheRobotHasDriven(t *testing.T) {
	computesLong(t)
	start := robot.Pose{X: 4.5, Y: 7.3}
	t.Run("it is right", func(t *testing.T) {
		d, m := inOffice(t, start, sim.DefaultScene())
		m.Doubt()
		if _, lost := d.stand(20 * time.Second); lost || m.Estimate().Trust != robot.TrustUnsure {
			t.Errorf("standing it says %v", m.Estimate().Trust)
		}
		d.drive(8 * time.Second)
		if d.worst > 0.3 || m.Estimate().Trust != robot.TrustOK {
			t.Errorf("while driving it is %v m off at worst and says %v", d.worst, m.Estimate().Trust)
		}
	})
	t.Run("the robot was carried away meanwhile", func(t *testing.T) {
		d, m := inOffice(t, start, sim.DefaultScene())
		m.Doubt()
		d.carry(robot.Pose{X: 17, Y: 12, Theta: 2})
		d.round, d.to = []robot.Point{{X: 17, Y: 9.4}, {X: 17, Y: 14}}, 0
		d.drive(10 * time.Second)
		d.drive(4 * time.Second)
		if d.worst > 0.3 {
			t.Errorf("after 10 s of driving it is %v m off", d.worst)
		}
		if d.drive(5 * time.Second); m.Estimate().Trust != robot.TrustOK {
			t.Errorf("found, it says %v", m.Estimate().Trust)
		}
	})
}

func TestBeginningFromAnotherEstimatorThePoseDoesNotJump(t *testing.T) {
	_, m := inRoom(t, sim.DefaultScene(), 1)
	from := robot.Estimate{Pose: robot.Pose{X: 4, Y: 2, Theta: 1}, Covariance: robot.Covariance{XX: 0.5, YY: 0.04, TT: 0.1}}
	m.Begin(from)
	got := m.Estimate()
	if got.Pose != from.Pose {
		t.Errorf("it jumps to %v", got.Pose)
	}
	if major, _, _ := got.Covariance.Position(); major < 0.7 || got.Covariance.TT < 0.1 {
		t.Errorf("it is surer than the person's correction: %+v", got.Covariance)
	}
}

func TestWhatAnErrorOfThisSizeIsWorth(t *testing.T) {
	for sigma, want := range map[float64]robot.Trust{0.05: robot.TrustOK, 0.34: robot.TrustOK, 0.36: robot.TrustUnsure, 0.4: robot.TrustUnsure, limits.PositionLost: robot.TrustUnsure, 1.2: robot.TrustLost} {
		if got := trustOf(robot.Covariance{XX: sigma * sigma, YY: 0.0001}); got != want {
			t.Errorf("a standard deviation of %v m is %v", sigma, got)
		}
	}
}

func TestThingsThatAreNotOnTheMapDoNotDragTheEstimate(t *testing.T) {
	scene := sim.DefaultScene()
	for i := range 5 { // barrels, on both sides of the lane along the corridor
		scene.Obstacles = append(scene.Obstacles, sim.Obstacle{
			Point: robot.Point{X: 5 + 3.3*float64(i), Y: 7.3 + 0.65*float64(1-2*(i%2))}, Radius: 0.25,
		})
	}
	d, m := inOffice(t, robot.Pose{X: 3.5, Y: 7.3}, scene)
	d.to = 1
	d.drive(time.Minute)
	t.Logf("at worst %.3f m and %.1f deg off", d.worst, robot.Degrees(d.bent))
	if d.worst > 0.10 || d.bent > robot.Radians(4) {
		t.Errorf("among five barrels it is %.3f m and %.1f deg off at worst", d.worst, robot.Degrees(d.bent))
	}
	if m.Estimate().Trust == robot.TrustLost {
		t.Error("it has given up")
	}
}
