package media

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pion/rtp"
	"github.com/pion/webrtc/v3"

	"mybot/robot"
)

// A NewEncoder creates an encoder of pictures of a size, at bitrate bit/s.
type NewEncoder func(width, height, bitrate int) (Encoder, error)

// A pictureStream is the camera's pictures in one codec, for the viewers whose browsers show
// that codec. It is encoded only while there are some.
type pictureStream struct {
	newEncoder NewEncoder
	format     webrtc.RTPCodecParameters
	offered    *regexp.Regexp // matches offers of the codec
	track      *webrtc.TrackLocalStaticRTP
	keyWanted  atomic.Bool  // a viewer needs a key frame
	rate       atomic.Int64 // bit/s, target of the encoder

	viewers int // guarded by Broadcaster.mu

	// The rest is owned by Broadcaster.sendPictures.
	parts         payloader
	packets       rtp.Sequencer // its numbers continue after a failure of the camera
	encoder       Encoder       // nil = no one watches
	width, height int           // of its pictures
	made          int           // number of frames of this encoder
	lastKey       time.Time
	idle          idleTimer
}

// newPictureStream returns the stream of an encoder. It creates one to learn its codec, and
// closes it again.
func newPictureStream(newEncoder NewEncoder) (*pictureStream, error) {
	sample, err := newEncoder(16, 16, defaultRate)
	if err != nil {
		return nil, fmt.Errorf("media: %w", err)
	}
	mime := sample.MimeType()
	if err := sample.Close(); err != nil {
		return nil, fmt.Errorf("media: %w", err)
	}
	p := &pictureStream{newEncoder: newEncoder, packets: rtp.NewRandomSequencer()}
	if p.parts, p.format, err = payloaderOf(mime); err != nil {
		return nil, err
	}
	p.offered = regexp.MustCompile(`(?mi)^a=rtpmap:\d+ ` + regexp.QuoteMeta(p.codec()) + `/90000\r?$`)
	if p.track, err = webrtc.NewTrackLocalStaticRTP(p.format.RTPCodecCapability, "camera", "robot"); err != nil {
		return nil, fmt.Errorf("media: %w", err)
	}
	return p, nil
}

// codec returns the name of the codec as offers have it, such as VP8.
func (p *pictureStream) codec() string { return strings.TrimPrefix(p.format.MimeType, "video/") }

// choosePictures returns the first stream that the sender of an offer can show; nil if the
// offer asks for no pictures, or the robot has none. The error is a sentence.
func (s *Broadcaster) choosePictures(offer string) (*pictureStream, error) {
	if len(s.pictures) == 0 || !strings.Contains(offer, "\nm=video ") {
		return nil, nil
	}
	for _, p := range s.pictures {
		if p.offered.MatchString(offer) {
			return p, nil
		}
	}
	return nil, fmt.Errorf("the robot sends pictures as %s, and the offer has none of these codecs", strings.Join(s.Codecs(), " or "))
}

// closeEncoder ends the encoder, if there is one.
func (p *pictureStream) closeEncoder() {
	if p.encoder != nil {
		_ = p.encoder.Close() // nothing is left to encode
	}
	p.encoder = nil
}

// encode returns a frame at bitrate bit/s; none if no one has watched for a while. The data
// is valid until the next call.
func (p *pictureStream) encode(frame *robot.Frame, viewers, bitrate int) (data []byte, err error) {
	now := time.Now()
	if p.idle.isExpired(viewers, now) || viewers == 0 && p.encoder == nil {
		p.closeEncoder()
		return nil, nil
	}
	if p.encoder == nil || frame.Width != p.width || frame.Height != p.height {
		p.closeEncoder() // the size has changed
		if p.encoder, err = p.newEncoder(frame.Width, frame.Height, bitrate); err != nil {
			p.encoder = nil
			return nil, err
		}
		p.width, p.height, p.made = frame.Width, frame.Height, 0
		p.rate.Store(int64(bitrate))
	}
	if rate := float64(p.rate.Load()); math.Abs(float64(bitrate)-rate) > rateStep*rate {
		p.encoder.SetBitrate(bitrate)
		p.rate.Store(int64(bitrate))
	}
	key := p.made < firstKeys
	if now.Sub(p.lastKey) >= keyInterval && p.keyWanted.Swap(false) {
		key = true
	}
	if key {
		p.lastKey = now
	}
	p.made++
	return p.encoder.Encode(frame, key)
}
