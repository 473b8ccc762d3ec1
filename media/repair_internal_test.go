package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pion/interceptor"
	"github.com/pion/rtp"
	"github.com/pion/sdp/v3"
)

// A wire records the packets as sent.
type wire struct {
	out  interceptor.RTPWriter
	sent [][]byte
}

// wired returns a wire with repairs of pictures at a bitrate in bit/s.
func wired(rate float64) *wire {
	w := &wire{}
	r := newRepair("a=rtpmap:49 flexfec-03/90000\r\n", func() float64 { return rate })
	r.ssrc = 2
	w.out = r.BindLocalStream(&interceptor.StreamInfo{MimeType: "video/VP8", RTPHeaderExtensions: []interceptor.RTPHeaderExtension{{URI: sdp.TransportCCURI, ID: 3}}},
		interceptor.RTPWriterFunc(func(h *rtp.Header, payload []byte, _ interceptor.Attributes) (int, error) {
			head, err := h.Marshal()
			w.sent = append(w.sent, append(head, payload...))
			return len(payload), err
		}))
	return w
}

// send sends a packet of pictures; counter changes on the way through the chain, so
// that its receiver takes it for zero.
func (w *wire) send(t *testing.T, number uint16, frame uint32, last bool, payload []byte, counter uint16) {
	t.Helper()
	h := &rtp.Header{Version: 2, Marker: last, PayloadType: 96, SequenceNumber: number, Timestamp: frame * 3000, SSRC: 1}
	if err := errors.Join(h.SetExtension(3, binary.BigEndian.AppendUint16(nil, counter)), h.SetExtension(5, []byte{0, 0, 0})); err != nil {
		t.Fatal(err)
	}
	if _, err := w.out.Write(h, payload, interceptor.Attributes{}); err != nil {
		t.Fatal(err)
	}
}

// split returns the sent packets of pictures by number, and the repair packets,
// without their RTP headers.
func (w *wire) split(t *testing.T) (pictures map[uint16][]byte, repairs [][]byte) {
	t.Helper()
	pictures = map[uint16][]byte{}
	for _, raw := range w.sent {
		var p rtp.Packet
		if err := p.Unmarshal(raw); err != nil {
			t.Fatal(err)
		}
		if p.SSRC == 2 {
			if p.PayloadType != 49 {
				t.Errorf("a repair has the payload type %d", p.PayloadType)
			}
			repairs = append(repairs, p.Payload)
			continue
		}
		if err := p.SetExtension(3, []byte{0, 0}); err != nil {
			t.Fatal(err)
		}
		still, err := p.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		pictures[p.SequenceNumber] = still
	}
	return pictures, repairs
}

// covered returns the numbers of the packets that a repair covers.
func covered(t *testing.T, repair []byte) (numbers []uint16) {
	t.Helper()
	mask := binary.BigEndian.Uint16(repair[18:])
	if repair[0]&0xc0 != 0 || repair[8] != 1 || binary.BigEndian.Uint32(repair[12:]) != 1 || mask&0x8000 == 0 {
		t.Fatalf("a repair begins with % x", repair[:20])
	}
	for i := range uint16(15) {
		if mask&(0x4000>>i) != 0 {
			numbers = append(numbers, binary.BigEndian.Uint16(repair[16:])+i)
		}
	}
	return numbers
}

// restore computes the missing packet as in section 6.3 of the draft.
func restore(repair []byte, number uint16, others [][]byte) []byte {
	head, body := append([]byte(nil), repair[:8]...), append([]byte(nil), repair[20:]...)
	for _, p := range others {
		about := append(append(append([]byte(nil), p[:2]...), byte((len(p)-12)>>8), byte(len(p)-12)), p[4:8]...)
		for i, v := range about {
			head[i] ^= v
		}
		for i, v := range p[12:] {
			body[i] ^= v
		}
	}
	p := []byte{head[0]&0x3f | 0x80, head[1], byte(number >> 8), byte(number), head[4], head[5], head[6], head[7], 0, 0, 0, 1}
	return append(p, body[:int(head[2])<<8|int(head[3])]...)
}

func TestAnyOneLostPacketIsMadeUp(t *testing.T) {
	luck := rand.New(rand.NewPCG(3, 4))
	w := wired(1e6)
	number := uint16(65530)
	for frame := range uint32(40) {
		for part, parts := 0, 1+luck.IntN(4); part < parts; part++ {
			payload := make([]byte, 1+luck.IntN(1160))
			for i := range payload {
				payload[i] = byte(luck.Uint32())
			}
			w.send(t, number, frame, part == parts-1, payload, uint16(luck.Uint32()))
			number++
		}
	}
	pictures, repairs := w.split(t)
	made := 0
	for _, repair := range repairs {
		numbers := covered(t, repair)
		for _, missing := range numbers {
			var others [][]byte
			for _, n := range numbers {
				if n != missing {
					others = append(others, pictures[n])
				}
			}
			if got := restore(repair, missing, others); !bytes.Equal(got, pictures[missing]) {
				t.Fatalf("packet %d comes back as\n% x, not\n% x", missing, got, pictures[missing])
			}
			made++
		}
	}
	if made < len(pictures)-repairMost {
		t.Errorf("%d of %d packets could be made up", made, len(pictures))
	}
}

func TestRepairsTakeATenthOrWhatThePicturesLeaveOfTheirRate(t *testing.T) {
	for _, c := range []struct {
		rate        float64
		parts, size int
		each        float64 // mean number of packets that a repair covers
	}{
		{1e6, 4, 1017, 12},         // all of the rate is used
		{1e6, 1, 300, 1.01},        // little of it: every packet has its own
		{150_000, 1, 600, 12},      // all of the lowest
		{150_000, 1, 260, 1.01},    // half of it
		{2_500_000, 9, 1133, 15.1}, // all of the highest
	} {
		w := wired(c.rate)
		number := uint16(0)
		const frames = 300 // 10 s
		for frame := range uint32(frames) {
			for part := range c.parts {
				w.send(t, number, frame, part == c.parts-1, make([]byte, c.size), 0)
				number++
			}
		}
		size := 0
		for _, p := range w.sent {
			size += len(p)
		}
		pictures, repairs := w.split(t)
		each := float64(len(pictures)) / float64(len(repairs))
		if share := float64(size*8) / (c.rate * frames / 30); share > 1.11 || each > c.each {
			t.Errorf("%d x %d bytes at %v bit/s: all take %.3f of the rate, a repair is for %.1f packets", c.parts, c.size, c.rate, share, each)
		}
	}
}

func TestWhereNothingIsLostNothingIsRepaired(t *testing.T) {
	w := wired(0)
	for i := range uint16(100) {
		w.send(t, i, uint32(i), true, make([]byte, 500), 0)
	}
	if len(w.sent) != 100 {
		t.Errorf("%d packets were sent for 100", len(w.sent))
	}
}

func TestAPacketThatIsSentAgainIsNoneToMakeUp(t *testing.T) {
	w := wired(100_000)
	for i := range uint16(60) {
		w.send(t, i, uint32(i), true, bytes.Repeat([]byte{byte(i)}, 900), 0)
		if i > 10 && i%3 == 0 {
			w.send(t, i-9, uint32(i-9), true, bytes.Repeat([]byte{byte(i - 9)}, 900), 7)
		}
	}
	pictures, repairs := w.split(t)
	if len(repairs) < 3 {
		t.Fatalf("there are %d repairs", len(repairs))
	}
	for _, repair := range repairs {
		numbers := covered(t, repair)
		var others [][]byte
		for _, n := range numbers[1:] {
			others = append(others, pictures[n])
		}
		if got := restore(repair, numbers[0], others); !bytes.Equal(got, pictures[numbers[0]]) {
			t.Fatalf("packet %d does not come back", numbers[0])
		}
	}
}

func TestAnAnswerTellsOfRepairs(t *testing.T) {
	r := &repair{ssrc: 22}
	got := r.describeIn("v=0\r\na=ssrc:11 cname:robot\r\na=ssrc:11 msid:robot camera\r\na=ssrc:12 cname:robot\r\n", 11)
	want := "v=0\r\na=ssrc-group:FEC-FR 11 22\r\na=ssrc:11 cname:robot\r\na=ssrc:22 cname:robot\r\na=ssrc:11 msid:robot camera\r\na=ssrc:22 msid:robot camera\r\na=ssrc:12 cname:robot\r\n"
	if got != want {
		t.Errorf("it says\n%s", got)
	}
	for _, offer := range []string{"", "a=rtpmap:49 flexfec/90000\r\n", "a=rtpmap:490 flexfec-03/90000\r\n"} {
		if newRepair(offer, nil) != nil {
			t.Errorf("%q knows no repairs", strings.TrimSpace(offer))
		}
	}
}
