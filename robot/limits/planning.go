package limits

import (
	"math"
	"time"
)

// Routes: how close they lead to obstacles, what blocks them and for how long, and when
// the robot is at its goal. Docs: docs/planning.md.
const (
	// RouteKeepOff is the clearance that a route keeps where that costs little, in m.
	RouteKeepOff = 0.8
	// RouteRoomy is the clearance, in m, that a corner keeps when it is rounded, if it had
	// that much: closer to a wall, the sonars' echoes would slow the robot down.
	RouteRoomy = 0.5
	// BlockedLife is how long a reported obstacle counts in any case. If there is another
	// route, it counts longer, by BlockedTrust times the time that it has stood there, but
	// at most by BlockedMaxTrust.
	BlockedLife      = 20 * time.Second
	BlockedTrust     = 10
	BlockedMaxTrust  = 5 * time.Minute
	BlockedPoint     = 0.05                   // m, radius of the obstacle at a point that a lidar sees in the lane,
	BlockedApart     = 0.10                   // m: points closer together are one obstacle
	BlockedPoints    = 200                    // of these at most
	BlockedRadius    = 0.25                   // m, radius of any other obstacle
	BlockedSame      = 0.4                    // m; an obstacle reported closer than this to an earlier one replaces it
	BlockedLookRange = 1.5                    // m, range within which a sonar can tell that an obstacle is gone
	BlockedLookTime  = time.Second            // how long a sonar must see past an obstacle to remove it
	BlockedSeeRange  = 4.0                    // m, range within which a lidar can tell that an obstacle is gone
	BlockedSeeTime   = time.Second / 2        // how long a lidar must see past an obstacle to remove it
	BlockedDepth     = 0.15                   // m from the face that echoed to the obstacle's centre
	ArriveWithin     = 0.05                   // m from the goal at which the robot has arrived
	ArriveHeading    = math.Pi / 60           // rad, 3 deg
	RouteLookAhead   = 0.3                    // m along the route to the point at which the robot first aims
	RouteBackSpeed   = 0.15                   // m/s backwards
	RouteLost        = 0.6                    // m off the route at which the navigator replans
	WaitMove         = 0.1                    // m; a robot that moves less than this, and
	WaitTurn         = 10 * math.Pi / 180     // rad; turns less than this, is waiting
	LaneAhead        = 0.6                    // m before the hull within which echoes count
	LaneMargin       = 0.08                   // m on each side of the hull
	LaneBlockedAfter = 2 * time.Second        // how long an obstacle must have been there to block the lane
	LaneGap          = 500 * time.Millisecond // how long it may go unseen in between
	MapNear          = 0.15                   // m; an echo this close to an obstacle of the floor plan comes from it
	MapMaybe         = 0.30                   // m; an echo this close may come from it, wherever in the beam it is
	RouteBackWay     = 1.0                    // m, the longest move backwards into a goal
	RouteTurnMargin  = 0.08                   // m that must be free around the hull for a turn on the spot; the guard keeps 0.06
	RouteEnter       = 0.8                    // m, the farthest drivable cell from which a path may begin
	RoutePassing     = PassingMargin + 0.05   // m from the hull to what is on the map, within which the guard slows a robot without a lidar to PassingSpeed: neither map nor position is exact
	RouteExact       = 0.35                   // m before the end of the route within which the robot follows it exactly
	RouteCreep       = 0.06                   // m/s, the least speed along a route
	// RouteTurnFrom is the heading error from which the robot turns on the spot, in rad.
	RouteTurnFrom = math.Pi / 3
	// RouteStartTurnFrom is the same at the start of a route, where the robot stands
	// anyway: with a larger error its first curve would swing out by 0.1 m.
	RouteStartTurnFrom = math.Pi / 9
)
