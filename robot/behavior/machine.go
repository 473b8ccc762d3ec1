package behavior

import (
	"cmp"
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// A State is what the robot is at.
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

// names are those of the states, for traces and programs.
var names = [states]string{"follow", "yield", "replan", "wait", "free"}

func (s State) String() string { return names[s] }

// A Move is how the robot moves.
type Move uint8

// The moves.
const (
	Stand Move = iota
	Drive      // as the local controller says
	Turn       // on the spot, to the side with more room
	Back       // backwards, slowly
	Ahead      // straight ahead, slowly
	moves
)

// Facts are what a Machine decides upon.
type Facts struct {
	Now      time.Time
	At       robot.Point // base_link, in map
	Left     float64     // m to go on the path
	Path     bool        // there is one
	Gains    bool        // the local controller gets on
	Turning  bool        // it turns on the spot, as the path has it
	Somebody bool        // somebody moves within limits.YieldRange
	Comes    bool        // and towards the robot
	Narrow   bool        // where it stands there is no room for two
	CanTurn  bool        // there is room to turn
	CanBack  bool        // and to back up
	CanAhead bool        // and to go straight ahead
	Way      bool        // a way was found that is not taken yet,
	Longer   float64     // m longer than the one before
	NoWay    bool        // none was found
	Open     bool        // what stood in the way has gone: look at once
	Reason   string      // what is in the way, a sentence; "" = not known
}

// An Order is what the robot does now.
type Order struct {
	State    State
	Move     Move
	Look     bool   // for another way, now
	Take     bool   // the way that was found
	Sentence string // for people
}

// Machine is the behavior of a robot on its way. Start begins a goal, or goes on with one.
type Machine struct {
	state State
	since time.Time // of the state
	now   time.Time

	gained  time.Time     // when it last got on
	alone   time.Time     // since when nobody has been near; zero = somebody is
	looked  time.Time     // for a way
	waiting time.Time     // since when it has not got nearer: the longer, the longer a way it accepts
	best    float64       // m, the least that was to go on this path; NaN = it is new
	vain    time.Duration // of motion that led no nearer, since it last freed itself,
	allVain time.Duration // and in all
	ways    int           // that were taken in vain
	from    robot.Point   // where the first of them was taken
	turned  time.Duration // of planned turns
	stuck   robot.Point   // where it freed itself last
	frees   int           // what it has tried there: a bit for each move
	tries   int           // and how often it then waited
	facts   Facts         // of the last step
	order   Order
	reason  string // of the sentence
}

// row is one way out of a state.
type row struct {
	from State
	to   State
	when func(m *Machine, f *Facts) bool
}

// table is all ways out of the states, in the order in which they are asked.
var table = [...]row{
	{Follow, Replan, func(_ *Machine, f *Facts) bool { return !f.Path }},
	{Follow, Wait, func(m *Machine, _ *Facts) bool { return m.allVain >= limits.VainMoves }},
	{Follow, Free, func(m *Machine, f *Facts) bool { return m.vain >= limits.VainMove && m.canFree(f) }},
	{Follow, Wait, func(m *Machine, _ *Facts) bool { return m.vain >= limits.VainMove }},
	{Follow, Yield, func(_ *Machine, f *Facts) bool { return !f.Gains && f.Somebody }},
	{Follow, Replan, func(m *Machine, f *Facts) bool { return !f.Gains && m.lasts(m.gained, limits.ReplanAfter) }},

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

	{Free, Replan, func(m *Machine, f *Facts) bool { return f.At.Sub(m.stuck).Norm() >= limits.FreeAway }},
	{Free, Replan, func(m *Machine, _ *Facts) bool { return m.lasts(m.since, freeFor[m.order.Move]) }},
	{Free, Replan, func(m *Machine, _ *Facts) bool { return m.allVain >= limits.VainMoves }},
}

// freeFor is how long each move may take to free the robot.
var freeFor = [moves]time.Duration{Turn: limits.FreeTurnFor, Back: limits.FreeBackFor, Ahead: limits.FreeBackFor}

// Start begins a goal, or continues with one that stood.
func (m *Machine) Start(now time.Time) {
	*m = Machine{now: now, best: math.NaN()}
	m.order.State = Follow
	m.begin(Follow, now)
	m.say("")
}

// State returns the state.
func (m *Machine) State() State { return m.state }

// Waiting returns since when the robot has got no nearer to its goal; zero = it gets on.
func (m *Machine) Waiting() time.Time { return m.waiting }

// TakeWay tells the machine that the robot takes another way, as somebody asked for.
func (m *Machine) TakeWay(now time.Time) {
	m.best, m.vain, m.allVain, m.ways, m.tries = math.NaN(), 0, 0, 0, 0
	m.begin(Follow, now)
}

// Step brings the machine to the time of the facts.
func (m *Machine) Step(facts Facts) Order {
	m.facts = facts
	f := &m.facts
	m.note(f)
	m.order.Take = false
	for i := range table {
		if r := &table[i]; r.from == m.state && r.when(m, f) {
			m.enter(r.to, f)
			break
		}
	}
	m.act(f)
	return m.order
}

// lasts reports whether something has been so for so long.
func (m *Machine) lasts(since time.Time, long time.Duration) bool { return m.now.Sub(since) >= long }

// note counts what the last order has led to.
func (m *Machine) note(f *Facts) {
	dt := max(0, f.Now.Sub(m.now))
	m.now = f.Now
	switch {
	case m.order.Move == Stand:
	case f.Turning && m.order.Move == Drive && m.turned < limits.PlannedTurn:
		m.turned += dt
	default:
		m.vain, m.allVain = m.vain+dt, m.allVain+dt
	}
	switch {
	case !f.Path:
	case math.IsNaN(m.best):
		m.best = f.Left
	case f.Left <= m.best-limits.Nearer:
		// To and fro on one new path after the other is not getting on.
		if m.best, m.vain = f.Left, 0; m.ways == 0 || f.At.Sub(m.from).Norm() >= limits.FreeAway {
			m.allVain, m.turned, m.ways, m.waiting = 0, 0, 0, time.Time{}
		}
	}
	if m.frees+m.tries > 0 && f.At.Sub(m.stuck).Norm() > limits.FreeOnce {
		m.frees, m.tries = 0, 0
	}
	if f.Gains {
		m.gained = f.Now
	}
	switch {
	case f.Somebody:
		m.alone = time.Time{}
	case m.alone.IsZero():
		m.alone = f.Now
	}
}

// begin begins a state.
func (m *Machine) begin(to State, now time.Time) {
	m.state, m.since, m.gained, m.looked, m.order.Move = to, now, now, time.Time{}, Stand
}

// enter changes to another state.
func (m *Machine) enter(to State, f *Facts) {
	from := m.state
	switch to {
	case Follow:
		if from == Wait && m.tries > 0 {
			m.vain, m.allVain, m.ways, m.turned = 0, 0, 0, 0
		}
		if m.order.Take = f.Way && (from == Replan || from == Wait); m.order.Take {
			if m.ways == 0 {
				m.from = f.At
			}
			m.ways++
			m.best = math.NaN()
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
	case Yield, Replan:
		if from == Free {
			m.vain, m.ways = 0, 0
		}
	}
	if to != Follow && m.waiting.IsZero() {
		m.waiting = f.Now
	}
	m.begin(to, f.Now)
	if to == Free {
		m.order.Move = m.nextFree(f)
		m.frees |= 1 << m.order.Move
	}
}

// act gives the order of the state.
func (m *Machine) act(f *Facts) {
	m.order.State, m.order.Look = m.state, false
	switch m.state {
	case Follow:
		m.order.Move = Drive
	case Yield:
		m.order.Move = Stand
		if f.Comes && f.Narrow && f.CanBack && m.allVain < limits.VainMoves {
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

// nextFree returns what is left to be tried where the robot is stuck; Stand = nothing.
func (m *Machine) nextFree(f *Facts) Move {
	switch {
	case f.CanTurn && m.frees&(1<<Turn) == 0:
		return Turn
	case f.CanBack && m.frees&(1<<Back) == 0:
		return Back
	case f.CanAhead && m.frees&(1<<Ahead) == 0:
		return Ahead
	}
	return Stand
}

// isStuck reports whether the robot moved, or took one way after the other, in vain.
func (m *Machine) isStuck() bool {
	return m.vain >= limits.VainMove || m.allVain >= limits.VainMoves || m.ways >= limits.VainWays
}

// canFree reports whether the robot can still try something.
func (m *Machine) canFree(f *Facts) bool {
	return m.allVain < limits.VainMoves && m.nextFree(f) != Stand
}

// accepts reports whether the way that was found is not too long.
func (m *Machine) accepts(f *Facts) bool {
	waited := 0.0
	if !m.waiting.IsZero() {
		waited = m.now.Sub(m.waiting).Seconds()
	}
	return m.mayTry() && f.Longer <= math.Max(limits.DetourLength, limits.DetourShare*f.Left)+limits.DetourGrowth*waited
}

// mayTry reports whether another way may be tried: not where many led no nearer.
func (m *Machine) mayTry() bool { return m.state == Wait || !m.isStuck() }

// rested reports whether the robot may try again where it could not free itself.
func (m *Machine) rested() bool {
	return m.lasts(m.since, min(limits.TryAgainMax, time.Duration(m.tries)*limits.TryAgain))
}

// unknown is what the robot says of what it waits for when nobody knows.
const unknown = "Something is in the way. The robot waits until it is gone."

// say writes the sentence, anew only where it changes.
func (m *Machine) say(reason string) {
	text := ""
	switch {
	case m.state == Follow:
		text = "The robot is on its way."
	case m.state == Yield && m.order.Move == Back:
		text = "The robot backs up to let a person through."
	case m.state == Yield:
		text = "The robot waits until a person has passed."
	case m.state == Replan:
		text = "The robot looks for another way."
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
