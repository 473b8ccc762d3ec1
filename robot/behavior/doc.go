// Package behavior decides what a robot on its way to a goal does when its local
// controller does not get on: five states in a table.
//
//	FOLLOW  drives, while a rollout gets on
//	YIELD   stands, or backs up, for somebody who moves nearby; 4 s
//	REPLAN  stands and looks for another way; 5 s
//	WAIT    stands, looks for a way each second, and accepts one that is longer by a metre for
//	        each second; it never gives up by itself
//	FREE    turns on the spot, backs up or moves ahead where the robot gets no nearer; each once
//	        within 2 m
//
// Motion that leads no nearer to the goal lasts 10 s in all at most; then the robot waits,
// 5 s and longer each time, before it tries again at the same place. Each state has a
// sentence for people.
//
// A Machine is pure: time comes with the facts, one goroutine uses it, and a step that
// changes nothing allocates nothing. It moves nothing by itself: what it returns is
// carried out by its owner, as a request that limits and guard still bound.
package behavior
