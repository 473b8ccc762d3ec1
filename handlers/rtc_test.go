package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pion/ice/v2"
	"github.com/pion/logging"
	"github.com/pion/webrtc/v3"
	"nhooyr.io/websocket"

	"mybot/link"
	"mybot/media"
	"mybot/robot"
	"mybot/session"
)

// A channelOf is the page's end of a data channel that a server has answered.
type channelOf struct {
	data *webrtc.DataChannel
	got  chan string
	gone chan struct{}
}

// opens sends a page's offer, and returns the answer and the open channel, nil if
// there is none.
func (l *listener) opens(t *testing.T, id int) (*channelOf, answered) {
	t.Helper()
	var set webrtc.SettingEngine
	set.LoggerFactory = &logging.DefaultLoggerFactory{Writer: io.Discard}
	set.SetIncludeLoopbackCandidate(true)
	set.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	set.SetInterfaceFilter(func(name string) bool { return name == "lo" })
	pc, err := webrtc.NewAPI(webrtc.WithSettingEngine(set)).NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pc.GracefulClose() })
	ordered, again := false, uint16(0)
	c := &channelOf{got: make(chan string, 64), gone: make(chan struct{})}
	if c.data, err = pc.CreateDataChannel(media.Label, &webrtc.DataChannelInit{Ordered: &ordered, MaxRetransmits: &again}); err != nil {
		t.Fatal(err)
	}
	opened := make(chan struct{})
	c.data.OnOpen(func() { close(opened) })
	c.data.OnClose(func() { close(c.gone) })
	c.data.OnMessage(func(m webrtc.DataChannelMessage) { c.got <- string(m.Data) })
	offer, err := pc.CreateOffer(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := pc.SetLocalDescription(offer); err != nil {
		t.Fatal(err)
	}
	got := l.offers(t, id, offer.SDP)
	if got.Answer == "" {
		return nil, got
	}
	if err := pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: got.Answer}); err != nil {
		t.Fatal(err)
	}
	soon(t, "the open channel", opened)
	return c, got
}

// A listener is a page that reads everything that arrives.
type listener struct {
	conn    *websocket.Conn
	results chan answered
}

// answered is the answer to a command.
type answered struct {
	Type, Word, Reason, Answer string
	ID                         int
}

func listens(t *testing.T, d *testServer) *listener {
	t.Helper()
	conn, _ := visit(t, d)
	return listensOn(t, conn)
}

func listensOn(t *testing.T, conn *websocket.Conn) *listener {
	t.Helper()
	l := &listener{conn: conn, results: make(chan answered, 64)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			_, data, err := l.conn.Read(context.Background())
			if err != nil {
				return
			}
			var m answered
			if json.Unmarshal(data, &m) == nil && m.Type == "result" {
				l.results <- m
			}
		}
	}()
	t.Cleanup(func() {
		_ = l.conn.CloseNow()
		<-ended
	})
	return l
}

// offers sends a session description and returns the robot's answer.
func (l *listener) offers(t *testing.T, id int, sdp string) answered {
	t.Helper()
	frame, err := json.Marshal(map[string]any{"type": "rtc", "id": id, "offer": sdp})
	if err != nil {
		t.Fatal(err)
	}
	for {
		if err := l.conn.Write(t.Context(), websocket.MessageText, frame); err != nil {
			t.Fatal(err)
		}
		got := soon(t, "the answer to an offer", l.results)
		if got.ID == id && got.Word != "BUSY" { // one offer a second is allowed
			return got
		}
		<-time.After(100 * time.Millisecond)
	}
}

func soon[T any](t *testing.T, what string, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(time.Minute):
		t.Fatalf("%s did not come", what)
	}
	return v
}

func TestAPageOpensAChannelThatCarriesItsFramesInBothDirections(t *testing.T) {
	for name, network := range map[string]*link.Network{"straight": nil, "bent": link.NewNetwork(link.Profile{RoundTrip: 20 * time.Millisecond}, 1)} {
		t.Run(name, func(t *testing.T) {
			port, err := media.Listen(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, media.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = port.Close() })
			page := listens(t, newTestServer(t, func(c *Config) { c.Channels, c.Network = port, network }))
			if got := page.offers(t, 5, "v=0\r\n"); got.Word != "ERROR" || got.Reason == "" {
				t.Errorf("an offer of nothing is answered %+v", got)
			}
			first, got := page.opens(t, 6)
			if first == nil {
				t.Fatalf("the offer is answered %+v", got)
			}
			asks := func(c *channelOf, t1 float64) {
				t.Helper()
				for try := 0; ; try++ { // a datagram may be lost
					if err := c.data.SendText(fmt.Sprintf(`{"type":"clock","t1":%g,"rtt_ms":null}`, t1)); err != nil {
						t.Fatal(err)
					}
					select {
					case got := <-c.got:
						var m struct {
							Type string
							T1   float64
						}
						if json.Unmarshal([]byte(got), &m) != nil || m.Type != "clock" || m.T1 != t1 {
							t.Errorf("the clock is answered %s", got)
						}
						return
					case <-time.After(2 * time.Second):
						if try == 10 {
							t.Fatal("the clock is not answered")
						}
					}
				}
			}
			asks(first, 1.5)
			second, got := page.opens(t, 7)
			if second == nil {
				t.Fatalf("a second offer is answered %+v", got)
			}
			soon(t, "the end of the first channel", first.gone)
			asks(second, 2.5)
			_ = page.conn.CloseNow()
			soon(t, "the end of the channel of a page that has gone", second.gone)
		})
	}
}

func TestOneDeviceLeavesDataChannelsForOthersAndTheLastOneIsTheDrivers(t *testing.T) {
	port, err := media.Listen(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, media.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = port.Close() })
	d := newTestServer(t, func(c *Config) { c.Channels = port })
	pc, err := webrtc.NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pc.GracefulClose() })
	if _, err := pc.CreateDataChannel(media.Label, nil); err != nil {
		t.Fatal(err)
	}
	offer, err := pc.CreateOffer(nil)
	if err != nil {
		t.Fatal(err)
	}
	in := func(header http.Header) caller {
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8080/", nil)
		r.RemoteAddr, r.Header = "127.0.0.1:50000", header
		c := caller{local: true}
		c.Identity = d.identityOf(r, &c)
		return c
	}
	credentials := func(token string) http.Header { return http.Header{"Cookie": {"mybot=" + token}} }
	var leave func()
	for i, want := range []int{32, 16, 8, 4, 2, 1, 0} {
		n, by := 0, in(credentials(d.paired(t, session.Operator)))
		for ; n < media.MaxChannels; n++ {
			one, refusal := d.takeChannel(by)
			if one == nil {
				if refusal.Word != robot.Busy {
					t.Errorf("an offer is answered %+v", refusal)
				}
				break
			}
			leave = one
		}
		if n != want {
			t.Errorf("device %d has %d data channels, want %d", i+1, n, want)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	d.holds(t)(r)
	if one, refusal := d.takeChannel(in(r.Header)); one == nil {
		t.Errorf("the person in control is answered %+v", refusal)
	}

	// A page takes and leaves its place.
	conn, _ := visitWith(t, d, net.IPv4(192, 168, 1, 7), credentials(d.paired(t, session.Operator)))
	page := listensOn(t, conn)
	frame, err := json.Marshal(map[string]any{"type": "rtc", "id": 5, "offer": offer.SDP})
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Write(t.Context(), websocket.MessageText, frame); err != nil {
		t.Fatal(err)
	}
	if got := soon(t, "the answer to an offer", page.results); got.Word != "BUSY" || got.Reason != "There are 63 data channels already, the most at a time. Try again when one of them has ended." {
		t.Errorf("the offer of a page is answered %+v", got)
	}
	leave()
	if got := page.offers(t, 6, offer.SDP); got.Answer == "" {
		t.Errorf("when there is room the offer is answered %+v", got)
	}
	_ = conn.CloseNow()
	for d.quotas.channels.count() > media.MaxChannels-2 {
		runtime.Gosched()
	}
}

func TestTheDevicesOfOneLinkLeaveDataChannelsForOthers(t *testing.T) {
	d := newTestServer(t)
	link, err := d.access.Share(time.Now(), false, "")
	if err != nil {
		t.Fatal(err)
	}
	for n := range media.MaxChannels {
		token, _, err := d.access.Redeem(time.Now(), "test", link, "")
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		as(token)(r)
		leave, refusal := d.takeChannel(caller{Identity: d.identityOf(r, &caller{})})
		if got, want := leave != nil, n < media.MaxChannels/2; got != want {
			t.Fatalf("device %d of a link has a data channel: %v; %+v", n+1, got, refusal)
		}
		if leave == nil && (refusal.Word != robot.Busy || !strings.HasPrefix(refusal.Reason, "Your link has 32 data channels already")) {
			t.Fatalf("device %d of a link is answered %+v", n+1, refusal)
		}
	}
}

func TestARobotWithoutAUDPPortSaysSo(t *testing.T) {
	if _, got := listens(t, newTestServer(t)).opens(t, 5); got.Word != "NA" || got.Reason != "This robot has no UDP port. The WebSocket carries everything." {
		t.Errorf("an offer is answered %+v", got)
	}
}

func TestAnOfferThatIsRefusedIsToldWhetherToTryAgain(t *testing.T) {
	for _, c := range []struct {
		err  error
		want robot.Result
	}{
		{media.ErrFull, robot.Result{Word: robot.Busy, Reason: fmt.Sprintf("rtc: %d channels are open; close a page, then try again.", media.MaxChannels)}},
		{fmt.Errorf("media: %w", context.DeadlineExceeded), robot.Result{Word: robot.Busy, Reason: "rtc: context deadline exceeded."}},
		{errors.New("media: the offer has two channels"), robot.Result{Word: robot.Error, Reason: "rtc: the offer has two channels."}},
	} {
		if got := refusedOffer(c.err); got != c.want {
			t.Errorf("%v is answered %+v, want %+v", c.err, got, c.want)
		}
	}
}
