package session

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestWhatComesLateIsKnownByWhatCameQuickly(t *testing.T) {
	zero := time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)
	type frame struct{ t, at, late float64 } // s: sent, received, and the lateness that is estimated
	for name, frames := range map[string][]frame{
		"evenly":                  {{10, 100, 0}, {11, 101, 0}, {12, 102, 0}},
		"one is late":             {{10, 100, 0}, {11, 102.5, 1.5}, {12, 102.5, 0.5}, {13, 103, 0}},
		"the first was late":      {{10, 103, 0}, {11, 103, 0}, {14, 105, 0}, {15, 106.5, 0.5}},
		"a burst after 20 s":      {{10, 100, 0}, {11, 101, 0}, {12, 121, 19}, {20, 121, 11}, {30, 121, 1}, {31, 121.1, 0.1}},
		"the way got longer":      {{10, 100, 0}, {12, 104, 2}, {15, 107, 2}, {19, 111, 2}, {20.1, 112.1, 0}},
		"and is a little uneven":  {{10, 100, 0}, {16, 106.3, 0.3}, {16.5, 106.6, 0.1}, {22, 112.2, 0.1}, {28, 118.4, 0.2}},
		"a clock beyond all hope": {{10, 100, 0}, {1e300, 101, -1}, {12, 102, 0}},
	} {
		var l lateness
		for i, f := range frames {
			at := zero.Add(time.Duration(f.at * 1e9))
			made := l.madeAt(at, f.t)
			if late := at.Sub(made).Seconds(); f.late >= 0 && (late < f.late-1e-6 || late > f.late+1e-6) || made.IsZero() != (f.late < 0) {
				t.Errorf("%s: frame %d is taken for %.2f s late, want %.2f s", name, i, late, f.late)
			}
		}
	}
}

// However long a stall is, and whatever was sent during it, the samples received
// before it show how late the later ones are.
func TestAStallMakesNothingLookFresh(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zero := time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)
		at := func(s float64) time.Time { return zero.Add(time.Duration(s * 1e9)) }
		offset := rapid.Float64Range(-1e6, 1e6).Draw(t, "offset")
		delay := rapid.Float64Range(0, 2).Draw(t, "delay")
		stall := rapid.Float64Range(1, 100).Draw(t, "stall")
		var l lateness
		now := 0.0
		for range rapid.IntRange(1, 40).Draw(t, "before") {
			l.madeAt(at(now+delay), now+offset)
			now += rapid.Float64Range(0.05, 1).Draw(t, "gap")
		}
		end := now + stall
		for now < end {
			late := at(end + delay).Sub(l.madeAt(at(end+delay), now+offset)).Seconds()
			if want := end - now; late < want-1e-4 || late > want+1e-4 {
				t.Fatalf("%.3f s late is taken for %.3f s", want, late)
			}
			now += rapid.Float64Range(0.05, 5).Draw(t, "gap")
		}
	})
}
