package lease_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/session/lease"
)

func TestALoanEnds(t *testing.T) {
	all := func(lease.Part) bool { return true }
	none := func(lease.Part) bool { return false }
	for _, c := range []struct {
		name string
		then func(l *lease.Loans)
		lent bool
	}{
		{"not by itself", func(*lease.Loans) {}, true},
		{"when it is taken or given back", func(l *lease.Loans) { l.End(lease.Head) }, false},
		{"not with the loan of another part", func(l *lease.Loans) { l.Lend(lease.Voice, 3, start); l.End(lease.Voice) }, true},
		{"with all loans", func(l *lease.Loans) { l.EndAll() }, false},
		{"when it is not used", func(l *lease.Loans) { l.Expire(at(lease.UnusedAfter)) }, false},
		{"not before that", func(l *lease.Loans) { l.Expire(at(lease.UnusedAfter - 1)) }, true},
		{"not when it was used since", func(l *lease.Loans) { l.Use(lease.Head, 2, 1, at(time.Second)); l.Expire(at(lease.UnusedAfter)) }, true},
		{"when the borrower stays away", func(l *lease.Loans) { l.Disconnected(2, start); l.Expire(at(lease.Grace)) }, false},
		{"not when the borrower may still come back", func(l *lease.Loans) { l.Disconnected(2, start); l.Expire(at(lease.Grace - 1)) }, true},
		{"not when the borrower is back", func(l *lease.Loans) {
			l.Disconnected(2, start)
			l.Reconnected(2, at(lease.Grace-1))
			l.Expire(at(lease.Grace))
		}, true},
		{"when the borrower is back too late", func(l *lease.Loans) {
			l.Disconnected(2, start)
			l.Reconnected(2, at(lease.Grace))
			l.Expire(at(lease.Grace))
		}, false},
		{"not when somebody else is gone", func(l *lease.Loans) { l.Disconnected(3, start); l.Expire(at(lease.Grace)) }, true},
		{"when the borrower may no longer borrow", func(l *lease.Loans) { l.Dismiss(2, none, start) }, false},
		{"not when the borrower still may", func(l *lease.Loans) { l.Dismiss(2, all, start) }, true},
		{"not when somebody else may no longer", func(l *lease.Loans) { l.Dismiss(3, none, start) }, true},
		{"when the part is lent to another user", func(l *lease.Loans) { l.Lend(lease.Head, 3, start) }, false},
		{"and is another one when it is lent anew", func(l *lease.Loans) { l.Lend(lease.Head, 2, start) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l lease.Loans
			if lent := l.Lend(lease.Head, 2, start); lent.Number != 1 || lent.User != 2 || l.Of(lease.Head) != lent {
				t.Fatalf("lent: %+v, of %+v", lent, l.All())
			}
			c.then(&l)
			if !c.lent && l.Use(lease.Head, 2, 1, at(lease.UnusedAfter/2)) {
				t.Errorf("the part is used after the end of its loan: %+v", l.All())
			}
			if got := l.Of(lease.Head).Number == 1; got != c.lent {
				t.Errorf("lent: %v; %+v", got, l.All())
			}
		})
	}
}

func TestWhyALoanIsOverIsTold(t *testing.T) {
	var l lease.Loans
	l.Lend(lease.Head, 2, start)
	l.Lend(lease.Voice, 3, start)
	l.Disconnected(3, at(time.Second))
	if due, ok := l.Due(); !ok || !due.Equal(at(time.Second+lease.Grace)) {
		t.Errorf("due at %v, %v", due, ok)
	}
	if over, gone := l.Expire(at(time.Second + lease.Grace)); over.Part != lease.Voice || !gone {
		t.Errorf("%+v, gone: %v", over, gone)
	}
	if over, gone := l.Expire(at(lease.UnusedAfter)); over.User != 2 || gone {
		t.Errorf("%+v, gone: %v", over, gone)
	}
	if _, ok := l.Due(); ok {
		t.Error("nothing is lent and something is due")
	}
	if over, _ := l.Expire(at(time.Hour)); over.User != 0 {
		t.Errorf("%+v ended twice", over)
	}
}

func TestOnlyTheBorrowerUsesAPartAndOnlyUnderTheLoansNumber(t *testing.T) {
	var l lease.Loans
	l.Lend(lease.Head, 3, start)
	l.Lend(lease.Head, 2, start)
	for _, c := range []struct {
		name   string
		part   lease.Part
		user   int
		number uint64
		now    time.Duration
		may    bool
	}{
		{"the borrower", lease.Head, 2, 2, 0, true},
		{"under the number of the loan before", lease.Head, 2, 1, 0, false},
		{"under one ahead", lease.Head, 2, 3, 0, false},
		{"who had it before", lease.Head, 3, 2, 0, false},
		{"who had it before, with the old number", lease.Head, 3, 1, 0, false},
		{"another part", lease.Voice, 2, 2, 0, false},
		{"nobody", lease.Head, 0, 0, 0, false},
		{"after the end, which nobody has noticed yet", lease.Head, 2, 2, lease.UnusedAfter, false},
	} {
		if got := l.Use(c.part, c.user, c.number, at(c.now)); got != c.may {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestSilenceIsANo(t *testing.T) {
	var l lease.Loans
	if why := l.Ask(lease.Head, 2, start); why != "" || !l.Asks(lease.Head, 2) || l.Asks(lease.Voice, 2) {
		t.Fatalf("%q %+v", why, l.Requests())
	}
	if why := l.Ask(lease.Head, 2, start); why != "You have asked already. Wait for the answer." {
		t.Error(why)
	}
	if due, ok := l.Due(); !ok || !due.Equal(at(lease.AnswerTimeout)) {
		t.Errorf("due at %v, %v", due, ok)
	}
	if r := l.ExpireRequest(at(lease.AnswerTimeout - 1)); r.User != 0 {
		t.Errorf("%+v ended too early", r)
	}
	if r := l.ExpireRequest(at(lease.AnswerTimeout)); r != (lease.LoanRequest{Part: lease.Head, User: 2, Until: at(lease.AnswerTimeout)}) || l.Of(lease.Head).User != 0 {
		t.Errorf("%+v, and lent is %+v", r, l.All())
	}
	if why := l.Ask(lease.Voice, 2, at(lease.AnswerTimeout+lease.AskAgainAfter-1)); why != "You asked a moment ago. Ask again in 1 s." {
		t.Error(why)
	}
	if why := l.Ask(lease.Voice, 2, at(lease.AnswerTimeout+lease.AskAgainAfter)); why != "" {
		t.Error(why)
	}
}

func TestARequestForAPartEnds(t *testing.T) {
	none := func(lease.Part) bool { return false }
	for _, c := range []struct {
		name  string
		end   func(l *lease.Loans)
		again bool // the user may ask again at once
	}{
		{"by the holder's word", func(l *lease.Loans) { l.Deny(lease.Head, 2, start) }, false},
		{"when the part is lent", func(l *lease.Loans) { l.Lend(lease.Head, 2, start); l.End(lease.Head) }, true},
		{"when it is lent to another", func(l *lease.Loans) { l.Lend(lease.Head, 3, start); l.End(lease.Head) }, true},
		{"with all", func(l *lease.Loans) { l.EndAll() }, true},
		{"when the user is gone", func(l *lease.Loans) { l.Disconnected(2, start) }, false},
		{"when the user may no longer ask", func(l *lease.Loans) { l.Dismiss(2, none, start) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l lease.Loans
			l.Ask(lease.Head, 2, start)
			if c.end(&l); l.Asks(lease.Head, 2) {
				t.Fatal("it is open still")
			}
			if why := l.Ask(lease.Head, 2, start); (why == "") != c.again {
				t.Errorf("asked again: %q", why)
			}
		})
	}
	var l lease.Loans
	for user := 2; user < 10; user++ {
		if why := l.Ask(lease.Head, user, start); why != "" {
			t.Fatal(why)
		}
	}
	if why := l.Ask(lease.Head, 99, start); why != "8 requests are open already. Ask again in a moment." {
		t.Error(why)
	}
	if l.Deny(lease.Voice, 2, start) || l.Deny(lease.Head, 99, start) || len(l.Requests()) != 8 {
		t.Error("a request was ended that there is none of")
	}
	if !l.EndAll() || l.EndAll() {
		t.Error("EndAll does not tell whether there was anything")
	}
}

// An event is one event of loans, for the model.
type event struct {
	at   time.Duration
	what string
	part lease.Part
	user int
}

// borrower is the independent model: it derives from the whole history who has the
// part at a time, and under which number. Every loan in the history has the next
// number.
func borrower(history []event, part lease.Part, now time.Duration) (user int, number uint64) {
	var lent uint64
	var used, gone time.Duration
	over := func(t time.Duration) bool {
		return user != 0 && (t-used >= lease.UnusedAfter || gone >= 0 && t-gone >= lease.Grace)
	}
	for _, e := range history {
		if over(e.at) {
			user = 0
		}
		switch e.what {
		case "lend":
			if lent++; e.part == part {
				user, number, used, gone = e.user, lent, e.at, -1
			}
		case "use":
			if e.part == part && e.user == user {
				used = e.at
			}
		case "end":
			if e.part == part {
				user = 0
			}
		case "end all":
			user = 0
		case "leave":
			if e.user == user && gone < 0 {
				gone = e.at
			}
		case "return":
			if e.user == user {
				gone = -1
			}
		}
	}
	if over(now) || user == 0 {
		return 0, 0
	}
	return user, number
}

// Whatever the order of events, the holder of a part is the one that the history
// implies, numbers only increase, and a command passes only under the current loan.
func TestLoansAreWhatTheirHistorySays(t *testing.T) {
	parts := []lease.Part{lease.Head, lease.Voice, lease.Arm}
	rapid.Check(t, func(t *rapid.T) {
		var l lease.Loans
		var history []event
		var highest uint64
		given := map[uint64]string{}
		var now time.Duration
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now += time.Duration(rapid.SampledFrom([]int{0, 1, 1000, 9999, 10_000, 30_000, 59_999, 60_000}).Draw(t, "ms")) * time.Millisecond
			part, user := rapid.SampledFrom(parts).Draw(t, "part"), rapid.IntRange(2, 4).Draw(t, "user")
			note := func(what string) { history = append(history, event{now, what, part, user}) }
			has, number := borrower(history, part, now)
			switch rapid.IntRange(0, 8).Draw(t, "what") {
			case 0, 1:
				note("lend")
				lent := l.Lend(part, user, at(now))
				if lent.Number <= highest || given[lent.Number] != "" {
					t.Fatalf("loan %d was given after %d", lent.Number, highest)
				}
				highest, given[lent.Number] = lent.Number, fmt.Sprint(part, user)
			case 2, 3:
				try := uint64(rapid.IntRange(0, int(highest)+1).Draw(t, "number"))
				if rapid.Bool().Draw(t, "newest") {
					try = number
				}
				want := has == user && try == number
				if got := l.Use(part, user, try, at(now)); got != want {
					t.Fatalf("at %v user %d used %s under %d: %v; the history says that %d has it under %d", now, user, part, try, got, has, number)
				}
				if want {
					note("use")
				}
			case 4:
				note("end")
				l.End(part)
			case 5:
				if rapid.IntRange(0, 3).Draw(t, "all") == 0 {
					note("end all")
					l.EndAll()
				}
			case 6:
				note("leave")
				l.Disconnected(user, at(now))
			case 7:
				// A borrower who has stayed away too long has lost the loan before
				// coming back.
				for over, _ := l.Expire(at(now)); over.User != 0; over, _ = l.Expire(at(now)) {
				}
				note("return")
				l.Reconnected(user, at(now))
			case 8:
				if why := l.Ask(part, user, at(now)); why == "" && !l.Asks(part, user) {
					t.Fatal("a request is open and is not there")
				}
			}
			for over, _ := l.Expire(at(now)); over.User != 0; over, _ = l.Expire(at(now)) {
			}
			for r := l.ExpireRequest(at(now)); r.User != 0; r = l.ExpireRequest(at(now)) {
			}
			for _, p := range parts {
				has, number := borrower(history, p, now)
				if got := l.Of(p); got.User != has || has != 0 && got.Number != number {
					t.Fatalf("at %v %d has %s under %d; the history says %d under %d: %+v", now, got.User, p, got.Number, has, number, history)
				}
			}
			if slices.ContainsFunc(l.All(), func(a lease.Loan) bool {
				return slices.ContainsFunc(l.All(), func(b lease.Loan) bool { return a.Part == b.Part && a.Number != b.Number })
			}) {
				t.Fatalf("two have one part: %+v", l.All())
			}
			if due, ok := l.Due(); ok && !due.After(at(now)) {
				t.Fatalf("due at %v, and at %v nothing can be done", due, at(now))
			}
		}
	})
}
