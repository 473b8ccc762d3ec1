package base

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"mybot/robot"
)

func TestACommandIsSplitIntoWords(t *testing.T) {
	for _, c := range []struct {
		command string
		want    []string
	}{
		{"./base.py", []string{"./base.py"}},
		{"  python3  base.py\t--fast ", []string{"python3", "base.py", "--fast"}},
		{`sh -c 'echo "hi"' ""`, []string{"sh", "-c", `echo "hi"`, ""}},
		{`a"b c"d`, []string{"ab cd"}},
		{"", nil},
	} {
		if got, err := splitCommand(c.command); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q is split into %q, %v", c.command, got, err)
		}
	}
	if _, err := splitCommand(`sh -c 'echo`); err == nil {
		t.Error("a quote that is not closed was accepted")
	}
}

func TestAProgramThatEndsSaysWhyAndIsNotStartedForever(t *testing.T) {
	var log bytes.Buffer
	p := &program{command: `sh -c "echo the battery is empty >&2; exit 3"`, log: slog.New(slog.NewTextHandler(&log, nil))}
	for range maxStarts {
		c, err := p.start()
		if err != nil {
			t.Fatal(err)
		}
		if n, err := c.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Errorf("it says something: %d, %v", n, err)
		}
		HangUp(c)
	}
	want := `the program sh does not run, it has ended with exit status 3; the last that it wrote: "the battery is empty"`
	if err := p.last.explain(); err.Error() != want {
		t.Errorf("it ended because %v", err)
	}
	_, err := p.start()
	if err == nil || !strings.Contains(err.Error(), "it was started 6 times within a minute and is not started again before ") || !strings.Contains(err.Error(), want) {
		t.Errorf("it is started again: %v", err)
	}
	if n := strings.Count(log.String(), `msg="the battery is empty"`); n != maxStarts {
		t.Errorf("%d lines are in the log:\n%s", n, log.String())
	}
	p.starts[0] = time.Now().Add(-startsWithin)
	if c, err := p.start(); err != nil {
		t.Errorf("after a minute it is not started: %v", err)
	} else {
		HangUp(c)
	}
}

func TestAProgramThatWritesToItsStandardErrorAloneIsToldSo(t *testing.T) {
	t.Parallel()
	address, err := ParseAddress(`exec:sh -c "echo 7 readings >&2; exec sleep 100"`)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), Config{Address: address, Patience: helloFor + time.Second, Log: slog.New(slog.DiscardHandler)})
	want := `and the program writes to its standard error alone, at last "7 readings": what it says to Mybot must go to its standard output`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %v, which does not say %s", err, want)
	}
}

func TestAProgramThatIsNotThereIsNamed(t *testing.T) {
	p := &program{command: "/nowhere/base.py --fast", log: slog.New(slog.DiscardHandler)}
	for n := range 2 * maxStarts {
		if _, err := p.start(); err == nil || !strings.HasPrefix(err.Error(), "the program /nowhere/base.py cannot be started: ") {
			t.Fatalf("the %d. time the error is %v", n+1, err)
		}
	}
}

// The error for a script without its interpreter says how to write the command.
func TestAScriptThatCannotBeStartedIsToldHow(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("base.py", []byte("#!/usr/bin/env python3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"base.py":   "It is in this folder: write exec:./base.py, or name what runs it, as in exec:python3 base.py",
		"./base.py": "permission denied. Make it executable (chmod +x ./base.py), or name what runs it, as in exec:python3 ./base.py",
	} {
		p := &program{command: command, log: slog.New(slog.DiscardHandler)}
		if _, err := p.start(); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: the error is %v, which does not say %s", command, err, want)
		}
	}
}

// TestAProgramEndsWithItsPipeOrIsMadeTo takes as long as a program may ignore Mybot.
func TestAProgramEndsWithItsPipeOrIsMadeTo(t *testing.T) {
	for _, c := range []struct {
		name, command string
		least, most   time.Duration
	}{
		{"it ends with its pipe", "cat", 0, politeFor},
		{"it ends at SIGTERM", `sh -c "exec sleep 100"`, politeFor, patientFor},
		{"it ignores SIGTERM", `sh -c "trap '' TERM; while :; do sleep 0.1; done"`, patientFor, 3 * patientFor},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := &program{command: c.command, log: slog.New(slog.DiscardHandler)}
			conn, err := p.start()
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(c.command, "trap") {
				time.Sleep(100 * time.Millisecond) // until it ignores it
			}
			began := time.Now()
			HangUp(conn)
			if took := time.Since(began); took < c.least || took > c.most {
				t.Errorf("it took %v, not between %v and %v", took, c.least, c.most)
			}
			if p.last.cmd.ProcessState == nil {
				t.Error("it still runs")
			}
		})
	}
}

// TestScansOfATimeToComeDoNotPileUp has a base date its scans a year ahead, while
// no readings are taken.
func TestScansOfATimeToComeDoNotPileUp(t *testing.T) {
	now := time.Now()
	var pending robot.Reading
	for range 10 * maxUnreadScans {
		now = now.Add(20 * time.Millisecond)
		pending = mergeReadings(pending, robot.Reading{Time: now, Scans: []robot.Scan{{Time: now.AddDate(1, 0, 0)}}})
	}
	if n := len(pending.Scans); n > maxUnreadScans+1 {
		t.Errorf("%d scans wait", n)
	}
}

// TestWhatAProgramHasStartedEndsWithIt has a program end normally and leave a child
// behind that does not use the pipe.
func TestWhatAProgramHasStartedEndsWithIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "signs")
	p := &program{command: `sh -c "(while :; do echo life >> ` + file + `; sleep 0.02; done) & exec cat"`, log: slog.New(slog.DiscardHandler)}
	conn, err := p.start()
	if err != nil {
		t.Fatal(err)
	}
	for signs, _ := os.Stat(file); signs == nil; signs, _ = os.Stat(file) {
		time.Sleep(10 * time.Millisecond)
	}
	HangUp(conn)
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	if after, err := os.ReadFile(file); err != nil || len(after) != len(before) {
		t.Errorf("it lives: its signs of life grow from %d to %d bytes (%v)", len(before), len(after), err)
		_ = os.RemoveAll(filepath.Dir(file)) // by which it ends
		kill(p.last.cmd)
	}
}
