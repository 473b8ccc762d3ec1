// Package vda5050 writes a job as an order of VDA 5050 3.0.0, the interface
// between fleet control and mobile robots, and reads one.
//
// The mapping is:
//
//	the job            an order with orderUpdateId 0; orderDescription is its name
//	before any MOVE    the first node, "start", without a nodePosition: where the robot stands
//	MOVE               an edge and its node; nodeId is the name of the place
//	VOICE, MESSAGE,    custom actions of that node, blockingType HARD, one after
//	WAIT               the other, with the fields of the step as actionParameters
//	a failing MOVE     a custom action MOVE of its edge, blockingType NONE; only
//	                   if the step sets on_failure
//
// An order is read completely or not at all: horizons, updates, zones, trajectories,
// corridors, limits of an edge and other actions are refused by name, because the
// robot would not honour them. It plans its own path between two nodes. The robot
// drives to every node that has a position, including the first; a node without one
// is a place named by its nodeId. Where theta is missing the robot ends facing away
// from the previous node. Allowed deviations are ignored: the robot always goes as
// near as it can.
//
// Contract. The package is pure. Read returns the same steps that Write has written,
// except that places that have moved on the map since become poses.
package vda5050
