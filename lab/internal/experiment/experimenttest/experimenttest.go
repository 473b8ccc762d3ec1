// Package experimenttest runs experiments for the tests of their packages, including the child
// processes that some of them start.
package experimenttest

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"

	"mybot/lab/internal/experiment"
)

// childProcess is the environment variable that makes a test binary act as the program lab.
const childProcess = "MYBOT_TEST_BE_THE_PROGRAM"

// Commands are experiments by name, with a cache of data computed from maps that all tests of a
// package share.
type Commands struct {
	run    map[string]func(context.Context, experiment.Call) error
	tables cache
}

// New returns the commands of a package.
func New(run map[string]func(context.Context, experiment.Call) error) *Commands {
	return &Commands{run: run}
}

// cache is a localization.Cache in memory.
type cache struct{ sync.Map }

// Get implements localization.Cache.
func (c *cache) Get(key string) ([]byte, bool) {
	data, ok := c.Load(key)
	if !ok {
		return nil, false
	}
	return data.([]byte), true
}

// Put implements localization.Cache.
func (c *cache) Put(key string, data []byte) { c.Store(key, data) }

// Run runs the command that args names and returns what it prints.
func (c *Commands) Run(t *testing.T, args ...string) (out, errOut string, err error) {
	t.Helper()
	run, ok := c.run[args[0]]
	if !ok {
		t.Fatalf("the test does not know %q", args[0])
	}
	var o, e bytes.Buffer
	err = run(t.Context(), experiment.Call{Name: args[0], Args: args[1:], Out: &o, Err: &e, Tables: &c.tables})
	if errors.Is(err, flag.ErrHelp) {
		err = nil
	}
	return o.String(), e.String(), err
}

// Outcome runs a command with --json and parses its output.
func Outcome[T any](t *testing.T, c *Commands, args ...string) (outcome T) {
	t.Helper()
	out, _, err := c.Run(t, append(args, "--json")...)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(out), &outcome); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return outcome
}

// Main runs the tests of a package. In a child process, the test binary runs the command that its
// arguments name.
func (c *Commands) Main(m *testing.M) {
	if os.Getenv(childProcess) != "1" || len(os.Args) < 3 || os.Args[1] != "lab" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	run, ok := c.run[os.Args[2]]
	if !ok {
		fmt.Fprintf(os.Stderr, "the test does not know %q\n", os.Args[2])
		os.Exit(1)
	}
	if err := run(ctx, experiment.Call{Name: os.Args[2], Args: os.Args[3:], Out: os.Stdout, Err: os.Stderr}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// StartChildren makes the child processes of a test run the commands of lab.
func StartChildren(t *testing.T) { t.Setenv(childProcess, "1") }

// ComputesLong skips a test with -short: the race detector makes it ten times slower, and the
// full run without it includes the test.
func ComputesLong(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it computes for long; -short leaves it out")
	}
}

// CountPaths counts the paths in an SVG file, which must be well formed.
func CountPaths(t *testing.T, picture string) (paths int) {
	t.Helper()
	file, err := os.Open(picture)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	for d := xml.NewDecoder(file); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return paths
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "path" {
			paths++
		}
	}
}
