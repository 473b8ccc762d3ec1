package ratelimit_test

import (
	"math"
	"net/netip"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/ratelimit"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestNoMoreIsTakenThanTheBucketHeldAndGotBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b ratelimit.Bucket
		now, taken := noon, 0.0
		for range 300 {
			now = now.Add(time.Duration(rapid.IntRange(0, 200).Draw(t, "ms")) * time.Millisecond)
			n := rapid.Float64Range(0.5, 5).Draw(t, "tokens")
			wait, ok := b.Take(now, n, 30, 20)
			if !ok {
				if wait <= 0 {
					t.Fatalf("%g tokens are refused without a wait", n)
				}
				now = now.Add(wait + time.Microsecond)
				if _, ok = b.Take(now, n, 30, 20); !ok {
					t.Fatalf("after %v there are no tokens yet", wait)
				}
			}
			taken += n
			if limit := 20 + now.Sub(noon).Seconds()*30; taken > limit+1e-6 {
				t.Fatalf("%g tokens were taken, at most %g were there", taken, limit)
			}
		}
	})
}

func TestAClockThatGoesBackFillsNoBucket(t *testing.T) {
	var b ratelimit.Bucket
	if _, ok := b.Take(noon, 5, 1, 5); !ok {
		t.Fatal("a new bucket is not full")
	}
	if _, ok := b.Take(noon.Add(-time.Hour), 1, 1, 5); ok {
		t.Error("an hour earlier there are tokens")
	}
	if spent := b.Spent(noon.Add(2*time.Second), 1); math.Abs(spent-3) > 1e-9 {
		t.Errorf("%g tokens are missing, want 3", spent)
	}
}

func TestANetworkOfIPv6IsOneUser(t *testing.T) {
	for text, want := range map[string]string{
		"192.168.1.1":         "192.168.1.1/32",
		"::ffff:192.168.1.1":  "192.168.1.1/32",
		"2001:db8::ffff:1":    "2001:db8::/64",
		"fe80::1:2:3:4%wlan0": "fe80::/64",
	} {
		if got := ratelimit.Network(netip.MustParseAddr(text)); got.String() != want {
			t.Errorf("%s belongs to %v, want %s", text, got, want)
		}
	}
	if got := ratelimit.Network(netip.Addr{}); got != (netip.Prefix{}) {
		t.Errorf("no address belongs to %v", got)
	}
}
