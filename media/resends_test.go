package media_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/pion/rtcp"
	"github.com/pion/webrtc/v3"

	"mybot/media"
)

// received returns the number of bytes that the guest received.
func (g *guest) received() (n uint64) {
	for _, s := range g.pc.GetStats() {
		if transport, ok := s.(webrtc.TransportStats); ok {
			n += transport.BytesReceived
		}
	}
	return n
}

// pictures waits for packets of pictures.
func (g *guest) pictures(t *testing.T, n int) (last uint16, source uint32) {
	t.Helper()
	for range n {
		p := receive(t, g.packets)
		last, source = p.SequenceNumber, p.SSRC
	}
	return last, source
}

func TestWhoRequestsLostPacketsAgainAndAgainGetsNoMoreThanThePicturesHave(t *testing.T) {
	camera := watching(33 * time.Millisecond)
	camera.snow = rand.New(rand.NewPCG(1, 1)) //nolint:gosec // it is snow
	s := opens(t, camera)
	g := invite(t)
	g.watches(t, s, media.Watcher{Grant: "eve"})

	start := g.received()
	last, source := g.pictures(t, 200)
	pictures := g.received() - start
	start = g.received()
	for range 100 { // 100 KB, which ask for 400,000 packets
		nack := &rtcp.TransportLayerNack{SenderSSRC: 1, MediaSSRC: source}
		for range 250 {
			nack.Nacks = append(nack.Nacks, rtcp.NackPair{PacketID: last - 16, LostPackets: 0xffff})
		}
		if err := g.pc.WriteRTCP([]rtcp.Packet{nack}); err != nil {
			t.Fatal(err)
		}
	}
	g.pictures(t, 200)
	again := g.received() - start
	t.Logf("%d KiB with the pictures, %d KiB with as many pictures and the requests", pictures>>10, again>>10)
	if again > 4*pictures {
		t.Errorf("after the requests the robot sent %d KiB, where it sent %d KiB before", again>>10, pictures>>10)
	}
}
