package handlers

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pion/ice/v2"
	"github.com/pion/logging"
	"github.com/pion/webrtc/v3"

	"mybot/media"
	"mybot/media/mediatest"
	"mybot/media/vp8"
	"mybot/robot"
	"mybot/session"
)

// A grey camera sees nothing but grey.
type grey struct{ every *time.Ticker }

func (g grey) Next(ctx context.Context, f *robot.Frame) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case f.Taken = <-g.every.C:
	}
	f.Resize(32, 32)
	return nil
}

// broadcasterOf returns a broadcaster that runs until the test ends.
func broadcasterOf(t *testing.T, options media.Options) (*media.Broadcaster, *media.Port) {
	t.Helper()
	port, err := media.Listen(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, options)
	if err != nil {
		t.Fatal(err)
	}
	return mediatest.Broadcaster(t, media.Config{
		Port: port, Camera: grey{time.NewTicker(33 * time.Millisecond)}, Epoch: time.Now(),
		Encoders: []media.NewEncoder{func(width, height, bitrate int) (media.Encoder, error) {
			return vp8.NewEncoder(width, height, bitrate, 30)
		}},
	}), port
}

// seeing is a server with a camera.
func seeing(t *testing.T) *testServer {
	t.Helper()
	s, port := broadcasterOf(t, media.Options{})
	return newTestServer(t, func(c *Config) { c.Broadcaster, c.Channels = s, port })
}

// A player is a program that watches or talks.
type player struct {
	*webrtc.PeerConnection
	offer string
}

// plays returns a player with its offer to do one thing with one kind of media.
func plays(t *testing.T, kind webrtc.RTPCodecType, direction webrtc.RTPTransceiverDirection) player {
	t.Helper()
	var set webrtc.SettingEngine
	set.LoggerFactory = &logging.DefaultLoggerFactory{Writer: io.Discard}
	set.SetIncludeLoopbackCandidate(true)
	set.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	set.SetInterfaceFilter(func(name string) bool { return name == "lo" })
	var m webrtc.MediaEngine
	if err := m.RegisterDefaultCodecs(); err != nil {
		t.Fatal(err)
	}
	pc, err := webrtc.NewAPI(webrtc.WithSettingEngine(set), webrtc.WithMediaEngine(&m)).NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pc.GracefulClose() })
	if _, err := pc.AddTransceiverFromKind(kind, webrtc.RTPTransceiverInit{Direction: direction}); err != nil {
		t.Fatal(err)
	}
	offer, err := pc.CreateOffer(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := pc.SetLocalDescription(offer); err != nil {
		t.Fatal(err)
	}
	return player{pc, offer.SDP}
}

func watcher(t *testing.T) player {
	t.Helper()
	return plays(t, webrtc.RTPCodecTypeVideo, webrtc.RTPTransceiverDirectionRecvonly)
}

// saying gives a request a body and its content type.
func saying(kind, body string) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Set("Content-Type", kind)
		r.Body = io.NopCloser(strings.NewReader(body))
	}
}

// as gives a request a token, from another computer.
func as(token string) func(*http.Request) {
	return func(r *http.Request) {
		r.RemoteAddr = "192.0.2.7:50000"
		r.Header.Set("Authorization", "Bearer "+token)
	}
}

// opened returns the location of the session that an answer opened, and its tag.
func opened(t *testing.T, got *http.Response) (path, etag string) {
	t.Helper()
	if got.StatusCode != http.StatusCreated {
		t.Fatalf("the offer is answered %s: %s", got.Status, text(t, got))
	}
	return got.Header.Get("Location"), got.Header.Get("ETag")
}

func TestAPlayerIsAnsweredAsWHEPSays(t *testing.T) {
	d := seeing(t)
	p := watcher(t)
	got := d.ask("POST", "/whep", saying("application/sdp; charset=utf-8", p.offer))
	path, etag := opened(t, got)
	if kind := got.Header.Get("Content-Type"); kind != "application/sdp" {
		t.Errorf("the answer is %s", kind)
	}
	if patch := got.Header.Get("Accept-Patch"); patch != "application/trickle-ice-sdpfrag" {
		t.Errorf("the session takes %q", patch)
	}
	if !strings.HasPrefix(path, "/whep/") || len(path) < 20 || !strings.HasPrefix(etag, `"`) || strings.Contains(path, strings.Trim(etag, `"`)) == false {
		t.Errorf("the session is at %q and has the tag %s", path, etag)
	}
	frames := make(chan struct{}, 1)
	p.OnTrack(func(track *webrtc.TrackRemote, _ *webrtc.RTPReceiver) {
		if _, _, err := track.ReadRTP(); err == nil {
			frames <- struct{}{}
		}
	})
	if err := p.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: text(t, got)}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-frames:
	case <-time.After(15 * time.Second):
		t.Error("no picture comes")
	}
	if got := d.ask("DELETE", path); got.StatusCode != http.StatusOK {
		t.Errorf("the end is answered %s", got.Status)
	}
	if n := d.cfg.Broadcaster.CountViewers(); n != 0 {
		t.Errorf("%d watch after the end", n)
	}
	if got := d.ask("DELETE", path); got.StatusCode != http.StatusNotFound {
		t.Errorf("a second end is answered %s", got.Status)
	}
}

func TestAnOfferThatIsNoneIsRefused(t *testing.T) {
	d := seeing(t)
	offer := watcher(t).offer
	for _, c := range []struct {
		name, kind, body string
		status           int
		says             string
	}{
		{"JSON", "application/json", offer, http.StatusUnsupportedMediaType, `"application/json"; it should be application/sdp`},
		{"no type", "", offer, http.StatusUnsupportedMediaType, `it should be application/sdp`},
		{"too long", "application/sdp", strings.Repeat("a", maxOffer+1), http.StatusRequestEntityTooLarge, "at most 32 KiB"},
		{"empty", "application/sdp", "", http.StatusBadRequest, "v=0"},
		{"that sends", "application/sdp", strings.ReplaceAll(offer, "a=recvonly", "a=sendonly"), http.StatusBadRequest, "one who wants to receive says recvonly"},
		{"a data channel", "application/sdp", "v=0\r\nm=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n", http.StatusBadRequest, "it should ask for video or audio"},
	} {
		got := d.ask("POST", "/whep", saying(c.kind, c.body))
		if said := text(t, got); got.StatusCode != c.status || !strings.Contains(said, c.says) {
			t.Errorf("an offer of %s is answered %s: %s", c.name, got.Status, said)
		}
		if c.status == http.StatusUnsupportedMediaType && got.Header.Get("Accept-Post") != "application/sdp" {
			t.Errorf("an offer of %s is not told what is right", c.name)
		}
	}
	if n := d.cfg.Broadcaster.CountViewers(); n != 0 {
		t.Errorf("%d watch by offers that were refused", n)
	}
}

func TestAnObserverWatchesOnlyByALinkWithTheCamera(t *testing.T) {
	d := seeing(t)
	without := d.paired(t, session.Observer)
	if got := d.ask("POST", "/whep", as(without), saying("application/sdp", watcher(t).offer)); got.StatusCode != http.StatusForbidden || !strings.Contains(text(t, got), "link that includes the camera") {
		t.Errorf("without the camera the answer is %s", got.Status)
	}
	code, err := d.access.Share(time.Now(), true, "")
	if err != nil {
		t.Fatal(err)
	}
	token, _, err := d.access.Redeem(time.Now(), "test", code, "Bo")
	if err != nil {
		t.Fatal(err)
	}
	path, _ := opened(t, d.ask("POST", "/whep", as(token), saying("application/sdp", watcher(t).offer)))
	for _, method := range []string{"DELETE", "PATCH"} {
		if got := d.ask(method, path, as(without), with("If-Match", "*"), saying(trickle, "")); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s of somebody else's session is answered %s", method, got.Status)
		}
	}
	if got := d.ask("DELETE", path, as(token)); got.StatusCode != http.StatusOK {
		t.Errorf("the end is answered %s", got.Status)
	}
}

func TestAPlayersLaterAddressesAreTakenAsWHEPSays(t *testing.T) {
	d := seeing(t)
	p := watcher(t)
	path, etag := opened(t, d.ask("POST", "/whep", saying("application/sdp", p.offer)))
	_, rest, _ := strings.Cut(p.offer, "a=ice-ufrag:")
	user, _, _ := strings.Cut(rest, "\r\n")
	own := "a=ice-ufrag:" + user + "\r\na=candidate:1 1 udp 1 192.0.2.1 9 typ host\r\n"
	for _, c := range []struct {
		match, kind, body string
		status            int
	}{
		{"", trickle, own, http.StatusNoContent},
		{`"another"`, trickle, own, http.StatusPreconditionFailed},
		{etag, "application/sdp", own, http.StatusUnsupportedMediaType},
		{etag, trickle, strings.Repeat("a", maxOffer+1), http.StatusRequestEntityTooLarge},
		{etag, trickle, "a=ice-ufrag:other\r\n", http.StatusUnprocessableEntity},
		{etag, trickle, own, http.StatusNoContent},
		{"*", trickle, own, http.StatusNoContent},
	} {
		how := []func(*http.Request){saying(c.kind, c.body)}
		if c.match != "" {
			how = append(how, with("If-Match", c.match))
		}
		if got := d.ask("PATCH", path, how...); got.StatusCode != c.status {
			t.Errorf("%q of %s with If-Match %s is answered %s: %s", clipText(c.body), c.kind, c.match, got.Status, text(t, got))
		}
	}
	if got := d.ask("PATCH", "/whep/nobody", with("If-Match", etag), saying(trickle, own)); got.StatusCode != http.StatusNotFound {
		t.Errorf("addresses for nobody are answered %s", got.Status)
	}
}

func TestWhatMayBePostedIsTold(t *testing.T) {
	s, port := broadcasterOf(t, media.Options{Relays: []media.Relay{{URL: "turn:relay.example:3478", Username: "ana", Password: "secret"}}})
	d := newTestServer(t, func(c *Config) { c.Broadcaster, c.Channels = s, port })
	for _, path := range []string{"/whep", "/whip"} {
		got := d.ask("OPTIONS", path)
		if got.StatusCode != http.StatusNoContent || got.Header.Get("Accept-Post") != "application/sdp" {
			t.Errorf("OPTIONS %s is answered %s, Accept-Post %q", path, got.Status, got.Header.Get("Accept-Post"))
		}
		if link := got.Header.Get("Link"); link != `<turn:relay.example:3478>; rel="ice-server"; username="ana"; credential="secret"; credential-type="password"` {
			t.Errorf("OPTIONS %s names the relay as %s", path, link)
		}
	}
	if got := d.ask("OPTIONS", "/whep", as(d.paired(t, session.Observer))); got.StatusCode != http.StatusNoContent || got.Header.Get("Link") != "" {
		t.Errorf("who may not use the camera is answered %s and told of the relay %q", got.Status, got.Header.Get("Link"))
	}
}

func TestALongOfferIsRead(t *testing.T) {
	d := seeing(t)
	offer := watcher(t).offer + strings.Repeat("a=x-more:"+strings.Repeat("x", 200)+"\r\n", 60)
	opened(t, d.ask("POST", "/whep", saying("application/sdp", offer)))
}

func TestARobotWithoutABroadcasterSaysSo(t *testing.T) {
	d := newTestServer(t)
	for _, path := range []string{"/whep", "/whip"} {
		if got := d.ask("POST", path, saying("application/sdp", "v=0")); got.StatusCode != http.StatusNotFound || !strings.Contains(text(t, got), "This robot has no") {
			t.Errorf("%s is answered %s", path, got.Status)
		}
	}
}

func TestTheDevicesOfOneLinkKeepNoOtherFromThePictures(t *testing.T) {
	d := seeing(t)
	offer := saying("application/sdp", watcher(t).offer)
	share := func() (guest func() *http.Response) {
		link, err := d.access.Share(time.Now(), true, "")
		if err != nil {
			t.Fatal(err)
		}
		return func() *http.Response { // each guest's device is a new one
			token, _, err := d.access.Redeem(time.Now(), "test", link, "")
			if err != nil {
				t.Fatal(err)
			}
			return d.ask("POST", "/whep", as(token), offer)
		}
	}
	const places = 56 // SECURITY.md: 64 viewers, of which eight places are for operators
	for _, want := range []int{places / 2, places / 4} {
		guest := share()
		for range want {
			opened(t, guest())
		}
		got := guest()
		if said := text(t, got); got.StatusCode != http.StatusServiceUnavailable || !strings.Contains(said, "his device or your link already has its share of the connections to the camera") {
			t.Errorf("guest %d of a link is answered %s: %s", want+1, got.Status, said)
		}
	}
	opened(t, share()())
	for range 4 {
		opened(t, d.ask("POST", "/whep", as(d.paired(t, session.Operator)), offer))
	}
}

func TestAUserWhoComesToAFullServerIsToldToComeAgain(t *testing.T) {
	d := seeing(t)
	offer := watcher(t).offer
	var last, token string
	for range media.MaxViewers {
		token = d.paired(t, session.Operator)
		last, _ = opened(t, d.ask("POST", "/whep", as(token), saying("application/sdp", offer)))
	}
	got := d.ask("POST", "/whep", saying("application/sdp", offer))
	if said := text(t, got); got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Retry-After") != "5" || !strings.Contains(said, "64 people are already watching") {
		t.Errorf("one too many is answered %s, again in %q s: %s", got.Status, got.Header.Get("Retry-After"), said)
	}
	d.ask("DELETE", last, as(token))
	opened(t, d.ask("POST", "/whep", saying("application/sdp", offer)))
}

// holds has a user at the robot's own computer take control, and returns the
// credentials of that user.
func (d *testServer) holds(t *testing.T) func(*http.Request) {
	t.Helper()
	cookie := cookieIn(t, d.ask("GET", "/")).Value
	id := session.Identity{Browser: browserOf(cookie), Role: session.Operator}
	user, err := d.hub.Join(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(user.Leave)
	user.Receive([]byte(`{"type":"hello","protocol":"mybot.v1","tab":"x","name":"Ana","build":"test"}`))
	late := time.After(15 * time.Second)
	for every := time.NewTicker(5 * time.Millisecond); !d.hub.HasControl(id); {
		d.hub.Publish(robot.State{Time: time.Now(), Mode: robot.ModeReady})
		select {
		case <-every.C:
		case <-late:
			t.Fatal("nobody has control")
		}
	}
	return with("Cookie", "mybot="+cookie)
}

func TestOnlyWhoHasControlTalksThroughTheRobot(t *testing.T) {
	d := seeing(t)
	offer := plays(t, webrtc.RTPCodecTypeAudio, webrtc.RTPTransceiverDirectionSendonly).offer
	if got := d.ask("POST", "/whip", saying("application/sdp", offer)); got.StatusCode != http.StatusConflict || !strings.Contains(text(t, got), "Only the person who has control") {
		t.Errorf("without control the answer is %s", got.Status)
	}
	ana := d.holds(t)
	if got := d.ask("POST", "/whip", ana, saying("application/sdp", watcher(t).offer)); got.StatusCode != http.StatusBadRequest {
		t.Errorf("an offer to watch is answered %s", got.Status)
	}
	path, _ := opened(t, d.ask("POST", "/whip", ana, saying("application/sdp", offer)))
	if !strings.HasPrefix(path, "/whip/") {
		t.Errorf("the session is at %s", path)
	}
	first := path
	if path, _ = opened(t, d.ask("POST", "/whip", ana, saying("application/sdp", offer))); path == first {
		t.Error("the same page, loaded anew, gets its old session")
	}
	if got := d.ask("PATCH", first, ana, saying(trickle, "")); got.StatusCode != http.StatusNotFound {
		t.Errorf("the voice in whose place it came is answered %s", got.Status)
	}
	if got := d.ask("PATCH", path, ana, saying(trickle, "")); got.StatusCode != http.StatusNoContent {
		t.Errorf("later addresses are answered %s", got.Status)
	}
	if got := d.ask("DELETE", path, ana); got.StatusCode != http.StatusOK {
		t.Errorf("the end is answered %s", got.Status)
	}
	if got := d.ask("DELETE", path, ana); got.StatusCode != http.StatusNotFound {
		t.Errorf("a second end is answered %s", got.Status)
	}
}
