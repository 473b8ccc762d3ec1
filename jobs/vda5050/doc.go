// Package vda5050 writes a job as an order of VDA 5050 3.0.0, the interface
// between fleet control and mobile robots, and reads one.
//
// What stands for what:
//
//	the job            an order with orderUpdateId 0; orderDescription is its name
//	before any MOVE    the first node, "start", without a nodePosition: where the robot stands
//	MOVE               an edge and its node; nodeId is the name of the place
//	VOICE, MESSAGE,    custom actions of that node, blockingType HARD, one after
//	WAIT               the other, with the fields of the step as actionParameters
//	how a MOVE fails   a custom action MOVE of its edge, blockingType NONE; only
//	                   where the step says something of it
//
// An order is read whole or not at all: horizons, updates, trajectories,
// corridors, limits of an edge and other actions are refused by name, for the
// robot would not keep to them. It plans its way between two nodes itself. A node
// with a position is gone to, also the first one; one without is a place by its
// nodeId. Where theta is missing the robot ends as it came, looking away from
// the node before. Deviations that are allowed are not used: it goes as near as
// it can.
//
// Contract. The room is pure. What Write has written, Read reads as the same
// steps, but for places that moved on the map since: they become poses.
package vda5050
