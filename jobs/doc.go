// Package jobs defines the jobs of the robot, sequences of MOVE, VOICE, MESSAGE and
// WAIT (Han 2002, sections 3.1 and 4.3), and the run of a job as a state machine
// with the states of VDA 5050.
//
// Contract. The package is pure: it has no clock, no goroutine and no I/O. A Job is
// a definition; Parse reads one and reports every fault. A Run executes one: its
// owner, Core, steps it with the time of the readings and a Body to move. The same
// commands at the same times give the same run, so whole jobs run in virtual time.
// One goroutine uses a Run; the results of State may be shared.
package jobs
