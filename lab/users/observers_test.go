package users

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mybot/lab/internal/experiment/experimenttest"
	"mybot/lab/internal/guest"
)

func TestACrowdIsMeasuredAgainstARawLoop(t *testing.T) {
	experimenttest.StartChildren(t)
	out, _, err := commands.Run(t, "observers", "--json", "--observers", "20", "--stuck", "5", "--turns", "1", "--for", "500ms")
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
	if n, ok := guest.ParseStateNumber(frame); !ok || n != 1234 {
		t.Errorf("the number is %d, %v", n, ok)
	}
	want := time.Date(2026, 11, 20, 14, 33, 5, 250e6, time.UTC)
	if at, ok := stateTime(frame); !ok || !at.Equal(want) {
		t.Errorf("the time is %v, %v", at, ok)
	}
	if _, ok := guest.ParseStateNumber([]byte(`{"type":"hold","hold":3}`)); ok {
		t.Error("a hold is accepted as a state")
	}
	if _, ok := stateTime([]byte(`{"type":"state","n":1`)); ok {
		t.Error("half a state has a time")
	}
}

func TestAWrongCallOfObserversIsToldWhatWouldBeRight(t *testing.T) {
	for args, want := range map[string]string{
		"observers --observers 0": "--observers is 0; it must be from 1 to 1900",
		"observers --stuck 1000":  "--stuck is 1000; it must be from 0 to 999",
		"observers --for 1m":      "--for is 1m0s; it must be from 100ms to 4s",
		"observers --turns 0":     "--turns is 0; it must be from 1 to 100",
	} {
		if _, _, err := commands.Run(t, strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("lab %s says %v, want %q", args, err, want)
		}
	}
}
