package video

import (
	"context"
	"math/rand/v2"
	"time"

	"mybot/drivers/camera"
	"mybot/robot"
)

// unmade means that a network cannot be created on this computer.
type unmade struct{ error }

// A busy camera sees the test picture with so much motion in its middle that the encoder uses
// its full bitrate.
type busy struct {
	*camera.Pattern
	luck *rand.Rand
}

func newBusy() *busy { return &busy{camera.NewPattern(640, 480), rand.New(rand.NewPCG(1, 9))} }

// Next implements robot.Camera.
func (b *busy) Next(ctx context.Context, f *robot.Frame) error {
	if err := b.Pattern.Next(ctx, f); err != nil {
		return err
	}
	const block = 8 // pixels
	for y := f.Height / 6; y < f.Height/2; y += block {
		for x := 0; x < f.Width; x += block {
			tint := byte(b.luck.UintN(32))
			for row := y; row < y+block; row++ {
				for i := row*f.Width + x; i < row*f.Width+x+block; i++ {
					f.Y[i] = 64 + (f.Y[i]/2+tint)&127
				}
			}
		}
	}
	return nil
}

// A pipe is one direction of a narrow network: a packet waits until earlier ones have left, and
// is lost if that takes too long.
type pipe struct {
	rate  int           // bit/s; 0 = unlimited
	delay time.Duration // after a packet has left
	waits time.Duration // longest wait
	free  time.Time     // when the last packet has left
}

// arrivalTime returns when a packet of size bytes that is sent now arrives; false = it is lost.
func (p *pipe) arrivalTime(now time.Time, size int) (time.Time, bool) {
	if p.rate == 0 {
		return now.Add(p.delay), true
	}
	if p.free.Before(now) {
		p.free = now
	}
	if p.free.Sub(now) > p.waits {
		return time.Time{}, false
	}
	p.free = p.free.Add(time.Duration(float64(size*8) / float64(p.rate) * float64(time.Second)))
	return p.free.Add(p.delay), true
}
