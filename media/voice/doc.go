// Package voice synthesizes what the robot says with espeak-ng, if that is
// installed: it splits texts into sentences and returns their durations and sound.
//
// Contract. Any goroutine may use a Voice. It runs at most two programs at once,
// each for one sentence and a few seconds; they get the text by standard input,
// never by a shell, and names of voices are checked first. Results are cached, so
// that each sentence is synthesized once. Without espeak-ng the robot has no voice
// of its own: durations are then estimates, and the robot's screen has to speak.
package voice
