// Package rollout is the local controller of a robot: it chooses how to drive on for the
// next seconds among obstacles, some of which move.
//
// Ten times a second a Controller simulates some 50 ways to drive on (trajectory rollout): the
// path controller in closed loop, with the robot's own limits of speed and acceleration, towards
// the path moved sideways by up to 1.2 m in steps of 15 cm (a lane), at its full speed, 0.6 and 0.3
// of it. Each is judged by where the obstacles are at the time when the robot would be
// there, and the cheapest is taken. In between the law of the chosen one drives the robot.
// A controller is sampled and not a twist, so the motion is smooth, and the same
// inputs give the same motion.
//
// What a rollout costs stands in one table (Terms), in metres of progress. What ends a
// rollout is that the hull, taken for discs, comes too near: to something that stands, or to
// where something that moves will be.
//
// Sizes and speeds are those of the description. Everything is pure, nothing is allocated
// after New, and one goroutine uses a Controller. Poses are of the axle point M in map,
// units are m, rad, s.
package rollout
