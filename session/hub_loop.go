package session

import (
	"context"
	"fmt"
	"sync"
	"time"

	"mybot/robot"
	"mybot/session/protocol"
)

// Periods and time-outs of the hub.
const (
	statePeriod = 100 * time.Millisecond // between two states, usually
	helloWait   = 5 * time.Second        // from the connection to hello
	byeWait     = 500 * time.Millisecond // for the connections to end after bye
)

// NewHub returns a hub without users. Config.Robot and Config.Log must be set.
func NewHub(cfg Config) *Hub {
	if cfg.Period == 0 {
		cfg.Period = statePeriod
	}
	h := &Hub{
		cfg:             cfg,
		start:           time.Now(),
		wake:            make(chan struct{}, 1),
		nameRequests:    make(chan nameRequest, maxNameRequests),
		motionRequests:  make(chan motionRequest, maxMotionRequests),
		prepareRequests: make(chan prepareRequest, maxPrepareRequests),
		postings:        make(chan posting, postmen),
		ended:           make(chan struct{}),
		users:           map[*User]struct{}{},
		revokedGrants:   map[string]bool{},
		scriptUnits:     map[string]scriptUnit{},
		pendingUsers:    map[*User]struct{}{},
	}
	is := cfg.describeRobot(cfg.Place, cfg.HasMap)
	h.robot.Store(&is)
	h.coordinator = newCoordinator(robotWithTimeout{cfg.Robot, cfg.Log}, &h.alarm, cfg, protocol.Welcome{
		Protocol: protocol.Protocol, Build: cfg.Build, Simulator: cfg.Simulator, HasCamera: cfg.HasCamera, HasMicrophone: cfg.HasMicrophone, Relays: cfg.Relays,
		Robot: is,
	})
	h.coordinator.storeMotion, h.coordinator.requestPrepare = h.storeMotion, h.requestPrepare
	h.coordinator.start = h.start
	if cfg.Names != nil {
		h.coordinator.saveName = h.saveName
	}
	return h
}

// Run serves the users until ctx ends. Then it halts the robot, sends bye to
// everyone, waits briefly for the connections to end, and returns nil. It is called
// once; the robot must run a little longer than it.
func (h *Hub) Run(ctx context.Context) error {
	var writer sync.WaitGroup
	writer.Go(h.runNameStore)
	writer.Go(h.runMotionStore)
	writer.Go(func() { h.runPrepare(ctx) })
	for range postmen {
		writer.Go(h.runPostman)
	}
	defer writer.Wait()
	defer close(h.nameRequests)
	defer close(h.motionRequests)
	defer close(h.prepareRequests)
	defer close(h.postings)

	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			h.shutDown()
			return nil
		case <-h.wake:
		case <-timer.C:
		}
		h.step(time.Now())
		if at, ok := h.nextDeadline(); ok {
			timer.Reset(time.Until(at))
		} else {
			timer.Stop()
		}
	}
}

// step first handles everything that waits, then what is due: anything that arrived
// before now is handled before a deadline counts as missed.
func (h *Hub) step(now time.Time) {
	for _, stop := range h.alarm.takeSignals() {
		h.coordinator.handleStop(stop)
	}
	h.coordinator.noteSpeech(h.lastSpoke())
	for _, e := range h.takeEvents() {
		e.handle(h, now)
	}
	h.dismissPendingUsers(now)
	h.observeState(now)
	h.coordinator.runDeadlines(now)
	if h.coordinator.peopleChanged || h.coordinator.peopleSentAt.Equal(now) {
		h.screen.Store(h.coordinator.screenNow())
	}
	if h.coordinator.mappingSent {
		h.coordinator.mappingSent = false
		by := h.coordinator.mapping.By
		h.mapper.Store(&by)
	}
	h.showState(now)
	h.refusals.Add(h.coordinator.refusals)
	h.coordinator.refusals = 0
	h.driver.Store(h.coordinator.driverBrowser())
	h.voice.Store(h.coordinator.whoSpeaks())
	grants := h.coordinator.stoppers.removableGrants(now)
	h.stopperGrants.Store(&grants)
	h.epoch.Store(h.coordinator.lease.Epoch)
	h.driveEpoch.Store(h.coordinator.gate.Epoch())
}

// nextDeadline returns when step next has work because of a deadline; false =
// never.
func (h *Hub) nextDeadline() (at time.Time, ok bool) {
	at, ok = h.coordinator.nextDeadline()
	if h.pendingState != nil && (!ok || h.stateDue.Before(at)) {
		at, ok = h.stateDue, true
	}
	for u := range h.pendingUsers {
		if end := u.joined.Add(helloWait); !ok || end.Before(at) {
			at, ok = end, true
		}
	}
	return at, ok
}

// serveUser handles one user's inbox. Of plain drive samples that arrived together
// only the newest is used, of path samples every one.
func (h *Hub) serveUser(u *User, now time.Time) {
	queue, left := u.inbox.takeAll()
	if u.revoked.Load() {
		h.coordinator.revokeUser(u, now)
		queue, left = nil, true
	}
	for i, in := range queue {
		switch cmd := in.cmd.(type) {
		case protocol.Drive:
			made := u.lateness.madeAt(in.at, cmd.T)
			past := false
			if cmd.Path != nil {
				cmd.Path.Made = made
			} else if i+1 < len(queue) {
				_, past = queue[i+1].cmd.(protocol.Drive)
			}
			h.coordinator.handleDrive(u, cmd, in.at, now, past)
		case protocol.Clock:
			u.lateness.madeAt(in.at, cmd.T1)
			h.coordinator.handleRequest(u, cmd, now)
		default:
			h.coordinator.handleRequest(u, cmd, now)
		}
	}
	if left {
		h.coordinator.handleLeave(u, now)
		delete(h.pendingUsers, u)
	} else if !u.isGreeted() {
		h.pendingUsers[u] = struct{}{}
	} else {
		delete(h.pendingUsers, u)
	}
}

// dismissPendingUsers ends the connections that have not said hello in time.
func (h *Hub) dismissPendingUsers(now time.Time) {
	for u := range h.pendingUsers {
		if !now.Before(u.joined.Add(helloWait)) {
			delete(h.pendingUsers, u)
			u.sendBye(fmt.Sprintf("No hello came within %.0f s.", helloWait.Seconds()), true)
		}
	}
}

// observeState takes the newest state, unless it is from before the release of a
// stop.
func (h *Hub) observeState(now time.Time) {
	s := h.latest.Swap(nil)
	old := h.coordinator.ordersPending
	h.coordinator.ordersPending = false
	if h.coordinator.stopCleared {
		h.coordinator.stopCleared = false
		s, h.pendingState = nil, nil
	}
	if s != nil {
		h.pendingState = s
		h.coordinator.observeState(*s, old)
		h.coordinator.observeValues(s.Watched, now)
	}
}

// showState encodes the newest state once for all users, when it is due.
func (h *Hub) showState(now time.Time) {
	s := h.pendingState
	if s == nil {
		return
	}
	due := !now.Before(h.stateDue)
	if !due && !h.coordinator.stateUrgent && s.Mode == h.lastMode {
		return
	}
	if due {
		h.stateDue = h.stateDue.Add(h.cfg.Period)
		if !now.Before(h.stateDue) { // the first state, or the first after a pause
			h.stateDue = now.Add(h.cfg.Period)
		}
	}
	h.pendingState, h.lastMode = nil, s.Mode
	h.stateNumber++
	frame := &stateFrame{
		n:     h.stateNumber,
		bytes: protocol.Encode(protocol.StateOf(*s, h.stateNumber, h.coordinator.gate.Executed(), h.coordinator.runChanges, h.start, h.coordinator.stopped.wireState())),
	}
	h.lastState.Store(frame)
	h.statesSkipped.Add(h.coordinator.showState(frame, now))
	direct := h.coordinator.direct
	h.coordinator.direct = nil
	for each := max(minPosted, (len(direct)+postmen-1)/postmen); len(direct) > 0; {
		n := min(each, len(direct))
		select {
		case h.postings <- posting{frame, direct[:n]}:
		default: // the hub never waits, not even for a busy computer
			for _, u := range direct[:n] {
				u.out.finishDirect(frame, false)
			}
		}
		direct = direct[n:]
	}
}

// shutDown halts the robot, then says bye to all users and waits for the
// connections to end.
func (h *Hub) shutDown() {
	h.step(time.Now())
	h.coordinator.haltDriving(shutdownReason, true)
	h.coordinator.storeDrive(h.coordinator.recorder.finishMotion())
	h.mu.Lock()
	h.closed = true
	for u := range h.users {
		u.out.close(protocol.Encode(protocol.Bye{Reason: shutdownReason, Again: true}))
		u.endOnce.Do(func() { close(u.ended) })
	}
	for _, e := range h.queue {
		if o, ok := e.(order); ok {
			o.answer <- outcome{Result: newRefusal(robot.Busy, shutdownReason)}
		}
	}
	close(h.ended) // for callers who wait for a job that is being prepared
	h.mu.Unlock()
	timeout := time.NewTimer(byeWait)
	defer timeout.Stop()
	for h.Stats().Users > 0 {
		select {
		case <-h.wake:
		case <-timeout.C:
			h.cfg.Log.Warn("some connections did not end in time", "users", h.Stats().Users)
			return
		}
	}
}
