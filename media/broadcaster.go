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

// MaxViewers is how many people see and hear through the robot at once.
const MaxViewers = 64

// MaxByGrant is how many of them, loudspeakers too, come by one grant: a page
// has one, and each that has only been offered takes memory.
const MaxByGrant = 4

// The rates of pictures, in bit/s.
const (
	defaultRate  = 1_000_000
	minRate      = 150_000
	maxRate      = 2_500_000
	reservedRate = 90_000 // of the available bitrate, for sound and drive packets
	rateStep     = 0.05   // of the rate, below which a change is not worth one
)

var errGone = errors.New("media: this access has been revoked")

// When key frames are sent, and how long the camera runs without viewers.
const (
	keyInterval = 500 * time.Millisecond // at most one in this time
	firstKeys   = 2                      // frames of a new stream
	idleAfter   = 2 * time.Second
	retryAfter  = time.Second
)

// A Sound gives what the robot hears.
type Sound interface {
	// Read fills samples, mono at 8 kHz, and takes as long as they last. It
	// returns ctx.Err() when ctx ends first.
	Read(ctx context.Context, samples []int16) error
}

// Config is what a broadcaster is made of.
type Config struct {
	Port    *Port
	Camera  robot.Camera // nil = the robot sees nothing
	Encoder func(width, height, bitrate int) (Encoder, error)
	Sound   Sound     // nil = it hears nothing
	Epoch   time.Time // zero of the pictures' clock: pages know it as the zero of the robot's
	Log     *slog.Logger
}

// A Broadcaster shows people what the robot sees and lets them hear what it hears:
// one camera, one encoder and one track for all viewers. Camera and microphone
// run only while there are viewers. Watch may be called from any goroutine.
type Broadcaster struct {
	cfg     Config
	format  webrtc.RTPCodecParameters   // of the pictures
	video   *webrtc.TrackLocalStaticRTP // nil = it sees nothing
	audio   *webrtc.TrackLocalStaticRTP // nil = it hears nothing
	speaker *webrtc.TrackLocalStaticRTP // the talker's voice, for loudspeakers

	keyWanted atomic.Bool  // a viewer needs a key frame
	rate      atomic.Int64 // bit/s that the encoder is asked for

	mu          sync.Mutex
	closed      bool
	viewers     map[string]*Viewer
	watching    int             // viewers that are no loudspeakers
	talker      *Talker         // nil = there is none
	revoked     map[string]bool // grants that were revoked
	watched     chan struct{}   // closed while there are some
	connections sync.WaitGroup  // viewers and talkers that have not ended yet
}

// NewBroadcaster returns a broadcaster that Run will run. Its codec is that of an encoder
// which is made and closed again here.
func NewBroadcaster(cfg Config) (*Broadcaster, error) {
	s := &Broadcaster{cfg: cfg, viewers: map[string]*Viewer{}, revoked: map[string]bool{}, watched: make(chan struct{})}
	if cfg.Camera != nil {
		sample, err := cfg.Encoder(16, 16, defaultRate)
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

// CountViewers returns how many people watch.
func (s *Broadcaster) CountViewers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.watching
}

// voicePause is the time without a voice packet after which the talker counts as
// silent: a connection may stay open between words.
const voicePause = 500 * time.Millisecond

// IsTalking reports whether a talker's voice comes out of the robot now.
func (s *Broadcaster) IsTalking() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.talker != nil && time.Now().UnixNano()-s.talker.heard.Load() < int64(voicePause)
}

// Run sends pictures and sound until ctx ends. It then ends all viewers and
// returns nil.
func (s *Broadcaster) Run(ctx context.Context) error {
	var all sync.WaitGroup
	if s.video != nil {
		parts, _, err := payloaderOf(s.format.MimeType)
		if err != nil {
			return err
		}
		packets := rtp.NewRandomSequencer() // its numbers continue after a camera failed
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

// whileWatched runs a part of the broadcaster whenever there are viewers.
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
		case <-time.After(retryAfter):
		}
	}
}

// runOnce runs a part of the broadcaster once; a fault in it is an error.
func (s *Broadcaster) runOnce(ctx context.Context, run func(context.Context) error) (err error) {
	defer func() {
		if logPanic(recover(), s.cfg.Log) {
			err = errors.New("it met a fault of the program")
		}
	}()
	return run(ctx)
}

// An idleTimer measures the time without viewers.
type idleTimer struct{ since time.Time }

// isExpired reports whether there was no viewer for idleAfter.
func (l *idleTimer) isExpired(viewers int, now time.Time) bool {
	switch {
	case viewers > 0:
		l.since = time.Time{}
	case l.since.IsZero():
		l.since = now
	}
	return !l.since.IsZero() && now.Sub(l.since) > idleAfter
}

// sendPictures sends pictures until there has been no viewer for a while.
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
	for !idle.isExpired(s.CountViewers(), time.Now()) {
		if err := s.cfg.Camera.Next(ctx, &frame); err != nil {
			return err
		}
		bitrate := s.targetBitrate()
		if out == nil || frame.Width != width || frame.Height != height {
			if out != nil {
				_ = out.Close() // of another size
			}
			var err error
			if out, err = s.cfg.Encoder(frame.Width, frame.Height, bitrate); err != nil {
				out = nil
				return err
			}
			width, height, rate, made = frame.Width, frame.Height, bitrate, 0
		}
		if math.Abs(float64(bitrate-rate)) > rateStep*float64(rate) {
			out.SetBitrate(bitrate)
			rate = bitrate
		}
		s.rate.Store(int64(rate))
		now := time.Now()
		key := made < firstKeys
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
		s.sendPacket(s.video, parts.Payload(maxPayload, data), packets, s.timestampOf(frame.Taken))
	}
	return nil
}

// timestampOf returns a time on the pictures' clock.
func (s *Broadcaster) timestampOf(t time.Time) uint32 {
	return uint32(int64(math.Round(t.Sub(s.cfg.Epoch).Seconds() * pictureClock))) //nolint:gosec // it is meant to wrap
}

// sendPacket sends the parts of a frame to all viewers.
func (s *Broadcaster) sendPacket(to *webrtc.TrackLocalStaticRTP, parts [][]byte, packets rtp.Sequencer, stamp uint32) {
	for i, part := range parts {
		p := rtp.Packet{
			Header:  rtp.Header{Version: 2, Marker: i == len(parts)-1, SequenceNumber: packets.NextSequenceNumber(), Timestamp: stamp},
			Payload: part,
		}
		_ = to.WriteRTP(&p) // a viewer that is gone is handled by its own goroutine
	}
}

// targetBitrate returns the bit/s for the encoder: the available bitrate of the
// driver's viewer, or else the smallest of all viewers.
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
	room := defaultRate + reservedRate
	if lead > 0 {
		room = lead
	} else if all > 0 {
		room = all
	}
	return max(minRate, min(maxRate, room-reservedRate))
}

// sendSound sends what the robot hears until there has been no viewer for a while.
func (s *Broadcaster) sendSound(ctx context.Context, packets rtp.Sequencer, stamp *uint32) error {
	const each = SoundRate / 50 // 20 ms
	samples, bytes := make([]int16, each), make([]byte, each)
	var idle idleTimer
	for ; !idle.isExpired(s.CountViewers(), time.Now()); *stamp += each {
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

// closeAll ends all viewers and the talker.
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

// reservedViewers is how many places are reserved for users who may drive.
const reservedViewers = 8

// addViewer adds a viewer, or says why it cannot.
func (s *Broadcaster) addViewer(v *Viewer, drives bool) error {
	limit := MaxViewers
	if !drives {
		limit -= reservedViewers
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
	case v.Grant != "" && s.countByGrant(v.Grant) >= MaxByGrant:
		return ErrGreedy
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

// countByGrant returns how many came by the grant. s.mu is locked.
func (s *Broadcaster) countByGrant(grant string) (n int) {
	for _, v := range s.viewers {
		if v.Grant == grant {
			n++
		}
	}
	return n
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

// FindViewer returns the viewer with the id; nil = there is none any more.
func (s *Broadcaster) FindViewer(id string) *Viewer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.viewers[id]
}
