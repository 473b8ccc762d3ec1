package e2e_test

import (
	"io"
	"net"
	"sync"
	"testing"
)

// A proxy connects pages to the robot's TCP port, and fails as networks do. It carries no
// datagrams.
type proxy struct {
	addr string

	mu      sync.Mutex
	changed *sync.Cond // one of the fields below has changed
	target  string     // destination of new connections; "" = none
	conns   []net.Conn // both ends of the open ones
	made    int        // connections so far
	heldUp  bool       // what pages send waits
	frozen  int        // of the connections, the first so many carry nothing in either direction
	ice     bool       // the others, including future ones, carry nothing either
	black   bool       // all bytes are dropped, in both directions
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{addr: ln.Addr().String(), target: target}
	p.changed = sync.NewCond(&p.mu)
	var all sync.WaitGroup
	all.Go(func() {
		for {
			page, err := ln.Accept()
			if err != nil {
				return
			}
			n, server := p.connect(page)
			if server == nil {
				_ = page.Close()
				continue
			}
			all.Go(func() { p.carry(n, page, server, true) })
			all.Go(func() { p.carry(n, server, page, false) })
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		p.holdUp(false)
		p.thaw()
		p.lead("")
		all.Wait()
	})
	return p
}

// connect connects a new connection to the server, and returns its number; nil = there is no
// destination.
func (p *proxy) connect(page net.Conn) (n int, server net.Conn) {
	p.mu.Lock()
	target := p.target
	p.mu.Unlock()
	server, err := net.Dial("tcp", target)
	if err != nil {
		return 0, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.target != target { // the destination has changed meanwhile
		_ = server.Close()
		return 0, nil
	}
	p.made++
	p.conns = append(p.conns, page, server)
	return p.made, server
}

// lead sends new connections to another server and closes the open ones.
func (p *proxy) lead(target string) {
	p.set(func() {
		p.target = target
		for _, c := range p.conns {
			_ = c.Close()
		}
		p.conns = nil
	})
}

// holdUp delays what pages send; in the end it arrives in one burst.
func (p *proxy) holdUp(on bool) { p.set(func() { p.heldUp = on }) }

// freeze freezes the open connections: they stay open and carry nothing, in either direction,
// until they are thawed.
func (p *proxy) freeze() { p.set(func() { p.frozen = p.made }) }

// freezeAll also freezes future connections.
func (p *proxy) freezeAll() { p.set(func() { p.ice = true }) }

func (p *proxy) thaw() { p.set(func() { p.frozen, p.ice = 0, false }) }

// swallow drops all bytes from now on, in both directions. A connection that has lost bytes is
// useless from then on.
func (p *proxy) swallow(on bool) { p.set(func() { p.black = on }) }

func (p *proxy) set(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
	p.changed.Broadcast()
}

// carry copies the bytes of connection n from one end to the other; up = from the page to the
// server.
func (p *proxy) carry(n int, from, to net.Conn, up bool) {
	buffer := make([]byte, 64<<10)
	for {
		got, err := from.Read(buffer)
		if p.pass(n, up) {
			_, _ = io.Copy(io.Discard, from) // until it closes: bytes are missing now
			return
		}
		if err != nil {
			_ = to.Close()
			return
		}
		if _, err := to.Write(buffer[:got]); err != nil {
			return
		}
	}
}

// pass waits until connection n carries data, and reports whether the data is dropped.
func (p *proxy) pass(n int, up bool) (black bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.ice || n <= p.frozen || up && p.heldUp {
		p.changed.Wait()
	}
	return p.black
}
