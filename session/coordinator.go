package session

import (
	"cmp"
	"log/slog"
	"time"

	"mybot/link"
	"mybot/robot"
	"mybot/robot/limits"
	"mybot/session/lease"
	"mybot/session/protocol"
)

// A coordinator decides who may do what with one robot. It consists of the parts
// below. Each part owns its fields: the others may read them, but only its own
// functions write them. A function that concerns several parts is a method of
// coordinator, in the file of the part that it mostly deals with. Checks that all
// parts use are in rules.go, messages that all parts send in announcements.go. Only
// the hub's goroutine calls the coordinator. It starts no goroutine and has no
// clock, and it writes to the pages' outboxes, which never wait.
type coordinator struct {
	presence
	handover
	lending
	driving
	navigation
	jobControl
	scriptControl
	standbyControl
	motionControl
	surroundings
	mapmaking
	valueWatch

	robot           doer
	alarm           *alarm
	logger          *slog.Logger
	audit           Audit            // nil = nothing is recorded
	welcomeTemplate protocol.Welcome // the part that is the same in every welcome
	watcher         watch
	refusals        uint64

	// About states: the newest one sent, the users who get it without their write
	// pumps, and whether the next one is sent without waiting for its period.
	lastState   *stateFrame
	direct      []*User
	stateUrgent bool
}

func newCoordinator(r doer, a *alarm, cfg Config, welcome protocol.Welcome) coordinator {
	return coordinator{
		presence:       presence{people: people{known: map[string]*person{}}},
		handover:       handover{standing: true},
		driving:        driving{gate: lease.NewGate(), stoppers: stoppers{}},
		jobControl:     jobControl{jobs: cfg.Jobs},
		standbyControl: standbyControl{standby: cfg.Standby, after: cmp.Or(cfg.StandByAfter, limits.StandBy)},
		motionControl:  motionControl{motions: cfg.Motions, floorplan: cfg.Plan},
		surroundings:   surroundings{world: cfg.World, network: cfg.Network},
		robot:          r, alarm: a, logger: cfg.Log, audit: cfg.Audit, welcomeTemplate: welcome,
	}
}

// presence is who is here: the row of users and which changes of it have not been
// sent yet. peopleChanged or roundTripsChanged is set from a change until the row
// is sent at peopleSentAt.
type presence struct {
	people   people
	saveName func(nameRequest) bool // begins to store a name, then finishRename follows; false = too many are waiting; nil = names are not stored

	peopleChanged     bool
	roundTripsChanged bool      // only round trips have changed
	peopleSentAt      time.Time // last

	arrivalBudget  budget // for log lines about users who came or went
	observerBudget budget // for audit lines about observers who came
}

// handover is control and its changes. While lease.Passing, changeReason says why,
// leavesRobotDriving whether the robot keeps driving to its goal meanwhile (it does
// when its holder stays away), and waitingOrders holds the orders of programs that
// wait for the change to end.
type handover struct {
	lease              lease.Lease
	changeReason       string
	announced          string // what users last heard about control
	leavesRobotDriving bool
	waitingOrders      []order

	standing      bool // the robot was measured standing, with an empty queue, since the last motion command; true at the start
	ordersPending bool // a motion command was sent since the last state, so that state's measurement does not count
}

// lending is which parts of the robot the holder has lent.
type lending struct {
	loans        lease.Loans
	hasLent      bool       // a part has been lent or requested
	lastWords    voice      // the borrower of the voice when the robot was stopped
	spokeAt      time.Time  // when a borrower of the voice last spoke
	lentReported robot.Lend // what the robot last heard about loans
}

// driving moves the robot by hand, and stops it. While stopped is set, no motion
// command is executed. stopCleared is set from the release of a stop until the next
// state, because earlier states still show the stop.
type driving struct {
	gate        lease.Gate
	stopped     *stopped // nil = the robot is not stopped
	stopCleared bool
	stoppers    stoppers // who stops the robot repeatedly

	pose       robot.Pose // of base_link in map, as last seen
	poseSeenAt time.Time  // zero = not yet, and pose is meaningless
	start      time.Time  // zero of the robot's clock
}

// A stopped says who stopped the robot, for the users.
type stopped struct {
	by    string
	id    int // 0 = without a page
	at    time.Time
	entry string // of the audit log: who it was

	again   string    // who else has pressed STOP since; "" = none
	againAt time.Time // when they did
}

// wireState returns the wire form of the stop; nil = not stopped.
func (s *stopped) wireState() *protocol.StopState {
	if s == nil {
		return nil
	}
	return &protocol.StopState{By: s.by, ID: s.id, At: protocol.Moment(s.at)}
}

// navigation is where the robot drives by itself. routeEvent is the event with the
// route to goal; nil while the robot drives to no goal.
type navigation struct {
	goal       *robot.Goal // newest that was seen; nil = none yet
	routeEvent []byte

	planBudget   budget // of all users together
	absentPerson person // stands for everyone who asks for routes without a connection
}

// jobControl is the run of a job. runChanges counts how often run was sent,
// runEvent is the last event about it, and runPaths the encoded paths in that
// event; all start again with each run.
type jobControl struct {
	jobs           Jobs                      // nil = there are no jobs
	requestPrepare func(prepareRequest) bool // begins to prepare a job, then finishPrepare follows; false = too many are waiting

	run        *robot.Run // newest that was seen; nil = none yet
	endedRun   uint64     // number of the run that a user last ended, which a state may not show yet
	runChanges int
	runEvent   []byte // nil = none yet
	runPaths   []byte // nil = must be encoded again
}

// motionControl records drives and replays them. replay is zero while nothing is
// replayed.
type motionControl struct {
	motions     Motions                  // nil = motions are not recorded
	storeMotion func(motionRequest) bool // begins work that waits for the disk, then finishMotionRequest follows; false = too many are waiting
	floorplan   func() *robot.Floorplan  // returns the map in use, for the names of drives; nil = no map
	recorder    recorder
	replay      replay
}

// A replay is a motion that the robot replays; the zero value means none.
type replay struct {
	name              string
	lease, driveEpoch uint64 // its stream
}

// surroundings is what users change around the robot: the simulated world and
// network, and the map. worldChanged is set from a change until it is sent at
// worldSentAt.
type surroundings struct {
	world        World         // nil = the real world
	network      *link.Network // nil = a real network
	worldChanged bool
	worldSentAt  time.Time // last
	lastMapEvent []byte    // about the map that was saved last; nil = none
}

// mapmaking is what users see of a map in progress.
type mapmaking struct {
	mapping      protocol.MappingEvent // the newest; has no State when there is none yet
	mappingEvent []byte                // the encoded mapping; nil = none yet
	mappingSent  bool                  // the hub has not stored its By yet
	noGoals      string                // why the robot does not drive by itself during mapping, as a sentence; "" = it does
	floorEvent   []byte                // about the floor plan in use; nil = still the first one
}
