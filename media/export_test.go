package media

// NewRelayNet is for tests with messages of TURN servers and strangers to a relay.
var NewRelayNet = newRelayNet

// Bitrate returns the target of the preferred encoder in bit/s.
func (s *Broadcaster) Bitrate() int { return int(s.pictures[0].rate.Load()) }
