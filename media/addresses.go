package media

import (
	"net"
	"net/netip"
	"sync"
)

// maxAddresses is from how many addresses a browser may reach one of its connections. A
// browser has one for each of its networks, and a new one when a router renews it.
const maxAddresses = 64

// An addressLimit is an ICE user's packet connection that drops the packets of an address
// too many: the ICE agent keeps every address from which its user asks, and compares each
// new one with all of them. An address counts once the robot has sent to it, which it does
// only after valid credentials, so that a stranger cannot use up the user's addresses.
type addressLimit struct {
	net.PacketConn

	mu    sync.Mutex
	known map[netip.AddrPort]bool
}

func limitAddresses(conn net.PacketConn) *addressLimit {
	return &addressLimit{PacketConn: conn, known: map[netip.AddrPort]bool{}}
}

// ReadFrom returns the next packet of an address within the limit.
func (l *addressLimit) ReadFrom(p []byte) (int, net.Addr, error) {
	for {
		n, from, err := l.PacketConn.ReadFrom(p)
		if err != nil || l.admits(from) {
			return n, from, err
		}
	}
}

// admits reports whether an address is known, or one more may become known.
func (l *addressLimit) admits(from net.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.known) < maxAddresses || l.known[keyOf(from)]
}

// WriteTo sends a packet, and notes the address.
func (l *addressLimit) WriteTo(p []byte, to net.Addr) (int, error) {
	l.mu.Lock()
	l.known[keyOf(to)] = true
	l.mu.Unlock()
	return l.PacketConn.WriteTo(p, to)
}

// keyOf returns the address of a UDP or TCP socket, which all others lack.
func keyOf(a net.Addr) netip.AddrPort {
	if socket, ok := a.(interface{ AddrPort() netip.AddrPort }); ok {
		return addrPortOf(socket)
	}
	return netip.AddrPort{}
}

// GetConn returns the packet connection of an ICE user.
func (m *mux) GetConn(name string, local net.Addr) (net.PacketConn, error) {
	conn, err := m.UDPMuxDefault.GetConn(name, local)
	if err != nil {
		return nil, err
	}
	return limitAddresses(conn), nil
}
