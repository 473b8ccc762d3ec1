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

// A recorder is a base that records the commands to its wheels. It can freeze the control loop
// that sends them.
type recorder struct {
	*sim.Driver
	cold   atomic.Bool
	frozen chan struct{} // while the loop is frozen, takes a token from each caller of Drive
	thawed chan struct{} // closed by thaw
	warm   sync.Once

	mu   sync.Mutex
	told []told
	felt []told // speed of the wheels after each step of the world

	desc   robot.Description // that it reports
	slower float64           // m/s, tolerance of cruising
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

// Describe implements robot.Driver. The description may differ from the base.
func (r *recorder) Describe() robot.Description { return r.desc }

// freezeLoop makes Drive hang, and with it the control loop. It returns the time since which it
// hangs.
func (r *recorder) freezeLoop() time.Time {
	r.cold.Store(true)
	<-r.frozen
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.told[len(r.told)-1].at
}

// thawLoop ends freezeLoop for the rest of the run.
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

// isCruising reports whether the robot drives at cruising speed.
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

// findBraking returns when, after the fault, the base finally began to brake, and whether it
// was commanded to move again after it had stopped. ok is false if the robot did not cruise at
// the fault.
func (r *recorder) findBraking(fault, stood time.Time) (at time.Time, again, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return brakingIn(r.told, fault, stood, r.Describe().Holds)
}

// brakingIn implements findBraking. A base that gets no new command for the time holds drops
// the last one and brakes.
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
			at = time.Time{} // it did not brake finally
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

// A speed is the true speed of the robot at a time after the fault.
type speed struct {
	after time.Duration
	v     float64 // m/s
}

// judgeWheels completes a trial whose braking is measured at the wheels. The base's own
// watchdog has failed if they brake later than the description promises.
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

// speedsSince returns the speeds of the wheels since the fault.
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

// wheelsBraked returns the time after the fault at which a robot finally began to brake, from
// its motion. The wheels slow down evenly, so a line through the times of 80 % and 40 % of the
// initial speed is extrapolated to 100 %.
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
