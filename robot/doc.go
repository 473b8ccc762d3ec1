// Package robot defines the types that the other packages share: poses, twists, readings,
// commands, results, the driver interface and the floor plan. It has no goroutine and does
// no I/O.
//
// Frames follow REP-105: map (the floor plan), odom (where dead reckoning started) and
// base_link (the robot's centre C, x forward, y left). Units are SI; angles are in radians,
// counter-clockwise positive, as in REP-103. A transform is named targetFromSource:
// mapFromBase transforms a point from base_link to map, so mapFromBase =
// mapFromOdom.Compose(odomFromBase).
package robot
