package mapping

import (
	"math"
	"testing"

	"mybot/robot"
	"mybot/robot/scan"
)

// wallAhead is a wall across the field of view, 3 m ahead.
func wallAhead() scan.Cloud {
	var c scan.Cloud
	for y := -2.0; y < 2; y += 0.02 {
		c.Beams = append(c.Beams, echo(3.02, y))
	}
	return c
}

func TestAResultStaysAsItIsWhileTheMapperGoesOn(t *testing.T) {
	var m Mapper
	add := func(n int) {
		for range n {
			m.Add(KeyFrame{Motion: robot.Pose{X: 0.3}, Cloud: wallAhead()})
		}
		for m.Step() {
		}
	}
	add(2)
	r := m.Result()
	poses := []robot.Pose{r.Pose(0), r.Pose(1)}
	grid := r.Draw(robot.Pose{}, 0.05, 1<<20).Grid()
	add(20)
	m.graph.nodes[m.frames[1].node].X += 5
	if again := r.Draw(robot.Pose{}, 0.05, 1<<20).Grid(); r.KeyFrames() != 2 || r.Pose(0) != poses[0] || r.Pose(1) != poses[1] || len(again.Cells) != len(grid.Cells) {
		t.Errorf("%d key frames at %+v, %+v; it had 2 at %+v", r.KeyFrames(), r.Pose(0), r.Pose(1), poses)
	}
}

func TestAResultIsDrawnInATurnedFrame(t *testing.T) {
	var m Mapper
	m.graph.nodes = []robot.Pose{{}}
	for range 2 {
		m.frames = append(m.frames, newFrame(wallAhead()))
	}
	r := m.Result()
	g := r.Draw(robot.Pose{Theta: math.Pi / 2}, 0.05, 1<<20).Grid()
	for p, want := range map[robot.Point]robot.Cell{{X: 0.02, Y: 3.02}: robot.Occupied, {X: 0.02, Y: 2}: robot.Free, {X: 3.02, Y: 0.02}: robot.Unknown} {
		if got := g.At(p); got != want {
			t.Errorf("(%g, %g) is %d, want %d", p.X, p.Y, got, want)
		}
	}
	for p := range r.Echoes(0) {
		if math.Abs(p.X-3.02) > 1e-9 {
			t.Fatalf("an echo at %+v; the wall is at x 3.02 of map, however the picture is turned", p)
		}
	}
}
