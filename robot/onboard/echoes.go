package onboard

import (
	"time"

	"mybot/robot"
	"mybot/robot/limits"
	"mybot/robot/scan"
)

// maxEchoes is the largest number of published echoes per lidar: enough for a page to show
// walls, in a state that still fits into one or two packets.
const maxEchoes = 120

// echoes holds the points at which the newest scan of each lidar met something, for
// display.
type echoes struct {
	lidars []lidarEchoes // by the lidar's index
	all    []robot.Point // in map; published, so not modified afterwards
}

type lidarEchoes struct {
	at     time.Time
	points []robot.Point // in map
}

// observeClouds takes the clouds of a reading; pose is base_link in map. It drops the
// echoes of a lidar that has been silent for ScanPointLife.
func (e *echoes) observeClouds(now time.Time, clouds []scan.Cloud, pose robot.Pose) {
	changed := false
	for _, c := range clouds {
		for len(e.lidars) <= c.Lidar {
			e.lidars = append(e.lidars, lidarEchoes{})
		}
		e.lidars[c.Lidar] = lidarEchoes{at: now, points: thinEchoes(c, pose)}
		changed = true
	}
	for i, l := range e.lidars {
		if len(l.points) > 0 && now.Sub(l.at) > limits.ScanPointLife {
			e.lidars[i].points = nil
			changed = true
		}
	}
	if !changed {
		return
	}
	e.all = nil
	for _, l := range e.lidars {
		e.all = append(e.all, l.points...)
	}
}

// thinEchoes returns at most maxEchoes echoes of a cloud, evenly spread over its beams, in
// map.
func thinEchoes(c scan.Cloud, mapFromBase robot.Pose) []robot.Point {
	stride := (len(c.Beams) + maxEchoes - 1) / maxEchoes
	var points []robot.Point
	for i := 0; i < len(c.Beams); i += stride {
		if b := c.Beams[i]; b.Echo {
			points = append(points, mapFromBase.Apply(b.End))
		}
	}
	return points
}

// appendRays appends the rays of clouds, in base_link.
func appendRays(rays []robot.Ray, clouds []scan.Cloud) []robot.Ray {
	for _, c := range clouds {
		for _, b := range c.Beams {
			rays = append(rays, robot.Ray{From: c.Origin, To: b.End, Echo: b.Echo})
		}
	}
	return rays
}
