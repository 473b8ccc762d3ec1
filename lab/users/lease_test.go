package users

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestControlIsNeverBrokenInRandomHistories(t *testing.T) {
	out, _, err := commands.Run(t, "lease", "--json", "--seed", "7", "--histories", "10")
	if err != nil {
		t.Fatal(err)
	}
	var o leaseOutcome
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	if o.Histories != 10 || o.Violations != 0 || o.Seed != 7 || o.Clients != 50 {
		t.Errorf("the outcome is %+v", o)
	}
	if words, _, err := commands.Run(t, "lease", "--histories", "2"); err != nil || words != "2 histories of 300 steps with 50 clients: 0 broke a rule.\n" {
		t.Errorf("as text it is %q, %v", words, err)
	}
	if _, _, err := commands.Run(t, "lease", "--histories", "0"); err == nil || !strings.Contains(err.Error(), "--histories is 0; it must be from 1 on") {
		t.Errorf("no histories: %v", err)
	}
}

func TestABrokenRuleIsToldWithItsSeed(t *testing.T) {
	o := leaseOutcome{Histories: 3, Violations: 1, Clients: 50, Steps: 300, Faults: []leaseViolation{{12, "two people have control"}}}
	if got := o.String(); got != "3 histories of 300 steps with 50 clients: 1 broke a rule.\n  seed 12: two people have control" {
		t.Error(got)
	}
}
