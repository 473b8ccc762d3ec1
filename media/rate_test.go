package media_test

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pion/webrtc/v3"

	"mybot/link"
	"mybot/media"
	"mybot/media/mediatest"
	"mybot/robot"
)

// Ballast is an encoder that produces exactly the requested bitrate.
type ballast struct {
	rate atomic.Int64 // bit/s
	luck *rand.Rand
}

func (b *ballast) MimeType() string       { return webrtc.MimeTypeVP8 }
func (b *ballast) SetBitrate(bitrate int) { b.rate.Store(int64(bitrate)) }
func (b *ballast) Close() error           { return nil }

func (b *ballast) Encode(*robot.Frame, bool) ([]byte, error) {
	frame := make([]byte, b.rate.Load()/8/30)
	for i := range frame {
		frame[i] = byte(b.luck.Uint32())
	}
	return frame, nil
}

// Reordered packets look lost and late to the bandwidth estimator; the rate then
// falls to the lowest within seconds.
func TestTheRateStaysUpOnALinkWithDelayAndJitter(t *testing.T) {
	profile, err := link.ParseProfile("kaist-davis")
	if err != nil {
		t.Fatal(err)
	}
	port, err := media.Listen(loopback, media.Options{Network: link.NewNetwork(profile, 1)})
	if err != nil {
		t.Fatal(err)
	}
	camera := watching(time.Second / 30)
	s := mediatest.Broadcaster(t, media.Config{
		Port: port, Camera: camera, Epoch: camera.epoch,
		Encoders: []media.NewEncoder{func(_, _, bitrate int) (media.Encoder, error) {
			b := &ballast{luck: rand.New(rand.NewPCG(1, 2))}
			b.SetBitrate(bitrate)
			return b, nil
		}},
	})
	g := invite(t)
	g.watches(t, s, media.Watcher{Measure: true})
	first := receive(t, g.packets).Timestamp
	// A busy computer delays packets too, and the rate recovers from that.
	const earliest, latest, want = 7 * 90000, 40 * 90000, 600_000
	var after uint32
	for after < earliest || s.Bitrate() < want && after < latest {
		after = receive(t, g.packets).Timestamp - first
	}
	rate := s.Bitrate()
	t.Logf("%d kbit/s after %d s", rate/1000, after/90000)
	if rate < want {
		t.Errorf("after %d s the robot sends %d kbit/s; want at least %d over an unlimited network", after/90000, rate/1000, want/1000)
	}
}
