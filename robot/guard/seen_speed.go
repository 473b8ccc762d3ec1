package guard

import (
	"math"

	"mybot/robot"
	"mybot/robot/limits"
)

// plannedBraking is the share of the motors' deceleration with which the speed law plans.
const plannedBraking = 0.8

// looksAhead is how far from straight ahead a sensor may look that sees what is ahead, in rad.
const looksAhead = 30 * math.Pi / 180

// SeenSpeed returns the highest speed ahead, in m/s, at which the guard can stop the robot
// before something that appears at the end of the range of its sensors; +Inf = no sensor
// looks ahead.
func SeenSpeed(desc robot.Description) float64 {
	seen := math.Inf(-1) // m, in base_link
	for _, s := range desc.Sonars {
		if math.Abs(s.Pose.Theta) <= looksAhead {
			seen = max(seen, s.Pose.X+s.Max)
		}
	}
	for _, l := range desc.Lidars {
		for beam := range l.Beams {
			if math.Abs(robot.WrapAngle(l.Pose.Theta+l.Bearing(beam))) <= looksAhead && !l.IsMasked(beam) {
				seen = max(seen, l.Pose.X+l.Max)
				break
			}
		}
	}
	if math.IsInf(seen, -1) {
		return math.Inf(1)
	}
	front := math.Inf(-1)
	for _, c := range desc.Body.Outline() {
		front = max(front, c.X)
	}
	// The room is v t + v2 / 2a.
	room := max(0, seen-front-limits.StopDistance)
	a, t := plannedBraking*desc.Hardware.LinearAcceleration, limits.SensingLatency
	return a * (math.Sqrt(t*t+2*room/a) - t)
}
