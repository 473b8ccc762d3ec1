// Command mybot runs a robot that people drive from a browser.
//
//	mybot [serve] [flags]   run the robot; it prints the address to open
//	mybot pair|stop|status  talk to a robot from the command line
//	mybot users ...         manage who may connect
//	mybot motions ...       manage recorded drives
//	mybot record FILE       record what a robot senses and does
//	mybot job ...           show, check and run jobs
//	mybot queue ...         run commands with start times
//	mybot script ...        check and run scripts, talk, record and play
//	mybot joints ...        show or move the joints of an arm
//	mybot audit verify      verify the audit log
//	mybot map ...           inspect a map folder, or build one from a log
//	mybot base ...          check, watch and simulate bases
//	mybot robot ...         convert robot descriptions from and to URDF
//	mybot doctor            examine the installation and suggest remedies
//	mybot lab ...           run an experiment
//	mybot licences          print the licences of the modules in the program
//	mybot version           print the build; so does --version
//	mybot help              print the usage
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signal.Notify(signals, syscall.SIGHUP) // the terminal was closed
	}
	go func() {
		awaitSignals(signals, cancel)
		os.Exit(exitInterrupted)
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr, os.Getenv))
}

// sameSignal is how long after the first signal another one is taken for the same: timeout(1)
// sends each twice, and a terminal that closes is reported by the system and by the shell.
const sameSignal = 250 * time.Millisecond

// awaitSignals starts a shutdown at the first signal, and returns at the second one, which
// ends the program at once.
func awaitSignals(signals <-chan os.Signal, shutDown func()) {
	<-signals
	shutDown()
	for first := time.Now(); ; {
		<-signals
		if time.Since(first) >= sameSignal {
			return
		}
	}
}

// The exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2   // wrong usage
	exitInterrupted = 130 // by a signal before the work was done, or by a second one before the shutdown was over
)

// run executes the command in args until it is done or ctx ends, and returns the exit code.
// env looks up an environment variable.
func run(ctx context.Context, args []string, stdout, stderr io.Writer, env func(string) string) int {
	name := "serve"
	if len(args) > 0 && (!strings.HasPrefix(args[0], "-") || asksVersion(args[0])) {
		name, args = strings.TrimLeft(args[0], "-"), args[1:]
	}
	if name == "help" || name != "lab" && slices.ContainsFunc(args, asksHelp) {
		_, _ = fmt.Fprint(stdout, usageText())
		return exitDone
	}
	var err error
	switch name {
	case "serve":
		err = serveCommand(ctx, args, stdout, stderr, env)
	case "lab":
		err = labCommand(ctx, args, stdout, stderr)
	case "pair":
		err = pairCommand(ctx, args, stdout, env)
	case "stop":
		err = stopCommand(ctx, args, stdout, env)
	case "status":
		err = statusCommand(ctx, args, stdout, env)
	case "users":
		err = usersCommand(ctx, args, stdout, stderr, env)
	case "motions":
		err = motionsCommand(ctx, args, stdout, env)
	case "record":
		err = recordCommand(ctx, args, stdout, env)
	case "job":
		err = jobCommand(ctx, args, stdout, env)
	case "queue":
		err = queueCommand(ctx, args, stdout, env)
	case "script":
		err = scriptCommand(ctx, args, os.Stdin, stdout, env)
	case "joints":
		err = jointsCommand(ctx, args, stdout, env)
	case "audit":
		err = auditCommand(args, stdout, env)
	case "map":
		err = mapCommand(ctx, args, stdout)
	case "base":
		err = baseCommand(ctx, args, stdout, stderr)
	case "robot":
		err = robotCommand(args, stdout, stderr)
	case "doctor":
		err = doctorCommand(ctx, args, stdout, env)
	case "licences":
		err = licencesCommand(args, stdout)
	case "version":
		err = versionCommand(args, stdout)
	default:
		err = usageError{fmt.Errorf("there is no sub-command %q: it is serve, pair, stop, status, users, motions, record, job, queue, script, joints, audit, map, base, robot, doctor, lab, licences, version or help", name)}
	}
	interrupted := errors.Is(err, context.Canceled) && ctx.Err() != nil
	switch {
	case err == nil, interrupted && name == "serve": // which has no end of its own
		return exitDone
	case interrupted:
		_, _ = fmt.Fprintln(stderr, "mybot: interrupted before the work was done")
		return exitInterrupted
	case errors.As(err, new(usageError)):
		_, _ = fmt.Fprintf(stderr, "mybot: %v\nSee mybot help.\n", err)
		return exitUsage
	default:
		_, _ = fmt.Fprintf(stderr, "mybot: %v\n", err)
		return exitFailed
	}
}

// surviveBrokenPipe lets the program continue when the reader of its output is gone, such as
// a tee that the same Ctrl-C has ended first: a program that moves a robot shuts down in order.
// Programs that it starts afterwards do not inherit this.
func surviveBrokenPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// asksHelp reports whether an argument asks for the usage.
func asksHelp(arg string) bool { return arg == "-h" || arg == "-help" || arg == "--help" }

// asksVersion reports whether an argument asks for the build.
func asksVersion(arg string) bool { return arg == "-version" || arg == "--version" }

// A usageError is an error in how the program was called.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }
