// Package lease decides who has control of the robot and for how long, which drive
// samples may move it, and who has borrowed which of its parts. It is pure: time is
// an argument. One goroutine at a time may call it.
package lease

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Grace is how long a holder who lost the connection may come back to unchanged
// control, and how long any user's place in the row is reserved.
const Grace = 10 * time.Second

// The time-outs of a handover.
const (
	AnswerTimeout = 30 * time.Second // for the holder's answer to a request; without an answer the holder keeps control
	AskAgainAfter = 30 * time.Second // from the end of a person's request to that person's next
	OfferTimeout  = 10 * time.Second // for the answer to an offer
	IdleAfter     = time.Minute      // without input for this long, silence no longer preserves control
	StandTimeout  = 2 * time.Second  // for the robot to come to rest before control changes
)

// maxRequests is how many people may ask for control at a time.
const maxRequests = 8

// A Lease says who has control of the robot, and how control passes on. The epoch
// is a fencing token: it grows by one at every change of control, every motion
// command carries it, and an old one is refused. The lease has no clock: each
// method takes the time of the call. Users are numbers from 1. The zero value is
// control that no one has had yet.
//
// Control changes in two steps. A method that begins a change reports it; from then
// on no motion command is executed, and the caller halts the robot. Settle
// completes the change once the robot stands.
type Lease struct {
	Epoch  uint64
	Holder int       // user; 0 = no one has control
	Since  time.Time // of the last change of holder

	// A change is in progress while passing is set; then nextHolder (0 = no one)
	// and standDeadline, at which the change ends even if the robot does not stand,
	// are set too, and there is no offer.
	passing       bool
	nextHolder    int
	standDeadline time.Time
	unsettled     bool // the robot has not stood since the last change began

	lastInput time.Time // of the holder
	// freeAt is when control becomes free if the holder stays away; zero = the
	// holder is here, or there is none. With term it is the end of a term, not of a
	// grace: such a holder needs no connection.
	freeAt time.Time
	term   bool

	requests   []Request         // open ones, oldest first; none while no one has control
	mayAskFrom map[int]time.Time // by user: when a user whose last request has ended may ask again

	offer         Offer // User 0 = there is none
	offeringRound bool  // control is offered to the waiting users in turn
	declined      []int // the users who have had the offer in this round
}

// A Request is a user's open request for control.
type Request struct {
	User   int
	Reason string // as the user wrote it; may be empty
	Until  time.Time
}

// An Offer lets one user accept control.
type Offer struct {
	User  int // 0 = there is none
	Until time.Time
}

// Settled reports whether no change is in progress and the robot has stood since
// the last one began. Until then no motion command is executed.
func (l *Lease) Settled() bool { return !l.passing && !l.unsettled }

// Passing reports whether a change is in progress, and who will have control.
func (l *Lease) Passing() (to int, ok bool) { return l.nextHolder, l.passing }

// IsPassing reports whether a change is in progress.
func (l *Lease) IsPassing() bool { return l.passing }

// Requests returns the open requests, oldest first. They are read-only.
func (l *Lease) Requests() []Request { return l.requests }

// Offered returns the current offer; its User is 0 if there is none.
func (l *Lease) Offered() Offer { return l.offer }

// TermEnd returns the end of the holder's term, if InTerm.
func (l *Lease) TermEnd() time.Time { return l.freeAt }

// Take begins to give free control to the user. While control is offered, only the
// user who has the offer may take it.
func (l *Lease) Take(user int, now time.Time) bool {
	if user == 0 || l.Holder != 0 || l.passing || l.offer.User != 0 && l.offer.User != user {
		return false
	}
	return l.beginChange(user, now)
}

// Seize begins to give control to the user, even from another holder.
func (l *Lease) Seize(user int, now time.Time) bool {
	if user == 0 || l.Heir() == user {
		return false
	}
	return l.beginChange(user, now)
}

// Release begins to free control if the user has it.
func (l *Lease) Release(user int, now time.Time) bool {
	if !l.Has(user) || l.passing {
		return false
	}
	return l.beginChange(0, now)
}

// Give begins to pass control from its holder to a user who has asked for it.
func (l *Lease) Give(holder, to int, now time.Time) bool {
	if !l.Has(holder) || l.passing || !l.Asks(to) {
		return false
	}
	return l.beginChange(to, now)
}

// Accept begins to give control to the user who has the offer.
func (l *Lease) Accept(user int, now time.Time) bool {
	if user == 0 || l.offer.User != user || !now.Before(l.offer.Until) {
		return false
	}
	return l.beginChange(user, now)
}

// Move begins a change by which the holder continues in another tab.
func (l *Lease) Move(holder int, now time.Time) bool {
	if !l.Has(holder) || l.passing {
		return false
	}
	return l.beginChange(holder, now)
}

// Expire begins to free control when the holder's grace or term is over; control is
// then offered in turn.
func (l *Lease) Expire(now time.Time) bool {
	if l.freeAt.IsZero() || now.Before(l.freeAt) || l.passing {
		return false
	}
	l.offeringRound = true
	return l.beginChange(0, now)
}

// Extend sets when the control of a holder without a connection ends. It returns
// false if the user does not have control or control is about to change.
func (l *Lease) Extend(user int, until time.Time) bool {
	if !l.Has(user) || l.passing {
		return false
	}
	l.freeAt, l.term = until, true
	return true
}

// Dismiss takes control, or its prospect, from a user who is sent away: it begins
// to free control, or cancels a change in the user's favour. It returns true if the
// robot must be halted.
func (l *Lease) Dismiss(user int, now time.Time) bool {
	l.withdrawUser(user, now)
	if !l.Has(user) || l.passing && l.nextHolder != user {
		return false
	}
	l.offeringRound = true
	return l.beginChange(0, now)
}

func (l *Lease) beginChange(to int, now time.Time) bool {
	l.passing, l.nextHolder, l.standDeadline, l.unsettled = true, to, now.Add(StandTimeout), true
	l.offer = Offer{}
	return true
}

// Settle notes whether the robot stands. It completes a change in progress if the
// robot stands, or has not come to rest in time, and then returns true; the epoch
// has grown by one.
func (l *Lease) Settle(now time.Time, standing bool) bool {
	if standing {
		l.unsettled = false
	}
	if !l.passing || !standing && now.Before(l.standDeadline) {
		return false
	}
	l.passing = false
	l.Epoch++
	l.lastInput = now
	if l.nextHolder == l.Holder {
		return true // in another tab
	}
	l.Holder, l.Since, l.freeAt, l.term, l.requests = l.nextHolder, now, time.Time{}, false, nil
	if l.Holder != 0 {
		l.offeringRound, l.declined = false, nil
	}
	return true
}

// Disconnected notes that the user has lost the connection. For the holder, Grace
// begins and Disconnected returns true; the holder does not change yet.
func (l *Lease) Disconnected(user int, now time.Time) bool {
	l.withdrawUser(user, now)
	if !l.Has(user) || !l.freeAt.IsZero() {
		return false
	}
	l.freeAt, l.term = now.Add(Grace), false
	return true
}

// Reconnected notes that the user is connected again, and reports whether that ends
// the holder's grace. A grace that is over at now stays over: see Expire.
func (l *Lease) Reconnected(user int, now time.Time) bool {
	if !l.Has(user) || l.freeAt.IsZero() || !now.Before(l.freeAt) {
		return false
	}
	l.freeAt, l.term = time.Time{}, false
	return true
}

// Ask opens a request, or returns a sentence that says why not; "" = it is open.
func (l *Lease) Ask(user int, reason string, now time.Time) string {
	for u, end := range l.mayAskFrom {
		if !now.Before(end) {
			delete(l.mayAskFrom, u)
		}
	}
	switch from, tooSoon := l.mayAskFrom[user]; {
	case user == 0:
		return "Nobody cannot ask."
	case l.passing:
		return "Control is changing hands. Ask again in a moment."
	case l.Has(user):
		return "You have control already."
	case l.Holder == 0:
		return "Nobody has control. Take it."
	case l.Asks(user):
		return "You have asked already. Wait for the answer, or cancel."
	case tooSoon:
		return fmt.Sprintf("You asked a moment ago. Ask again in %.0f s.", math.Ceil(from.Sub(now).Seconds()))
	case len(l.requests) >= maxRequests:
		return fmt.Sprintf("%d people are asking already. Ask again in a moment.", maxRequests)
	}
	l.requests = append(l.requests, Request{user, reason, now.Add(AnswerTimeout)})
	return ""
}

// Keep ends a user's request by the decision of the holder.
func (l *Lease) Keep(holder, user int, now time.Time) bool {
	return l.Has(holder) && l.dropRequest(user, now)
}

// Cancel ends the user's own request.
func (l *Lease) Cancel(user int, now time.Time) bool { return l.dropRequest(user, now) }

// Decline ends the offer to the user.
func (l *Lease) Decline(user int) bool {
	if user == 0 || l.offer.User != user {
		return false
	}
	l.endOffer()
	return true
}

// NoteInput notes that the user did something. The holder is then no longer idle:
// an offer made because of idleness is withdrawn, and NoteInput returns who had it.
func (l *Lease) NoteInput(user int, now time.Time) (offered int) {
	if !l.Has(user) {
		return 0
	}
	l.lastInput = now
	offered = l.offer.User
	l.offer = Offer{}
	return offered
}

// ExpireRequest ends the oldest request that the holder has left unanswered for too
// long, and returns who made it; 0 = none. Control does not change, but if the
// holder has been idle it is offered to that user.
func (l *Lease) ExpireRequest(now time.Time) (user int, offered bool) {
	if len(l.requests) == 0 || l.passing || l.offer.User != 0 || now.Before(l.requests[0].Until) {
		return 0, false
	}
	user = l.requests[0].User
	l.dropRequest(user, now)
	if now.Sub(l.lastInput) < IdleAfter {
		return user, false
	}
	l.offer = Offer{user, now.Add(OfferTimeout)}
	return user, true
}

// ExpireOffer ends an offer that was not answered in time, and returns who had it;
// 0 = none.
func (l *Lease) ExpireOffer(now time.Time) (user int) {
	if l.offer.User == 0 || now.Before(l.offer.Until) {
		return 0
	}
	user = l.offer.User
	l.endOffer()
	return user
}

// OfferNext offers control that its holder has left to the next of the users in
// order who has not had the offer. It returns that user, or over if no user is
// left: control is then free.
func (l *Lease) OfferNext(order []int, now time.Time) (user int, over bool) {
	if !l.offeringRound || l.passing || l.Holder != 0 || l.offer.User != 0 {
		return 0, false
	}
	for _, user := range order {
		if !slices.Contains(l.declined, user) {
			l.offer = Offer{user, now.Add(OfferTimeout)}
			return user, false
		}
	}
	l.offeringRound, l.declined = false, nil
	return 0, true
}

// Due returns when Expire, Settle, ExpireRequest or ExpireOffer next has work
// because of the time; false = never.
func (l *Lease) Due() (at time.Time, ok bool) {
	switch {
	case l.passing:
		return l.standDeadline, true
	case l.offer.User != 0:
		at = l.offer.Until
	case len(l.requests) > 0:
		at = l.requests[0].Until
	}
	if !l.freeAt.IsZero() && (at.IsZero() || l.freeAt.Before(at)) {
		at = l.freeAt
	}
	return at, !at.IsZero()
}

// FreeAt returns when control becomes free if the holder stays away; false while
// the holder is here, even if only for a term, or no one has control.
func (l *Lease) FreeAt() (time.Time, bool) { return l.freeAt, !l.freeAt.IsZero() && !l.term }

// InTerm reports whether the user has control without a connection.
func (l *Lease) InTerm(user int) bool { return l.term && l.Has(user) }

// Has reports whether the user has control.
func (l *Lease) Has(user int) bool { return user != 0 && l.Holder == user }

// Heir returns who has control after the change in progress.
func (l *Lease) Heir() int {
	if l.passing {
		return l.nextHolder
	}
	return l.Holder
}

// Asks reports whether the user has an open request.
func (l *Lease) Asks(user int) bool {
	return slices.ContainsFunc(l.requests, func(r Request) bool { return r.User == user })
}

// dropRequest ends the user's request; the user has to wait before the next one.
func (l *Lease) dropRequest(user int, now time.Time) bool {
	if !l.Asks(user) {
		return false
	}
	l.requests = slices.DeleteFunc(slices.Clone(l.requests), func(r Request) bool { return r.User == user })
	if l.mayAskFrom == nil {
		l.mayAskFrom = map[int]time.Time{}
	}
	l.mayAskFrom[user] = now.Add(AskAgainAfter)
	return true
}

// withdrawUser ends the requests of a user who has left, and the offer to that user.
func (l *Lease) withdrawUser(user int, now time.Time) {
	l.dropRequest(user, now)
	l.Decline(user)
	if l.passing && l.nextHolder == user && l.Holder != user {
		l.nextHolder, l.passing = 0, l.Holder != 0
	}
}

func (l *Lease) endOffer() {
	if l.offeringRound {
		l.declined = append(l.declined, l.offer.User)
	}
	l.offer = Offer{}
}
