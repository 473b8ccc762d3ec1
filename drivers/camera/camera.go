// Package camera has the cameras that are not part of a driver: V4L2 devices on Linux, the
// replay of a y4m file, and a moving test pattern. Each is a robot.Camera for use by one
// goroutine. It delivers pictures at its own rate and uses almost no CPU time between calls
// of Next. Any goroutine may call Close, which ends Next with robot.ErrClosed.
package camera

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"mybot/robot"
)

// Open returns the camera that spec selects, and in what a short description for people:
//
//	auto         the simulator's camera, or else the first device of this computer
//	sim          the simulator's camera
//	/dev/video0  a V4L2 device
//	film.y4m     a file, replayed in a loop
//	pattern      a test pattern
//	none         no camera: cam is nil
//
// sim is the camera of the driver; nil = it has none. A camera that Open itself opened is an
// io.Closer. With auto, the lack of a camera is not an error: cam is nil and what says why.
func Open(spec string, sim robot.Camera) (cam robot.Camera, what string, err error) {
	switch {
	case spec == "auto" && sim != nil, spec == "sim" && sim != nil:
		return sim, "the simulator's camera", nil
	case spec == "sim":
		return nil, "", errors.New("camera: this robot is not simulated, so there is no simulated camera; choose a device such as /dev/video0, or none")
	case spec == "auto":
		return openFirst(openDevice)
	case spec == "none":
		return nil, "no camera, as asked", nil
	case spec == "pattern":
		return NewPattern(patternWidth, patternHeight), "a test pattern", nil
	case strings.HasSuffix(strings.ToLower(spec), ".y4m"):
		film, err := openFilm(spec)
		if err != nil {
			return nil, "", err
		}
		return film, fmt.Sprintf("%s, %s", filepath.Base(spec), film), nil
	case strings.HasPrefix(spec, "/dev/"):
		return openDevice(spec)
	default:
		return nil, "", fmt.Errorf("camera: %q is no camera; it is auto, sim, pattern, none, a device such as /dev/video0, or a file that ends in .y4m", spec)
	}
}

// openFirst opens the first device that works as a camera.
func openFirst(open func(path string) (robot.Camera, string, error)) (robot.Camera, string, error) {
	paths, err := filepath.Glob("/dev/video*")
	if err != nil || len(paths) == 0 {
		return nil, "no camera: this computer has no device /dev/video0", nil
	}
	var reasons []string
	for _, path := range paths {
		cam, what, err := open(path)
		if err == nil {
			return cam, what, nil
		}
		reasons = append(reasons, strings.TrimPrefix(err.Error(), "camera: "))
	}
	return nil, "no camera: " + strings.Join(reasons, "; "), nil
}

// A pace spaces pictures evenly in time.
type pace struct {
	every time.Duration
	next  time.Time // when the next picture is due; zero = at once
}

// awaitPicture blocks until the next picture is due and returns that time. It skips pictures
// whose time has passed.
func (p *pace) awaitPicture(ctx context.Context, closed <-chan struct{}) (time.Time, error) {
	if err := ctx.Err(); err != nil {
		return time.Time{}, err
	}
	if wait := time.Until(p.next); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return time.Time{}, ctx.Err()
		case <-closed:
		}
	}
	select {
	case <-closed:
		return time.Time{}, robot.ErrClosed
	default:
	}
	now := time.Now()
	if p.next = p.next.Add(p.every); p.next.Before(now) {
		p.next = now.Add(p.every)
	}
	return now, nil
}

// A lid wraps a channel that Close closes once.
type lid struct {
	once   sync.Once
	closed chan struct{}
}

func newLid() lid { return lid{closed: make(chan struct{})} }

func (l *lid) closeOnce() { l.once.Do(func() { close(l.closed) }) }

var _ interface {
	robot.Camera
	io.Closer
} = (*Pattern)(nil)
