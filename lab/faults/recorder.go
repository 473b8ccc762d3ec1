package faults

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mybot/drivers/sim"
	"mybot/robot"
)

// A recorder is a base that remembers the commands to its wheels, and that can
// freeze the control loop that sends them.
type recorder struct {
	*sim.Driver
	cold   atomic.Bool
	frozen chan struct{} // takes a token from each caller of Drive while it is cold
	thawed chan struct{} // closed by thaw
	warm   sync.Once

	mu   sync.Mutex
	told []told
	felt []told // how fast the wheels were, after each step of the world

	desc   robot.Description // what it says of itself
	slower float64           // m/s by which it may be below the cruising speed and still cruises
}

// told is one command to the wheels.
type told struct {
	at time.Time
	v  float64 // m/s
}

func newRecorder(w *sim.World, desc robot.Description, slower float64) *recorder {
	r := &recorder{desc: desc, slower: slower, frozen: make(chan struct{}), thawed: make(chan struct{})}
	w.WatchSpeed(func(at time.Time, v robot.Twist) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.felt = append(r.felt, told{at, v.Linear})
	})
	r.Driver = sim.NewDriver(w)
	return r
}

// Describe implements robot.Driver. The base itself may be another one.
func (r *recorder) Describe() robot.Description { return r.desc }

// freezeLoop has Drive hang, and with it the one goroutine that controls the robot.
// It returns since when that hangs.
func (r *recorder) freezeLoop() time.Time {
	r.cold.Store(true)
	<-r.frozen
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.told[len(r.told)-1].at
}

// thawLoop ends what freeze began, for good.
func (r *recorder) thawLoop() { r.warm.Do(func() { close(r.thawed) }) }

// Drive implements robot.Driver.
func (r *recorder) Drive(t robot.Twist) error {
	r.mu.Lock()
	r.told = append(r.told, told{time.Now(), t.Linear})
	r.mu.Unlock()
	err := r.Driver.Drive(t)
	if r.cold.Load() {
		select {
		case r.frozen <- struct{}{}:
		case <-r.thawed:
		}
		<-r.thawed
	}
	return err
}

// isCruising reports whether the driver drives the robot at cruising speed.
func (r *recorder) isCruising() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.told) < steady {
		return false
	}
	for _, c := range r.told[len(r.told)-steady:] {
		if c.v < cruise-r.slower {
			return false
		}
	}
	return true
}

// findBraking returns when, after the fault, the base began to brake for good, and
// whether it was commanded to go again after it stood. ok is false when the robot
// did not cruise at the fault.
func (r *recorder) findBraking(fault, stood time.Time) (at time.Time, again, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return brakingIn(r.told, fault, stood, r.Describe().Holds)
}

// brakingIn is the rule of findBraking. A base that gets no new command for the
// time holds forgets the last one, and brakes.
func brakingIn(list []told, fault, stood time.Time, holds time.Duration) (at time.Time, again, ok bool) {
	n := slices.IndexFunc(list, func(c told) bool { return c.at.After(fault) })
	if n < 0 {
		n = len(list)
	}
	if n == 0 || list[n-1].v < cruise-nearly || list[n-1].at.Add(holds).Before(fault) {
		return at, false, false
	}
	speed := list[n-1].v
	for ; n < len(list); n++ {
		now := list[n]
		if forgotten := list[n-1].at.Add(holds); forgotten.Before(now.at) && at.IsZero() {
			at, speed = forgotten, 0
		}
		switch faster := math.Abs(now.v) > math.Abs(speed)+nearly; {
		case faster && now.at.After(stood):
			again = true
		case faster:
			at = time.Time{} // not for good
		case at.IsZero() && now.v < cruise-nearly:
			at = now.at
		}
		speed = now.v
	}
	if at.IsZero() {
		at = list[n-1].at.Add(holds)
	}
	return at, again, true
}

// A speed is how fast the robot was in truth, so long after the fault.
type speed struct {
	after time.Duration
	v     float64 // m/s
}

// judgeWheels completes a trial whose braking is measured at the wheels. The base's
// own watchdog has missed when they brake later than the description promises.
func (r *recorder) judgeWheels(t trial, f fault, fault time.Time) (trial, error) {
	speeds := r.speedsSince(fault)
	if len(speeds) == 0 || speeds[0].v < 0.8*cruise {
		return t, errNotCruising
	}
	t.braked = max(0, wheelsBraked(speeds))
	if f.alone && t.braked > r.desc.Holds+lookSlack {
		t.missed = true
	}
	return t, nil
}

// speedsSince returns how fast the wheels were from the fault on.
func (r *recorder) speedsSince(fault time.Time) []speed {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []speed
	for _, s := range r.felt {
		if !s.at.Before(fault) {
			out = append(out, speed{s.at.Sub(fault), s.v})
		}
	}
	return out
}

// wheelsBraked returns how long after the fault a robot began to brake for good,
// from its own motion: the wheels slow down evenly, so that the beginning is
// where the line through 80 and 40 of 100 of the first speed was at 100.
func wheelsBraked(speeds []speed) time.Duration {
	last := func(share float64) (after time.Duration) {
		for _, s := range speeds {
			if math.Abs(s.v) >= share*math.Abs(speeds[0].v) {
				after = s.after
			}
		}
		return after
	}
	fast, slow := last(0.8), last(0.4)
	return fast - (slow-fast)/2
}
