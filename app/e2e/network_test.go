package e2e_test

import (
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mybot/app"
	"mybot/link"
	"mybot/robot"
)

// A proxy stands between a page and the robot. While it is black it swallows
// every byte, both ways, and what it swallowed from is never of use again.
type proxy struct {
	addr  string
	black atomic.Bool

	mu     sync.Mutex
	target string
	conns  []net.Conn
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{addr: ln.Addr().String(), target: target}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			page, err := ln.Accept()
			if err != nil {
				return
			}
			p.mu.Lock()
			target := p.target
			p.mu.Unlock()
			server, err := net.Dial("tcp", target)
			if err != nil {
				_ = page.Close()
				continue
			}
			p.mu.Lock()
			p.conns = append(p.conns, page, server)
			p.mu.Unlock()
			all.Go(func() { p.carry(page, server) })
			all.Go(func() { p.carry(server, page) })
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		p.lead("")
		all.Wait()
	})
	return p
}

// lead sends new connections to another server and ends the present ones.
func (p *proxy) lead(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = target
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}

func (p *proxy) carry(from, to net.Conn) {
	buffer := make([]byte, 4096)
	for {
		n, err := from.Read(buffer)
		if err != nil || p.black.Load() {
			break
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
	if p.black.Load() {
		_, _ = io.Copy(io.Discard, from) // for ever: bytes are missing now
		return
	}
	_ = to.Close()
}

func TestTheRobotStandsInABlackHoleAndWaitsForAFreshPress(t *testing.T) {
	h := open(t)
	way := newProxy(t, h.addr)
	cookie := h.cookie()
	ana, jin := enter(t, way.addr, cookie, "Ana"), h.enter("Jin")
	ana.drive(0.4, 0, moving)
	way.black.Store(true)
	ana.push(0.4, 0) // vanishes
	jin.until("Ana's driving", func(m message) bool { return m.Type == "state" && moving(m) })
	jin.awaitStandstill()
	if v := h.driver.Truth().Twist; v.Linear > 0.05 {
		t.Errorf("nobody reaches the robot and it still moves: %+v", v)
	}

	way.black.Store(false)
	begin := time.Now()
	back := enter(t, way.addr, cookie, "Ana")
	if !back.kept || back.you != ana.you {
		t.Fatalf("the same tab came back as %d (was %d), in control: %v", back.you, ana.you, back.kept)
	}
	back.until("a fresh state", func(m message) bool { return m.Type == "state" })
	t.Logf("back with a fresh state after %v", time.Since(begin).Round(time.Millisecond))
	back.push(0.4, 0) // the hand that was held all along
	if no := back.until("a refusal", func(m message) bool { return m.Type == "result" }); no.Word != robot.Interrupted {
		t.Errorf("an old press is answered %s: %s", no.Word, no.Reason)
	}
	back.drive(0.3, 0, moving)
}

func TestABentNetworkDelaysBothWaysAndLosesNothing(t *testing.T) {
	const roundTrip = 200 * time.Millisecond
	h := open(t, func(c *app.Config) { c.Link = link.Profile{RoundTrip: roundTrip} })
	begin := time.Now()
	ana := h.enter("Ana")
	if took := time.Since(begin); took < roundTrip {
		t.Errorf("the welcome came after %v, before it can travel", took)
	}
	ana.drive(0.3, 0, moving)
	begin = time.Now()
	ana.ask(map[string]any{"type": "stop"})
	if took := time.Since(begin); took < roundTrip || took > roundTrip+2*time.Second {
		t.Errorf("the answer to STOP took %v over a round trip of %v", took, roundTrip)
	}
	ana.awaitStandstill()

	heard := make(chan message, 1)
	go func() { heard <- ana.until("goodbye", func(m message) bool { return m.Type == "bye" }) }()
	if took := h.close(); took >= 2*time.Second {
		t.Errorf("the shutdown took %v", took)
	}
	if bye := <-heard; !strings.Contains(bye.Reason, "shutting down") {
		t.Errorf("goodbye says %q", bye.Reason)
	}
}

func TestAShutdownDoesNotWaitForANetworkThatStalls(t *testing.T) {
	stalls := link.Profile{RoundTrip: 20 * time.Second}
	h := open(t, func(c *app.Config) { c.Link = stalls })
	ctx := t.Context()
	conn, _, err := dial(ctx, h.addr, h.cookie())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow() //nolint:errcheck // it is gone either way
	if took := h.close(); took >= 2*time.Second {
		t.Errorf("the shutdown took %v", took)
	}
}
