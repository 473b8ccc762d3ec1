package robot

// GoalPhase is the phase of a goal.
type GoalPhase string

// The phases of a goal.
const (
	GoalDriving GoalPhase = "driving" // on its way
	GoalPaused  GoalPhase = "paused"  // waits for Resume
	GoalBlocked GoalPhase = "blocked" // waits for an obstacle and continues by itself
	GoalEnded   GoalPhase = "ended"   // see Result
)

// A Goal is the robot's current or last goal. It is a value; Route and Blocked are not
// modified after publication.
type Goal struct {
	Number   uint64 // counts goals from 1
	Pose     Pose   // of base_link in map
	Name     string // of the place; "" = none
	Phase    GoalPhase
	Done     float64   // m along the route
	Left     float64   // m, remaining; the straight distance until a path is planned
	Time     float64   // s, estimated time to go
	Across   float64   // m, cross-track error, left positive
	Off      float64   // m, distance from the goal after it ended
	Blocked  *Blockage // nil = no obstacle
	Behavior Behavior  // zero = none now
	Result   Result    // of an ended goal: SUCCESS arrived, INTERRUPTED cancelled, ERROR not reached; of a paused goal: the reason, without a word
	Route    *Route
}

// A Behavior is what a robot does at the moment on its way.
type Behavior struct {
	State    string  // follow, yield, replan, wait or free; "" = none
	Sentence string  // the behavior and its reason, for people
	Lane     float64 // m, offset of the robot's lane to the left of the route
}

// Blockage describes what a robot waits for.
type Blockage struct {
	At     Point   // in map: the obstacle, or where it closes the path
	Waited float64 // s
	Reason string  // sentence: the planner's description of the obstacle, or why the robot itself cannot move; empty = unknown
}

// A Route is a path as users see it. It is immutable.
type Route struct {
	Number uint64   // counts driven routes from 1; 0 = only planned
	Goal   Pose     // of base_link in map
	Line   []Point  // polyline of the axle point M, in map
	Via    []string // names of the via points it passes, in order
	Length float64  // m
	Time   float64  // s, including turns
}
