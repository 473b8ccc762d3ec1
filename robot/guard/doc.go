// Package guard is the collision monitor of a robot, the last stage before the wheels. It
// uses the sonars, the lidars, the bumper and the wheel travel, but no map, no position and
// no planner.
//
// A Footprint is the outline of the robot; a sonarView is one sonar and its last pings;
// sonarMemory holds the places of recent echoes. Guard.Limit bounds a motion by them. It
// slows the robot toward an obstacle ahead (the approach zone, from 1.0 m to StopDistance),
// keeps every corner of the hull off walls and points (touch), and passes near obstacles
// slowly while the robot drives autonomously. While the bumper is pressed the robot may only
// creep, and not on in the direction that led to the bump.
//
// A scanMemory does for a lidar what sonarMemory does for all sonars: it holds recent
// points until a later scan looks through them. Where a lidar sees, an echo counts only if
// it is nearer than the points of the lidar: it may come from glass, or from an obstacle
// above or below the scan plane. In directions where a lidar measures nothing the robot
// creeps.
//
// An ObstacleTracker estimates obstacles that are not on the map from the same pings and
// scans, and how likely a path comes too near to one. It decides nothing about safety.
//
// The package is pure: readings carry the time, it starts no goroutine, and one goroutine
// owns a Guard and its tracker. Points and twists are in the axle frame (origin M, x
// forward), in m, rad and s.
package guard
