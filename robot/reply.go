package robot

// A Reply is the answer of another component to the core, on which its twists depend: the
// same readings, commands and replies result in the same twists. It is read-only.
type Reply struct {
	Kind  ReplyKind
	Call  int     // PlanReply: number of earlier plans for the same reading or command
	Path  Path    // PlanReply: the path
	Err   error   // PlanReply: why there is no path
	Run   any     // RunReply: the run's program, for JSON
	Speed float64 // SpeedReply: m/s; +Inf = no limit
}

// ReplyKind says which component answered what.
type ReplyKind string

// The kinds of replies.
const (
	PlanReply  ReplyKind = "plan"  // the planner's result; ErrPlanning is no reply
	GoneReply  ReplyKind = "gone"  // the planner: a reported obstacle is gone
	RunReply   ReplyKind = "run"   // the job library returned a run
	SpeedReply ReplyKind = "speed" // the localizer's new speed limit
)

// A FloorChange is a change of the core's floor or planner.
type FloorChange struct {
	Frame    bool     // the frame is that of another map; false = the same map was edited
	Planner  bool     // there are paths
	Estimate Estimate // after the change
}
