package lease

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// held returns control that user 1 has had since noon.
func held(t *testing.T) *Lease {
	t.Helper()
	l := &Lease{}
	if !l.Take(1, noon) || !l.Settle(noon, true) || l.Holder != 1 {
		t.Fatalf("the first to take it did not get it: %+v", l)
	}
	return l
}

func after(d time.Duration) time.Time { return noon.Add(d) }

func TestControlChangesInTwoSteps(t *testing.T) {
	l := &Lease{}
	if !l.Take(1, noon) || l.Settled() || l.Holder != 0 || l.Epoch != 0 {
		t.Fatalf("it has begun: %+v", l)
	}
	if to, ok := l.Passing(); to != 1 || !ok {
		t.Errorf("it passes to %d, %v", to, ok)
	}
	if at, ok := l.Due(); !ok || !at.Equal(after(StandTimeout)) {
		t.Errorf("due at %v, %v", at, ok)
	}
	if l.Settle(after(StandTimeout-1), false) {
		t.Fatal("it ended while the robot moves")
	}
	if !l.Settle(after(StandTimeout), false) || l.Settled() || l.Holder != 1 || l.Epoch != 1 || !l.Since.Equal(after(StandTimeout)) {
		t.Fatalf("it did not end in time: %+v", l)
	}
	if l.Settle(after(time.Hour), true) || !l.Settled() {
		t.Fatal("the robot stands and commands are still refused")
	}
	if _, ok := l.Due(); ok {
		t.Error("something is due")
	}
}

func TestWhoMayBeginAChange(t *testing.T) {
	ask := func(l *Lease) { l.Ask(2, "", noon) }
	offer := func(l *Lease) { l.Release(1, noon); l.Settle(noon, true); l.offer = Offer{2, after(OfferTimeout)} }
	free := func(l *Lease) { l.Release(1, noon); l.Settle(noon, true) }
	passing := func(l *Lease) { ask(l); l.Give(1, 2, noon) }
	gone := func(l *Lease) { l.Disconnected(1, noon) }
	for _, tc := range []struct {
		name   string
		before func(*Lease)
		begin  func(*Lease) bool
		heir   int // who has control at the end
		begins bool
	}{
		{"take what nobody has", free, func(l *Lease) bool { return l.Take(2, noon) }, 2, true},
		{"take as nobody", free, func(l *Lease) bool { return l.Take(0, noon) }, 0, false},
		{"take from the holder", nil, func(l *Lease) bool { return l.Take(2, noon) }, 1, false},
		{"take what is offered to me", offer, func(l *Lease) bool { return l.Take(2, noon) }, 2, true},
		{"take what is offered to another", offer, func(l *Lease) bool { return l.Take(3, noon) }, 0, false},
		{"take what another is taking", func(l *Lease) { free(l); l.Take(2, noon) }, func(l *Lease) bool { return l.Take(3, noon) }, 2, false},
		{"seize", nil, func(l *Lease) bool { return l.Seize(2, noon) }, 2, true},
		{"seize what is passing to another", passing, func(l *Lease) bool { return l.Seize(3, noon) }, 3, true},
		{"seize back what is passing to another", passing, func(l *Lease) bool { return l.Seize(1, noon) }, 1, true},
		{"seize what is mine", nil, func(l *Lease) bool { return l.Seize(1, noon) }, 1, false},
		{"seize what passes to me", passing, func(l *Lease) bool { return l.Seize(2, noon) }, 2, false},
		{"seize as nobody", nil, func(l *Lease) bool { return l.Seize(0, noon) }, 1, false},
		{"release", nil, func(l *Lease) bool { return l.Release(1, noon) }, 0, true},
		{"release another's", nil, func(l *Lease) bool { return l.Release(2, noon) }, 1, false},
		{"release what nobody has", free, func(l *Lease) bool { return l.Release(0, noon) }, 0, false},
		{"release what passes already", passing, func(l *Lease) bool { return l.Release(1, noon) }, 2, false},
		{"give to who asked", ask, func(l *Lease) bool { return l.Give(1, 2, noon) }, 2, true},
		{"give to who did not ask", ask, func(l *Lease) bool { return l.Give(1, 3, noon) }, 1, false},
		{"give another's", ask, func(l *Lease) bool { return l.Give(2, 2, noon) }, 1, false},
		{"give what passes already", func(l *Lease) { l.Ask(3, "", noon); passing(l) }, func(l *Lease) bool { return l.Give(1, 3, noon) }, 2, false},
		{"accept", offer, func(l *Lease) bool { return l.Accept(2, after(OfferTimeout-1)) }, 2, true},
		{"accept too late", offer, func(l *Lease) bool { return l.Accept(2, after(OfferTimeout)) }, 0, false},
		{"accept another's offer", offer, func(l *Lease) bool { return l.Accept(3, noon) }, 0, false},
		{"accept nothing", nil, func(l *Lease) bool { return l.Accept(0, noon) }, 1, false},
		{"move", nil, func(l *Lease) bool { return l.Move(1, noon) }, 1, true},
		{"move another's", nil, func(l *Lease) bool { return l.Move(2, noon) }, 1, false},
		{"move what passes already", passing, func(l *Lease) bool { return l.Move(1, noon) }, 2, false},
		{"expire", gone, func(l *Lease) bool { return l.Expire(after(Grace)) }, 0, true},
		{"expire too early", gone, func(l *Lease) bool { return l.Expire(after(Grace - 1)) }, 1, false},
		{"expire while the holder is here", nil, func(l *Lease) bool { return l.Expire(after(time.Hour)) }, 1, false},
		{"expire what passes already", func(l *Lease) { passing(l); gone(l) }, func(l *Lease) bool { return l.Expire(after(Grace)) }, 2, false},
		{"dismiss the holder", nil, func(l *Lease) bool { return l.Dismiss(1, noon) }, 0, true},
		{"dismiss another", nil, func(l *Lease) bool { return l.Dismiss(2, noon) }, 1, false},
		{"dismiss who is giving it", passing, func(l *Lease) bool { return l.Dismiss(1, noon) }, 2, false},
		{"dismiss who is getting it", passing, func(l *Lease) bool { return l.Dismiss(2, noon) }, 0, false},
		{"dismiss who moves", func(l *Lease) { l.Move(1, noon) }, func(l *Lease) bool { return l.Dismiss(1, noon) }, 0, true},
		{"lose who is taking it", func(l *Lease) { free(l); l.Take(2, noon) }, func(l *Lease) bool { return l.Disconnected(2, noon) }, 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := held(t)
			if tc.before != nil {
				tc.before(l)
			}
			if got := tc.begin(l); got != tc.begins {
				t.Errorf("it begins: %v", got)
			}
			if tc.begins && l.Settled() {
				t.Error("a change has begun and commands are executed")
			}
			epoch, passing := l.Epoch, l.passing
			if got := l.Settle(after(time.Minute), true); got != passing || l.Epoch-epoch > 1 || (l.Epoch > epoch) != passing {
				t.Errorf("it ended: %v, and the epoch went from %d to %d", got, epoch, l.Epoch)
			}
			if l.Holder != tc.heir {
				t.Errorf("%d has control, want %d", l.Holder, tc.heir)
			}
		})
	}
}

func TestAHolderWhoMovesKeepsTheRest(t *testing.T) {
	l := held(t)
	l.Ask(2, "", noon)
	l.Disconnected(1, noon)
	l.Move(1, noon)
	if l.Settle(after(time.Second), true); !l.Since.Equal(noon) || !l.Asks(2) || l.Epoch != 2 {
		t.Errorf("%+v", l)
	}
	if _, ok := l.FreeAt(); !ok {
		t.Error("the holder is gone and not waited for")
	}
}

func TestAHolderWhoIsGoneHasTenSecondsToComeBack(t *testing.T) {
	for _, tc := range []struct {
		name   string
		after  time.Duration
		back   bool
		holder int
		epoch  uint64
	}{
		{"at once", 0, true, 1, 1},
		{"just in time", Grace - 1, true, 1, 1},
		{"too late", Grace, false, 0, 2},
		{"much too late", time.Hour, false, 0, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := held(t)
			if l.Reconnected(1, noon) || l.Disconnected(2, noon) {
				t.Fatal("nobody was lost")
			}
			if !l.Disconnected(1, noon) {
				t.Fatal("the holder was not missed")
			}
			if l.Disconnected(1, after(time.Second)) {
				t.Fatal("the grace began anew")
			}
			at, ok := l.FreeAt()
			if due, is := l.Due(); !ok || !is || !at.Equal(after(Grace)) || !due.Equal(at) {
				t.Fatalf("free at %v, %v", at, ok)
			}
			now := after(tc.after)
			if l.Reconnected(2, now) {
				t.Fatal("somebody else came back")
			}
			if got := l.Reconnected(1, now); got != tc.back {
				t.Fatalf("Back = %v", got)
			}
			if got := l.Expire(now); got == tc.back {
				t.Fatalf("Expire = %v", got)
			}
			l.Settle(now, true)
			if l.Holder != tc.holder || l.Epoch != tc.epoch {
				t.Fatalf("%+v", l)
			}
			if _, ok := l.FreeAt(); ok {
				t.Fatal("still waiting")
			}
		})
	}
}

func TestOnlySoManyMayAsk(t *testing.T) {
	l := held(t)
	if l.Ask(0, "", noon) == "" {
		t.Error("nobody asks")
	}
	for user := 2; user < 2+maxRequests; user++ {
		if why := l.Ask(user, "", noon); why != "" {
			t.Fatal(why)
		}
	}
	if why := l.Ask(99, "", noon); why != "8 people are asking already. Ask again in a moment." {
		t.Error(why)
	}
	if !l.Cancel(5, noon) || l.Cancel(5, noon) || l.Ask(99, "", noon) != "" {
		t.Error("a request that was cancelled leaves no place")
	}
}

func TestTheOldestRequestIsAnsweredFirst(t *testing.T) {
	l := held(t)
	l.Ask(2, "", after(29*time.Second))
	l.Ask(3, "", after(31*time.Second))
	if user, _ := l.ExpireRequest(after(59*time.Second - 1)); user != 0 {
		t.Fatalf("%d was answered too early", user)
	}
	if user, offered := l.ExpireRequest(after(59 * time.Second)); user != 2 || offered {
		t.Fatalf("%d, offered: %v", user, offered)
	}
	if user, offered := l.ExpireRequest(after(61 * time.Second)); user != 3 || !offered {
		t.Fatalf("%d, offered: %v", user, offered)
	}
	l.Ask(4, "", after(62*time.Second))
	if at, ok := l.Due(); !ok || !at.Equal(after(71*time.Second)) {
		t.Errorf("due at %v", at)
	}
	if user, _ := l.ExpireRequest(after(time.Hour)); user != 0 {
		t.Error("two people were offered control at once")
	}
	if l.ExpireOffer(after(71*time.Second-1)) != 0 || l.ExpireOffer(after(71*time.Second)) != 3 || l.ExpireOffer(after(time.Hour)) != 0 {
		t.Error("the offer did not end in time, once")
	}
	if user, offered := l.ExpireRequest(after(92 * time.Second)); user != 4 || !offered {
		t.Errorf("%d, offered: %v", user, offered)
	}
	if l.NoteInput(2, after(93*time.Second)) != 0 || l.NoteInput(0, after(93*time.Second)) != 0 || l.NoteInput(1, after(93*time.Second)) != 4 || l.Decline(4) || l.Decline(0) {
		t.Error("an offer to an idle holder's heir is taken back by the holder's input, and by nobody else's")
	}
}

func TestControlGoesRoundOnce(t *testing.T) {
	l := held(t)
	round := func(order ...int) string {
		user, over := l.OfferNext(order, after(Grace))
		return fmt.Sprint(user, over)
	}
	if got := round(2, 3); got != "0 false" {
		t.Errorf("it goes round while somebody has it: %s", got)
	}
	l.Disconnected(1, noon)
	l.Expire(after(Grace))
	if got := round(2, 3); got != "0 false" {
		t.Errorf("it goes round before it is free: %s", got)
	}
	l.Settle(after(Grace), true)
	var got []string
	for range 5 {
		got = append(got, round(2, 3, 4))
		l.ExpireOffer(after(Grace + OfferTimeout))
	}
	if want := []string{"2 false", "3 false", "4 false", "0 true", "0 false"}; !slices.Equal(got, want) {
		t.Errorf("it went round as %v, want %v", got, want)
	}
}

// Whatever sequence of calls a lease receives, its invariants hold.
func TestTheEpochGrowsByOneWithEveryChangeAndNeverElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l Lease
		now := noon
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.SampledFrom([]int{0, 1, 1000, 2000, 10_000, 30_000, 60_000}).Draw(t, "ms")) * time.Millisecond)
			a, b := rapid.IntRange(0, 3).Draw(t, "user"), rapid.IntRange(0, 3).Draw(t, "other")
			before := l
			begun, settled := false, false
			switch rapid.IntRange(0, 17).Draw(t, "what") {
			case 0:
				begun = l.Take(a, now)
			case 1:
				begun = l.Release(a, now)
			case 2:
				begun = l.Give(a, b, now)
			case 3:
				begun = l.Accept(a, now)
			case 4:
				begun = l.Move(a, now)
			case 5:
				begun = l.Expire(now)
			case 6:
				begun = l.Dismiss(a, now)
			case 7:
				begun = l.Seize(a, now)
			case 8:
				l.Disconnected(a, now)
			case 9:
				l.Reconnected(a, now)
			case 10:
				l.Ask(a, "", now)
			case 11:
				l.Keep(a, b, now)
			case 12:
				l.Cancel(a, now)
			case 13:
				l.Decline(a)
			case 14:
				l.NoteInput(a, now)
			case 15:
				l.ExpireRequest(now)
			case 16:
				l.ExpireOffer(now)
				l.OfferNext([]int{1, 2, 3}, now)
			case 17:
				settled = l.Settle(now, rapid.Bool().Draw(t, "stands"))
			}
			if begun && (l.Settled() || !l.passing) {
				t.Fatalf("a change has begun: %+v", l)
			}
			if settled != (l.Epoch == before.Epoch+1) || !settled && (l.Holder != before.Holder || l.Epoch != before.Epoch) {
				t.Fatalf("%+v became %+v, reported as change: %v", before, l, settled)
			}
			if !before.Settled() && l.Settled() && l.passing {
				t.Fatalf("%+v became %+v", before, l)
			}
			if _, ok := l.FreeAt(); ok && l.Holder == 0 {
				t.Fatalf("nobody is waited for: %+v", l)
			}
			if l.passing && l.offer.User != 0 || len(l.requests) > 0 && (l.Holder == 0 || l.Asks(l.Holder)) {
				t.Fatalf("too much at once: %+v", l)
			}
			if at, ok := l.Due(); ok && at.Before(now) {
				due := l
				due.Expire(now)
				due.Settle(now, false)
				due.ExpireOffer(now)
				for user, _ := due.ExpireRequest(now); user != 0; user, _ = due.ExpireRequest(now) {
				}
				if next, ok := due.Due(); ok && next.Equal(at) {
					t.Fatalf("due at %v, and at %v nothing can be done: %+v", at, now, l)
				}
			}
		}
	})
}
