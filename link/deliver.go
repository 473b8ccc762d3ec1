package link

import (
	"container/heap"
	"context"
	"time"
)

// MaxUnderway is the largest number of messages in flight in DeliverMessages.
const MaxUnderway = 1024

// DeliverMessages takes messages from in and passes each to out when it arrives by
// path. With MaxUnderway messages in flight, a stream takes no more from in, as a
// full send buffer would, and a datagram is dropped. A message belongs to
// DeliverMessages from the send to in until out has returned.
//
// It runs in the caller's goroutine and calls out from there. It returns nil when
// in is closed and the rest has arrived, or else the error of out, or ctx.Err();
// messages in flight are then lost.
func DeliverMessages(ctx context.Context, path *Path, class Class, in <-chan []byte, out func([]byte) error) error {
	var underway arrivals
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for n := uint64(0); ; {
		if in == nil && len(underway) == 0 {
			return nil
		}
		source := in
		if class == Stream && len(underway) >= MaxUnderway {
			source = nil
		}
		var due <-chan time.Time
		if len(underway) > 0 {
			timer.Reset(time.Until(underway[0].at))
			due = timer.C
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case message, more := <-source:
			if !more {
				in = nil
				continue
			}
			at, ok := path.Arrive(time.Now(), class, len(message))
			if ok && len(underway) < MaxUnderway {
				n++
				heap.Push(&underway, arrival{at, n, message})
			}
		case <-due:
			for len(underway) > 0 && !underway[0].at.After(time.Now()) {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if err := out(heap.Pop(&underway).(arrival).message); err != nil {
					return err
				}
			}
		}
	}
}

// An arrival is a message in flight; n is its number in the order of sending.
type arrival struct {
	at      time.Time
	n       uint64
	message []byte
}

// arrivals is a heap: the next arrival first, and of two that arrive together the
// one that was sent first.
type arrivals []arrival

func (a arrivals) Len() int { return len(a) }

func (a arrivals) Less(i, j int) bool {
	if a[i].at.Equal(a[j].at) {
		return a[i].n < a[j].n
	}
	return a[i].at.Before(a[j].at)
}

func (a arrivals) Swap(i, j int) { a[i], a[j] = a[j], a[i] }

// Push implements heap.Interface.
func (a *arrivals) Push(x any) { *a = append(*a, x.(arrival)) }

// Pop implements heap.Interface.
func (a *arrivals) Pop() any {
	last := len(*a) - 1
	x := (*a)[last]
	(*a)[last] = arrival{}
	*a = (*a)[:last]
	return x
}
