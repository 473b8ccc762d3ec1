//go:build !linux

package testbed

import "time"

// ThreadTime returns the time of the clock, because the processor time of a thread is not
// available.
func ThreadTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
