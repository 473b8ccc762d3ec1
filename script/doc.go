// Package script implements the language in which people program the robot: URBI (Baillie
// 2004), with its time, its tags and its four separators.
//
// A Reader splits a stream of text into commands; Parse reads a whole script. A Machine
// runs the commands of its units, one for each script and each connection. It is pure:
// time comes with the calls, and the same calls produce the same lines. Each call of Open,
// Start, Say, Give, Close, CloseEnded, Answer, Hold, Resume, Silence, Hear or Tick runs
// one instant, which executes everything that takes no time or has ended since the last
// instant: what was due before, in the order of its time, then what the call brings, then
// what is due at its time. The host drains the machine's lines with Lines, settings of
// devices with Outputs, and requests with Asks.
//
// One goroutine owns a machine. A running statement is a value that the machine steps with
// the time. It has no goroutine or stack of its own, so stopping, freezing and counting are
// walks over a tree.
package script
