package limits

import "time"

// Obstacles: what counts as one, when it moves, and for how long it is remembered.
// Package robot/obstacle uses them. What the collision monitor remembers by itself is
// in guard.go.
const (
	ObstacleWindow = 4.0                    // m to each side of the robot: what is farther away is forgotten
	TrackWidth     = 0.8                    // m: what is wider is no person and not tracked
	TrackSame      = 0.5                    // m from where a track should be: what is seen nearer is the same thing
	TrackMoves     = 0.3                    // m/s from which a track counts as moving,
	TrackMovesFor  = 600 * time.Millisecond // when it was that fast for so long,
	TrackStands    = 0.15                   // m/s until it is slower than this
	TrackLife      = 800 * time.Millisecond // that a track is remembered unseen
	TrackCount     = 32                     // tracks at most, the nearest ones
)
