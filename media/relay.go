package media

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pion/stun"
	"github.com/pion/transport/v2"
	"github.com/pion/transport/v2/stdnet"
)

// relayWithin is how long a TURN server may take to accept a connection.
const relayWithin = 5 * time.Second

var errNoSocket = errors.New("media: WebRTC opens no socket of this kind here")

// A relayNet is the network through which WebRTC reaches TURN servers. It screens
// what they send: the library reads addresses without checking their lengths
// (GHSA-34rh-wp3j-6cxc) in a goroutine of its own, so that one crafted datagram
// would end the program. It opens sockets for relays only; everything else uses the
// Port.
type relayNet struct {
	transport.Net
	tls map[string]bool // HOST:PORT of the servers that speak TLS
}

// newRelayNet returns the network for these servers.
func newRelayNet(relays []Relay) (*relayNet, error) {
	usual, err := stdnet.NewNet()
	if err != nil {
		return nil, fmt.Errorf("media: %w", err)
	}
	n := &relayNet{Net: usual, tls: map[string]bool{}}
	for _, r := range relays {
		address, secure := strings.CutPrefix(r.URL, "turns:")
		address, _, _ = strings.Cut(address, "?")
		n.tls[address] = secure
	}
	return n, nil
}

// ListenPacket opens the socket of a relay.
func (n *relayNet) ListenPacket(network, address string) (net.PacketConn, error) {
	conn, err := n.Net.ListenPacket(network, address)
	if err != nil {
		return nil, err
	}
	return &relaySocket{PacketConn: conn}, nil
}

// ListenUDP opens nothing: it would be for the robot's address as a TURN server
// sees it, which no answer includes.
func (n *relayNet) ListenUDP(string, *net.UDPAddr) (transport.UDPConn, error) {
	return nil, errNoSocket
}

// DialUDP opens nothing: it would be for TURN over DTLS.
func (n *relayNet) DialUDP(string, *net.UDPAddr, *net.UDPAddr) (transport.UDPConn, error) {
	return nil, errNoSocket
}

// Dial connects to a TURN server by TCP, with TLS if its URL says so. The library's
// own dialing would put TLS between the server and the screening.
func (n *relayNet) Dial(network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: relayWithin}
	var conn net.Conn
	var err error
	if n.tls[address] {
		conn, err = tls.DialWithDialer(&dialer, network, address, &tls.Config{MinVersion: tls.VersionTLS12})
	} else {
		conn, err = dialer.Dial(network, address)
	}
	if err != nil {
		return nil, err
	}
	return &relayStream{Conn: conn, in: bufio.NewReader(conn)}, nil
}

// A relaySocket is the socket through which a relay's client talks to one TURN
// server: the first address that it writes to. Datagrams from any other address,
// and malformed ones, are dropped.
type relaySocket struct {
	net.PacketConn
	server atomic.Pointer[string]
}

// WriteTo sends a datagram to the server.
func (s *relaySocket) WriteTo(p []byte, to net.Addr) (int, error) {
	name := to.String()
	if !s.server.CompareAndSwap(nil, &name) && *s.server.Load() != name {
		return 0, fmt.Errorf("media: a relay's socket speaks to %s alone, not to %s", *s.server.Load(), name)
	}
	return s.PacketConn.WriteTo(p, to)
}

// ReadFrom returns the next well-formed datagram from the server.
func (s *relaySocket) ReadFrom(p []byte) (int, net.Addr, error) {
	for {
		n, from, err := s.PacketConn.ReadFrom(p)
		if err != nil {
			return n, from, err
		}
		if server := s.server.Load(); server != nil && from.String() == *server && isSound(p[:n]) {
			return n, from, nil
		}
	}
}

// A relayStream is a connection to a TURN server: one message after the other.
// Malformed messages are left out.
type relayStream struct {
	net.Conn
	in   *bufio.Reader
	rest []byte // of the current message
}

// Read reads from the server.
func (s *relayStream) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		message, err := nextMessage(s.in)
		if err != nil {
			return 0, err
		}
		if isSound(message) {
			s.rest = message
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// nextMessage reads one STUN message, or one of channel data with its padding: RFC
// 8656, section 12.5.
func nextMessage(in *bufio.Reader) ([]byte, error) {
	const stunHeader, channelHeader, padding = 20, 4, 4
	header, err := in.Peek(channelHeader)
	if err != nil {
		return nil, err
	}
	size := int(binary.BigEndian.Uint16(header[2:]))
	switch header[0] >> 6 {
	case 0:
		size += stunHeader
	case 1:
		size = channelHeader + (size+padding-1)/padding*padding
	default:
		return nil, fmt.Errorf("media: the TURN server sent a message that begins with %#x", header[0])
	}
	message := make([]byte, size)
	_, err = io.ReadFull(in, message)
	return message, err
}

// isSound reports whether a client may parse a message from a TURN server: it is
// channel data, or a complete STUN message that is not a request, whose addresses
// have the length of their family and which is complete if it carries data. On any
// other message the client panics or stops reading.
func isSound(message []byte) bool {
	if !stun.IsMessage(message) {
		return len(message) > 0 && message[0]>>6 == 1 // channel data, which the client checks well
	}
	m := stun.Message{Raw: message}
	if m.Decode() != nil || m.Type.Class == stun.ClassRequest {
		return false
	}
	if m.Type.Class == stun.ClassIndication && (m.Type.Method != stun.MethodData ||
		!m.Contains(stun.AttrXORPeerAddress) || !m.Contains(stun.AttrData)) {
		return false
	}
	for _, a := range m.Attributes {
		switch a.Type {
		case stun.AttrMappedAddress, stun.AttrXORMappedAddress, stun.AttrXORPeerAddress, stun.AttrXORRelayedAddress,
			stun.AttrAlternateServer, stun.AttrResponseOrigin, stun.AttrOtherAddress:
			if !isSoundAddress(a.Value) {
				return false
			}
		}
	}
	return true
}

// isSoundAddress reports whether the value of an attribute is a valid address: RFC
// 8489, section 14.1.
func isSoundAddress(value []byte) bool {
	const four, six = 8, 20
	switch len(value) {
	case four:
		return value[1] == 1 && value[0] == 0
	case six:
		return value[1] == 2 && value[0] == 0
	}
	return false
}
