package render

import (
	"testing"

	"mybot/robot"
)

// Outlines of 4,000 pillars, traced as from a picture: 16,000 lines.
func BenchmarkPostsOfATracedMap(b *testing.B) {
	plan := &robot.Floorplan{}
	for i := range 4000 {
		x, y := float64(i%50), float64(i/50)
		ring := []robot.Point{{X: x, Y: y}, {X: x + 0.4, Y: y}, {X: x + 0.4, Y: y + 0.4}, {X: x, Y: y + 0.4}}
		for k := range ring {
			plan.Lines = append(plan.Lines, robot.Segment{A: ring[k], B: ring[(k+1)%4]})
		}
	}
	for b.Loop() {
		in := &interior{plan: plan}
		for n, l := range plan.Lines {
			in.addPost(l, n)
			in.addPost(robot.Segment{A: l.B, B: l.A}, n)
		}
	}
}
