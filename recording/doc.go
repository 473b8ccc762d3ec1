// Package recording records what a robot felt, what it was told and what it did,
// as MCAP that Foxglove and Lichtblick open. docs/recordings.md describes what is
// in a recording.
//
// A Recorder is called by the control loop and never makes it wait: each recording
// has a queue of its own, which another goroutine writes. What finds no place in
// the queue is counted, and the recording says so where it is missing.
//
// A recording has numbers and no words that people wrote: no names of users,
// places or jobs, no messages and no sentences in which names may stand, no
// pictures and no sound.
package recording
