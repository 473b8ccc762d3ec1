package media_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pion/ice/v2"
	"github.com/pion/logging"
	"github.com/pion/webrtc/v3"

	"mybot/media"
)

// patience is the longest time that a step may take on a busy computer.
const patience = 20 * time.Second

// loopback is the address of the tests' server.
var loopback = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}

func listen(t *testing.T) *media.Port {
	t.Helper()
	p, err := media.Listen(loopback, media.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// A page is the browser's end of a channel.
type page struct {
	t    *testing.T
	pc   *webrtc.PeerConnection
	data *webrtc.DataChannel
	open chan struct{}
	gone chan struct{}
	got  chan string
}

func newPage(t *testing.T, label string, change func(*webrtc.DataChannelInit)) *page {
	t.Helper()
	var set webrtc.SettingEngine
	set.LoggerFactory = &logging.DefaultLoggerFactory{Writer: io.Discard}
	set.SetIncludeLoopbackCandidate(true)
	set.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	set.SetInterfaceFilter(func(name string) bool { return strings.HasPrefix(name, "lo") })
	pc, err := webrtc.NewAPI(webrtc.WithSettingEngine(set)).NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		t.Fatal(err)
	}
	p := &page{t: t, pc: pc, open: make(chan struct{}), gone: make(chan struct{}), got: make(chan string, 4096)}
	ordered, again := false, uint16(0)
	init := webrtc.DataChannelInit{Ordered: &ordered, MaxRetransmits: &again}
	if change != nil {
		change(&init)
	}
	if p.data, err = pc.CreateDataChannel(label, &init); err != nil {
		t.Fatal(err)
	}
	p.data.OnOpen(func() { close(p.open) })
	p.data.OnClose(func() { close(p.gone) })
	p.data.OnMessage(func(m webrtc.DataChannelMessage) { p.got <- string(m.Data) })
	t.Cleanup(func() { _ = pc.GracefulClose() })
	return p
}

func (p *page) offer() string {
	p.t.Helper()
	offer, err := p.pc.CreateOffer(nil)
	if err != nil {
		p.t.Fatal(err)
	}
	gathered := webrtc.GatheringCompletePromise(p.pc)
	if err := p.pc.SetLocalDescription(offer); err != nil {
		p.t.Fatal(err)
	}
	<-gathered
	return p.pc.LocalDescription().SDP
}

func (p *page) answered(answer string) {
	p.t.Helper()
	if err := p.pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: answer}); err != nil {
		p.t.Fatal(err)
	}
}

func (p *page) send(frame string) {
	p.t.Helper()
	if err := p.data.SendText(frame); err != nil {
		p.t.Fatal(err)
	}
}

func wait[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("%s did not come", what)
		panic("not reached")
	}
}

// connect opens a page's channel; the messages received on it go to got.
func connect(t *testing.T, port *media.Port) (*page, *media.Channel, <-chan string) {
	t.Helper()
	got := make(chan string, 4096)
	p := newPage(t, media.Label, nil)
	c, answer, err := port.AnswerOffer(t.Context(), p.offer(), func(_ *media.Channel, frame []byte) { got <- string(frame) })
	if err != nil {
		t.Fatal(err)
	}
	p.answered(answer)
	wait(t, "the open channel", p.open)
	return p, c, got
}

func TestFramesGoInBothDirections(t *testing.T) {
	p, c, got := connect(t, listen(t))
	p.send("there")
	if s := wait(t, "the frame", got); s != "there" {
		t.Errorf("%q came", s)
	}
	if err := c.Send([]byte("back")); err != nil {
		t.Fatal(err)
	}
	if s := wait(t, "the frame", p.got); s != "back" {
		t.Errorf("%q came back", s)
	}
	if err := c.Send(make([]byte, media.MaxFrame+1)); err == nil {
		t.Error("a frame beyond the bound was sent")
	}
}

func TestAPortOnEveryAddressIsReachedAtEach(t *testing.T) {
	for _, everywhere := range []net.IP{net.IPv4zero, net.IPv6unspecified} {
		port, err := media.Listen(&net.TCPAddr{IP: everywhere}, media.Options{})
		if err != nil {
			t.Skipf("%v cannot be listened on here: %v", everywhere, err)
		}
		p, _, got := connect(t, port)
		p.send("there")
		if s := wait(t, "the frame", got); s != "there" {
			t.Errorf("%v: %q came", everywhere, s)
		}
		if err := port.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestManyPagesShareOnePort(t *testing.T) {
	port := listen(t)
	for i := range 3 {
		p, _, got := connect(t, port)
		p.send(fmt.Sprint(i))
		if s := wait(t, "the frame", got); s != fmt.Sprint(i) {
			t.Errorf("page %d is received as %q", i, s)
		}
	}
	if n := port.CountChannels(); n != 3 {
		t.Errorf("%d channels are open", n)
	}
}

func TestTheAnswerNamesThePortAloneAndBeginsNothing(t *testing.T) {
	port := listen(t)
	p := newPage(t, media.Label, nil)
	_, answer, err := port.AnswerOffer(t.Context(), p.offer(), func(*media.Channel, []byte) {})
	if err != nil {
		t.Fatal(err)
	}
	var candidates []string
	for line := range strings.Lines(answer) {
		if strings.HasPrefix(line, "a=candidate:") {
			candidates = append(candidates, strings.TrimSpace(line))
		}
	}
	want := fmt.Sprintf(" 127.0.0.1 %d typ host", port.Addr().Port)
	own := fmt.Sprintf(" %d typ host", port.Addr().Port) // for Firefox, at the computer's other addresses
	if len(candidates) == 0 || !strings.HasSuffix(candidates[0], want) || slices.ContainsFunc(candidates, func(c string) bool { return !strings.HasSuffix(c, own) }) {
		t.Errorf("the answer names %q, want %q first and no other port", candidates, want)
	}
	for _, line := range []string{"a=ice-lite", "a=setup:passive"} {
		if !strings.Contains(answer, line) {
			t.Errorf("the answer lacks %s:\n%s", line, answer)
		}
	}
}

func TestAChannelThatResendsOrIsNotTheDriveChannelIsClosed(t *testing.T) {
	again, ordered := uint16(3), true
	for _, c := range []struct {
		name   string
		label  string
		change func(*webrtc.DataChannelInit)
		send   func(*webrtc.DataChannel) error
	}{
		{"another name", "files", nil, nil},
		{"what is lost comes again", media.Label, func(i *webrtc.DataChannelInit) { i.MaxRetransmits = &again }, nil},
		{"in order", media.Label, func(i *webrtc.DataChannelInit) { i.Ordered = &ordered }, nil},
		{"reliable", media.Label, func(i *webrtc.DataChannelInit) { i.MaxRetransmits = nil }, nil},
		{"bytes instead of text", media.Label, nil, func(d *webrtc.DataChannel) error { return d.Send([]byte{1}) }},
		{"a frame beyond the bound", media.Label, nil, func(d *webrtc.DataChannel) error {
			return d.SendText(strings.Repeat("x", media.MaxFrame+1))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPage(t, c.label, c.change)
			channel, answer, err := listen(t).AnswerOffer(t.Context(), p.offer(), func(_ *media.Channel, frame []byte) { t.Errorf("a frame came: %.20q", frame) })
			if err != nil {
				t.Fatal(err)
			}
			p.answered(answer)
			if c.send != nil {
				wait(t, "the open channel", p.open)
				if err := c.send(p.data); err != nil {
					t.Fatal(err)
				}
			}
			wait(t, "the end", channel.Done())
		})
	}
}

func TestASecondChannelOfAPageEndsBoth(t *testing.T) {
	p, c, _ := connect(t, listen(t))
	none := uint16(0)
	unordered := false
	if _, err := p.pc.CreateDataChannel(media.Label, &webrtc.DataChannelInit{Ordered: &unordered, MaxRetransmits: &none}); err != nil {
		t.Fatal(err)
	}
	wait(t, "the end", c.Done())
}

func TestAPageThatClosesIsGoneAndLeavesRoom(t *testing.T) {
	port := listen(t)
	p, c, _ := connect(t, port)
	if err := p.data.Close(); err != nil {
		t.Fatal(err)
	}
	wait(t, "the end", c.Done())
	c.Close()
	if n := port.CountChannels(); n != 0 {
		t.Errorf("%d channels are open", n)
	}
}

func TestNothingIsLeftWhenThePortIsClosed(t *testing.T) {
	before := runtime.NumGoroutine()
	port, err := media.Listen(loopback, media.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, c, _ := connect(t, port)
	idle := newPage(t, media.Label, nil)
	if _, _, err := port.AnswerOffer(t.Context(), idle.offer(), func(*media.Channel, []byte) {}); err != nil { // never comes
		t.Fatal(err)
	}
	if err := port.Close(); err != nil {
		t.Fatal(err)
	}
	wait(t, "the end", c.Done())
	if n := port.CountChannels(); n != 0 {
		t.Errorf("%d channels are open", n)
	}
	if _, _, err := port.AnswerOffer(t.Context(), offer, nil); !errors.Is(err, media.ErrClosed) {
		t.Errorf("a closed port answers: %v", err)
	}
	_, _ = p.pc.GracefulClose(), idle.pc.GracefulClose()
	for end := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines are left of %d:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

func TestOneChannelTooManyIsRefused(t *testing.T) {
	port := listen(t)
	offer := newPage(t, media.Label, nil).offer()
	for range media.MaxChannels {
		if _, _, err := port.AnswerOffer(t.Context(), offer, func(*media.Channel, []byte) {}); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := port.AnswerOffer(t.Context(), offer, func(*media.Channel, []byte) {}); !errors.Is(err, media.ErrFull) {
		t.Errorf("one offer too many returns %v", err)
	}
}

func TestAnAnswerThatNoCallerWaitsForLeavesNothing(t *testing.T) {
	port := listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := port.AnswerOffer(ctx, newPage(t, media.Label, nil).offer(), func(*media.Channel, []byte) {}); err == nil {
		return // it was faster
	}
	if n := port.CountChannels(); n != 0 {
		t.Errorf("%d channels are open", n)
	}
}

func TestAStrangersPacketsDoNothing(t *testing.T) {
	port := listen(t)
	p, c, got := connect(t, port)
	stranger, err := net.DialUDP("udp4", nil, port.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	ufrag := ""
	for line := range strings.Lines(p.pc.RemoteDescription().SDP) {
		if rest, ok := strings.CutPrefix(line, "a=ice-ufrag:"); ok {
			ufrag = strings.TrimSpace(rest)
		}
	}
	drive := []byte(`{"type":"drive","lease":1,"hold":1,"seq":9,"t":1,"v":0.4,"w":0}`)
	for _, packet := range [][]byte{
		nil, drive, make([]byte, 1200), make([]byte, 8000),
		{0x00, 0x01, 0xff, 0xff, 0x21, 0x12, 0xa4, 0x42, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, // STUN with a wrong length
		binding(""), binding("nobody:x"), binding(ufrag + ":guess"), // a user name without its password
		append([]byte{22, 254, 253, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64}, make([]byte, 64)...), // DTLS
		{0x13, 0x88, 0x13, 0x88, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 4},                     // SCTP in the clear
	} {
		for range 3 {
			_, _ = stranger.Write(packet)
		}
	}
	p.send("still here")
	if s := wait(t, "the frame", got); s != "still here" {
		t.Errorf("%.40q came", s)
	}
	select {
	case <-c.Done():
		t.Error("a stranger ended the channel")
	default:
	}
	_ = stranger.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if n, err := stranger.Read(make([]byte, 1500)); err == nil {
		t.Errorf("the robot answered a stranger with %d bytes", n)
	}
}

// binding returns a STUN binding request with a user name.
func binding(name string) []byte {
	padded := (len(name) + 3) / 4 * 4
	b := []byte{0, 1, 0, byte(4 + padded), 0x21, 0x12, 0xa4, 0x42, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 6, 0, byte(len(name))}
	return append(append(b, name...), make([]byte, padded-len(name))...)
}

func TestAPortIsOpenedWhereTheServerListensAndNowhereElse(t *testing.T) {
	for _, server := range []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(127, 0, 0, 2)} {
		taken, err := net.ListenUDP("udp4", &net.UDPAddr{IP: server})
		if err != nil {
			t.Fatal(err)
		}
		defer taken.Close()
		number := taken.LocalAddr().(*net.UDPAddr).Port
		p, err := media.Listen(&net.TCPAddr{IP: server, Port: number}, media.Options{})
		if err != nil {
			t.Fatalf("its number is taken: %v", err)
		}
		defer p.Close()
		// At 127.0.0.1 it is open everywhere to this computer, for Firefox.
		want := server
		if server.Equal(loopback.IP) && runtime.GOOS == "linux" {
			want = net.IPv4zero
		}
		if a := p.Addr(); !a.IP.Equal(want) || a.Port == number || a.Port == 0 {
			t.Errorf("for a server at %v it listens on %v", server, a)
		}
	}
	if _, err := media.Listen(&net.UnixAddr{Name: "socket"}, media.Options{}); err == nil {
		t.Error("a port was opened for a server without an address")
	}
}

func TestAnOfferHasTheRobotCallNoOtherHost(t *testing.T) {
	victim, err := net.ListenUDP("udp4", &net.UDPAddr{IP: loopback.IP})
	if err != nil {
		t.Fatal(err)
	}
	defer victim.Close()
	named := fmt.Sprintf("a=candidate:1 1 udp 2113937151 127.0.0.1 %d typ host\r\na=end-of-candidates\r\na=ice-ufrag", victim.LocalAddr().(*net.UDPAddr).Port)
	if _, _, err := listen(t).AnswerOffer(t.Context(), strings.Replace(offer, "a=ice-ufrag", named, 1), func(*media.Channel, []byte) {}); err != nil {
		t.Fatal(err)
	}
	_ = victim.SetReadDeadline(time.Now().Add(400 * time.Millisecond)) // a full ICE agent sends at once, and every 200 ms
	if n, from, err := victim.ReadFrom(make([]byte, 1500)); err == nil {
		t.Errorf("%d bytes came from %v", n, from)
	}
}
