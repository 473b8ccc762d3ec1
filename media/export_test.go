package media

// NewRelayNet is for tests with messages of TURN servers and strangers to a relay.
var NewRelayNet = newRelayNet

// Bitrate returns the encoder's target in bit/s.
func (s *Broadcaster) Bitrate() int { return int(s.rate.Load()) }
