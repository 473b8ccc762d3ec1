package handlers

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/script"
)

func TestProgramsOnTheRobotsComputerAreBoundedTogether(t *testing.T) {
	u := overTCP(t)
	var all []*urbiProgram
	for n := range urbiConnections / 2 {
		p := u.dial(fmt.Sprintf("127.0.0.%d", 1+n))
		p.hears("ID: U")
		all = append(all, p)
	}
	u.dial("127.0.0.99").isLeft("This device has 16 connections to the port for scripts already;")
	_ = all[3].conn.Close()
	<-u.robot.closed
	u.untilAdmitted("127.0.0.77")
}

// untilAdmitted connects as soon as there is room.
func (u *urbiTest) untilAdmitted(from string) {
	for {
		p := u.dial(from)
		if line, _ := p.in.ReadString('\n'); strings.Contains(line, "ID: U") {
			return
		}
	}
}

func TestThePortSaysGoodbye(t *testing.T) {
	u := overTCP(t)
	p := u.connect()
	go u.end()
	p.isLeft("[..:bye] *** The robot is shutting down.")
}

// A pipeListener accepts pipes, whose time-outs work in a bubble of virtual time.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}
func (l *pipeListener) Close() error   { l.once.Do(func() { close(l.done) }); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// overPipes serves a port in virtual time.
func overPipes(t *testing.T, change ...func(*UrbiConfig)) *urbiTest {
	t.Helper()
	ln := &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
	return serveUrbi(t, ln, ln.Addr(), change...)
}

// pipe connects to a port in virtual time.
func (u *urbiTest) pipe() *urbiProgram {
	here, there := net.Pipe()
	u.ln.(*pipeListener).conns <- there
	return u.program(here)
}

// tick runs the machine's ticks until stop is called.
func (u *urbiTest) tick() (stop func()) {
	every, done, ended := time.NewTicker(20*time.Millisecond), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-every.C:
				u.robot.do(u.robot.machine.Tick)
			case <-done:
				return
			}
		}
	}()
	return func() { every.Stop(); close(done); <-ended }
}

func TestARobotThatDoesNotAnswerIsToldAgainThatAConnectionIsSilentOrHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := overPipes(t)
		p := u.pipe()
		p.hears("ID: U1")
		expect := func(want string) {
			t.Helper()
			select {
			case got := <-u.robot.silent:
				if got != want {
					t.Errorf("%s, want %s", got, want)
				}
			case <-time.After(time.Second):
				t.Errorf("the robot is not told: %s", want)
			}
		}
		deafen := func() {
			u.robot.mu.Lock()
			defer u.robot.mu.Unlock()
			u.robot.deaf = 3
		}
		deafen()
		expect("U1 held")
		deafen()
		for range 4 {
			p.says("\n")
		}
		expect("U1 heard")
		u.end()
	})
}

func TestASilentConnectionHoldsWhatHasNoEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := overPipes(t)
		defer u.tick()()
		p := u.pipe()
		p.hears("ID: U1")
		began := time.Now()
		p.says("turn.val = inf speed:20,headPan.val = 30 time:5000,")
		if got := <-u.robot.silent; got != "U1 held" || time.Since(began) != urbiSilence {
			t.Errorf("after %s of silence: %s", time.Since(began), got)
		}
		turn := func() float64 {
			var f float64
			u.robot.do(func(now script.Time) { u.robot.machine.Say(now, "U1", "t: turn.val;") })
			line := p.hears(":t] ")
			if _, err := fmt.Sscanf(line[strings.Index(line, "] ")+2:], "%f", &f); err != nil {
				t.Fatal(err)
			}
			return f
		}
		time.Sleep(time.Second)
		const tick = 0.4 // deg; which comes first in the same ms, the tick or the hold, is open
		held := turn()
		if held < 10-tick || held > 10 {
			t.Errorf("it has turned by %v deg; half a second at 20 deg/s are 10", held)
		}
		p.says("\n")
		if got := <-u.robot.silent; got != "U1 heard" {
			t.Errorf("after a sign of life: %s", got)
		}
		time.Sleep(100 * time.Millisecond)
		if got := turn() - held; got < 1.99-tick || got > 2.01+tick {
			t.Errorf("it has turned by %v deg more; 0.1 s at 20 deg/s are 2", got)
		}
		for range 10 {
			p.says("\n")
			time.Sleep(400 * time.Millisecond)
		}
		select {
		case got := <-u.robot.silent:
			t.Errorf("although it is heard: %s", got)
		default:
		}
		u.end()
	})
}

func TestWhoLeavesLinesUnreadIsDisconnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := overPipes(t)
		p := u.pipe()
		p.hears("ID: U1")
		p.says("echo 1;")
		line := []script.Line{{Unit: "U1", Text: strings.Repeat("x", 60<<10)}}
		deliver := u.robot.deliver["U1"]
		for range 30 {
			deliver(line)
		}
		if unit := <-u.robot.closed; unit != "U1" {
			t.Errorf("%s is closed", unit)
		}
		rest, _ := io.ReadAll(p.in)
		if len(rest) > 2*urbiUnread {
			t.Errorf("%d bytes wait for it", len(rest))
		}
		u.end()
	})
}

func TestACommandMustBeCompleteInTime(t *testing.T) {
	for text, want := range map[string]string{"echo 1;x = ": "1.000000", "x = ": ""} {
		synctest.Test(t, func(t *testing.T) { expectTimely(t, text, want) })
	}
}

// expectTimely begins a command, and expects the port to close the connection in time. want
// is the line that comes before.
func expectTimely(t *testing.T, text, want string) {
	u := overPipes(t)
	p := u.pipe()
	p.hears("ID: U1")
	p.says(text)
	if want != "" {
		p.hears(want)
	}
	began := time.Now()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for {
			if _, err := io.WriteString(p.conn, " "); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	}()
	p.isLeft("A command must be complete 2m0s after its beginning")
	if took := time.Since(began); took < urbiTypeWithin || took > urbiTypeWithin+time.Second {
		t.Errorf("it is closed after %s", took)
	}
	<-gone
	u.end()
}

func TestTheFirstCommandIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := overPipes(t)
		p := u.pipe()
		p.hears("ID: U1")
		for range maxFirst / 1024 {
			p.says(strings.Repeat("x", 1024))
		}
		p.says("x")
		p.isLeft("The first command has more than 4096 bytes without an end of a line: end it earlier with ; or ,")
		u.end()
	})
}

func TestALoginOfAProgramOnThisComputerIsNoCommandThatHasBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := overPipes(t)
		p := u.pipe()
		p.hears("ID: U1")
		p.says("login(\"ow")
		p.says("ner\");")
		time.Sleep(2 * urbiTypeWithin)
		p.says("echo 1;")
		p.hears("1.000000")
		u.end()
	})
}

func FuzzConnection(f *testing.F) {
	f.Add("x = 1;\nx;\nquit;\n", 4)
	f.Add("GET / HTTP/1.1\r\n\r\n;motoron;", 5)
	f.Add("speaker.val = BIN 3 wav;\nabcloop { wait(1s) },login(\"a\");", 20)
	f.Fuzz(func(t *testing.T, text string, at int) {
		u := overPipes(t)
		p := u.pipe()
		ended := make(chan struct{})
		go func() { defer close(ended); _, _ = io.Copy(io.Discard, p.in) }()
		at = min(max(at, 0), len(text))
		for _, piece := range []string{text[:at], text[at:]} {
			if _, err := io.WriteString(p.conn, piece); err != nil {
				break
			}
		}
		_ = p.conn.Close()
		if unit := <-u.robot.closed; u.robot.isOpen(unit) {
			t.Errorf("after %q the unit %s is still open", text, unit)
		}
		<-ended
		u.end()
	})
}
