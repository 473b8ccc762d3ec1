// Package lab holds the experiments of mybot lab. Each prints what it did and its outcome, as
// text or JSON, with the seeds that repeat it. They run in virtual time, except those with real
// sockets and processes.
//
// Run parses the arguments and runs one experiment. It owns no goroutine and returns when the
// experiment is done or ctx ends.
package lab

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"mybot/lab/base"
	"mybot/lab/bases"
	"mybot/lab/drive"
	"mybot/lab/faults"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/testbed"
	"mybot/lab/jobruns"
	"mybot/lab/localize"
	"mybot/lab/mapping"
	"mybot/lab/navigate"
	"mybot/lab/planning"
	"mybot/lab/recordings"
	"mybot/lab/release"
	"mybot/lab/scripts"
	"mybot/lab/users"
	"mybot/lab/video"
)

// command is one command of lab.
type command struct {
	name, about string
	run         func(ctx context.Context, c experiment.Call) error
}

// commands returns all commands in the order of the help.
func commands() []command {
	return []command{
		{"battery", "how long a full battery lasts with mixed duty", base.DrainBattery},
		{"faults", "how fast the robot stops when something breaks", faults.Run},
		{"brokenbases", "whether the check of a base finds each of 22 faults", bases.CheckBrokenBases},
		{"cable", "what becomes of a robot whose line to its base is cut in mid-drive", bases.PullCables},
		{"line", "how evenly the readings of a base come over each kind of line, and what bit errors do", bases.MeasureLines},
		{"watchdog", "when the motors of a base stop after something happened to its server", bases.MeasureWatchdogs},
		{"localize", "how accurate the localizers are, side by side", localize.Run},
		{"fig5b", "around the corner of the corridor: the error of each localizer", navigate.Fig5b},
		{"jobs", "random jobs with pauses, failures and skips, and servers killed while they run them", jobruns.Run},
		{"goto", "how well the robot reaches its goals among people, barrels and closing doors", navigate.GoTo},
		{"drive", "how far the robot strays from the virtual robot's path over bad networks", drive.Run},
		{"fig5a", "driving around two barrels in the corridor, over the network of the paper", drive.Fig5a},
		{"guard", "what a hand that does not look touches, by sonars, by a lidar, and by both", drive.MeasureGuard},
		{"fig6", "the job of figure 6: a stop on the way, two messages, two touches of OK", jobruns.Fig6},
		{"fig11", "what congestion does to RoboTalk's command modes", drive.Fig11},
		{"lease", "whether control changes hands correctly in random histories of fifty people", users.CheckLease},
		{"loans", "whether parts that are lent stop for their borrowers when they should, in random histories", users.CheckLoans},
		{"power", "whether acknowledged data survives a power cut (needs root and mkfs.ext4)", faults.PowerCuts},
		{"mapping", "how good the maps are that a robot with a lidar makes, and how it goes to places in them", mapping.MeasureMapping},
		{"mapping-logs", "how good maps made from logs of real robots are, as they are and disturbed", mapping.MeasureLogs},
		{"plan", "how fast grid planning is, and how short its paths are", planning.MeasureGrid},
		{"release", "whether two builds of a release are equal, its programs static, and its package installs and leaves nothing (needs the sources, Go, dpkg and systemd)", release.Examine},
		{"relations", "how well the poses of a map made from a log agree with the scans themselves", mapping.MeasureRelations},
		{"record", "how long recordings are, what they cost, and what is left when the server is killed or the disk is full", recordings.Record},
		{"replay", "whether a recording, given as FILE, comes out the same when it is computed again", recordings.Replay},
		{"route", "how fast planning over a via graph is", planning.MeasureGraph},
		{"observers", "what many observers cost, compared with a raw TCP loop", users.Observe},
		{"stall", "whether commands delayed by a stall are executed", drive.MeasureStall},
		{"glass", "the age of the pictures in a browser, over good and bad networks", video.MeasureGlass},
		{"media", "speed and quality of the video encoders", video.MeasureEncoders},
		{"talk", "a conversation with the language of scripts, given as FILE, in virtual time and without a robot", scripts.Talk},
		{"scripts", "whether random programs move the robot only with a licence, and how fast programs run", scripts.Licence},
		{"mirror", "how late a robot mirrors another one, and how exactly it plays a record", scripts.MeasureMirror},
		{"urbi", "how fast the port for scripts is, and what stops a program that is silent", scripts.MeasurePort},
		{"square", "odometry error after a square of 4 m", base.DriveSquares},
	}
}

// parts returns the programs that experiments run as child processes.
func parts() []command {
	return []command{
		{"crowd", "watches a robot, many at a time", users.CrowdPart},
		{"keeper", "serves a robot that keeps jobs, until its standard input ends", jobruns.KeeperPart},
		{"operator", "drives the robot at an address", faults.OperatorPart},
		{"recorded", "serves a robot that is recorded", recordings.RecordedPart},
		{"power-writer", "keeps what the robot keeps, until the power is cut", faults.PowerPart},
		{testbed.ServerPart, "serves the robot of the base at an address, until its standard input ends", testbed.ServeApart},
		{bases.SimPart, "serves the simulated robot as a base", bases.SimBasePart},
	}
}

// ErrUsage means that lab was called wrongly; the error that wraps it says what would be right.
var ErrUsage = experiment.ErrUsage

// Run runs the experiment that args name, with the flags after its name. The outcome goes to
// out, help about flags to errOut. A wrong call returns ErrUsage.
func Run(ctx context.Context, args []string, out, errOut io.Writer) error {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "-help" || args[0] == "--help" {
		return help(out)
	}
	var names []string
	for _, e := range slices.Concat(commands(), parts()) {
		if e.name == args[0] {
			err := e.run(ctx, experiment.Call{Name: e.name, Args: args[1:], Out: out, Err: errOut})
			switch {
			case errors.Is(err, flag.ErrHelp):
				return nil // the help was printed
			case err != nil && ctx.Err() != nil:
				return ctx.Err() // what an interrupted part says of itself misleads
			}
			return err
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
		text += fmt.Sprintf("  mybot lab %-12s  %s\n", e.name, e.about)
	}
	_, err := io.WriteString(out, text)
	return err
}
