package media_test

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pion/rtcp"
	"github.com/pion/rtp"
	"github.com/pion/webrtc/v3"

	"mybot/media"
	"mybot/media/mediatest"
)

func TestAnAnswerNamesEveryAddressOfTheRobot(t *testing.T) {
	s := opensBy(t, watching(33*time.Millisecond), media.Options{Public: []netip.Addr{netip.MustParseAddr("203.0.113.7")}, TCP: "127.0.0.1:0"})
	offer, err := invite(t).pc.CreateOffer(nil)
	if err != nil {
		t.Fatal(err)
	}
	v, answer, err := s.Watch(t.Context(), offer.SDP, media.Watcher{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for _, want := range []string{
		`a=candidate:\d+ 1 udp \d+ 127\.0\.0\.1 \d+ typ host`,
		`a=candidate:\d+ 1 udp \d+ 203\.0\.113\.7 \d+ typ host`,
		`a=candidate:\d+ 1 tcp \d+ 127\.0\.0\.1 \d+ typ host tcptype passive`,
	} {
		if !regexp.MustCompile(want).MatchString(answer) {
			t.Errorf("nothing like %s in\n%s", want, answer)
		}
	}
	if first, _, _ := strings.Cut(answer[strings.Index(answer, "m="):], "\nm="); !strings.Contains(first, "candidate") {
		t.Error("the addresses are not in the first part, whose transport the others share")
	}
}

// The guest accepts only the candidates of one kind.
func watchesOnly(t *testing.T, g *guest, s *media.Broadcaster, kind string) *media.Viewer {
	t.Helper()
	gathered := webrtc.GatheringCompletePromise(g.pc)
	offer, err := g.pc.CreateOffer(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.pc.SetLocalDescription(offer); err != nil {
		t.Fatal(err)
	}
	<-gathered
	v, answer, err := s.Watch(t.Context(), g.pc.LocalDescription().SDP, media.Watcher{})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: only(answer, kind)}); err != nil {
		t.Fatal(err)
	}
	return v
}

// only returns an answer with the candidates of one kind.
func only(answer, kind string) string {
	var kept strings.Builder
	for line := range strings.Lines(answer) {
		if !strings.HasPrefix(line, "a=candidate:") || strings.Contains(line, kind) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

func TestWhoNoUDPReachesWatchesByTCP(t *testing.T) {
	s := opensBy(t, watching(33*time.Millisecond), media.Options{TCP: "127.0.0.1:0"})
	g := inviteBy(t, func(set *webrtc.SettingEngine) { set.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeTCP4}) })
	watchesOnly(t, g, s, " tcp ")
	receive(t, g.packets)
}

// reached returns the robot's address for TCP and its ICE user name, from an
// answer.
func reached(t *testing.T, answer string) (address, user string) {
	t.Helper()
	at := regexp.MustCompile(` 1 tcp \d+ (\S+) (\d+) typ host`).FindStringSubmatch(answer)
	name := regexp.MustCompile(`a=ice-ufrag:(\S+)`).FindStringSubmatch(answer)
	if at == nil || name == nil {
		t.Fatalf("the answer has no address for TCP:\n%s", answer)
	}
	return net.JoinHostPort(at[1], at[2]), name[1]
}

// knocks connects over TCP and sends packets, each with its length before it.
func knocks(t *testing.T, address string, packets ...[]byte) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	for _, p := range packets {
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(p))), p...)); err != nil {
			t.Fatal(err)
		}
	}
	return conn.(*net.TCPConn)
}

// ended waits until the robot has closed a connection, and checks that it sent
// nothing.
func ended(t *testing.T, conn net.Conn) {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	n, err := conn.Read(make([]byte, 1))
	if n > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("the robot has not closed the connection of a client without credentials: %d bytes, %v", n, err)
	}
}

func TestSilentConnectionsTakeNoUsersPlace(t *testing.T) {
	port, err := media.Listen(loopback, media.Options{TCP: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	p := newPage(t, media.Label, nil)
	offer := p.offer()
	_, answer, err := port.AnswerOffer(t.Context(), offer, func(*media.Channel, []byte) {})
	if err != nil {
		t.Fatal(err)
	}
	address, user := reached(t, answer)
	var silent []net.Conn
	for i := range 300 { // more than one address may have
		switch i % 3 {
		case 0:
			silent = append(silent, knocks(t, address))
		case 1:
			silent = append(silent, knocks(t, address, binding("nobody:x")))
		case 2:
			silent = append(silent, knocks(t, address, binding(user+":guess")))
		}
	}
	s := opensAt(t, watching(33*time.Millisecond), port)
	g := inviteBy(t, func(set *webrtc.SettingEngine) { set.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeTCP4}) })
	watchesOnly(t, g, s, " tcp ")
	receive(t, g.packets)
	for _, c := range silent {
		ended(t, c)
	}
	for len(g.packets) > 0 {
		<-g.packets
	}
	receive(t, g.packets)
}

// A browser tries several connections and closes all but one; and anyone who has
// seen an ICE user name on its way can use it to connect.
func TestAConnectionThatBreaksLeavesTheOthersHeard(t *testing.T) {
	camera := watching(33 * time.Millisecond)
	s := opensBy(t, camera, media.Options{TCP: "127.0.0.1:0"})
	g := inviteBy(t, func(set *webrtc.SettingEngine) { set.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeTCP4}) })
	watchesOnly(t, g, s, " tcp ")
	receive(t, g.packets)
	address, user := reached(t, g.pc.RemoteDescription().SDP)
	stranger := knocks(t, address, binding(user+":guess"))
	if err := stranger.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	ended(t, stranger)

	key := func(p *rtp.Packet) bool { return p.Payload[0]&0x10 != 0 && p.Payload[4]&1 == 0 } // RFC 7741, 6386
	const second = 90000
	for quiet := receive(t, g.packets).Timestamp; ; { // those sent to a new viewer are over
		p := receive(t, g.packets)
		if key(p) {
			quiet = p.Timestamp
		}
		if p.Timestamp-quiet > second {
			break
		}
	}
	late := time.After(patience)
	for begun := time.Now(); ; {
		if err := g.pc.WriteRTCP([]rtcp.Packet{&rtcp.PictureLossIndication{MediaSSRC: uint32(g.pc.GetReceivers()[0].Track().SSRC())}}); err != nil {
			t.Fatal(err)
		}
		select {
		case p := <-g.packets:
			if key(p) {
				return
			}
		case <-late:
			t.Fatalf("the robot receives nothing from the viewer for %v", time.Since(begun))
		}
	}
}

func TestARobotThatNoBrowserReachesIsWatchedByARelay(t *testing.T) {
	s := opensBy(t, watching(33*time.Millisecond), media.Options{Relays: []media.Relay{mediatest.Relay(t)}})
	g := invite(t)
	watchesOnly(t, g, s, " typ relay")
	receive(t, g.packets)
}

func TestARobotThatNoBrowserReachesIsDrivenByARelay(t *testing.T) {
	port, err := media.Listen(loopback, media.Options{Relays: []media.Relay{mediatest.Relay(t)}})
	if err != nil {
		t.Fatal(err)
	}
	defer port.Close()
	got := make(chan string, 1)
	p := newPage(t, media.Label, nil)
	_, answer, err := port.AnswerOffer(t.Context(), p.offer(), func(_ *media.Channel, frame []byte) { got <- string(frame) })
	if err != nil {
		t.Fatal(err)
	}
	p.answered(only(answer, " typ relay"))
	wait(t, "the open channel", p.open)
	p.send("by the relay")
	if s := wait(t, "the frame", got); s != "by the relay" {
		t.Errorf("%q came", s)
	}
}

func TestARelayThatDoesNotAnswerBreaksNoOtherRoute(t *testing.T) {
	silent, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	port, err := media.Listen(loopback, media.Options{Relays: []media.Relay{{URL: "turn:" + silent.LocalAddr().String(), Username: "mybot", Password: "secret"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer port.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second) // the longest that a page's offer waits
	defer cancel()
	p := newPage(t, media.Label, nil)
	_, answer, err := port.AnswerOffer(ctx, p.offer(), func(*media.Channel, []byte) {})
	if err != nil {
		t.Fatal(err)
	}
	p.answered(answer)
	wait(t, "the open channel", p.open)
}

func TestATurnServerThatIsNoneIsRefusedInASentence(t *testing.T) {
	for _, wrong := range []string{"", "turn:host:3478", "stun:a:b@host:3478", "turn:a@host:3478", "turn:a:b@host", `turn:a:"b@host:3478`} {
		if _, err := media.ParseRelay(wrong); err == nil || !strings.Contains(err.Error(), "turn:USER:PASSWORD@HOST:PORT") {
			t.Errorf("%q is answered with %v", wrong, err)
		}
	}
}
