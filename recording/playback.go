package recording

// A Playback is the state of a recording that is being played.
type Playback struct {
	Playing bool    `json:"playing"`
	Speed   float64 `json:"speed"`  // 1 = original speed
	At      float64 `json:"at"`     // s from the beginning
	Length  float64 `json:"length"` // s
}

// A PlaybackOrder changes the playback; nil fields are unchanged.
type PlaybackOrder struct {
	Playing *bool    `json:"playing"`
	Speed   *float64 `json:"speed"`
	At      *float64 `json:"at"`
}

// The allowed speeds of playback.
const (
	MinSpeed = 0.1
	MaxSpeed = 10
)
