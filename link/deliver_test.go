package link_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"mybot/link"
)

// runner is DeliverMessages at work in a bubble.
type runner struct {
	in   chan []byte
	got  []string
	at   []time.Duration
	done chan error
}

func deliver(ctx context.Context, path *link.Path, class link.Class) *runner {
	r := &runner{in: make(chan []byte), done: make(chan error, 1)}
	began := time.Now()
	go func() {
		r.done <- link.DeliverMessages(ctx, path, class, r.in, func(b []byte) error {
			r.got = append(r.got, string(b))
			r.at = append(r.at, time.Since(began))
			return nil
		})
	}()
	return r
}

func TestDeliverHandsOverAtTheTimeOfThePath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := deliver(t.Context(), link.New(link.Profile{RoundTrip: 300 * time.Millisecond}, 1), link.Stream)
		r.in <- []byte("a")
		time.Sleep(100 * time.Millisecond)
		r.in <- []byte("b")
		close(r.in)
		if err := <-r.done; err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.got, []string{"a", "b"}) || !slices.Equal(r.at, []time.Duration{150 * time.Millisecond, 250 * time.Millisecond}) {
			t.Errorf("%v at %v", r.got, r.at)
		}
	})
}

func TestAStreamComesInOrderThroughABadNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := link.ParseProfile("wifi-bad,loss=20%,jitter=100ms")
		if err != nil {
			t.Fatal(err)
		}
		r := deliver(t.Context(), link.New(p, 9), link.Stream)
		var want []string
		for i := range 500 {
			want = append(want, fmt.Sprint(i))
			r.in <- []byte(want[i])
			time.Sleep(20 * time.Millisecond)
		}
		close(r.in)
		if err := <-r.done; err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.got, want) {
			t.Errorf("%d of %d came, or not in order", len(r.got), len(want))
		}
	})
}

func TestDatagramsAreLostAndOvertake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := deliver(t.Context(), link.New(link.Profile{RoundTrip: 200 * time.Millisecond, Jitter: 60 * time.Millisecond, Loss: 0.1}, 9), link.Datagram)
		for i := range 500 {
			r.in <- fmt.Appendf(nil, "%03d", i)
			time.Sleep(10 * time.Millisecond)
		}
		close(r.in)
		if err := <-r.done; err != nil {
			t.Fatal(err)
		}
		if n := len(r.got); n < 420 || n > 480 {
			t.Errorf("%d of 500 came", n)
		}
		if slices.IsSorted(r.got) {
			t.Error("none overtook another")
		}
	})
}

func TestAfterABlackHoleTheStreamComesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := link.New(link.Profile{RoundTrip: 100 * time.Millisecond}, 1)
		path.BlackHole(time.Now(), time.Now().Add(3*time.Second))
		r := deliver(t.Context(), path, link.Stream)
		for i := range 50 {
			r.in <- []byte{byte(i)}
			time.Sleep(50 * time.Millisecond)
		}
		close(r.in)
		if err := <-r.done; err != nil {
			t.Fatal(err)
		}
		// The first is sent at 0 and again after 0.2, 0.6, 1.4 and 3.0 s; the rest
		// follows when the sender learns that it has arrived.
		if len(r.at) != 50 || r.at[0] != 3050*time.Millisecond {
			t.Fatalf("%d came, at %v", len(r.at), r.at)
		}
		for i, at := range r.at[1:] {
			if at != 3150*time.Millisecond {
				t.Errorf("message %d came at %v", i+1, at)
			}
		}
	})
}

func TestAStreamThatIsFullTakesNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := link.New(link.Profile{RoundTrip: time.Second}, 1)
		r := deliver(t.Context(), path, link.Stream)
		for range link.MaxUnderway {
			r.in <- []byte("x")
		}
		synctest.Wait()
		select {
		case r.in <- []byte("x"):
			t.Fatal("one more was taken")
		default:
		}
		before := time.Now()
		r.in <- []byte("y") // taken when the first arrive
		if waited := time.Since(before); waited != 500*time.Millisecond {
			t.Errorf("waited %v", waited)
		}
		close(r.in)
		if err := <-r.done; err != nil {
			t.Fatal(err)
		}
		if len(r.got) != link.MaxUnderway+1 || r.got[link.MaxUnderway] != "y" {
			t.Errorf("%d came", len(r.got))
		}
	})
}

func TestDatagramsBeyondTheBoundAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := deliver(t.Context(), link.New(link.Profile{RoundTrip: time.Second}, 1), link.Datagram)
		for range link.MaxUnderway + 100 {
			r.in <- []byte("x")
		}
		close(r.in)
		if err := <-r.done; err != nil {
			t.Fatal(err)
		}
		if len(r.got) != link.MaxUnderway {
			t.Errorf("%d came", len(r.got))
		}
	})
}

func TestDeliverEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := deliver(ctx, link.New(link.Profile{RoundTrip: time.Second}, 1), link.Stream)
		r.in <- []byte("x")
		cancel()
		if err := <-r.done; !errors.Is(err, context.Canceled) || len(r.got) != 0 {
			t.Errorf("%v, %d came", err, len(r.got))
		}
	})
}

func TestDeliverEndsWithTheErrorOfTheReceiver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := errors.New("gone")
		in := make(chan []byte, 2)
		in <- []byte("x")
		in <- []byte("y")
		n := 0
		err := link.DeliverMessages(t.Context(), link.New(link.Profile{}, 1), link.Stream, in, func([]byte) error { n++; return gone })
		if !errors.Is(err, gone) || n != 1 {
			t.Errorf("%v after %d", err, n)
		}
	})
}
