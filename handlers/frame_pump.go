package handlers

import (
	"context"

	"golang.org/x/sync/errgroup"

	"mybot/link"
)

// pumpFrames sends every frame from next to out, in order and along path, until one
// of them fails. When next ends, frames on the path still arrive; when ctx ends,
// they do not, and later frames of next are discarded. next is called until it
// ends, which it must do soon after ctx.
func pumpFrames(ctx context.Context, g *errgroup.Group, path *link.Path, next func(context.Context) ([]byte, error), out func([]byte) error) {
	g.Go(func() error {
		first, err := pumpDirect(ctx, path, next, out)
		if err != nil {
			return err
		}
		frames := make(chan []byte)
		var end error // the error of next; set before frames is closed
		g.Go(func() error {
			defer close(frames)
			for frame := first; end == nil; {
				select {
				case frames <- frame:
				case <-ctx.Done():
				}
				frame, end = next(ctx)
			}
			return nil
		})
		if err := link.DeliverMessages(ctx, path, link.Stream, frames, out); err != nil {
			return err
		}
		return end
	})
}

// pumpDirect passes frames on directly while the path is transparent, which needs
// neither a goroutine nor a timer. It returns the first frame that must go along
// the path.
func pumpDirect(ctx context.Context, path *link.Path, next func(context.Context) ([]byte, error), out func([]byte) error) ([]byte, error) {
	for {
		frame, err := next(ctx)
		if err != nil {
			return nil, err
		}
		if path != nil && !path.IsTransparent() {
			return frame, nil
		}
		if err := out(frame); err != nil {
			return nil, err
		}
	}
}
