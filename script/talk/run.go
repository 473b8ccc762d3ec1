package talk

import (
	"cmp"
	"context"
	"fmt"

	"mybot/script"
)

// A Setup configures the run of a conversation.
type Setup struct {
	Devices []script.Device
	Tick    int64 // ms between two ticks, 0 = 20
	// Load returns the script for a load command; nil = there are no scripts.
	Load func(name string) (string, error)
}

// Run runs a conversation and calls tell with each line in order. Ticks are at multiples of
// setup.Tick; a tick comes before texts that are sent in the same millisecond.
//
// A conversation whose last line is an END is over when no client runs anything more that ends
// by itself; what watches or repeats without end does not prolong it. Otherwise it is over
// when no client has anything left to do. Patience after its last line it is over in any case.
func Run(ctx context.Context, c *Conversation, setup Setup, tell func(script.Line)) error {
	if setup.Tick == 0 {
		setup.Tick = 20
	}
	r := &runner{setup: setup, tell: tell, units: map[string]string{}, clients: map[string]string{}}
	config := script.Config{Devices: setup.Devices, Seed: 1}
	if setup.Load != nil {
		config.Functions = []script.Function{{Name: "load", Min: 1, Max: 1}}
	}
	r.machine = script.New(config)
	for _, u := range c.said {
		if err := r.runUntil(ctx, u.at); err != nil {
			return err
		}
		if err := r.hear(u); err != nil {
			return err
		}
	}
	n := len(c.said)
	if n == 0 {
		return nil
	}
	goesOn := func(unit string) bool { return !r.machine.IsIdle(unit) }
	if c.said[n-1].end {
		goesOn = r.machine.IsPending
	}
	end := c.said[n-1].at + Patience
	for r.hasAny(goesOn) && r.next <= end {
		if err := r.runUntil(ctx, r.next); err != nil {
			return err
		}
	}
	return nil
}

// A runner is a conversation in progress.
type runner struct {
	setup   Setup
	machine *script.Machine
	tell    func(script.Line)
	next    int64             // the time of the next tick, ms
	units   map[string]string // of the clients that have spoken
	clients map[string]string // those that have spoken, by their units
	now     int64             // ms
}

// open returns the unit of a client, and opens it if necessary. It has the client's name, or
// another one if a device or a group has that.
func (r *runner) open(now script.Time, client string) (string, error) {
	unit := cmp.Or(r.units[client], client)
	if r.machine.IsOpen(unit) {
		return unit, nil
	}
	if err := r.machine.Open(now, unit, false); err != nil {
		unit = client + unitSuffix
		if r.machine.Open(now, unit, false) != nil {
			return "", err
		}
	}
	r.units[client], r.clients[unit] = unit, client
	return unit, nil
}

// unitSuffix is what the unit of a client is called besides, if its name is taken.
const unitSuffix = "_client"

// runUntil runs the ticks up to and including a time.
func (r *runner) runUntil(ctx context.Context, ms int64) error {
	for ; r.next <= ms; r.next += r.setup.Tick {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.now = r.next
		r.machine.Tick(script.Milliseconds(r.next))
		r.drain()
	}
	r.now = ms
	return nil
}

// hear passes the text of a client to the machine.
func (r *runner) hear(u utterance) error {
	now := script.Milliseconds(u.at)
	if u.end {
		r.machine.Close(now, r.units[u.name])
		r.drain()
		return nil
	}
	unit, err := r.open(now, u.name)
	if err != nil {
		return fmt.Errorf("@%d:%s: %w", u.at, u.name, err)
	}
	r.machine.Say(now, unit, u.text)
	r.drain()
	return nil
}

// drain passes on lines and answers asks until there are no more.
func (r *runner) drain() {
	for {
		r.machine.Outputs() // devices follow at once
		for _, l := range r.machine.Lines() {
			l.Unit = r.clients[l.Unit]
			r.tell(l)
		}
		asks := r.machine.Asks()
		if len(asks) == 0 {
			return
		}
		for _, a := range asks {
			if !a.Cancelled {
				r.answer(a)
			}
		}
	}
}

func (r *runner) answer(a script.Ask) {
	name, _ := a.Values[0].Text()
	text, err := r.setup.Load(name)
	now := script.Milliseconds(r.now)
	if err != nil {
		r.machine.Answer(now, a.ID, script.Value{}, err.Error())
		return
	}
	r.machine.Answer(now, a.ID, script.Text(text), "")
}

// hasAny reports whether something is true of any client's unit.
func (r *runner) hasAny(is func(unit string) bool) bool {
	for unit := range r.clients {
		if is(unit) {
			return true
		}
	}
	return false
}
