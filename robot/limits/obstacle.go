package limits

// Obstacles: what counts as one, when it moves, and for how long it is remembered.
// Package robot/obstacle uses them. What the collision monitor remembers by itself is
// in guard.go.
const ObstacleWindow = 4.0 // m to each side of the robot: what is farther away is forgotten
