package users

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"mybot/lab/internal/experiment"
	"mybot/session/sessiontest"
)

// leaseOutcome is the outcome of random histories of control.
type leaseOutcome struct {
	Histories  int              `json:"histories"`
	Violations int              `json:"violations"`
	Seed       uint64           `json:"seed"`
	Clients    int              `json:"clients"`
	Steps      int              `json:"steps"` // of one history
	Faults     []leaseViolation `json:"faults,omitempty"`
}

// leaseViolation is a history that broke a rule.
type leaseViolation struct {
	Seed  uint64 `json:"seed"` // repeats the history
	Fault string `json:"fault"`
}

func (o leaseOutcome) String() string {
	text := fmt.Sprintf("%d histories of %d steps with %d clients: %d broke a rule.", o.Histories, o.Steps, o.Clients, o.Violations)
	for _, f := range o.Faults {
		text += fmt.Sprintf("\n  seed %d: %s", f.Seed, f.Fault)
	}
	return text
}

// CheckLease runs the people around a robot through random histories in virtual time, and
// counts those that broke a rule of control.
func CheckLease(ctx context.Context, c experiment.Call) error {
	o := leaseOutcome{Clients: 50, Steps: 300}
	if err := c.Parse(func(f *experiment.Flags) {
		f.Uint64Var(&o.Seed, "seed", 1, "the first `seed`")
		f.IntVar(&o.Histories, "histories", 1000, "`how many` histories, from 1 on")
	}); err != nil {
		return err
	}
	if o.Histories < 1 {
		return c.Refuse("--histories is %d; it must be from 1 on", o.Histories)
	}
	faults, err := experiment.RunParallel(ctx, io.Discard, "histories", o.Histories, func(ctx context.Context, i int) (fault, err error) {
		return sessiontest.CheckHistory(rand.New(rand.NewPCG(o.Seed+uint64(i), 0)), o.Clients, o.Steps), ctx.Err()
	})
	if err != nil {
		return err
	}
	for i, fault := range faults {
		if fault != nil {
			o.Violations++
			o.Faults = append(o.Faults, leaseViolation{o.Seed + uint64(i), fault.Error()})
		}
	}
	if err := c.Print(o); err != nil {
		return err
	}
	if o.Violations > 0 {
		return fmt.Errorf("lab: lease: %d of %d histories broke a rule", o.Violations, o.Histories)
	}
	return nil
}
