package guard

import (
	"math"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

func TestByItselfTheRobotPassesNearThingsSlowly(t *testing.T) {
	side := 0.225 // m, half of the hull's width
	for _, c := range []struct {
		name        string
		at          robot.Point
		next        robot.Twist
		least, most float64 // m/s, absolute
	}{
		{"beside its front", robot.Point{X: 0.47, Y: side + 0.10}, robot.Twist{Linear: 0.5}, limits.PassingSpeed, 0.17},
		{"on the other side", robot.Point{X: 0.47, Y: -side - 0.10}, robot.Twist{Linear: 0.5}, limits.PassingSpeed, 0.17},
		{"along it", robot.Point{X: 0.2, Y: side + 0.10}, robot.Twist{Linear: 0.5}, 0.5, 0.5},
		{"along it, and turning there", robot.Point{X: 0.2, Y: side + 0.10}, robot.Twist{Linear: 0.5, Angular: 0.5}, limits.PassingSpeed, limits.PassingSpeed},
		{"a little ahead", robot.Point{X: 0.9, Y: side + 0.10}, robot.Twist{Linear: 0.5}, 0.3, 0.45},
		{"far ahead", robot.Point{X: 2, Y: side + 0.10}, robot.Twist{Linear: 0.5}, 0.5, 0.5},
		{"farther to the side", robot.Point{X: 0.47, Y: side + 0.14}, robot.Twist{Linear: 0.5}, 0.5, 0.5},
		{"behind it", robot.Point{X: -0.6, Y: side + 0.10}, robot.Twist{Linear: 0.5}, 0.5, 0.5},
		{"backwards", robot.Point{X: -0.32, Y: side + 0.10}, robot.Twist{Linear: -0.5}, limits.PassingSpeed, 0.17},
		{"slowly anyhow", robot.Point{X: 0.47, Y: side + 0.10}, robot.Twist{Linear: 0.1}, 0.1, 0.1},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, wary := range []bool{true, false} {
				g := among(c.at)
				out, s := g.Limit(c.next, c.next, robot.Twist{}, Approach{Stop: limits.NearStopDistance, Autonomous: wary})
				v := math.Abs(out.Linear)
				if wary && (v < c.least-1e-9 || v > c.most+1e-9 || s.Guard.Active != (out != c.next) || s.Guard.Active && math.Abs(s.Guard.Limit-v) > 1e-9) {
					t.Errorf("by itself it drives %v, want %g to %g m/s: %+v", out, c.least, c.most, s)
				}
				if !wary && out != c.next {
					t.Errorf("by hand the robot drives %v", out)
				}
			}
		})
	}
}

// A lidar shows where something is, a sonar only in which beam.
func TestByItselfTheRobotPassesNearerToWhatALidarSees(t *testing.T) {
	side := 0.225 // m, half of the hull's width
	for _, c := range []struct {
		name  string
		echo  bool // a sonar hears it
		scan  bool // a lidar sees it
		gap   float64
		least float64 // m/s
		most  float64
	}{
		{"seen, 9 cm aside", false, true, 0.09, 0.5, 0.5},
		{"seen, 7 cm aside", false, true, 0.07, limits.PassingSpeed, 0.21},
		{"heard, 9 cm aside", true, false, 0.09, limits.PassingSpeed, 0.17},
		{"seen and heard, 9 cm aside", true, true, 0.09, limits.PassingSpeed, 0.17},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, g, next := robot.Point{X: 0.47, Y: side + c.gap}, among(), robot.Twist{Linear: 0.5}
			if c.echo {
				g = among(at)
			}
			if c.scan {
				g.echoPoints = append(g.echoPoints, at)
			}
			out, _ := g.Limit(next, next, robot.Twist{}, Approach{Stop: limits.NearStopDistance, Autonomous: true})
			if out.Linear < c.least-1e-9 || out.Linear > c.most+1e-9 {
				t.Errorf("by itself it drives %v, want %g to %g m/s", out, c.least, c.most)
			}
		})
	}
}

func TestByItselfTheRobotBrakesForAPingThatNoOtherHasConfirmed(t *testing.T) {
	next := robot.Twist{Linear: 0.3}
	for _, c := range []struct {
		name  string
		pings []float64 // of the front sonar
		wary  bool
		most  float64 // m/s
	}{
		{"one near ping", []float64{4, 4, 4, 0.2}, true, 0.2},
		{"one ping as near as can be", []float64{4, 4, 4, 0.05}, true, 0},
		{"one far ping", []float64{4, 4, 4, 2}, true, 0.3},
		{"and the next hears what was there before", []float64{4, 4, 4, 0.2, 4}, true, 0.3},
		{"by hand", []float64{4, 4, 4, 0.2}, false, 0.3},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := New(mybot())
			for n, r := range c.pings {
				reading := heard(g, epoch.Add(time.Duration(n)*200*time.Millisecond), math.Inf(1))
				reading.Ranges[0] = r
				g.Observe(reading)
			}
			out, _ := g.Limit(next, next, robot.Twist{}, Approach{Stop: limits.NearStopDistance, Autonomous: c.wary})
			if out.Linear > c.most+1e-9 || c.most == 0.3 && out != next || c.most == 0.2 && out.Linear < 0.05 {
				t.Errorf("it drives %v, want at most %g m/s", out, c.most)
			}
		})
	}
}

func TestWhereNothingIsHeardAnyMoreTheRobotDrivesSlowly(t *testing.T) {
	thing := robot.Point{X: 1}
	look := func(echo float64) (things, doubtful int) {
		m := newMemory()
		m.keepEcho(0, robot.Pose{}, echoAt(thing, 1), epoch)
		sonars := []sonarView{{facing: robot.Point{X: 1}, half: 0.2, heard: echo, before: echo, echo: echo}}
		body := box(-1, -0.5, 0.2)
		for range 20 * share {
			m.doubtMarks(robot.Pose{}, &body, sonars, epoch)
		}
		p, d := m.appendNear(nil, nil, robot.Pose{})
		return len(p), len(d)
	}
	if things, doubtful := look(math.Inf(1)); things != 0 || doubtful != 3 {
		t.Errorf("without an echo: %d points and %d doubtful ones, want 0 and 3", things, doubtful)
	}
	if things, doubtful := look(2); things != 0 || doubtful != 0 {
		t.Errorf("with an echo behind: %d points and %d doubtful ones, want none", things, doubtful)
	}
	next := robot.Twist{Linear: 0.5}
	for _, wary := range []bool{true, false} {
		g := among()
		g.doubtful = []robot.Point{{X: 0.4}}
		if out, _ := g.Limit(next, next, robot.Twist{}, Approach{Stop: limits.StopDistance, Autonomous: wary}); wary && (out.Linear > 0.2 || out.Linear < limits.PassingSpeed) || !wary && out != next {
			t.Errorf("by itself %v: toward a doubtful point it drives %v", wary, out)
		}
	}
}

// A sonar reports its smallest range for everything nearer.
func TestWhatWasHeardAsNearAsCanBeIsNotTurnedInto(t *testing.T) {
	g := New(mybot())
	for n, r := range []float64{g.sonars[3].min, g.sonars[3].min, math.Inf(1), math.Inf(1), math.Inf(1)} {
		reading := heard(g, epoch.Add(time.Duration(n)*200*time.Millisecond), math.Inf(1))
		reading.Ranges[3] = r // to the left
		g.Observe(reading)
	}
	next := robot.Twist{Angular: 0.2}
	if out, _ := g.Limit(next, next, robot.Twist{}, Approach{Stop: limits.NearStopDistance}); !out.IsZero() {
		t.Errorf("to the left %v becomes %v", next, out)
	}
}

// A robot that creeps away from a near echo hears it again at the same place.
func TestWhatIsNearIsRememberedWhereItWasHeardLast(t *testing.T) {
	for _, c := range []struct {
		distance, moved float64
		marks           int
	}{{0.05, 0.015, 3}, {0.05, 0.025, 6}, {0.12, 0.03, 3}, {0.12, 0.05, 6}, {1, 0.05, 3}, {1, 0.07, 6}} {
		m := newMemory()
		m.keepEcho(0, robot.Pose{}, echoAt(robot.Point{Y: c.distance}, c.distance), epoch)
		m.keepEcho(0, robot.Pose{X: c.moved}, echoAt(robot.Point{Y: c.distance}, c.distance), epoch)
		if m.count != c.marks {
			t.Errorf("%g m from the echo, after %g m: %d marks, want %d", c.distance, c.moved, m.count, c.marks)
		}
	}
}
