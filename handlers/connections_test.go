package handlers

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"mybot/ratelimit"
	"mybot/session"
)

// A gate is a limited listener whose connections come from addresses that the test
// chooses.
type gate struct {
	*limitedListener
	wire *wire
}

func newGate(t *testing.T, limits Limits) *gate {
	t.Helper()
	d := newTestServer(t, func(c *Config) {
		c.Limits = limits
		c.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	})
	w := &wire{conns: make(chan net.Conn, 5000)}
	return &gate{d.Limit(w).(*limitedListener), w}
}

// come opens n connections from an address, and returns those that were accepted.
func (g *gate) come(t *testing.T, n int, address string) (in []*countedConn) {
	t.Helper()
	var pages []net.Conn
	for range n {
		page, server := net.Pipe()
		pages = append(pages, page)
		g.wire.conns <- farEnd{server, net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address))}
	}
	close(g.wire.conns)
	for {
		conn, err := g.Accept()
		if errors.Is(err, net.ErrClosed) {
			break
		}
		in = append(in, conn.(*countedConn))
	}
	g.wire.conns = make(chan net.Conn, 5000)
	t.Cleanup(func() {
		for _, p := range pages {
			_ = p.Close()
		}
	})
	return in
}

// open returns how many of these connections are still open.
func open(conns []*countedConn) (n int) {
	for _, c := range conns {
		if c.place != nil {
			n++
		}
	}
	return n
}

func TestOneAddressHasOnlySoManyConnections(t *testing.T) {
	g := newGate(t, Limits{Sockets: 10, PerAddress: 3})
	first := g.come(t, 200, "192.168.1.50:1")
	if n := open(first); n != 3+besideAddress || first[199].place == nil {
		t.Errorf("%d connections of one address are open, want %d; the last one is: %v", n, 3+besideAddress, first[199].place != nil)
	}
	if other := g.come(t, 5, "192.168.1.51:1"); open(other) != 5 {
		t.Errorf("%d connections of another address are open, want 5", open(other))
	}
	for _, c := range first[190:197] {
		if err := errors.Join(c.Close(), c.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if n := g.from[first[0].from]; n != 3+besideAddress-7 {
		t.Errorf("after 7 were closed %d are counted", n)
	}
	here := g.come(t, 300, "127.0.0.1:1")
	proxied := g.come(t, 300, "10.1.2.3:1")
	if open(here) != 300 || open(proxied) != 300 {
		t.Errorf("%d connections of this computer and %d of a trusted proxy are open, want 300 each", open(here), open(proxied))
	}
	g.come(t, 2000, "127.0.0.1:1")
	if n := g.open.Len(); n != 10+beside {
		t.Errorf("%d connections are open, want no more than %d", n, 10+beside)
	}
}

// flood has strangers take all free places.
func (g *gate) flood(t *testing.T) {
	t.Helper()
	places := g.max - placesHere - placesKnown
	for at := netip.MustParseAddr("172.16.0.1"); g.open.Len() < places; at = at.Next() {
		g.come(t, min(besideAddress, places-g.open.Len()), netip.AddrPortFrom(at, 1).String())
	}
}

func TestAStrangersConnectionTakesThePlaceOfTheIdlestStranger(t *testing.T) {
	g := newGate(t, Limits{Sockets: 10, PerAddress: 3})
	first := g.come(t, 2, "192.168.1.50:1")
	served := g.come(t, 1, "192.168.1.51:1")[0]
	done := served.beginRequest(true, true, time.Now())
	g.flood(t)
	if open(first) != 2 {
		t.Fatal("a connection was closed while there was room")
	}
	late := g.come(t, 1, "172.17.0.1:1")
	if open(late) != 1 || open(first) != 1 || first[0].place != nil {
		t.Errorf("the newest connection is open: %v, the idlest one still: %v", open(late) == 1, first[0].place != nil)
	}
	for at := netip.MustParseAddr("172.18.0.1"); at != netip.MustParseAddr("172.18.0.50"); at = at.Next() {
		g.come(t, besideAddress, netip.AddrPortFrom(at, 1).String())
	}
	if n := g.open.Len(); n > g.max-placesHere-placesKnown {
		t.Errorf("strangers have %d places, want at most %d", n, g.max-placesHere-placesKnown)
	}
	if served.place == nil {
		t.Error("strangers closed the connection of somebody who is in")
	}
	done()
	g.come(t, besideAddress, "172.19.0.1:1")
	if served.place == nil {
		t.Error("strangers closed the idle connection of somebody who has shown a grant")
	}
}

func TestPlacesAreKeptForThisComputerAndForAddressesOfPeopleWhoAreIn(t *testing.T) {
	g := newGate(t, Limits{Sockets: 10, PerAddress: 3})
	g.come(t, 1, "192.168.1.51:1")[0].beginRequest(true, true, time.Now())()
	g.flood(t)
	if again := g.come(t, 60, "192.168.1.51:2"); open(again) != 60 {
		t.Errorf("of 60 connections from an address that is known %d are open", open(again))
	}
	// Now connections being served have all places.
	for at := netip.MustParseAddr("192.168.2.1"); g.open.Len() < g.max-placesHere; at = at.Next() {
		g.known[ratelimit.Network(at)] = time.Now()
		g.come(t, 60, netip.AddrPortFrom(at, 1).String())
	}
	for e := g.open.Front(); e != nil; e = e.Next() {
		e.Value.(*countedConn).busy++
	}
	if more := g.come(t, 1, "192.168.1.51:2"); len(more) != 0 {
		t.Error("the places of this computer are taken by others")
	}
	if here := g.come(t, placesHere, "127.0.0.1:1"); open(here) != placesHere {
		t.Errorf("of %d connections of this computer %d are open", placesHere, open(here))
	}
	if late := g.come(t, 3, "127.0.0.1:1"); open(late) != 3 || g.open.Len() != g.max {
		t.Errorf("beyond that %d of 3 are open, and %d in all; want those in the places of the idlest of this computer", open(late), g.open.Len())
	}
}

func TestStrangersKeepNoConnection(t *testing.T) {
	d := wide(t)
	if got := d.ask("GET", "/healthz", far); got.StatusCode != http.StatusOK || got.Header.Get("Connection") != "close" {
		t.Errorf("a stranger is answered %s, Connection %q", got.Status, got.Header.Get("Connection"))
	}
	in := with("Authorization", "Bearer "+d.paired(t, session.Observer))
	if got := d.ask("GET", "/api/v1/robot", far, in); got.Header.Get("Connection") == "close" {
		t.Error("the connection of somebody who is in is closed")
	}
}
