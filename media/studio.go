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
	keyEvery = 500 * time.Millisecond // at most one in this time
	keyFirst = 2                      // frames of a new stream
	lingers  = 2 * time.Second
	tryAgain = time.Second
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

// A Studio shows people what the robot sees and lets them hear what it hears:
// one camera, one encoder and one track for everybody. Camera and microphone
// run only while somebody watches. Watch may be called from any goroutine.
type Studio struct {
	cfg     Config
	format  webrtc.RTPCodecParameters   // of the pictures
	video   *webrtc.TrackLocalStaticRTP // nil = it sees nothing
	audio   *webrtc.TrackLocalStaticRTP // nil = it hears nothing
	speaker *webrtc.TrackLocalStaticRTP // what it says in somebody's voice

	key    atomic.Bool   // somebody needs a key frame
	frames atomic.Uint64 // sent so far
	rate   atomic.Int64  // bit/s that the encoder is asked for

	mu       sync.Mutex
	closed   bool
	viewers  map[string]*Viewer
	watching int             // viewers that are no loudspeakers
	talker   *Talker         // nil = nobody talks
	gone     map[string]bool // grants that were revoked
	somebody chan struct{}   // closed while there are some
	people   sync.WaitGroup  // who came and has not quite gone
}

// NewStudio returns a studio that Run will run. Its codec is that of an encoder
// which is made and closed again here.
func NewStudio(cfg Config) (*Studio, error) {
	s := &Studio{cfg: cfg, viewers: map[string]*Viewer{}, gone: map[string]bool{}, somebody: make(chan struct{})}
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
		if s.audio, err = webrtc.NewTrackLocalStaticRTP(pcmu().RTPCodecCapability, "sound", "robot"); err != nil {
			return nil, fmt.Errorf("media: %w", err)
		}
	}
	var err error
	if s.speaker, err = webrtc.NewTrackLocalStaticRTP(pcmu().RTPCodecCapability, "speaker", "robot"); err != nil {
		return nil, fmt.Errorf("media: %w", err)
	}
	return s, nil
}

// MimeType names the codec of the pictures; "" = there are none.
func (s *Studio) MimeType() string { return s.format.MimeType }

// Viewers returns how many people watch.
func (s *Studio) Viewers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.watching
}

// pauseOfVoice is how long no packet of a voice may come before nobody talks: a
// connection that is open for the next word says nothing.
const pauseOfVoice = 500 * time.Millisecond

// Talking tells whether somebody's voice comes out of the robot now.
func (s *Studio) Talking() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.talker != nil && time.Now().UnixNano()-s.talker.heard.Load() < int64(pauseOfVoice)
}

// Sent returns how many pictures were sent so far, and at how many bit/s the
// encoder aims.
func (s *Studio) Sent() (frames uint64, bitrate int) { return s.frames.Load(), int(s.rate.Load()) }

// Run shows and lets hear until ctx ends. Then nobody watches any more, and it
// returns nil.
func (s *Studio) Run(ctx context.Context) error {
	var all sync.WaitGroup
	if s.video != nil {
		parts, _, err := payloaderOf(s.format.MimeType)
		if err != nil {
			return err
		}
		packets := rtp.NewRandomSequencer() // it counts on, also after a camera that broke off
		all.Go(func() {
			s.whileWatched(ctx, "camera", func(ctx context.Context) error { return s.show(ctx, parts, packets) })
		})
	}
	if s.audio != nil {
		packets, stamp := rtp.NewRandomSequencer(), uint32(0)
		all.Go(func() {
			s.whileWatched(ctx, "microphone", func(ctx context.Context) error { return s.listen(ctx, packets, &stamp) })
		})
	}
	<-ctx.Done()
	all.Wait()
	s.close()
	return nil
}

// whileWatched runs a part of the studio whenever somebody watches.
func (s *Studio) whileWatched(ctx context.Context, what string, run func(context.Context) error) {
	for {
		s.mu.Lock()
		somebody := s.somebody
		s.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-somebody:
		}
		err := s.attempt(ctx, run)
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

// attempt runs a part of the studio once; a fault in it is an error.
func (s *Studio) attempt(ctx context.Context, run func(context.Context) error) (err error) {
	defer func() {
		if caught(recover(), s.cfg.Log) {
			err = errors.New("it met a fault of the program")
		}
	}()
	return run(ctx)
}

// A linger tells when nobody has watched for a while.
type linger struct{ since time.Time }

// over tells whether it is time to end.
func (l *linger) over(viewers int, now time.Time) bool {
	switch {
	case viewers > 0:
		l.since = time.Time{}
	case l.since.IsZero():
		l.since = now
	}
	return !l.since.IsZero() && now.Sub(l.since) > lingers
}

// show sends pictures until nobody watches.
func (s *Studio) show(ctx context.Context, parts payloader, packets rtp.Sequencer) error {
	var frame robot.Frame
	var out Encoder
	defer func() {
		if out != nil {
			_ = out.Close() // nothing is left to be encoded
		}
	}()
	var idle linger
	var lastKey time.Time
	width, height, rate, made := 0, 0, 0, 0
	for !idle.over(s.Viewers(), time.Now()) {
		if err := s.cfg.Camera.Next(ctx, &frame); err != nil {
			return err
		}
		wish := s.wish()
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
		if now.Sub(lastKey) >= keyEvery && s.key.Swap(false) {
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
		s.send(s.video, parts.Payload(mostPayload, data), packets, s.stamp(frame.Taken))
	}
	return nil
}

// stamp returns a time on the pictures' clock.
func (s *Studio) stamp(t time.Time) uint32 {
	return uint32(int64(math.Round(t.Sub(s.cfg.Epoch).Seconds() * pictureClock))) //nolint:gosec // it is meant to wrap
}

// send puts the parts of a frame on their way to everybody.
func (s *Studio) send(to *webrtc.TrackLocalStaticRTP, parts [][]byte, packets rtp.Sequencer, stamp uint32) {
	for i, part := range parts {
		p := rtp.Packet{
			Header:  rtp.Header{Version: 2, Marker: i == len(parts)-1, SequenceNumber: packets.NextSequenceNumber(), Timestamp: stamp},
			Payload: part,
		}
		_ = to.WriteRTP(&p) // who is gone is told of elsewhere
	}
}

// wish returns how many bit/s the encoder should make: what there is room for
// on the way to who leads, or else on the narrowest way.
func (s *Studio) wish() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, lead := 0, 0
	for _, v := range s.viewers {
		room := int(v.room.Load())
		if room == 0 {
			continue
		}
		if v.repair != nil && v.loses() {
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

// listen sends what the robot hears until nobody watches.
func (s *Studio) listen(ctx context.Context, packets rtp.Sequencer, stamp *uint32) error {
	const each = SoundRate / 50 // 20 ms
	samples, bytes := make([]int16, each), make([]byte, each)
	var idle linger
	for ; !idle.over(s.Viewers(), time.Now()); *stamp += each {
		if err := s.cfg.Sound.Read(ctx, samples); err != nil {
			return err
		}
		for i, v := range samples {
			bytes[i] = mulaw(v)
		}
		s.send(s.audio, [][]byte{bytes}, packets, *stamp)
	}
	return nil
}

// close sends everybody away.
func (s *Studio) close() {
	s.mu.Lock()
	s.closed = true
	for _, v := range s.viewers {
		v.hangUp()
	}
	if s.talker != nil {
		s.talker.hangUp()
	}
	s.mu.Unlock()
	s.people.Wait()
}

// kept is how many places are kept for those who may drive.
const kept = 8

// enter makes room for one more viewer.
func (s *Studio) enter(v *Viewer, drives bool) error {
	most := MostViewers
	if !drives {
		most -= kept
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return ErrClosed
	case len(s.viewers) >= most:
		return ErrCrowded
	case s.gone[v.Grant]:
		return errGone
	}
	s.viewers[v.ID] = v
	if !v.speaker {
		if s.watching == 0 {
			close(s.somebody)
		}
		s.watching++
	}
	s.people.Add(1)
	return nil
}

// leave forgets a viewer.
func (s *Studio) leave(v *Viewer) {
	defer s.people.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.viewers, v.ID)
	if v.speaker {
		return
	}
	if s.watching--; s.watching == 0 {
		s.somebody = make(chan struct{})
	}
}

// Viewer returns the viewer with the id; nil = there is none any more.
func (s *Studio) Viewer(id string) *Viewer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.viewers[id]
}
