package app

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestThatTheClockIsSetIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var set atomic.Int64 // by which the clock was set, a time.Duration
		var told []string
		go watchClock(ctx, func() time.Time { return time.Now().Add(time.Duration(set.Load())) }, func(text string) { told = append(told, text) }, quiet())
		for _, tc := range []struct {
			set  time.Duration
			want int
			says string
		}{
			{0, 0, ""},
			{50 * time.Second, 0, ""}, // a correction
			{-30 * 365 * 24 * time.Hour, 1, "to 1970-"},
			{-30 * 365 * 24 * time.Hour, 1, ""},
			{200 * 24 * time.Hour, 2, "from 1970-"},
			{0, 3, ""},
		} {
			time.Sleep(clockPeriod / 2)
			set.Store(int64(tc.set))
			time.Sleep(3 * clockPeriod)
			synctest.Wait()
			if len(told) != tc.want || tc.want > 0 && !strings.Contains(told[tc.want-1], tc.says) {
				t.Errorf("after %v: %q, want %d of which the last says %q", tc.set, told, tc.want, tc.says)
			}
		}
	})
}
