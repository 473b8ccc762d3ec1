package playout

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestTheWaitIsWhatNineteenOfTwentyPacketsNeed(t *testing.T) {
	for _, c := range []struct {
		name string
		late func(n int) float64 // s, of packet n
		want float64
	}{
		{"an even network", func(int) float64 { return 3 }, minWait},
		{"one packet of ten late by 0.2 s", func(n int) float64 { return 3 + 0.2*float64(max(0, 1-n%10)) }, 0.2},
		{"one of fifty late by 0.2 s", func(n int) float64 { return 3 + 0.2*float64(max(0, 1-n%50)) }, minWait},
		{"half of them late by a second", func(n int) float64 { return float64(n % 2) }, maxWait},
	} {
		j := newJitter()
		luck := rand.New(rand.NewPCG(1, 2))
		for n := range 400 {
			j.addArrival(at(10+float64(n)*0.05+c.late(n)+1e-6*luck.Float64()), float64(n)*0.05)
		}
		if math.Abs(j.wait-c.want) > 1e-4 {
			t.Errorf("%s: it waits %.3f s, want %.3f s", c.name, j.wait, c.want)
		}
	}
}

func TestALatePacketIsMeasuredAgainstTheQuickestOfItsClock(t *testing.T) {
	j := newJitter()
	if got := j.measureLateness(at(5), 0); got != 0 {
		t.Errorf("before any other one it is %v s late", got)
	}
	for n := range 20 {
		j.addArrival(at(5+float64(n)*0.05), float64(n)*0.05) // the last one at 5.95 s
	}
	for _, c := range []struct {
		name         string
		now, t, want float64
	}{
		{"in time", 6, 1, 0},
		{"0.4 s late", 6.4, 1, 0.4},
		{"of a clock that began anew", 20, 0, 0},
		{"of a clock that runs ahead", 6, 100, 0},
		{"after more than a minute", 66, 60, 0},
		{"after a little less", 65, 59, 1},
	} {
		if got := j.measureLateness(at(c.now), c.t); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: %.3f s late, want %.3f s", c.name, got, c.want)
		}
	}
	edge := newJitter()
	edge.addArrival(at(5), 0)
	if got := edge.measureLateness(at(16), 1); got != otherClock {
		t.Errorf("what is as late as one clock may say is %v s late, want %v s", got, otherClock)
	}
	if edge.addArrival(at(16), 1); edge.count != 2 {
		t.Error("it counts as another clock")
	}
	if got := j.arrivalTime(at(7)); math.Abs(got-2) > 1e-6 {
		t.Errorf("what arrives now would be of %.3f s, want 2 s", got)
	}
	j.addArrival(at(20), 0) // another page
	if got := j.measureLateness(at(21), 0.5); math.Abs(got-0.5) > 1e-6 {
		t.Errorf("of the new clock it is %.3f s late, want 0.5 s", got)
	}
	j.addArrival(at(90), 70)
	if got := j.arrivalTime(at(91)); math.Abs(got-71) > 1e-6 {
		t.Errorf("after a long silence what came before counts: %.3f s, want 71 s", got)
	}
}
