package media

// NewRelayNet is for tests of what TURN servers and strangers say to a relay.
var NewRelayNet = newRelayNet

// Bitrate returns at how many bit/s the encoder aims.
func (s *Broadcaster) Bitrate() int { return int(s.rate.Load()) }
