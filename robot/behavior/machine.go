package behavior

import (
	"cmp"
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// A State is what the robot does at the moment.
type State uint8

// The states.
const (
	Follow State = iota
	Yield
	Replan
	Wait
	Free
	states
)

// names are the names of the states, for traces and programs.
var names = [states]string{"follow", "yield", "replan", "wait", "free"}

func (s State) String() string { return names[s] }

// A Move is how the robot moves.
type Move uint8

// The moves.
const (
	Stand Move = iota
	Drive      // as the local controller commands
	Turn       // on the spot, to the side with more room
	Back       // backward, slowly
	Ahead      // straight ahead, slowly
	Aside      // to a place beside a person's way
)

// Facts are the inputs of a Machine's step.
type Facts struct {
	Now           time.Time
	At            robot.Point // base_link, in map
	Left          float64     // m, remaining on the path
	Path          bool        // there is a path
	Gains         bool        // a rollout makes progress or, with sonars alone, nothing blocks the path
	Turning       bool        // the robot turns on the spot, as planned
	Held          bool        // the guard holds it in such a turn
	HeldAhead     bool        // the guard holds it on its way, for something that may soon be gone
	Ahead         bool        // a lidar sees an obstacle on the path, not near, and no person who has moved
	Blocked       bool        // an obstacle has been on the path for so long that the robot must look for another at once
	TryElsewhere  bool        // sonars alone may have misplaced the obstacle: there may be a way from elsewhere
	Somebody      bool        // a person moves within limits.YieldRange
	Comes         bool        // a person moves toward the robot
	Narrow        bool        // there is no room for the robot and a person side by side
	PersonWaits   bool        // a person wants to pass where the robot stands, or stood when it began to move aside
	Obstructs     bool        // the robot has waited for long at a narrow place, where a person may want to pass who is not known to be one
	CanStandAside bool        // there is a place to stand aside
	IsAside       bool        // the robot stands aside, or can get no nearer to the place
	IsFree        bool        // the motion to get free is over
	CanTurn       bool        // there is room to turn
	CanBack       bool        // there is room to back up
	CanAhead      bool        // there is room to go straight ahead
	RoomBack      bool        // the robot can back up to a place where it can turn
	RoomAhead     bool        // it can drive ahead to such a place
	Way           bool        // another path was found and not yet taken
	Longer        float64     // m by which that path is longer than the current one
	NoWay         bool        // the planner found no other path
	Open          bool        // an obstacle has disappeared: plan again at once
	Reason        string      // sentence about the obstacle; "" = unknown
}

// An Order is what the robot must do now.
type Order struct {
	State    State
	Move     Move
	Look     bool   // plan another path now
	Take     bool   // take the path that was found
	Waits    bool   // the goal counts as blocked: nothing leaves the robot a way
	Sentence string // for people
}

// Machine decides the behavior of a robot on its way to a goal. New creates it, and Start
// begins or resumes a goal.
type Machine struct {
	wholeTurn time.Duration // how long the robot may turn on the spot as planned, before that counts as motion

	state State
	since time.Time // when the state began
	now   time.Time

	gained    time.Time     // when the local controller last made progress, or the state began
	alone     time.Time     // since when no person has moved nearby; zero = a person does
	looked    time.Time     // when another path was last requested
	waiting   time.Time     // since when the robot has made no progress; zero = it does. The longer, the longer a path it accepts
	detours   int           // searches in a row, on its way, that found only a detour
	best      float64       // m, smallest remaining distance on this path; NaN = the path is new
	held      time.Duration // for how long the guard has held it on its way, before that counts as motion
	vain      time.Duration // motion without progress since the robot last freed itself
	allVain   time.Duration // motion without progress in total
	ways      int           // number of paths taken without progress
	from      robot.Point   // where the robot took the first of them, in map
	turned    time.Duration // duration of planned turns
	stuck     robot.Point   // where the robot was last stuck, in map
	frees     int           // moves tried there, one bit each
	tries     int           // how often it waited there
	moves     int           // how often it moved there to look for a way from another place
	aside     bool          // it yields by standing aside,
	unseen    bool          // in case a person wants to pass: it has seen none
	asides    int           // how often it did so at one place
	asideTill time.Time     // when it last stopped doing so
	inWay     robot.Point   // where that place is, in map,
	inWayLeft float64       // and m remaining on the path there
	beside    robot.Point   // where it last stood aside, in map
	there     time.Time     // since when it has stood aside; zero = it is on its way there
	met       time.Time     // since when a person has been where it is in the way; zero = no person is
	clear     time.Time     // since when no person has been where it was in the way; zero = a person is
	facts     Facts         // of the last step
	elsewhere bool          // it moves to look for a way from another place
	order     Order
	reason    string // reason in the sentence
}

// row is one transition of the state machine.
type row struct {
	from State
	to   State
	when func(m *Machine, f *Facts) bool
}

// table holds all transitions, in order of evaluation. A row to its own state makes the robot
// stay in it.
var table = [...]row{
	{Follow, Replan, func(_ *Machine, f *Facts) bool { return !f.Path }},
	{Follow, Free, func(m *Machine, f *Facts) bool { return f.Blocked && m.ways > 0 && m.canFree(f) }},
	{Follow, Replan, func(_ *Machine, f *Facts) bool { return f.Blocked }},
	{Follow, Wait, func(m *Machine, _ *Facts) bool { return m.allVain >= limits.VainMoves }},
	{Follow, Free, func(m *Machine, f *Facts) bool { return m.vain >= limits.VainMove && m.canFree(f) }},
	{Follow, Wait, func(m *Machine, _ *Facts) bool { return m.vain >= limits.VainMove }},
	{Follow, Yield, func(_ *Machine, f *Facts) bool { return !f.Gains && f.Somebody }},
	{Follow, Free, func(m *Machine, f *Facts) bool { return f.Held && m.canFree(f) }},
	{Follow, Replan, func(m *Machine, f *Facts) bool { return !f.Gains && m.lasts(m.gained, limits.ReplanAfter) }},

	{Yield, Replan, func(m *Machine, _ *Facts) bool { return m.aside && m.hasLetThrough() }},
	{Yield, Yield, func(m *Machine, _ *Facts) bool { return m.aside }},
	{Yield, Follow, func(_ *Machine, f *Facts) bool { return f.Path && f.Gains }},
	{Yield, Replan, func(m *Machine, _ *Facts) bool { return m.lasts(m.since, limits.YieldFor) }},
	{Yield, Replan, func(m *Machine, _ *Facts) bool {
		return !m.alone.IsZero() && m.lasts(m.alone, limits.YieldGone)
	}},

	{Replan, Follow, func(m *Machine, f *Facts) bool { return f.Way && m.accepts(f) }},
	{Replan, Follow, func(_ *Machine, f *Facts) bool { return f.Path && f.Gains }},
	{Replan, Free, func(m *Machine, f *Facts) bool { return (f.Way || f.NoWay) && m.isStuck() && m.canFree(f) }},
	{Replan, Wait, func(_ *Machine, f *Facts) bool { return f.Way || f.NoWay }},
	{Replan, Wait, func(m *Machine, _ *Facts) bool { return m.lasts(m.since, limits.ReplanFor) }},

	{Wait, Follow, func(m *Machine, f *Facts) bool { return m.rested() && f.Way && m.accepts(f) }},
	{Wait, Follow, func(m *Machine, f *Facts) bool { return m.rested() && f.Path && f.Gains }},
	{Wait, Free, func(m *Machine, f *Facts) bool { return m.mustTryElsewhere(f) }},
	{Wait, Yield, func(m *Machine, f *Facts) bool { return m.isInTheWay(f) }},

	{Free, Replan, func(_ *Machine, f *Facts) bool { return f.IsFree }},
	{Free, Replan, func(m *Machine, _ *Facts) bool { return m.lasts(m.since, limits.FreeMoveFor) }},
	{Free, Replan, func(m *Machine, _ *Facts) bool { return m.allVain >= limits.VainMoves }},
}

// New returns the machine of a robot within its safe limits. A whole turn on the spot of a
// robot that turns slowly takes longer than limits.PlannedTurn, and is as much a part of its
// way.
func New(safe robot.Limit) Machine {
	return Machine{wholeTurn: max(limits.PlannedTurn, time.Duration(2*math.Pi/safe.Angular*float64(time.Second)))}
}

// Start begins or resumes a goal.
func (m *Machine) Start(now time.Time) {
	*m = Machine{wholeTurn: m.wholeTurn, now: now, best: math.NaN()}
	m.order.State = Follow
	m.begin(Follow, now)
	m.say("")
}

// State returns the current state.
func (m *Machine) State() State { return m.state }

// Waiting returns since when the robot has come no nearer to its goal; zero = it makes
// progress.
func (m *Machine) Waiting() time.Time { return m.waiting }

// TakeWay resets the machine because the robot takes another path at a user's request.
func (m *Machine) TakeWay(now time.Time) {
	m.best, m.vain, m.allVain, m.ways, m.tries = math.NaN(), 0, 0, 0, 0
	m.begin(Follow, now)
}

// Step advances the machine to the time of the facts and returns the order.
func (m *Machine) Step(facts Facts) Order {
	m.facts = facts
	f := &m.facts
	m.note(f)
	m.order.Take = false
	for i := range table {
		if r := &table[i]; r.from == m.state && r.when(m, f) {
			if r.to != m.state {
				m.enter(r.to, f)
			}
			break
		}
	}
	m.act(f)
	return m.order
}

// lasts reports whether at least long has passed since a time.
func (m *Machine) lasts(since time.Time, long time.Duration) bool { return m.now.Sub(since) >= long }

// note updates the counters by the result of the last order.
func (m *Machine) note(f *Facts) {
	dt := max(0, f.Now.Sub(m.now))
	m.now = f.Now
	switch {
	case m.order.Move == Stand:
	case f.HeldAhead && m.order.Move == Drive && m.held < limits.HeldAfter:
		m.held += dt
	case f.Turning && m.order.Move == Drive && m.turned < m.wholeTurn:
		m.turned += dt
	default:
		m.vain, m.allVain = m.vain+dt, m.allVain+dt
	}
	switch {
	case !f.Path:
	case math.IsNaN(m.best):
		m.best = f.Left
	case f.Left <= m.best-limits.Nearer:
		// Moving back and forth on a series of new paths is not progress.
		if m.best, m.vain, m.held = f.Left, 0, 0; m.ways == 0 || f.At.Sub(m.from).Norm() >= limits.FreeAway {
			m.allVain, m.turned, m.ways = 0, 0, 0
			if m.asides == 0 || f.Left <= m.inWayLeft-limits.Nearer { // coming back to where it waited is none
				m.waiting = time.Time{}
			}
		}
	}
	if m.frees+m.tries > 0 && f.At.Sub(m.stuck).Norm() > limits.FreeOnce {
		m.frees, m.tries, m.moves = 0, 0, 0
	}
	if f.Gains {
		m.gained = f.Now
	}
	m.notePerson(f)
	switch {
	case f.Somebody:
		m.alone = time.Time{}
	case m.alone.IsZero():
		m.alone = f.Now
	}
}

// notePerson updates the times of standing aside.
func (m *Machine) notePerson(f *Facts) {
	if m.asides > 0 && f.At.Sub(m.inWay).Norm() > limits.AsideOnce {
		m.asides = 0
	}
	switch {
	case f.PersonWaits:
		m.clear = time.Time{}
		if m.met.IsZero() {
			m.met = f.Now
		}
	case m.clear.IsZero():
		m.clear = f.Now
	case m.lasts(m.clear, limits.YieldGone):
		m.met = time.Time{}
	}
	if m.there.IsZero() && (f.IsAside || m.lasts(m.since, limits.AsideFor)) {
		m.there = f.Now
	}
}

// begin sets what every state begins with.
func (m *Machine) begin(to State, now time.Time) {
	m.state, m.since, m.gained, m.looked, m.order.Move = to, now, now, time.Time{}, Stand
	m.aside, m.there, m.elsewhere, m.detours = false, time.Time{}, false, 0
}

// enter changes the state, and counts what follows from the change.
func (m *Machine) enter(to State, f *Facts) {
	from := m.state
	switch to {
	case Follow:
		if from == Wait && m.tries > 0 {
			m.vain, m.allVain, m.ways, m.turned = 0, 0, 0, 0
			if f.TryElsewhere || m.nextFree(f) == Stand {
				m.frees = 0 // what did not free it before may do so now
			}
		}
		if m.order.Take = f.Way && (from == Replan || from == Wait); m.order.Take {
			m.countWay(f)
		}
	case Wait:
		if m.isStuck() {
			if m.frees+m.tries == 0 {
				m.stuck = f.At
			}
			m.tries++
		}
	case Free:
		if m.frees+m.tries == 0 {
			m.stuck = f.At
		}
		if from == Wait {
			m.moves++
			m.vain, m.allVain = 0, 0
			if m.nextFree(f) == Stand {
				m.frees = 0
			}
		}
	case Yield, Replan:
		if from == Free || m.aside {
			m.vain, m.ways = 0, 0
			if f.At.Sub(m.stuck).Norm() >= limits.FreeAway {
				m.turned = 0
			}
		}
		if m.aside {
			m.beside, m.asideTill = f.At, f.Now
		}
	}
	if to != Follow && m.waiting.IsZero() {
		m.waiting = f.Now
	}
	m.begin(to, f.Now)
	if from == Wait && to == Yield {
		if m.asides == 0 {
			if m.inWay, m.inWayLeft = f.At, f.Left; !f.Path {
				m.inWayLeft = math.Inf(1)
			}
		}
		m.aside, m.unseen, m.asides = true, !f.PersonWaits, m.asides+1
		m.vain, m.allVain = 0, 0
	}
	if to == Free {
		m.elsewhere = from == Wait
		m.order.Move = m.nextFree(f)
		m.frees |= 1 << m.order.Move
	}
}

// act fills the order for the state.
func (m *Machine) act(f *Facts) {
	m.order.State, m.order.Look, m.order.Waits = m.state, false, m.state == Wait || m.elsewhere || m.aside && m.unseen
	switch m.state {
	case Follow:
		m.order.Move = Drive
		m.lookAhead(f)
	case Yield:
		m.order.Move = Stand
		switch {
		case m.aside && m.there.IsZero():
			m.order.Move = Aside
		case m.aside:
		case f.Comes && f.Narrow && f.CanBack && m.allVain < limits.VainMoves:
			m.order.Move = Back
		}
	case Replan, Wait:
		if m.looked.IsZero() || f.Open || m.lasts(m.looked, limits.WaitLook) {
			m.order.Look, m.looked = true, f.Now
		}
	case Free:
	}
	m.say(f.Reason)
}

// lookAhead looks for another path while the robot drives toward something that stands on its
// path. The local controller drives around most of that; but if the planner, which sees
// farther, finds only a detour, twice, there is no room to pass, and the robot takes the detour
// before it gets there. It must have room to turn, since a path may begin with a turn.
func (m *Machine) lookAhead(f *Facts) {
	switch {
	case f.Way && f.Longer >= limits.AheadLonger:
		m.detours++
	case f.Way || f.NoWay || !f.Ahead:
		m.detours = 0
	}
	if f.Way && m.detours >= limits.AheadTimes && f.CanTurn && m.accepts(f) {
		m.order.Take = true
		m.countWay(f)
	}
	if f.Ahead && f.Gains && m.lasts(m.looked, limits.AheadLook) {
		m.order.Look, m.looked = true, f.Now
	}
}

// countWay notes that the robot takes another path.
func (m *Machine) countWay(f *Facts) {
	if m.ways == 0 {
		m.from = f.At
	}
	m.ways++
	m.best, m.detours = math.NaN(), 0
}

// mustTryElsewhere reports whether a robot that waits must move, to look for a way from another
// place. At the same place it waits longer each time.
func (m *Machine) mustTryElsewhere(f *Facts) bool {
	return f.TryElsewhere && (!f.Way || !m.accepts(f)) && (f.CanTurn || f.CanBack || f.CanAhead) &&
		m.lasts(m.since, min(limits.TryAgainMax, time.Duration(1+m.moves)*limits.ElsewhereAfter))
}

// isInTheWay reports whether a person has wanted to pass where the robot stands for so long
// that it must stand aside, and can, or whether one may want to. At the same place it waits
// longer each time.
func (m *Machine) isInTheWay(f *Facts) bool {
	if f.Obstructs && !f.PersonWaits {
		return f.CanStandAside && (m.asides == 0 || m.lasts(m.asideTill, time.Duration(m.asides)*limits.AsidePatience))
	}
	return f.PersonWaits && f.CanStandAside && m.lasts(m.met, limits.AsideAfter) && m.lasts(m.waiting, limits.AsideAfter) &&
		m.lasts(m.since, time.Duration(m.asides)*limits.AsideAfter) && (m.asides == 0 || !m.gotAside() || f.At.Sub(m.beside).Norm() > limits.AsideBack)
}

// gotAside reports whether the robot got away from where it was in the way when it last tried
// to stand aside.
func (m *Machine) gotAside() bool { return m.beside.Sub(m.inWay).Norm() > limits.AsideBack }

// hasLetThrough reports whether the robot has stood aside long enough.
func (m *Machine) hasLetThrough() bool {
	if !m.unseen && !m.clear.IsZero() && m.lasts(m.clear, limits.YieldGone) {
		return true
	}
	return !m.there.IsZero() && m.lasts(m.there, limits.AsideStand)
}

// nextFree returns the next move to try where the robot is stuck; Stand = none left.
func (m *Machine) nextFree(f *Facts) Move {
	switch {
	case f.CanTurn && m.frees&(1<<Turn) == 0:
		return Turn
	case f.RoomBack && m.frees&(1<<Back) == 0:
		return Back
	case f.RoomAhead && m.frees&(1<<Ahead) == 0:
		return Ahead
	case f.CanBack && m.frees&(1<<Back) == 0:
		return Back
	case f.CanAhead && m.frees&(1<<Ahead) == 0:
		return Ahead
	}
	return Stand
}

// isStuck reports whether motion or new paths have brought no progress for too long.
func (m *Machine) isStuck() bool {
	return m.vain >= limits.VainMove || m.allVain >= limits.VainMoves || m.ways >= limits.VainWays
}

// IsVain reports whether the robot may soon have to free itself, because motion or new
// paths bring no progress.
func (m *Machine) IsVain() bool { return m.vain >= limits.VainMove/2 || m.ways >= limits.VainWays-1 }

// canFree reports whether there is a move left to free the robot.
func (m *Machine) canFree(f *Facts) bool {
	return m.allVain < limits.VainMoves && m.nextFree(f) != Stand
}

// accepts reports whether the path that was found is short enough.
func (m *Machine) accepts(f *Facts) bool {
	waited := 0.0
	if !m.waiting.IsZero() {
		waited = m.now.Sub(m.waiting).Seconds()
	}
	return m.mayTry() && f.Longer <= math.Max(limits.DetourLength, limits.DetourShare*f.Left)+limits.DetourGrowth*waited
}

// mayTry reports whether another path may be tried: not after many without progress, except
// from Wait.
func (m *Machine) mayTry() bool { return m.state == Wait || !m.isStuck() }

// rested reports whether the robot has waited long enough to try again where it could not
// free itself.
func (m *Machine) rested() bool {
	return m.lasts(m.since, min(limits.TryAgainMax, time.Duration(m.tries)*limits.TryAgain))
}

// unknown is the sentence for an obstacle without a description.
const unknown = "Something is in the way. The robot waits until it is gone."

// say updates the sentence if it changes.
func (m *Machine) say(reason string) {
	text := ""
	switch {
	case m.state == Follow:
		text = "The robot is on its way."
	case m.aside && m.unseen && m.order.Move == Aside:
		text = "The robot moves aside, in case a person wants to pass."
	case m.aside && m.unseen:
		text = "The robot stands aside for a moment, in case a person wants to pass."
	case m.aside && m.order.Move == Aside:
		text = "The robot moves aside to let a person through."
	case m.aside:
		text = "The robot stands aside until a person has passed."
	case m.state == Yield && m.order.Move == Back:
		text = "The robot backs up to let a person through."
	case m.state == Yield:
		text = "The robot waits until a person has passed."
	case m.state == Replan:
		text = "The robot looks for another way."
	case m.elsewhere:
		text = "The robot moves a little to look for a way from there."
	case m.state == Free && m.order.Move == Turn:
		text = "The robot turns to get free."
	case m.state == Free && m.order.Move == Ahead:
		text = "The robot moves ahead to get free."
	case m.state == Free:
		text = "The robot backs up to get free."
	case m.tries > 0:
		if reason != m.reason || m.order.Sentence == "" || m.now.Equal(m.since) {
			m.order.Sentence = "The robot cannot continue here and will try again soon. " + cmp.Or(reason, unknown)
		}
		m.reason = reason
		return
	default:
		text = cmp.Or(reason, unknown)
	}
	m.order.Sentence, m.reason = text, reason
}
