package limits

import (
	"math"
	"time"
)

// Guard: how close the robot gets to obstacles, and how long the guard remembers what
// sonars, lidars and bumper detect.
const (
	StopDistance      = 0.35                   // m of free path ahead at which the robot stops
	NearStopDistance  = 0.10                   // m, the same where the path itself leads that close to the map's obstacles
	SlowFrom          = 1.00                   // m of free path ahead below which the robot slows down
	PointMargin       = 0.03                   // m, inflation of the hull for points
	WallMargin        = 0.06                   // m that always remain between the hull and a wall
	SensingLatency    = 0.10                   // s from an echo to the response of the wheels
	BrakingShare      = 0.5                    // fraction of the hardware's braking that the guard relies on
	BumperSpeed       = 0.10                   // m/s away from what the bumper touches
	BumperTurn        = 0.2                    // rad/s, likewise
	BumperRetreat     = 0.30                   // m, how far the robot creeps by itself while the bumper stays pressed
	BlindSonarSpeed   = 0.15                   // m/s in a direction whose sonar is out of order
	BlindSonarAngle   = 60 * math.Pi / 180     // rad from its axis
	BlindSonarAfter   = 500 * time.Millisecond // how long a sonar must be out of order to count
	BlindLidarAfter   = 300 * time.Millisecond // how long a lidar must have measured nothing in a direction,
	BlindAheadAngle   = 20 * math.Pi / 180     // rad to each side of straight ahead: a robot that measures nothing there goes nowhere by itself
	BlindLidarGap     = 10 * math.Pi / 180     // rad: over a sector this wide
	ScanPointLife     = time.Second            // how long the guard remembers a lidar point that no later scan shows
	GuardRange        = 3.0                    // m; the guard ignores contacts farther away. More for a robot that needs more to stop
	PassingSpeed      = 0.15                   // m/s of a robot that drives by itself close past something, or towards a possible obstacle
	PassingMargin     = 0.13                   // m from its hull within which PassingSpeed applies to what a sonar hears,
	ScanPassingMargin = 0.08                   // m, and to what a lidar sees: between two scans at 10 Hz a robot at 0.5 m/s drives 5 cm
	NearlyStraight    = 0.25                   // ratio of turning speed at the hull to linear speed up to which the guard makes an autonomous motion straight rather than hold it beside something
	ObstacleRange     = 2.0                    // m; echoes from farther away start no obstacle in the tracker
	ObstacleSeenRange = 2.5                    // m; the tracker ignores lidar points farther away,
	ObstacleBeside    = 0.9                    // m; and points and echoes farther to the side or behind
	ObstacleLife      = 20 * time.Second       // how long the tracker and the obstacle layer remember what no sensor detects any more
	EchoRange         = 1.6                    // m; sonar memory ignores echoes farther from the sonar
	EchoLife          = time.Minute            // how long sonar memory keeps an echo
)
