// Package media carries what is lost rather than late between the robot and a
// page, by WebRTC: the channel of datagrams for drive packets, next to the
// WebSocket and never behind it; what the robot sees and hears; and a voice that
// comes out of it. No other package imports WebRTC.
//
// Contract. A Port is one UDP port for all pages. Port.AnswerOffer may be called
// from any goroutine; it turns the offer of a page, which has to come by a way
// that knows who the page is, into an answer and a Channel. A Channel's frames
// come from one goroutine of its own, in the order in which they arrived, which
// is not the order in which they were sent; it ends by Close, when the page
// goes, or when nothing is heard for about ten seconds. When Channel.Close or
// Port.Close has returned, all their goroutines have.
//
// A Broadcaster is one camera, one encoder and one track for all viewers. They run, by
// Broadcaster.Run, while there are viewers. Watch and Talk may be called from any
// goroutine. When Run has returned, all its people have gone and all goroutines
// have.
//
// The port is ICE Lite unless it has a relay: it answers, with the credentials of an answer it gave
// out, and sends nothing to an address that a page names. Packets of anybody
// else are dropped before they are looked at.
package media
