package session

import (
	"context"
	"time"

	"mybot/robot"
)

// A page that may drive can have a second way to the robot, one of datagrams:
// what is lost there stays lost, and what comes late does not hold up the rest.
// It carries copies of drive samples; the newest counts, whichever way it came.

// maxOffer is the longest offer of a channel, in bytes.
const maxOffer = 8 << 10

// An Offer is what a page offers for its channel of datagrams: a session
// description of WebRTC.
type Offer struct {
	Description string
	id          uint64
}

// Offer returns the next offer of the page; the connection's owner calls it,
// opens the channel in place of the one before, and calls Answer. It waits
// until there is one, or ctx ends.
func (u *User) Offer(ctx context.Context) (Offer, error) {
	select {
	case o := <-u.offers:
		return o, nil
	case <-ctx.Done():
		return Offer{}, ctx.Err()
	}
}

// Answer tells the page what became of its offer: the description to connect
// to, or, when there is a reason, why there is none.
func (u *User) Answer(o Offer, description string, refused robot.Result) {
	m := Result{Type: "result", ID: &o.id, Word: robot.Success, Answer: description}
	if refused.Word != "" {
		m.Word, m.Reason, m.Answer = refused.Word, refused.Reason, ""
		u.hub.refusals.Add(1)
	}
	u.sendFrame(encodeValue(m))
}

// handleOffer puts the offer where Offer finds it.
func (c *crew) handleOffer(u *User, cmd rtc, now time.Time) {
	refuse := func(word robot.Word, reason string) { c.answerRequest(u, cmd.ID, refusal(word, reason)) }
	switch {
	case !u.person.mayDrive():
		refuse(robot.Error, "You are here as an observer. A channel for driving is for those who may drive.")
	case !u.offerBudget.take(now, 1):
		refuse(robot.Busy, "The last offer came less than a second ago. Try again in a moment.")
	default:
		select {
		case u.offers <- Offer{cmd.Offer, cmd.ID}:
		default:
			refuse(robot.Busy, "The last offer is not answered yet.")
		}
	}
}

// ReceiveDatagram takes one datagram from the page's channel; one goroutine
// calls it, which may be another than that of Receive. Only drive, stop, clock
// and ack are taken, within the same bounds as by Receive. The answer to a
// clock, and to a stop that has an id, goes to answer. What is wrong is not answered: it came by a way where
// anything may be missing. Samples under a hold number count once the
// connection itself has brought one under it, for there the neutral one comes
// first. It never waits for the hub or for another user.
func (u *User) ReceiveDatagram(frame []byte, answer func(frame []byte)) {
	u.receiveDatagramAt(frame, time.Now(), answer)
}

func (u *User) receiveDatagramAt(frame []byte, at time.Time, answer func([]byte)) {
	within := u.datagramBudget.take(at, framesPerSecond)
	if !within && !mayStop(frame) {
		u.hub.refusals.Add(1)
		return
	}
	cmd, err := Decode(frame)
	if s, ok := cmd.(stop); ok && err == nil {
		u.stopRobot(stop{}, at) // which is answered here, not by the connection
		if s.ID != 0 {
			answer(encodeValue(Result{Type: "result", ID: &s.ID, Word: robot.Success}))
		}
		return
	}
	if err != nil || !within || u.revoked.Load() {
		u.hub.refusals.Add(1)
		return
	}
	switch c := cmd.(type) {
	case Clock:
		since := func(t time.Time) seconds { return seconds(t.Sub(u.hub.start)) }
		answer(encodeValue(ClockAnswer{Type: "clock", T1: c.T1, T2: since(at), T3: since(time.Now())}))
	case ack:
		u.out.acknowledge(c.N)
	case drive:
		u.heard.Store(int64(at.Sub(u.hub.start)))
		if u.inbox.putCopy(incoming{c, at}) {
			u.hub.call(u)
		}
	default:
		u.hub.refusals.Add(1)
	}
}

// stopRobot has the robot stopped at once.
func (u *User) stopRobot(s stop, at time.Time) {
	u.hub.raiseStop(stopSignal{by: *u.name.Load(), at: at, user: u, from: u.identity, id: s.ID})
}
