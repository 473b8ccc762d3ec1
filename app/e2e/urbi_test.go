package e2e_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/script/client"
)

// openUrbi starts a server with a port for scripts and returns its address.
func openUrbi(t *testing.T) (h *testServer, address string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return open(t, func(c *app.Config) { c.Urbi = ln }), ln.Addr().String()
}

// dialUrbi connects a program, and notes the faults that it hears.
func dialUrbi(t *testing.T, address string) (c *client.Client, faults chan string) {
	t.Helper()
	c, err := client.Dial(t.Context(), address, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	faults = make(chan string, 100)
	if _, err := c.SetCallback("", func(m client.Message) client.Action {
		if m.Kind == client.Fault {
			faults <- m.Text
		}
		return client.Continue
	}); err != nil {
		t.Fatal(err)
	}
	return c, faults
}

// do carries out a command, which must work.
func do(t *testing.T, c *client.Client, command string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := c.Do(ctx, command); err != nil {
		t.Fatalf("%s: %v", command, err)
	}
}

func turning(truth sim.Truth) bool { return math.Abs(truth.Twist.Angular) > 0.2 }

// keepAlive sends signs of life until stop is called.
func keepAlive(t *testing.T, c *client.Client) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = c.KeepAlive(ctx) }()
	return func() { cancel(); <-ended }
}

func TestAProgramDrivesByThePortAndStandsWhenItIsSilentOrStoppedOrGone(t *testing.T) {
	t.Parallel()
	h, address := openUrbi(t)
	c, faults := dialUrbi(t, address)

	if err := c.Send("turn.val = inf speed:20,\n"); err != nil {
		t.Fatal(err)
	}
	v, err := c.Ask(t.Context(), "turn.val")
	if f, ok := v.Number(); err != nil || !ok || math.Abs(f) > 1 || turning(h.driver.Truth()) {
		t.Fatalf("without control it turns by %v, %v", v, err)
	}

	do(t, c, "motoron")
	alive := keepAlive(t, c)
	h.await("the program to turn the robot", turning)

	alive()
	silent := time.Now()
	h.awaitStill()
	if took := time.Since(silent); took < 300*time.Millisecond || took > 1500*time.Millisecond {
		t.Errorf("it stood %s after the last sign of life", took)
	}
	alive = keepAlive(t, c)
	h.await("the program to be heard again", turning)

	r, err := http.Post("http://"+h.addr+"/api/v1/stop", "application/json", nil)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("STOP is answered %v, %v", r, err)
	}
	_ = r.Body.Close()
	h.awaitStill()
	if err := c.Do(t.Context(), "motoron"); err == nil || !strings.Contains(err.Error(), "top") {
		t.Errorf("motoron after STOP: %v", err)
	}
	do(t, c, "motoroff")
	s := h.script()
	lease := s.control(10).Lease
	s.wants("POST", "/api/v1/unstop", fmt.Sprintf(`{"lease":%d}`, lease), http.StatusOK, "SUCCESS")
	s.wants("DELETE", "/api/v1/control", ``, http.StatusOK, "SUCCESS")
	h.awaitStill() // the release of the STOP continues nothing
	do(t, c, "motoron")
	h.await("the motion to continue", turning)

	alive()
	c.Close()
	h.awaitStill()
	for len(faults) > 0 {
		t.Logf("it heard: %s", <-faults)
	}
}

func TestAProgramEndsWhatAnotherProgramOfTheSameUserRuns(t *testing.T) {
	t.Parallel()
	_, address := openUrbi(t)
	other, _ := dialUrbi(t, address)
	reports := make(chan string, 10)
	if _, err := other.SetCallback("turns", func(m client.Message) client.Action {
		reports <- m.Text
		return client.Continue
	}); err != nil {
		t.Fatal(err)
	}
	if err := other.Send("turns+report: loop wait(1s),\n"); err != nil {
		t.Fatal(err)
	}
	c, _ := dialUrbi(t, address)
	for _, want := range []string{"start", "stop"} {
		select {
		case got := <-reports:
			if got != want {
				t.Errorf("the other program hears %s, want %s", got, want)
			}
		case <-time.After(patience):
			t.Fatalf("the other program does not hear %s", want)
		}
		if want == "start" {
			do(t, c, "killall "+other.ID())
		}
	}
}

func TestWhatAWebPageSendsToThePortMovesNothing(t *testing.T) {
	t.Parallel()
	h, address := openUrbi(t)
	for _, request := range []string{
		"POST / HTTP/1.1\r\nHost: " + address + "\r\nContent-Length: 60\r\n\r\n;\nmotoron;\nturn.val = inf speed:20,\n",
		"GET /;motoron;turn.val=inf%20speed:20, HTTP/1.1\r\n\r\n",
		"\x16\x03\x01\x02\x00\x01;\nmotoron;\nturn.val = inf speed:20,\n",
	} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, request); err != nil {
			t.Fatal(err)
		}
		said, _ := io.ReadAll(conn) // until the robot closes it
		if err := conn.Close(); err != nil || strings.Contains(string(said), "HTTP/1") {
			t.Errorf("%q is answered %q, %v", request, said, err)
		}
	}
	c, _ := dialUrbi(t, address)
	v, err := c.Ask(t.Context(), "control.val")
	if who, _ := v.Text(); err != nil || who != "" {
		t.Errorf("%s has control, %v", v, err)
	}
	if !still(h.driver.Truth()) {
		t.Error("the robot moves")
	}
}
