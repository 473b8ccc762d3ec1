package limits

import (
	"math"
	"time"
)

// Guard: how near the robot comes to things, by sonars and bumper alone. Package
// robot/guard uses them, and robot/onboard the two distances at which it stands.
const (
	StopDistance      = 0.35 // m of free way at which the robot stands
	NearStopDistance  = 0.10 // m, where the path itself leads that near to what is on the map
	SlowFrom          = 1.00 // m of free way: from here on the robot goes slower
	PointMargin       = 0.03 // m that the hull is grown by for points
	WallMargin        = 0.06 // m that always stays between the hull and a wall
	SensingLatency    = 0.10 // s between what sonar hears and what wheels do
	BrakingShare      = 0.5  // part of the hardware's braking that the guard counts on
	BumperSpeed       = 0.10 // m/s away from what the bumper touches
	BumperTurn        = 0.2  // rad/s, likewise
	BlindSonarSpeed   = 0.15 // m/s toward where a sonar is out of order
	BlindSonarAngle   = 60 * math.Pi / 180
	BlindSonarAfter   = 500 * time.Millisecond // that it has been out of order
	BlindLidarAfter   = 300 * time.Millisecond // that a lidar has measured nothing in a direction
	BlindLidarGap     = 10 * math.Pi / 180     // rad: over so many directions side by side
	ScanPointLife     = time.Second            // that what a lidar saw is remembered when no scan shows it again
	GuardRange        = 3.0                    // m, contacts beyond are of no interest
	PassingSpeed      = 0.15                   // m/s of a robot that drives by itself near past something, and toward what may be there
	PassingMargin     = 0.13                   // m from its hull within which PassingSpeed counts
	ObstacleRange     = 2.0                    // m: echoes from farther away begin no obstacle of the tracker
	ObstacleSeenRange = 2.5                    // m: what lidars see farther away is of no interest to the tracker
	ObstacleBeside    = 0.9                    // m to the side of the robot: nor do these
	ObstacleLife      = 20 * time.Second       // that an obstacle is remembered that no sonar hears and no lidar sees
	EchoRange         = 1.6                    // m: echoes farther from the sonar are not kept
	EchoLife          = time.Minute            // that an echo is remembered
)
