package stats

import (
	"testing"
	"time"
)

func TestTheShareOfAgesIsCountedFromBelow(t *testing.T) {
	var ages []time.Duration
	for i := range 200 {
		ages = append(ages, time.Duration(200-i)*time.Millisecond)
	}
	for q, want := range map[float64]float64{0.99: 198, 0.5: 100, 1: 200, 0.001: 1} {
		if got := Milliseconds(Quantile(ages, q)); got != want {
			t.Errorf("the share %v is below %v ms, want %v", q, got, want)
		}
	}
	if got := Milliseconds(Quantile[time.Duration](nil, 0.99)); got != 0 {
		t.Errorf("for no values it is %v", got)
	}
}
