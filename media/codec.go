package media

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/pion/rtp/codecs"
	"github.com/pion/webrtc/v3"

	"mybot/robot"
)

// An Encoder encodes pictures, as in package media/vp8. One goroutine uses it.
type Encoder interface {
	// MimeType returns the codec: video/VP8 or video/H264.
	MimeType() string
	// Encode returns the frame, which is valid until the next call; an empty one is
	// skipped. key asks for a frame that can be decoded without earlier ones.
	Encode(f *robot.Frame, key bool) ([]byte, error)
	// SetBitrate sets the target bitrate, in bit/s.
	SetBitrate(bits int)
	Close() error
}

// SoundRate is the sample rate of sound, in Hz.
const SoundRate = 8000

// pictureClock is the rate of the pictures' RTP clock, in Hz.
const pictureClock = 90000

// maxPayload is the largest part of a frame in one packet, in bytes.
const maxPayload = 1160

// Payload types, from RFC 3551 and as browsers use them.
const (
	vp8Payload    = 96
	h264Payload   = 102
	repairPayload = 118
	pcmuPayload   = 0
)

// A payloader splits a frame into packets.
type payloader interface {
	Payload(mtu uint16, frame []byte) [][]byte
}

// payloaderOf returns the payloader of a codec, and the codec's parameters for a
// page.
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

// A vp8Payloader splits VP8 frames (RFC 7741) and numbers them. A browser that sees
// a frame without a number, after others that had one, waits for seconds.
type vp8Payloader struct{ picture uint16 }

// Payload returns the parts of a frame, at most mtu bytes each.
func (p *vp8Payloader) Payload(mtu uint16, frame []byte) [][]byte {
	const (
		extended  = 0x80
		begins    = 0x10 // the frame begins here
		numbered  = 0x80
		longer    = 0x8000 // the frame number has 15 bits
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
