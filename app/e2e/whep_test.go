package e2e_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/pion/ice/v2"
	"github.com/pion/logging"
	"github.com/pion/webrtc/v3"

	"mybot/app"
	"mybot/drivers/camera"
)

// players returns the scripts of the WHIP and WHEP clients of npm, which know nothing of this
// robot's page.
func players(t *testing.T) string {
	t.Helper()
	var scripts strings.Builder
	for _, name := range []string{"whep", "whip"} {
		script, err := os.ReadFile("../../web/node_modules/whip-whep/" + name + ".js")
		if err != nil {
			t.Skipf("whip-whep is not there: npm ci in web installs it (%v)", err)
		}
		class := strings.ToUpper(name) + "Client"
		fmt.Fprintf(&scripts, "(() => { %s; window.%s = %s; })();\n", strings.Replace(string(script), "export class", "class", 1), class, class)
	}
	return scripts.String()
}

func TestTheWHEPClientOfNPMPlaysWhatTheRobotSees(t *testing.T) {
	scripts := players(t)
	h := open(t, sighted)
	v := arriveAt(t, chromium(t), h.addr, "/api")
	v.away = true // the browser logs the answer to those addresses
	v.run(scripts)
	v.run(`(async () => {
		const pc = new RTCPeerConnection();
		pc.addTransceiver('video', { direction: 'recvonly' });
		const video = document.body.appendChild(document.createElement('video'));
		video.id = 'npm';
		video.muted = true;
		pc.ontrack = (e) => { video.srcObject = new MediaStream([e.track]); void video.play(); };
		window.whep = new WHEPClient();
		await whep.view(pc, location.origin + '/whep');
	})()`)
	v.until("30 pictures are shown", `document.querySelector('#npm').getVideoPlaybackQuality().totalVideoFrames > 30 && document.querySelector('#npm').videoWidth === 640`)
	resource := value[string](v, `whep.resourceURL.pathname`)
	v.run(`whep.stop()`)
	if status := value[int](v, fmt.Sprintf(`fetch(%q, { method: 'DELETE' }).then((r) => r.status)`, resource)); status != http.StatusNotFound {
		t.Errorf("after the client has stopped, its session was answered %d", status)
	}
}

// pitch is the frequency of the spoken tone.
const pitch = 1000.0 // Hz

// toneFile writes a tone to a file that the browser uses as its microphone.
func toneFile(t *testing.T) string {
	t.Helper()
	const rate, seconds = 48000, 4
	head := []any{
		[]byte("RIFF"), uint32(36 + 2*rate*seconds), []byte("WAVEfmt "), uint32(16), uint16(1), uint16(1),
		uint32(rate), uint32(2 * rate), uint16(2), uint16(16), []byte("data"), uint32(2 * rate * seconds),
	}
	path := filepath.Join(t.TempDir(), "tone.wav")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriter(file)
	for _, field := range head {
		if err := binary.Write(out, binary.LittleEndian, field); err != nil {
			t.Fatal(err)
		}
	}
	for i := range rate * seconds {
		if err := binary.Write(out, binary.LittleEndian, int16(9000*math.Sin(2*math.Pi*pitch*float64(i)/rate))); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// listens makes the page listen by WHEP: __spectrum() returns the loudest frequency, in Hz, and
// its level, in dB of full scale.
const listens = `async (path) => {
	const pc = new RTCPeerConnection();
	pc.addTransceiver('audio', { direction: 'recvonly' });
	const heard = new Promise((done) => { pc.ontrack = (e) => done(new MediaStream([e.track])); });
	await new WHEPClient().view(pc, location.origin + path);
	const stream = await heard;
	const mute = new Audio(); // without one the track gives nothing
	mute.muted = true;
	mute.srcObject = stream;
	void mute.play();
	const context = new AudioContext();
	const ear = context.createAnalyser();
	ear.fftSize = 4096;
	ear.smoothingTimeConstant = 0.5;
	context.createMediaStreamSource(stream).connect(ear);
	window.__spectrum = () => {
		const loud = new Float32Array(ear.frequencyBinCount);
		ear.getFloatFrequencyData(loud);
		let most = 3; // below is no tone
		for (let i = most; i < loud.length; i++) if (loud[i] > loud[most]) most = i;
		return { Hz: most * context.sampleRate / ear.fftSize, dB: Math.max(-200, loud[most]) };
	};
}`

// earsAndMouth returns a browser whose microphone hears a tone.
func earsAndMouth(t *testing.T) context.Context {
	t.Helper()
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes long; -short leaves it out")
	}
	browser, end := startChromium(t,
		chromedp.Flag("use-fake-device-for-media-stream", true),
		chromedp.Flag("use-fake-ui-for-media-stream", true),
		chromedp.Flag("use-file-for-fake-audio-capture", toneFile(t)),
		chromedp.Flag("autoplay-policy", "no-user-gesture-required"))
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Logf("the browser ended with: %v", err)
		}
	})
	return browser
}

func TestAToneIsHeardThroughTheRobotAndItsMotorsHum(t *testing.T) {
	scripts := players(t)
	browser := earsAndMouth(t)
	h := open(t, sighted)
	v := arriveAt(t, browser, h.addr, "/", watch)
	v.away = true // the browser logs the answer to unneeded addresses
	v.until("the page has control", `document.querySelector('#app').dataset.conn === 'live' && !document.querySelector('#auth').hidden`)
	v.run(scripts)
	v.run(fmt.Sprintf(`(%s)('/whep?of=speaker')`, listens))
	v.until("before anybody talks it is silent", `__spectrum().dB < -60`)
	v.run(`(async () => {
		const stream = await navigator.mediaDevices.getUserMedia({ audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false } });
		const pc = new RTCPeerConnection();
		pc.addTransceiver(stream.getAudioTracks()[0], { direction: 'sendonly', streams: [stream] });
		window.whip = new WHIPClient();
		await whip.publish(pc, location.origin + '/whip');
	})()`)
	v.until("the tone comes out of the robot", fmt.Sprintf(`(() => { const s = __spectrum(); return s.dB > -40 && Math.abs(s.Hz - %v) < 15; })()`, pitch))
	v.run(`whip.stop()`)
	v.until("after that it is silent again", `__spectrum().dB < -60`)

	v.run(fmt.Sprintf(`(%s)('/whep')`, listens))
	v.until("a robot that stands does not hum", `__spectrum().dB < -60`)
	h.drivenBy(v, byW)
	v.until("a robot that drives hums", `(() => { const s = __spectrum(); return s.dB > -50 && s.Hz > 50 && s.Hz < 600; })()`)
	v.letGo(keyW)
	h.awaitStill()
	v.until("and is silent when it stands again", `__spectrum().dB < -60`)
}

// A spectator is a WHEP viewer without a browser.
type spectator struct {
	pc       *webrtc.PeerConnection
	addr     string
	resource string
	packets  chan struct{} // holds a token when one has come
}

// doors counts the spectators.
var doors atomic.Uint32

// spectate connects a spectator; leave disconnects it.
func spectate(ctx context.Context, addr string) (_ *spectator, err error) {
	var set webrtc.SettingEngine
	set.LoggerFactory = &logging.DefaultLoggerFactory{Writer: io.Discard}
	set.SetIncludeLoopbackCandidate(true)
	set.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	set.SetInterfaceFilter(func(name string) bool { return name == "lo" })
	// The robot identifies a viewer by address and port until it times out. No spectator gets
	// the port of another one that has just left silently.
	first := 20_000 + uint16(doors.Add(1)%1_000)*10 //nolint:gosec // below 30,000
	if err := set.SetEphemeralUDPPortRange(first, first+9); err != nil {
		return nil, err
	}
	var m webrtc.MediaEngine
	if err := m.RegisterDefaultCodecs(); err != nil {
		return nil, err
	}
	pc, err := webrtc.NewAPI(webrtc.WithSettingEngine(set), webrtc.WithMediaEngine(&m)).NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		return nil, err
	}
	s := &spectator{pc: pc, addr: addr, packets: make(chan struct{}, 1)}
	defer func() {
		if err != nil {
			_ = pc.GracefulClose()
		}
	}()
	pc.OnTrack(func(track *webrtc.TrackRemote, _ *webrtc.RTPReceiver) {
		for {
			if _, _, err := track.ReadRTP(); err != nil {
				return
			}
			select {
			case s.packets <- struct{}{}:
			default:
			}
		}
	})
	if _, err := pc.AddTransceiverFromKind(webrtc.RTPCodecTypeVideo, webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionRecvonly}); err != nil {
		return nil, err
	}
	offer, err := pc.CreateOffer(nil)
	if err != nil {
		return nil, err
	}
	if err := pc.SetLocalDescription(offer); err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/whep", strings.NewReader(offer.SDP))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/sdp")
	got, err := player.Do(r)
	if err != nil {
		return nil, err
	}
	defer got.Body.Close() // it was read
	answer, err := io.ReadAll(got.Body)
	if err != nil {
		return nil, err
	}
	if got.StatusCode != http.StatusCreated {
		return nil, fmt.Errorf("%s: %s", got.Status, answer)
	}
	s.resource = got.Header.Get("Location")
	return s, pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: string(answer)})
}

// see waits for video.
func (s *spectator) see(ctx context.Context) error {
	late, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case <-s.packets:
		return nil
	case <-late.Done():
		return fmt.Errorf("nothing comes: %w", late.Err())
	}
}

// leave disconnects the spectator, politely or silently.
func (s *spectator) leave(politely bool) error {
	defer func() { _ = s.pc.GracefulClose() }()
	if !politely {
		return nil
	}
	r, err := http.NewRequest(http.MethodDelete, "http://"+s.addr+s.resource, nil)
	if err != nil {
		return err
	}
	got, err := player.Do(r)
	if err != nil {
		return err
	}
	return got.Body.Close()
}

// The client closes idle connections before the server does, so that no request meets a
// connection that is being closed.
var player = &http.Client{Transport: &http.Transport{IdleConnTimeout: 10 * time.Second}}

// Spectators come and leave, some silently. When all have left, nothing of theirs remains.
func TestSoakNothingIsLeftOfViewersWhoHaveGone(t *testing.T) {
	long(t)
	lasts := time.Minute
	if asked, err := time.ParseDuration(os.Getenv("MYBOT_SOAK")); err == nil {
		lasts = asked
	}
	const people = 5
	h := open(t, func(c *app.Config) { c.Camera = camera.NewPattern(640, 480) })
	visit := func(stay time.Duration, politely bool) {
		s, err := spectate(t.Context(), h.addr)
		if err != nil {
			t.Error(err)
			return
		}
		if err := s.see(t.Context()); err != nil {
			t.Error(err)
		}
		<-time.After(stay)
		if err := s.leave(politely); err != nil {
			t.Error(err)
		}
	}
	// crowd makes spectators come and leave for a time. It returns the number of visits, and
	// the memory in use afterwards.
	crowd := func(lasts time.Duration) (visits int, megabytes float64) {
		var all sync.WaitGroup
		counts := make([]int, people)
		until := time.Now().Add(lasts)
		for n := range people {
			all.Go(func() {
				chance := rand.New(rand.NewPCG(2, uint64(n)))
				for time.Now().Before(until) && !t.Failed() {
					visit(time.Duration(chance.IntN(3000))*time.Millisecond, chance.IntN(3) > 0)
					counts[n]++
				}
			})
		}
		all.Wait()
		for _, n := range counts {
			visits += n
		}
		time.Sleep(12 * time.Second) // until those that left silently have timed out
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return visits, float64(m.HeapAlloc+m.StackInuse) / 1e6
	}
	_, first := crowd(lasts / 6)
	base := resting(t, 0)
	visits, last := crowd(lasts)
	resting(t, base+5)
	t.Logf("%d visits in %v: %.1f MB in use before, %.1f MB after", visits, lasts, first, last)
	if last > first+4 {
		t.Errorf("memory grows: %.1f MB before, %.1f MB after %d visits", first, last, visits)
	}
}

// crowdRole is an environment variable that makes this program a crowd: the robot's address,
// and the number of spectators.
const crowdRole = "MYBOT_SPECTATORS"

// spectators is the crowd: it reports when all of them see video, and leaves when its input
// ends.
func spectators(t *testing.T, addr string, size int) {
	for range size {
		s, err := spectate(t.Context(), addr)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.see(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Println("\nall see")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// One encoder and one track serve all viewers: one more viewer only costs sending the packets.
func TestSoakTwentyMoreWhoWatchCostLittle(t *testing.T) {
	if role := os.Getenv(crowdRole); role != "" {
		addr, size := "", 0
		if _, err := fmt.Sscan(role, &addr, &size); err != nil {
			t.Fatal(err)
		}
		spectators(t, addr, size)
		return
	}
	long(t)
	const lasts = 10 * time.Second
	h := open(t, sighted)
	// with returns the server's share of a core with a number of viewers.
	with := func(size int) float64 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSoakTwentyMoreWhoWatchCostLittle$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d", crowdRole, h.addr, size))
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = in.Close(); _ = cmd.Wait() }()
		said := bufio.NewScanner(out)
		for said.Scan() && said.Text() != "all see" {
		}
		used := func() time.Duration {
			var u syscall.Rusage
			if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
				t.Fatal(err)
			}
			return time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
		before, began := used(), time.Now()
		time.Sleep(lasts)
		return (used() - before).Seconds() / time.Since(began).Seconds()
	}
	one := with(1)
	many := with(21)
	t.Logf("one who watches: %.1f %% of a core; twenty more: %.1f %%, %.2f %% each", 100*one, 100*(many-one), 5*(many-one))
	if many-one > 0.1 {
		t.Errorf("twenty more viewers cost %.0f %% of a core", 100*(many-one))
	}
}
