// Package session is where the users of one robot meet: the row of users, the lease
// that says who may drive, STOP, and the events that all users receive. Package
// session/protocol reads and writes the wire; session/lease decides who has
// control.
//
// Contract. The goroutine of Hub.Run alone owns the users, the lease and the drive
// epoch; everything else reaches it through one queue of events, and posting never
// waits. Any goroutine may call Hub.Publish and Hub.Stop. Of one User, the read
// pump calls Receive, the write pump calls Next, and any goroutine may call Leave,
// any number of times. A stop goes to the robot from the goroutine that received
// it, before any queue, lock or limit; the hub learns of it afterwards. There are
// two delivery classes: events and results are delivered in order and without loss
// (a page that is too slow for them is disconnected), while states are encoded once
// and the newest wins. So a slow network delays only its own user.
//
// These rules always hold. At most one user has control, and that user took it,
// accepted it, asked for it, or came while no other who may drive was here. Control
// passes to another user when the robot stands, or after lease.StandTimeout; then no
// motion command is executed until the robot has stood. No drive sample is executed
// under an old lease or drive epoch, and the robot is sent nowhere under an old lease.
// After a stop nothing moves until the holder has released it and a driver has begun
// again from neutral, or has resumed the drive to the goal. That drive continues when
// the holder leaves, and pauses at every other change of control.
//
// The hub moves bytes and time; the coordinator decides. The coordinator joins the
// parts that own the state, runs only in the hub's goroutine, starts no goroutine
// and has no clock. Package sessiontest checks the rules above in random histories.
//
// Calls go down through the files. hub_loop.go takes arrivals one by one, and
// dispatch.go and order.go pass them to the file of their subject (driving,
// handover, presence, navigation, ...). Those build on rules.go and
// announcements.go, and these on the state: hub.go, coordinator.go, request.go,
// user.go, person.go.
package session
