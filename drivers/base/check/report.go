package check

import (
	"fmt"
	"strings"
)

// A Result says whether a base follows a rule.
type Result struct {
	Rule string `json:"rule"` // what the base must do, for example "answers hello"
	OK   bool   `json:"ok"`
	Text string `json:"text"` // what the base did and, unless OK, what would be right
}

func (r Result) String() string {
	mark := "ok    "
	if !r.OK {
		mark = "WRONG "
	}
	return mark + r.Rule + ": " + r.Text
}

// A Report is the result of checking a base.
type Report struct {
	Base  string   `json:"base"` // the name and version of its program; "" = unknown
	Rules []Result `json:"rules"`
	// Untried says which rules were not checked and why; "" = all were checked.
	Untried string `json:"untried,omitempty"`
}

// OK reports whether the base follows every rule that was checked.
func (r Report) OK() bool { return len(r.Broken()) == 0 }

// Broken returns the names of the rules that the base does not follow.
func (r Report) Broken() (rules []string) {
	for _, rule := range r.Rules {
		if !rule.OK {
			rules = append(rules, rule.Rule)
		}
	}
	return rules
}

// Summary returns the report in a sentence.
func (r Report) Summary() string {
	text := fmt.Sprintf("The base follows %d of %d rules.", len(r.Rules)-len(r.Broken()), len(r.Rules))
	if broken := r.Broken(); len(broken) > 0 {
		text += " Not: " + strings.Join(broken, "; ") + "."
	}
	if r.Untried != "" {
		text += " " + r.Untried
	}
	return text
}
