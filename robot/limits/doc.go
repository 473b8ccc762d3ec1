// Package limits holds the speeds, distances and times that determine how a robot
// drives, avoids collisions, plans its path and judges its position. Each has its unit
// and its purpose; the code that uses a measured value says how it was measured.
//
// The properties of a robot (hull, sonars, safe speeds) are in its description,
// robot.Description. Parameters that only tune a filter or a search (particle counts,
// likelihoods, gains) are where they are used.
//
// Units are m, s (or time.Duration), rad, m/s and rad/s.
package limits
