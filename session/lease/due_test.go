package lease

import (
	"testing"
	"time"
)

func TestALeaseIsDueAtTheFirstOfItsTimes(t *testing.T) {
	for _, c := range []struct {
		name   string
		before func(l *Lease)
		want   time.Duration // after noon; 0 = never
	}{
		{"nothing is under way", func(*Lease) {}, 0},
		{"a request", func(l *Lease) { l.Ask(2, "", noon) }, AnswerTimeout},
		{"two requests", func(l *Lease) { l.Ask(2, "", noon); l.Ask(3, "", after(time.Second)) }, AnswerTimeout},
		{"a holder who is gone", func(l *Lease) { l.Disconnected(1, noon) }, Grace},
		{"a request, and a holder who is gone earlier", func(l *Lease) { l.Ask(2, "", noon); l.Disconnected(1, noon) }, Grace},
		{"a request, and a holder who is gone later", func(l *Lease) { l.Ask(2, "", noon); l.Disconnected(1, after(AnswerTimeout-1)) }, AnswerTimeout},
		{"an offer", func(l *Lease) {
			l.Release(1, noon)
			l.Settle(noon, true)
			l.offeringRound = true
			l.OfferNext([]int{2}, noon)
		}, OfferTimeout},
		{"a change", func(l *Lease) { l.Disconnected(1, noon); l.Seize(2, noon) }, StandTimeout},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := held(t)
			c.before(l)
			if at, ok := l.Due(); ok != (c.want > 0) || ok && !at.Equal(after(c.want)) {
				t.Errorf("due at %v, %v; want %v", at, ok, after(c.want))
			}
		})
	}
}

func TestControlThatIsAcceptedIsOfferedToNoOtherUser(t *testing.T) {
	l := held(t)
	l.Disconnected(1, noon)
	l.Expire(after(Grace))
	l.Settle(after(Grace), true)
	if user, _ := l.OfferNext([]int{2, 3}, after(Grace)); user != 2 || !l.Accept(2, after(Grace)) {
		t.Fatalf("it was offered to %d", user)
	}
	if user, over := l.OfferNext([]int{3}, after(Grace)); user != 0 || over {
		t.Errorf("while it passes to 2 it is offered to %d, over: %v", user, over)
	}
}

func TestAChangeGoesOnWhenAnotherUserLeaves(t *testing.T) {
	l := held(t)
	l.Ask(2, "", noon)
	l.Give(1, 2, noon)
	l.Disconnected(3, noon)
	if to, ok := l.Passing(); to != 2 || !ok {
		t.Errorf("control passes to %d, %v", to, ok)
	}
	l.Settle(noon, true)
	if l.Holder != 2 {
		t.Errorf("%d has control", l.Holder)
	}
}
