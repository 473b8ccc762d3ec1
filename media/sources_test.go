package media_test

import (
	"testing"
	"time"

	"github.com/pion/rtcp"
	"github.com/pion/rtp"
	"github.com/pion/webrtc/v3"

	"mybot/media"
)

// floods sends until the robot has ended the connection.
func floods(t *testing.T, done <-chan struct{}, send func(n uint32)) {
	t.Helper()
	every := time.NewTicker(time.Millisecond)
	defer every.Stop()
	late := time.After(patience)
	for n := uint32(1000); ; n += 100 {
		select {
		case <-done:
			return
		case <-late:
			t.Fatalf("the connection stays open, with %d sources", n)
		case <-every.C:
			send(n)
		}
	}
}

// asksOf returns reports about a hundred sources that the robot does not have.
func asksOf(n uint32) []rtcp.Packet {
	fir := &rtcp.FullIntraRequest{SenderSSRC: 1}
	for i := range uint32(100) {
		fir.FIR = append(fir.FIR, rtcp.FIREntry{SSRC: n + i})
	}
	return []rtcp.Packet{fir}
}

// A choir is a track whose packets come from any source.
type choir struct {
	*webrtc.TrackLocalStaticRTP
	bound chan webrtc.TrackLocalWriter
}

func (c *choir) Bind(to webrtc.TrackLocalContext) (webrtc.RTPCodecParameters, error) {
	c.bound <- to.WriteStream()
	return c.TrackLocalStaticRTP.Bind(to)
}

// WebRTC keeps a stream for every source that the other end names: a megabyte of
// reports takes more than a hundred of the robot's memory.
func TestWhoNamesEverMoreSourcesIsDisconnected(t *testing.T) {
	t.Run("in reports to the camera", func(t *testing.T) {
		s := opens(t, watching(33*time.Millisecond))
		g := invite(t)
		v := g.watches(t, s, media.Watcher{Grant: "eve"})
		receive(t, g.packets)
		floods(t, v.Done(), func(n uint32) { _ = g.pc.WriteRTCP(asksOf(n)) })
		v.Close()
		if n := s.CountViewers(); n != 0 {
			t.Errorf("%d watch after the only one was disconnected", n)
		}
	})
	t.Run("in reports beside the drive packets", func(t *testing.T) {
		port := listen(t)
		p, c, _ := connect(t, port)
		floods(t, c.Done(), func(n uint32) { _ = p.pc.WriteRTCP(asksOf(n)) })
		c.Close()
		if n := port.CountChannels(); n != 0 {
			t.Errorf("%d channels are open after the only one was disconnected", n)
		}
	})
	t.Run("in packets of a voice", func(t *testing.T) {
		s := opens(t, watching(33*time.Millisecond))
		voice, err := webrtc.NewTrackLocalStaticRTP(webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypePCMU, ClockRate: 8000}, "voice", "eve")
		if err != nil {
			t.Fatal(err)
		}
		many := &choir{voice, make(chan webrtc.TrackLocalWriter, 1)}
		talker := newGuest(t, func(*webrtc.SettingEngine) {}).talksBy(t, s, func() bool { return true }, many)
		out := wait(t, "the track", many.bound)
		floods(t, talker.Done(), func(n uint32) {
			_, _ = out.WriteRTP(&rtp.Header{Version: 2, PayloadType: 0, SequenceNumber: 1, SSRC: n}, make([]byte, 160))
		})
		talker.Close()
	})
}
