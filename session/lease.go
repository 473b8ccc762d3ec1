package session

import "time"

// Grace is how long a holder who lost the connection may come back to find
// control as it was, and how long anyone's place in line is kept.
const Grace = 10 * time.Second

// A Lease says who has control of the robot. The epoch is a fencing token: it
// grows with every change of holder, every command to move carries it, and an
// old one is refused. The lease owns no clock: each change takes the time at
// which it happens. The zero value is control that nobody has had yet.
//
// A method that changes the holder returns true; the caller has the robot
// halted and tells everybody.
type Lease struct {
	Epoch  uint64
	Holder int       // user id; 0 = nobody has control
	Since  time.Time // of the last change of holder
	freeAt time.Time // when control is free if the holder stays away; zero = the holder is here
}

// Take gives control to the user if nobody has it.
func (l *Lease) Take(user int, now time.Time) bool {
	if l.Holder != 0 || user == 0 {
		return false
	}
	l.pass(user, now)
	return true
}

// Release frees control if the user has it.
func (l *Lease) Release(user int, now time.Time) bool {
	if l.Holder == 0 || l.Holder != user {
		return false
	}
	l.pass(0, now)
	return true
}

// Lost notes that the user's connection is gone. For the holder, Grace begins
// and Lost returns true; the holder does not change yet.
func (l *Lease) Lost(user int, now time.Time) bool {
	if l.Holder == 0 || l.Holder != user || !l.freeAt.IsZero() {
		return false
	}
	l.freeAt = now.Add(Grace)
	return true
}

// Back notes that the user is connected again, and tells whether that ends
// the holder's grace. A grace that is over by now cannot be ended: Expire.
func (l *Lease) Back(user int, now time.Time) bool {
	if l.Holder == 0 || l.Holder != user || l.freeAt.IsZero() || !now.Before(l.freeAt) {
		return false
	}
	l.freeAt = time.Time{}
	return true
}

// Expire frees control when the holder's grace is over. Nobody is given it.
func (l *Lease) Expire(now time.Time) bool {
	if l.freeAt.IsZero() || now.Before(l.freeAt) {
		return false
	}
	l.pass(0, now)
	return true
}

// FreeAt tells when control is free if the holder stays away; false while the
// holder is here or nobody has control.
func (l *Lease) FreeAt() (time.Time, bool) { return l.freeAt, !l.freeAt.IsZero() }

func (l *Lease) pass(user int, now time.Time) {
	l.Epoch++
	l.Holder, l.Since, l.freeAt = user, now, time.Time{}
}
