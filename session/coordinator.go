package session

import (
	"log/slog"
	"time"

	"mybot/link"
	"mybot/robot"
	"mybot/session/lease"
	"mybot/session/protocol"
)

// A coordinator decides who may do what with one robot. It is made of parts, below:
// each owns its fields, which the others read and only its own functions write; what
// concerns several parts is a function of the coordinator, in the file of the part
// that it is mostly about. What all parts ask is in rules.go, what all of them tell
// the users in announcements.go. Only the hub's goroutine calls it. It starts nothing
// and has no clock, and what it sends to the pages goes to their outboxes, which never
// wait.
type coordinator struct {
	presence
	handover
	lending
	driving
	navigation
	jobControl
	motionControl
	surroundings
	mapmaking

	robot           doer
	alarm           *alarm
	logger          *slog.Logger
	audit           Audit            // nil = nothing is recorded
	welcomeTemplate protocol.Welcome // what is the same in every welcome
	watcher         watch
	refusals        uint64

	// Of the states: the newest that was sent, to whom it goes without their write
	// pumps, and whether the next one does not wait for its turn.
	lastState   *stateFrame
	direct      []*User
	stateUrgent bool
}

func newCoordinator(r doer, a *alarm, cfg Config, welcome protocol.Welcome) coordinator {
	return coordinator{
		presence:      presence{people: people{known: map[string]*person{}}},
		handover:      handover{standing: true},
		driving:       driving{gate: lease.NewGate(), stoppers: stoppers{}},
		jobControl:    jobControl{jobs: cfg.Jobs},
		motionControl: motionControl{motions: cfg.Motions, floorplan: cfg.Plan},
		surroundings:  surroundings{world: cfg.World, network: cfg.Network},
		robot:         r, alarm: a, logger: cfg.Log, audit: cfg.Audit, welcomeTemplate: welcome,
	}
}

// presence is who is here: the row of users, and what of it has not been sent.
// peopleChanged or roundTripsChanged is set from a change until the row is sent at
// peopleSentAt.
type presence struct {
	people   people
	saveName func(nameRequest) bool // begins to store a name, finishRename follows; false = too many wait; nil = names are not stored

	peopleChanged     bool
	roundTripsChanged bool      // only round trips have changed
	peopleSentAt      time.Time // last

	arrivalBudget  budget // of lines in the log about users who came or went
	observerBudget budget // of lines in the audit log about observers who came
}

// handover is control, and how it passes on. While lease.Passing, changeReason says
// why, leavesRobotDriving whether the robot keeps driving to its goal meanwhile (it
// does when its holder stays away), and waitingOrders are those of programs that
// wait for the change to end.
type handover struct {
	lease              lease.Lease
	changeReason       string
	announced          string // the last that users heard of control
	leavesRobotDriving bool
	waitingOrders      []order

	standing      bool // the robot was measured standing, with an empty queue, after the last command to move; it begins so
	ordersPending bool // a command to move was sent since the last state: what that measured does not count
}

// lending is which parts of the robot the holder has lent.
type lending struct {
	loans     lease.Loans
	hasLent   bool       // something was lent or asked for
	lastWords voice      // of a borrower when the robot was stopped
	spokeAt   time.Time  // when a borrower of the voice did last
	lentTold  robot.Lend // what the robot was told last
}

// driving is what moves the robot by hand, and what stops it. While stopped is set,
// no command that moves is executed. stopCleared is set from the release of a stop
// until the next state, since states from before still show the stop.
type driving struct {
	gate        lease.Gate
	stopped     *stopped // nil = the robot is not stopped
	stopCleared bool
	stoppers    stoppers // who stops the robot again and again

	pose       robot.Pose // of base_link in map, as last seen
	poseSeenAt time.Time  // zero = not yet; pose means nothing then
	start      time.Time  // zero of the robot's clock
}

// A stopped says who stopped the robot, as the users see it.
type stopped struct {
	by    string
	id    int // 0 = without a page
	at    time.Time
	entry string // who it was, in the audit log
}

// wireState returns the stop as it is sent; nil = not stopped.
func (s *stopped) wireState() *protocol.StopState {
	if s == nil {
		return nil
	}
	return &protocol.StopState{By: s.by, ID: s.id, At: protocol.Moment(s.at)}
}

// navigation is where the robot drives by itself. routeEvent is the event of the
// route of goal, nil while the robot drives to no goal.
type navigation struct {
	goal       *robot.Goal // newest that was seen; nil = none yet
	routeEvent []byte

	planBudget   budget // of all users together
	absentPerson person // stands for all who ask for routes and are not connected
}

// jobControl is the run of a job. Of run, runChanges counts how often it was sent,
// runEvent is the event it was sent with last, and runPaths the encoded paths in it;
// they begin anew with each run.
type jobControl struct {
	jobs           Jobs                      // nil = no jobs are run
	requestPrepare func(prepareRequest) bool // begins to prepare a job, finishPrepare follows; false = too many wait

	run        *robot.Run // newest that was seen; nil = none yet
	endedRun   uint64     // number of the run that a user ended last, which a state may not show yet
	runChanges int
	runEvent   []byte // nil = none yet
	runPaths   []byte // nil = to be encoded again
}

// motionControl records what is driven, and replays it. replay is zero while nothing
// is replayed.
type motionControl struct {
	motions     Motions                  // nil = motions are not recorded
	storeMotion func(motionRequest) bool // begins to do what waits for the disk, finishMotionRequest follows; false = too many wait
	floorplan   func() *robot.Floorplan  // the map in use, for the names of drives; nil = there is none
	recorder    recorder
	replay      replay
}

// A replay is a motion that the robot replays; the zero replay is none.
type replay struct {
	name              string
	lease, driveEpoch uint64 // its stream
}

// surroundings is what users change around the robot: a simulated world and network,
// and the map. worldChanged is set from a change until it is sent at worldSentAt.
type surroundings struct {
	world        World         // nil = there is a real one
	network      *link.Network // nil = there is a real one
	worldChanged bool
	worldSentAt  time.Time // last
	lastMapEvent []byte    // event of the map that was saved last; nil = none was
}

// mapmaking is what the users are told of a map that one of them makes.
type mapmaking struct {
	mapping      protocol.MappingEvent // newest, without a State when there is none yet
	mappingEvent []byte                // it, encoded; nil = there is none yet
	mappingSent  bool                  // the hub has not stored it yet
	noGoals      string                // a sentence: why the robot goes nowhere by itself while a map is made; "" = it does
	floorEvent   []byte                // of the floor plan in use; nil = it is the first one
}
