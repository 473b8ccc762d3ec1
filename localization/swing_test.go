package localization

import (
	"math"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/robot"
)

// swing drives back and forth, between the robot's pose and a point ahead of it,
// for a time.
func (d *driver) swing(lasts, each time.Duration) {
	d.t.Helper()
	d.worst = 0
	begin := d.world.Truth().Time
	for d.world.Truth().Time.Before(begin.Add(lasts)) {
		command := robot.Twist{Linear: 0.1}
		if d.world.Truth().Time.Sub(begin)/each%2 == 1 {
			command.Linear = -0.1
		}
		if err := d.world.Drive(command); err != nil {
			d.t.Fatal(err)
		}
		d.loc.Update(d.world.Step())
		d.worst = max(d.worst, d.world.Truth().Pose.Point().Sub(d.loc.Estimate().Pose.Point()).Norm())
		d.lost = d.lost || d.loc.Estimate().Trust == robot.TrustLost
	}
}

// beforeAShutDoor returns a driver of a robot in a laboratory whose door was shut
// before it, among barrels: many of its sonars contradict the map, and there are
// other laboratories where they would match.
func beforeAShutDoor(t *testing.T) *driver {
	scene := sim.DefaultScene()
	scene.Obstacles = []sim.Obstacle{
		{Point: robot.Point{X: 4.77, Y: 9.74}, Radius: 0.16}, {Point: robot.Point{X: 4.1, Y: 9.75}, Radius: 0.2}, {Point: robot.Point{X: 5.6, Y: 9.2}, Radius: 0.2},
	}
	d, m := inOffice(t, robot.Pose{X: 4.5, Y: 7.3}, scene)
	if err := d.world.SetDoor(0, true); err != nil {
		t.Fatal(err)
	}
	inside := robot.Pose{X: 4.92, Y: 9.1, Theta: robot.Radians(-109)}
	d.carry(inside)
	m.Begin(robot.Estimate{Pose: inside})
	// It comes from where everything is as on the map.
	m.tracker.gatherAround(inside, startSpread, startAngle, startCount)
	m.health = health{lately: -0.95, usual: -0.95, varies: startVaries}
	return d
}

func TestARobotBeforeAShutDoorIsNotLostHoweverLongItStandsThere(t *testing.T) {
	d := beforeAShutDoor(t)
	d.swing(2*time.Second, 2*time.Second)
	unsure, lost := d.stand(30 * time.Second)
	if !unsure {
		t.Error("it sees nothing that is not on the map; this tests nothing")
	}
	if lost {
		t.Error("it says that it is lost where it has come from a place that it knew, 20 cm before")
	}
}

func TestARobotThatSwingsBeforeAShutDoorIsNeitherLostNorBelievesToBeInAnotherRoom(t *testing.T) {
	computesLong(t)
	d := beforeAShutDoor(t)
	d.swing(time.Minute, 2500*time.Millisecond)
	if d.worst > 1 {
		t.Errorf("it believes to be %.2f m off", d.worst)
	}
	if d.lost {
		t.Error("it says that it is lost")
	}
}

func TestARobotThatNothingIsExplainedToSaysThatItIsLostAfterAFewMetresAndNotBefore(t *testing.T) {
	computesLong(t)
	scene := sim.DefaultScene()
	scene.Sonar.Stray = 1
	d, _ := inOffice(t, robot.Pose{X: 4, Y: 7.3}, scene)
	d.to = 1
	said, from := math.Inf(1), d.world.Truth().Pose.Point()
	for range 16 {
		d.drive(time.Second)
		if distance := d.world.Truth().Pose.Point().Sub(from).Norm(); d.loc.Estimate().Trust == robot.TrustLost {
			said = min(said, distance)
		}
	}
	if !(said > 2 && said < 5) {
		t.Errorf("it says so after %.1f m", said)
	}
}

func TestHowFarATripHasGone(t *testing.T) {
	var p trip
	for n, step := range []struct {
		by      robot.Pose
		farther bool
		far     float64
	}{
		{robot.Pose{X: 1}, true, 1},
		{robot.Pose{Theta: math.Pi}, false, 1},
		{robot.Pose{X: 1.5}, false, 1},
		{robot.Pose{X: 1}, true, 1.5},
		{robot.Pose{X: -3}, false, 1.5},
		{robot.Pose{X: -0.2}, true, 1.7},
	} {
		if got := p.addMove(step.by); got != step.farther || math.Abs(p.far-step.far) > 1e-9 {
			t.Errorf("step %d: farther %v, %v m; want %v, %v m", n, got, p.far, step.farther, step.far)
		}
	}
}

func TestTheRelocalizerGainsEvidenceOnNewGroundOnly(t *testing.T) {
	m := NewMCL(robotOf(t), tableOf(t, room(), robotOf(t).Sonars, kept), robot.Pose{X: 2, Y: 2}, 1)
	r := &m.search
	r.startSearch()
	r.fresh, r.steps = false, 1 // as after the first observation
	r.cloud.gatherAround(robot.Pose{X: 2, Y: 2}, 0.02, 0.02, startCount)
	step := func(x float64) {
		o := observation{move: robot.Pose{X: x}, distance: math.Abs(x), heading: math.NaN()}
		r.storeObservation(&o, judgement{evidence: -1}, robot.Pose{}, false, 1)
		for r.next <= r.newest {
			r.advanceStage(&m.senses, &m.drift, maxParticlesPerUpdate)
		}
	}
	for range 50 {
		step(0.1)
		step(-0.1)
	}
	if math.Abs(r.gained-1) > 0.1 {
		t.Errorf("to and fro over the same 10 cm it gains %.1f, want 1", r.gained)
	}
	for range 10 {
		step(0.1)
	}
	if math.Abs(r.gained-10) > 0.1 {
		t.Errorf("after a metre it has gained %.1f, want 10", r.gained)
	}
}
