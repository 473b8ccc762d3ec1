package survey

import (
	"context"
	"errors"
	"time"
)

// ErrEnded says that the goroutine that makes the map has ended.
var ErrEnded = errors.New("survey: ended")

// A request is work that another goroutine asks of Run's goroutine.
type request struct {
	do     func(now time.Time) error
	answer chan error
}

// handle does the work and reports the outcome before it answers, so that the caller
// finds it reported.
func (r request) handle(report func(now time.Time)) {
	now := time.Now()
	err := r.do(now)
	report(now)
	r.answer <- err
}

// An inbox passes requests to the goroutine of Run.
type inbox struct {
	requests chan request
	ended    chan struct{} // closed when Run returns
}

func newInbox() inbox {
	return inbox{requests: make(chan request), ended: make(chan struct{})}
}

// askRun makes Run's goroutine do something and waits for it.
func (b inbox) askRun(ctx context.Context, do func(now time.Time) error) error {
	r := request{do, make(chan error, 1)}
	select {
	case b.requests <- r:
		return <-r.answer
	case <-b.ended:
		return ErrEnded
	case <-ctx.Done():
		return ctx.Err()
	}
}
