// Package recording records what a robot sensed, what it was commanded and what it
// did, as MCAP for Foxglove and Lichtblick. docs/recordings.md describes the
// contents.
//
// The control loop calls a Recorder and never waits for it: each recording has a
// queue, which another goroutine writes. What does not fit into the queue is
// counted, and the recording says where it is missing.
//
// A recording contains numbers but no text that people wrote: no names of users,
// places or jobs, no messages, no sentences that could contain names, no pictures
// and no sound.
package recording
