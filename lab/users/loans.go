package users

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"mybot/lab/internal/experiment"
	"mybot/session/sessiontest"
)

// loansOutcome is the outcome of random histories of loans.
type loansOutcome struct {
	Histories           int              `json:"histories"`
	Seed                uint64           `json:"seed"`
	Clients             int              `json:"clients"`
	Steps               int              `json:"steps"` // of one history
	Used                int              `json:"used"`  // commands of borrowers that were executed
	TakenBack           int              `json:"taken_back"`
	TwoAtOnePart        int              `json:"two_at_one_part"`
	ExecutedAfterEnd    int              `json:"executed_after_end"`
	BaseMovedByBorrower int              `json:"base_moved_by_borrower"`
	TakeBack            takeBack         `json:"take_back_ms"`
	Faults              []leaseViolation `json:"faults,omitempty"`
}

// takeBack is how long a part continued to move for its borrower after the loan was taken back,
// in ms.
type takeBack struct {
	Worst int64 `json:"worst"`
}

func (o loansOutcome) String() string {
	text := fmt.Sprintf("%d histories of %d steps with %d clients: borrowers used parts %d times, holders took %d back. Two at one part: %d; executed after the end of a loan: %d; base moved by a borrower: %d. After it was taken back, a part moved for its borrower for %d ms at most.",
		o.Histories, o.Steps, o.Clients, o.Used, o.TakenBack, o.TwoAtOnePart, o.ExecutedAfterEnd, o.BaseMovedByBorrower, o.TakeBack.Worst)
	for _, f := range o.Faults {
		text += fmt.Sprintf("\n  seed %d: %s", f.Seed, f.Fault)
	}
	return text
}

// CheckLoans runs the people around a robot, who lend each other its parts, through random
// histories in virtual time, and counts those that broke a rule of loans.
func CheckLoans(ctx context.Context, c experiment.Call) error {
	o := loansOutcome{Clients: 5, Steps: 200}
	if err := c.Parse(func(f *experiment.Flags) {
		f.Uint64Var(&o.Seed, "seed", 1, "the first `seed`")
		f.IntVar(&o.Histories, "histories", 10_000, "`how many` histories, from 1 on")
	}); err != nil {
		return err
	}
	if o.Histories < 1 {
		return c.Refuse("--histories is %d; it must be from 1 on", o.Histories)
	}
	type history struct {
		loans sessiontest.Loans
		fault error
	}
	histories, err := experiment.RunParallel(ctx, io.Discard, "histories", o.Histories, func(ctx context.Context, i int) (h history, err error) {
		h.loans, h.fault = sessiontest.CheckLoans(rand.New(rand.NewPCG(o.Seed+uint64(i), 0)), o.Clients, o.Steps)
		return h, ctx.Err()
	})
	if err != nil {
		return err
	}
	for i, h := range histories {
		o.Used += h.loans.Used
		o.TakenBack += h.loans.TakenBack
		o.TwoAtOnePart += h.loans.TwoAtOnePart
		o.ExecutedAfterEnd += h.loans.ExecutedAfterEnd
		o.BaseMovedByBorrower += h.loans.BaseMovedByBorrower
		o.TakeBack.Worst = max(o.TakeBack.Worst, h.loans.TakeBack.Milliseconds())
		if h.fault != nil {
			o.Faults = append(o.Faults, leaseViolation{o.Seed + uint64(i), h.fault.Error()})
		}
	}
	if err := c.Print(o); err != nil {
		return err
	}
	if len(o.Faults) > 0 {
		return fmt.Errorf("lab: loans: %d of %d histories broke a rule", len(o.Faults), o.Histories)
	}
	return nil
}
