// Package protocol is what is on the wire between a browser and the robot:
// mybot.v1, as protocol.md describes it. It is the only package that knows the
// JSON of a message.
//
// What a browser sends is read by Decode, strictly: what protocol.md does not
// describe is a *FrameError that says what would be right. What the robot sends
// is read by DecodeEvent, leniently: it may grow. Encode writes both. The bodies
// of HTTP requests that carry the same commands are read here too.
//
// Everything is pure. Messages are values; encoded bytes are shared between
// goroutines, and read-only.
package protocol
