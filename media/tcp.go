package media

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/ice/v2"
	"github.com/pion/logging"

	"mybot/ratelimit"
)

// Limits of TCP connections.
const (
	maxConns           = 512             // connections in total
	maxConnsEach       = 128             // from one address; an IPv6 /64 counts as one
	authenticateWithin = 5 * time.Second // from the connection to valid ICE credentials
	maxUnauthenticated = 4 << 10         // bytes read before them; a request is below 200
	acceptAgain        = 50 * time.Millisecond
)

var errUnauthenticated = errors.New("media: this connection has shown no ICE credentials")

// A tcpGate is a listener whose connections must soon present valid ICE
// credentials. A connection beyond the limit replaces the oldest one without
// credentials, of its own address if that has too many; if all have credentials,
// the new one is closed.
type tcpGate struct {
	net.Listener

	mu     sync.Mutex
	closed bool
	open   []*tcpConn // in order of arrival
}

// Accept returns the next connection. If the process has no file descriptor left,
// it waits and tries again.
func (d *tcpGate) Accept() (net.Conn, error) {
	for {
		conn, err := d.Listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil, err
		case err != nil:
			time.Sleep(acceptAgain)
			continue
		}
		if c := d.admitConn(conn); c != nil {
			return c, nil
		}
		_ = conn.Close() // nothing was sent yet
	}
}

// Close closes all connections and the listener.
func (d *tcpGate) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, c := range d.open {
		_ = c.Conn.Close() // its reader gets an error
	}
	return d.Listener.Close()
}

// admitConn adds a connection; nil = there are too many.
func (d *tcpGate) admitConn(conn net.Conn) *tcpConn {
	c := &tcpConn{Conn: conn, gate: d, from: networkOf(conn.RemoteAddr())}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	each := 0
	for _, other := range d.open {
		if other.from == c.from {
			each++
		}
	}
	if crowd := each >= maxConnsEach; crowd || len(d.open) >= maxConns {
		i := slices.IndexFunc(d.open, func(o *tcpConn) bool { return !o.authenticated.Load() && (!crowd || o.from == c.from) })
		if i < 0 {
			return nil
		}
		_ = d.open[i].Conn.Close() // its reader gets an error
		d.open = slices.Delete(d.open, i, i+1)
	}
	d.open = append(d.open, c)
	c.deadline = time.AfterFunc(authenticateWithin, func() {
		if !c.authenticated.Load() {
			_ = c.Close()
		}
	})
	return c
}

// networkOf returns the addresses that count as one user's.
func networkOf(a net.Addr) netip.Prefix {
	at, _ := netip.ParseAddrPort(a.String()) // those without an address share the zero one
	return ratelimit.Network(at.Addr())
}

// A tcpConn is a TCP connection. The robot answers only valid credentials, so a
// connection is authenticated when the robot first writes to it.
type tcpConn struct {
	net.Conn
	gate          *tcpGate
	from          netip.Prefix
	deadline      *time.Timer
	authenticated atomic.Bool
	received      atomic.Int64 // bytes
}

// Read reads at most maxUnauthenticated bytes before the credentials.
func (c *tcpConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.received.Add(int64(n)) > maxUnauthenticated && !c.authenticated.Load() {
		return 0, errUnauthenticated // its reader closes it
	}
	return n, err
}

// Write writes p and marks the connection as authenticated.
func (c *tcpConn) Write(p []byte) (int, error) {
	if !c.authenticated.Swap(true) {
		c.deadline.Stop()
	}
	return c.Conn.Write(p)
}

// Close closes the connection and frees its place.
func (c *tcpConn) Close() error {
	c.gate.mu.Lock()
	c.deadline.Stop()
	c.gate.open = slices.DeleteFunc(c.gate.open, func(o *tcpConn) bool { return o == c })
	c.gate.mu.Unlock()
	return c.Conn.Close()
}

// A tcpMux shares one TCP port.
type tcpMux struct{ *ice.TCPMuxDefault }

// newTCPMux returns a mux behind a tcpGate on a listener, which it owns.
func newTCPMux(ln net.Listener, log logging.LeveledLogger) *tcpMux {
	return &tcpMux{ice.NewTCPMuxDefault(ice.TCPMuxParams{
		Listener: &tcpGate{Listener: ln}, Logger: log,
		ReadBufferSize:               8,       // packets
		WriteBufferSize:              1 << 20, // bytes per connection; the excess is lost
		FirstStunBindTimeout:         authenticateWithin,
		AliveDurationForConnFromStun: time.Second, // no answer ever contained the user name of such a connection
	})}
}

// GetConnByUfrag returns the packet connection of an ICE user.
func (m *tcpMux) GetConnByUfrag(name string, six bool, local net.IP) (net.PacketConn, error) {
	conn, err := m.TCPMuxDefault.GetConnByUfrag(name, six, local)
	if err != nil {
		return nil, err
	}
	return limitAddresses(&errorTolerantConn{conn}), nil
}

// An errorTolerantConn hides the failure of one of an ICE user's TCP connections
// from pion's agent, which would close all of them.
type errorTolerantConn struct{ net.PacketConn }

// ReadFrom returns the next packet.
func (s *errorTolerantConn) ReadFrom(p []byte) (int, net.Addr, error) {
	for {
		n, from, err := s.PacketConn.ReadFrom(p)
		if err == nil || from == nil {
			return n, from, err
		}
	}
}
