package limits

// Localization: the standard deviations from which a position is UNSURE or LOST. An UNSURE
// robot drives at UnsureSpeed; for a LOST one, goals and jobs pause.
const (
	PositionUnsure = 0.35 // m, standard deviation
	PositionLost   = 1.0  // m
)
