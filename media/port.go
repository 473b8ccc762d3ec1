package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/pion/ice/v2"
	"github.com/pion/logging"
	"github.com/pion/webrtc/v3"

	"mybot/link"
)

// MaxChannels is the largest number of open channels of a Port.
const MaxChannels = 64

// How long a channel waits for its page.
const (
	openWithin = 15 * time.Second // from the answer to the open channel
	goneAfter  = 3 * time.Second  // time without a packet after which the connection counts as interrupted
	lostAfter  = 7 * time.Second  // further time after which it counts as lost
	aliveEvery = time.Second

	gatherWithin = 2 * time.Second // for the robot's own addresses, because a relay may not answer
)

// Errors that an offer may cause.
var (
	ErrFull   = fmt.Errorf("media: %d channels are open; close a page, then try again", MaxChannels)
	ErrClosed = errors.New("media: closed")
)

// A Port is the UDP port of all channels, viewers and talkers.
type Port struct {
	options       Options
	log           *slog.Logger
	mux           *mux
	tcp           *tcpMux      // nil = UDP only
	tcpAddr       *net.TCPAddr // of tcp
	set           webrtc.SettingEngine
	configuration webrtc.Configuration
	impaired      *impairedConn // nil = no simulated network

	mu     sync.Mutex
	closed bool
	open   map[*Channel]struct{}
	asked  sync.WaitGroup // AnswerOffer and Close calls in progress
}

// Options say how pages reach a Port, besides its UDP port.
type Options struct {
	Network *link.Network // simulated, for viewers' traffic; nil = none
	Public  []netip.Addr  // addresses at which a router forwards the port to the robot
	TCP     string        // HOST:PORT to listen on too, for pages that UDP cannot reach; "" = none
	Relays  []Relay       // TURN servers, for a robot without a reachable address
	Log     *slog.Logger  // for faults; nil = not logged
}

// A Relay is a TURN server.
type Relay struct {
	URL      string // turn:HOST:PORT or turns:HOST:PORT
	Username string
	Password string
}

// ParseRelay parses a TURN server such as turn:USER:PASSWORD@HOST:PORT. The error
// is a sentence.
func ParseRelay(text string) (Relay, error) {
	scheme, rest, _ := strings.Cut(text, ":")
	who, host, found := strings.Cut(rest, "@")
	user, password, both := strings.Cut(who, ":")
	if _, _, err := net.SplitHostPort(host); scheme != "turn" && scheme != "turns" || !found || !both || err != nil || strings.ContainsAny(text, "\"<> ") {
		return Relay{}, errors.New("it must be turn:USER:PASSWORD@HOST:PORT")
	}
	if scheme == "turns" && strings.HasSuffix(host, "?transport=udp") {
		return Relay{}, errors.New("turns by UDP (DTLS) is not spoken here: it must be turns:USER:PASSWORD@HOST:PORT, which is TLS by TCP, or turn:USER:PASSWORD@HOST:PORT")
	}
	return Relay{URL: scheme + ":" + host, Username: user, Password: password}, nil
}

// Listen opens a Port at the address of the server: at the UDP port with the number
// of its TCP port if that is free, and otherwise at any. A host that cannot reach the
// server cannot reach the Port either.
func Listen(server net.Addr, o Options) (*Port, error) {
	tcp, ok := server.(*net.TCPAddr)
	if !ok {
		return nil, fmt.Errorf("media: the server listens on %s, which is no IP address and port", server)
	}
	conn, err := listenUDP(tcp, tcp.Port, len(o.Relays) > 0)
	if err != nil {
		conn, err = listenUDP(tcp, 0, len(o.Relays) > 0)
	}
	if err != nil {
		return nil, fmt.Errorf("media: %w", err)
	}
	var slow net.Listener
	if o.TCP != "" {
		if slow, err = net.Listen("tcp", o.TCP); err != nil {
			_ = conn.Close()
			return nil, fmt.Errorf("media: %w", err)
		}
	}
	return newPort(conn, slow, o)
}

// newPort returns a port on a socket, and on a listener if there is one; it owns
// both.
func newPort(conn net.PacketConn, slow net.Listener, o Options) (*Port, error) {
	quiet := &logging.DefaultLoggerFactory{Writer: io.Discard, DefaultLogLevel: logging.LogLevelDisabled}
	p := &Port{options: o, log: o.Log, open: map[*Channel]struct{}{}}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	if o.Network != nil {
		p.impaired = newImpairedConn(conn, o.Network)
		conn = p.impaired
	}
	p.mux = &mux{UDPMuxDefault: ice.NewUDPMuxDefault(ice.UDPMuxParams{UDPConn: conn, Logger: quiet.NewLogger("ice")})}
	kinds := []webrtc.NetworkType{webrtc.NetworkTypeUDP4, webrtc.NetworkTypeUDP6}
	if slow != nil {
		p.tcpAddr = slow.Addr().(*net.TCPAddr)
		p.tcp = newTCPMux(slow, quiet.NewLogger("ice"))
		p.set.SetICETCPMux(p.tcp)
		kinds = append(kinds, webrtc.NetworkTypeTCP4, webrtc.NetworkTypeTCP6)
	}
	if p.dialsPages() {
		relays, err := newRelayNet(o.Relays)
		if err != nil {
			_ = p.Close()
			return nil, err
		}
		p.set.SetNet(relays)
		p.set.SetICEProxyDialer(relays)
	}
	for _, r := range o.Relays {
		p.configuration.ICEServers = append(p.configuration.ICEServers, webrtc.ICEServer{URLs: []string{r.URL}, Username: r.Username, Credential: r.Password})
	}
	p.set.LoggerFactory = quiet
	p.set.SetICEUDPMux(p.mux)
	p.set.SetLite(!p.dialsPages())
	p.set.SetNetworkTypes(kinds)
	p.set.SetIncludeLoopbackCandidate(true)
	p.set.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled) // otherwise it listens on port 5353
	p.set.DisableActiveTCP(true)                               // it opens no TCP connection, whatever an offer names
	p.set.SetICETimeouts(goneAfter, lostAfter, aliveEvery)
	p.set.SetDTLSConnectContextMaker(func() (context.Context, func()) {
		return context.WithTimeout(context.Background(), openWithin)
	})
	p.set.SetSCTPMaxReceiveBufferSize(64 << 10)
	if err := p.set.SetAnsweringDTLSRole(webrtc.DTLSRoleServer); err != nil {
		_ = p.Close()
		return nil, fmt.Errorf("media: %w", err)
	}
	return p, nil
}

// dialsPages reports whether the robot contacts the addresses that a page names, as
// it must through a relay.
func (p *Port) dialsPages() bool { return len(p.options.Relays) > 0 }

// Relays returns the TURN servers, which pages need too.
func (p *Port) Relays() []Relay { return p.options.Relays }

// Addr returns the address listened on.
func (p *Port) Addr() *net.UDPAddr { return p.mux.LocalAddr().(*net.UDPAddr) }

// AnswerOffer answers a page's offer. Frames of the channel go to take, which must
// not wait, and may answer with Channel.Send. The error is ErrFull, ErrClosed,
// ctx.Err(), or says what is wrong with the offer.
func (p *Port) AnswerOffer(ctx context.Context, offer string, take func(c *Channel, frame []byte)) (c *Channel, answer string, err error) {
	offer, err = checkOffer(offer, p.dialsPages())
	if err != nil {
		return nil, "", fmt.Errorf("media: %w", err)
	}
	if c, err = p.addChannel(take); err != nil {
		return nil, "", err
	}
	defer p.asked.Done()
	answer, err = c.answerOffer(ctx, offer)
	if err != nil {
		c.Close()
		return nil, "", err
	}
	return c, answer, nil
}

// addChannel adds a channel, or says why it cannot.
func (p *Port) addChannel(take func(*Channel, []byte)) (*Channel, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return nil, ErrClosed
	case len(p.open) >= MaxChannels:
		return nil, ErrFull
	}
	c := &Channel{port: p, take: take, done: make(chan struct{}), ended: make(chan struct{})}
	p.open[c] = struct{}{}
	p.asked.Add(1)
	return c, nil
}

// CountChannels returns the number of channels.
func (p *Port) CountChannels() int {
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
	err := p.mux.Close()
	if p.tcp != nil {
		err = errors.Join(err, p.tcp.Close())
	}
	if err != nil {
		return fmt.Errorf("media: %w", err)
	}
	return nil
}

// listAddresses returns the addresses at which pages can reach the port now,
// because a robot moves from network to network.
func (p *Port) listAddresses() []netip.AddrPort {
	own := p.Addr().AddrPort()
	ip := own.Addr().Unmap()
	if !ip.IsUnspecified() {
		return []netip.AddrPort{netip.AddrPortFrom(ip, own.Port())}
	}
	var addresses []netip.AddrPort // none if they cannot be listed: the WebSocket carries everything then
	for _, at := range ownAddresses(net.InterfaceAddrs) {
		if !at.IsLinkLocalUnicast() && (at.Is4() || ip.Is6()) {
			addresses = append(addresses, netip.AddrPortFrom(at, own.Port()))
		}
	}
	return addresses
}

// withAddresses returns the description with the robot's addresses in its first
// part, in place of its own: the other parts share that one's transport (BUNDLE).
// Of the description's own addresses only those of relays remain.
func (p *Port) withAddresses(description string) string {
	var own, relayed strings.Builder
	addresses := p.listAddresses()
	udp := p.Addr().AddrPort().Port()
	for _, a := range p.options.Public {
		addresses = append(addresses, netip.AddrPortFrom(a, udp))
	}
	const (
		udpPriority = 126<<24 | 65535<<8 | 255 // RFC 8445, section 5.1.2.1
		tcpPriority = 90<<24 | 65535<<8 | 255  // after UDP
	)
	n := 0
	for i, a := range addresses {
		n++
		fmt.Fprintf(&own, "a=candidate:%d 1 udp %d %s %d typ host\r\n", n, udpPriority-i<<8, a.Addr(), a.Port())
	}
	for i, a := range addresses {
		if p.tcp != nil && (p.tcpAddr.IP.IsUnspecified() || a.Addr().Compare(p.tcpAddr.AddrPort().Addr().Unmap()) == 0) {
			n++
			fmt.Fprintf(&own, "a=candidate:%d 1 tcp %d %s %d typ host tcptype passive\r\n", n, tcpPriority-i<<8, a.Addr(), p.tcpAddr.Port)
		}
	}
	var parts []string // the session's part, then one for each kind of media
	part := &strings.Builder{}
	for line := range strings.Lines(description) {
		switch {
		case strings.HasPrefix(line, "a=candidate:") && strings.Contains(line, " typ relay"):
			if len(parts) == 1 {
				relayed.WriteString(line)
			}
			continue
		case strings.HasPrefix(line, "a=candidate:"), strings.HasPrefix(line, "a=end-of-candidates"):
			continue
		case strings.HasPrefix(line, "m="):
			parts = append(parts, part.String())
			part.Reset()
		}
		part.WriteString(line)
	}
	parts = append(parts, part.String())
	at := min(1, len(parts)-1)
	parts[at] += own.String() + relayed.String() + "a=end-of-candidates\r\n"
	return strings.Join(parts, "")
}

// A mux shares one UDP port. It reports only one address per family, because WebRTC
// opens a socket for every address, and here all addresses share one.
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

// firstLine returns the first line of an error.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
