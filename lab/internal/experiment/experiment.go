// Package experiment is the common part of all experiments: their calls and flags, the output of
// their outcomes, and parallel runs.
package experiment

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"

	"mybot/localization"
)

// ErrUsage means that lab was called wrongly; the error that wraps it says what would be right.
var ErrUsage = errors.New("see mybot lab help")

// Call is the call of an experiment.
type Call struct {
	Name     string
	Args     []string
	Out, Err io.Writer
	Tables   localization.Cache // of data computed from maps; nil = each experiment computes its own

	asJSON bool // set by Parse
}

// Parse parses the flags that define declares, and --json, which all experiments have. With -h it
// prints the flags and returns flag.ErrHelp.
func (c *Call) Parse(define func(*Flags)) error {
	flags := &Flags{FlagSet: flag.NewFlagSet("mybot lab "+c.Name, flag.ContinueOnError)}
	flags.SetOutput(io.Discard)
	flags.BoolVar(&c.asJSON, "json", false, "print JSON")
	define(flags)
	switch err := flags.Parse(c.Args); {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(c.Err)
		_, _ = fmt.Fprintf(c.Err, "mybot lab %s:\n", c.Name)
		flags.PrintDefaults()
		return err
	case err != nil:
		return fmt.Errorf("lab: %s: %w; %w", c.Name, err, ErrUsage)
	case flags.NArg() > 0:
		return fmt.Errorf("lab: %s takes flags only, not %q; %w", c.Name, flags.Arg(0), ErrUsage)
	}
	for _, fault := range flags.limits {
		if wrong := fault(); wrong != "" {
			return c.Refuse("%s", wrong)
		}
	}
	return nil
}

// Refuse returns the error of a call with wrong flags.
func (c *Call) Refuse(format string, args ...any) error {
	return fmt.Errorf("lab: %s: %w; %w", c.Name, fmt.Errorf(format, args...), ErrUsage)
}

// Print prints an outcome: as one line with a JSON object, or as text.
func (c *Call) Print(outcome fmt.Stringer) error {
	if !c.asJSON {
		_, err := fmt.Fprintln(c.Out, outcome)
		return err
	}
	return json.NewEncoder(c.Out).Encode(outcome)
}
