// Package script is the language in which people say what the robot does by
// itself: URBI (Baillie 2004), with its time, its tags and its four separators.
//
// A Reader cuts a text that arrives bit by bit into commands; Parse reads a
// whole script. A Machine runs the commands of its units, one for each script
// and each connection. It is pure: time comes with the calls, and the same calls
// give the same lines. Each of Open, Start, Say, Give, Close, Answer, Hold, Resume
// and Tick runs one instant, in which everything happens that takes no time or ended
// since the instant before. What the machine says is drained by Lines, what devices
// are asked for by Outputs, and what needs more than memory by Asks.
//
// One goroutine owns a machine. Every running statement is one value that is
// stepped with the time; it has no goroutine and no stack of its own, so that
// stopping, freezing and counting are a walk over a tree.
package script
