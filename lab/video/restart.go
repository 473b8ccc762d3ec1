package video

import (
	"context"
	"errors"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"time"

	"mybot/lab/internal/chrome"
	"mybot/lab/internal/testbed"
)

// glassKills is how often the page's server is killed.
const glassKills = 3

// answersWithin is the longest time for a server to start, and for a page to show its first
// picture.
const answersWithin = 20 * time.Second

// measureRestarts kills the server of a page that shows video and starts it again. It returns
// the time, in s since the new server answers, until the page shows video again without any
// action of a user.
func measureRestarts(ctx context.Context) (back []float64, err error) {
	dir, err := os.MkdirTemp("", "mybot-glass-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is temporary
	ln, err := net.Listen("tcp", testbed.Loopback)
	if err != nil {
		return nil, err
	}
	addr := ln.Addr().String() // a free one
	if err := ln.Close(); err != nil {
		return nil, err
	}
	end, err := startServer(ctx, addr, dir)
	if err != nil {
		return nil, err
	}
	defer func() { end() }()
	page, err := chrome.Open(ctx, addr)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, page.Kill()) }()
	var row glassRow
	if err := row.watchPage(ctx, page, time.Second); err != nil {
		return nil, err
	}
	for range glassKills {
		end()
		killed := time.Now()
		if end, err = startServer(ctx, addr, dir); err != nil {
			return nil, err
		}
		answers := time.Now()
		first, err := firstAfter(ctx, page, killed.Add(500*time.Millisecond))
		if err != nil {
			return nil, err
		}
		back = append(back, math.Round(100*first.Sub(answers).Seconds())/100)
		if err := sleepFor(ctx, glassSettles); err != nil {
			return nil, err
		}
	}
	return back, nil
}

// startServer starts a server with the test picture, waits until it answers, and returns a
// function that kills it.
func startServer(ctx context.Context, addr, dir string) (end func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, "serve", "--listen", addr, "--camera", "pattern", "--data", dir, "--log-level", "error")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	end = func() {
		_ = cmd.Process.Kill() // an error means that it is already gone
		_ = cmd.Wait()
	}
	late := time.Now().Add(answersWithin)
	for {
		if got, err := http.Get("http://" + addr + "/healthz"); err == nil {
			_ = got.Body.Close() // its content is not needed
			if got.StatusCode == http.StatusOK {
				return end, nil
			}
		}
		if time.Now().After(late) {
			end()
			return nil, errors.New("the server does not answer")
		}
		if err := sleepFor(ctx, 10*time.Millisecond); err != nil {
			end()
			return nil, err
		}
	}
}

// firstAfter returns when the page showed its first picture after a time.
func firstAfter(ctx context.Context, page *chrome.Browser, after time.Time) (time.Time, error) {
	late := time.Now().Add(answersWithin)
	for time.Now().Before(late) {
		var s sights
		if err := page.EvaluateScript(`__glass()`, &s); err != nil {
			return time.Time{}, err
		}
		for _, ms := range s.At {
			if at := time.UnixMicro(int64(1000 * ms)); at.After(after) {
				return at, nil
			}
		}
		if err := sleepFor(ctx, 50*time.Millisecond); err != nil {
			return time.Time{}, err
		}
	}
	return time.Time{}, errors.New("the picture does not come back")
}
