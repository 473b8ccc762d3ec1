package media

import (
	"context"
	"net"
	"net/netip"
	"sync"

	"mybot/link"
)

// maxPacket is the size of the largest packet that a port receives, in bytes.
const maxPacket = 8 << 10

// maxWaiting is how many received packets may wait to be read.
const maxWaiting = 256

// An impairedConn is a socket that delays and loses the packets of some addresses
// as an impaired network would; those of other addresses pass unchanged.
type impairedConn struct {
	net.PacketConn
	network *link.Network

	in   chan packet   // received packets
	done chan struct{} // closed when no more packets will arrive
	all  sync.WaitGroup

	mu          sync.Mutex
	impairments map[netip.AddrPort]*impairment
}

// A packet is received data with its sender.
type packet struct {
	bytes []byte
	from  net.Addr
}

// An impairment is the simulated network between the socket and one address.
type impairment struct {
	up, down chan []byte
	ctx      context.Context
}

// newImpairedConn returns an impairedConn on the socket, which it owns from now on.
func newImpairedConn(conn net.PacketConn, network *link.Network) *impairedConn {
	b := &impairedConn{
		PacketConn: conn, network: network,
		in: make(chan packet, maxWaiting), done: make(chan struct{}),
		impairments: map[netip.AddrPort]*impairment{},
	}
	b.all.Go(b.readAll)
	return b
}

// readAll reads packets until the socket is closed.
func (b *impairedConn) readAll() {
	defer close(b.done)
	buffer := make([]byte, maxPacket)
	for {
		n, from, err := b.PacketConn.ReadFrom(buffer)
		if err != nil {
			return
		}
		p := packet{append([]byte(nil), buffer[:n]...), from}
		if impaired := b.impairmentTo(from); impaired != nil {
			select {
			case impaired.up <- p.bytes:
			case <-impaired.ctx.Done():
			}
			continue
		}
		b.deliverPacket(p)
	}
}

// deliverPacket passes a packet to the reader; a packet that does not fit is lost.
func (b *impairedConn) deliverPacket(p packet) {
	select {
	case b.in <- p:
	default:
	}
}

// ReadFrom returns the next received packet.
func (b *impairedConn) ReadFrom(p []byte) (int, net.Addr, error) {
	select {
	case arrived := <-b.in:
		return copy(p, arrived.bytes), arrived.from, nil
	case <-b.done:
		return 0, nil, net.ErrClosed
	}
}

// WriteTo sends a packet, through the impairment of its address if there is one.
func (b *impairedConn) WriteTo(p []byte, to net.Addr) (int, error) {
	impaired := b.impairmentTo(to)
	if impaired == nil {
		return b.PacketConn.WriteTo(p, to)
	}
	select {
	case impaired.down <- append([]byte(nil), p...):
	case <-impaired.ctx.Done():
	}
	return len(p), nil
}

// impairmentTo returns the impairment of an address; nil = none.
func (b *impairedConn) impairmentTo(to net.Addr) *impairment {
	udp, ok := to.(*net.UDPAddr)
	if !ok {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.impairments[addrPortOf(udp)]
}

// addrPortOf returns the address of a UDP or TCP socket as the key of a map.
func addrPortOf(a interface{ AddrPort() netip.AddrPort }) netip.AddrPort {
	ap := a.AddrPort()
	return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
}

// impairAddress sends the packets from and to an address through a simulated
// network of their own, until ctx ends, and returns then.
func (b *impairedConn) impairAddress(ctx context.Context, address *net.UDPAddr) {
	up, down := b.network.AddUser()
	defer b.network.RemoveUser(up, down)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	impaired := &impairment{up: make(chan []byte), down: make(chan []byte), ctx: ctx}
	key := addrPortOf(address)
	b.mu.Lock()
	b.impairments[key] = impaired
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.impairments[key] == impaired {
			delete(b.impairments, key)
		}
	}()
	var both sync.WaitGroup
	both.Go(func() {
		_ = link.DeliverMessages(ctx, up, link.Flow, impaired.up, func(p []byte) error { b.deliverPacket(packet{p, address}); return nil })
	})
	both.Go(func() {
		_ = link.DeliverMessages(ctx, down, link.Flow, impaired.down, func(p []byte) error {
			_, _ = b.PacketConn.WriteTo(p, address) // a packet may be lost here
			return nil
		})
	})
	select {
	case <-ctx.Done():
	case <-b.done:
		cancel()
	}
	both.Wait()
}

// Close closes the socket and waits for its reader.
func (b *impairedConn) Close() error {
	err := b.PacketConn.Close()
	b.all.Wait()
	return err
}
