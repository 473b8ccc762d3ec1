package recording

// A Playback is how a recording is being shown.
type Playback struct {
	Playing bool    `json:"playing"`
	Speed   float64 `json:"speed"`  // 1 = as it was
	At      float64 `json:"at"`     // s from the beginning
	Length  float64 `json:"length"` // s
}

// A PlaybackOrder changes it; what is nil stays as it is.
type PlaybackOrder struct {
	Playing *bool    `json:"playing"`
	Speed   *float64 `json:"speed"`
	At      *float64 `json:"at"`
}

// The speeds at which a recording can be shown.
const (
	MinSpeed = 0.1
	MaxSpeed = 10
)
