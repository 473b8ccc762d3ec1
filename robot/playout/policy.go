package playout

// A Policy determines when the reference moves: RoboTalk's policies (Yang 2005, section
// V), and our own.
type Policy string

// The policies.
const (
	// Direct executes each sample's twist on arrival: the naive policy, for comparison.
	Direct Policy = "direct"
	// Delay plays the path a fixed time after it was driven; the client
	// chooses the time.
	Delay Policy = "delay"
	// Playback plays a motion of known duration at its original speed; the server chooses
	// when to start.
	Playback Policy = "playback"
	// Track plays the path as soon as the network allows.
	Track Policy = "track"
)
