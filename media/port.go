package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/pion/ice/v2"
	"github.com/pion/logging"
	"github.com/pion/webrtc/v3"
)

// MostChannels is how many channels a Port has open at once.
const MostChannels = 64

// How long a channel waits for its page.
const (
	openWithin = 15 * time.Second // from the answer to the open channel
	goneAfter  = 3 * time.Second  // without a packet the way counts as interrupted,
	lostAfter  = 7 * time.Second  // and so much later as lost
	aliveEvery = time.Second
)

// Errors that a page's offer may meet.
var (
	ErrFull   = fmt.Errorf("media: %d channels are open; close a page, then try again", MostChannels)
	ErrClosed = errors.New("media: closed")
)

// A Port is the UDP port that channels come by.
type Port struct {
	mux *mux
	api *webrtc.API

	mu     sync.Mutex
	closed bool
	open   map[*Channel]struct{}
	asked  sync.WaitGroup // Answer and Close calls under way
}

// Listen opens a Port at the address of the server: the same number as its TCP
// port when that is free, and otherwise any. It listens on the server's own
// address alone, so that who cannot reach the one cannot reach the other.
func Listen(server net.Addr) (*Port, error) {
	tcp, ok := server.(*net.TCPAddr)
	if !ok {
		return nil, fmt.Errorf("media: the server listens on %s, which is no IP address and port", server)
	}
	network := "udp"
	if tcp.IP.To4() != nil {
		network = "udp4"
	}
	conn, err := net.ListenUDP(network, &net.UDPAddr{IP: tcp.IP, Port: tcp.Port, Zone: tcp.Zone})
	if err != nil {
		conn, err = net.ListenUDP(network, &net.UDPAddr{IP: tcp.IP, Zone: tcp.Zone})
	}
	if err != nil {
		return nil, fmt.Errorf("media: %w", err)
	}
	return newPort(conn)
}

func newPort(conn *net.UDPConn) (*Port, error) {
	quiet := &logging.DefaultLoggerFactory{Writer: io.Discard, DefaultLogLevel: logging.LogLevelDisabled}
	m := &mux{UDPMuxDefault: ice.NewUDPMuxDefault(ice.UDPMuxParams{UDPConn: conn, Logger: quiet.NewLogger("ice")})}
	var set webrtc.SettingEngine
	set.LoggerFactory = quiet
	set.SetICEUDPMux(m)
	set.SetLite(true)
	set.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4, webrtc.NetworkTypeUDP6})
	set.SetIncludeLoopbackCandidate(true)
	set.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled) // else it listens on port 5353
	set.SetICETimeouts(goneAfter, lostAfter, aliveEvery)
	set.SetDTLSConnectContextMaker(func() (context.Context, func()) {
		return context.WithTimeout(context.Background(), openWithin)
	})
	set.SetSCTPMaxReceiveBufferSize(64 << 10)
	if err := set.SetAnsweringDTLSRole(webrtc.DTLSRoleServer); err != nil {
		_ = m.Close()
		return nil, fmt.Errorf("media: %w", err)
	}
	return &Port{mux: m, api: webrtc.NewAPI(webrtc.WithSettingEngine(set)), open: map[*Channel]struct{}{}}, nil
}

// Addr returns the address listened on.
func (p *Port) Addr() *net.UDPAddr { return p.mux.LocalAddr().(*net.UDPAddr) }

// Answer answers the offer of a page. What comes over the channel goes to
// take, which must not wait, and may answer with Channel.Send. The error is
// ErrFull, ErrClosed, ctx.Err(), or says what is wrong with the offer.
func (p *Port) Answer(ctx context.Context, offer string, take func(c *Channel, frame []byte)) (c *Channel, answer string, err error) {
	offer, err = checkOffer(offer)
	if err != nil {
		return nil, "", fmt.Errorf("media: %w", err)
	}
	if c, err = p.enter(take); err != nil {
		return nil, "", err
	}
	defer p.asked.Done()
	answer, err = c.answer(ctx, p.api, offer)
	if err != nil {
		c.Close()
		return nil, "", err
	}
	return c, answer, nil
}

// enter makes room for one more channel.
func (p *Port) enter(take func(*Channel, []byte)) (*Channel, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return nil, ErrClosed
	case len(p.open) >= MostChannels:
		return nil, ErrFull
	}
	c := &Channel{port: p, take: take, done: make(chan struct{}), ended: make(chan struct{})}
	p.open[c] = struct{}{}
	p.asked.Add(1)
	return c, nil
}

// Open returns how many channels there are.
func (p *Port) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open)
}

// Close ends all channels and the port.
func (p *Port) Close() error {
	p.mu.Lock()
	p.closed = true
	open := make([]*Channel, 0, len(p.open))
	for c := range p.open {
		open = append(open, c)
	}
	p.mu.Unlock()
	p.asked.Wait()
	var all sync.WaitGroup
	for _, c := range open {
		all.Go(c.Close)
	}
	all.Wait()
	if err := p.mux.Close(); err != nil {
		return fmt.Errorf("media: %w", err)
	}
	return nil
}

// addresses returns where pages may reach the port now: a robot moves from
// network to network.
func (p *Port) addresses() []netip.AddrPort {
	own := p.Addr().AddrPort()
	ip := own.Addr().Unmap()
	if !ip.IsUnspecified() {
		return []netip.AddrPort{netip.AddrPortFrom(ip, own.Port())}
	}
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil // the WebSocket carries everything
	}
	var addresses []netip.AddrPort
	for _, a := range all {
		prefix, err := netip.ParsePrefix(a.String())
		if at := prefix.Addr().Unmap(); err == nil && !at.IsLinkLocalUnicast() && (at.Is4() || ip.Is6()) {
			addresses = append(addresses, netip.AddrPortFrom(at, own.Port()))
		}
	}
	return addresses
}

// named returns the description with these addresses in the place of its own.
func named(description string, addresses []netip.AddrPort) string {
	var b strings.Builder
	for line := range strings.Lines(description) {
		if !strings.HasPrefix(line, "a=candidate:") && !strings.HasPrefix(line, "a=end-of-candidates") {
			b.WriteString(line)
		}
	}
	const hostPriority = 126<<24 | 65535<<8 | 255 // RFC 8445, section 5.1.2.1
	for i, a := range addresses {
		fmt.Fprintf(&b, "a=candidate:%d 1 udp %d %s %d typ host\r\n", i+1, hostPriority-i<<8, a.Addr(), a.Port())
	}
	b.WriteString("a=end-of-candidates\r\n")
	return b.String()
}

// A mux shares one UDP port. WebRTC hears of one address of each family only:
// it takes every address for a socket of its own, and here all are the same.
type mux struct{ *ice.UDPMuxDefault }

// GetListenAddresses returns the one or two addresses.
func (m *mux) GetListenAddresses() []net.Addr {
	own := m.LocalAddr().(*net.UDPAddr)
	if !own.IP.IsUnspecified() {
		return []net.Addr{own}
	}
	addresses := []net.Addr{&net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: own.Port}}
	if own.IP.To4() == nil {
		addresses = append(addresses, &net.UDPAddr{IP: net.IPv6loopback, Port: own.Port})
	}
	return addresses
}

// sentence returns what went wrong in one line.
func sentence(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
