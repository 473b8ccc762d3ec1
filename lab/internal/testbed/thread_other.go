//go:build !linux

package testbed

import "time"

// threadTime returns a time by the clock, where the processor time of a thread is not to
// be had.
func threadTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
