package sessiontest_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"mybot/session/sessiontest"
)

// A drawn chance lets rapid find and shorten histories.
type drawn struct{ *rapid.T }

func (d drawn) IntN(n int) int { return rapid.IntRange(0, n-1).Draw(d.T, "chance") }

func TestWhateverHappensControlPassesOnAsItShould(t *testing.T) {
	t.Run("with fifty clients", func(t *testing.T) {
		for seed := range uint64(20) {
			if err := sessiontest.CheckHistory(rand.New(rand.NewPCG(seed, 1)), 50, 300); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
	})
	t.Run("with few, who meet more often", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			if err := sessiontest.CheckHistory(drawn{t}, rapid.SampledFrom([]int{2, 4, 12, 50}).Draw(t, "clients"), rapid.IntRange(1, 150).Draw(t, "steps")); err != nil {
				t.Fatal(err)
			}
		})
	})
}
