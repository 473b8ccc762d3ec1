package handlers

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nhooyr.io/websocket"

	"mybot/robot"
	"mybot/script"
	"mybot/session"
)

// consoles is a server with consoles for a machine of scripts.
func consoles(t *testing.T) (*testServer, *scriptRobot) {
	t.Helper()
	r := newScriptRobot()
	d := newTestServer(t, func(c *Config) {
		port, err := NewUrbiPort(nil, UrbiConfig{Session: r, Lines: r, IsOpen: r.isOpen, Access: c.Access, Revoke: func(string) {}, Log: c.Log})
		if err != nil {
			t.Fatal(err)
		}
		c.Console = port
		c.Scripts.Router = r
	})
	return d, r
}

// openConsole opens a console with the credentials of a page.
func openConsole(t *testing.T, d *testServer, header http.Header) (say func(text string), next func() string, conn *websocket.Conn) {
	t.Helper()
	conn, _ = dial(t, d, net.IPv4(127, 0, 0, 1), header, consolePath, consoleProtocol)
	t.Cleanup(func() { _ = conn.CloseNow() }) // it is gone either way
	say = func(text string) {
		t.Helper()
		if err := conn.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	next = func() string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, line, err := conn.Read(ctx)
		if err != nil {
			return err.Error()
		}
		if _, after, ok := strings.Cut(string(line), ":"); ok { // without the time
			return after
		}
		return string(line)
	}
	return say, next, conn
}

func (d *testServer) ownPage(t *testing.T) http.Header {
	t.Helper()
	return http.Header{"Cookie": {"mybot=" + cookieIn(t, d.ask("GET", "/")).Value}}
}

func TestAConsoleIsAUnitOfThePersonAtThePage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, r := consoles(t)
		header := d.ownPage(t)
		page, _ := visitWith(t, d, net.IPv4(127, 0, 0, 1), header)
		defer page.CloseNow() //nolint:errcheck // it is gone either way
		r.refusal = robot.Refusef("Stopped by Jin.")
		say, next, conn := openConsole(t, d, header)
		say("a: 1 + 1; headPam.val; GET /;\n")
		for _, want := range []string{
			"held] *** Stopped by Jin.", "ident] *** ID: U1", "a] 2.000000", "notag] !!! line 1, column 11: headPam is not known. Did you mean headPan?",
		} {
			if got := next(); got != want {
				t.Errorf("the console says %q, want %q", got, want)
			}
		}
		if got := next(); !strings.Contains(got, "!!! line 1, column") {
			t.Errorf("text as of another protocol is a command like any other; it says %q", got)
		}
		say("camera.val();") // without its bytes
		if got := next(); got != "notag] BIN 5 jpeg 208 160" {
			t.Errorf("a picture is %q", got)
		}
		for range 20 {
			say("\n")
			if got := next(); got != "" {
				t.Errorf("it answers a sign of life with %q", got)
			}
		}
		say("nix;") // each frame is a text of its own, whose lines count from 1
		if got := next(); !strings.HasPrefix(got, "notag] !!! line 1, column") {
			t.Errorf("after signs of life it says %q", got)
		}
		if len(r.opened) != 1 || r.opened[0].Browser == "" || r.opened[0].Role != session.Operator || len(r.licensed) != 1 || r.licensed[0] != "U1" {
			t.Errorf("opened by %+v, licensed %v", r.opened, r.licensed)
		}
		if numbers := text(t, d.ask("GET", "/metrics")); !strings.Contains(numbers, "mybot_script_connections 1\n") {
			t.Errorf("the metrics do not count the console:\n%s", numbers)
		}
		if lines := text(t, d.ask("GET", "/api/v1/scripts/lines")); strings.Contains(lines, "U1") {
			t.Errorf("everyone reads the lines of the console: %s", lines)
		}
		_ = conn.Close(websocket.StatusNormalClosure, "")
		if got := <-r.closed; got != "U1" {
			t.Errorf("closed %s", got)
		}
	})
}

// The page's heartbeat is its sign of life, as that of a program.
func TestTheMotionOfAConsoleIsHeldWhileItsPageIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, r := consoles(t)
		say, next, _ := openConsole(t, d, d.ownPage(t))
		next()
		for range 50 {
			say("\n")
			next()
			time.Sleep(200 * time.Millisecond)
		}
		select {
		case got := <-r.silent:
			t.Errorf("with a heartbeat: %s", got)
		default:
		}
		last := time.Now()
		if got := <-r.silent; got != "U1 held" || time.Since(last) > 600*time.Millisecond {
			t.Errorf("%s after %v", got, time.Since(last))
		}
		say("\n")
		if got := <-r.silent; got != "U1 heard" {
			t.Errorf("after it is heard again: %s", got)
		}
	})
}

func TestAConsoleEndsWithTheAccessOfItsPersonAndWithTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, r := consoles(t)
		token := d.paired(t, session.Operator)
		_, next, _ := openConsole(t, d, http.Header{"Authorization": {"Bearer " + token}})
		next()
		g, ok := d.access.Lookup(time.Now(), token)
		if !ok {
			t.Fatal("the token is not known")
		}
		if _, err := d.access.Revoke(g.ID); err != nil {
			t.Fatal(err)
		}
		if got := next(); got != "error] !!! Your access has ended. Pair this computer with the robot again." {
			t.Errorf("it says %q", got)
		}
		if got := <-r.closed; got != "U1" {
			t.Errorf("closed %s", got)
		}
		_, next, _ = openConsole(t, d, d.ownPage(t))
		next()
		go d.Shutdown(t.Context()) //nolint:errcheck // looked at below
		if got := next(); got != "bye] *** The robot is shutting down." {
			t.Errorf("at the end it says %q", got)
		}
		<-r.closed
	})
}

func TestObserversHaveNoConsole(t *testing.T) {
	d, r := consoles(t)
	answer := d.ask("GET", consolePath, with("Authorization", "Bearer "+d.paired(t, session.Observer)))
	if got := text(t, answer); answer.StatusCode != http.StatusForbidden || !strings.Contains(got, "this is for operator only") {
		t.Errorf("an observer is answered %s: %s", answer.Status, got)
	}
	if len(r.opened) > 0 {
		t.Error("an observer has a unit")
	}
}

// The lines of a console are hidden while it is open, however many others end meanwhile, and
// those that are still on their way when it ends.
func TestOnlyLinesOfConsolesAreHidden(t *testing.T) {
	var s scriptLines
	s.hide("U1")
	for n := range 2 * maxEnded {
		unit := fmt.Sprintf("U%d", n+10)
		s.hide(unit)()
		s.add([]script.Line{{Unit: "U1", Text: "1"}, {Unit: "U2", Text: "2"}, {Unit: unit, Text: "3"}})
	}
	all := s.newest("")
	if len(all) != maxUnitLines || slices.ContainsFunc(all, func(l scriptLine) bool { return l.Unit != "U2" }) || len(s.newest("U1")) > 0 {
		t.Errorf("of all units %+v, of U1 %d", all, len(s.newest("U1")))
	}
	if n := len(s.hidden); n != maxEnded+1 {
		t.Errorf("%d units are hidden", n)
	}
}

func TestAFrameThatIsTooLongEndsAConsoleWithASentence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, r := consoles(t)
		_, next, conn := openConsole(t, d, d.ownPage(t))
		next()
		// The console may be closed before the frame is there as a whole.
		go func() { _ = conn.Write(t.Context(), websocket.MessageText, []byte(strings.Repeat(" ", readLimit+1))) }()
		if got := next(); got != "error] !!! The console is closed: a frame is at most 32768 bytes." {
			t.Errorf("it says %q", got)
		}
		if got := next(); !strings.Contains(got, "StatusGoingAway") {
			t.Errorf("it ends with %s", got)
		}
		<-r.closed
	})
}

// A console that takes nothing keeps the goroutine busy that answers its pings.
func TestAConsoleThatTakesNothingEndsWithItsAccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, r := consoles(t)
		token := d.paired(t, session.Operator)
		conn, page := dial(t, d, net.IPv4(127, 0, 0, 1), http.Header{"Authorization": {"Bearer " + token}}, consolePath, consoleProtocol)
		defer conn.CloseNow() //nolint:errcheck // it is gone either way
		if _, _, err := conn.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := page.Write([]byte{finalBit | opPing, maskBit, 0, 0, 0, 0}); err != nil {
			t.Fatal(err)
		}
		g, _ := d.access.Lookup(time.Now(), token)
		if _, err := d.access.Revoke(g.ID); err != nil {
			t.Fatal(err)
		}
		select {
		case <-r.closed:
		case <-time.After(urbiAccess + time.Second):
			t.Error("its unit still runs")
		}
	})
}
