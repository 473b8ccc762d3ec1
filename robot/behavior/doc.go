// Package behavior decides what a robot on its way to a goal does when it makes no progress: a
// state machine with five states in a table. "Gains" means with a lidar that a rollout of the
// local controller makes progress, with sonars alone that nothing blocks the path.
//
//	FOLLOW  drives, while it gains
//	YIELD   stands, or backs up, for a person who moves nearby; at most 4 s. If for
//	        8 s a person has wanted to pass where the robot stands, it drives to a place beside
//	        their way and stands there until they have passed; at most 9 s and 10 s
//	REPLAN  stands while the planner plans another path; at most 5 s
//	WAIT    stands, asks for another path every second, and accepts one that is longer by
//	        10 m or half of what is left, and by one metre more for each second of waiting;
//	        it never gives up by itself
//	FREE    turns on the spot, backs up or moves ahead when the robot is stuck, or held in
//	        a planned turn: to a place where it can turn, or else straight; each once
//	        within 2 m, and for 7 s at most. With sonars alone it also does so in WAIT, to
//	        look for a way from elsewhere, again and again
//
// Motion without progress toward the goal lasts at most 10 s in total. Planned turns on the
// spot of up to 8 s are not counted; they count from zero again once the robot has freed
// itself by half a metre. The whole count starts at zero again when the robot begins to move
// aside. Then the robot waits before it tries again at the same place: 5 s, and longer
// each time up to 20 s. Each state has a sentence for people.
//
// A Machine is pure: the facts carry the time, only one goroutine uses it, and a step that
// changes nothing allocates nothing. It only decides: its owner executes the order as a
// velocity request, which limits and guard still bound.
package behavior
