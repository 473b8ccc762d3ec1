// Package h264 encodes pictures as H.264 with Cisco's OpenH264, where this
// computer has it: it is looked for when the program runs, and needs no
// compiler.
//
// Contract. NewEncoder returns ErrAbsent, with the reason, where there is no
// library of the version that is known to fit; then package vp8 does the work.
// One goroutine at a time makes encoders and uses one. Its frames are those of an Annex B
// stream; the first two are key frames, which carry their parameter sets. An
// empty frame is one that the rate control left out. What is passed to the
// library stays Go's: it is pinned during a call and not kept.
//
// It is built for Linux on amd64 and arm64. A program that is to run without a
// dynamic loader is built with the tag nodlopen, which leaves it out.
package h264

import "errors"

var (
	// ErrAbsent says that this computer or this program has no OpenH264.
	ErrAbsent = errors.New("h264: OpenH264 is not there")
	// ErrClosed says that the encoder is closed.
	ErrClosed = errors.New("h264: the encoder is closed")
)
