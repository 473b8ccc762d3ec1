package robot

// GoalPhase is how far a goal has come.
type GoalPhase string

// The phases of a goal.
const (
	GoalDriving GoalPhase = "driving" // on its way
	GoalPaused  GoalPhase = "paused"  // waits for Resume
	GoalBlocked GoalPhase = "blocked" // something stands in the way; goes on by itself when it is gone
	GoalEnded   GoalPhase = "ended"   // Result tells how
)

// A Goal is where the robot goes, or went last. It is a value; Route and
// Blocked are not written to after publication.
type Goal struct {
	Number   uint64 // counts goals from 1
	Pose     Pose   // of base_link in map
	Name     string // of the place; "" = it has none
	Phase    GoalPhase
	Done     float64   // m along the route
	Left     float64   // m to go
	Time     float64   // s to go, about
	Across   float64   // m off the route, left positive
	Off      float64   // m from the goal; of a goal that ended
	Blocked  *Blockage // nil = nothing is in the way
	Behavior Behavior  // of a robot with a lidar; the zero one = it has none now
	Result   Result    // of a goal that ended: SUCCESS arrived, INTERRUPTED given up, ERROR not reached; why it is paused, with word ""
	Route    *Route
}

// A Behavior is what a robot on its way is at.
type Behavior struct {
	State    string  // follow, yield, replan, wait or free; "" = none
	Sentence string  // what it does and why, for people
	Lane     float64 // m to the left of the route, where it drives
}

// Blockage is what a robot waits for.
type Blockage struct {
	At     Point   // in map: the face of what is in the way
	Waited float64 // s
	Reason string  // what stands there, as the planner tells it; empty = not known
}

// A Route is a way to a goal as people see it. It does not change.
type Route struct {
	Number uint64   // counts the routes that are driven, from 1; 0 = only planned
	Goal   Pose     // of base_link in map
	Line   []Point  // of the axle point M, in map, straight between the points
	Via    []string // names of the via points it passes, in order
	Length float64  // m
	Time   float64  // s, turns included
}
