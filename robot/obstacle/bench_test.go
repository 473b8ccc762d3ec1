package obstacle

import (
	"math"
	"math/rand/v2"
	"testing"

	"mybot/robot"
	"mybot/robot/models"
)

// crowd is a robot in a room of 6 x 6 m with standing obstacles and walking people.
func crowd() *rig {
	r := newRig(models.LidarName)
	for n := range 120 { // the walls, of posts
		s := 6 * float64(n%30) / 30
		corner := [4]robot.Point{{X: -3 + s, Y: -3}, {X: 3, Y: -3 + s}, {X: 3 - s, Y: 3}, {X: -3, Y: 3 - s}}
		r.discs = append(r.discs, disc{at: corner[n/30], radius: 0.12})
	}
	for n := range 6 {
		sin, cos := math.Sincos(float64(n))
		r.discs = append(r.discs, disc{at: robot.Point{X: 2 * cos, Y: 2 * sin}, v: robot.Point{X: -0.9 * sin, Y: 0.9 * cos}, radius: 0.2})
	}
	luck := rand.New(rand.NewPCG(1, 1))
	r.noise = func() float64 { return 0.01 * luck.NormFloat64() }
	return r
}

// step moves the people in circles.
func (r *rig) step() robot.Wheels {
	for i := range r.discs[120:] {
		d := &r.discs[120+i]
		d.v = robot.Point{X: -0.45 * d.at.Y, Y: 0.45 * d.at.X}
	}
	return r.pass(robot.Twist{Angular: 0.3})
}

func TestNothingIsAllocatedAfterTheFirstScans(t *testing.T) {
	r := crowd()
	for range 30 {
		r.read(r.step(), r.cloud())
	}
	points := make([]robot.Point, 0, maxPoints)
	if n := testing.AllocsPerRun(30, func() {
		r.read(r.step(), r.cloud())
		r.layer.Clearance(robot.Point{})
		r.layer.Discs()
		points = r.layer.AppendUnmapped(points[:0])
	}); n > 1 { // the reading's clouds are those of the rig
		t.Errorf("%.0f allocations a scan", n)
	}
	if len(r.layer.Discs()) < 4 {
		t.Errorf("only %d of 6 people are seen", len(r.layer.Discs()))
	}
}

func BenchmarkScan(b *testing.B) {
	r := crowd()
	for range 30 {
		r.read(r.step(), r.cloud())
	}
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		travel := r.step()
		c := r.cloud()
		b.StartTimer()
		r.read(travel, c)
		r.layer.Clearance(robot.Point{})
	}
}

func BenchmarkClearance(b *testing.B) {
	r := crowd()
	r.read(r.step(), r.cloud())
	sum := 0.0
	for b.Loop() {
		sum += r.layer.Clearance(robot.Point{X: 0.5, Y: 0.3})
	}
	_ = sum
}
