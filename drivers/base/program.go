package base

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

const (
	// maxStarts is how often a program is started within startsWithin, at most.
	maxStarts, startsWithin = 6, time.Minute
	// politeFor is how long a program may take to end by itself after its input
	// ends, and patientFor how long until it is killed.
	politeFor, patientFor = 500 * time.Millisecond, 2 * time.Second
	// groupEvery is how often the process group is checked for remaining processes.
	groupEvery = 10 * time.Millisecond
	// maxLastWords is the longest part of a program's last line that is remembered,
	// in bytes.
	maxLastWords = 200
)

// A program is the command of an exec: address.
type program struct {
	command string
	log     *slog.Logger
	starts  []time.Time // within the last minute, oldest first
	last    *child      // nil = none yet
}

// start starts the program, unless it was started too often.
func (p *program) start() (Conn, error) {
	now := time.Now()
	for len(p.starts) > 0 && now.Sub(p.starts[0]) >= startsWithin {
		p.starts = p.starts[1:]
	}
	if len(p.starts) >= maxStarts {
		return nil, fmt.Errorf("it was started %d times within a minute and is not started again before %s: %w",
			maxStarts, p.starts[0].Add(startsWithin).Format("15:04:05"), p.last.explain())
	}
	c, err := startChild(p.command, p.log)
	if err != nil {
		return nil, err
	}
	p.starts, p.last = append(p.starts, now), c
	return c, nil
}

// A child is a running program: a line over its standard input and output.
type child struct {
	cmd     *exec.Cmd
	log     *slog.Logger
	in, out *os.File // our ends of the pipes
	errors  *os.File

	closing chan struct{} // closed by Close
	closed  sync.Once
	ended   chan struct{} // closed when the program has ended
	err     error         // how it ended
	both    sync.WaitGroup

	mu        sync.Mutex
	lastWords string // on its standard error
}

// startChild starts a command with pipes and the goroutines that watch it.
func startChild(command string, log *slog.Logger) (*child, error) {
	words, err := splitCommand(command)
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(words[0], words[1:]...), log: log, closing: make(chan struct{}), ended: make(chan struct{})} //nolint:gosec,noctx // the user names the program; its pipe ends it
	setOwnGroup(c.cmd)
	var theirs [3]*os.File
	defer func() {
		for _, f := range theirs {
			if f != nil {
				_ = f.Close()
			}
		}
	}()
	if theirs[0], c.in, err = os.Pipe(); err == nil {
		if c.out, theirs[1], err = os.Pipe(); err == nil {
			c.errors, theirs[2], err = os.Pipe()
		}
	}
	if err == nil {
		c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = theirs[0], theirs[1], theirs[2]
		err = c.cmd.Start()
	}
	if err != nil {
		for _, f := range []*os.File{c.in, c.out, c.errors} {
			_ = f.Close() // even nil
		}
		return nil, fmt.Errorf("the program %s cannot be started: %w", words[0], explainStart(words[0], err))
	}
	go func() { // endProcess waits for it
		c.err = c.cmd.Wait()
		close(c.ended)
	}()
	c.both.Go(c.endProcess)
	c.both.Go(c.logErrors)
	return c, nil
}

// explainStart adds to why a program does not start what would be right.
func explainStart(name string, err error) error {
	switch _, missing := os.Stat(name); {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w. Make it executable (chmod +x %s), or name what runs it, as in exec:python3 %s", err, name, name)
	case errors.Is(err, exec.ErrNotFound) && missing == nil:
		return fmt.Errorf("%w. It is in this folder: write exec:./%s, or name what runs it, as in exec:python3 %s", err, name, name)
	}
	return err
}

// endProcess ends the program and what it has started when the line is closed, ever less politely.
func (c *child) endProcess() {
	<-c.closing
	closed := time.Now()
	for _, s := range []struct {
		after time.Duration
		end   func(*exec.Cmd)
	}{{politeFor, terminate}, {patientFor, kill}} {
		if !c.waitForAll(closed.Add(s.after)) {
			s.end(c.cmd)
		}
	}
	<-c.ended
	_ = c.errors.SetReadDeadline(time.Now().Add(50 * time.Millisecond)) // other processes may hold the pipe open
}

// waitForAll waits until the program and its process group have ended; ok is false
// if they have not by the time.
func (c *child) waitForAll(until time.Time) (ok bool) {
	late := time.NewTimer(time.Until(until))
	defer late.Stop()
	select {
	case <-c.ended:
	case <-late.C:
		return false
	}
	for isGroupLeft(c.cmd) { // there is no notification for other processes
		select {
		case <-time.After(groupEvery):
		case <-late.C:
			return false
		}
	}
	return true
}

// logErrors logs the standard error of the program.
func (c *child) logErrors() {
	defer func() { _ = c.errors.Close() }()
	var limit textLimit
	lines := bufio.NewReaderSize(c.errors, 1024)
	for {
		line, more, err := lines.ReadLine()
		if text := strings.TrimSpace(string(line)); text != "" {
			c.mu.Lock()
			c.lastWords = text[:min(len(text), maxLastWords)]
			c.mu.Unlock()
			limit.log(time.Now(), c.log, slog.LevelInfo, text)
		}
		for more && err == nil { // the rest of an overlong line
			_, more, err = lines.ReadLine()
		}
		if err != nil {
			return
		}
	}
}

// explain returns how the program ended.
func (c *child) explain() error {
	how := "it has ended by itself"
	if c.err != nil {
		how = "it has ended with " + c.err.Error()
	}
	if wrote := c.wrote(); wrote != "" {
		return fmt.Errorf("the program %s does not run, %s; the last that it wrote: %q", c.cmd.Args[0], how, wrote)
	}
	return fmt.Errorf("the program %s does not run, %s", c.cmd.Args[0], how)
}

// wrote returns what the program has written last to its standard error.
func (c *child) wrote() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lastWords
}

func (c *child) Read(b []byte) (int, error)         { return c.out.Read(b) }
func (c *child) Write(b []byte) (int, error)        { return c.in.Write(b) }
func (c *child) SetWriteDeadline(t time.Time) error { return c.in.SetWriteDeadline(t) }

// CloseWrite closes only the standard input.
func (c *child) CloseWrite() error { return c.in.Close() }

// Close closes the pipes, which ends the program; HangUp waits for that.
func (c *child) Close() error {
	c.closed.Do(func() { close(c.closing) })
	return errors.Join(c.in.Close(), c.out.Close())
}
