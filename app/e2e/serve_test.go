package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"nhooyr.io/websocket" // the page's side of handlers/websocket.go

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/robot/models"
)

func TestTheFirstOneDrivesAndTheRobotMoves(t *testing.T) {
	t.Parallel()
	h := open(t)
	ana := h.enter("Ana")
	if ana.holder != ana.you {
		t.Fatalf("the first person, %d, does not have control; %d has", ana.you, ana.holder)
	}
	start := h.driver.Truth().Pose
	ana.drive(0.3, 0, func(m message) bool { return m.Mode == robot.ModeManual && moving(m) && m.Pose[0] > start.X+0.2 })
	if x := h.driver.Truth().Pose.X; x < start.X+0.15 {
		t.Errorf("the robot reports that it drove, but it is at x = %.2f m and began at %.2f m", x, start.X)
	}
	ana.letGo()
	ana.awaitStandstill()
	if v := h.driver.Truth().Twist; !standing(message{Twist: [2]float64{v.Linear, v.Angular}}) {
		t.Errorf("after letting go the robot still moves: %+v", v)
	}
}

// The first one drives at a wall with only sonars, only a lidar, and both.
func TestEveryBuiltInRobotDrivesAndStopsBeforeAWall(t *testing.T) {
	t.Parallel()
	for _, name := range models.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, _ := models.Find(name)
			desc, err := robot.ParseDescription(data)
			if err != nil {
				t.Fatal(err)
			}
			h := openRobot(t, desc, "127.0.0.1:0", func(s *sim.Scene) {
				s.People, s.Obstacles = nil, nil
				s.Start = robot.Pose{X: 10.3, Y: 7.3, Theta: math.Pi / 2} // 1.1 m from the wall ahead
			})
			ana := h.enter("Ana")
			ana.drive(0.3, 0, moving)
			m := ana.drive(0.3, 0, func(m message) bool { return m.Guard.Active && standing(m) })
			if y := h.driver.Truth().Pose.Y + desc.Body.Length/2; y < 7.8 || y > 8.4-0.25 {
				t.Errorf("the robot's front is at y = %.2f m; the wall is at 8.4 m", y)
			}
			if d := m.Nearest.Distance; d == nil || *d < 0.2 || *d > 0.5 {
				t.Errorf("the robot reports the nearest obstacle at %v m", d)
			}
			ana.letGo()
		})
	}
}

func TestTheRobotStandsWhenSamplesStayAway(t *testing.T) {
	t.Parallel()
	h := open(t)
	ana := h.enter("Ana")
	ana.drive(0.2, 0, moving) // a fresh command is valid for 0.25 s, and the robot brakes in 0.48 s
	silent := time.Now()      // no more samples
	if took := h.timeToStand(silent); took > maxToStand {
		t.Errorf("the robot stopped %v after the last sample, want %v", took, maxToStand)
	} else {
		t.Logf("it stood %v after the last sample", took)
	}
	ana.awaitStandstill()
	ana.push(0.3, 0) // samples of the earlier hold, without a new press
	ana.until("a refusal", func(m message) bool { return m.Type == "result" && m.Word == robot.Interrupted })
}

func TestTheSecondOneWatchesAndCanStop(t *testing.T) {
	t.Parallel()
	h := open(t)
	ana, jin := h.enter("Ana"), h.enter("Jin")
	jin.until("the lease", func(m message) bool { return m.Type == "state" })
	if jin.holder != ana.you {
		t.Fatalf("control is with %d, not with the first person %d", jin.holder, ana.you)
	}
	jin.push(0, 0)
	jin.push(0.3, 0)
	no := jin.until("a refusal", func(m message) bool { return m.Type == "result" && m.Seq > 0 })
	if no.Word != robot.Error || !strings.Contains(no.Reason, "Ana") {
		t.Errorf("the second person is refused with %s: %s", no.Word, no.Reason)
	}

	ana.drive(0.3, 0, moving)
	if yes := jin.ask(map[string]any{"type": "stop"}); yes.Word != robot.Success {
		t.Fatalf("the second person cannot stop: %s %s", yes.Word, yes.Reason)
	}
	ana.until("the stop", func(m message) bool { return m.Type == "event" && m.Kind == "stop" && m.Stopped })
	ana.awaitStandstill()
	ana.push(0, 0)
	ana.push(0.3, 0)
	if no := ana.until("a refusal", func(m message) bool { return m.Type == "result" && m.Word == robot.Panic }); !strings.Contains(no.Reason, "Jin") {
		t.Errorf("the refusal does not say who stopped the robot: %s", no.Reason)
	}
	if s := ana.until("a state", func(m message) bool { return m.Type == "state" }); s.Mode != robot.ModeStopped || s.Stop == nil || s.Stop.By != "Jin" || s.Stop.ID != jin.you {
		t.Errorf("the state says %s, stopped by %+v", s.Mode, s.Stop)
	}

	if no := jin.ask(map[string]any{"type": "unstop", "lease": jin.epoch}); no.Word != robot.Error {
		t.Errorf("an observer releases the stop: %s %s", no.Word, no.Reason)
	}
	if yes := ana.ask(map[string]any{"type": "unstop", "lease": ana.epoch}); yes.Word != robot.Success {
		t.Fatalf("the person in control cannot release the stop: %s %s", yes.Word, yes.Reason)
	}
	ana.push(0.3, 0) // samples of a driver who has held the stick all along
	if no := ana.until("a refusal", func(m message) bool { return m.Type == "result" && m.Seq == ana.seq }); no.Word != robot.Interrupted {
		t.Errorf("after the release an old press was answered %s: %s", no.Word, no.Reason)
	}
	if v := h.driver.Truth().Twist; v.Linear > 0.01 {
		t.Errorf("the robot moves by an old press: %+v", v)
	}
	ana.drive(0.3, 0, moving)
}

func TestAFormStopsTheRobotForEveryUser(t *testing.T) {
	t.Parallel()
	h := open(t)
	ana := h.enter("Ana")
	ana.drive(0.3, 0, moving)
	r, err := http.Post("http://"+h.addr+"/stop", "application/x-www-form-urlencoded", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Body.Close()
	if s := ana.until("a stopped state", func(m message) bool { return m.Type == "state" && m.Stop != nil }); s.Stop.ID != 0 || s.Stop.By != "a program on the robot's computer" {
		t.Errorf("the robot reports that it was stopped by %+v", s.Stop)
	}
	ana.awaitStandstill()
}

func TestAPageThatGoesAwayStopsWhatItDrove(t *testing.T) {
	t.Parallel()
	h := open(t)
	cookie := h.cookie()
	ana, jin := enter(t, h.addr, cookie, "Ana"), h.enter("Jin")
	ana.drive(0.4, 0, moving)
	_ = ana.conn.CloseNow()
	jin.until("Ana's leaving", func(m message) bool {
		return m.Type == "event" && m.Kind == "lease" && strings.Contains(m.Reason, "Ana left")
	})
	jin.awaitStandstill()
	back := enter(t, h.addr, cookie, "Ana")
	if !back.back || !back.kept || back.you != ana.you {
		t.Errorf("the same tab reconnected as %d (was %d), known: %v, in control: %v", back.you, ana.you, back.back, back.kept)
	}
	back.drive(0.3, 0, moving)
}

func TestWhatIsSentWronglyChangesNothing(t *testing.T) {
	t.Parallel()
	h := open(t)
	ana := h.enter("Ana")
	for _, frame := range []string{
		``,
		`{`,
		`[]`,
		`{"type":"fly"}`,
		`{"type":"drive","lease":1,"hold":1,"seq":1,"t":0,"v":1e999,"w":0,"valid":0.25}`,
		`{"type":"drive","lease":1,"hold":1,"seq":1,"t":0,"v":NaN,"w":0,"valid":0.25}`,
		`{"type":"unstop","id":900,"lease":1,"please":true}`,
		"{\"type\":\"rename\",\"id\":901,\"name\":\"\xff\"}",
	} {
		ana.sendText(frame)
		if m := ana.until("an answer to "+frame, func(m message) bool { return m.Type == "result" }); m.Word != robot.Error || m.Reason == "" {
			t.Errorf("%q is answered %s: %s", frame, m.Word, m.Reason)
		}
	}
	ana.drive(0.3, 0, moving)
}

func TestAFrameThatIsTooLongEndsTheConnection(t *testing.T) {
	h := open(t)
	for _, c := range []struct {
		name  string
		kind  websocket.MessageType
		bytes int
		want  websocket.StatusCode
	}{
		{"a long text", websocket.MessageText, 32<<10 + 1, websocket.StatusMessageTooBig},
		{"a very long text", websocket.MessageText, 1 << 20, websocket.StatusMessageTooBig},
		{"bytes", websocket.MessageBinary, 10, websocket.StatusUnsupportedData},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := enter(t, h.addr, h.cookie(), "Ana")
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if err := g.conn.Write(ctx, c.kind, make([]byte, c.bytes)); err != nil {
				t.Fatal(err)
			}
			if got, _ := g.closing(); got != c.want {
				t.Errorf("the connection is closed with %v, want %v", got, c.want)
			}
		})
	}
	t.Run("the longest text that is allowed", func(t *testing.T) {
		g := enter(t, h.addr, h.cookie(), "Ana")
		g.sendText(strings.Repeat(" ", 32<<10))
		if m := g.until("an answer", func(m message) bool { return m.Type == "result" }); m.Word != robot.Error {
			t.Errorf("the answer is %s", m.Word)
		}
	})
}

func TestAStrangerGetsNoWebSocket(t *testing.T) {
	h := open(t)
	cookie := h.cookie()
	for _, c := range []struct {
		name   string
		change func(http.Header)
		want   int
	}{
		{"a page of another site", func(h http.Header) { h.Set("Origin", "http://evil.example") }, http.StatusForbidden},
		{"a page of another port", func(h http.Header) { h.Set("Origin", "http://127.0.0.1:1") }, http.StatusForbidden},
		{"a page in a sandbox", func(h http.Header) { h.Set("Origin", "null") }, http.StatusForbidden},
		{"a browser that has not opened the page", func(h http.Header) { h.Del("Cookie") }, http.StatusForbidden},
		{"a made-up cookie", func(h http.Header) { h.Set("Cookie", "mybot=1") }, http.StatusForbidden},
		{"a proxy", func(h http.Header) { h.Set("X-Forwarded-For", "203.0.113.9") }, http.StatusUnauthorized},
		{"another protocol", func(h http.Header) { h.Set("Sec-WebSocket-Protocol", "chat") }, http.StatusBadRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := upgrade(t, h.addr, h.addr, cookie, c.change)
			if r.StatusCode != c.want {
				t.Errorf("the answer is %s, want %d", r.Status, c.want)
			}
		})
	}
	t.Run("a name that was turned on this computer", func(t *testing.T) {
		if r := upgrade(t, h.addr, "evil.example", cookie, func(h http.Header) { h.Set("Origin", "http://evil.example") }); r.StatusCode != http.StatusForbidden {
			t.Errorf("the answer is %s", r.Status)
		}
	})
	t.Run("but a guest does", func(t *testing.T) {
		if r := upgrade(t, h.addr, h.addr, cookie, func(http.Header) {}); r.StatusCode != http.StatusSwitchingProtocols {
			t.Errorf("the answer is %s", r.Status)
		}
	})
}

// upgrade requests a WebSocket by hand and returns the answer.
func upgrade(t *testing.T, addr, host, cookie string, change func(http.Header)) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	r.Header = http.Header{
		"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="},
		"Sec-Websocket-Protocol": {"mybot.v1"}, "Origin": {"http://" + addr}, "Cookie": {"mybot=" + cookie},
	}
	change(r.Header)
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer
}

func TestAShutdownStopsTheWheelsThenSaysGoodbyeThenEnds(t *testing.T) {
	h := open(t)
	ana, jin := h.enter("Ana"), h.enter("Jin")
	ana.drive(0.4, 0, moving)

	// One client never reads, one never completes its request, one only listens.
	stuck, err := net.Dial("tcp", h.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer stuck.Close() // the peer may have closed it
	if _, err := fmt.Fprintf(stuck, "GET /ws HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mybot.v1\r\nCookie: mybot=%s\r\n\r\n", h.addr, h.cookie()); err != nil {
		t.Fatal(err)
	}
	slow, err := net.Dial("tcp", h.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close() // the peer may have closed it
	if _, err := io.WriteString(slow, "GET / HTTP/1.1\r\nHost: "); err != nil {
		t.Fatal(err)
	}

	type farewell struct {
		status   websocket.StatusCode
		last     message
		standing bool // the wheels had stopped when the page was informed
	}
	heard := make(chan farewell, 1)
	go func() {
		m := jin.until("goodbye", func(m message) bool { return m.Type == "bye" })
		f := farewell{last: m}
		select {
		case <-h.released:
			f.standing = true
		default:
		}
		f.status, _ = jin.closing()
		heard <- f
	}()
	if took := h.close(); took >= 2*time.Second {
		t.Errorf("the shutdown took %v", took)
	}
	bye := <-heard
	if !bye.last.Again || bye.last.Reason == "" {
		t.Errorf("the goodbye lacks the reason, or does not invite the page back: %+v", bye.last)
	}
	if !bye.standing {
		t.Error("the page received goodbye before the wheels were stopped")
	}
	if bye.status != websocket.StatusGoingAway {
		t.Errorf("the connection was closed with %v", bye.status)
	}
	if _, err := h.driver.Read(t.Context()); err == nil {
		t.Error("the driver was not closed")
	}
	if _, err := http.Get("http://" + h.addr + "/healthz"); err == nil {
		t.Error("the server still answers")
	}
}

func TestWhatIsBrokenEndsTheServerWithASentence(t *testing.T) {
	if os.Getenv(onLine) != "" {
		t.Skip("a base at the end of a line that is lost is a state, and does not end the server")
	}
	h := open(t)
	ana := h.enter("Ana")
	if err := h.driver.Close(); err != nil {
		t.Fatal(err)
	}
	if status, _ := ana.closing(); status != websocket.StatusGoingAway {
		t.Errorf("the page's connection was closed with %v", status)
	}
	select {
	case err := <-h.ended:
		if err == nil || !strings.Contains(err.Error(), "driver is closed") {
			t.Errorf("the server ended with: %v", err)
		}
		h.ended <- nil
	case <-time.After(patience):
		t.Fatal("the server continues without a robot")
	}
}

func TestTwoServersDoNotShareAStateDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := open(t, func(c *app.Config) { c.DataDir = dir })
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	second := sim.NewDriver(sim.NewWorld(first.driver.Describe(), nil, sim.DefaultScene(), sim.Options{Seed: 1}))
	err = app.Serve(t.Context(), ln, second, app.Config{DataDir: dir}, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "another Mybot") {
		t.Errorf("the second server ended with: %v", err)
	}
	if _, err := second.Read(t.Context()); !errors.Is(err, robot.ErrClosed) {
		t.Errorf("the unneeded driver was not closed: %v", err)
	}
}

func TestANameIsKeptOverARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keep := func(c *app.Config) { c.DataDir = dir }
	h := open(t, keep)
	cookie := h.cookie()
	ana := enter(t, h.addr, cookie, "Ana")
	if m := ana.ask(map[string]any{"type": "rename", "name": "Ana Maria"}); m.Word != robot.Success {
		t.Fatalf("renaming was answered %s: %s", m.Word, m.Reason)
	}
	h.close()

	again := open(t, keep)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, _, err := dial(ctx, again.addr, cookie)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow() //nolint:errcheck // it is gone either way
	if err := conn.Write(ctx, websocket.MessageText, []byte(`{"type":"hello","protocol":"mybot.v1","tab":"x","build":"test"}`)); err != nil {
		t.Fatal(err)
	}
	if _, welcome, err := conn.Read(ctx); err != nil || !strings.Contains(string(welcome), `"Ana Maria"`) {
		t.Errorf("the robot has lost the name: %s %v", welcome, err)
	}
}
