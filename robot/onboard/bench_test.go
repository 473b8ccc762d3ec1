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
	b.Logf("%d marks", p.core.guard.echoes.count)
	r := p.reading()
	b.ReportAllocs()
	for b.Loop() {
		r.Time = r.Time.Add(20e6)
		p.core.Do(r.Time, robot.Drive{Twist: robot.Twist{Linear: 0.3, Angular: 0.1}})
		p.core.Tick(r)
	}
}
