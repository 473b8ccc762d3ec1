package experiment

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// RunParallel calls do n times, on all cores, reports the progress on errOut, and returns the
// outcomes in order.
func RunParallel[T any](ctx context.Context, errOut io.Writer, what string, n int, do func(ctx context.Context, n int) (T, error)) ([]T, error) {
	out := make([]T, n)
	began := time.Now()
	var ready atomic.Int64
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	for i := range out {
		if ctx.Err() != nil {
			break
		}
		all.Go(func() (err error) {
			out[i], err = do(ctx, i)
			if k := ready.Add(1); err == nil && k%100 == 0 {
				_, _ = fmt.Fprintf(errOut, "%d of %d %s in %.0f s\n", k, n, what, time.Since(began).Seconds())
			}
			return err
		})
	}
	return out, all.Wait()
}
