package onboard

import (
	"math"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
	"mybot/robot/models"
	"mybot/robot/rollout"
)

// narrows is a place that is narrower on all sides of the origin, perhaps with people.
type narrows struct {
	clear  float64 // m, at the origin
	people []robot.Track
}

func (n *narrows) Clearance(p robot.Point) float64 { return n.clear - p.Norm() }

func (n *narrows) Discs() []robot.Track { return n.people }

func TestARobotThatFreesItselfCreepsBetweenThingsAndNotTowardAPerson(t *testing.T) {
	comes := robot.Track{At: robot.Point{X: -0.75}, Velocity: robot.Point{X: 0.5}, Radius: limits.TrackRadius, Moving: true}
	for _, c := range []struct {
		name   string
		out    narrows
		creeps bool
		moves  bool
	}{
		{"no room between things, and it creeps", narrows{clear: 0.3}, true, true},
		{"no room, and it does not creep", narrows{clear: 0.3}, false, false},
		{"a person comes", narrows{clear: math.Inf(1), people: []robot.Track{comes}}, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			desc := builtIn(t, models.LidarName)
			m := newShortMove(rollout.NewBackward(desc), limits.FreeMax)
			m.creeps = c.creeps
			for s := 0.0; s < 1; s += rollout.Spacing {
				m.points = append(m.points, robot.PathPoint{Pose: robot.Pose{X: -s, Theta: math.Pi}, Along: s, Speed: 0.3, Clear: 1})
			}
			m.begin(epoch)
			given := m.steer(epoch, robot.Pose{}, robot.Twist{}, &c.out)
			if (given.Linear < 0) != c.moves || given.Linear < -limits.BackOffSpeed {
				t.Errorf("the motion is %v, because of %s", given, rollout.Names[m.control.Last().Because])
			}
			for now := epoch; !m.over && now.Sub(epoch) < time.Minute; now = now.Add(20 * time.Millisecond) {
				m.steer(now, robot.Pose{}, robot.Twist{}, &c.out)
			}
			if !m.over {
				t.Error("a robot that does not move does not give up")
			}
		})
	}
}
