package client

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A robot is the other end of a client's connection.
type robot struct {
	conn net.Conn
	in   *bufio.Reader
}

// dial returns a client and the robot that it is connected to. The robot first sends greeting.
func dial(t *testing.T, greeting string) (*Client, *robot, error) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	accepted := make(chan net.Conn, 1)
	go func() {
		conn, err := ln.Accept()
		if err == nil {
			_, _ = io.WriteString(conn, greeting)
		}
		accepted <- conn
	}()
	c, err := Dial(t.Context(), ln.Addr().String(), Options{})
	conn := <-accepted
	t.Cleanup(func() { _ = conn.Close() })
	if err == nil {
		t.Cleanup(c.Close)
	}
	return c, &robot{conn, bufio.NewReader(conn)}, err
}

func connect(t *testing.T) (*Client, *robot) {
	t.Helper()
	c, r, err := dial(t, "[..:ident] *** ID: U7\n")
	if err != nil {
		t.Fatal(err)
	}
	if c.ID() != "U7" {
		t.Errorf("the connection is %s", c.ID())
	}
	return c, r
}

func (r *robot) hears(t *testing.T) string {
	t.Helper()
	line, err := r.in.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func (r *robot) says(t *testing.T, format string, args ...any) {
	t.Helper()
	if _, err := fmt.Fprintf(r.conn, format+"\n", args...); err != nil {
		t.Fatal(err)
	}
}

func TestAnAnswerReachesTheOneWhoAsked(t *testing.T) {
	c, r := connect(t)
	answers := make(chan string)
	go func() {
		v, err := c.Ask(t.Context(), "battery.val")
		answers <- fmt.Sprint(v, err)
	}()
	if got := r.hears(t); got != "ask1: {battery.val}," {
		t.Errorf("the robot hears %q", got)
	}
	r.says(t, "[000000001:other] 3.000000")
	r.says(t, "[000000001:ask1] *** start")
	r.says(t, "[000000002:ask1] 87.500000")
	if got := <-answers; got != "87.500000 <nil>" {
		t.Errorf("the answer is %s", got)
	}
	go func() {
		_, err := c.Ask(t.Context(), "batery.val")
		answers <- fmt.Sprint(err)
	}()
	r.hears(t)
	r.says(t, "[000000003:ask2] !!! line 1, column 8: batery.val is not known. Did you mean battery.val?")
	if got := <-answers; got != "line 1, column 8: batery.val is not known. Did you mean battery.val?" {
		t.Errorf("the fault is %s", got)
	}
}

func TestAnAskThatCannotBeReadIsNotSent(t *testing.T) {
	c, r := connect(t)
	if _, err := c.Ask(t.Context(), "3 +"); err == nil || !strings.Contains(err.Error(), "expected a value") {
		t.Errorf("it says %v", err)
	}
	if err := c.Send("quit;\n"); err != nil {
		t.Fatal(err)
	}
	if got := r.hears(t); got != "quit;" {
		t.Errorf("the robot hears %q", got)
	}
}

func TestAnAskEndsWithItsContextAndWithTheConnection(t *testing.T) {
	c, r := connect(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Ask(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("without its context it says %v", err)
	}
	ended := make(chan error)
	go func() {
		_, err := c.Ask(t.Context(), "x")
		ended <- err
	}()
	r.hears(t)
	r.hears(t)
	_ = r.conn.Close()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "the robot closed the connection") {
		t.Errorf("after the end it says %v", err)
	}
	<-c.Done()
	if err := c.Err(); err != nil {
		t.Errorf("the connection ended with %v", err)
	}
}

func TestAnAnswerJustBeforeTheEndIsAnAnswer(t *testing.T) {
	for range 20 { // the answer and the end compete
		c, r := connect(t)
		got := make(chan error)
		go func() {
			_, err := c.Ask(t.Context(), "x.val")
			got <- err
		}()
		r.hears(t)
		r.says(t, "[000000001:ask1] 2.000000")
		_ = r.conn.Close()
		if err := <-got; err != nil {
			t.Fatal(err)
		}
	}
}

func TestCallbacksHearTheirTagUntilTheyAreRemoved(t *testing.T) {
	c, r := connect(t)
	heard := make(chan string, 10)
	note := func(name string, then Action) Callback {
		return func(m Message) Action {
			heard <- name + " " + m.Value.String()
			return then
		}
	}
	a, err := c.SetCallback("a", note("A", Continue))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.SetCallback("a", note("once", Remove)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.DuplicateCallback(a, "b"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.SetCallback("", note("all", Continue)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.DuplicateCallback(99, "b"); err == nil {
		t.Error("a callback that does not exist was duplicated")
	}
	expect := func(want ...string) {
		t.Helper()
		for _, w := range want {
			if got := <-heard; got != w {
				t.Errorf("heard %q; want %q", got, w)
			}
		}
	}
	r.says(t, "[000000001:a] 1.000000\n[000000001:b] 2.000000\n[000000001:c] 3.000000")
	expect("A 1.000000", "once 1.000000", "all 1.000000", "A 2.000000", "all 2.000000", "all 3.000000")
	if !c.RemoveCallback(a) || c.RemoveCallback(a) {
		t.Error("a callback is not removed exactly once")
	}
	r.says(t, "[000000001:a] 4.000000\n[000000001:b] 5.000000")
	expect("all 4.000000", "A 5.000000", "all 5.000000")
}

func TestSoundIsSentBehindItsCommand(t *testing.T) {
	c, r := connect(t)
	if err := c.SendBinary("speaker.val", "wav", []byte("ab\n;c")); err != nil {
		t.Fatal(err)
	}
	if got := r.hears(t); got != "speaker.val = BIN 5 wav;" {
		t.Errorf("the robot hears %q", got)
	}
	data := make([]byte, 5)
	if _, err := io.ReadFull(r.in, data); err != nil || string(data) != "ab\n;c" {
		t.Errorf("the sound is %q, %v", data, err)
	}
	if err := c.SendBinary("speaker.val", "wav", nil); err == nil {
		t.Error("a sound without bytes was sent")
	}
}

func TestWhoIsNoRobotOrRefusesIsNamed(t *testing.T) {
	for greeting, want := range map[string]string{
		"HTTP/1.1 200 OK\n": "is no line of a robot",
		"[000000001:error] !!! This robot has 32 connections.\n": "This robot has 32 connections.",
	} {
		if _, _, err := dial(t, greeting); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("after %q: %v; it must say %q", greeting, err, want)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := Dial(ctx, "127.0.0.1:1", Options{}); err == nil || !strings.Contains(err.Error(), "does not answer: is the robot on") {
		t.Errorf("nobody there: %v", err)
	}
}

func TestACommandIsDoneWhenTheRobotSaysSo(t *testing.T) {
	c, r := connect(t)
	done := make(chan error)
	for answer, want := range map[string]string{
		"*** stop": "<nil>",
		"!!! line 1, column 1: motoron: Ana has control. Ask for it.": "line 1, column 1: motoron: Ana has control. Ask for it.",
	} {
		go func() { done <- c.Do(t.Context(), "motoron") }()
		sent := r.hears(t)
		tag, _, _ := strings.Cut(sent, "+report: {motoron};")
		r.says(t, "[000000001:%s] *** start", tag)
		r.says(t, "[000000001:other] *** stop")
		r.says(t, "[000000002:%s] %s", tag, answer)
		if got := fmt.Sprint(<-done); got != want {
			t.Errorf("after %q it says %s", answer, got)
		}
	}
}

// closedConn is a connection that the client itself has closed.
type closedConn struct{ net.Conn }

func (closedConn) SetWriteDeadline(time.Time) error { return nil }
func (closedConn) Write([]byte) (int, error)        { return 0, net.ErrClosed }

// The robot has quit, and the client has closed its connection but not said so yet.
func TestASignOfLifeJustBeforeTheEndIsNoFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Client{conn: closedConn{}, ended: make(chan struct{})}
		said := make(chan error, 1)
		go func() { said <- c.KeepAlive(t.Context()) }()
		time.Sleep(2 * aliveEvery)
		close(c.ended)
		if err := <-said; err == nil || err.Error() != "the robot closed the connection" {
			t.Errorf("it ends with %v", err)
		}
	})
}
