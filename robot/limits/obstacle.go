package limits

import "time"

// Obstacles: what counts as one, when it counts as moving, and how long the obstacle
// layer remembers it, with ObstacleLife. The guard's own memory is in guard.go.
const (
	ObstacleWindow  = 4.0                    // m to each side of the robot; the obstacle layer drops what is farther away
	ObstacleMapped  = 0.18                   // m; a lidar point this close to something on the map belongs to it
	ObstacleEcho    = 1.5                    // m; echoes from farther away are too imprecise
	ObstacleFelt    = time.Minute            // how long the layer remembers a bumper contact
	ObstacleMoved   = 2 * time.Second        // how long it remembers points of a moving obstacle out of sight
	TrackWidth      = 0.8                    // m; anything wider is not a person and not tracked
	TrackGap        = 0.25                   // m between two points that belong to different obstacles
	TrackSame       = 0.5                    // m from the predicted position of a track within which a detection belongs to it
	TrackMoves      = 0.3                    // m/s from which a track counts as moving,
	TrackMovesFor   = 600 * time.Millisecond // once it has been that fast for this long,
	TrackStands     = 0.15                   // m/s: until it is slower than this
	TrackLife       = 800 * time.Millisecond // how long a track survives unseen
	TrackCount      = 32                     // tracks at most, the nearest ones
	TrackPrediction = 3.0                    // s for which a track is predicted to keep its velocity
	TrackSpread     = 0.05                   // m/s by which its disc grows meanwhile
	TrackRadius     = 0.27                   // m, least radius of a track: a person, of whom a lidar may only see the legs
)
