package media

import (
	"net"
	"net/netip"
	"runtime"
	"slices"
	"sync"
	"time"
)

// listenUDP opens the socket of a server's address; a port of 0 means any.
//
// A server at 127.0.0.1 gets a socket at every address of this computer, which hears this
// computer alone: Firefox reaches no loopback address by WebRTC
// (docs/decisions/0018-firefox-on-this-computer.md).
func listenUDP(server *net.TCPAddr, port int, relayed bool) (net.PacketConn, error) {
	four := server.IP.To4()
	switch {
	case four == nil:
		return net.ListenUDP("udp", &net.UDPAddr{IP: server.IP, Port: port, Zone: server.Zone})
	case four.Equal(net.IPv4(127, 0, 0, 1)) && !relayed && runtime.GOOS == "linux": // the firewalls of others ask the user
		conn, err := net.ListenUDP("udp4", &net.UDPAddr{Port: port})
		if err != nil {
			return nil, err
		}
		return &localConn{PacketConn: conn, list: net.InterfaceAddrs}, nil
	}
	return net.ListenUDP("udp4", &net.UDPAddr{IP: four, Port: port})
}

// A localConn is a socket that hears this computer alone. Linux drops IPv4 packets from the
// network that claim to come from an address of this computer.
type localConn struct {
	net.PacketConn
	list func() ([]net.Addr, error) // of this computer

	mu     sync.Mutex
	own    []netip.Addr
	listed time.Time // when own was listed, because addresses come and go
}

// ReadFrom returns the next packet of this computer.
func (c *localConn) ReadFrom(p []byte) (int, net.Addr, error) {
	for {
		n, from, err := c.PacketConn.ReadFrom(p)
		if err != nil || c.isOwn(from) {
			return n, from, err
		}
	}
}

// isOwn reports whether an address is of this computer.
func (c *localConn) isOwn(from net.Addr) bool {
	udp, ok := from.(*net.UDPAddr)
	if !ok {
		return false
	}
	at := udp.AddrPort().Addr().Unmap()
	if at.IsLoopback() {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.listed) > time.Second {
		c.own, c.listed = ownAddresses(c.list), now
	}
	return slices.Contains(c.own, at)
}

// ownAddresses returns the addresses of this computer; none if they cannot be listed.
func ownAddresses(list func() ([]net.Addr, error)) (own []netip.Addr) {
	all, err := list()
	if err != nil {
		return nil
	}
	for _, a := range all {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil {
			own = append(own, prefix.Addr().Unmap())
		}
	}
	return own
}
