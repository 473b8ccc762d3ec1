//go:build !linux || !(amd64 || arm64) || nodlopen

package h264

import (
	"fmt"

	"mybot/robot"
)

// Built says whether this build can use OpenH264 if it is installed.
const Built = false

// An Encoder cannot be created in this build.
type Encoder struct{}

// NewEncoder returns ErrAbsent.
func NewEncoder(_, _ int, _ int, _ float64) (*Encoder, error) {
	return nil, fmt.Errorf("%w: this program was built without it", ErrAbsent)
}

// MimeType returns the codec's name in an offer.
func (e *Encoder) MimeType() string { return "video/H264" }

// SetBitrate does nothing.
func (e *Encoder) SetBitrate(int) {}

// Encode returns ErrAbsent.
func (e *Encoder) Encode(*robot.Frame, bool) ([]byte, error) { return nil, ErrAbsent }

// Close does nothing.
func (e *Encoder) Close() error { return nil }
