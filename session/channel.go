package session

import (
	"context"
	"time"

	"mybot/robot"
	"mybot/session/protocol"
)

// A page that may drive can open a second connection to the robot, for datagrams: a
// lost datagram is not repeated, and a late one does not delay the rest. It carries
// copies of drive samples; the newest sample counts, whichever connection it came
// by.

// Offer waits for the page's next offer and returns it, or ends with ctx. The owner
// of the connection calls it, opens a channel that replaces the previous one, and
// calls Answer.
func (u *User) Offer(ctx context.Context) (Offer, error) {
	select {
	case o := <-u.offers:
		return o, nil
	case <-ctx.Done():
		return Offer{}, ctx.Err()
	}
}

// Answer answers the page's offer with the description to connect to, or with the
// reason for refusing it, if there is one.
func (u *User) Answer(o Offer, description string, refused robot.Result) {
	m := protocol.Result{ID: &o.id, Word: robot.Success, Answer: description}
	if refused.Word != "" {
		m.Word, m.Reason, m.Answer = refused.Word, refused.Reason, ""
		u.hub.refusals.Add(1)
	}
	u.sendFrame(protocol.Encode(m))
}

// handleOffer passes the offer on to Offer.
func (c *coordinator) handleOffer(u *User, cmd protocol.RTC, now time.Time) {
	refuse := func(word robot.Word, reason string) { c.answerRequest(u, cmd.ID, newRefusal(word, reason)) }
	switch {
	case !u.person.mayDrive():
		refuse(robot.Error, "You are here as an observer. A channel for driving is for those who may drive.")
	case !u.offerBudget.spendToken(now, 1):
		refuse(robot.Busy, "The last offer came less than a second ago. Try again in a moment.")
	default:
		select {
		case u.offers <- Offer{cmd.Offer, cmd.ID}:
		default:
			refuse(robot.Busy, "The last offer is not answered yet.")
		}
	}
}

// ReceiveDatagram takes one datagram from the page's channel. One goroutine calls
// it, which need not be that of Receive. It accepts only drive, stop, clock and
// ack, within the same bounds as Receive. The answer to a clock, and to a stop with
// an id, goes to answer. Errors are not answered, because the channel is lossy.
// Samples of a drive epoch count once the connection itself has brought one of that
// epoch, because the neutral sample comes first there. It never waits for the hub
// or for another user.
func (u *User) ReceiveDatagram(frame []byte, answer func(frame []byte)) {
	u.receiveDatagramAt(frame, time.Now(), answer)
}

func (u *User) receiveDatagramAt(frame []byte, at time.Time, answer func([]byte)) {
	within := u.datagramBudget.spendToken(at, framesPerSecond)
	if !within && !mayStop(frame) {
		u.hub.refusals.Add(1)
		return
	}
	cmd, err := protocol.Decode(frame)
	if s, ok := cmd.(protocol.Stop); ok && err == nil {
		u.stopRobot(protocol.Stop{}, at) // answered here, not by the connection
		if s.ID != 0 {
			answer(protocol.Encode(protocol.Result{ID: &s.ID, Word: robot.Success}))
		}
		return
	}
	if err != nil || !within || u.revoked.Load() {
		u.hub.refusals.Add(1)
		return
	}
	switch c := cmd.(type) {
	case protocol.Clock:
		since := func(t time.Time) protocol.Seconds { return protocol.Seconds(t.Sub(u.hub.start)) }
		answer(protocol.Encode(protocol.ClockAnswer{T1: c.T1, T2: since(at), T3: since(time.Now())}))
	case protocol.Ack:
		u.out.acknowledgeState(c.N)
	case protocol.Drive:
		u.heard.Store(int64(at.Sub(u.hub.start)))
		if u.inbox.putCopy(incoming{c, at}) {
			u.hub.post(u)
		}
	default:
		u.hub.refusals.Add(1)
	}
}
