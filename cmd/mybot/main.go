// Command mybot runs a robot that people drive from a browser.
//
//	mybot [serve] [flags]   run the robot; it prints the address to open
//	mybot pair|stop|status  speak to a robot from the command line
//	mybot users ...         who may come in
//	mybot motions ...       drives by hand that were kept
//	mybot record FILE       record what a robot senses and does
//	mybot job ...           jobs, and how they get on
//	mybot queue ...         commands with start times
//	mybot joints ...        where an arm's joints are, and where they go
//	mybot audit verify      check the record of what happened
//	mybot map ...           look at a map folder, or make one from a log
//	mybot base ...          robots at the end of a line
//	mybot robot ...         descriptions of robots, to and from URDF
//	mybot doctor            tell what it found, and what to do about it
//	mybot lab ...           run an experiment
//	mybot licences          print the licences of what it is built from
//	mybot version           print the build; so does --version
//	mybot help              print how it is called
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
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel() // the first one asks
		<-signals
		os.Exit(exitKilled) // the second one does not wait
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr, os.Getenv))
}

// The exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2   // it was called wrongly
	exitKilled = 130 // a second signal came before the shutdown was over
)

// run does what args say until ctx ends, and returns the exit code. env looks
// up an environment variable.
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
	case "joints":
		err = jointsCommand(ctx, args, stdout, env)
	case "audit":
		err = auditCommand(args, stdout, env)
	case "map":
		err = mapCommand(args, stdout)
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
		err = usageError{fmt.Errorf("there is no sub-command %q: it is serve, pair, stop, status, users, motions, record, job, queue, joints, audit, map, base, robot, doctor, lab, licences, version or help", name)}
	}
	switch {
	case err == nil || errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return exitDone
	case errors.As(err, new(usageError)):
		_, _ = fmt.Fprintf(stderr, "mybot: %v\nSee mybot help.\n", err)
		return exitUsage
	default:
		_, _ = fmt.Fprintf(stderr, "mybot: %v\n", err)
		return exitFailed
	}
}

// asksHelp reports whether an argument asks how the program is called.
func asksHelp(arg string) bool { return arg == "-h" || arg == "-help" || arg == "--help" }

// asksVersion reports whether an argument asks for the build.
func asksVersion(arg string) bool { return arg == "-version" || arg == "--version" }

// A usageError says that the program was called wrongly.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }
