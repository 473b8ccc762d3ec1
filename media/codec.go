package media

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/pion/rtp/codecs"
	"github.com/pion/webrtc/v3"

	"mybot/robot"
)

// An Encoder makes the frames of a codec of pictures: package media/vp8. One
// goroutine uses it.
type Encoder interface {
	// MimeType names the codec: video/VP8 or video/H264.
	MimeType() string
	// Encode returns the frame, which is its caller's until the next call; an
	// empty one is skipped. key asks for one that needs none before it.
	Encode(f *robot.Frame, key bool) ([]byte, error)
	// SetBitrate says how much may be sent, in bit/s.
	SetBitrate(bits int)
	Close() error
}

// SoundRate is how many samples a second sound has, in Hz.
const SoundRate = 8000

// pictureClock is the rate of the pictures' RTP clock, in Hz.
const pictureClock = 90000

// maxPayload is how many bytes of a frame travel in one packet.
const maxPayload = 1160

// payloadTypes are RFC 3551's and what browsers use.
const (
	vp8Payload    = 96
	h264Payload   = 102
	repairPayload = 118
	pcmuPayload   = 0
)

// A payloader cuts a frame into what fits packets.
type payloader interface {
	Payload(mtu uint16, frame []byte) [][]byte
}

// payloaderOf returns how frames of a codec are cut into packets, and the codec's
// parameters for a page.
func payloaderOf(mime string) (payloader, webrtc.RTPCodecParameters, error) {
	feedback := []webrtc.RTCPFeedback{{Type: "nack"}, {Type: "nack", Parameter: "pli"}, {Type: "ccm", Parameter: "fir"}, {Type: "transport-cc"}}
	about := webrtc.RTPCodecParameters{RTPCodecCapability: webrtc.RTPCodecCapability{MimeType: mime, ClockRate: pictureClock, RTCPFeedback: feedback}}
	switch {
	case strings.EqualFold(mime, webrtc.MimeTypeVP8):
		about.PayloadType = vp8Payload
		return &vp8Payloader{}, about, nil
	case strings.EqualFold(mime, webrtc.MimeTypeH264):
		about.PayloadType = h264Payload
		about.SDPFmtpLine = "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f"
		return &codecs.H264Payloader{}, about, nil
	}
	return nil, about, fmt.Errorf("media: pictures in %s cannot be sent; video/VP8 and video/H264 can", mime)
}

// A vp8Payloader cuts VP8 frames (RFC 7741), each with its number. A browser
// that once sees a frame without one waits for seconds.
type vp8Payloader struct{ picture uint16 }

// Payload returns the parts of a frame, at most mtu bytes each.
func (p *vp8Payloader) Payload(mtu uint16, frame []byte) [][]byte {
	const (
		extended  = 0x80
		begins    = 0x10 // the frame begins here
		numbered  = 0x80
		longer    = 0x8000 // the number has 15 bits
		ourHeader = 4
	)
	var parts [][]byte
	for first := true; len(frame) > 0; first = false {
		n := min(len(frame), int(mtu)-ourHeader)
		part := make([]byte, ourHeader, ourHeader+n)
		part[0], part[1] = extended, numbered
		if first {
			part[0] |= begins
		}
		binary.BigEndian.PutUint16(part[2:], longer|p.picture)
		parts = append(parts, append(part, frame[:n]...))
		frame = frame[n:]
	}
	p.picture = (p.picture + 1) &^ longer
	return parts
}
