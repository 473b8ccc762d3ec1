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
)

// Bounds of what connects by TCP.
const (
	mostComers     = 512             // connections in all
	mostComersEach = 128             // of them from one address; a /64 of IPv6 counts as one
	showWithin     = 5 * time.Second // from the connection to valid ICE credentials
	mostUnshown    = 4 << 10         // bytes taken before them; a request is below 200
	acceptAgain    = 50 * time.Millisecond
)

var errUnshown = errors.New("media: this connection has shown no ICE credentials")

// A door is a listener whose connections have to show valid ICE credentials
// soon. One too many takes the place of the oldest that has not, from its own
// address when that one has too many; where all have, it is closed.
type door struct {
	net.Listener

	mu     sync.Mutex
	closed bool
	in     []*comer // in the order in which they came
}

// Accept returns the next connection, also after a moment without a file to
// hold it.
func (d *door) Accept() (net.Conn, error) {
	for {
		conn, err := d.Listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil, err
		case err != nil:
			time.Sleep(acceptAgain)
			continue
		}
		if c := d.enter(conn); c != nil {
			return c, nil
		}
		_ = conn.Close() // nothing was said yet
	}
}

// Close sends everybody away and lets nobody in any more.
func (d *door) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, c := range d.in {
		_ = c.Conn.Close() // who reads it is told
	}
	return d.Listener.Close()
}

// enter lets a connection in; nil = it is one too many.
func (d *door) enter(conn net.Conn) *comer {
	c := &comer{Conn: conn, door: d, from: placeOf(conn.RemoteAddr())}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	each := 0
	for _, other := range d.in {
		if other.from == c.from {
			each++
		}
	}
	if crowd := each >= mostComersEach; crowd || len(d.in) >= mostComers {
		i := slices.IndexFunc(d.in, func(o *comer) bool { return !o.shown.Load() && (!crowd || o.from == c.from) })
		if i < 0 {
			return nil
		}
		_ = d.in[i].Conn.Close() // who reads it is told
		d.in = slices.Delete(d.in, i, i+1)
	}
	d.in = append(d.in, c)
	c.late = time.AfterFunc(showWithin, func() {
		if !c.shown.Load() {
			_ = c.Close()
		}
	})
	return c
}

// placeOf returns what one person has of addresses: one of IPv4, a /64 of IPv6.
func placeOf(a net.Addr) netip.Prefix {
	at, _ := netip.ParseAddrPort(a.String()) // those without an address share the zero one
	ip := at.Addr().Unmap().WithZone("")
	p, _ := ip.Prefix(min(64, ip.BitLen()))
	return p
}

// A comer is a connection by TCP. The robot answers only to valid credentials:
// a comer has shown them when the robot first writes to it.
type comer struct {
	net.Conn
	door  *door
	from  netip.Prefix
	late  *time.Timer
	shown atomic.Bool
	taken atomic.Int64 // bytes
}

// Read reads what came, of which there is not much before the credentials.
func (c *comer) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.taken.Add(int64(n)) > mostUnshown && !c.shown.Load() {
		return 0, errUnshown // who reads it closes it
	}
	return n, err
}

// Write answers.
func (c *comer) Write(p []byte) (int, error) {
	if !c.shown.Swap(true) {
		c.late.Stop()
	}
	return c.Conn.Write(p)
}

// Close closes the connection and makes room.
func (c *comer) Close() error {
	c.door.mu.Lock()
	c.late.Stop()
	c.door.in = slices.DeleteFunc(c.door.in, func(o *comer) bool { return o == c })
	c.door.mu.Unlock()
	return c.Conn.Close()
}

// A slowMux shares one TCP port.
type slowMux struct{ *ice.TCPMuxDefault }

// newSlowMux returns a mux behind a door at a listener, which it owns.
func newSlowMux(ln net.Listener, log logging.LeveledLogger) *slowMux {
	return &slowMux{ice.NewTCPMuxDefault(ice.TCPMuxParams{
		Listener: &door{Listener: ln}, Logger: log,
		ReadBufferSize:               8,       // packets
		WriteBufferSize:              1 << 20, // bytes of each connection; what is beyond is lost
		FirstStunBindTimeout:         showWithin,
		AliveDurationForConnFromStun: time.Second, // nobody waits for a name that no answer gave out
	})}
}

// GetConnByUfrag returns what comes in the name of an ICE user.
func (m *slowMux) GetConnByUfrag(name string, six bool, local net.IP) (net.PacketConn, error) {
	conn, err := m.TCPMuxDefault.GetConnByUfrag(name, six, local)
	if err != nil {
		return nil, err
	}
	return &survivor{conn}, nil
}

// A survivor goes on with the other connections of an ICE user when one of them
// breaks: who reads it takes every error for the end of all.
type survivor struct{ net.PacketConn }

// ReadFrom returns the next packet.
func (s *survivor) ReadFrom(p []byte) (int, net.Addr, error) {
	for {
		n, from, err := s.PacketConn.ReadFrom(p)
		if err == nil || from == nil {
			return n, from, err
		}
	}
}
