package media

import (
	"math/bits"
	"strings"
	"sync"

	"github.com/pion/interceptor"
	"github.com/pion/rtcp"
	"github.com/pion/rtp"
)

// resendsSaved is the most packets that a viewer may request again at once: those of
// about a second at the highest rate.
const resendsSaved = 256

// resends lets a viewer request as many packets of pictures again (NACK, RFC 4585) as
// it was sent, over time. Without it a request of 1 KiB is answered by megabytes, so that
// one viewer could fill the robot's link, on which the driver depends.
type resends struct {
	interceptor.NoOp

	mu     sync.Mutex
	begun  bool   // a packet has been sent; the next one
	next   uint16 // has this number
	credit int    // packets that may be requested again
}

// NewInterceptor returns itself.
func (r *resends) NewInterceptor(string) (interceptor.Interceptor, error) { return r, nil }

// BindLocalStream counts the packets of pictures. It must be nearer to the network than
// the retransmissions.
func (r *resends) BindLocalStream(info *interceptor.StreamInfo, w interceptor.RTPWriter) interceptor.RTPWriter {
	if !strings.HasPrefix(info.MimeType, "video/") {
		return w
	}
	return interceptor.RTPWriterFunc(func(h *rtp.Header, payload []byte, attributes interceptor.Attributes) (int, error) {
		r.countPacket(h.SequenceNumber)
		return w.Write(h, payload, attributes)
	})
}

// countPacket counts a packet, unless it is a retransmission.
func (r *resends) countPacket(number uint16) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.begun && number-r.next > 1<<15 {
		return
	}
	r.begun, r.next = true, number+1
	r.credit = min(r.credit+1, resendsSaved)
}

// BindRTCPReader removes what is requested in excess before the retransmissions read it.
func (r *resends) BindRTCPReader(reader interceptor.RTCPReader) interceptor.RTCPReader {
	return interceptor.RTCPReaderFunc(func(b []byte, attributes interceptor.Attributes) (int, interceptor.Attributes, error) {
		n, attributes, err := reader.Read(b, attributes)
		if err != nil {
			return n, attributes, err
		}
		if attributes == nil {
			attributes = interceptor.Attributes{}
		}
		packets, err := attributes.GetRTCPPackets(b[:n]) // the same that all others get
		if err != nil {
			return 0, nil, err
		}
		for _, p := range packets {
			if nack, ok := p.(*rtcp.TransportLayerNack); ok {
				nack.Nacks = r.grantPackets(nack.Nacks)
			}
		}
		return n, attributes, nil
	})
}

// grantPackets returns the requests that the credit covers, and takes them from it.
func (r *resends) grantPackets(requested []rtcp.NackPair) []rtcp.NackPair {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, pair := range requested {
		n := 1 + bits.OnesCount16(uint16(pair.LostPackets))
		if n > r.credit {
			return requested[:i]
		}
		r.credit -= n
	}
	return requested
}
