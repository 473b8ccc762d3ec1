package link_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/link"
)

// start is the time at which the tests begin.
var start = time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)

func profiles() *rapid.Generator[link.Profile] {
	return rapid.Custom(func(t *rapid.T) link.Profile {
		ms := func(name string, most int) time.Duration {
			return time.Duration(rapid.IntRange(0, most).Draw(t, name)) * time.Millisecond
		}
		p := link.Profile{RoundTrip: ms("rtt", 1000), Jitter: ms("jitter", 200), Loss: rapid.Float64Range(0, 0.4).Draw(t, "loss")}
		if rapid.Bool().Draw(t, "bursts") {
			p.Burst = 1 + ms("burst", 1000)
		}
		if rapid.Bool().Draw(t, "stalls") {
			p.StallMax = 1 + ms("stall", 2000)
			p.StallMin = p.StallMax / 2
			p.StallGap = 100*time.Millisecond + ms("gap", 5000)
		}
		return p
	})
}

// sends draws the times at which messages leave, and their lengths.
func sends(t *rapid.T) (times []time.Time, sizes []int) {
	now := start
	for range rapid.IntRange(1, 60).Draw(t, "messages") {
		now = now.Add(time.Duration(rapid.IntRange(0, 300).Draw(t, "pause")) * time.Millisecond)
		times = append(times, now)
		sizes = append(sizes, rapid.IntRange(0, 5000).Draw(t, "size"))
	}
	return times, sizes
}

func TestAStreamLosesNothingAndKeepsItsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := link.New(profiles().Draw(t, "profile"), rapid.Uint64().Draw(t, "seed"))
		times, sizes := sends(t)
		var last time.Time
		for i, now := range times {
			at, ok := path.Arrive(now, link.Stream, sizes[i])
			if !ok {
				t.Fatalf("message %d is lost", i)
			}
			if at.Before(now) || at.Before(last) {
				t.Fatalf("message %d, sent at %v, arrives at %v, the one before it at %v", i, now, at, last)
			}
			last = at
		}
	})
}

func TestTheSameSeedIsTheSameNetwork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		profile, seed := profiles().Draw(t, "profile"), rapid.Uint64().Draw(t, "seed")
		one, other := link.New(profile, seed), link.New(profile, seed)
		times, sizes := sends(t)
		for i, now := range times {
			class := link.Class(i % 2)
			a, aOK := one.Arrive(now, class, sizes[i])
			b, bOK := other.Arrive(now, class, sizes[i])
			if !a.Equal(b) || aOK != bOK {
				t.Fatalf("message %d arrives at %v and %v", i, a, b)
			}
		}
	})
}

func TestTheUplinkDoesNotChangeTheLossesOfTheDownlink(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		profile, seed := profiles().Draw(t, "profile"), rapid.Uint64().Draw(t, "seed")
		_, quiet := link.NewPair(profile, seed)
		up, busy := link.NewPair(profile, seed)
		times, sizes := sends(t)
		for i, now := range times {
			up.Arrive(now, link.Stream, sizes[i])
			up.Arrive(now, link.Datagram, sizes[i])
			a, aOK := quiet.Arrive(now, link.Datagram, sizes[i])
			b, bOK := busy.Arrive(now, link.Datagram, sizes[i])
			if !a.Equal(b) || aOK != bOK {
				t.Fatalf("message %d arrives at %v and %v", i, a, b)
			}
		}
	})
}

func TestTheTwoDirectionsHaveTheirOwnLuck(t *testing.T) {
	up, down := link.NewPair(link.Profile{RoundTrip: time.Second, Jitter: 100 * time.Millisecond}, 1)
	same := 0
	for range 100 {
		a, _ := up.Arrive(start, link.Datagram, 1)
		b, _ := down.Arrive(start, link.Datagram, 1)
		if a.Equal(b) {
			same++
		}
	}
	if same > 5 {
		t.Errorf("%d of 100 arrive together", same)
	}
}

func TestTheRoundTripIsThatOfTheProfile(t *testing.T) {
	p, err := link.ParseProfile("kaist-davis")
	if err != nil {
		t.Fatal(err)
	}
	up, down := link.NewPair(p, 7)
	const n = 20_000
	var sum, squares float64
	var lost, counted int
	var trips []float64
	for i := range n {
		now := start.Add(time.Duration(i) * time.Second)
		there, ok1 := up.Arrive(now, link.Datagram, 100)
		back, ok2 := down.Arrive(now, link.Datagram, 100)
		for _, ok := range []bool{ok1, ok2} {
			if !ok {
				lost++
			}
		}
		if ok1 && ok2 {
			trip := (there.Sub(now) + back.Sub(now)).Seconds()
			sum += trip
			squares += trip * trip
			trips = append(trips, trip)
			counted++
		}
	}
	mean := sum / float64(counted)
	deviation := math.Sqrt(squares/float64(counted) - mean*mean)
	slices.Sort(trips)
	if math.Abs(mean-0.310) > 0.002 || math.Abs(deviation-0.040) > 0.002 || math.Abs(trips[len(trips)/2]-0.310) > 0.002 {
		t.Errorf("round trip %.4f s, deviation %.4f s, median %.4f s", mean, deviation, trips[len(trips)/2])
	}
	if rate := float64(lost) / (2 * n); math.Abs(rate-0.01) > 0.002 {
		t.Errorf("%.2f %% lost", rate*100)
	}
}

func TestALostPieceOfAStreamHoldsUpAllThatFollows(t *testing.T) {
	p := link.Profile{RoundTrip: 300 * time.Millisecond}
	path := link.New(p, 1)
	path.BlackHole(start.Add(time.Second), start.Add(time.Second+10*time.Millisecond)) // exactly one message
	for i, want := range []time.Duration{150, 650, 1750, 1750, 1750, 2150} {           // ms; 1000 is sent again at 1600
		sent := []time.Duration{0, 500, 1000, 1100, 1500, 2000}[i]
		at, ok := path.Arrive(start.Add(sent*time.Millisecond), link.Stream, 100)
		if !ok || !at.Equal(start.Add(want*time.Millisecond)) {
			t.Errorf("sent at %d ms it arrives at %v, want %d ms", sent, at.Sub(start), want)
		}
	}
}

func TestTheTimeOutDoublesAndIsAtLeast200Milliseconds(t *testing.T) {
	for _, c := range []struct{ rtt, hole, want time.Duration }{
		{time.Millisecond, 1, 200500 * time.Microsecond},
		{time.Millisecond, 201 * time.Millisecond, 600500 * time.Microsecond},
		{time.Millisecond, 601 * time.Millisecond, 1400500 * time.Microsecond},
		{400 * time.Millisecond, 1, time.Second},
		{400 * time.Millisecond, 801 * time.Millisecond, 2600 * time.Millisecond},
	} {
		path := link.New(link.Profile{RoundTrip: c.rtt}, 1)
		path.BlackHole(start, start.Add(c.hole))
		if at, ok := path.Arrive(start, link.Stream, 1); !ok || at.Sub(start) != c.want {
			t.Errorf("round trip %v, silence %v: arrives after %v, want %v", c.rtt, c.hole, at.Sub(start), c.want)
		}
	}
}

func TestNothingComesOutOfABlackHole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := link.New(profiles().Draw(t, "profile"), rapid.Uint64().Draw(t, "seed"))
		from := start.Add(time.Duration(rapid.IntRange(0, 3000).Draw(t, "from")) * time.Millisecond)
		to := from.Add(time.Duration(rapid.IntRange(1, 20_000).Draw(t, "long")) * time.Millisecond)
		path.BlackHole(from, to)
		times, sizes := sends(t)
		for i, now := range times {
			in := !now.Before(from) && now.Before(to)
			if at, ok := path.Arrive(now, link.Datagram, sizes[i]); ok && in {
				t.Fatalf("a datagram sent at %v arrives at %v", now.Sub(start), at.Sub(start))
			}
			if at, ok := path.Arrive(now, link.Stream, sizes[i]); !ok || in && at.Before(to) {
				t.Fatalf("a message sent at %v arrives at %v (%v)", now.Sub(start), at.Sub(start), ok)
			}
		}
	})
}

func TestAStreamIntoAnEndlessHoleIsDeadForGood(t *testing.T) {
	path := link.New(link.Profile{RoundTrip: 10 * time.Millisecond}, 1)
	path.BlackHole(start, time.Unix(1<<40, 0))
	for i := range 3 {
		if at, ok := path.Arrive(start.Add(time.Duration(i)*time.Hour), link.Stream, 1); ok {
			t.Errorf("arrives at %v", at)
		}
	}
}

func TestWhatIsSentInAStallArrivesWhenItEnds(t *testing.T) {
	p, err := link.ParseProfile("rtt=20ms,stall=3s,every=10s")
	if err != nil {
		t.Fatal(err)
	}
	path := link.New(p, 5)
	bursts := map[time.Time]int{}
	late := 0
	const n = 20_000
	for i := range n { // 20 Hz for 1000 s
		now := start.Add(time.Duration(i) * 50 * time.Millisecond)
		at, ok := path.Arrive(now, link.Stream, 200)
		if !ok {
			t.Fatal("lost")
		}
		bursts[at]++
		if wait := at.Sub(now); wait > 10*time.Millisecond {
			late++
			if wait > 3010*time.Millisecond {
				t.Fatalf("waits %v", wait)
			}
		} else if wait != 10*time.Millisecond {
			t.Fatalf("takes %v", wait)
		}
	}
	if share := float64(late) / n; math.Abs(share-3.0/13) > 0.08 {
		t.Errorf("%.2f of the messages were held back, want about 3 of 13 s", share)
	}
	for at, size := range bursts {
		if size > 1 && (size < 58 || size > 62) {
			t.Errorf("%d messages arrive together at %v, want the 60 of 3 s", size, at.Sub(start))
		}
	}
}

func TestALongMessageIsLostMoreOften(t *testing.T) {
	lost := func(size int) (n int) {
		path := link.New(link.Profile{Loss: 0.05}, 3)
		for range 5000 {
			if _, ok := path.Arrive(start, link.Datagram, size); !ok {
				n++
			}
		}
		return n
	}
	if short, long := lost(1200), lost(12_000); short < 150 || short > 350 || long < 1800 || long > 2300 { // 5 % and 40 %
		t.Errorf("%d short and %d long ones of 5000 are lost", short, long)
	}
}

func BenchmarkArrive(b *testing.B) {
	p, err := link.ParseProfile("wifi-bad")
	if err != nil {
		b.Fatal(err)
	}
	path := link.New(p, 1)
	now := start
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(10 * time.Millisecond)
		path.Arrive(now, link.Stream, 400)
	}
}

// 100 packets a second for six hours, 5 % of them lost, in bursts of 0.4 s on
// average: the loss is the same as without bursts, and the silences have the mean
// length.
func TestLossesComeInBurstsOfTheirMeanLength(t *testing.T) {
	const n, every = 6 * 3600 * 100, 10 * time.Millisecond
	path := link.New(link.Profile{Loss: 0.05, Burst: 400 * time.Millisecond}, 3)
	lost, bursts, longer := 0, 0, 0
	run := 0 // packets lost in a row
	for i := range n {
		if _, ok := path.Arrive(start.Add(time.Duration(i)*every), link.Datagram, 100); !ok {
			lost++
			if run++; run == 1 {
				bursts++
			} else if run == 100 {
				longer++
			}
			continue
		}
		run = 0
	}
	share := float64(lost) / n
	mean := float64(lost) / float64(bursts) * every.Seconds()
	long := float64(longer) / float64(bursts) // of exponential length, those above 1 s
	if math.Abs(share-0.05) > 0.005 || math.Abs(mean-0.41) > 0.04 || math.Abs(long-math.Exp(-2.5)) > 0.02 {
		t.Errorf("%.3f are lost, in bursts of %.2f s, of which %.3f are longer than a second", share, mean, long)
	}
}
