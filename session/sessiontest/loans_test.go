package sessiontest_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/session/sessiontest"
)

func TestWhateverHappensALoanEndsWhenItShould(t *testing.T) {
	t.Run("in histories that are long", func(t *testing.T) {
		var all sessiontest.Loans
		for seed := range uint64(40) {
			l, err := sessiontest.CheckLoans(rand.New(rand.NewPCG(seed, 2)), 5, 200)
			if err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
			all.Used += l.Used
			all.TakenBack += l.TakenBack
			all.TakeBack = max(all.TakeBack, l.TakeBack)
		}
		if all.Used < 100 || all.TakenBack < 50 || all.TakeBack == 0 || all.TakeBack > 100*time.Millisecond {
			t.Errorf("too little happened: %+v", all)
		}
	})
	t.Run("in some that can be shortened", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			if _, err := sessiontest.CheckLoans(drawn{t}, rapid.SampledFrom([]int{2, 3, 5, 12}).Draw(t, "clients"), rapid.IntRange(1, 150).Draw(t, "steps")); err != nil {
				t.Fatal(err)
			}
		})
	})
}
