package localization

import (
	"math"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/robot"
)

// inWorld returns a driver of an MCL on the corridor of the office, in a world that
// deviates from the filter's model.
func inWorld(t testing.TB, world string, believed robot.Pose, seed uint64) (*driver, *MCL) {
	t.Helper()
	deviation, err := sim.ParseDeviation(world)
	if err != nil {
		t.Fatal(err)
	}
	desc, plan := robotOf(t), office(t)
	scene := sim.DefaultScene()
	scene.Start = robot.Pose{X: 3, Y: 7.3}
	w := sim.NewWorld(desc, plan, scene, sim.Options{Seed: seed, Epoch: time.Unix(0, 0), Deviation: deviation})
	m := NewMCL(desc, tableOf(t, plan, desc.Sonars, kept), scene.Start.Compose(believed), seed)
	return &driver{t: t, world: w, loc: m, round: hall}, m
}

// The filter must not depend on the assumptions that it shares with the simulator:
// each of the deviations breaks one of them.
func TestTheEstimateHoldsInEveryWorldAndItsEllipseHoldsTheTruth(t *testing.T) {
	worlds, seeds := sim.Deviations(), 2
	if testing.Short() { // filters side by side that share a map and its table
		worlds, seeds = worlds[:3], 1
	}
	for _, world := range worlds {
		t.Run(world.Name, func(t *testing.T) {
			t.Parallel()
			squares, inside, n, worst := 0.0, 0.0, 0.0, 0.0
			for seed := range uint64(seeds) {
				d, m := inWorld(t, world.Name, robot.Pose{}, 3+seed)
				d.each = func() {
					e, truth := m.Estimate(), d.world.Truth().Pose
					off := truth.Point().Sub(e.Pose.Point())
					n++
					squares += off.X*off.X + off.Y*off.Y
					worst = max(worst, off.Norm())
					if inEllipse(e.Covariance, off, 2) {
						inside++
					}
				}
				d.drive(90 * time.Second)
			}
			rmse := math.Sqrt(squares / n)
			t.Logf("%.3f m, at most %.3f m, in the ellipse %.2f of the time", rmse, worst, inside/n)
			if world.Name != "worst" && (rmse > 0.12 || worst > 0.5) {
				t.Errorf("the estimate is %.3f m off, at most %.3f m; it must be 0.12 and 0.5 m", rmse, worst)
			}
			if inside/n < 0.8 {
				t.Errorf("the truth is in the ellipse of two standard deviations %.2f of the time; it must be 0.8", inside/n)
			}
		})
	}
}

// Where people walk about and iron disturbs the compass, a filter that takes every
// beam for an independent witness is certain of wrong poses.
func TestAmongPeopleAndIronARobotThatHearsLessIsNotTooSure(t *testing.T) {
	computesLong(t)
	deviation, err := sim.ParseDeviation("hears-less")
	if err != nil {
		t.Fatal(err)
	}
	desc, plan := robotOf(t), office(t)
	inside, n := 0.0, 0.0
	for seed := range uint64(3) {
		scene := sim.DefaultScene()
		scene.Start = robot.Pose{X: 3, Y: 7.3}
		scene.Sonar.Stray, scene.Sonar.Dropout = 0.08, 0.08
		for x := 5.0; x < 22; x += 4 {
			scene.Magnets = append(scene.Magnets, sim.Magnet{Point: robot.Point{X: x, Y: 7}, Radius: 1.5, Deviation: robot.Radians(35)})
			scene.Obstacles = append(scene.Obstacles, sim.Obstacle{Point: robot.Point{X: x + 1, Y: 8.1}, Radius: 0.25})
		}
		w := sim.NewWorld(desc, plan, scene, sim.Options{Seed: 7 + seed, Epoch: time.Unix(0, 0), Deviation: deviation})
		m := NewMCL(desc, tableOf(t, plan, desc.Sonars, kept), scene.Start, seed)
		d := &driver{t: t, world: w, loc: m, round: hall}
		d.each = func() {
			n++
			if e := m.Estimate(); inEllipse(e.Covariance, w.Truth().Pose.Point().Sub(e.Pose.Point()), 2) {
				inside++
			}
		}
		d.drive(80 * time.Second)
		t.Logf("seed %d: at most %.2f m", seed, d.worst)
	}
	t.Logf("%.3f", inside/n)
	if inside/n < 0.8 {
		t.Errorf("the truth is in the ellipse of two standard deviations %.2f of the time; it must be 0.8", inside/n)
	}
}

// inEllipse reports whether the offset lies in the ellipse of so many standard
// deviations.
func inEllipse(c robot.Covariance, d robot.Point, sigmas float64) bool {
	det := c.XX*c.YY - c.XY*c.XY
	return c.YY*d.X*d.X-2*c.XY*d.X*d.Y+c.XX*d.Y*d.Y <= sigmas*sigmas*det
}

func TestAStartHalfAMetreOffIsCorrected(t *testing.T) {
	computesLong(t)
	for n, off := range []robot.Pose{{X: 0.5}, {X: -0.5}, {Y: 0.5}, {Y: -0.5}, {X: 0.35, Y: 0.35, Theta: 0.2}} {
		d, m := inWorld(t, "nominal", off, uint64(n+1))
		unsaid := 0
		d.each = func() {
			if m.Estimate().Trust == robot.TrustOK && d.world.Truth().Pose.Point().Sub(m.Estimate().Pose.Point()).Norm() > 0.5 {
				unsaid++
			}
		}
		d.drive(44 * time.Second) // 20 m
		d.drive(2 * time.Second)
		if d.worst > 0.3 || unsaid > 3*50 {
			t.Errorf("started %v off, after 20 m the estimate is %.2f m off, and it was OK for %d readings while it was more than half a metre off", off, d.worst, unsaid)
		}
	}
}
