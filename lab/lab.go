// Package lab holds the experiments of mybot lab: each tells what it did and
// what came out, in words or as JSON, with the seeds that repeat it. They run
// in virtual time, but for those that are about real sockets and processes.
//
// Run reads the arguments and starts one experiment; it owns no goroutine and
// returns when the experiment is done or ctx ends.
package lab

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"mybot/drivers/sim"
	"mybot/localization"
	"mybot/robot"
	"mybot/robot/models"
)

// ErrUsage says that lab was called wrongly; the error tells how it is right.
var ErrUsage = errors.New("see mybot lab help")

// command is one thing that lab can do.
type command struct {
	name, about string
	run         func(ctx context.Context, c call) error
}

// call is how an experiment was asked for.
type call struct {
	name     string
	args     []string
	out, err io.Writer
	tables   localization.Cache // of what is made from maps; nil = each experiment makes its own
}

// commands lists all of them, in the order of the help.
func commands() []command {
	return []command{
		{"battery", "how long a full battery lasts with mixed duty", battery},
		{"faults", "how fast the robot stops when something breaks", faults},
		{"localize", "how far off the localizers are, side by side", localize},
		{"fig5b", "the corner of the corridor: how far off each localizer takes the robot", fig5b},
		{"jobs", "random jobs with pauses, failures and skips; and servers that are killed while they keep some", manyJobs},
		{"goto", "how the robot goes where it is sent, among people, barrels and closing doors", goTo},
		{"drive", "how far the robot is off the virtual one's path over bad networks", driving},
		{"fig5a", "by hand round two barrels in the corridor, over the network of the paper", fig5a},
		{"fig6", "the job of figure 6: stopped on the way, two messages, two touches of OK", fig6},
		{"fig11", "what congestion does to RoboTalk's command modes", fig11},
		{"lease", "whether control passes on as it should in random histories of fifty people", lease},
		{"power", "what is left of what was acknowledged when the power is cut (needs root and mkfs.ext4)", powerCuts},
		{"plan", "how fast and how short the ways over a grid are", plan},
		{"route", "how fast the ways over a via graph are", route},
		{"observers", "what a crowd costs that watches the robot, against a raw TCP loop", observers},
		{"stall", "whether commands that a stall held back are executed", stall},
		{"glass", "how old the pictures are that a browser shows, over good and bad networks", glass},
		{"media", "how fast and how well pictures are encoded", mediaRun},
		{"square", "how far off odometry is after a square of 4 m", square},
	}
}

// parts lists the programs that experiments run as processes of their own.
func parts() []command {
	return []command{
		{"crowd", "watches a robot, many at a time", crowdPart},
		{"keeper", "serves a robot that keeps jobs, until its standard input ends", keeperPart},
		{"operator", "drives the robot at an address", operatorPart},
		{"power-writer", "keeps what the robot keeps, until the power is cut", powerPart},
		{"robot", "serves a robot whose base is at the other end of its standard input and output", serveRemote},
	}
}

// Run runs the experiment that args names, with the flags behind its name. The
// outcome goes to out, help about flags to errOut. A wrong call is ErrUsage.
func Run(ctx context.Context, args []string, out, errOut io.Writer) error {
	return call{out: out, err: errOut}.run(ctx, args)
}

// run is Run with what a call has besides its arguments.
func (c call) run(ctx context.Context, args []string) error {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "-help" || args[0] == "--help" {
		return help(c.out)
	}
	var names []string
	for _, e := range slices.Concat(commands(), parts()) {
		if e.name == args[0] {
			c.name, c.args = e.name, args[1:]
			return e.run(ctx, c)
		}
	}
	for _, e := range commands() {
		names = append(names, e.name)
	}
	return fmt.Errorf("lab: there is no experiment %q: it is %s; %w", args[0], strings.Join(names, " or "), ErrUsage)
}

func help(out io.Writer) error {
	text := "The experiments, each with -h for its flags:\n\n"
	for _, e := range commands() {
		text += fmt.Sprintf("  mybot lab %-9s  %s\n", e.name, e.about)
	}
	_, err := io.WriteString(out, text)
	return err
}

// Parse reads the flags that define declares, and --json, which all
// experiments have. With -h it prints them and returns done.
func (c call) Parse(define func(*flag.FlagSet)) (asJSON, done bool, err error) {
	flags := flag.NewFlagSet("mybot lab "+c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	define(flags)
	switch err := flags.Parse(c.args); {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(c.err)
		_, _ = fmt.Fprintf(c.err, "mybot lab %s:\n", c.name)
		flags.PrintDefaults()
		return false, true, nil
	case err != nil:
		return false, false, fmt.Errorf("lab: %s: %w; %w", c.name, err, ErrUsage)
	case flags.NArg() > 0:
		return false, false, fmt.Errorf("lab: %s takes flags only, not %q; %w", c.name, flags.Arg(0), ErrUsage)
	}
	return asJSON, false, nil
}

// defineWorld adds --world, which says how the simulated robot differs from its
// description.
func defineWorld(flags *flag.FlagSet, world *sim.Deviation) {
	flags.Func("world", "`how` the simulated robot differs from its description: nominal (the default), hears-less, hears-more, other-beam, other-ring, cross-talk, dropouts, wheels, compass or worst", func(s string) (err error) {
		*world, err = sim.ParseDeviation(s)
		return err
	})
}

// Print prints an outcome: as one JSON object in a line, or its words.
func (c call) Print(asJSON bool, outcome fmt.Stringer) error {
	if !asJSON {
		_, err := fmt.Fprintln(c.out, outcome)
		return err
	}
	return json.NewEncoder(c.out).Encode(outcome)
}

// Mybot returns the built-in robot.
func Mybot() (robot.Description, error) {
	d, err := robot.ParseDescription(models.Mybot())
	if err != nil {
		return d, fmt.Errorf("lab: %w", err)
	}
	return d, nil
}
