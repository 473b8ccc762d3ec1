package limits

import "time"

// Behaviors: when a robot on its way to a goal yields to people, looks for another way,
// waits or frees itself. Unless a source is named, the numbers were set by hand in the first
// experiments (`mybot lab goto`).
const (
	YieldRange     = 2.5                     // m from a moving obstacle within which a robot without progress yields to it
	YieldFor       = 4 * time.Second         // the longest time that the robot yields before it looks for another way
	YieldGone      = time.Second             // how long nothing must move nearby before the robot stops yielding
	YieldNarrow    = 0.7                     // m from the axle point to the map's obstacles: closer than this there is no room for two
	AsideAfter     = 8 * time.Second         // how long a person must want to pass where the robot stands until it moves aside: longer than people in the simulator try before they turn back. At the same place longer each time
	AsideRange     = 1.6                     // m from the robot within which such a person is,
	AsideAhead     = 0.3                     // cosine of the largest angle between the robot's path and the direction to them,
	AsideMet       = 1.3                     // m from the robot, closer to which they stopped: a person who stood there before, such as one who talks, does not want to pass,
	AsidePatience  = 30 * time.Second        // until the robot has waited so long: the person may have nowhere else to go
	AsideGone      = 2.0                     // m from where the robot was in their way from which on they have passed
	AsideMin       = 1.0                     // m that the robot drives to stand aside, at least,
	AsideMax       = 4.0                     // m, and at most,
	AsideFor       = 9 * time.Second         // and how long at most
	AsideStuck     = 1500 * time.Millisecond // without progress to the place, after which the robot stands where it is
	AsideStand     = 10 * time.Second        // the longest time that it stands aside
	AsideSeek      = time.Second / 2         // between two searches for a place
	AsideOnce      = 5.0                     // m around where the robot was in the way that count as the same place
	AsideBack      = 0.7                     // m from where it stood aside, closer to which it does not do so again
	ReplanAfter    = 800 * time.Millisecond  // without progress, until the robot looks for another way
	AheadLook      = time.Second / 2         // between two searches for another way while the robot drives toward something that stands on its path,
	AheadNear      = 0.4                     // m from the circle about the axle that the robot needs to turn, closer to which it passes or stops, but does not turn back,
	AheadLonger    = 0.5                     // m by which the way found must be longer to count as a detour, not as a bend around it,
	AheadTimes     = 2                       // and the number of such finds in a row after which the robot takes it
	ReplanFor      = 5 * time.Second         // the longest time that the robot looks for another way before it waits
	WaitGain       = 0.5                     // m of progress that a rollout must promise before a robot that waits or replans follows its path again, if it ends before an obstacle,
	WaitGainPast   = 0.25                    // m, and if it leads past everything: at PassingSpeed the robot drives less than WaitGain in the horizon of 3 s
	ElsewhereAfter = 8 * time.Second         // how long a robot without a lidar waits before it moves to look for a way from another place
	WaitLook       = time.Second             // between two searches for another way
	Nearer         = 0.10                    // m less to go that count as getting nearer to the goal
	VainMove       = 3 * time.Second         // the longest time that the robot may move, or try to, without getting nearer, until it frees itself,
	VainMoves      = 10 * time.Second        // and including freeing itself, until it waits
	VainWays       = 3                       // paths that the robot takes without getting nearer, until it frees itself
	PlannedTurn    = 8 * time.Second         // the total time of planned turns on the spot that does not count towards VainMove; longer for a robot that needs longer for a whole turn
	FreeTurnFor    = 2 * time.Second         // the duration of a turn to get free
	FreeBackFor    = 2 * time.Second         // the duration of a straight move back, or ahead, to get free: 0.3 m; twice as long if there is no room to turn then
	FreeMax        = 1.5                     // m that the robot drives to a place where it can turn, at most,
	FreeMoveFor    = 7 * time.Second         // and how long at most: 1.5 m at 0.3 m/s
	FreeStand      = time.Second             // how long a robot may stand instead of moving to get free, until it tries something else:
	FreeMoved      = 0.02                    // m; a shorter distance counts as standing,
	FreeTurned     = 0.05                    // rad, and so does a smaller turn
	FreeTurnSpeed  = 0.6                     // rad/s, to get free
	FreeAway       = 0.5                     // m from where the robot was stuck, or took a way that led no nearer, beyond which its counts of turns and motion start at zero again
	FreeOnce       = 2.0                     // m within which the robot tries each way of getting free only once
	FreeRoom       = 0.03                    // m around the hull that a turn needs; a straight move may lack it, since the guard decides
	UnheardMargin  = 0.06                    // m around the hull that a robot without a lidar keeps from what it knows while it frees itself: sonars do not hear slanting walls
	UnheardAhead   = 0.13                    // m, the same for a motion ahead, where no path leads and the robot has not just been
	FreeBack       = 0.2                     // m behind or ahead of the hull that a straight move needs
	TryAgain       = 5 * time.Second         // the first wait at a place where the robot could not free itself; each one is longer than the last,
	TryAgainMax    = 20 * time.Second        // up to this
	KnownAgain     = 2 * time.Second         // how long the position must be known again before a goal that paused for it continues
)
