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

	Wish ScriptWish // ScriptReply
}

// ReplyKind says which component answered what.
type ReplyKind string

// The kinds of replies.
const (
	PlanReply  ReplyKind = "plan"  // the planner's result; ErrPlanning is no reply
	GoneReply  ReplyKind = "gone"  // the planner: a reported obstacle is gone
	RunReply   ReplyKind = "run"   // the job library returned a run
	SpeedReply ReplyKind = "speed" // the localizer's new speed limit

	ScriptReply ReplyKind = "script" // the scripts want something of the robot
)

// A ScriptWish is what the scripts want of the robot at one reading or command. Recordings
// hold the wishes instead of the programs, which are texts of people.
type ScriptWish struct {
	Do    ScriptVerb
	Twist Twist  // drive: at M
	Goal  Pose   // goto: of base_link in map
	Name  string // goto: of the place; "" = none
	Run   uint64 // job
}

// A ScriptVerb says what a ScriptWish is about.
type ScriptVerb string

// The verbs.
const (
	ScriptDrive  ScriptVerb = "drive"  // drive with the twist until the next reading
	ScriptGoTo   ScriptVerb = "goto"   // drive to the goal
	ScriptCancel ScriptVerb = "cancel" // cancel the goal
	ScriptPause  ScriptVerb = "pause"  // pause goal and job
	ScriptResume ScriptVerb = "resume" // resume the goal
	ScriptJob    ScriptVerb = "job"    // begin the run
	ScriptEndJob ScriptVerb = "endjob" // end the run
	ScriptGoOn   ScriptVerb = "goon"   // resume the run
)

// A FloorChange is a change of the core's floor or planner.
type FloorChange struct {
	Frame    bool     // the frame is that of another map; false = the same map was edited
	Planner  bool     // there are paths
	Estimate Estimate // after the change
}
