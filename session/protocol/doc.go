// Package protocol reads and writes the messages between a browser and the robot:
// mybot.v1, as described in protocol.md. It is the only package that knows the JSON
// of a message.
//
// Decode reads what a browser sends, strictly: anything that protocol.md does not
// describe is a *FrameError that says what would be right. DecodeEvent reads what
// the robot sends, leniently, because robots may be newer than their clients.
// Encode writes both. The bodies of HTTP requests with the same commands are read
// here too.
//
// Everything is pure. Messages are values; encoded bytes are shared between
// goroutines, and read-only. Unless a comment says otherwise, lengths are in m, angles in
// rad and times in s, points (x, y) in map, and poses (x, y, heading) of base_link in map.
package protocol
