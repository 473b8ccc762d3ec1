package examples_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mybot/drivers/base/check"
)

// need skips a test if programs or files that it needs are not installed. In CI,
// ./test refuses to begin without them.
func need(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		_, err := exec.LookPath(name)
		if filepath.IsAbs(name) {
			_, err = os.Stat(name)
		}
		if err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
}

// A child is a process as a line: its standard input and output.
type child struct {
	cmd *exec.Cmd
	in  *os.File
	out *os.File
}

func startChild(name string, args ...string) (*child, error) {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(name, args...), in: in, out: out}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = theirIn, theirOut, os.Stderr
	err = c.cmd.Start()
	return c, errors.Join(err, theirIn.Close(), theirOut.Close())
}

func (c *child) Read(p []byte) (int, error)          { return c.out.Read(p) }
func (c *child) Write(p []byte) (int, error)         { return c.in.Write(p) }
func (c *child) SetWriteDeadline(at time.Time) error { return c.in.SetWriteDeadline(at) }
func (c *child) CloseWrite() error                   { return c.in.Close() }

// Close ends the process and waits for it.
func (c *child) Close() error {
	_ = c.in.Close()
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	err := c.cmd.Wait()
	return errors.Join(err, c.out.Close())
}

// startProgram runs a program until the test ends.
func startProgram(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(name, args...)
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil && strings.Contains(errs.String(), "Traceback") {
			t.Errorf("%s: %v, %s", name, err, errs.String())
		}
	})
	return cmd
}

// until calls try until it returns no error, for at most 20 s.
func until(t *testing.T, what string, try func() error) {
	t.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for began := time.Now(); ; <-ticker.C {
		err := try()
		if err == nil {
			return
		}
		if time.Since(began) > 20*time.Second {
			t.Fatalf("%s: %v", what, err)
		}
	}
}

// freePort returns an unused TCP port of this computer.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// cable joins two pseudo terminals like two serial ports with a cable, and returns
// their names.
func cable(t *testing.T) (ours, theirs string) {
	t.Helper()
	dir := t.TempDir()
	ours, theirs = filepath.Join(dir, "mybot"), filepath.Join(dir, "base")
	startProgram(t, "socat", "pty,raw,echo=0,link="+ours, "pty,raw,echo=0,link="+theirs)
	until(t, "the pseudo terminals", func() error {
		_, one := os.Stat(ours)
		_, two := os.Stat(theirs)
		return errors.Join(one, two)
	})
	return ours, theirs
}

// judge checks a base and expects it to follow every rule except some. A base that
// breaks one because this computer is busy gets two more chances.
func judge(t *testing.T, o check.Options, but ...string) {
	t.Helper()
	var r check.Report
	for range 3 {
		var err error
		if r, err = check.Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		r.Rules = slices.DeleteFunc(r.Rules, func(r check.Result) bool { return slices.Contains(but, r.Rule) })
		if r.OK() && r.Untried == "" {
			break
		}
		t.Logf("once: %s", r.Summary())
	}
	for _, rule := range r.Rules {
		if !rule.OK {
			t.Error(rule)
		}
	}
	if r.Untried != "" {
		t.Error(r.Untried)
	}
}
