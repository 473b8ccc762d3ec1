package onboard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// Loop runs a Core on a driver. Run's goroutine is the only one that uses the core and
// calls the driver's Drive. Do, Stop and Healthy may be called from any goroutine, before,
// during and after Run.
type Loop struct {
	driver  robot.Driver
	core    *Core
	publish func(robot.State)
	observe Observer // nil = no observer
	sink    ScriptSink
	log     *slog.Logger
	now     func() time.Time

	orders chan order
	wake   chan struct{} // a stop is in the latch
	ended  chan struct{}
	phase  atomic.Int32
	latch  latch

	epoch    time.Time
	lastTick atomic.Int64  // ns since epoch; 0 = none yet
	shown    atomic.Uint64 // number of stops that the newest published state includes
}

// The phases of a loop, in this order.
const (
	starting int32 = iota
	running
	over
)

// order is a command that Do passes to Run.
type order struct {
	cmd    robot.Command
	at     time.Time // when it was given; its validity starts then
	stops  uint64    // number of stops requested before it was given
	answer chan robot.Result
	taken  time.Time // when the core last received it, by the readings' clock; zero = never

	planner robot.Planner // the new planner, if renew is set
	renew   bool
	floor   *Floor // the new floor; nil = the order is not about the floor
}

// latch records stops from many goroutines. It never waits for the loop.
type latch struct {
	mu      sync.Mutex
	by      string // who first requested a stop since takeStop
	pending bool
	count   uint64 // number of stops ever requested
}

func (l *latch) latchStop(by string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.pending {
		l.by, l.pending = by, true
	}
	l.count++
}

// takeStop returns who requested a stop since the last call.
func (l *latch) takeStop() (by string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	by, ok = l.by, l.pending
	l.pending = false
	return by, ok
}

func (l *latch) countStops() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count
}

// NewLoop returns a loop for Run. Run's goroutine calls publish with the state after every
// tick; publish must not wait.
func NewLoop(driver robot.Driver, core *Core, publish func(robot.State), log *slog.Logger) *Loop {
	return &Loop{
		driver: driver, core: core, publish: publish, log: log, now: time.Now,
		orders: make(chan order), wake: make(chan struct{}, 1),
		ended: make(chan struct{}),
		epoch: time.Now(),
	}
}

// UseObserver sets the observer of the core. Call it before Run.
func (l *Loop) UseObserver(o Observer) { l.observe, l.core.noteReply = o, o.ObserveReply }

// Do executes a command and waits for its answer. The loop has a second to take it. A Stop
// is the same as the method Stop. BUSY means that the loop does not run, or does not take
// the command or plan its path in time.
func (l *Loop) Do(ctx context.Context, cmd robot.Command) robot.Result {
	if s, ok := cmd.(robot.Stop); ok {
		l.Stop(s.By)
		return robot.Result{Word: robot.Success}
	}
	return l.giveOrder(ctx, order{cmd: cmd})
}

// UsePlanner gives the core another planner, as Core.usePlanner does, and waits like Do.
func (l *Loop) UsePlanner(ctx context.Context, p robot.Planner) robot.Result {
	return l.giveOrder(ctx, order{planner: p, renew: true})
}

// giveOrder passes an order to Run and waits for its answer.
func (l *Loop) giveOrder(ctx context.Context, o order) robot.Result {
	switch l.phase.Load() {
	case starting:
		return busyResult("The robot is starting.")
	case over:
		return busyResult("The robot is shutting down.")
	}
	o.at, o.stops, o.answer = l.now(), l.latch.countStops(), make(chan robot.Result, 1)
	wait := time.NewTimer(limits.CommandWait)
	defer wait.Stop()
	select {
	case l.orders <- o:
	case <-l.ended:
		return busyResult("The robot is shutting down.")
	case <-ctx.Done():
		return robot.Result{Word: robot.Interrupted, Reason: "The command was cancelled before the robot took it."}
	case <-wait.C:
		return busyResult("The robot is too busy to take commands.")
	}
	// The loop has the order and answers it at once, or when the path is planned.
	return <-o.answer
}

// Stop latches a stop in the name of by. It never waits, and takes precedence over every
// earlier order that the loop has not taken yet; an earlier ClearStop does not release it.
// A stop before Run applies as soon as Run starts.
func (l *Loop) Stop(by string) {
	l.latch.latchStop(by)
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Stopping reports whether a stop was requested that the newest published state does not
// include yet.
func (l *Loop) Stopping() bool { return l.latch.countStops() != l.shown.Load() }

// lastTickTime returns the time of the last tick; zero = never.
func (l *Loop) lastTickTime() time.Time {
	if d := l.lastTick.Load(); d != 0 {
		return l.epoch.Add(time.Duration(d))
	}
	return time.Time{}
}

// Healthy reports whether the loop runs and receives readings.
func (l *Loop) Healthy() bool {
	last := l.lastTickTime()
	return l.phase.Load() == running && !last.IsZero() && l.now().Sub(last) <= limits.ReadingSilence
}

// Run drives the robot until ctx ends, which returns nil, or the driver fails. Before it
// returns it stops the wheels and closes the driver. Call it once.
func (l *Loop) Run(ctx context.Context) (err error) {
	if !l.phase.CompareAndSwap(starting, running) {
		return errors.New("onboard: Run was called twice")
	}
	ctx, cancel := context.WithCancel(ctx)
	readings := make(chan robot.Reading)
	failure := make(chan error, 1)
	var reader sync.WaitGroup
	reader.Go(func() { failure <- l.forwardReadings(ctx, readings) })
	defer func() {
		l.phase.Store(over)
		close(l.ended)
		stand := l.driver.Drive(robot.Twist{})
		cancel()
		closed := l.driver.Close()
		reader.Wait()
		if err == nil {
			err = errors.Join(stand, closed)
		}
		if err != nil {
			err = fmt.Errorf("onboard: %w", err)
		}
	}()
	h := newLoopState(l)
	defer h.pulse.Stop()
	defer h.dismissWaiting(busyResult("The robot is shutting down."))
	for {
		// A stop takes precedence over everything that waits.
		h.carryOutStop()
		select {
		case <-ctx.Done():
			return nil
		case <-l.wake:
		case o := <-l.orders:
			h.carryOutStop()
			h.takeOrder(o)
		case r := <-readings:
			h.processReading(r)
		case <-h.pulse.C:
			h.attendWheels()
		case err := <-failure:
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("reading the base: %w", err)
		}
	}
}

// forwardReadings passes every reading to Run, so that no wheel travel is lost.
func (l *Loop) forwardReadings(ctx context.Context, readings chan<- robot.Reading) error {
	for {
		r, err := l.driver.Read(ctx)
		if err != nil {
			return err
		}
		select {
		case readings <- r:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// loopState belongs to Run's goroutine.
type loopState struct {
	*Loop
	turner  robot.PanTilt    // nil = no head
	mover   robot.JointMover // nil = no joints
	linked  robot.Linked     // nil = the driver does not report its connection to the base
	voice   announcer        // the base's speaker and display
	holds   time.Duration    // how long the base executes a twist
	pulse   *time.Timer      // calls attendWheels unless a reading comes first
	told    robot.Twist      // the last twist sent to the base
	toldAt  time.Time        // when told was sent; zero = never
	late    bool             // no readings arrive
	last    robot.State      // the last state published after a reading
	gone    []robot.LostPart // lost parts as last logged; read-only
	shownAt time.Time        // when a state was last published without readings
	refused error            // the driver's answer to the last twist
	stuck   error            // the driver's answer to the last MoveJoints
	unmoved error            // the driver's answer to the last Look of a script
	waits   []order          // orders whose paths are still being planned
	ticks   tickStats
	unused  bool // unusable scans have been logged
	used    int  // number of readings in a row with usable scans
}

func newLoopState(l *Loop) *loopState {
	desc := l.driver.Describe()
	h := &loopState{Loop: l, holds: desc.Holds, pulse: time.NewTimer(limits.ReadingSilence), ticks: newTickStats(desc.Rate)}
	h.turner, _ = l.driver.(robot.PanTilt)
	h.mover, _ = l.driver.(robot.JointMover)
	h.linked, _ = l.driver.(robot.Linked)
	h.voice = newAnnouncer(l.driver, l.log)
	return h
}

// readingTime returns the current time by the readings' clock.
func (h *loopState) readingTime() time.Time { return h.now().Add(-h.core.ahead) }

// carryOutStop executes a requested stop, and reports whether there was one.
func (h *loopState) carryOutStop() bool {
	by, ok := h.latch.takeStop()
	if !ok {
		return false
	}
	again := h.core.stop != nil
	h.tellCore(robot.Stop{By: by})
	h.driveWheels(robot.Twist{}) //nolint:errcheck // logged there
	h.holdHead()
	h.moveJoints()
	if !again { // a page sends one press over every open connection
		h.log.Info("robot stopped", "by", by)
	}
	return true
}

// tellCore gives the core a command from the loop itself.
func (h *loopState) tellCore(cmd robot.Command) {
	at := h.now()
	taken := at.Add(-h.core.ahead)
	answer := h.core.Do(taken, cmd)
	h.drainScripts()
	if h.observe != nil {
		h.observe.ObserveCommand(at, taken, cmd, answer, h.core.estimate)
	}
}

// takeOrder executes an order, or lets it wait for its path.
func (h *loopState) takeOrder(o order) {
	if dismissesWaiting(o.cmd) {
		h.dismissWaiting(robot.Result{Word: robot.Interrupted, Reason: "Another order came while the way was planned."})
	}
	if r := h.executeOrder(&o); r.Word != "" {
		if _, halt := o.cmd.(robot.Halt); halt {
			h.told = robot.Twist{} // attendWheels must not repeat the old twist
		}
		h.answerOrder(o, r)
	} else {
		h.waits = append(h.waits, o)
	}
}

// answerOrder answers an order, and shows the answer to the observer.
func (h *loopState) answerOrder(o order, r robot.Result) {
	if h.observe != nil && o.cmd != nil {
		h.observe.ObserveCommand(o.at, o.taken, o.cmd, r, h.core.estimate)
	}
	o.answer <- r
}

// dismissWaiting answers the orders that wait for their paths.
func (h *loopState) dismissWaiting(why robot.Result) {
	for _, o := range h.waits {
		o.taken = time.Time{} // the core has not executed it
		h.answerOrder(o, why)
	}
	h.waits = nil
}

// retryWaiting executes the orders whose paths are planned by now.
func (h *loopState) retryWaiting() {
	h.waits = slices.DeleteFunc(h.waits, func(o order) bool {
		r := h.executeOrder(&o)
		if r.Word == "" && h.now().Sub(o.at) > limits.PlanWait {
			r, o.taken = busyResult("Planning the way takes too long. Try again."), time.Time{}
		}
		if r.Word != "" {
			h.answerOrder(o, r)
		}
		return r.Word != ""
	})
}

// executeOrder executes an order; an answer without a word means that its path is still
// being planned.
func (h *loopState) executeOrder(o *order) robot.Result {
	o.taken = time.Time{}
	if r, ok := h.doFloor(*o); ok {
		return r
	}
	if o.stops != h.latch.countStops() && !robot.HarmlessAfterStop(o.cmd) {
		if _, release := o.cmd.(robot.ClearStop); release {
			return robot.Result{Word: robot.Panic, Reason: "The robot was stopped again meanwhile."}
		}
		return robot.Result{Word: robot.Panic, Reason: "The robot was stopped meanwhile."}
	}
	if _, ok := o.cmd.(robot.MoveJoints); ok && h.mover == nil && len(h.core.desc.Joints) > 0 {
		return robot.Result{Word: robot.NA, Reason: "The joints of this robot cannot be moved."}
	}
	h.holdIfStale(o)
	o.taken = o.at.Add(-h.core.ahead)
	lent := h.core.lent
	res := h.core.Do(o.taken, h.core.byReadings(o.cmd))
	h.drainScripts()
	h.moveJoints()
	if lent.Head && !h.core.lent.Head {
		h.holdHead() // the borrower's last Look may still be turning it
	}
	look, ok := o.cmd.(robot.Look)
	if !ok || res.Word != robot.Success && res.Word != robot.Modified {
		return res
	}
	if h.turner == nil {
		return robot.Result{Word: robot.NA, Reason: "This robot's head cannot be turned."}
	}
	switch err := h.turner.Look(look.HeadAngles); {
	case errors.Is(err, robot.ErrNA):
		return robot.Result{Word: robot.NA, Reason: "This robot's head cannot be turned."}
	case err != nil:
		return failedResult("The head did not turn: %v.", err)
	}
	return res
}

// holdHead holds the head at the angles that the base last reported.
func (h *loopState) holdHead() {
	r := h.core.reading
	if h.turner == nil || r.Time.IsZero() || !robot.Finite(r.Head.Pan, r.Head.Tilt) {
		return
	}
	if err := h.turner.Look(r.Head); err != nil && !errors.Is(err, robot.ErrNA) {
		h.log.Error("the head does not stay where it is", "err", err)
	}
}

// moveJoints sends the core's joint set points to the base. It logs only the first error.
func (h *loopState) moveJoints() {
	moves := h.core.takeJointMoves()
	if moves == nil {
		return
	}
	err := robot.ErrNA
	if h.mover != nil {
		err = h.mover.MoveJoints(moves)
	}
	if err != nil && h.stuck == nil {
		h.log.Error("the joints do not move", "err", err)
	}
	h.stuck = err
}

// processReading passes a reading to the core, the resulting twist to the base and the
// state to publish.
func (h *loopState) processReading(r robot.Reading) {
	arrived := h.now()
	// The same instant, with this computer's wall clock of now: it may have been set since
	// the driver began.
	r.Time = arrived.Add(r.Time.Sub(arrived))
	h.core.Arrive(arrived, r.Time)
	h.lastTick.Store(max(1, int64(arrived.Sub(h.epoch))))
	h.readLink(true)
	if h.late {
		h.late = false
		h.log.Info("the base's readings are back")
	}
	stops := h.latch.countStops()
	h.carryOutStop()
	if number, ok := h.voice.takeSpoken(); ok {
		h.tellCore(robot.Spoken{Number: number})
	}
	stopped := h.core.stop != nil
	twist, state := h.core.Tick(r)
	if h.core.stop != nil && !stopped { // the base's own emergency stop
		h.log.Info("robot stopped", "by", h.core.stop.By)
		h.holdHead()
	}
	h.moveJoints()
	h.lookAsScripts()
	h.drainScripts()
	state.Tick = h.ticks.noteTick(arrived)
	if h.observe != nil {
		h.observe.ObserveTick(arrived, r, state)
	}
	h.logScans()
	if h.carryOutStop() {
		twist = robot.Twist{}
		state.Drive.Given = twist
	}
	if h.haveToBeginAnew(twist) {
		twist = robot.Twist{}
		state.Drive.Given = twist
	}
	if err := h.driveWheels(twist); err != nil {
		state.Drive.Given = robot.Twist{}
		state.Drive.Result = failedResult("The base does not accept the motion: %v.", err)
	}
	h.voice.announce(state)
	h.publish(state)
	h.last = state
	h.shown.Store(stops)
	h.retryWaiting()
	h.pulse.Reset(min(h.holds/limits.HoldShare, limits.ReadingSilence))
}

// usedAgain is the number of readings in a row with usable scans before the log says so.
const usedAgain = 20

// logScans logs the first unusable scan and why, and when scans are usable again.
func (h *loopState) logScans() {
	switch {
	case len(h.core.scanFaults) > 0:
		if h.used = 0; !h.unused {
			h.unused = true
			h.log.Warn("a scan is not used", "why", h.core.scanFaults[0])
		}
	case h.unused && len(h.core.clouds) > 0:
		if h.used++; h.used >= usedAgain {
			h.unused = false
			h.log.Info("scans are used again")
		}
	}
}

// driveWheels sends a twist to the base. It logs only the first error.
func (h *loopState) driveWheels(t robot.Twist) error {
	err := h.driver.Drive(t)
	switch {
	case err != nil && h.refused == nil:
		h.log.Error("the base does not accept the motion", "err", err)
	case err == nil && h.refused != nil:
		h.log.Info("the base accepts motions again")
	}
	if err != nil {
		t = robot.Twist{} // attendWheels must not retry it
	}
	h.refused, h.told, h.toldAt = err, t, h.now()
	return err
}
