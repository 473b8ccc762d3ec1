package lab

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"

	"golang.org/x/sync/errgroup"

	"mybot/session/sessiontest"
)

// leaseOutcome is what random histories of control did to its rules.
type leaseOutcome struct {
	Histories  int              `json:"histories"`
	Violations int              `json:"violations"`
	Seed       uint64           `json:"seed"`
	Clients    int              `json:"clients"`
	Steps      int              `json:"steps"` // in one history
	Faults     []leaseViolation `json:"faults,omitempty"`
}

// leaseViolation is one history in which a rule was broken.
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

// lease puts the people around a robot through random histories, in virtual
// time, and counts those in which a rule of control was broken.
func lease(ctx context.Context, c call) error {
	o := leaseOutcome{Clients: 50, Steps: 300}
	asJSON, done, err := c.Parse(func(f *flag.FlagSet) {
		f.Uint64Var(&o.Seed, "seed", 1, "the first `seed`")
		f.IntVar(&o.Histories, "histories", 1000, "`how many` histories, from 1 on")
	})
	if done || err != nil {
		return err
	}
	if o.Histories < 1 {
		return fmt.Errorf("lab: lease: --histories is %d; it must be from 1 on; %w", o.Histories, ErrUsage)
	}
	faults := make([]error, o.Histories)
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	for i := range faults {
		if ctx.Err() != nil {
			break
		}
		all.Go(func() error {
			faults[i] = sessiontest.CheckHistory(rand.New(rand.NewPCG(o.Seed+uint64(i), 0)), o.Clients, o.Steps)
			return ctx.Err()
		})
	}
	if err := all.Wait(); err != nil {
		return err
	}
	for i, fault := range faults {
		if fault != nil {
			o.Violations++
			o.Faults = append(o.Faults, leaseViolation{o.Seed + uint64(i), fault.Error()})
		}
	}
	if err := c.Print(asJSON, o); err != nil {
		return err
	}
	if o.Violations > 0 {
		return fmt.Errorf("lab: lease: %d of %d histories broke a rule", o.Violations, o.Histories)
	}
	return nil
}
