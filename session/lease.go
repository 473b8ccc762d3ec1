package session

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Grace is how long a holder who lost the connection may come back to find
// control as it was, and how long anyone's place in line is kept.
const Grace = 10 * time.Second

// The waits of a hand-over.
const (
	AnswerTimeout = 30 * time.Second // for the holder's answer to a request; silence keeps control
	AskAgainAfter = 30 * time.Second // from the end of a request to the same person's next
	OfferTimeout  = 10 * time.Second // for the answer to an offer
	idleAfter     = time.Minute      // without input a holder's silence no longer keeps control
	StandTimeout  = 2 * time.Second  // for the robot to stand before control changes
)

// mostRequests is how many people may be asking for control at a time.
const mostRequests = 8

// A Lease says who has control of the robot and how it passes on. The epoch
// is a fencing token: it grows by one with every change of control, every
// command to move carries it, and an old one is refused. The lease owns no
// clock: each method takes the time at which it is called. Users are numbers
// from 1 on. The zero value is control that nobody has had yet.
//
// Control changes in two steps. A method that begins a change says so; from
// then on nobody's command to move is executed, and the caller has the robot
// halted. Settle ends the change once the robot stands.
type Lease struct {
	Epoch  uint64
	Holder int       // user; 0 = nobody has control
	Since  time.Time // of the last change of holder

	passing       bool      // a change has begun
	nextHolder    int       // who has control after it; 0 = nobody
	standDeadline time.Time // when it ends even if the robot does not stand
	unsettled     bool      // the robot has not stood since the last change began

	lastInput     time.Time // the holder's last input
	freeAt        time.Time // when control is free if the holder stays away; zero = the holder is here
	requests      []request // open, the oldest first
	mayAskFrom    map[int]time.Time
	offer         offer
	offeringRound bool  // what its holder left goes round in order
	declined      []int // who has had the offer in this round
}

// A request is one person's wish for control.
type request struct {
	user   int
	reason string // in the person's words; may be empty
	until  time.Time
}

// An offer lets one person accept control.
type offer struct {
	user  int // 0 = there is none
	until time.Time
}

// Settled tells whether no change is under way and the robot has stood since
// the last one began. While it is not, no command to move is executed.
func (l *Lease) Settled() bool { return !l.passing && !l.unsettled }

// Passing tells whether a change is under way, and who will have control.
func (l *Lease) Passing() (to int, ok bool) { return l.nextHolder, l.passing }

// Take begins to give control, which nobody has, to the user. While it is
// offered to somebody, only that one may take it.
func (l *Lease) Take(user int, now time.Time) bool {
	if user == 0 || l.Holder != 0 || l.passing || l.offer.user != 0 && l.offer.user != user {
		return false
	}
	return l.beginChange(user, now)
}

// Seize begins to give control to the user, whoever has it.
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

// Accept begins to give control to the user it is offered to.
func (l *Lease) Accept(user int, now time.Time) bool {
	if user == 0 || l.offer.user != user || !now.Before(l.offer.until) {
		return false
	}
	return l.beginChange(user, now)
}

// Move begins a change by which the holder keeps control in another place.
func (l *Lease) Move(holder int, now time.Time) bool {
	if !l.Has(holder) || l.passing {
		return false
	}
	return l.beginChange(holder, now)
}

// Expire begins to free control when the holder's grace is over; then it goes
// round.
func (l *Lease) Expire(now time.Time) bool {
	if l.freeAt.IsZero() || now.Before(l.freeAt) || l.passing {
		return false
	}
	l.offeringRound = true
	return l.beginChange(0, now)
}

// Dismiss takes from a user who is sent away whatever the user has: it begins
// to free control, or ends a change in the user's favour. It returns true when
// the robot has to be halted.
func (l *Lease) Dismiss(user int, now time.Time) bool {
	l.withdraw(user, now)
	if !l.Has(user) || l.passing && l.nextHolder != user {
		return false
	}
	l.offeringRound = true
	return l.beginChange(0, now)
}

func (l *Lease) beginChange(to int, now time.Time) bool {
	l.passing, l.nextHolder, l.standDeadline, l.unsettled = true, to, now.Add(StandTimeout), true
	l.offer = offer{}
	return true
}

// Settle hears whether the robot stands. It ends a change that is under way
// when the robot does, or has not done so in time, and returns true; then the
// epoch has grown by one.
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
		return true // in another place
	}
	l.Holder, l.Since, l.freeAt, l.requests = l.nextHolder, now, time.Time{}, nil
	if l.Holder != 0 {
		l.offeringRound, l.declined = false, nil
	}
	return true
}

// Disconnected notes that the user's connection is gone. For the holder, Grace begins
// and Lost returns true; the holder does not change yet.
func (l *Lease) Disconnected(user int, now time.Time) bool {
	l.withdraw(user, now)
	if !l.Has(user) || !l.freeAt.IsZero() {
		return false
	}
	l.freeAt = now.Add(Grace)
	return true
}

// Reconnected notes that the user is connected again, and tells whether that ends
// the holder's grace. A grace that is over by now cannot be ended: Expire.
func (l *Lease) Reconnected(user int, now time.Time) bool {
	if !l.Has(user) || l.freeAt.IsZero() || !now.Before(l.freeAt) {
		return false
	}
	l.freeAt = time.Time{}
	return true
}

// Ask opens a request, or says in a sentence why not; "" = it is open.
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
	case len(l.requests) >= mostRequests:
		return fmt.Sprintf("%d people are asking already. Ask again in a moment.", mostRequests)
	}
	l.requests = append(l.requests, request{user, reason, now.Add(AnswerTimeout)})
	return ""
}

// Keep ends the request of a user by the holder's word.
func (l *Lease) Keep(holder, user int, now time.Time) bool {
	return l.Has(holder) && l.dropRequest(user, now)
}

// Cancel ends the user's own request.
func (l *Lease) Cancel(user int, now time.Time) bool { return l.dropRequest(user, now) }

// Decline ends the offer to the user.
func (l *Lease) Decline(user int) bool {
	if user == 0 || l.offer.user != user {
		return false
	}
	l.endOffer()
	return true
}

// NoteInput notes that the user did something. A holder who does is not idle; an
// offer that was made because of that is taken back, and Input returns to
// whom it was made.
func (l *Lease) NoteInput(user int, now time.Time) (offered int) {
	if !l.Has(user) {
		return 0
	}
	l.lastInput = now
	offered = l.offer.user
	l.offer = offer{}
	return offered
}

// ExpireRequest ends the oldest request that the holder has left unanswered for too
// long, and returns who made it; 0 = there is none. Control stays where it
// is, but if the holder has been idle it is offered to that user.
func (l *Lease) ExpireRequest(now time.Time) (user int, offered bool) {
	if len(l.requests) == 0 || l.passing || l.offer.user != 0 || now.Before(l.requests[0].until) {
		return 0, false
	}
	user = l.requests[0].user
	l.dropRequest(user, now)
	if now.Sub(l.lastInput) < idleAfter {
		return user, false
	}
	l.offer = offer{user, now.Add(OfferTimeout)}
	return user, true
}

// ExpireOffer ends an offer that was not answered in time, and returns to whom
// it was made; 0 = there is none.
func (l *Lease) ExpireOffer(now time.Time) (user int) {
	if l.offer.user == 0 || now.Before(l.offer.until) {
		return 0
	}
	user = l.offer.user
	l.endOffer()
	return user
}

// OfferNext offers control that its holder left to the next of the users in
// order who has not had the offer. It returns that user, or over when nobody
// is left: control is then free.
func (l *Lease) OfferNext(order []int, now time.Time) (user int, over bool) {
	if !l.offeringRound || l.passing || l.Holder != 0 || l.offer.user != 0 {
		return 0, false
	}
	for _, user := range order {
		if !slices.Contains(l.declined, user) {
			l.offer = offer{user, now.Add(OfferTimeout)}
			return user, false
		}
	}
	l.offeringRound, l.declined = false, nil
	return 0, true
}

// Due returns when Expire, Settle, Silence or Unaccepted has something to do
// by the time alone; false = never.
func (l *Lease) Due() (at time.Time, ok bool) {
	switch {
	case l.passing:
		return l.standDeadline, true
	case l.offer.user != 0:
		at = l.offer.until
	case len(l.requests) > 0:
		at = l.requests[0].until
	}
	if !l.freeAt.IsZero() && (at.IsZero() || l.freeAt.Before(at)) {
		at = l.freeAt
	}
	return at, !at.IsZero()
}

// FreeAt tells when control is free if the holder stays away; false while the
// holder is here or nobody has control.
func (l *Lease) FreeAt() (time.Time, bool) { return l.freeAt, !l.freeAt.IsZero() }

func (l *Lease) Has(user int) bool { return user != 0 && l.Holder == user }

// Heir is who has control when all that is under way is over.
func (l *Lease) Heir() int {
	if l.passing {
		return l.nextHolder
	}
	return l.Holder
}

func (l *Lease) Asks(user int) bool {
	return slices.ContainsFunc(l.requests, func(r request) bool { return r.user == user })
}

// dropRequest ends the user's request; the next one has to wait.
func (l *Lease) dropRequest(user int, now time.Time) bool {
	if !l.Asks(user) {
		return false
	}
	l.requests = slices.DeleteFunc(slices.Clone(l.requests), func(r request) bool { return r.user == user })
	if l.mayAskFrom == nil {
		l.mayAskFrom = map[int]time.Time{}
	}
	l.mayAskFrom[user] = now.Add(AskAgainAfter)
	return true
}

// withdraw ends what a user who is gone has asked for or was promised.
func (l *Lease) withdraw(user int, now time.Time) {
	l.dropRequest(user, now)
	l.Decline(user)
	if l.passing && l.nextHolder == user && l.Holder != user {
		l.nextHolder, l.passing = 0, l.Holder != 0
	}
}

func (l *Lease) endOffer() {
	if l.offeringRound {
		l.declined = append(l.declined, l.offer.user)
	}
	l.offer = offer{}
}
