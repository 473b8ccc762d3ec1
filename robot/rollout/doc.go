// Package rollout is the local controller of a robot: it chooses how to drive in the next
// seconds among standing and moving obstacles.
//
// Ten times a second a Controller simulates some 50 trajectories (trajectory rollout). Each
// is the path controller in closed loop, with the robot's own limits of speed and
// acceleration, toward a lane: the path offset sideways by up to 1.2 m in steps of 15 cm, at
// 1, 0.6 or 0.3 of the robot's speed. The controller judges each rollout by where the
// obstacles will be when the robot gets there, and takes the cheapest. Until the next choice
// the control law of that rollout drives the robot. Because the candidates are control laws
// and not twists, the motion is smooth. The same inputs result in the same motion.
//
// One table (weights) holds the cost of each Term, in metres of progress. A rollout ends when
// the hull, covered by discs, comes too near to a standing obstacle, or to where a moving
// one will be.
//
// A controller that drives backward follows paths backward. It also finds a place to stand
// aside, where the robot is not in a person's way. Each controller finds the nearest place in
// its direction where the robot can turn on the spot.
//
// Sizes and speeds are those of the description. The package is pure, allocates nothing
// after New, and only one goroutine may use a Controller. Poses are those of the axle point
// M in map; units are m, rad and s.
package rollout
