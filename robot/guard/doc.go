// Package guard is the collision monitor of a robot, last before the wheels. It
// knows what the sonars, the lidars and the bumper felt, and how the wheels turned since: no
// map, no position, no planner.
//
// A Footprint is the outline of the robot; a sonarView is one sonar and its last
// pings; sonarMemory keeps where something was heard a moment ago. Guard.Limit
// bounds a motion by them: it slows the robot towards what is ahead (approach
// zone, from 1.0 m to StopDistance), keeps every corner of the hull off walls and
// points (touch), creeps past what is near while the robot drives by itself, and
// lets it only back out while the bumper is pressed.
//
// A scanMemory does for a lidar what sonarMemory does for all sonars: it keeps what was
// seen a moment ago until a later scan looks through it. Where a lidar looks, an echo
// counts only when it is nearer than what the lidar sees: of glass, and of what is
// above or below the plane of the scan. Toward where a lidar measures nothing the
// robot creeps.
//
// An ObstacleTracker takes the same pings for things that are not on the map and
// says how likely a path leads too near to one. It decides nothing about safety.
//
// Everything is pure: time comes with the readings, no goroutine is started, and
// one goroutine owns a Guard with its tracker. Points and twists are of the axle
// frame (origin M, x forward), in m, rad, s.
package guard
