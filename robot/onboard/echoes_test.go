package onboard

import (
	"math"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
	"mybot/robot/scan"
)

// ring is a cloud of so many echoes, 2 m around base_link, from straight ahead to the
// left; every other beam met nothing.
func ring(lidar, beams int) scan.Cloud {
	c := scan.Cloud{Lidar: lidar}
	for i := range beams {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(beams))
		c.Beams = append(c.Beams, scan.Beam{End: robot.Point{X: 2 * cos, Y: 2 * sin}, Echo: i%2 == 0})
	}
	return c
}

func TestPeopleAreShownWhereTheLidarsMetSomethingLast(t *testing.T) {
	now := time.Date(2026, 11, 20, 14, 33, 0, 0, time.UTC)
	var e echoes
	e.observeClouds(now, []scan.Cloud{ring(1, 8)}, robot.Pose{X: 10, Y: 5, Theta: math.Pi / 2})
	first := e.all
	if len(first) != 4 || first[0].Sub(robot.Point{X: 10, Y: 7}).Norm() > 1e-9 {
		t.Fatalf("got %v, want 4 echoes from 2 m ahead on, in map", first)
	}
	e.observeClouds(now.Add(time.Second/10), []scan.Cloud{ring(0, 4)}, robot.Pose{})
	if len(e.all) != 6 {
		t.Errorf("with a second lidar there are %d echoes, want 6", len(e.all))
	}
	if first[0].Sub(robot.Point{X: 10, Y: 7}).Norm() > 1e-9 {
		t.Error("what was published was written to")
	}
	e.observeClouds(now.Add(limits.ScanPointLife+time.Second/20), nil, robot.Pose{})
	if len(e.all) != 2 {
		t.Errorf("one lidar has been silent for too long, but there are %d echoes, want the 2 of the other", len(e.all))
	}
}

func TestAScanOfManyBeamsIsThinnedEvenly(t *testing.T) {
	for _, beams := range []int{119, 120, 121, 360, 1081, 4096} {
		c := ring(0, beams)
		for i := range c.Beams {
			c.Beams[i].Echo = true
		}
		got := thinEchoes(c, robot.Pose{})
		if len(got) > maxEchoes || len(got) < min(beams, maxEchoes/2) {
			t.Errorf("%d beams: %d echoes are published, want at most %d and at least half of it", beams, len(got), maxEchoes)
		}
		gap := 0.0
		for i := 1; i < len(got); i++ {
			gap = math.Max(gap, got[i].Sub(got[i-1]).Norm())
		}
		if limit := 4 * math.Pi / float64(len(got)) * 1.05; gap > limit {
			t.Errorf("%d beams: neighbours are up to %.2f m apart, want %.2f at most", beams, gap, limit)
		}
	}
}
