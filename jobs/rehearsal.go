package jobs

import "mybot/robot"

// A Rehearsal is what a job comes to on a virtual robot.
type Rehearsal struct {
	Time   float64          // s, of all steps; waiting for people does not count
	Length float64          // m
	Steps  []RehearsedStep  // one for each step of the job
	Path   []RehearsedPoint // every 0.1 s while the robot moves, and the beginning and end of each stand
}

// A RehearsedStep is what became of one step.
type RehearsedStep struct {
	Time   float64       // s
	Length float64       // m
	Result robot.Result  // SUCCESS or MODIFIED when it was done; otherwise why it was left out
	Way    []robot.Point // MOVE: the first route, of the axle in map
}

// A RehearsedPoint is where the virtual robot is at a time of the rehearsal.
type RehearsedPoint struct {
	T    float64    // s since it began
	Pose robot.Pose // of base_link in map
}
