package limits

// Localization: from which standard deviation on a position is UNSURE or LOST.
// Package localization uses them; UnsureSpeed depends on the first, and that goals
// and jobs pause on the second.
const (
	PositionUnsure = 0.35 // m, standard deviation
	PositionLost   = 1.0  // m
)
