//go:build !linux

package testbed

import "time"

// threadTime returns the time of the clock, because the processor time of a thread is not
// available.
func threadTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
