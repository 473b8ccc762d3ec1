package media

import (
	"github.com/pion/interceptor"
	"github.com/pion/rtp"
)

// playoutURI names the header extension with which a sender limits how long a
// receiver buffers pictures to play them evenly.
const playoutURI = "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"

// noPlayoutDelay asks every receiver to show pictures as they arrive: with a
// playout delay of 0 to 0. It reduces the delay from camera to display from 72 to
// 15 ms.
type noPlayoutDelay struct{ interceptor.NoOp }

// NewInterceptor returns itself.
func (a *noPlayoutDelay) NewInterceptor(string) (interceptor.Interceptor, error) { return a, nil }

// BindLocalStream adds the extension to every packet of a stream whose receiver
// supports it.
func (a *noPlayoutDelay) BindLocalStream(info *interceptor.StreamInfo, w interceptor.RTPWriter) interceptor.RTPWriter {
	for _, e := range info.RTPHeaderExtensions {
		if e.URI != playoutURI {
			continue
		}
		id := uint8(e.ID)
		return interceptor.RTPWriterFunc(func(h *rtp.Header, b []byte, attributes interceptor.Attributes) (int, error) {
			if err := h.SetExtension(id, []byte{0, 0, 0}); err != nil {
				return 0, err
			}
			return w.Write(h, b, attributes)
		})
	}
	return w
}
