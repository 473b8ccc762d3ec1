// Package vp8 encodes pictures as VP8 (RFC 6386) in pure Go, fast enough for the
// live view of a robot.
//
// Contract. One goroutine at a time uses an Encoder. Encode works with a second
// goroutine of its own and waits for it; between calls an Encoder has none. The
// output of an encoder depends only on the pictures, the bitrates and the requests
// for key frames, never on the clock or on the scheduling of the two goroutines.
// Each frame refers to the previous one: a receiver that misses one needs a key
// frame. The first two frames are always key frames.
//
// VP8 features in use: quarter-pixel motion of whole macroblocks from the previous
// frame, all intra modes, token probabilities that follow the content, and the
// simple loop filter. What an encoder reconstructs is bit for bit what a decoder
// shows.
//
// The quantizer controls the bitrate (see rate). If even the coarsest quantizer
// exceeds the bitrate, a frame only repeats the previous one, in some 40 bytes.
package vp8
