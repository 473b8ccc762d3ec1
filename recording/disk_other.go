//go:build !linux && !darwin

package recording

import "errors"

// freeBytes cannot tell how much is free on this system, so recordings end when the
// disk is full.
func freeBytes(string) (free, whole int64, err error) {
	return 0, 0, errors.ErrUnsupported
}
