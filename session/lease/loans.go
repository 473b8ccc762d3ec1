package lease

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// UnusedAfter is how long a borrower may leave a part unused before the loan ends.
const UnusedAfter = time.Minute

// A Part is what the holder of control may lend. The wheels are never lent.
type Part string

// The parts.
const (
	Head  Part = "head"  // turns the camera
	Voice Part = "voice" // a person's microphone, through the robot's speaker
	Arm   Part = "arm"   // all joints that are not the head
)

// A Loan lets one user use a part of the robot while another has control. Its
// number is a fencing token: it is higher than that of every earlier loan, the
// borrower's commands carry it, and an old one is refused.
type Loan struct {
	Part   Part
	User   int // 0 = no loan
	Number uint64

	usedAt time.Time // or when it was lent
	freeAt time.Time // when the loan ends if the borrower stays away; zero = the borrower is here
}

// end returns when the loan ends unless something happens before.
func (l Loan) end() time.Time {
	if at := l.usedAt.Add(UnusedAfter); l.freeAt.IsZero() || at.Before(l.freeAt) {
		return at
	}
	return l.freeAt
}

// A LoanRequest is a user's open request for a part.
type LoanRequest struct {
	Part  Part
	User  int
	Until time.Time
}

// Loans are the parts that the holder of control has lent, with at most one
// borrower each, and the requests for parts. They have no clock: each method takes
// the time of the call. The caller decides who may lend and borrow. The zero value
// has no loans.
type Loans struct {
	number     uint64 // of the newest loan
	loans      []Loan // at most one per part, oldest first
	requests   []LoanRequest
	mayAskFrom map[int]time.Time // by user: when a user whose request was not granted may ask again
}

// All returns the loans, oldest first. They are read-only.
func (l *Loans) All() []Loan { return l.loans }

// Requests returns the open requests, oldest first. They are read-only.
func (l *Loans) Requests() []LoanRequest { return l.requests }

// Of returns the loan of a part; its User is 0 if the part is not lent.
func (l *Loans) Of(part Part) Loan {
	if i := slices.IndexFunc(l.loans, func(o Loan) bool { return o.Part == part }); i >= 0 {
		return l.loans[i]
	}
	return Loan{}
}

// Ask opens a user's request for a part that is not lent, or returns a sentence
// that says why not; "" = it is open.
func (l *Loans) Ask(part Part, user int, now time.Time) string {
	for u, end := range l.mayAskFrom {
		if !now.Before(end) {
			delete(l.mayAskFrom, u)
		}
	}
	switch from, tooSoon := l.mayAskFrom[user]; {
	case l.Asks(part, user):
		return "You have asked already. Wait for the answer."
	case tooSoon:
		return fmt.Sprintf("You asked a moment ago. Ask again in %.0f s.", math.Ceil(from.Sub(now).Seconds()))
	case len(l.requests) >= maxRequests:
		return fmt.Sprintf("%d requests are open already. Ask again in a moment.", maxRequests)
	}
	l.requests = append(l.requests, LoanRequest{part, user, now.Add(AnswerTimeout)})
	return ""
}

// Asks reports whether the user has an open request for the part.
func (l *Loans) Asks(part Part, user int) bool {
	return slices.ContainsFunc(l.requests, func(r LoanRequest) bool { return r.Part == part && r.User == user })
}

// Deny ends a user's request by the decision of the holder.
func (l *Loans) Deny(part Part, user int, now time.Time) bool {
	return l.dropRequests(now, func(r LoanRequest) bool { return r.Part == part && r.User == user })
}

// Lend lends a part to a user, whether or not that user has asked for it, and ends
// the requests for the part. If another user had borrowed it, that loan ends.
func (l *Loans) Lend(part Part, user int, now time.Time) Loan {
	l.requests = slices.DeleteFunc(slices.Clone(l.requests), func(r LoanRequest) bool { return r.Part == part })
	l.End(part)
	l.number++
	lent := Loan{Part: part, User: user, Number: l.number, usedAt: now}
	l.loans = append(slices.Clone(l.loans), lent)
	return lent
}

// End ends the loan of a part, because its holder takes it back or its borrower
// returns it. It returns the loan; its User is 0 if there was none.
func (l *Loans) End(part Part) Loan {
	ended := l.Of(part)
	l.dropLoans(func(o Loan) bool { return o.Part == part })
	return ended
}

// EndAll ends all loans and requests, because control has passed to another user or
// the robot is stopped, and reports whether there were any.
func (l *Loans) EndAll() bool {
	had := len(l.loans)+len(l.requests) > 0
	l.loans, l.requests = nil, nil
	return had
}

// Use notes that the user uses a part under a loan's number, and reports whether
// that is the current loan of the part, belongs to the user and has not ended at
// now.
func (l *Loans) Use(part Part, user int, number uint64, now time.Time) bool {
	for i, o := range l.loans {
		if o.Part == part && o.User == user && o.Number == number && now.Before(o.end()) {
			l.loans = slices.Clone(l.loans)
			l.loans[i].usedAt = now
			return true
		}
	}
	return false
}

// Disconnected notes that a user has lost the connection. The user's requests end,
// and Grace begins for the user's loans. It reports whether there were any.
func (l *Loans) Disconnected(user int, now time.Time) bool {
	had := l.dropRequests(now, func(r LoanRequest) bool { return r.User == user })
	l.loans = slices.Clone(l.loans)
	for i, o := range l.loans {
		if o.User == user && o.freeAt.IsZero() {
			l.loans[i].freeAt, had = now.Add(Grace), true
		}
	}
	return had
}

// Reconnected notes that a user is connected again, and reports whether that ends
// the grace of a loan. A grace that is over at now stays over: see Expire.
func (l *Loans) Reconnected(user int, now time.Time) (back bool) {
	l.loans = slices.Clone(l.loans)
	for i, o := range l.loans {
		if o.User == user && !o.freeAt.IsZero() && now.Before(o.freeAt) {
			l.loans[i].freeAt, back = time.Time{}, true
		}
	}
	return back
}

// Dismiss ends a user's loans of parts that the user may no longer borrow, and all
// requests for such parts. It reports whether there were any.
func (l *Loans) Dismiss(user int, may func(Part) bool, now time.Time) bool {
	had := l.dropRequests(now, func(r LoanRequest) bool { return r.User == user && !may(r.Part) })
	return l.dropLoans(func(o Loan) bool { return o.User == user && !may(o.Part) }) || had
}

// Expire ends the first loan that is over at now: unused for UnusedAfter, or with a
// borrower (gone is true) who has stayed away for Grace. It returns the loan; its
// User is 0 if there is none.
func (l *Loans) Expire(now time.Time) (over Loan, gone bool) {
	for _, o := range l.loans {
		if !now.Before(o.end()) {
			return l.End(o.Part), !o.freeAt.IsZero() && !now.Before(o.freeAt)
		}
	}
	return Loan{}, false
}

// ExpireRequest ends the oldest request that the holder has left unanswered for too
// long, and returns it; its User is 0 if there is none. Silence means no.
func (l *Loans) ExpireRequest(now time.Time) LoanRequest {
	if len(l.requests) == 0 || now.Before(l.requests[0].Until) {
		return LoanRequest{}
	}
	r := l.requests[0]
	l.Deny(r.Part, r.User, now)
	return r
}

// Due returns when Expire or ExpireRequest next has work because of the time; false
// = never.
func (l *Loans) Due() (at time.Time, ok bool) {
	if len(l.requests) > 0 {
		at = l.requests[0].Until
	}
	for _, o := range l.loans {
		if end := o.end(); at.IsZero() || end.Before(at) {
			at = end
		}
	}
	return at, !at.IsZero()
}

// dropLoans ends the matching loans, and reports whether there were any.
func (l *Loans) dropLoans(ended func(Loan) bool) bool {
	before := len(l.loans)
	l.loans = slices.DeleteFunc(slices.Clone(l.loans), ended)
	return len(l.loans) < before
}

// dropRequests ends the unmet requests, and reports whether there were any. Their
// users have to wait before the next ones.
func (l *Loans) dropRequests(now time.Time, unmet func(LoanRequest) bool) bool {
	before := len(l.requests)
	l.requests = slices.DeleteFunc(slices.Clone(l.requests), func(r LoanRequest) bool {
		if !unmet(r) {
			return false
		}
		if l.mayAskFrom == nil {
			l.mayAskFrom = map[int]time.Time{}
		}
		l.mayAskFrom[r.User] = now.Add(AskAgainAfter)
		return true
	})
	return len(l.requests) < before
}
