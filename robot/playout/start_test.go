package playout

import (
	"math"
	"math/rand/v2"
	"testing"
)

// began returns after which arrival, and when, a motion of n commands, one every 0.1 s, may
// begin; sleep returns the processing time of each package.
func began(n int, sleep func() float64) (k int, t float64, arrive []float64) {
	s := Start{Duration: float64(n-1) * 0.1}
	free := 0.0
	k = -1
	for i := range n {
		free = math.Max(float64(i)*0.1, free) + sleep()
		arrive = append(arrive, free)
		if k < 0 {
			if s.Take(at(free), float64(i)*0.1); s.Ready() {
				k, t = i, free
			}
		}
	}
	return k, t, arrive
}

func TestAMotionBeginsWhenItWillNotRunDry(t *testing.T) {
	for seed := range uint64(200) {
		luck := rand.New(rand.NewPCG(seed, 6))
		for level := 1; level <= 4; level++ {
			k, from, arrive := began(321, func() float64 {
				sum := 0.0
				for range level {
					sum += 0.1 * luck.Float64()
				}
				return sum
			})
			if k < minSeen {
				t.Fatalf("seed %d, level %d: it begins after %d commands", seed, level, k+1)
			}
			for i, a := range arrive {
				if late := a - (from + float64(i)*0.1); late > 0.02 {
					t.Fatalf("seed %d, level %d: begun at %.1f s, command %d comes %.3f s too late", seed, level, from, i, late)
				}
			}
		}
	}
}

func TestAMotionThatComesInTimeBeginsSoon(t *testing.T) {
	if k, _, _ := began(321, func() float64 { return 0 }); k != minSeen {
		t.Errorf("it begins after %d commands, want %d", k+1, minSeen+1)
	}
	same, once, dull := Start{Duration: 5}, Start{Duration: 5}, Start{Duration: 5}
	for i := range 2 * minSeen {
		same.Take(at(float64(i)), 0)
		once.Take(at(0), 0.1*float64(i))
		dull.Take(at(0), 0)
		if same.Ready() || dull.Ready() {
			t.Fatal("it begins when nothing is known but what it begins with")
		}
		if once.Ready() != (i >= minSeen) {
			t.Fatalf("with %d commands that came at once it begins: %v", i+1, once.Ready())
		}
	}
	whole := Start{Duration: 5}
	for i := range 6 {
		if whole.Ready() {
			t.Fatalf("it begins with %d of 6 commands", i)
		}
		whole.Take(at(0), float64(i))
	}
	if !whole.Ready() {
		t.Error("all of it is there, and it does not begin")
	}
}
