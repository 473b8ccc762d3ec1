// Package voice is what the robot says aloud: text as sentences, their lengths
// and their sound, by espeak-ng when the computer has it.
//
// Contract. A Voice may be used from any goroutine. It starts at most two
// programs at once, each for one sentence and a few seconds; text reaches them
// by their standard input, never by a shell, and names of voices are looked up
// first. What was made is kept, so that the length of a sentence and its sound
// are made once. Without espeak-ng the robot has no voice of its own: lengths
// are then estimates, and the robot's screen has to speak.
package voice
