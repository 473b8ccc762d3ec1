package lab

import (
	"encoding/json"
	"testing"
	"time"
)

func TestACrowdIsMeasuredBesideARawLoop(t *testing.T) {
	t.Setenv("MYBOT_TEST_BE_THE_PROGRAM", "1")
	out, _, err := run(t, "observers", "--json", "--observers", "20", "--stuck", "5", "--turns", "1", "--for", "500ms")
	if err != nil {
		t.Fatal(err)
	}
	t.Log(out)
	var o observersOutcome
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	if o.Observers != 20 || o.Hz != 20 || o.Stuck.Observers != 20 || o.Stuck.Stuck != 5 {
		t.Errorf("the outcome is of %d observers at %v Hz, and of %d with %d stuck", o.Observers, o.Hz, o.Stuck.Observers, o.Stuck.Stuck)
	}
	if !(o.P99 > 0 && o.RawP99 > 0 && o.Stuck.P99 > 0 && o.CPU > 0 && o.RawCPU > 0 && o.Ratio > 0) {
		t.Errorf("something was not measured: %+v", o)
	}
}

func TestTheAgeOfAStateIsReadFromTheFrame(t *testing.T) {
	frame := []byte(`{"type":"state","n":1234,"t":903.2,"at":"2026-11-20T14:33:05.25Z","mode":"manual"}`)
	if n, ok := ParseStateNumber(frame); !ok || n != 1234 {
		t.Errorf("the number is %d, %v", n, ok)
	}
	want := time.Date(2026, 11, 20, 14, 33, 5, 250e6, time.UTC)
	if at, ok := stateTime(frame); !ok || !at.Equal(want) {
		t.Errorf("the time is %v, %v", at, ok)
	}
	if _, ok := ParseStateNumber([]byte(`{"type":"hold","hold":3}`)); ok {
		t.Error("a hold is taken for a state")
	}
	if _, ok := stateTime([]byte(`{"type":"state","n":1`)); ok {
		t.Error("half a state has a time")
	}
}

func TestTheShareOfAgesIsCountedFromBelow(t *testing.T) {
	var ages []time.Duration
	for i := range 200 {
		ages = append(ages, time.Duration(200-i)*time.Millisecond)
	}
	for q, want := range map[float64]float64{0.99: 198, 0.5: 100, 1: 200, 0.001: 1} {
		if got := percentile(ages, q); got != want {
			t.Errorf("the share %v is below %v ms, want %v", q, got, want)
		}
	}
	if got := percentile(nil, 0.99); got != 0 {
		t.Errorf("of nothing it is %v", got)
	}
}
