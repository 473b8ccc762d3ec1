package media_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pion/logging"
	"github.com/pion/stun"
	"github.com/pion/turn/v2"

	"mybot/media"
	"mybot/media/mediatest"
)

// message returns a STUN message with one attribute of these bytes.
func message(kind stun.MessageType, attribute stun.AttrType, value ...byte) []byte {
	m := stun.New()
	m.Type = kind
	m.WriteHeader()
	m.Add(attribute, value)
	return m.Raw
}

// A crafted datagram crashes a TURN client, or its goroutine, unless it is dropped
// before the client reads it.
type crafted struct {
	what  string
	bytes []byte
}

// badDatagrams returns those that crash the program first.
func badDatagrams() []crafted {
	data := stun.NewType(stun.MethodData, stun.ClassIndication)
	return []crafted{
		{"an empty XOR-PEER-ADDRESS", message(data, stun.AttrXORPeerAddress)},
		{"one byte of XOR-PEER-ADDRESS", message(data, stun.AttrXORPeerAddress, 0)},
		{"a connection without its address", message(stun.NewType(stun.MethodConnectionAttempt, stun.ClassIndication), stun.AttrXORPeerAddress)},
		{"XOR-PEER-ADDRESS without its address", message(data, stun.AttrXORPeerAddress, 0, 1, 0, 9)},
		{"half of an XOR-PEER-ADDRESS of IPv6", message(data, stun.AttrXORPeerAddress, 0, 2, 0, 9, 1, 2, 3, 4)},
		{"an XOR-PEER-ADDRESS of no family", message(data, stun.AttrXORPeerAddress, 0, 3, 0, 9, 1, 2, 3, 4)},
		{"no data", message(data, stun.AttrXORPeerAddress, 0, 1, 0, 9, 1, 2, 3, 4)},
		{"no address", message(data, stun.AttrData, 1, 2, 3)},
		{"a request", message(stun.BindingRequest, stun.AttrSoftware, 'x')},
		{"an attribute longer than the message", []byte{0, 0x17, 0, 4, 0x21, 0x12, 0xa4, 0x42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x12, 0, 8}},
		{"nothing", nil},
	}
}

func TestOneDatagramOfAStrangerDoesNotEndARobotWithARelay(t *testing.T) {
	relay, _, clients := mediatest.RelayServer(t)
	port, err := media.Listen(loopback, media.Options{Relays: []media.Relay{relay}})
	if err != nil {
		t.Fatal(err)
	}
	defer port.Close()
	p := newPage(t, media.Label, nil)
	_, answer, err := port.AnswerOffer(t.Context(), p.offer(), func(*media.Channel, []byte) {})
	if err != nil {
		t.Fatal(err)
	}
	socket := wait(t, "the robot's relay socket", clients)
	stranger, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	for _, c := range badDatagrams() {
		if _, err := stranger.WriteTo(c.bytes, socket); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
	}
	p.answered(only(answer, " typ relay"))
	wait(t, "the open channel", p.open)
}

// A relay's client works on after each of them: it sends the server a request and
// receives the answer.
func TestARelayHearsItsServerAfterCraftedDatagrams(t *testing.T) {
	relay, server, clients := mediatest.RelayServer(t)
	stranger, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	network, err := media.NewRelayNet([]media.Relay{relay})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := network.ListenPacket("udp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	address := server.LocalAddr().String()
	client, err := turn.NewClient(&turn.ClientConfig{
		STUNServerAddr: address, TURNServerAddr: address, Username: relay.Username, Password: relay.Password,
		Conn: conn, LoggerFactory: &logging.DefaultLoggerFactory{Writer: io.Discard},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.Listen(); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Allocate(); err != nil {
		t.Fatal(err)
	}
	socket := wait(t, "the client's address", clients)
	for _, from := range []net.PacketConn{stranger, server} {
		for _, c := range badDatagrams() {
			if _, err := from.WriteTo(c.bytes, socket); err != nil {
				t.Fatal(err)
			}
			if _, err := client.SendBindingRequest(); err != nil {
				t.Fatalf("after %s the relay receives nothing: %v", c.what, err)
			}
		}
	}
	// A stranger's datagrams are dropped even if they are valid.
	if _, err := stranger.WriteTo([]byte{0x40, 0, 0, 4, 1, 2, 3, 4}, socket); err != nil {
		t.Fatal(err)
	}
	if _, err := client.SendBindingRequest(); err != nil {
		t.Fatalf("channel data of a stranger makes the relay deaf: %v", err)
	}
}

func TestAFaultInWhatOnePersonSentEndsThatConnectionAlone(t *testing.T) {
	port := listen(t)
	bad := newPage(t, media.Label, nil)
	_, answer, err := port.AnswerOffer(t.Context(), bad.offer(), func(*media.Channel, []byte) { panic("a fault") })
	if err != nil {
		t.Fatal(err)
	}
	bad.answered(answer)
	wait(t, "the open channel", bad.open)
	good, _, got := connect(t, port)
	bad.send("what meets the fault")
	wait(t, "the end of the channel", bad.gone)
	good.send("what does not")
	if s := wait(t, "the frame", got); s != "what does not" {
		t.Errorf("%q came", s)
	}
}

// A hostileRelay is a TURN server that answers the first request correctly, with a
// nonce and a realm, and the next ones with a crafted message.
type hostileRelay struct {
	kind      stun.MessageType
	attribute stun.AttrType
	value     []byte
}

// answer returns the server's answer to a request; nil = none.
func (h hostileRelay) answer(request []byte) []byte {
	in := &stun.Message{Raw: request}
	if in.Decode() != nil {
		return nil
	}
	out := stun.New()
	out.TransactionID = in.TransactionID
	if !in.Contains(stun.AttrUsername) {
		out.Type = stun.NewType(in.Type.Method, stun.ClassErrorResponse)
		out.WriteHeader()
		_ = stun.CodeUnauthorized.AddTo(out)
		_ = stun.NewRealm("robot.example").AddTo(out)
		_ = stun.NewNonce("once").AddTo(out)
		return out.Raw
	}
	out.Type = h.kind
	out.WriteHeader()
	out.Add(h.attribute, h.value)
	return out.Raw
}

func TestAHostileTurnServerDoesNotEndTheRobot(t *testing.T) {
	success := stun.NewType(stun.MethodAllocate, stun.ClassSuccessResponse)
	for what, h := range map[string]hostileRelay{
		"an empty XOR-RELAYED-ADDRESS":  {success, stun.AttrXORRelayedAddress, nil},
		"a byte of XOR-RELAYED-ADDRESS": {success, stun.AttrXORRelayedAddress, []byte{0}},
		"an empty XOR-MAPPED-ADDRESS":   {success, stun.AttrXORMappedAddress, nil},
		"an empty error code":           {stun.NewType(stun.MethodAllocate, stun.ClassErrorResponse), stun.AttrErrorCode, nil},
		"an empty peer's address":       {stun.NewType(stun.MethodData, stun.ClassIndication), stun.AttrXORPeerAddress, nil},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			server, err := net.ListenPacket("udp4", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			asked := make(chan struct{}, 64)
			go func() {
				buffer := make([]byte, 2048)
				for {
					n, from, err := server.ReadFrom(buffer)
					if err != nil {
						return
					}
					if answer := h.answer(buffer[:n]); answer != nil {
						_, _ = server.WriteTo(answer, from)
						select {
						case asked <- struct{}{}:
						default:
						}
					}
				}
			}()
			drivesPast(t, "turn:mybot:secret@"+server.LocalAddr().String(), asked)
		})
	}
}

// drivesPast opens a channel to a robot with a hostile relay that can only use
// another path.
func drivesPast(t *testing.T, relay string, asked <-chan struct{}) {
	t.Helper()
	p, answer := offerVia(t, relay)
	for range 2 {
		wait(t, "a request of the robot", asked)
	}
	p.answered(answer)
	wait(t, "the open channel", p.open)
}

// offerVia returns a page and the answer of a robot that knows a relay.
func offerVia(t *testing.T, url string) (p *page, answer string) {
	t.Helper()
	relay, err := media.ParseRelay(url)
	if err != nil {
		t.Fatal(err)
	}
	port, err := media.Listen(loopback, media.Options{Relays: []media.Relay{relay}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = port.Close() })
	p = newPage(t, media.Label, nil)
	_, answer, err = port.AnswerOffer(t.Context(), p.offer(), func(*media.Channel, []byte) {})
	if err != nil {
		t.Fatal(err)
	}
	return p, answer
}

func TestATurnServerByTLSIsSpokenToByTLS(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	first := make(chan byte, 1)
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		var b [1]byte
		_, _ = conn.Read(b[:])
		first <- b[0]
	}()
	p, answer := offerVia(t, "turns:mybot:secret@"+ln.Addr().String())
	const handshake = 22
	if b := wait(t, "the robot's first byte", first); b != handshake {
		t.Errorf("the robot's first byte to the server is %d, want %d, a handshake of TLS", b, handshake)
	}
	p.answered(answer)
	wait(t, "the open channel", p.open)
}

func TestAHostileTurnServerBehindAStreamDoesNotEndTheRobot(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	asked := make(chan struct{}, 64)
	h := hostileRelay{stun.NewType(stun.MethodAllocate, stun.ClassSuccessResponse), stun.AttrXORRelayedAddress, nil}
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				buffer := make([]byte, 2048)
				for {
					n, err := conn.Read(buffer)
					if err != nil {
						return
					}
					_, _ = conn.Write(append(badDatagrams()[0].bytes, h.answer(buffer[:n])...))
					asked <- struct{}{}
				}
			}()
		}
	}()
	drivesPast(t, "turn:mybot:secret@"+ln.Addr().String()+"?transport=tcp", asked)
}

func TestARobotWithARelayCallsFewOfTheAddressesThatAPlayerNamesInItsOfferAndLater(t *testing.T) {
	var named []string
	var victims []*net.UDPConn
	for n := range 80 {
		victim, err := net.ListenUDP("udp4", &net.UDPAddr{IP: loopback.IP})
		if err != nil {
			t.Fatal(err)
		}
		defer victim.Close()
		victims = append(victims, victim)
		named = append(named, fmt.Sprintf("a=candidate:%d 1 udp %d 127.0.0.1 %d typ host\r\n", n, 1<<30+n, victim.LocalAddr().(*net.UDPAddr).Port))
	}
	s := opensBy(t, watching(33*time.Millisecond), media.Options{Relays: []media.Relay{mediatest.Relay(t)}})
	offer, err := invite(t).pc.CreateOffer(nil)
	if err != nil {
		t.Fatal(err)
	}
	v, _, err := s.Watch(t.Context(), strings.Replace(offer.SDP, "a=ice-ufrag", strings.Join(named[:40], "")+"a=ice-ufrag", 1), media.Watcher{})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range named[40:] {
		if !v.Trickle(line) {
			t.Fatalf("%s is refused", line)
		}
	}
	var called atomic.Int32
	var all sync.WaitGroup
	for _, victim := range victims {
		_ = victim.SetReadDeadline(time.Now().Add(time.Second)) // an agent sends at once, and every 200 ms
		all.Go(func() {
			if _, _, err := victim.ReadFrom(make([]byte, 1500)); err == nil {
				called.Add(1)
			}
		})
	}
	all.Wait()
	if n := called.Load(); n == 0 || n > 32 {
		t.Errorf("the robot sends to %d of 80 addresses, want some, and at most 32", n)
	}
}
