package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"
)

// A part is one goroutine of the server, which can be ended separately. The zero
// part was not started.
type part struct {
	name   string
	cancel context.CancelFunc
	done   chan struct{}
}

// startPart runs one part of the server. A part that ends by itself ends the others
// too: without it the server cannot continue.
func startPart(ctx context.Context, all *errgroup.Group, name string, run func(context.Context) error) part {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p := part{name, cancel, make(chan struct{})}
	all.Go(func() error {
		defer close(p.done)
		err := run(own)
		switch asked := own.Err() != nil; {
		case asked && errors.Is(err, context.Canceled):
			return nil
		case !asked && err == nil:
			return fmt.Errorf("%s ended unexpectedly", name)
		}
		return err
	})
	return p
}

// end asks the part to end and waits for it, at most for limit. It reports whether
// the part has ended.
func (p part) end(limit time.Duration, log *slog.Logger) bool {
	if p.cancel == nil {
		return true
	}
	p.cancel()
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-p.done:
		return true
	case <-late.C:
		log.Error("a part of the server does not stop", "part", p.name, "waited", limit)
		return false
	}
}
