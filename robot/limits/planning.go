package limits

import (
	"math"
	"time"
)

// Routes: how near they lead to things, what blocks them and for how long, and
// when the robot is at its goal. Package pathplan uses them. Docs:
// docs/planning.md.
const (
	// RouteKeepOff is the clearance that a route seeks where that costs little, in m.
	RouteKeepOff = 0.8
	// RouteRoomy is the clearance that a rounded corner keeps where there was that much,
	// in m: a robot nearer to a wall is held up by what its sonars make of it.
	RouteRoomy = 0.5
	// BlockedLife is how long something that was found in the way is believed to
	// stand there in any case. Where there is another way it is believed BlockedTrust times
	// as long as it has stood there in addition, but no more than BlockedMaxTrust.
	BlockedLife      = 20 * time.Second
	BlockedTrust     = 10
	BlockedMaxTrust  = 5 * time.Minute
	BlockedPoint     = 0.05                   // m, a point that a lidar sees in the way is taken for a disc of this size,
	BlockedApart     = 0.10                   // m, and points nearer to each other for one of them
	BlockedPoints    = 200                    // at most
	BlockedRadius    = 0.25                   // m, what is in the way is taken for a disc of this size
	BlockedSame      = 0.4                    // m, what is noted nearer than this to another is the same
	BlockedLookRange = 1.5                    // m, from how far a sonar sees that something is gone
	BlockedLookTime  = time.Second            // that a sonar hears what is behind it until it is forgotten
	BlockedSeeRange  = 4.0                    // m, from how far a lidar sees that something is gone
	BlockedSeeTime   = time.Second / 2        // that a lidar sees through it until it is forgotten
	BlockedDepth     = 0.15                   // m, its middle lies so far behind the face that echoed
	ArriveWithin     = 0.05                   // m from the goal: there
	ArriveHeading    = math.Pi / 60           // rad, 3 deg
	RouteLookAhead   = 0.3                    // m along the route to where it first aims
	RouteBackSpeed   = 0.15                   // m/s backwards
	RouteLost        = 0.6                    // m off the route: it must be planned anew
	WaitMove         = 0.1                    // m; a robot that has moved less than that
	WaitTurn         = 10 * math.Pi / 180     // rad
	LaneAhead        = 0.6                    // m, echoes nearer than this count
	LaneMargin       = 0.08                   // m on each side of the hull
	LaneBlockedAfter = 2 * time.Second        // how long something must have been there
	LaneGap          = 500 * time.Millisecond // how long it may go unseen in between
	LaneFarAhead     = 2.5                    // m before the hull, what a lidar sees nearer than this counts when it stays where it is
	LaneStillFor     = 800 * time.Millisecond // for so long
	LaneSame         = 0.25                   // m that it may seem to move meanwhile
	MapNear          = 0.15                   // m, an echo this near to the floor plan's things is theirs
	MapMaybe         = 0.30                   // m, and one this near may be, wherever in its beam it comes from
	RouteBackWay     = 1.0                    // m to go backwards into a place
	RouteTurnMargin  = 0.08                   // m that stay free around the hull when it turns on the spot: the guard keeps 0.06
	RouteEnter       = 0.8                    // m from the robot to the nearest cell it could drive through
	RouteExact       = 0.35                   // m before the end of the route from which on it is driven as planned
	RouteCreep       = 0.06                   // m/s, the least speed while underway
	// RouteTurnFrom is the heading error from which the robot turns on the spot, in rad.
	RouteTurnFrom = math.Pi / 3
	// RouteStartTurnFrom is the same at the start of a route, where the robot stands
	// anyway: from more than that its first curve would swing out by a decimetre.
	RouteStartTurnFrom = math.Pi / 9
)
