package media

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/pion/interceptor"
	"github.com/pion/rtp"
	"github.com/pion/sdp/v3"
	"github.com/pion/webrtc/v3"
)

const (
	repairShare = 0.1            // of the pictures' rate, in addition to it; repairs may also use what the pictures leave over
	repairSaved = 2 * maxPayload // bytes, the most that can be saved up
	repairMost  = 15             // packets per repair, as many as the short mask has bits
)

// A repair lets a receiver reconstruct a lost packet of pictures without waiting
// for a retransmission: now and then a packet follows that is the exclusive or of
// the ones before it (FlexFEC, draft-ietf-payload-flexible-fec-scheme-03, which
// Chromium supports).
type repair struct {
	interceptor.NoOp
	payload uint8                // type of its packets
	ssrc    uint32               // of its packets
	rate    func() (bit float64) // of the pictures, per s; 0 = no recent losses

	mu     sync.Mutex
	number uint16  // of the next repair packet
	credit float64 // bytes
	begun  bool    // a packet of pictures has been sent; the next one
	next   uint16  // has this number
	base   uint16  // the first packet of the next repair
	count  uint16  // number of packets in it
	stamp  uint32  // of the last of them
	head   [8]byte // exclusive or of the packets' first 12 bytes, and of their lengths
	body   []byte  // exclusive or of the rest
}

// offersRepair matches the payload type of repairs in an offer.
var offersRepair = regexp.MustCompile(`(?m)^a=rtpmap:(\d+) flexfec-03/90000\r?$`)

// newRepair returns repairs for the sender of an offer; nil = it does not support
// them.
func newRepair(offer string, rate func() float64) *repair {
	found := offersRepair.FindStringSubmatch(offer)
	if found == nil {
		return nil
	}
	payload, err := strconv.ParseUint(found[1], 10, 7)
	if err != nil {
		return nil
	}
	return &repair{payload: uint8(payload), ssrc: rand.Uint32(), rate: rate} //nolint:gosec // it is a number among few, not a secret
}

// registerCodec registers the codec of repairs.
func (r *repair) registerCodec(m *webrtc.MediaEngine) error {
	return m.RegisterCodec(webrtc.RTPCodecParameters{
		RTPCodecCapability: webrtc.RTPCodecCapability{MimeType: "video/flexfec-03", ClockRate: pictureClock, SDPFmtpLine: "repair-window=10000000"},
		PayloadType:        repairPayload, // overridden by that of the offer
	}, webrtc.RTPCodecTypeVideo)
}

// describeIn returns the answer with a description of a stream's repairs (RFC
// 5956).
func (r *repair) describeIn(answer string, stream webrtc.SSRC) string {
	var described strings.Builder
	own := fmt.Sprintf("a=ssrc:%d ", stream)
	first := true
	for line := range strings.Lines(answer) {
		about, found := strings.CutPrefix(line, own)
		if found && first {
			first = false
			fmt.Fprintf(&described, "a=ssrc-group:FEC-FR %d %d\r\n", stream, r.ssrc)
		}
		described.WriteString(line)
		if found {
			fmt.Fprintf(&described, "a=ssrc:%d %s", r.ssrc, about)
		}
	}
	return described.String()
}

// NewInterceptor returns itself.
func (r *repair) NewInterceptor(string) (interceptor.Interceptor, error) { return r, nil }

// BindLocalStream inserts repairs after packets of pictures.
func (r *repair) BindLocalStream(info *interceptor.StreamInfo, w interceptor.RTPWriter) interceptor.RTPWriter {
	if !strings.HasPrefix(info.MimeType, "video/") {
		return w
	}
	var changes uint8 // the extension that its receiver treats as zero
	for _, e := range info.RTPHeaderExtensions {
		if e.URI == sdp.TransportCCURI {
			changes = uint8(e.ID) //nolint:gosec // below 15
		}
	}
	return interceptor.RTPWriterFunc(func(h *rtp.Header, payload []byte, attributes interceptor.Attributes) (int, error) {
		n, err := w.Write(h, payload, attributes)
		if err != nil {
			return n, err
		}
		if about, body := r.nextRepair(h, payload, changes); body != nil {
			_, err = w.Write(about, body, interceptor.Attributes{})
		}
		return n, err
	})
}

// nextRepair returns the packet that follows one of pictures; nil = none.
func (r *repair) nextRepair(h *rtp.Header, payload []byte, changes uint8) (*rtp.Header, []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.begun && h.SequenceNumber-r.next > 1<<15 {
		return nil, nil // it is a retransmission
	}
	rate := r.rate()
	if rate == 0 || h.SequenceNumber != r.next {
		r.count = 0
	}
	r.begun, r.next = true, h.SequenceNumber+1
	if rate == 0 {
		return nil, nil
	}
	if h.Timestamp != r.stamp {
		took := min(0.1, float64(h.Timestamp-r.stamp)/pictureClock) // s
		r.credit = min(max(r.credit, -repairSaved), repairSaved) + (1+repairShare)*rate/8*took
		r.stamp = h.Timestamp
	}
	r.credit -= float64(h.MarshalSize() + len(payload))
	if r.count == 0 {
		r.base, r.head, r.body = h.SequenceNumber, [8]byte{}, r.body[:0]
	}
	if err := r.addPacket(h, payload, changes); err != nil {
		return nil, nil
	}
	r.count++
	const headers = 12 + 20 // of RTP and of the repair
	if cost := float64(headers + len(r.body)); r.count == repairMost || h.Marker && r.credit >= cost {
		r.credit -= cost
		return r.buildPacket(h)
	}
	return nil, nil
}

// addPacket adds a packet to the next repair.
func (r *repair) addPacket(h *rtp.Header, payload []byte, changes uint8) error {
	still := h.Clone()
	if changes > 0 && still.GetExtension(changes) != nil {
		if err := still.SetExtension(changes, make([]byte, 2)); err != nil {
			return err
		}
	}
	head, err := still.Marshal()
	if err != nil {
		return err
	}
	rest := append(head[12:len(head):len(head)], payload...)
	head = append(append(append([]byte(nil), head[:2]...), byte(len(rest)>>8), byte(len(rest))), head[4:8]...)
	for i, v := range head {
		r.head[i] ^= v
	}
	for len(r.body) < len(rest) {
		r.body = append(r.body, 0)
	}
	for i, v := range rest {
		r.body[i] ^= v
	}
	return nil
}

// buildPacket returns the repair for the packets since the last one.
func (r *repair) buildPacket(last *rtp.Header) (*rtp.Header, []byte) {
	b := append(make([]byte, 0, 20+len(r.body)), r.head[:]...)
	b[0] &= 0x3f              // neither a retransmission nor a fixed block
	b = append(b, 1, 0, 0, 0) // one stream,
	b = binary.BigEndian.AppendUint32(b, last.SSRC)
	b = binary.BigEndian.AppendUint16(b, r.base)
	b = binary.BigEndian.AppendUint16(b, 1<<15|(1<<r.count-1)<<(repairMost-r.count)) // the short mask, with the first packet in front
	b = append(b, r.body...)
	about := &rtp.Header{Version: 2, PayloadType: r.payload, SequenceNumber: r.number, Timestamp: last.Timestamp, SSRC: r.ssrc}
	r.number++
	r.count = 0
	return about, b
}
