package media_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pion/ice/v2"
	"github.com/pion/interceptor"
	"github.com/pion/logging"
	"github.com/pion/rtp"
	"github.com/pion/webrtc/v3"

	"mybot/media"
	"mybot/media/mediatest"
	"mybot/media/vp8"
	"mybot/robot"
)

// A bars camera sees moving bars.
type bars struct {
	taken  atomic.Int64
	epoch  time.Time
	ticker *time.Ticker
	asked  chan struct{} // holds a token when a picture is requested
	broken atomic.Bool   // the next picture is invalid
	snow   *rand.Rand    // nil = bars; pictures of noise take several packets each
}

func watching(every time.Duration) *bars {
	return &bars{epoch: time.Now(), ticker: time.NewTicker(every), asked: make(chan struct{}, 1)}
}

func (b *bars) Next(ctx context.Context, f *robot.Frame) error {
	select {
	case b.asked <- struct{}{}:
	default:
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case f.Taken = <-b.ticker.C:
	}
	if b.broken.Swap(false) {
		return errors.New("the cable is loose")
	}
	f.Resize(320, 240)
	n := int(b.taken.Add(1))
	for i := range f.Y {
		f.Y[i] = byte(64 + 8*((i+n)%16))
		if b.snow != nil {
			f.Y[i] = byte(b.snow.Uint32())
		}
	}
	for i := range f.U {
		f.U[i], f.V[i] = 128, 128
	}
	return nil
}

// A tone is a microphone that hears 400 Hz.
type tone struct {
	n      int
	ticker *time.Ticker
}

func (t *tone) Read(ctx context.Context, samples []int16) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.ticker.C:
	}
	for i := range samples {
		samples[i] = int16(12000 * math.Sin(2*math.Pi*400*float64(t.n)/8000))
		t.n++
	}
	return nil
}

// opens returns a broadcaster that runs until the test ends.
func opens(t *testing.T, camera *bars) *media.Broadcaster {
	t.Helper()
	return opensBy(t, camera, media.Options{})
}

// opensBy does it with other network addresses.
func opensBy(t *testing.T, camera *bars, options media.Options) *media.Broadcaster {
	t.Helper()
	port, err := media.Listen(loopback, options)
	if err != nil {
		t.Fatal(err)
	}
	return opensAt(t, camera, port)
}

// opensAt does it at a port, which is closed with it.
func opensAt(t *testing.T, camera *bars, port *media.Port) *media.Broadcaster {
	t.Helper()
	return mediatest.Broadcaster(t, media.Config{
		Port: port, Camera: camera, Epoch: camera.epoch, Sound: &tone{ticker: time.NewTicker(20 * time.Millisecond)},
		Encoders: []media.NewEncoder{func(width, height, bitrate int) (media.Encoder, error) {
			return vp8.NewEncoder(width, height, bitrate, 30)
		}},
	})
}

// A guest is a user's browser.
type guest struct {
	pc      *webrtc.PeerConnection
	packets chan *rtp.Packet // of pictures
	sounds  chan *rtp.Packet
}

func invite(t *testing.T) *guest {
	t.Helper()
	return inviteBy(t, func(*webrtc.SettingEngine) {})
}

func inviteBy(t *testing.T, how func(*webrtc.SettingEngine)) *guest {
	t.Helper()
	g := newGuest(t, how)
	g.wants(t, webrtc.RTPCodecTypeVideo, webrtc.RTPCodecTypeAudio)
	return g
}

// wants has the guest request the media to receive.
func (g *guest) wants(t *testing.T, kinds ...webrtc.RTPCodecType) {
	t.Helper()
	for _, kind := range kinds {
		if _, err := g.pc.AddTransceiverFromKind(kind, webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionRecvonly}); err != nil {
			t.Fatal(err)
		}
	}
}

func newGuest(t *testing.T, how func(*webrtc.SettingEngine)) *guest {
	t.Helper()
	var set webrtc.SettingEngine
	how(&set)
	set.LoggerFactory = &logging.DefaultLoggerFactory{Writer: io.Discard}
	set.SetIncludeLoopbackCandidate(true)
	set.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	set.SetInterfaceFilter(func(name string) bool { return name == "lo" })
	var m webrtc.MediaEngine
	if err := m.RegisterDefaultCodecs(); err != nil {
		t.Fatal(err)
	}
	var chain interceptor.Registry // arrival times, as a browser reports them
	if err := webrtc.RegisterDefaultInterceptors(&m, &chain); err != nil {
		t.Fatal(err)
	}
	pc, err := webrtc.NewAPI(webrtc.WithSettingEngine(set), webrtc.WithMediaEngine(&m), webrtc.WithInterceptorRegistry(&chain)).NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pc.GracefulClose() })
	g := &guest{pc, make(chan *rtp.Packet, 1000), make(chan *rtp.Packet, 1000)}
	pc.OnTrack(func(track *webrtc.TrackRemote, _ *webrtc.RTPReceiver) {
		to := g.packets
		if track.Kind() == webrtc.RTPCodecTypeAudio {
			to = g.sounds
		}
		for {
			p, _, err := track.ReadRTP()
			if err != nil {
				return
			}
			select {
			case to <- p:
			default:
			}
		}
	})
	return g
}

// watches has the guest watch.
func (g *guest) watches(t *testing.T, s *media.Broadcaster, w media.Watcher) *media.Viewer {
	t.Helper()
	offer, err := g.pc.CreateOffer(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.pc.SetLocalDescription(offer); err != nil {
		t.Fatal(err)
	}
	v, answer, err := s.Watch(t.Context(), offer.SDP, w)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: answer}); err != nil {
		t.Fatalf("%v in\n%s", err, answer)
	}
	return v
}

func receive(t *testing.T, from chan *rtp.Packet) *rtp.Packet {
	t.Helper()
	select {
	case p := <-from:
		return p
	case <-time.After(15 * time.Second):
		t.Fatal("nothing comes")
		return nil
	}
}

func TestWhoWatchesSeesAndHears(t *testing.T) {
	camera := watching(33 * time.Millisecond)
	s := opens(t, camera)
	g := invite(t)
	v := g.watches(t, s, media.Watcher{Measure: true})
	p := receive(t, g.packets)
	if p.Payload[0]&0x80 == 0 || p.Payload[1]&0x80 == 0 {
		t.Error("the first picture has no number; a browser would wait for seconds")
	}
	now := time.Since(camera.epoch).Seconds()
	if at := float64(p.Timestamp) / 90000; at > now || at < now-2 {
		t.Errorf("the picture was taken at %.2f s by its stamp, and it is %.2f s now", at, now)
	}
	if len(receive(t, g.sounds).Payload) != 160 {
		t.Error("the sound has other than 20 ms a packet")
	}
	v.Close()
	if n := s.CountViewers(); n != 0 {
		t.Errorf("%d watch after the only one has gone", n)
	}
}

func TestTheCameraRunsOnlyWhileAViewerWatches(t *testing.T) {
	camera := watching(10 * time.Millisecond)
	s := opens(t, camera)
	if n := camera.taken.Load(); n != 0 {
		t.Fatalf("%d pictures were taken without a viewer", n)
	}
	g := invite(t)
	v := g.watches(t, s, media.Watcher{})
	receive(t, g.packets)
	v.Close()
	limit := time.After(15 * time.Second)
	for {
		select {
		case <-camera.asked:
		case <-time.After(3 * time.Second): // it lingers for 2 s
			return
		case <-limit:
			t.Fatal("15 s after the last viewer left the camera still runs")
		}
	}
}

// A browser takes no packet that counts back: it would be one it had already.
func TestPicturesGoOnWhereACameraThatBrokeOffEnded(t *testing.T) {
	camera := watching(10 * time.Millisecond)
	camera.snow = rand.New(rand.NewPCG(1, 1))
	s := opens(t, camera)
	g := invite(t)
	g.watches(t, s, media.Watcher{})
	number := func(p *rtp.Packet) int { return int(p.Payload[2]&0x7f)<<8 | int(p.Payload[3]) } // of the picture
	last := receive(t, g.packets)
	for number(last) < 20 {
		last = receive(t, g.packets)
	}
	camera.broken.Store(true)
	for begun := time.Now(); ; {
		p := receive(t, g.packets)
		again := p.Timestamp-last.Timestamp > 90000/2 // the camera was opened again
		if next := number(last) + 1; number(p) > next || again && (number(p) != next || p.SequenceNumber != last.SequenceNumber+1) {
			t.Fatalf("packet %d of picture %d follows packet %d of picture %d", p.SequenceNumber, number(p), last.SequenceNumber, number(last))
		}
		if again {
			return
		}
		if last = p; time.Since(begun) > 15*time.Second {
			t.Fatal("the camera did not break off")
		}
	}
}

func TestARevokedGrantEndsWatching(t *testing.T) {
	s := opens(t, watching(33*time.Millisecond))
	g := invite(t)
	v := g.watches(t, s, media.Watcher{Grant: "g1"})
	receive(t, g.packets)
	s.RevokeGrant("g1")
	select {
	case <-v.Done():
	case <-time.After(5 * time.Second):
		t.Error("who was sent away still watches")
	}
}

func TestAnOfferToSendIsNotOneToWatch(t *testing.T) {
	s := opens(t, watching(33*time.Millisecond))
	for _, offer := range []string{"", "v=0\r\n" + strings.Repeat("m=video 9 UDP/TLS/RTP/SAVPF 96\r\n", 1000), "v=0\r\n" + strings.Repeat("m=video 9 UDP/TLS/RTP/SAVPF 96\r\n", 2), "v=0\r\nm=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n", "v=0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\na=sendonly\r\n"} {
		if _, _, err := s.Watch(t.Context(), offer, media.Watcher{}); err == nil || errors.Is(err, media.ErrClosed) {
			t.Errorf("the offer %q is answered with %v", offer, err)
		}
	}
}

func TestALoudspeakerSeesNothing(t *testing.T) {
	s := opens(t, watching(33*time.Millisecond))
	offer, err := invite(t).pc.CreateOffer(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Watch(t.Context(), offer.SDP, media.Watcher{Speaker: true}); err == nil || !strings.Contains(err.Error(), "it should ask for audio, once") {
		t.Errorf("a loudspeaker that wants pictures is answered with %v", err)
	}
}

func TestWhoseAccessEndsWatchesNoMore(t *testing.T) {
	s := opens(t, watching(33*time.Millisecond))
	var over atomic.Bool
	g := invite(t)
	v := g.watches(t, s, media.Watcher{Holds: func() bool { return !over.Load() }})
	receive(t, g.packets)
	over.Store(true)
	wait(t, "his end", v.Done())
}

func TestThereIsAPlaceForWhoMayDrive(t *testing.T) {
	s := opens(t, watching(33*time.Millisecond))
	offer, err := invite(t).pc.CreateOffer(nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for ; err == nil && n < 4*media.MaxViewers; n++ { // those who do not connect are removed after a while
		_, _, err = s.Watch(t.Context(), offer.SDP, media.Watcher{Sharer: fmt.Sprint(n)})
	}
	if !errors.Is(err, media.ErrCrowded) {
		t.Fatalf("viewer %d is answered with %v", n, err)
	}
	if _, _, err := s.Watch(t.Context(), offer.SDP, media.Watcher{Measure: true}); err != nil {
		t.Errorf("a reserved viewer is answered with %v", err)
	}
}

func TestWhoIsRevokedWhileHeComesIsNotLeftBehind(t *testing.T) {
	s := opens(t, watching(33*time.Millisecond))
	offer, err := invite(t).pc.CreateOffer(nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 20 {
		grant := fmt.Sprint("g", n)
		var both sync.WaitGroup
		both.Go(func() {
			if v, _, err := s.Watch(t.Context(), offer.SDP, media.Watcher{Grant: grant}); err == nil {
				<-v.Done()
				v.Close()
			}
		})
		both.Go(func() { s.RevokeGrant(grant) })
		both.Wait()
	}
	if n := s.CountViewers(); n != 0 {
		t.Errorf("%d watch", n)
	}
}

// takesTheFloor makes the guest the one who talks, and sends nothing yet.
func (g *guest) takesTheFloor(t *testing.T, s *media.Broadcaster, may func() bool) (talker *media.Talker, voice *webrtc.TrackLocalStaticRTP) {
	t.Helper()
	voice, err := webrtc.NewTrackLocalStaticRTP(webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypePCMU, ClockRate: 8000}, "voice", "ana")
	if err != nil {
		t.Fatal(err)
	}
	return g.talksBy(t, s, may, voice), voice
}

// talksBy does it with a track of the caller.
func (g *guest) talksBy(t *testing.T, s *media.Broadcaster, may func() bool, voice webrtc.TrackLocal) *media.Talker {
	t.Helper()
	if _, err := g.pc.AddTransceiverFromTrack(voice, webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionSendonly}); err != nil {
		t.Fatal(err)
	}
	offer, err := g.pc.CreateOffer(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.pc.SetLocalDescription(offer); err != nil {
		t.Fatal(err)
	}
	talker, answer, err := s.Talk(t.Context(), offer.SDP, "", may, may)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: answer}); err != nil {
		t.Fatal(err)
	}
	return talker
}

// talks has the guest talk until the test ends.
func (g *guest) talks(t *testing.T, s *media.Broadcaster, may func() bool) {
	t.Helper()
	_, voice := g.takesTheFloor(t, s, may)
	var mouth sync.WaitGroup
	mouth.Go(func() {
		every := time.NewTicker(20 * time.Millisecond)
		defer every.Stop()
		for n := uint16(0); ; n++ {
			select {
			case <-t.Context().Done():
				return
			case <-every.C:
				_ = voice.WriteRTP(&rtp.Packet{Header: rtp.Header{Version: 2, SequenceNumber: n, Timestamp: 160 * uint32(n)}, Payload: make([]byte, 160)})
			}
		}
	})
	t.Cleanup(mouth.Wait)
}

func TestWhoMayTalkNoMoreIsCutOffAlsoWhileHeSaysNothing(t *testing.T) {
	s := opens(t, watching(33*time.Millisecond))
	var may atomic.Bool
	may.Store(true)
	talker, _ := newGuest(t, func(*webrtc.SettingEngine) {}).takesTheFloor(t, s, may.Load)
	if s.FindTalker(talker.ID) == nil {
		t.Fatal("the talker is not found")
	}
	if s.IsTalking() {
		t.Error("a talker counts as talking before any sound")
	}
	may.Store(false)
	late := time.After(patience)
	for every := time.NewTicker(5 * time.Millisecond); s.FindTalker(talker.ID) != nil; {
		select {
		case <-every.C:
		case <-late:
			t.Fatal("who may not talk any more has the robot's voice still")
		}
	}
}

func TestWhoMayTalkNoMoreIsCutOffForGood(t *testing.T) {
	s := opens(t, watching(33*time.Millisecond))
	room := newGuest(t, func(*webrtc.SettingEngine) {})
	room.wants(t, webrtc.RTPCodecTypeAudio)
	room.watches(t, s, media.Watcher{Speaker: true})
	var may atomic.Bool
	may.Store(true)
	newGuest(t, func(*webrtc.SettingEngine) {}).talks(t, s, may.Load)
	receive(t, room.sounds)

	may.Store(false)
	late := time.After(patience)
	for every := time.NewTicker(5 * time.Millisecond); s.IsTalking(); {
		select {
		case <-every.C:
		case <-late:
			t.Fatal("who may not talk any more has the robot's voice still")
		}
	}
	may.Store(true)
	for quiet := time.After(300 * time.Millisecond); ; {
		select {
		case <-room.sounds: // packets still on their way
			continue
		case <-quiet:
		}
		break
	}
	select {
	case <-room.sounds:
		t.Error("the talker is heard again without a new request")
	case <-time.After(300 * time.Millisecond):
	}
}

// resident returns the program's resident memory in bytes.
func resident() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys - m.HeapReleased) //nolint:gosec // no program has that many
}

// A user's player, or someone with the user's link, sends offer after offer and
// never connects.
func TestManyOffersOfOneUserTakeLittleMemoryAndNoOthersPlace(t *testing.T) {
	s := opens(t, watching(33*time.Millisecond))
	offer, err := invite(t).pc.CreateOffer(nil)
	if err != nil {
		t.Fatal(err)
	}
	before := resident()
	var all sync.WaitGroup
	var open, greedy atomic.Int32
	for range 256 {
		all.Go(func() {
			switch _, _, err := s.Watch(t.Context(), offer.SDP, media.Watcher{Grant: "eve"}); {
			case err == nil:
				open.Add(1)
			case errors.Is(err, media.ErrGreedy):
				greedy.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if open.Load() != media.MaxByGrant || greedy.Load() != 256-media.MaxByGrant {
		t.Errorf("of 256 offers of one person %d are answered and %d refused, want %d answered", open.Load(), greedy.Load(), media.MaxByGrant)
	}
	took := (resident() - before) >> 20
	t.Logf("%d MB", took)
	if took > 10 {
		t.Errorf("256 offers of one person took %d MB, want at most 10", took)
	}
	if _, _, err := s.Watch(t.Context(), offer.SDP, media.Watcher{Grant: "ana"}); err != nil {
		t.Errorf("another user is answered with %v", err)
	}
}

// A labelled is an encoder of one codec that counts the encoders of its kind.
type labelled struct {
	ballast
	codec string
	open  *atomic.Int64
}

func (l *labelled) MimeType() string { return "video/" + l.codec }

func (l *labelled) Close() error {
	l.open.Add(-1)
	return nil
}

// knows has the guest show pictures of these codecs alone.
func (g *guest) knows(t *testing.T, codecs ...string) {
	t.Helper()
	var list []webrtc.RTPCodecParameters
	for _, c := range codecs {
		p := webrtc.RTPCodecParameters{RTPCodecCapability: webrtc.RTPCodecCapability{MimeType: "video/" + c, ClockRate: 90000}, PayloadType: 96}
		if c == "H264" {
			p.PayloadType, p.SDPFmtpLine = 102, "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f"
		}
		list = append(list, p)
	}
	for _, tr := range g.pc.GetTransceivers() {
		if tr.Kind() == webrtc.RTPCodecTypeVideo {
			if err := tr.SetCodecPreferences(list); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestEveryBrowserGetsPicturesInACodecThatItShows(t *testing.T) {
	port, err := media.Listen(loopback, media.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var h264, vp8 atomic.Int64
	encoder := func(codec string, open *atomic.Int64) media.NewEncoder {
		return func(_, _, bitrate int) (media.Encoder, error) {
			open.Add(1)
			l := &labelled{codec: codec, open: open}
			l.luck = rand.New(rand.NewPCG(1, 2))
			l.SetBitrate(bitrate)
			return l, nil
		}
	}
	camera := watching(33 * time.Millisecond)
	s := mediatest.Broadcaster(t, media.Config{
		Port: port, Camera: camera, Epoch: camera.epoch,
		Encoders: []media.NewEncoder{encoder("H264", &h264), encoder("VP8", &vp8), encoder("VP8", &vp8)},
	})
	if got := strings.Join(s.Codecs(), " "); got != "H264 VP8" {
		t.Errorf("the robot sends %s", got)
	}
	watch := func(want uint8, codecs ...string) *media.Viewer {
		g := invite(t)
		g.knows(t, codecs...)
		v := g.watches(t, s, media.Watcher{})
		if p := receive(t, g.packets); p.PayloadType != want {
			t.Errorf("who shows %v gets pictures of type %d, want %d", codecs, p.PayloadType, want)
		}
		return v
	}
	first := watch(102, "VP8", "H264")
	if n := vp8.Load(); n != 0 {
		t.Errorf("while no one sees VP8, %d encoders of it run", n)
	}
	second := watch(96, "VP8")
	if h264.Load() != 1 || vp8.Load() != 1 {
		t.Errorf("while each is seen, %d and %d encoders run", h264.Load(), vp8.Load())
	}
	second.Close()
	for vp8.Load() > 0 { // it lingers for 2 s
		<-camera.asked
	}
	third := watch(96, "VP8")
	first.Close()
	third.Close()

	g := invite(t)
	g.knows(t, "VP9")
	offer, err := g.pc.CreateOffer(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Watch(t.Context(), offer.SDP, media.Watcher{}); err == nil || !strings.Contains(err.Error(), "the robot sends pictures as H264 or VP8, and the offer has none of these codecs") {
		t.Errorf("who shows VP9 alone is told %v", err)
	}
}
