// Package session is where the people around one robot meet: users in order
// of connection, the lease that says who may drive, the stop that anyone may
// press, and what is on the wire (protocol.md).
//
// Contract. Hub.Run is the one goroutine that owns the people, the lease and
// the hold number; everything else reaches it through mailboxes that never
// wait. Hub.Publish and Hub.Stop may be called from any goroutine. Of one
// User, Receive is called by the read pump, Next by the write pump, and Leave
// by anyone, any number of times. A stop goes to the robot from the goroutine
// that received it, before any queue, lock or limit; the hub hears of it
// afterwards. There are two ways out: events and results come in order and
// none is missed (a page that is too slow for them is disconnected), states
// are encoded once and the newest wins. So nobody's slow network delays
// anybody else.
//
// What always holds: at most one person has control, who took, accepted or
// asked for it; it passes to somebody with the robot standing; no drive sample
// is executed under an old lease or hold number, and the robot is sent nowhere
// under an old lease; after a stop nothing moves before the holder has released
// it and a hand has begun again from neutral, or has the way to the goal
// resumed. That way goes on when the holder leaves, and pauses with every other
// change of control.
//
// Lease, gate, decoding, encoding and the credit window are pure: time is an
// argument. crew joins them and is driven by the hub's goroutine alone.
// CheckHistory holds all of it, in virtual time, to what always holds.
package session
