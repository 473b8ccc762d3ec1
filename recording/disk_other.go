//go:build !linux && !darwin

package recording

import "errors"

// freeBytes does not know how much is free here: recordings end when the disk is full.
func freeBytes(string) (free, whole int64, err error) {
	return 0, 0, errors.ErrUnsupported
}
