package e2e_test

import (
	"io"
	"net"
	"sync"
	"testing"
)

// A proxy stands between pages and the robot's TCP port, and fails as networks
// do. Datagrams do not pass here.
type proxy struct {
	addr string

	mu      sync.Mutex
	changed *sync.Cond // something below is not as it was
	target  string     // where new connections lead; "" = nowhere
	conns   []net.Conn // both ends of the present ones
	made    int        // connections so far
	heldUp  bool       // what pages send waits
	frozen  int        // of the connections the first so many carry nothing, either way
	ice     bool       // nor do the others, whenever they are made
	black   bool       // every byte is swallowed, both ways
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

// connect leads a new connection to the server, and returns its number; nil =
// there is no way.
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
	if p.target != target { // it was led elsewhere meanwhile
		_ = server.Close()
		return 0, nil
	}
	p.made++
	p.conns = append(p.conns, page, server)
	return p.made, server
}

// lead sends new connections to another server and ends the present ones.
func (p *proxy) lead(target string) {
	p.set(func() {
		p.target = target
		for _, c := range p.conns {
			_ = c.Close()
		}
		p.conns = nil
	})
}

// holdUp holds back what pages send; in the end it comes in one burst.
func (p *proxy) holdUp(on bool) { p.set(func() { p.heldUp = on }) }

// freeze freezes the connections that are there: they stay open and carry
// nothing, either way, until they are thawed.
func (p *proxy) freeze() { p.set(func() { p.frozen = p.made }) }

// freezeAll also freezes those that are still to come.
func (p *proxy) freezeAll() { p.set(func() { p.ice = true }) }

func (p *proxy) thaw() { p.set(func() { p.frozen, p.ice = 0, false }) }

// swallow swallows every byte from now on, both ways. A connection that has lost
// some is never of use again.
func (p *proxy) swallow(on bool) { p.set(func() { p.black = on }) }

func (p *proxy) set(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
	p.changed.Broadcast()
}

// carry takes the bytes of connection n from one end to the other; up = from the
// page to the server.
func (p *proxy) carry(n int, from, to net.Conn, up bool) {
	buffer := make([]byte, 64<<10)
	for {
		got, err := from.Read(buffer)
		if p.pass(n, up) {
			_, _ = io.Copy(io.Discard, from) // for ever: bytes are missing now
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

// pass waits until connection n carries something, and reports whether that is
// swallowed.
func (p *proxy) pass(n int, up bool) (black bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.ice || n <= p.frozen || up && p.heldUp {
		p.changed.Wait()
	}
	return p.black
}
