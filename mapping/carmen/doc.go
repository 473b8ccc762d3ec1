// Package carmen reads logs in the text format of CARMEN, which most public logs of
// 2D lidars use: one message per line, FLASER, ROBOTLASER1 or RAWLASER1 for scans
// and ODOM for the travel of the wheels.
//
// The format leaves the meaning of its numbers open: the angle over which the beams
// of a FLASER are spread, the range that stands for no echo, and whether poses are
// odometry or were corrected by a program. So a log is read twice: Inspect infers
// these, and Format.Scans returns the scans with the motion by odometry between
// them. Poses that a program corrected are never used as odometry.
//
// The package is pure; its caller opens the file.
package carmen
