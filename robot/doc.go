// Package robot holds the words that every other room speaks: poses, twists,
// readings, commands, results, the driver contract and the floor plan. It has
// no goroutine and does no I/O.
//
// Frames follow REP-105: map (the floor plan), odom (where dead reckoning
// started) and base_link (the robot's centre C, x forward, y left). Units are
// SI and angles are radians, counter-clockwise positive, as REP-103 has it.
// A transform is named targetFromSource: mapFromBase takes a point given in
// base_link to map, so mapFromBase = mapFromOdom.Compose(odomFromBase).
package robot
