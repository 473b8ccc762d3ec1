//go:build !linux || !(amd64 || arm64) || nodlopen

package h264

import (
	"fmt"

	"mybot/robot"
)

// Built says whether this program can use OpenH264 where it is installed.
const Built = false

// An Encoder is never made in this program.
type Encoder struct{}

// NewEncoder returns ErrAbsent.
func NewEncoder(_, _ int, _ int, _ float64) (*Encoder, error) {
	return nil, fmt.Errorf("%w: this program was built without it", ErrAbsent)
}

// MimeType is the codec's name in an offer.
func (e *Encoder) MimeType() string { return "video/H264" }

// SetBitrate does nothing.
func (e *Encoder) SetBitrate(int) {}

// Encode returns ErrAbsent.
func (e *Encoder) Encode(*robot.Frame, bool) ([]byte, error) { return nil, ErrAbsent }

// Close does nothing.
func (e *Encoder) Close() error { return nil }
