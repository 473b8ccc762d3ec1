package users

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestLoansAreNeverBrokenInRandomHistories(t *testing.T) {
	out, _, err := commands.Run(t, "loans", "--json", "--seed", "7", "--histories", "40")
	if err != nil {
		t.Fatal(err)
	}
	var o loansOutcome
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	if o.TwoAtOnePart+o.ExecutedAfterEnd+o.BaseMovedByBorrower+len(o.Faults) > 0 || o.TakeBack.Worst > 100 {
		t.Errorf("the outcome is %+v", o)
	}
	if o.Histories != 40 || o.Used < 50 || o.TakenBack < 20 {
		t.Errorf("too little happened: %+v", o)
	}
	if !strings.Contains(out, `"take_back_ms": {
    "worst": `) && !strings.Contains(out, `"take_back_ms":{"worst":`) {
		t.Errorf("as JSON it is %s", out)
	}
	if _, _, err := commands.Run(t, "loans", "--histories", "0"); err == nil || !strings.Contains(err.Error(), "--histories is 0; it must be from 1 on") {
		t.Errorf("no histories: %v", err)
	}
}

func TestABrokenLoanIsToldWithItsSeed(t *testing.T) {
	o := loansOutcome{Histories: 3, Clients: 5, Steps: 200, Used: 9, TakenBack: 4, ExecutedAfterEnd: 1, TakeBack: takeBack{60}, Faults: []leaseViolation{{12, "the head still moves"}}}
	want := "3 histories of 200 steps with 5 clients: borrowers used parts 9 times, holders took 4 back. Two at one part: 0; executed after the end of a loan: 1; base moved by a borrower: 0. After it was taken back, a part moved for its borrower for 60 ms at most.\n  seed 12: the head still moves"
	if got := o.String(); got != want {
		t.Error(got)
	}
}
