package media

import (
	"io"
	"sync"

	"github.com/pion/transport/v2/packetio"
	"github.com/pion/webrtc/v3"
)

const (
	// maxSources is how many streams, of RTP and of RTCP together, a connection may
	// have: for each number (SSRC) that the other end names, WebRTC creates one and
	// keeps it, with a buffer, until the connection ends. Browsers name fewer than ten.
	maxSources = 32
	// maxUnread is how much of one stream may wait to be read, in bytes. Nothing reads
	// a stream that the robot does not expect.
	maxUnread = 32 << 10
)

// sources counts the streams of one connection.
type sources struct {
	hangUp func()

	mu    sync.Mutex
	count int
}

// settings returns the settings of one connection, which hangUp ends when the other
// end names more than maxSources. hangUp must not wait.
func (p *Port) settings(hangUp func()) webrtc.SettingEngine {
	set, s := p.set, &sources{hangUp: hangUp}
	set.BufferFactory = func(packetio.BufferPacketType, uint32) io.ReadWriteCloser { return s.newBuffer() }
	return set
}

// newBuffer returns the buffer of one more stream; that of a stream too many is
// closed, so that it takes nothing.
func (s *sources) newBuffer() *packetio.Buffer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	b := packetio.NewBuffer()
	b.SetLimitSize(maxUnread)
	if s.count > maxSources {
		_ = b.Close() // it cannot fail
		s.hangUp()
	}
	return b
}
