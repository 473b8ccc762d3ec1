// Package limits has the speeds, distances and times of the robot in one place:
// what someone who wants to know or change how it drives, guards itself, finds its
// way and judges its position looks for. Each has its unit and what it is for; what
// was measured says so where it is used.
//
// What a robot is and can do (hull, sonars, safe speeds) is not here but in its
// description, robot.Description. What only shapes a filter or a search (particle
// counts, likelihoods, gains) stays where it is used.
//
// Units are m, s (or time.Duration), rad, m/s and rad/s.
package limits
