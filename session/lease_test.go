package session

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestALeaseIsTakenOnlyWhenItIsFree(t *testing.T) {
	var l Lease
	if !l.Take(1, noon) || l.Holder != 1 || l.Epoch != 1 || !l.Since.Equal(noon) {
		t.Fatalf("the first to take it did not get it: %+v", l)
	}
	if l.Take(2, noon) || l.Holder != 1 || l.Epoch != 1 {
		t.Fatalf("it was taken from its holder: %+v", l)
	}
	if l.Release(2, noon) || l.Holder != 1 {
		t.Fatalf("somebody else released it: %+v", l)
	}
	if !l.Release(1, noon.Add(time.Second)) || l.Holder != 0 || l.Epoch != 2 || !l.Since.Equal(noon.Add(time.Second)) {
		t.Fatalf("the holder could not release it: %+v", l)
	}
	if l.Release(0, noon) || l.Take(0, noon) {
		t.Fatal("nobody is a user")
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
			var l Lease
			l.Take(1, noon)
			if !l.Lost(1, noon) {
				t.Fatal("the holder was not missed")
			}
			if l.Lost(1, noon.Add(time.Second)) {
				t.Fatal("the grace began anew")
			}
			if at, ok := l.FreeAt(); !ok || !at.Equal(noon.Add(Grace)) {
				t.Fatalf("free at %v, %v", at, ok)
			}
			now := noon.Add(tc.after)
			if got := l.Back(1, now); got != tc.back {
				t.Fatalf("Back = %v", got)
			}
			if got := l.Expire(now); got == tc.back {
				t.Fatalf("Expire = %v", got)
			}
			if l.Holder != tc.holder || l.Epoch != tc.epoch {
				t.Fatalf("%+v", l)
			}
			if _, ok := l.FreeAt(); ok {
				t.Fatal("still waiting")
			}
		})
	}
}

func TestTheEpochGrowsByOneWithEveryChangeOfHolderAndNeverElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l Lease
		now := noon
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			before := l
			now = now.Add(time.Duration(rapid.IntRange(0, 6000).Draw(t, "ms")) * time.Millisecond)
			user := rapid.IntRange(0, 3).Draw(t, "user")
			var changed bool
			switch what := rapid.SampledFrom([]string{"take", "release", "lost", "back", "expire"}).Draw(t, "what"); what {
			case "take":
				changed = l.Take(user, now)
			case "release":
				changed = l.Release(user, now)
			case "lost":
				l.Lost(user, now)
			case "back":
				l.Back(user, now)
			case "expire":
				changed = l.Expire(now)
			}
			if (l.Holder != before.Holder) != changed || (l.Epoch != before.Epoch) != changed {
				t.Fatalf("%+v became %+v, reported as change: %v", before, l, changed)
			}
			if changed && (l.Epoch != before.Epoch+1 || !l.Since.Equal(now) || before.Holder != 0 && l.Holder != 0) {
				t.Fatalf("%+v became %+v", before, l)
			}
			if _, ok := l.FreeAt(); ok && l.Holder == 0 {
				t.Fatalf("nobody is waited for: %+v", l)
			}
		}
	})
}
