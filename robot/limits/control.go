package limits

import (
	"math"
	"time"
)

// Control loop and navigator: how long commands and readings count, and when a
// robot on its way to a goal does something about what holds it. Package
// robot/onboard uses them. Docs: docs/architecture.md, "A goal".
const (
	// ReadingSilence is how long readings may stay away before the wheels are stopped.
	ReadingSilence = 250 * time.Millisecond
	// SilentStateEvery is the time between two states while readings stay away.
	SilentStateEvery = 500 * time.Millisecond
	// HoldShare is how often the twist is repeated to a base between two readings, as a
	// part of the time for which the base keeps it: three may be lost.
	HoldShare = 4
	// BlindSpeed is how fast a robot that sees no obstacles is driven by hand, in m/s: a
	// person beside it steps aside, and a light one does little harm. The same as
	// UnsureSpeed, and below the 0.25 m/s that ISO 3691-4 allows without detection.
	BlindSpeed = 0.2
	// BlindAfter is for how long no sonar and no lidar may measure anything until the robot
	// counts as one that sees no obstacles. The guard has slowed down long before.
	BlindAfter = time.Second
	// JointLead is for how long a joint moves on by itself at most: what the base is told
	// is as far ahead of where the joint is. It is as long as a base may take between two
	// reports of where its joints are.
	JointLead     = time.Second
	JointNear     = 0.003 // m: a joint that slides is where it was asked to go,
	JointNearTurn = 0.02  // rad: and one that turns
	// LentSpeed is how fast the robot is driven by hand, in m/s, while somebody else turns
	// its head farther aside than LentHeadAside, in rad: the driver does not see the way. And
	// so is the robot driven at all while its arm is lent and out of its home.
	LentSpeed      = 0.2
	LentHeadAside  = math.Pi / 6
	HullCheckEvery = time.Second // between two looks whether a joint has left the hull,
	HullTolerance  = 0.01        // m that it may stick out
	// CommandWait is how long Do waits for its turn.
	CommandWait = time.Second
	// PlanWait is how long an order waits for its way.
	PlanWait      = 450 * time.Millisecond
	UnsureSpeed   = 0.2                    // m/s while the position is unsure
	PositionJump  = 0.3                    // m; after a larger jump of the estimate the path is planned anew
	GoalTrouble   = 3 * time.Second        // when the position or the base is gone for longer, the goal pauses
	ChooseEvery   = 100 * time.Millisecond // between two choices of the local controller
	LaneLost      = 1.8                    // m off the route, when lanes up to 1.2 m beside it are driven: it must be planned anew
	ExactLost     = 0.10                   // m off the route where it is driven as planned, likewise: it would not come to the goal
	LookAfter     = time.Second / 2        // without getting on, before it looks at what holds it
	LookTurn      = 0.3                    // rad/s, with which it turns a sonar there
	HeldAfter     = 3 * time.Second        // that the guard holds the robot for something that is not on the map before it goes around
	StuckAfter    = 6 * time.Second        // without getting on
	StuckAttempts = 3                      // times that the robot backs off and tries anew where it is stuck
	StuckRadius   = 0.5                    // m from where it was stuck
	GoalNear      = 0.15                   // m from the goal, when it cannot be nearer,
	GoalNearTurn  = math.Pi / 18           // rad, and turned right by this
	BackOffSpeed  = 0.15                   // m/s, backwards, when it is stuck
	BackOffTime   = 3 * time.Second        // that it backs off for
	BackOffMargin = 0.12                   // m inside the rear of the hull: where it backs off, nothing on the map may be near this
	ReplanEvery   = 5 * time.Second        // between two looks for a way around, and between two notes of what is still there
	DetourLength  = 10.0                   // m that a way around may be longer without a person being asked,
	DetourShare   = 0.5                    // or this part of what is left,
	DetourGrowth  = 1.0                    // and m more for every second that the robot has waited
	// ReadingGap is how far apart two readings may be. After a longer one nothing is known
	// of what happened meanwhile, so the robot stands.
	ReadingGap      = 250 * time.Millisecond
	ReplayStart     = 0.3         // m from where a recorded motion begins, within which it may be replayed
	ReplayStartTurn = math.Pi / 6 // rad
	// RequestValidity is how long a velocity request counts at most, whatever it says
	// about itself: Core's own dead-man.
	RequestValidity = 500 * time.Millisecond
)
