package ratelimit_test

import (
	"slices"
	"testing"

	"mybot/ratelimit"
)

func TestEachSharerHasAtMostHalfOfWhatTheOthersLeave(t *testing.T) {
	var s ratelimit.Shares
	free := 56
	takeAll := func(sharer string) int {
		for s.Take(sharer, free) {
			free--
		}
		return s.Count(sharer)
	}
	var got []int
	for _, sharer := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		got = append(got, takeAll(sharer))
	}
	if want := []int{28, 14, 7, 4, 2, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("one after the other they have %v, want %v", got, want)
	}
	s.Return("a")
	if free++; !s.Take("g", free) {
		t.Error("what one returns is refused to another that has none")
	}
	for range 14 {
		s.Return("b")
	}
	if n := s.Count("b"); n != 0 {
		t.Errorf("who has returned everything has %d", n)
	}
}
