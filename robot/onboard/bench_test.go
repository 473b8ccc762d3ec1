package onboard

import (
	"testing"

	"mybot/robot"
)

// BenchmarkTick is a tick on the way along a curve in a cluttered corridor,
// with the guard's memory full.
func BenchmarkTick(b *testing.B) {
	p := newPlant(robot.Pose{}, wall(-3, 0.7, 30, 0.7), wall(-3, -0.8, 30, -0.8))
	for x := range 30 {
		p.posts = append(p.posts, post{robot.Point{X: float64(x), Y: 0.6}, 0.05})
	}
	for p.centre().X < 10 {
		p.drive(0.4, 0, 1e9)
		if p.motion.Twist.IsZero() {
			b.Fatal("stuck", p.centre(), p.state.Drive)
		}
	}
	r := p.reading()
	b.ReportAllocs()
	for b.Loop() {
		r.Time = r.Time.Add(20e6)
		p.core.Do(r.Time, robot.Drive{Twist: robot.Twist{Linear: 0.3, Angular: 0.1}})
		p.core.Tick(r)
	}
}

// BenchmarkTickOnAPath is a tick of a robot on its way to a goal.
func BenchmarkTickOnAPath(b *testing.B) {
	p := newPlant(robot.Pose{}, wall(-3, 0.9, 30, 0.9), wall(-3, -0.9, 30, -0.9))
	p.core.usePlanner(ahead{})
	p.core.Do(p.now, robot.GoTo{Goal: robot.Pose{X: 40}})
	p.wait(5e9)
	r := p.reading()
	b.ReportAllocs()
	for b.Loop() {
		r.Time = r.Time.Add(20e6)
		if _, s := p.core.Tick(r); s.Mode != robot.ModeGoal {
			b.Fatal(s.Mode, *s.Goal)
		}
	}
}
