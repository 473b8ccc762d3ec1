package robot

// A Reply is what the control core was answered by a part beside it, on which its
// twists depend: with the same readings, commands and replies they are the same
// again. It is not written to.
type Reply struct {
	Kind  ReplyKind
	Call  int     // PlanReply: plans that were asked for before it, for the same reading or command
	Path  Path    // PlanReply: the path that was found
	Err   error   // PlanReply: why there is none
	Run   any     // RunReply: what the run does, for JSON
	Speed float64 // SpeedReply: m/s; +Inf = any
}

// ReplyKind is which part answered what.
type ReplyKind string

// The kinds of replies.
const (
	PlanReply  ReplyKind = "plan"  // the planner has planned; that it still plans is no reply
	GoneReply  ReplyKind = "gone"  // the planner: something that was in the way is gone
	RunReply   ReplyKind = "run"   // the library of jobs handed over a run
	SpeedReply ReplyKind = "speed" // the localizer lets the robot be so fast from now on
)

// A FloorChange is a change of what the core knows of the floor.
type FloorChange struct {
	Frame    bool     // poses are in the frame of another map; else the same map was edited
	Planner  bool     // there are paths
	Estimate Estimate // after it
}
