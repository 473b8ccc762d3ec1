package e2e_test

import (
	"encoding/json"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pion/ice/v2"
	"github.com/pion/logging"
	"github.com/pion/webrtc/v3"

	"mybot/app"
	"mybot/link"
	"mybot/media"
	"mybot/robot"
)

// A courier is a guest's data channel.
type courier struct {
	*guest
	pc     *webrtc.PeerConnection
	data   *webrtc.DataChannel
	clocks atomic.Int64 // answers received
	gone   chan struct{}
}

// opens opens the guest's data channel and waits for it.
func (g *guest) opens() *courier {
	g.t.Helper()
	c, m := g.offers()
	if m.Word != robot.Success {
		g.t.Fatalf("the offer is answered %s: %s", m.Word, m.Reason)
	}
	open := make(chan struct{})
	c.data.OnOpen(func() { close(open) })
	if err := c.pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: m.Answer}); err != nil {
		g.t.Fatal(err)
	}
	select {
	case <-open:
	case <-time.After(patience):
		g.t.Fatal("the channel does not open")
	}
	return c
}

// offers sends an offer and returns its answer.
func (g *guest) offers() (*courier, message) {
	g.t.Helper()
	var set webrtc.SettingEngine
	set.LoggerFactory = &logging.DefaultLoggerFactory{Writer: io.Discard}
	set.SetIncludeLoopbackCandidate(true)
	set.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	set.SetInterfaceFilter(func(name string) bool { return strings.HasPrefix(name, "lo") || strings.HasPrefix(name, "mybot-") })
	pc, err := webrtc.NewAPI(webrtc.WithSettingEngine(set)).NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { _ = pc.GracefulClose() })
	ordered, again := false, uint16(0)
	data, err := pc.CreateDataChannel(media.Label, &webrtc.DataChannelInit{Ordered: &ordered, MaxRetransmits: &again})
	if err != nil {
		g.t.Fatal(err)
	}
	c := &courier{guest: g, pc: pc, data: data, gone: make(chan struct{})}
	data.OnMessage(func(m webrtc.DataChannelMessage) {
		if strings.Contains(string(m.Data), `"clock"`) {
			c.clocks.Add(1)
		}
	})
	data.OnClose(func() { close(c.gone) })
	offer, err := pc.CreateOffer(nil)
	if err != nil {
		g.t.Fatal(err)
	}
	if err := pc.SetLocalDescription(offer); err != nil {
		g.t.Fatal(err)
	}
	return c, g.ask(map[string]any{"type": "rtc", "offer": offer.SDP})
}

// throw sends one drive sample by the channel only.
func (c *courier) throw(v float64) {
	c.t.Helper()
	c.seq++
	frame, err := json.Marshal(map[string]any{"type": "drive", "lease": c.epoch, "hold": c.hold, "seq": c.seq, "t": float64(c.seq) / 20, "v": v, "w": 0, "valid": 0.5})
	if err != nil {
		c.t.Fatal(err)
	}
	c.throwText(string(frame))
}

func (c *courier) throwText(frame string) {
	c.t.Helper()
	if err := c.data.SendText(frame); err != nil {
		c.t.Fatal(err)
	}
}

func TestTheRobotIsDrivenByTheChannelAlone(t *testing.T) {
	h := open(t, func(c *app.Config) {
		c.Link = link.Profile{RoundTrip: 60 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.1}
	})
	ana := h.enter("Ana").opens()
	ana.push(0, 0) // a press begins on the WebSocket
	n := 0
	ana.until("two seconds of driving", func(m message) bool {
		switch m.Type {
		case "hold", "result":
			ana.push(0, 0) // repeated, for a busy computer
		case "state":
			ana.throw(0.3)
			if moving(m) {
				n++
			}
		}
		return n > 20
	})
	begin := time.Now()
	ana.awaitStandstill() // by silence
	t.Logf("it stands %v after the last datagram", time.Since(begin).Round(time.Millisecond))
}

func TestAStopByTheChannelStops(t *testing.T) {
	h := open(t)
	jin := h.enter("Jin").opens()
	jin.throwText(`{"type":"stop"}`)
	m := jin.until("the stop", func(m message) bool { return m.Type == "event" && m.Kind == "stop" })
	if !m.Stopped {
		t.Error("the answer says that the robot is not stopped")
	}
}

func TestTheNetworkLosesDatagramsAndIsChangedWhileTheyGo(t *testing.T) {
	h := open(t)
	ana := h.enter("Ana").opens()
	answered := func(n int) int64 {
		before := ana.clocks.Load()
		for range n {
			ana.throwText(`{"type":"clock","t1":1,"rtt_ms":null}`)
			time.Sleep(5 * time.Millisecond) // a burst would overflow the channel's buffers
		}
		end := time.Now().Add(time.Second)
		for ana.clocks.Load()-before < int64(n) && time.Now().Before(end) {
			time.Sleep(5 * time.Millisecond)
		}
		return ana.clocks.Load() - before
	}
	if got := answered(50); got != 50 {
		t.Errorf("without impairment %d of 50 were answered", got)
	}
	if r := ana.ask(map[string]any{"type": "link", "lease": ana.epoch, "profile": "loss=25%"}); r.Word != robot.Success {
		t.Fatalf("%s: %s", r.Word, r.Reason)
	}
	if got := answered(100); got < 35 || got > 78 { // 56 are expected
		t.Errorf("with a loss of a quarter in each direction %d of 100 were answered", got)
	}
	if r := ana.ask(map[string]any{"type": "link", "lease": ana.epoch, "profile": "rtt=400ms"}); r.Word != robot.Success {
		t.Fatalf("%s: %s", r.Word, r.Reason)
	}
	begin := time.Now()
	if got := answered(1); got != 1 || time.Since(begin) < 400*time.Millisecond {
		t.Errorf("over 400 ms %d were answered after %v", got, time.Since(begin))
	}
	begin = time.Now()
	ana.ask(map[string]any{"type": "link", "lease": ana.epoch, "profile": "off"})
	if took := time.Since(begin); took < 200*time.Millisecond {
		t.Errorf("the WebSocket took %v over a round trip of 400 ms", took)
	}
	if got := answered(50); got != 50 {
		t.Errorf("without impairment again %d of 50 were answered", got)
	}
}

func TestASecondOfferTakesThePlaceOfTheFirst(t *testing.T) {
	h := open(t)
	g := h.enter("Ana")
	one := g.opens()
	var other *courier
	for other == nil { // once a second
		c, m := g.offers()
		if m.Word == robot.Busy {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		if m.Word != robot.Success {
			t.Fatalf("%s: %s", m.Word, m.Reason)
		}
		other = c
	}
	select {
	case <-one.gone:
	case <-time.After(patience):
		t.Error("the first channel remains open")
	}
}

func TestTheChannelEndsWithItsWebSocket(t *testing.T) {
	h := open(t)
	ana := h.enter("Ana").opens()
	if err := ana.conn.CloseNow(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ana.gone:
	case <-time.After(patience):
		t.Error("the channel remains open")
	}
}

func TestABadOfferIsAnsweredWithASentence(t *testing.T) {
	h := open(t)
	g := h.enter("Ana")
	m := g.ask(map[string]any{"type": "rtc", "offer": "v=0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\n"})
	if want := `rtc: line 2 of the offer asks for "m=video 9 UDP/TLS/RTP/SAVPF 96"; only a data channel is offered here.`; m.Word != robot.Error || m.Reason != want {
		t.Errorf("%s: %s", m.Word, m.Reason)
	}
}

func TestTheServerEndsWithOpenChannels(t *testing.T) {
	h := open(t)
	h.enter("Ana").opens()
	if took := h.close(); took >= 2*time.Second {
		t.Errorf("the shutdown took %v", took)
	}
}
