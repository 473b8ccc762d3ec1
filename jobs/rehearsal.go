package jobs

import "mybot/robot"

// A Rehearsal is the outcome of a job on a virtual robot.
type Rehearsal struct {
	Time   float64          // s, of all steps, without waiting for people
	Length float64          // m
	Steps  []RehearsedStep  // one for each step of the job
	Path   []RehearsedPoint // every 0.1 s while the robot moves, and at the beginning and end of each stop
}

// A RehearsedStep is the outcome of one step.
type RehearsedStep struct {
	Time   float64       // s
	Length float64       // m
	Result robot.Result  // SUCCESS or MODIFIED if it was done; otherwise why it was left out
	Way    []robot.Point // MOVE: the first route, of the axle in map
}

// A RehearsedPoint is the virtual robot's pose at a time of the rehearsal.
type RehearsedPoint struct {
	T    float64    // s since the beginning
	Pose robot.Pose // of base_link in map
}
