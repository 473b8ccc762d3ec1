package video

import (
	"context"
	"math/rand/v2"
	"time"

	"mybot/drivers/camera"
	"mybot/robot"
)

// unmade says why a network could not be made here.
type unmade struct{ error }

// A busy camera sees the test picture with so much going on in its middle that
// it takes every bit that the encoder may spend.
type busy struct {
	*camera.Pattern
	luck *rand.Rand
}

func newBusy() *busy { return &busy{camera.NewPattern(640, 480), rand.New(rand.NewPCG(1, 9))} }

// Next is robot.Camera's.
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

// A pipe is one direction of a narrow way: what is sent waits until what was
// sent before it has left, and is lost when that takes too long.
type pipe struct {
	rate  int           // bit/s; 0 = as wide as one likes
	delay time.Duration // of what has left
	waits time.Duration // at most
	free  time.Time     // when the last has left
}

// arrivalTime returns when a packet of size bytes arrives that is sent now; false =
// it is lost.
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
