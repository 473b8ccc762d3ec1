package media_test

import (
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/pion/dtls/v2/pkg/crypto/fingerprint"
	"github.com/pion/dtls/v2/pkg/crypto/selfsign"
	"github.com/pion/ice/v2"
	"github.com/pion/logging"
	"github.com/pion/sctp"

	"mybot/media"
)

// A tap is the DTLS connection below a page's SCTP association. It remembers what
// is needed to forge a packet of that association, and the answers to one.
type tap struct {
	net.Conn
	mu     sync.Mutex
	header [12]byte // ports and verification tag of the page's last packet
	first  uint32   // TSN of the page's first data chunk
	alive  chan struct{}
}

// Types of SCTP chunks: RFC 9260, section 3.2, and RFC 3758.
const (
	chunkInit         = 1
	chunkInitAck      = 2
	chunkHeartbeat    = 4
	chunkHeartbeatAck = 5
	chunkForwardTSN   = 192
)

// Write sends a packet of the association.
func (c *tap) Write(p []byte) (int, error) {
	c.mu.Lock()
	copy(c.header[:8], p)
	if p[12] == chunkInit || p[12] == chunkInitAck {
		c.first = binary.BigEndian.Uint32(p[12+16:])
	}
	c.mu.Unlock()
	return c.Conn.Write(p)
}

// Read receives a packet.
func (c *tap) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err == nil && n > 12 && p[12] == chunkHeartbeatAck {
		select {
		case c.alive <- struct{}{}:
		default:
		}
	}
	return n, err
}

// forge sends a packet of one chunk.
func (c *tap) forge(t *testing.T, kind byte, value []byte) {
	t.Helper()
	c.mu.Lock()
	packet := append([]byte(nil), c.header[:]...)
	c.mu.Unlock()
	packet = append(packet, kind, 0)
	packet = binary.BigEndian.AppendUint16(packet, uint16(4+len(value)))
	packet = append(packet, value...)
	binary.LittleEndian.PutUint32(packet[8:], crc32.Checksum(packet, crc32.MakeTable(crc32.Castagnoli)))
	if _, err := c.Conn.Write(packet); err != nil {
		t.Fatal(err)
	}
}

// attach opens an association with the robot as a page does, and returns the layer
// below it.
func attach(t *testing.T, port *media.Port) *tap {
	t.Helper()
	quiet := &logging.DefaultLoggerFactory{Writer: io.Discard}
	certificate, err := selfsign.GenerateSelfSigned()
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(certificate.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	print, err := fingerprint.Fingerprint(parsed, crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	agent, err := ice.NewAgent(&ice.AgentConfig{
		NetworkTypes: []ice.NetworkType{ice.NetworkTypeUDP4}, LoggerFactory: quiet, IncludeLoopback: true,
		InterfaceFilter:  func(name string) bool { return strings.HasPrefix(name, "lo") },
		MulticastDNSMode: ice.MulticastDNSModeDisabled,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = agent.Close() })
	if err := agent.OnCandidate(func(ice.Candidate) {}); err != nil {
		t.Fatal(err)
	}
	if err := agent.GatherCandidates(); err != nil {
		t.Fatal(err)
	}
	name, password, err := agent.GetLocalUserCredentials()
	if err != nil {
		t.Fatal(err)
	}
	_, answer, err := port.AnswerOffer(t.Context(), fmt.Sprintf("v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0\r\n"+
		"m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\nc=IN IP4 0.0.0.0\r\na=ice-ufrag:%s\r\na=ice-pwd:%s\r\n"+
		"a=fingerprint:sha-256 %s\r\na=setup:actpass\r\na=mid:0\r\na=sctp-port:5000\r\n", name, password, strings.ToUpper(print)), func(*media.Channel, []byte) {})
	if err != nil {
		t.Fatal(err)
	}
	said := func(attribute string) string {
		return regexp.MustCompile(`a=` + attribute + `:(\S+)`).FindStringSubmatch(answer)[1]
	}
	at, err := ice.NewCandidateHost(&ice.CandidateHostConfig{Network: "udp", Address: "127.0.0.1", Port: port.Addr().Port, Component: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := agent.AddRemoteCandidate(at); err != nil {
		t.Fatal(err)
	}
	conn, err := agent.Dial(t.Context(), said("ice-ufrag"), said("ice-pwd"))
	if err != nil {
		t.Fatal(err)
	}
	secret, err := dtls.ClientWithContext(t.Context(), conn, &dtls.Config{
		Certificates: []tls.Certificate{certificate}, InsecureSkipVerify: true, LoggerFactory: quiet,
		SRTPProtectionProfiles: []dtls.SRTPProtectionProfile{dtls.SRTP_AES128_CM_HMAC_SHA1_80}, // the robot closes the connection without one
	})
	if err != nil {
		t.Fatal(err)
	}
	below := &tap{Conn: secret, alive: make(chan struct{}, 1)}
	late := time.AfterFunc(patience, func() { _ = agent.Close() })
	defer late.Stop()
	association, err := sctp.ClientWithOptions(sctp.WithNetConn(below), sctp.WithLoggerFactory(quiet), sctp.WithEnableInterleaving(false)) // as browsers have it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = association.Close() })
	return below
}

func TestOneChunkThatSkipsAheadKeepsNoCoreBusy(t *testing.T) {
	page := attach(t, listen(t))
	page.forge(t, chunkHeartbeat, []byte{0, 1, 0, 8, 1, 2, 3, 4})
	wait(t, "the robot's sign of life", page.alive)
	const far = 1<<31 - 2 // as far ahead as there is
	page.forge(t, chunkForwardTSN, binary.BigEndian.AppendUint32(nil, page.first-1+far))
	begun := time.Now()
	page.forge(t, chunkHeartbeat, []byte{0, 1, 0, 8, 1, 2, 3, 4})
	wait(t, "the robot's sign of life", page.alive)
	if took := time.Since(begun); took > time.Second {
		t.Errorf("the robot was busy with one chunk for %v", took)
	}
}
