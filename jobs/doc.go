// Package jobs is what a job of the robot is: a sequence of MOVE, VOICE, MESSAGE
// and WAIT (Han 2002, sections 3.1 and 4.3), and the run of one as a state
// machine with VDA 5050's words.
//
// Contract. The room is pure: it has no clock, no goroutine and no file. A Job
// is a definition; Parse reads one and names every fault. A Run does one: its
// owner, the control core, steps it with the time of the readings and gives it
// a Body to move. The same orders at the same times give the same run, so whole
// jobs run in virtual time. A Run is used by one goroutine; what State returns
// may be kept by anybody.
package jobs
