// Package vp8 encodes pictures as VP8 (RFC 6386) in Go alone, fast enough for
// the live view from a robot.
//
// Contract. One goroutine at a time uses an Encoder. Encode works with a second
// goroutine of its own and has waited for it when it returns; between calls an
// Encoder owns none. What an encoder gives out depends on the pictures, the
// bitrates and the calls for key frames only, never on the clock or on how the
// two goroutines take turns. Each frame refers to the one before it: who misses
// one needs a key frame. The first two frames are key frames without being
// asked for.
//
// What it uses of VP8: motion of whole macroblocks in quarters of a pixel from
// the frame before, all intra modes, token probabilities that follow the
// content, and the simple loop filter. What an encoder rebuilds is bit by bit
// what a decoder shows.
//
// The bitrate is held by the quantizer (see rate). Where even the coarsest one
// is too much for the bitrate, a frame only repeats the one before, in some 40
// bytes.
package vp8
