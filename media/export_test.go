package media

// NewRelayNet is for tests of what TURN servers and strangers say to a relay.
var NewRelayNet = newRelayNet
