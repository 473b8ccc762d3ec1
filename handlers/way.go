package handlers

import (
	"context"

	"golang.org/x/sync/errgroup"

	"mybot/link"
)

// pump carries every frame that next gives to out, in order and along path,
// until one of them fails. What is on the path when next ends still arrives;
// when ctx ends it does not. next has to end soon after ctx.
func pump(ctx context.Context, g *errgroup.Group, path *link.Path, next func(context.Context) ([]byte, error), out func([]byte) error) {
	if path == nil {
		g.Go(func() error { return carry(ctx, next, out) })
		return
	}
	frames := make(chan []byte)
	var end error // of next; set before frames is closed
	g.Go(func() error {
		defer close(frames)
		end = carry(ctx, next, func(frame []byte) error {
			select {
			case frames <- frame:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		return nil
	})
	g.Go(func() error {
		if err := link.Deliver(ctx, path, link.Stream, frames, out); err != nil {
			return err
		}
		return end
	})
}

func carry(ctx context.Context, next func(context.Context) ([]byte, error), out func([]byte) error) error {
	for {
		frame, err := next(ctx)
		if err == nil {
			err = out(frame)
		}
		if err != nil {
			return err
		}
	}
}
