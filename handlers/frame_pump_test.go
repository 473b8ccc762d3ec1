package handlers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/errgroup"

	"mybot/link"
)

var errLast = errors.New("that was the last one")

func TestFramesArriveInOrderAndNoneIsLost(t *testing.T) {
	for _, c := range []struct {
		name    string
		profile link.Profile
		within  time.Duration
	}{
		{"straight", link.Profile{}, 0},
		{"over a way that is long", link.Profile{RoundTrip: time.Second}, time.Second},
		{"over a way that loses and stalls", link.Profile{RoundTrip: time.Second, Jitter: 200 * time.Millisecond, Loss: 0.1, StallMin: time.Second, StallMax: 2 * time.Second, StallGap: 2 * time.Second}, 10 * time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				up, _ := link.NewPair(c.profile, 7)
				if c.profile == (link.Profile{}) {
					up = nil
				}
				var want, got []string
				n := 0
				next := func(context.Context) ([]byte, error) {
					if n++; n > 200 {
						return nil, errLast
					}
					want = append(want, fmt.Sprint(n))
					return []byte(want[n-1]), nil
				}
				begin := time.Now()
				all, ctx := errgroup.WithContext(t.Context())
				pumpFrames(ctx, all, up, next, func(frame []byte) error { got = append(got, string(frame)); return nil })
				if err := all.Wait(); !errors.Is(err, errLast) {
					t.Errorf("it ends with %v, not with what ended the frames", err)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%d frames of %d arrived, or not in order", len(got), len(want))
				}
				if took := time.Since(begin); took > c.within || took < c.profile.RoundTrip/2 {
					t.Errorf("they took %v", took)
				}
			})
		})
	}
}

func TestWhatIsInFlightIsGoneWhenTheSocketEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, down := link.NewPair(link.Profile{RoundTrip: time.Minute}, 0)
		ctx, cancel := context.WithCancel(t.Context())
		all, pumping := errgroup.WithContext(ctx)
		given := 0
		pumpFrames(pumping, all, down, func(ctx context.Context) ([]byte, error) {
			if given++; given > 1 {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return []byte("late"), nil
		}, func([]byte) error {
			t.Error("a frame arrived after the end")
			return nil
		})
		synctest.Wait()
		cancel()
		begin := time.Now()
		if err := all.Wait(); !errors.Is(err, context.Canceled) || time.Since(begin) > 0 {
			t.Errorf("it ends with %v after %v", err, time.Since(begin))
		}
	})
}

func TestAReaderIsHeardToItsEndThoughTheSocketEnds(t *testing.T) {
	for range 20 { // when the socket closes, a frame may be taken or dropped
		synctest.Test(t, func(t *testing.T) {
			up, _ := link.NewPair(link.Profile{RoundTrip: time.Minute}, 0)
			ctx, cancel := context.WithCancel(t.Context())
			all, pumping := errgroup.WithContext(ctx)
			frames, closed := make(chan []byte, 2), make(chan struct{})
			frames <- []byte("before the end")
			pumpFrames(pumping, all, up, func(context.Context) ([]byte, error) {
				frame, more := <-frames
				if !more {
					close(closed)
					return nil, errLast
				}
				return frame, nil
			}, func([]byte) error { return nil })
			synctest.Wait()
			cancel()
			frames <- []byte("after the end")
			close(frames)
			<-closed // synctest panics when no one reads any more
			if err := all.Wait(); !errors.Is(err, context.Canceled) {
				t.Errorf("it ends with %v", err)
			}
		})
	}
}
