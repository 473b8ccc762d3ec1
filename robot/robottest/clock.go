package robottest

import (
	"testing"
	"time"
	"unsafe"
)

// AfterSetting returns a time as it reads after this computer's clock was set forward: the
// wall clock has jumped, the monotonic clock has not. The first word of a time.Time with a
// monotonic clock holds the nanoseconds of the wall clock, and its seconds from bit 30 on.
func AfterSetting(t *testing.T, at time.Time, forward time.Duration) time.Time {
	t.Helper()
	then := at
	*(*uint64)(unsafe.Pointer(&then)) += uint64(forward/time.Second) << 30
	if then.Sub(at) != 0 || then.Round(0).Sub(at.Round(0)) != forward {
		t.Fatalf("%v set forward by %v is %v", at, forward, then)
	}
	return then
}
