package limits

import (
	"math"
	"time"
)

// Control loop and navigator: how long commands and readings count, and when a robot on
// its way to a goal reacts to being held up. Docs: docs/architecture.md, "A goal".
const (
	// ReadingSilence is how long readings may be missing before the control loop stops the
	// wheels.
	ReadingSilence = 250 * time.Millisecond
	// SilentStateEvery is the time between two states while readings are missing.
	SilentStateEvery = 500 * time.Millisecond
	// HoldShare is how many times the twist is sent within the hold of a base, so that
	// three in a row may be lost.
	HoldShare = 4
	// BlindSpeed is the speed limit in m/s for driving a robot that sees no obstacles by
	// hand: a person beside it can step aside, and a light robot does little harm. It
	// equals UnsureSpeed, and is below the 0.25 m/s that ISO 3691-4 allows without
	// detection.
	BlindSpeed = 0.2
	// BlindAfter is how long no sonar and no lidar may measure anything until the robot
	// counts as one that sees no obstacles. The guard slows it down long before.
	BlindAfter = time.Second
	// JointLead is the longest time that a joint moves on by itself: the position sent to
	// the base leads the joint's position by that much motion. It is the longest allowed
	// time between two reports of joint positions.
	JointLead     = time.Second
	JointNear     = 0.003 // m: a joint that slides is at its target within this,
	JointNearTurn = 0.02  // rad: and one that turns within this
	// LentSpeed is the speed limit in m/s for driving by hand while a borrower has the head
	// turned more than LentHeadAside, in rad, to the side: the driver does not see the way
	// ahead. It also limits all driving while the arm is lent and away from home.
	LentSpeed      = 0.2
	LentHeadAside  = math.Pi / 6
	HullCheckEvery = time.Second // between two checks whether a joint sticks out of the hull,
	HullTolerance  = 0.01        // m that it may stick out
	// CommandWait is how long Do waits for its turn.
	CommandWait = time.Second
	// PlanWait is how long an order waits for its path.
	PlanWait      = 450 * time.Millisecond
	UnsureSpeed   = 0.2                    // m/s while the position is UNSURE
	StalledAfter  = 2.0                    // s of commanded motion without wheel travel after which the wheels count as stalled
	PositionJump  = 0.3                    // m; after a larger jump of the estimate the navigator replans
	GoalTrouble   = 3 * time.Second        // if the position or the base is lost for longer, the goal pauses
	ChooseEvery   = 100 * time.Millisecond // between two choices of the local controller
	LaneLost      = 1.8                    // m off the route at which the navigator replans, if it may use lanes up to 1.2 m beside the route
	ExactLost     = 0.10                   // m off the route at which it replans where it follows the route exactly: the robot would miss the goal
	LookAfter     = time.Second / 2        // without progress, before the robot looks at the cause
	LookTurn      = 0.3                    // rad/s, to turn a sonar towards the cause
	HeldAfter     = 3 * time.Second        // that the guard holds the robot for something that is not on the map, before the robot drives around it
	LookAround    = 15 * time.Second       // for how long in total a robot that is unsure of its position at its goal looks around
	StuckAttempts = 3                      // times that the robot may end beside its goal and try again
	GoalNear      = 0.15                   // m from the goal that are close enough if the robot cannot get closer,
	GoalNearTurn  = math.Pi / 18           // rad, and within this of its heading
	BackOffSpeed  = 0.15                   // m/s, straight, for a robot that is stuck
	DetourLength  = 10.0                   // m that a detour may be longer without asking a person,
	DetourShare   = 0.5                    // or this fraction of the remaining path,
	DetourGrowth  = 1.0                    // plus m for every second that the robot has waited
	// ReadingGap is the longest time between two readings. After a longer gap the robot
	// stops, because what happened meanwhile is unknown.
	ReadingGap      = 250 * time.Millisecond
	ReplayStart     = 0.3         // m from the start of a recorded motion within which the robot may replay it
	ReplayStartTurn = math.Pi / 6 // rad
	// RequestValidity is the longest time that a velocity request counts, whatever expiry
	// it has: Core's own watchdog.
	RequestValidity = 500 * time.Millisecond
	// StandBy is how long a robot must be without control before a script that stands by
	// continues. The robot announces it StandByNotice before, time enough for a person to
	// press STOP or to take control.
	StandBy       = 5 * time.Minute
	StandByNotice = 10 * time.Second
)
