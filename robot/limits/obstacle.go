package limits

import "time"

// Obstacles: what counts as one, when it moves, and for how long it is remembered.
// Package robot/obstacle uses them. What the collision monitor remembers by itself is
// in guard.go.
const (
	ObstacleWindow  = 4.0                    // m to each side of the robot: what is farther away is forgotten
	ObstacleMapped  = 0.18                   // m: what a lidar sees this near to something on the map belongs to that
	ObstacleEcho    = 1.5                    // m: echoes from farther away say too little about where something is
	ObstacleFelt    = time.Minute            // that what the bumper felt is remembered
	ObstacleMoved   = 2 * time.Second        // that points of something that moves are remembered out of sight
	TrackWidth      = 0.8                    // m: what is wider is no person and not tracked
	TrackGap        = 0.25                   // m between two points that belong to two things
	TrackSame       = 0.5                    // m from where a track should be: what is seen nearer is the same thing
	TrackMoves      = 0.3                    // m/s from which a track counts as moving,
	TrackMovesFor   = 600 * time.Millisecond // when it was that fast for so long,
	TrackStands     = 0.15                   // m/s until it is slower than this
	TrackLife       = 800 * time.Millisecond // that a track is remembered unseen
	TrackCount      = 32                     // tracks at most, the nearest ones
	TrackPrediction = 3.0                    // s that a moving thing is taken to move on as it does
	TrackSpread     = 0.05                   // m/s by which its disc grows meanwhile
	TrackRadius     = 0.27                   // m, of what moves at least: a person, of whom a lidar may see only the legs
)
