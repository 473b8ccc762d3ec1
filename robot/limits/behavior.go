package limits

import "time"

// Behaviors: when a robot on its way to a goal stands for people, looks for another way,
// waits or frees itself. Package robot/behavior uses them. Where no other source is named
// the numbers are those of the first experiments (`mybot lab goto`), set by hand.
const (
	YieldRange    = 2.5                    // m from who moves within which the robot stands for them when it does not get on
	YieldFor      = 4 * time.Second        // that it stands for them at most, until it looks for another way
	YieldGone     = time.Second            // that nobody has moved nearby until it no longer stands for them
	YieldNarrow   = 0.7                    // m from the axle point to what is on the map: nearer there is no room for two
	ReplanAfter   = 800 * time.Millisecond // without getting on, until it looks for another way
	ReplanFor     = 5 * time.Second        // that it looks for one, until it waits
	WaitGain      = 0.5                    // m that a rollout must gain until a robot that waits or looks for a way follows its path again
	WaitLook      = time.Second            // between two looks for another way
	Nearer        = 0.10                   // m less to go: the robot has got nearer
	VainMove      = 3 * time.Second        // that it may move, or ask to, without getting nearer, until it frees itself,
	VainMoves     = 10 * time.Second       // and with freeing itself, until it waits
	VainWays      = 3                      // ways that it takes without getting nearer, until it frees itself
	PlannedTurn   = 6 * time.Second        // of turning on the spot as planned that are not in vain
	FreeTurnFor   = 2 * time.Second        // that it turns to free itself
	FreeBackFor   = 2 * time.Second        // that it backs up, or moves ahead, to free itself: 0.3 m
	FreeTurnSpeed = 0.6                    // rad/s to free itself
	FreeAway      = 0.5                    // m from where it was stuck: it is free
	FreeOnce      = 2.0                    // m within which it tries each way to free itself only once
	FreeRoom      = 0.03                   // m around the hull that turning needs; to back up it may lack, since the guard has the last word
	FreeBack      = 0.2                    // m behind the hull that backing up needs
	TryAgain      = 5 * time.Second        // that it waits where it could not free itself, and longer each time,
	TryAgainMax   = 20 * time.Second       // but no longer than this
	KnownAgain    = 2 * time.Second        // that the position must be known again until a goal that was paused for it continues
)
