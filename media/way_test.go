package media_test

import (
	"io"
	"net"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pion/logging"
	"github.com/pion/turn/v2"
	"github.com/pion/webrtc/v3"

	"mybot/media"
)

func TestAnAnswerNamesEveryWayToTheRobot(t *testing.T) {
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
		t.Error("the addresses are not in the first part, whose way the others share")
	}
}

// The guest takes nothing but the candidates of one kind.
func watchesOnly(t *testing.T, g *guest, s *media.Studio, kind string) *media.Viewer {
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
	var kept strings.Builder
	for line := range strings.Lines(answer) {
		if !strings.HasPrefix(line, "a=candidate:") || strings.Contains(line, kind) {
			kept.WriteString(line)
		}
	}
	if err := g.pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: kept.String()}); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestWhoNoUDPReachesWatchesByTCP(t *testing.T) {
	s := opensBy(t, watching(33*time.Millisecond), media.Options{TCP: "127.0.0.1:0"})
	g := inviteBy(t, func(set *webrtc.SettingEngine) { set.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeTCP4}) })
	watchesOnly(t, g, s, " tcp ")
	receive(t, g.packets)
}

func TestARobotThatNobodyReachesIsWatchedByARelay(t *testing.T) {
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, err := turn.NewServer(turn.ServerConfig{
		Realm:         "robot.example",
		LoggerFactory: &logging.DefaultLoggerFactory{Writer: io.Discard},
		AuthHandler: func(user, realm string, _ net.Addr) ([]byte, bool) {
			return turn.GenerateAuthKey(user, realm, "secret"), user == "mybot"
		},
		PacketConnConfigs: []turn.PacketConnConfig{{
			PacketConn:            conn,
			RelayAddressGenerator: &turn.RelayAddressGeneratorStatic{RelayAddress: net.IPv4(127, 0, 0, 1), Address: "127.0.0.1"},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	relay, err := media.ParseRelay("turn:mybot:secret@" + conn.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	s := opensBy(t, watching(33*time.Millisecond), media.Options{Relays: []media.Relay{relay}})
	g := invite(t)
	watchesOnly(t, g, s, " typ relay")
	receive(t, g.packets)
}

func TestATurnServerThatIsNoneIsRefusedInASentence(t *testing.T) {
	for _, wrong := range []string{"", "turn:host:3478", "stun:a:b@host:3478", "turn:a@host:3478", "turn:a:b@host", `turn:a:"b@host:3478`} {
		if _, err := media.ParseRelay(wrong); err == nil || !strings.Contains(err.Error(), "turn:USER:PASSWORD@HOST:PORT") {
			t.Errorf("%q is answered with %v", wrong, err)
		}
	}
}
