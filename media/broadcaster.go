package media

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/pion/rtp"
	"github.com/pion/webrtc/v3"

	"mybot/ratelimit"
	"mybot/robot"
)

// MaxViewers is the largest number of concurrent viewers.
const MaxViewers = 64

// MaxByGrant is the largest number of connections by one grant, including
// loudspeakers: a page has one, and each takes memory even before it is connected.
const MaxByGrant = 4

// The bitrates of pictures, in bit/s.
const (
	defaultRate  = 1_000_000
	minRate      = 150_000
	maxRate      = 2_500_000
	reservedRate = 90_000 // of the available bitrate, for sound and drive packets
	rateStep     = 0.05   // of the rate: smaller changes are ignored
)

var errGone = errors.New("media: this access has been revoked")

// The timing of key frames, and how long the camera runs without viewers.
const (
	keyInterval = 500 * time.Millisecond // shortest time between two
	firstKeys   = 2                      // key frames at the beginning of a stream
	idleAfter   = 2 * time.Second
	retryAfter  = time.Second
)

// A Sound is a source of sound.
type Sound interface {
	// Read fills samples, mono at 8 kHz, in real time. It returns ctx.Err() if ctx
	// ends first.
	Read(ctx context.Context, samples []int16) error
}

// Config configures a broadcaster.
type Config struct {
	Port   *Port
	Camera robot.Camera // nil = no pictures
	// Encoders make the pictures, the preferred one first: each viewer gets the first whose
	// codec its browser shows. Of two with one codec the second is ignored.
	Encoders []NewEncoder
	Sound    Sound     // nil = no sound
	Epoch    time.Time // zero of the pictures' clock, which pages know as the zero of the robot's clock
	Log      *slog.Logger
}

// A Broadcaster sends the robot's camera and sound to viewers: one camera for all, and one
// encoder and one track for all who see one codec. Camera and microphone run only while
// there are viewers. Any goroutine may call Watch.
type Broadcaster struct {
	cfg      Config
	pictures []*pictureStream            // none = no pictures
	audio    *webrtc.TrackLocalStaticRTP // nil = no sound
	speaker  *webrtc.TrackLocalStaticRTP // the talker's voice, for loudspeakers

	mu          sync.Mutex
	closed      bool
	viewers     map[string]*Viewer
	shares      ratelimit.Shares // of the viewers' places
	watching    int              // viewers, without loudspeakers
	talker      *Talker          // nil = none
	revoked     map[string]bool  // grants that were revoked
	watched     chan struct{}    // closed while there are viewers
	connections sync.WaitGroup   // viewers and talkers that have not ended
}

// NewBroadcaster returns a broadcaster; Run must be called.
func NewBroadcaster(cfg Config) (*Broadcaster, error) {
	s := &Broadcaster{cfg: cfg, viewers: map[string]*Viewer{}, revoked: map[string]bool{}, watched: make(chan struct{})}
	if cfg.Camera != nil {
		for _, newEncoder := range cfg.Encoders {
			p, err := newPictureStream(newEncoder)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(s.Codecs(), p.codec()) {
				s.pictures = append(s.pictures, p)
			}
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

// Codecs returns the codecs of the pictures, the preferred one first; none = no pictures.
func (s *Broadcaster) Codecs() (names []string) {
	for _, p := range s.pictures {
		names = append(names, p.codec())
	}
	return names
}

// CountViewers returns the number of viewers.
func (s *Broadcaster) CountViewers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.watching
}

// voicePause is the time without a voice packet after which the talker counts as
// silent, because a connection may stay open between words.
const voicePause = 500 * time.Millisecond

// IsTalking reports whether the robot is playing a talker's voice now.
func (s *Broadcaster) IsTalking() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.talker != nil && time.Now().UnixNano()-s.talker.heard.Load() < int64(voicePause)
}

// Run sends pictures and sound until ctx ends. It then ends all connections and
// returns nil.
func (s *Broadcaster) Run(ctx context.Context) error {
	var all sync.WaitGroup
	if len(s.pictures) > 0 {
		all.Go(func() { s.whileWatched(ctx, "camera", s.sendPictures) })
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
		if errors.Is(err, robot.ErrClosed) { // as when the server shuts down
			s.cfg.Log.Info("the " + what + " has ended")
			return
		}
		s.cfg.Log.Error("the "+what+" broke off", "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(retryAfter):
		}
	}
}

// runOnce runs a part of the broadcaster once and converts a panic to an error.
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

// isExpired reports whether there has been no viewer for idleAfter.
func (l *idleTimer) isExpired(viewers int, now time.Time) bool {
	switch {
	case viewers > 0:
		l.since = time.Time{}
	case l.since.IsZero():
		l.since = now
	}
	return !l.since.IsZero() && now.Sub(l.since) > idleAfter
}

// sendPictures sends pictures until there have been no viewers for a while.
func (s *Broadcaster) sendPictures(ctx context.Context) error {
	var frame robot.Frame
	defer func() {
		for _, p := range s.pictures {
			p.closeEncoder()
		}
	}()
	var idle idleTimer
	for !idle.isExpired(s.CountViewers(), time.Now()) {
		if err := s.cfg.Camera.Next(ctx, &frame); err != nil {
			return err
		}
		bitrate := s.targetBitrate()
		for _, p := range s.pictures {
			data, err := p.encode(&frame, s.countByPictures(p), bitrate)
			if err != nil {
				return err
			}
			s.sendFrame(p.track, p.parts.Payload(maxPayload, data), p.packets, s.timestampOf(frame.Taken))
		}
	}
	return nil
}

// timestampOf converts a time to the pictures' clock.
func (s *Broadcaster) timestampOf(t time.Time) uint32 {
	return uint32(int64(math.Round(t.Sub(s.cfg.Epoch).Seconds() * pictureClock))) //nolint:gosec // it is meant to wrap
}

// sendFrame sends a frame to all viewers, each of its parts in a packet.
func (s *Broadcaster) sendFrame(to *webrtc.TrackLocalStaticRTP, parts [][]byte, packets rtp.Sequencer, stamp uint32) {
	for i, part := range parts {
		p := rtp.Packet{
			Header:  rtp.Header{Version: 2, Marker: i == len(parts)-1, SequenceNumber: packets.NextSequenceNumber(), Timestamp: stamp},
			Payload: part,
		}
		_ = to.WriteRTP(&p) // the viewer's own goroutine handles a viewer that is gone
	}
}

// targetBitrate returns the encoder's target in bit/s: the available bitrate of the
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

// sendSound sends sound until there have been no viewers for a while.
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
		s.sendFrame(s.audio, [][]byte{bytes}, packets, *stamp)
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
	case !s.shares.Take(v.sharer, limit-len(s.viewers)):
		return ErrShare
	}
	s.viewers[v.ID] = v
	if !v.speaker {
		if s.watching == 0 {
			close(s.watched)
		}
		s.watching++
	}
	if v.pictures != nil {
		v.pictures.viewers++
	}
	s.connections.Add(1)
	return nil
}

// countByGrant returns the number of connections by the grant. s.mu is locked.
func (s *Broadcaster) countByGrant(grant string) (n int) {
	for _, v := range s.viewers {
		if v.Grant == grant {
			n++
		}
	}
	return n
}

// countByPictures returns the number of viewers of a stream.
func (s *Broadcaster) countByPictures(p *pictureStream) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return p.viewers
}

// removeViewer removes a viewer.
func (s *Broadcaster) removeViewer(v *Viewer) {
	defer s.connections.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.viewers, v.ID)
	s.shares.Return(v.sharer)
	if v.pictures != nil {
		v.pictures.viewers--
	}
	if v.speaker {
		return
	}
	if s.watching--; s.watching == 0 {
		s.watched = make(chan struct{})
	}
}

// FindViewer returns the viewer with the id; nil = none.
func (s *Broadcaster) FindViewer(id string) *Viewer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.viewers[id]
}
