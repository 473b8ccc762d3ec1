// Package h264 encodes pictures as H.264 with Cisco's OpenH264, if that is
// installed: the library is loaded at run time and needs no compiler.
//
// Contract. NewEncoder returns ErrAbsent, with the reason, if there is no library
// of the supported version; the caller then uses package vp8. One goroutine at a
// time creates and uses encoders. The frames form an Annex B stream; the first two
// are key frames, which carry their parameter sets. An empty frame is one that the
// rate control dropped. Memory that is passed to the library belongs to Go: it is
// pinned during a call, and the library must not retain it.
//
// The package is built for Linux on amd64 and arm64. The tag nodlopen leaves it
// out, for a program that must run without a dynamic loader.
package h264

import "errors"

var (
	// ErrAbsent says that OpenH264 is not installed or not built in.
	ErrAbsent = errors.New("h264: OpenH264 is not available")
	// ErrClosed says that the encoder is closed.
	ErrClosed = errors.New("h264: the encoder is closed")
)
