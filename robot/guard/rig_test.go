package guard

import (
	"math"
	"math/rand/v2"
	"time"

	"mybot/robot"
	"mybot/robot/models"
)

var epoch = time.Date(2026, 11, 20, 14, 33, 0, 0, time.UTC)

// mybot is the robot of the tests.
func mybot() robot.Description {
	d, err := robot.ParseDescription(models.Mybot())
	if err != nil {
		panic(err)
	}
	return d
}

// rig is a robot that drives from the origin in an empty world with a round post, and its
// guard.
type rig struct {
	guard  *Guard
	post   disc
	axle   robot.Pose // in map, which equals the guard's odom
	now    time.Time
	ticks  int
	ranges []float64
	random *rand.Rand
}

func newRig(post disc) *rig {
	g := New(mybot())
	s := &rig{guard: g, post: post, now: epoch, random: rand.New(rand.NewPCG(1, 2))}
	for _, sonar := range g.desc.Sonars {
		s.ranges = append(s.ranges, s.hear(sonar))
	}
	return s
}

// tick drives for 20 ms with the twist t. The sonars ping in three groups, one every 40 ms, and
// repeat their last range in between.
func (s *rig) tick(t robot.Twist) {
	d := s.guard.desc.Drivetrain
	travel := d.Wheels(t.Scale(0.02))
	s.axle = d.Axle(d.Roll(d.Centre(s.axle), travel))
	s.now = s.now.Add(20 * time.Millisecond)
	if s.ticks++; s.ticks%2 == 0 {
		for i := s.ticks / 2 % 3; i < len(s.ranges); i += 3 {
			s.ranges[i] = s.hear(s.guard.desc.Sonars[i])
		}
	}
	s.guard.Observe(robot.Reading{Time: s.now, Travel: travel, Ranges: s.ranges})
}

// hear returns the range at which a sonar hears the post, in m.
func (s *rig) hear(sonar robot.Sonar) float64 {
	pose := s.guard.desc.Drivetrain.Centre(s.axle).Compose(sonar.Pose)
	best := math.Inf(1)
	const rays = 9
	for k := range rays {
		sin, cos := math.Sincos(pose.Theta + sonar.Beam*(float64(k)/(rays-1)-0.5))
		to := s.post.at.Sub(pose.Point())
		along := to.Dot(robot.Point{X: cos, Y: sin})
		if off := to.Dot(to) - along*along; along > 0 && off <= s.post.radius*s.post.radius {
			best = math.Min(best, along-math.Sqrt(s.post.radius*s.post.radius-off))
		}
	}
	if best > sonar.Max {
		return math.Inf(1)
	}
	return math.Max(sonar.Min, best+0.01*s.random.NormFloat64())
}
