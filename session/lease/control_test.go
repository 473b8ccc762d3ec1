package lease_test

import (
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/session/lease"
)

var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func at(d time.Duration) time.Time { return start.Add(d) }

// taken returns control that user 1 has had since the start.
func taken(t *testing.T) *lease.Lease {
	t.Helper()
	l := &lease.Lease{}
	if !l.Take(1, start) || !l.IsPassing() || !l.Settle(start, true) || l.IsPassing() {
		t.Fatalf("user 1 did not get control: %+v", l)
	}
	return l
}

func TestATermEndsWithoutAConnection(t *testing.T) {
	l := taken(t)
	if l.InTerm(1) || l.Extend(2, at(time.Minute)) || l.InTerm(2) {
		t.Fatal("a term began for a user without control")
	}
	if !l.Extend(1, at(time.Minute)) || !l.InTerm(1) || l.InTerm(2) || !l.TermEnd().Equal(at(time.Minute)) {
		t.Fatalf("the term did not begin: %+v", l)
	}
	if _, grace := l.FreeAt(); grace {
		t.Error("a term counts as a grace")
	}
	if l.Expire(at(time.Minute-1)) || !l.Expire(at(time.Minute)) {
		t.Error("it does not end with its last moment")
	}
	if l.Extend(1, at(time.Hour)) {
		t.Error("a term was extended while control passes on")
	}
	l = taken(t)
	if l.Disconnected(1, start); l.InTerm(1) {
		t.Error("a grace counts as a term")
	}
}

func TestARequestEndsByTheHoldersWordOrInTime(t *testing.T) {
	l := taken(t)
	if l.Ask(2, "please", start) != "" || !l.Asks(2) || l.Requests()[0] != (lease.Request{User: 2, Reason: "please", Until: at(lease.AnswerTimeout)}) {
		t.Fatalf("%+v", l.Requests())
	}
	if l.Keep(3, 2, start) || !l.Asks(2) {
		t.Error("a request was ended by the word of a user without control")
	}
	if l.Keep(1, 3, start) {
		t.Error("a request was ended that there is none of")
	}
	if !l.Keep(1, 2, start) || l.Asks(2) {
		t.Error("the holder's word did not end it")
	}
	if why := l.Ask(2, "", at(lease.AskAgainAfter-1)); why != "You asked a moment ago. Ask again in 1 s." {
		t.Errorf("asked again too soon it is answered %q", why)
	}
	if why := l.Ask(2, "", at(lease.AskAgainAfter)); why != "" {
		t.Errorf("asked again in time it is answered %q", why)
	}
}

func TestAnIdleHoldersSilenceOffersControl(t *testing.T) {
	for idle, want := range map[time.Duration]bool{lease.IdleAfter - 1: false, lease.IdleAfter: true} {
		l := taken(t)
		l.Ask(2, "", at(idle-lease.AnswerTimeout))
		user, offered := l.ExpireRequest(at(idle))
		if user != 2 || offered != want || (l.Offered().User == 2) != want {
			t.Errorf("idle for %v: user %d, offered %v", idle, user, offered)
		}
		if want && (l.Heir() != 1 || l.NoteInput(1, at(idle)) != 2 || l.Offered().User != 0) {
			t.Error("the holder's input does not withdraw the offer")
		}
	}
}

func TestControlIsOfferedToOneUserAtATime(t *testing.T) {
	l := taken(t)
	l.Disconnected(1, start)
	l.Expire(at(lease.Grace))
	if user, over := l.OfferNext([]int{2, 3}, at(lease.Grace)); user != 0 || over {
		t.Error("control was offered while it passes on")
	}
	l.Settle(at(lease.Grace), true)
	if user, _ := l.OfferNext([]int{2, 3}, at(lease.Grace)); user != 2 {
		t.Errorf("offered to %d", user)
	}
	if user, over := l.OfferNext([]int{2, 3}, at(lease.Grace)); user != 0 || over {
		t.Errorf("offered to %d too, over %v", user, over)
	}
}

func TestAPathMayPauseForLongerThanASampleIsValid(t *testing.T) {
	g := lease.NewGate()
	if g.Epoch() != 1 || g.Executed() != 0 || g.Seq() != -1 {
		t.Fatalf("%+v", g)
	}
	if _, ok := g.Deadline(); ok {
		t.Error("something is due before anything moves")
	}
	neutral, moves := lease.Sample{Epoch: 1, Neutral: true}, lease.Sample{Epoch: 1, Seq: 1, Valid: 100 * time.Millisecond}
	if r := g.Admit(neutral); r.Word != robot.Success {
		t.Fatal(r.Reason)
	}
	g.NotePathSample(neutral, start, true)
	if _, ok := g.Deadline(); ok {
		t.Error("a neutral sample wants a successor")
	}
	if r := g.Admit(moves); r.Word != robot.Success || g.Seq() != 1 {
		t.Fatal(r.Reason)
	}
	g.NotePathSample(moves, start, true)
	if due, ok := g.Deadline(); !ok || !due.Equal(at(4*time.Second)) || g.IsBroken(due.Add(-1)) || !g.IsBroken(due) || g.Executed() != 1 {
		t.Errorf("due %v, %v: %+v", due, ok, g)
	}
	if g.NextEpoch(); g.Epoch() != 2 || g.Seq() != -1 || g.Executed() != 0 {
		t.Errorf("%+v", g)
	}
	if r := g.Admit(moves); !strings.Contains(r.Reason, "has stopped following") {
		t.Errorf("a sample of the last epoch is answered %q", r.Reason)
	}
}
