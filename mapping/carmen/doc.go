// Package carmen reads logs in the text form of CARMEN, which most public logs of 2D
// lidars have: one message a line, FLASER, ROBOTLASER1 or RAWLASER1 for scans and ODOM
// for the travel of the wheels.
//
// The form leaves open what its numbers mean: over which angle the beams of a FLASER
// are spread, which range stands for no echo, and whether poses are odometry or were
// corrected by a program. So a log is read twice: Inspect finds that out, and
// Format.Scans gives the scans with the motion by odometry between them. Poses that a
// program corrected are never taken for odometry.
//
// The package is pure; its caller opens the file.
package carmen
