// Package session is where the users of one robot meet: the row of users, the
// lease that says who may drive, STOP, and the events that all users get. What
// is on the wire is read and written by session/protocol; session/lease decides
// who has control.
//
// Contract. Hub.Run is the one goroutine that owns the users, the lease and the
// drive epoch; everything else reaches it by one queue of events, and posting
// never waits. Hub.Publish and Hub.Stop may be called from any goroutine. Of one
// User, Receive is called by the read pump, Next by the write pump, and Leave by
// any goroutine, any number of times. A stop goes to the robot from the goroutine
// that received it, before any queue, lock or limit; the hub learns of it
// afterwards. There are two ways out: events and results are delivered in order
// and without loss (a page that is too slow for them is disconnected), states are
// encoded once and the newest wins. So a slow network delays only its own user.
//
// What always holds: at most one user has control, who took, accepted or asked
// for it; it passes to another user only while the robot stands; no drive sample
// is executed under an old lease or drive epoch, and the robot is sent nowhere
// under an old lease; after a stop nothing moves before the holder has released
// it and a driver has begun again from neutral, or has resumed the drive to the
// goal. That drive continues when the holder leaves, and pauses with every other
// change of control.
//
// The hub moves bytes and time; the coordinator decides. It joins the parts that
// own the state, is driven by the hub's goroutine alone, starts nothing and has no
// clock. Package sessiontest checks the rules above in random histories.
//
// The files lead downwards. hub_loop.go takes what arrives, one thing after the other,
// and dispatch.go and order.go hand it to the file of its subject (driving, handover,
// presence, navigation, ...). Those stand on rules.go and announcements.go, and these
// on the state: hub.go, coordinator.go, request.go, user.go, person.go.
package session
