package media

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/rtp"
	"github.com/pion/webrtc/v3"

	"mybot/robot"
)

// MostViewers is how many people see and hear through the robot at once.
const MostViewers = 64

// The rates of pictures, in bit/s.
const (
	usualRate = 1_000_000
	leastRate = 150_000
	mostRate  = 2_500_000
	besides   = 90_000 // of what there is room for, for sound and drive packets
	stepAbove = 0.05   // of the rate, below which a change is not worth one
)

var errGone = errors.New("media: this access has been revoked")

// When key frames come, and how long the camera runs on for nobody.
const (
	keyInterval = 500 * time.Millisecond // at most one in this time
	keyFirst    = 2                      // frames of a new stream
	idleAfter   = 2 * time.Second
	tryAgain    = time.Second
)

// A Sound gives what the robot hears.
type Sound interface {
	// Read fills samples, mono at 8 kHz, and takes as long as they last. It
	// returns ctx.Err() when ctx ends first.
	Read(ctx context.Context, samples []int16) error
}

// Config is what a studio is made of.
type Config struct {
	Port    *Port
	Camera  robot.Camera // nil = the robot sees nothing
	Encoder func(width, height, bitrate int) (Encoder, error)
	Sound   Sound     // nil = it hears nothing
	Epoch   time.Time // zero of the pictures' clock: pages know it as the zero of the robot's
	Log     *slog.Logger
}

// A Broadcaster shows people what the robot sees and lets them hear what it hears:
// one camera, one encoder and one track for everybody. Camera and microphone
// run only while somebody watches. Watch may be called from any goroutine.
type Broadcaster struct {
	cfg     Config
	format  webrtc.RTPCodecParameters   // of the pictures
	video   *webrtc.TrackLocalStaticRTP // nil = it sees nothing
	audio   *webrtc.TrackLocalStaticRTP // nil = it hears nothing
	speaker *webrtc.TrackLocalStaticRTP // what it says in somebody's voice

	keyWanted atomic.Bool   // somebody needs a key frame
	frames    atomic.Uint64 // sent so far
	rate      atomic.Int64  // bit/s that the encoder is asked for

	mu          sync.Mutex
	closed      bool
	viewers     map[string]*Viewer
	watching    int             // viewers that are no loudspeakers
	talker      *Talker         // nil = nobody talks
	revoked     map[string]bool // grants that were revoked
	watched     chan struct{}   // closed while there are some
	connections sync.WaitGroup  // who came and has not quite gone
}

// NewBroadcaster returns a studio that Run will run. Its codec is that of an encoder
// which is made and closed again here.
func NewBroadcaster(cfg Config) (*Broadcaster, error) {
	s := &Broadcaster{cfg: cfg, viewers: map[string]*Viewer{}, revoked: map[string]bool{}, watched: make(chan struct{})}
	if cfg.Camera != nil {
		sample, err := cfg.Encoder(16, 16, usualRate)
		if err != nil {
			return nil, fmt.Errorf("media: %w", err)
		}
		mime := sample.MimeType()
		if err := sample.Close(); err != nil {
			return nil, fmt.Errorf("media: %w", err)
		}
		if _, s.format, err = payloaderOf(mime); err != nil {
			return nil, err
		}
		if s.video, err = webrtc.NewTrackLocalStaticRTP(s.format.RTPCodecCapability, "camera", "robot"); err != nil {
			return nil, fmt.Errorf("media: %w", err)
		}
	}
	if cfg.Sound != nil {
		var err error
		if s.audio, err = webrtc.NewTrackLocalStaticRTP(mulawCodec().RTPCodecCapability, "sound", "robot"); err != nil {
			return nil, fmt.Errorf("media: %w", err)
		}
	}
	var err error
	if s.speaker, err = webrtc.NewTrackLocalStaticRTP(mulawCodec().RTPCodecCapability, "speaker", "robot"); err != nil {
		return nil, fmt.Errorf("media: %w", err)
	}
	return s, nil
}

// MimeType names the codec of the pictures; "" = there are none.
func (s *Broadcaster) MimeType() string { return s.format.MimeType }

// Viewers returns how many people watch.
func (s *Broadcaster) Viewers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.watching
}

// voicePause is how long no packet of a voice may come before nobody talks: a
// connection that is open for the next word says nothing.
const voicePause = 500 * time.Millisecond

// Talking tells whether somebody's voice comes out of the robot now.
func (s *Broadcaster) Talking() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.talker != nil && time.Now().UnixNano()-s.talker.heard.Load() < int64(voicePause)
}

// Sent returns how many pictures were sent so far, and at how many bit/s the
// encoder aims.
func (s *Broadcaster) Sent() (frames uint64, bitrate int) { return s.frames.Load(), int(s.rate.Load()) }

// Run shows and lets hear until ctx ends. Then nobody watches any more, and it
// returns nil.
func (s *Broadcaster) Run(ctx context.Context) error {
	var all sync.WaitGroup
	if s.video != nil {
		parts, _, err := payloaderOf(s.format.MimeType)
		if err != nil {
			return err
		}
		packets := rtp.NewRandomSequencer() // it counts on, also after a camera that broke off
		all.Go(func() {
			s.whileWatched(ctx, "camera", func(ctx context.Context) error { return s.sendPictures(ctx, parts, packets) })
		})
	}
	if s.audio != nil {
		packets, stamp := rtp.NewRandomSequencer(), uint32(0)
		all.Go(func() {
			s.whileWatched(ctx, "microphone", func(ctx context.Context) error { return s.sendSound(ctx, packets, &stamp) })
		})
	}
	<-ctx.Done()
	all.Wait()
	s.closeAll()
	return nil
}

// whileWatched runs a part of the studio whenever somebody watches.
func (s *Broadcaster) whileWatched(ctx context.Context, what string, run func(context.Context) error) {
	for {
		s.mu.Lock()
		somebody := s.watched
		s.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-somebody:
		}
		err := s.runOnce(ctx, run)
		if err == nil || ctx.Err() != nil {
			continue
		}
		s.cfg.Log.Error("the "+what+" broke off", "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(tryAgain):
		}
	}
}

// runOnce runs a part of the studio once; a fault in it is an error.
func (s *Broadcaster) runOnce(ctx context.Context, run func(context.Context) error) (err error) {
	defer func() {
		if logPanic(recover(), s.cfg.Log) {
			err = errors.New("it met a fault of the program")
		}
	}()
	return run(ctx)
}

// A idleTimer tells when nobody has watched for a while.
type idleTimer struct{ since time.Time }

// expired tells whether it is time to end.
func (l *idleTimer) expired(viewers int, now time.Time) bool {
	switch {
	case viewers > 0:
		l.since = time.Time{}
	case l.since.IsZero():
		l.since = now
	}
	return !l.since.IsZero() && now.Sub(l.since) > idleAfter
}

// sendPictures sends pictures until nobody watches.
func (s *Broadcaster) sendPictures(ctx context.Context, parts payloader, packets rtp.Sequencer) error {
	var frame robot.Frame
	var out Encoder
	defer func() {
		if out != nil {
			_ = out.Close() // nothing is left to be encoded
		}
	}()
	var idle idleTimer
	var lastKey time.Time
	width, height, rate, made := 0, 0, 0, 0
	for !idle.expired(s.Viewers(), time.Now()) {
		if err := s.cfg.Camera.Next(ctx, &frame); err != nil {
			return err
		}
		wish := s.targetBitrate()
		if out == nil || frame.Width != width || frame.Height != height {
			if out != nil {
				_ = out.Close() // of another size
			}
			var err error
			if out, err = s.cfg.Encoder(frame.Width, frame.Height, wish); err != nil {
				out = nil
				return err
			}
			width, height, rate, made = frame.Width, frame.Height, wish, 0
		}
		if math.Abs(float64(wish-rate)) > stepAbove*float64(rate) {
			out.SetBitrate(wish)
			rate = wish
		}
		s.rate.Store(int64(rate))
		now := time.Now()
		key := made < keyFirst
		if now.Sub(lastKey) >= keyInterval && s.keyWanted.Swap(false) {
			key = true
		}
		if key {
			lastKey = now
		}
		data, err := out.Encode(&frame, key)
		if err != nil {
			return err
		}
		made++
		s.frames.Add(1)
		s.sendPacket(s.video, parts.Payload(mostPayload, data), packets, s.timestampOf(frame.Taken))
	}
	return nil
}

// timestampOf returns a time on the pictures' clock.
func (s *Broadcaster) timestampOf(t time.Time) uint32 {
	return uint32(int64(math.Round(t.Sub(s.cfg.Epoch).Seconds() * pictureClock))) //nolint:gosec // it is meant to wrap
}

// sendPacket puts the parts of a frame on their way to everybody.
func (s *Broadcaster) sendPacket(to *webrtc.TrackLocalStaticRTP, parts [][]byte, packets rtp.Sequencer, stamp uint32) {
	for i, part := range parts {
		p := rtp.Packet{
			Header:  rtp.Header{Version: 2, Marker: i == len(parts)-1, SequenceNumber: packets.NextSequenceNumber(), Timestamp: stamp},
			Payload: part,
		}
		_ = to.WriteRTP(&p) // who is gone is told of elsewhere
	}
}

// targetBitrate returns how many bit/s the encoder should make: what there is room for
// on the way to who leads, or else on the narrowest way.
func (s *Broadcaster) targetBitrate() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, lead := 0, 0
	for _, v := range s.viewers {
		room := int(v.availableBitrate.Load())
		if room == 0 {
			continue
		}
		if v.repair != nil && v.losesPackets() {
			room = int(float64(room) / (1 + repairShare))
		}
		if all == 0 || room < all {
			all = room
		}
		if v.leads != nil && v.leads() && (lead == 0 || room < lead) {
			lead = room
		}
	}
	room := usualRate + besides
	if lead > 0 {
		room = lead
	} else if all > 0 {
		room = all
	}
	return max(leastRate, min(mostRate, room-besides))
}

// sendSound sends what the robot hears until nobody watches.
func (s *Broadcaster) sendSound(ctx context.Context, packets rtp.Sequencer, stamp *uint32) error {
	const each = SoundRate / 50 // 20 ms
	samples, bytes := make([]int16, each), make([]byte, each)
	var idle idleTimer
	for ; !idle.expired(s.Viewers(), time.Now()); *stamp += each {
		if err := s.cfg.Sound.Read(ctx, samples); err != nil {
			return err
		}
		for i, v := range samples {
			bytes[i] = encodeMulaw(v)
		}
		s.sendPacket(s.audio, [][]byte{bytes}, packets, *stamp)
	}
	return nil
}

// closeAll sends everybody away.
func (s *Broadcaster) closeAll() {
	s.mu.Lock()
	s.closed = true
	for _, v := range s.viewers {
		v.hangUp()
	}
	if s.talker != nil {
		s.talker.hangUp()
	}
	s.mu.Unlock()
	s.connections.Wait()
}

// kept is how many places are kept for those who may drive.
const kept = 8

// addViewer makes room for one more viewer.
func (s *Broadcaster) addViewer(v *Viewer, drives bool) error {
	limit := MostViewers
	if !drives {
		limit -= kept
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return ErrClosed
	case len(s.viewers) >= limit:
		return ErrCrowded
	case s.revoked[v.Grant]:
		return errGone
	}
	s.viewers[v.ID] = v
	if !v.speaker {
		if s.watching == 0 {
			close(s.watched)
		}
		s.watching++
	}
	s.connections.Add(1)
	return nil
}

// removeViewer forgets a viewer.
func (s *Broadcaster) removeViewer(v *Viewer) {
	defer s.connections.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.viewers, v.ID)
	if v.speaker {
		return
	}
	if s.watching--; s.watching == 0 {
		s.watched = make(chan struct{})
	}
}

// Viewer returns the viewer with the id; nil = there is none any more.
func (s *Broadcaster) Viewer(id string) *Viewer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.viewers[id]
}
