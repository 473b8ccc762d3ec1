package app

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mybot/robot"
	"mybot/store"
	"mybot/store/atomicfile"
)

// StopFile is the file of the stop, in the data directory.
const StopFile = "stop.json"

// retryPeriod is how long stopFile.run waits after a failed write.
const retryPeriod = time.Second

// savedStop is the content of StopFile.
type savedStop struct {
	Running bool      `json:"running"` // a server is running; false after an orderly shutdown
	Stopped bool      `json:"stopped"`
	By      string    `json:"by,omitempty"` // who stopped it
	At      time.Time `json:"at,omitzero"`
}

// Who stopped a robot that starts stopped, in sentences that begin "Stopped by".
const (
	beforeRestart = " before the restart"
	afterCrash    = "the robot, because its program was not shut down properly"
	afterDamage   = "the robot, because its note of the last stop is damaged"
)

// A stopFile saves the stop across restarts. The control loop and the user who
// presses STOP notify it, and neither waits for the disk: run writes.
//
// The file also says that a server is running. A server that finds this at its
// start follows a crash or a power cut. It starts stopped, because a stop in the
// last milliseconds may be missing from the file, and because after a crash users
// do not expect a robot to be ready to drive.
type stopFile struct {
	path string
	save func(savedStop) error
	log  *slog.Logger
	wake chan struct{} // holds one token while a write is pending

	mu    sync.Mutex // never held while anything waits
	now   savedStop
	stops uint64           // number of stops so far
	seen  *robot.StopState // in the newest state; belongs to the control loop
}

// openStopFile reads the file of the stop in dir, and returns who had stopped the
// robot; "" = it starts ready. markRunning writes it for the first time, so a server
// that cannot start leaves it as it was.
func openStopFile(dir string, log *slog.Logger) (k *stopFile, by string) {
	path := filepath.Join(dir, StopFile)
	k = &stopFile{path: path, log: log, wake: make(chan struct{}, 1), save: func(s savedStop) error {
		data, err := json.Marshal(s)
		if err != nil {
			return err
		}
		return atomicfile.Write(path, append(data, '\n'), 0o600)
	}}
	data, err := os.ReadFile(path)
	var was savedStop
	switch {
	case errors.Is(err, fs.ErrNotExist): // the first start
	case err != nil || json.Unmarshal(data, &was) != nil:
		log.Error("whether the robot was stopped cannot be read; it starts stopped", "file", path, "error", err)
		by, was = afterDamage, savedStop{Stopped: true, By: afterDamage, At: time.Now()}
	case was.Stopped && (was.By == afterCrash || was.By == afterDamage):
		by = was.By
	case was.Stopped:
		by = was.By + beforeRestart
	case was.Running:
		by, was = afterCrash, savedStop{Stopped: true, By: afterCrash, At: time.Now()}
	}
	if by != "" {
		log.Warn("the robot starts stopped", "by", by)
	}
	k.now = was
	k.now.Running = true
	return k, by
}

// markRunning writes that a server is running, just before its control loop starts. If
// the disk is full, it empties a file that says the robot may drive: that needs no room,
// and a server that finds such a file starts stopped.
func (k *stopFile) markRunning() {
	err := k.save(k.now)
	if err == nil {
		return
	}
	k.log.Error("whether the robot is stopped cannot be kept; it starts stopped after this", "error", err)
	k.wakeWriter()
	if k.now.Stopped {
		return // so says the file
	}
	if err := os.WriteFile(k.path, nil, 0o600); err != nil {
		k.log.Error("a STOP does not last until the next start", "error", err)
	}
}

// noteStop notes a stop just before the robot gets it. It does not wait.
func (k *stopFile) noteStop(by string, at time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stops++
	k.latchStop(by, at)
}

// latchStop latches a stop, unless one is latched already. k.mu is locked.
func (k *stopFile) latchStop(by string, at time.Time) {
	if k.now.Stopped {
		return
	}
	k.now.Stopped, k.now.By, k.now.At = true, by, at
	k.wakeWriter()
}

// countStops returns the number of stops so far.
func (k *stopFile) countStops() uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.stops
}

// noteRelease notes that the robot's stop was released, unless there was another
// stop since countStops returned stops.
func (k *stopFile) noteRelease(stops uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.stops != stops || !k.now.Stopped {
		return
	}
	k.now = savedStop{Running: true}
	k.wakeWriter()
}

// observeState receives every state from the control loop, so that every stop of
// the robot is saved, whatever its cause. It does not wait.
func (k *stopFile) observeState(s robot.State) {
	if k == nil || s.Stop == nil || s.Stop == k.seen {
		return
	}
	k.seen = s.Stop
	k.mu.Lock()
	defer k.mu.Unlock()
	k.latchStop(s.Stop.By, s.Stop.At)
}

// wakeWriter makes run write.
func (k *stopFile) wakeWriter() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// run writes changes until ctx ends, and then records the end of the server. It
// retries while the disk refuses.
func (k *stopFile) run(ctx context.Context) error {
	again := time.NewTimer(time.Hour)
	defer again.Stop()
	var failing store.FailureLog
	keep := func(running bool) {
		k.mu.Lock()
		now := k.now
		k.mu.Unlock()
		now.Running = running
		err := k.save(now)
		if err != nil {
			again.Reset(retryPeriod)
		}
		failing.NoteOutcome(k.log, "whether the robot is stopped cannot be kept; it starts stopped after this", err, time.Now())
	}
	for {
		select {
		case <-ctx.Done():
			keep(false)
			return ctx.Err()
		case <-k.wake:
		case <-again.C:
		}
		keep(true)
	}
}
