package limits

import (
	"math"
	"time"
)

// Driving by hand: how far a robot may lag behind its virtual robot, how long the network
// may be silent, and how the robot avoids obstacles. Docs: docs/driving.md.
const (
	FollowOff         = 0.5                // m from the reference at which the robot gives up
	FollowTurned      = 60 * math.Pi / 180 // rad, likewise
	AvoidAside        = 0.6                // m, the largest detour to the side of the path
	AvoidMargin       = 0.10               // m between hull and obstacles on a detour
	AvoidWideMargin   = 0.18               // m, the same if there is room
	AvoidTailMargin   = 0.22               // m, the same for returning to the path, when the tail swings out
	AvoidSpeed        = 0.25               // m/s on a detour
	AvoidCarefulSpeed = 0.15               // m/s while it is not clear on which side there is room
	AvoidLead         = 10.0               // s that may be buffered until the robot has caught up after a detour
	FollowAnew        = 0.3                // m between where the virtual robot stood and where it starts again
	FollowBeyond      = 0.1                // s that Track continues beyond the newest sample
	FollowLead        = 4.0                // s that may be buffered; if the robot is farther behind, the drive ends in a HOLD
	FollowRestAfter   = 1.0                // s without a sample at the end of a path, after which the next sample starts a new path
	LagFrom           = 0.10               // m behind its reference from which the reference slows down for the robot
	LagStop           = 0.25               // m behind at which the reference stops
	FollowJump        = 0.3                // m, the largest jump of the estimated position
	SettleTime        = 1.0                // s to close in on a reference that stands
	EndAfter          = 3.0                // s from the release of the stick to the end of the path,
	EndPerLead        = 3.0                // plus s for every second of path that was left: the robot is that slow beside an obstacle
	QueueAhead        = 24 * time.Hour     // from giving an order to its start, at most
	// SampleValidity is the longest time that a sample may count; session/protocol has the same.
	SampleValidity   = 500 * time.Millisecond
	SampleSilence    = 0.8 // s without a fresh sample for which the robot follows the path, however much is buffered
	SampleStall      = 1.0 // s that the reference may wait before only a fresh sample moves it again
	SampleLate       = 1.0 // s, the largest delay of a fresh sample
	SampleFresh      = 0.3 // s, the largest delay of a sample that ends a longer wait: the driver is still driving
	SampleBehind     = 1.5 // s, plus J, that may be left of a press that ends after a silence
	SampleGap        = 0.8 // s between two samples of one press, at most
	SampleSilenceEnd = 2.5 // s without a fresh sample after which the drive ends in a HOLD
)
