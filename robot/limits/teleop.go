package limits

import (
	"math"
	"time"
)

// Driving by hand: how far a robot may be behind the virtual robot that it follows,
// how long the network may be silent, and how it avoids things. Package
// robot/playout uses them. Docs: docs/driving.md.
const (
	FollowOff         = 0.5                // m from the reference: the robot gives up
	FollowTurned      = 60 * math.Pi / 180 // rad
	AvoidAside        = 0.6                // m beside the path
	AvoidMargin       = 0.10               // m that the hull keeps from things
	AvoidWideMargin   = 0.18               // m that it keeps if it can
	AvoidTailMargin   = 0.22               // m from things at which it comes back: its tail swings out
	AvoidSpeed        = 0.25               // m/s
	AvoidCarefulSpeed = 0.15               // m/s: it still finds out on which side there is room
	AvoidLead         = 10.0               // s that may be buffered until it has caught up
	FollowAnew        = 0.3                // m between where the virtual robot stood and where it begins again
	FollowBeyond      = 0.1                // s beyond the newest sample that track goes on
	FollowLead        = 4.0                // s that may be buffered; a robot so far behind holds
	FollowRestAfter   = 1.0                // s without a sample at the end of a path, after which the next one begins anew
	LagFrom           = 0.10               // m behind its reference from which the robot is waited for
	LagStop           = 0.25               // m behind at which the reference stands
	FollowJump        = 0.3                // m that the estimate of the position may jump
	SettleTime        = 1.0                // s to close in on a reference that stands
	EndAfter          = 3.0                // s after the hand has let go within which the path ends,
	EndPerLead        = 3.0                // and s for every second of it that was left: beside something the robot is as slow as that
	QueueAhead        = 24 * time.Hour     // that an order may be given before its start
	// SampleValidity is how long a sample may count at most: as session has it.
	SampleValidity   = 500 * time.Millisecond
	SampleSilence    = 0.8 // s without a fresh sample that the path is followed, whatever is buffered
	SampleStall      = 1.0 // s that the reference may wait before only a fresh sample moves it again
	SampleLate       = 1.0 // s by which a fresh sample may come late
	SampleFresh      = 0.3 // s by which it may come late to end a longer wait: the driver still drives
	SampleBehind     = 1.5 // s, and J, that may be left of a press that ends after a silence
	SampleGap        = 0.8 // s between two samples of one press
	SampleSilenceEnd = 2.5 // s without a fresh sample, after which the robot holds
)
