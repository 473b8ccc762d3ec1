package session

import (
	"math"
	"time"

	"mybot/robot"
	"mybot/session/lease"
)

// A VirtualHub is a hub in virtual time and without goroutines: the caller passes
// the time, steps it, and inspects its decisions. It is for tests of the rules of
// control, and therefore prepares a job only on request. One goroutine calls it;
// everything else uses Hub.
type VirtualHub struct{ hub *Hub }

// NewVirtualHub returns a hub whose time begins at start.
func NewVirtualHub(cfg Config, start time.Time) *VirtualHub {
	h := NewHub(cfg)
	h.start, h.coordinator.start = start, start
	return &VirtualHub{h}
}

// Join adds a connection.
func (v *VirtualHub) Join(id Identity, now time.Time) (*User, error) { return v.hub.joinAt(id, now) }

// Receive takes one frame from the user's page.
func (v *VirtualHub) Receive(u *User, frame []byte, now time.Time) { u.receiveAt(frame, now) }

// Take returns the next frame for the user's page, if there is one; a nil frame
// means that there will be no more.
func (v *VirtualHub) Take(u *User) (frame []byte, isState, ok bool) {
	return u.out.takeFrame(v.hub.start)
}

// Acknowledge acknowledges all states that the user's page has taken.
func (v *VirtualHub) Acknowledge(u *User) { u.out.acknowledgeState(math.MaxUint64) }

// Revoke is Hub.Revoke.
func (v *VirtualHub) Revoke(grant string) { v.hub.Revoke(grant) }

// Execute executes an order at once.
func (v *VirtualHub) Execute(by Identity, o Order, now time.Time) robot.Result {
	return v.hub.coordinator.executeOrder(order{Order: o, by: by}, now)
}

// Stop is Hub.Stop.
func (v *VirtualHub) Stop(by string, now time.Time) {
	v.hub.raiseStop(stopSignal{by: by, at: now})
}

// Speak is Hub.Speak.
func (v *VirtualHub) Speak(id Identity, now time.Time) bool { return v.hub.speakAt(id, now) }

// Publish passes the state to the next step.
func (v *VirtualHub) Publish(s *robot.State) { v.hub.latest.Store(s) }

// Step handles everything that waits, then everything that is due.
func (v *VirtualHub) Step(now time.Time) { v.hub.step(now) }

// NextDeadline returns when Step next has work because of a deadline; false =
// never.
func (v *VirtualHub) NextDeadline() (at time.Time, ok bool) { return v.hub.nextDeadline() }

// A Prepared is a job whose preparation was requested and is still to be finished.
type Prepared struct {
	Browser string // of who asked for it,
	User    *User  // their connection; nil = away
	Lease   uint64 // and what they sent with it

	request prepareRequest
}

// Preparing returns how many jobs are being prepared.
func (v *VirtualHub) Preparing() int { return len(v.hub.prepareRequests) }

// NextPrepared returns the first job whose preparation was requested. There must be
// one.
func (v *VirtualHub) NextPrepared() Prepared {
	r := <-v.hub.prepareRequests
	return Prepared{Browser: r.person.browser, User: r.person.user, Lease: r.cmd.Lease, request: r}
}

// FinishPrepared has the next step begin the job, if it still may.
func (v *VirtualHub) FinishPrepared(p Prepared) { v.hub.post(p.request) }

// A Member is a person who is in the row, or is remembered from before.
type Member struct {
	ID        int
	Role      Role
	Connected bool
}

func memberOf(p *person) (m Member, ok bool) {
	if p == nil {
		return Member{}, false
	}
	return Member{p.id, p.role, p.user != nil}, true
}

// Member returns the person of this connection; false = none yet, or the person is
// in another tab.
func (v *VirtualHub) Member(u *User) (Member, bool) { return memberOf(u.person) }

// MemberBehind returns the person of the connection, in whichever tab.
func (v *VirtualHub) MemberBehind(u *User) (Member, bool) {
	return memberOf(v.hub.coordinator.people.personOf(u))
}

// MemberOf returns the person of the browser.
func (v *VirtualHub) MemberOf(browser string) (Member, bool) {
	return memberOf(v.hub.coordinator.people.byBrowser(browser))
}

// MemberByID returns the person in the row with the id.
func (v *VirtualHub) MemberByID(id int) (Member, bool) {
	return memberOf(v.hub.coordinator.people.byID(id))
}

// Drivers returns the ids of the connected people who may have control, in order.
func (v *VirtualHub) Drivers() []int { return v.hub.coordinator.people.driverIDs() }

// Lease returns the lease. It is read-only.
func (v *VirtualHub) Lease() *lease.Lease { return &v.hub.coordinator.lease }

// Gate returns the gate. It is read-only.
func (v *VirtualHub) Gate() *lease.Gate { return &v.hub.coordinator.gate }

// IsStanding reports whether the robot has been measured standing since the last
// motion command.
func (v *VirtualHub) IsStanding() bool { return v.hub.coordinator.standing }

// IsStanding reports whether a robot with the measured twist counts as standing.
func IsStanding(t robot.Twist) bool { return isStanding(t) }
