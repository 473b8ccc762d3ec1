// Package media carries traffic between the robot and a page that should be lost
// rather than late, by WebRTC: the data channel for drive packets, which never
// waits for the WebSocket; the robot's pictures and sound; and a voice for the
// robot's loudspeaker. No other package imports WebRTC.
//
// Contract. A Port is one UDP port for all pages. Any goroutine may call
// Port.AnswerOffer; it turns a page's offer, which must come over a connection that
// identifies the page, into an answer and a Channel. One goroutine delivers a
// Channel's frames, in order of arrival, which may differ from the order of
// sending. A Channel ends by Close, when the page disconnects, or after about ten
// seconds of silence. When Channel.Close or Port.Close has returned, all their
// goroutines have ended.
//
// A Broadcaster is one camera, and one encoder and one track for each codec, which
// Broadcaster.Run runs while there are viewers. Any goroutine may call Watch and
// Talk. When Run has returned, all connections and goroutines have ended.
//
// Without a relay the port is ICE Lite: it answers requests that carry the
// credentials of one of its answers, and sends nothing to an address that a page
// names. All other packets are dropped before they are parsed.
package media
