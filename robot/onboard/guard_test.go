package onboard

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/guard"
	"mybot/robot/limits"
)

func TestTheRobotStopsBeforeAWall(t *testing.T) {
	for _, speed := range []float64{0.1, 0.3, 0.5, -0.2, -0.5} {
		t.Run(fmt.Sprintf("at %.1f m/s", speed), func(t *testing.T) {
			p := newPlant(robot.Pose{}, wall(3, -3, 3, 3), wall(-3, -3, -3, 3))
			p.drive(speed, 0, 60*time.Second)
			if p.closest < 0.30 || p.closest > 0.37 {
				t.Errorf("the hull came within %.3f m, want 0.35 m", p.closest)
			}
			if !p.motion.Twist.IsStill() {
				t.Errorf("the robot still moves with %v", p.motion.Twist)
			}
			if r := p.state.Drive.Result; r.Word != robot.Modified || !strings.HasPrefix(r.Reason, "Stopped. Obstacle 0.3") {
				t.Errorf("answer %v", r)
			}
		})
	}
}

func TestTheRobotSlowsFromOneMetre(t *testing.T) {
	p := newPlant(robot.Pose{}, wall(4, -3, 4, 3))
	top := 0.0
	for range 2000 {
		p.drive(0.5, 0, 40*time.Millisecond)
		free := p.room()
		v := p.motion.Twist.Linear
		if free > 1.02 {
			top = math.Max(top, v)
			if p.state.Guard.Active {
				t.Fatalf("the guard is active with %.2f m of free way", free)
			}
		}
		// What is left must suffice to brake with the motors' 0.52 m/s2.
		if v > 0 && v*v/(2*0.52)+0.1*v > free-0.33 {
			t.Fatalf("%.3f m/s with %.3f m of free way", v, free)
		}
		if free < 0.5 && v > 0.25 {
			t.Fatalf("still %.3f m/s at %.3f m", v, free)
		}
	}
	if top < 0.499 {
		t.Errorf("the robot only reached %.3f m/s with a free way", top)
	}
}

func TestTheGuardSaysHowFastAndHowFar(t *testing.T) {
	p := newPlant(robot.Pose{}, wall(3, -3, 3, 3))
	for i := 0; i < 1000 && math.Round(100*p.state.Guard.Ahead) != 45; i++ {
		p.drive(0.5, 0, 20*time.Millisecond)
	}
	v := p.state.Drive.Given.Linear
	if v < 0.17 || v > 0.20 {
		t.Errorf("%.3f m/s at 0.45 m", v)
	}
	want := robot.Result{Word: robot.Modified, Reason: fmt.Sprintf("Speed reduced to %.2f m/s. Obstacle 0.45 m ahead.", v)}
	if got := p.state.Drive.Result; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTurningAwayAndBackingAwayStayPossible(t *testing.T) {
	stuck := func() *plant {
		p := newPlant(robot.Pose{}, wall(1.2, -3, 1.2, 3))
		p.drive(0.5, 0, 20*time.Second)
		return p
	}
	t.Run("backing", func(t *testing.T) {
		p := stuck()
		p.drive(-0.3, 0, 4*time.Second)
		if p.room() < 1 {
			t.Errorf("only %.2f m away after backing", p.room())
		}
	})
	for _, w := range []float64{0.7, -0.7} {
		t.Run(fmt.Sprintf("turning with %.1f rad/s", w), func(t *testing.T) {
			p := stuck()
			p.drive(0, w, 5*time.Second)
			if math.Abs(p.motion.Axle.Theta) < 2.5 {
				t.Errorf("turned to %.2f rad only", p.motion.Axle.Theta)
			}
		})
		t.Run(fmt.Sprintf("turning with %.1f rad/s with the stick forward", w), func(t *testing.T) {
			p := stuck()
			p.drive(0.3, w, 8*time.Second)
			if p.room() < 0.4 || p.closest < 0.08 {
				t.Errorf("ended %.2f m away, came as near as %.2f m", p.room(), p.closest)
			}
		})
	}
}

func TestTheHullNeverTouchesAWall(t *testing.T) {
	computesLong(t)
	type way struct{ v, w float64 }
	ways := []way{{0.5, 0}, {-0.5, 0}, {0, 0.78}, {0, -0.78}, {0.3, 0.5}, {0.3, -0.5}, {-0.3, 0.5}, {-0.3, -0.5}, {0.1, 0.78}}
	every := 15.0 // degrees
	if testing.Short() {
		every = 75
	}
	for _, surface := range []struct {
		name      string
		incidence float64
	}{{"rough walls", math.Pi / 2}, {"smooth walls", robot.Radians(25)}} {
		for degrees := 0.0; degrees < 360; degrees += every {
			for _, gap := range []float64{0.08, 0.3} {
				// A long wall whose normal points away from the robot.
				sin, cos := math.Sincos(robot.Radians(degrees))
				d := mybot()
				body := guard.NewFootprint(d, 0)
				reach := 0.0
				for _, c := range body.Corners {
					reach = math.Max(reach, cos*(c.X-d.Drivetrain.AxleOffset)+sin*c.Y)
				}
				r := reach + gap
				w := wall(r*cos+9*sin, r*sin-9*cos, r*cos-9*sin, r*sin+9*cos)
				for _, way := range ways {
					p := newPlant(robot.Pose{}, w)
					p.incidence = surface.incidence
					p.wait(200 * time.Millisecond)
					p.drive(way.v, way.w, 4*time.Second)
					if p.closest <= 0.005 {
						t.Errorf("%s: a wall at %.0f deg, %.2f m away, was touched (%.3f m) on the way %v",
							surface.name, degrees, gap, p.closest, way)
					}
				}
			}
		}
	}
}

func TestADoorIsPassable(t *testing.T) {
	computesLong(t)
	for _, surface := range []float64{math.Pi / 2, robot.Radians(25)} {
		for _, off := range []float64{0, 0.05, -0.05, 0.1, -0.12} {
			for _, degrees := range []float64{0, 3, -3} {
				t.Run(fmt.Sprintf("%.2f m off centre, %.0f deg off, echoes to %.0f deg", off, degrees, robot.Degrees(surface)), func(t *testing.T) {
					start := robot.Pose{Y: off - 3*math.Tan(robot.Radians(degrees)), Theta: robot.Radians(degrees)}
					p := newPlant(start, wall(-2, 1, 3, 1), wall(-2, -1, 3, -1),
						wall(3, 1, 3, 0.5), wall(3, -0.5, 3, -1), wall(3.2, 0.5, 3.2, 3), wall(3.2, -0.5, 3.2, -3),
						wall(3, 0.5, 3.2, 0.5), wall(3, -0.5, 3.2, -0.5), wall(8, -3, 8, 3))
					p.incidence, p.noise, p.dropOuts = surface, 0.01, 0.05
					took := 0
					for ; p.centre().X < 4 && took < 40*50; took++ {
						p.drive(0.4, 0, 20*time.Millisecond)
					}
					if p.centre().X < 4 {
						t.Errorf("stuck at x = %.2f m: %v", p.centre().X, p.state.Drive.Result)
					}
					if p.closest < 0.02 {
						t.Errorf("came within %.3f m of the door", p.closest)
					}
					t.Logf("passed in %.1f s, closest %.3f m", float64(took)/50, p.closest)
				})
			}
		}
	}
}

// A thin post ahead is heard from far and lies between two beams when it is
// near.
func TestAThingBetweenTwoBeamsIsRemembered(t *testing.T) {
	for _, y := range []float64{0.1, 0.13, 0.16, -0.13} {
		t.Run(fmt.Sprintf("%.2f m beside the middle", y), func(t *testing.T) {
			p := newPlant(robot.Pose{})
			p.posts = []post{{robot.Point{X: 2, Y: y}, 0.02}}
			p.drive(0.3, 0, 20*time.Second)
			if p.closest < 0.25 {
				t.Errorf("came within %.2f m", p.closest)
			}
			for i, r := range p.state.Ranges {
				if r < 1 {
					t.Errorf("sonar %d hears it at %.2f m in the end: it lies in no gap", i, r)
				}
			}
		})
	}
}

func TestThePathIsFreeAgainWhenAPersonHasGone(t *testing.T) {
	p := newPlant(robot.Pose{}, wall(9, -3, 9, 3))
	p.posts = []post{{robot.Point{X: 2}, 0.2}}
	p.drive(0.4, 0, 10*time.Second)
	if !p.motion.Twist.IsStill() {
		t.Fatalf("it drives on with %v", p.motion.Twist)
	}
	p.posts = nil
	p.drive(0.4, 0, 3*time.Second)
	if p.motion.Twist.Linear < 0.3 {
		t.Errorf("3 s after somebody has gone it drives with %v: %v", p.motion.Twist, p.state.Drive.Result)
	}
}

// What went away while it lay between two beams blocks the way no longer than
// a minute, or until the robot turns and looks.
func TestWhatNoPageWaitsForAnyMoreIsForgotten(t *testing.T) {
	blocked := func() *plant {
		p := newPlant(robot.Pose{})
		p.posts = []post{{robot.Point{X: 2, Y: 0.13}, 0.02}}
		p.drive(0.3, 0, 20*time.Second)
		p.posts = nil
		p.drive(0.3, 0, 20*time.Second)
		if !p.motion.Twist.IsStill() {
			t.Fatal("it is forgotten at once")
		}
		return p
	}
	t.Run("after a minute", func(t *testing.T) {
		p := blocked()
		p.drive(0.3, 0, 40*time.Second)
		if p.motion.Twist.Linear < 0.29 {
			t.Errorf("moves %v", p.motion.Twist)
		}
	})
	t.Run("after a look round", func(t *testing.T) {
		p := blocked()
		p.drive(0, 0.2, 2*time.Second)
		p.drive(0, -0.2, 2*time.Second)
		p.drive(0.3, 0, 3*time.Second)
		if p.motion.Twist.Linear < 0.29 {
			t.Errorf("moves %v", p.motion.Twist)
		}
	})
}

func TestOneEchoOfAnotherSonarDoesNotBrake(t *testing.T) {
	p := newPlant(robot.Pose{}, wall(9, -3, 9, 3))
	p.drive(0.4, 0, 2*time.Second)
	for i := range 100 {
		p.core.Do(p.now, drive(0.4, 0))
		r := p.reading()
		if i >= 30 && i < 36 { // one ping, repeated until the next
			r.Ranges[0] = 0.3
		}
		p.feel(r)
		if p.told.Linear < 0.4-1e-9 {
			t.Fatalf("reading %d: told %v", i, p.told)
		}
	}
}

func TestTheGuardBrakesAMotionThatWasNotAskedFor(t *testing.T) {
	p := newPlant(robot.Pose{}, wall(0.26+0.2, -3, 0.26+0.2, 3))
	p.wait(200 * time.Millisecond)
	turn := robot.Twist{Angular: 0.1}
	if out, _ := p.core.guard.Limit(turn, turn, robot.Twist{}, guard.Approach{Stop: limits.StopDistance}); !alike(out, turn) {
		t.Errorf("standing it may turn, got %v", out)
	}
	if out, _ := p.core.guard.Limit(turn, turn, robot.Twist{Linear: -0.5}, guard.Approach{Stop: limits.StopDistance}); !alike(out, turn) {
		t.Errorf("rolling away it may turn, got %v", out)
	}
	out, s := p.core.guard.Limit(turn, turn, robot.Twist{Linear: 0.5}, guard.Approach{Stop: limits.StopDistance})
	if !out.IsZero() || !s.Guard.Active {
		t.Errorf("rolling toward the wall it is told %v, active %v", out, s.Guard.Active)
	}
}

// The free way ahead is long, but the side of the robot is close to a wall, which the
// sentence names.
func TestAWallNextToThePathIsNamed(t *testing.T) {
	p := newPlant(robot.Pose{}, wall(-5, 0.4, 30, 0.4))
	p.drive(0.5, 0, 5*time.Second)
	r := p.state.Drive.Result
	if r.Word != robot.Modified || !strings.HasPrefix(r.Reason, "Speed reduced to 0.") || !strings.HasSuffix(r.Reason, " to the left.") {
		t.Errorf("answer %v", r)
	}
	if v := p.motion.Twist.Linear; v < 0.1 || v > 0.3 {
		t.Errorf("moves with %.2f m/s", v)
	}
}

func TestARoundObstacleOnThePathIsNeverTouched(t *testing.T) {
	for _, radius := range []float64{0.02, 0.05, 0.1, 0.2, 0.3} {
		for y := 0.0; y < 0.225+radius; y += 0.04 {
			p := newPlant(robot.Pose{})
			p.posts = []post{{robot.Point{X: 3, Y: y}, radius}}
			p.drive(0.5, 0, 15*time.Second)
			least := 0.18 // one that the robot would only graze comes into a beam late
			if y < 0.1 {
				least = 0.33
			}
			if p.closest < least || !p.motion.Twist.IsStill() {
				t.Errorf("radius %.2f m, %.2f m beside the middle: came within %.3f m, moves %v", radius, y, p.closest, p.motion.Twist)
			}
		}
	}
}
