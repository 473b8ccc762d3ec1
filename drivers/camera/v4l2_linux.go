package camera

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/blackjack/webcam"

	"mybot/robot"
)

// openDevice opens a V4L2 device.
func openDevice(path string) (robot.Camera, string, error) {
	cam, err := webcam.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", fmt.Errorf("camera: there is no %s; is the camera plugged in", path)
	case errors.Is(err, fs.ErrPermission):
		return nil, "", fmt.Errorf("camera: %s may not be opened; add yourself to the group video (sudo usermod -aG video $USER) and log in again", path)
	case err != nil:
		return nil, "", fmt.Errorf("camera: %s: %w", path, err)
	}
	name, err := cam.GetName()
	if err != nil {
		name = "camera"
	}
	d, err := newDevice(path, &v4l2{cam: cam})
	if err != nil {
		return nil, "", errors.Join(err, cam.Close())
	}
	return d, fmt.Sprintf("%s at %s, %s", name, path, d), nil
}

// v4l2 implements stream with the webcam library.
type v4l2 struct{ cam *webcam.Webcam }

// buffers is how many pictures the driver may buffer: few, since only the newest counts.
const buffers = 3

func (v *v4l2) Formats() []format {
	var out []format
	for f := range v.cam.GetSupportedFormats() {
		out = append(out, format([]byte{byte(f), byte(f >> 8), byte(f >> 16), byte(f >> 24)}))
	}
	return out
}

func (v *v4l2) Use(f format, width, height int) (format, int, int, error) {
	code := webcam.PixelFormat(uint32(f[0]) | uint32(f[1])<<8 | uint32(f[2])<<16 | uint32(f[3])<<24)
	width, height = nearestSize(v.cam.GetSupportedFrameSizes(code), width, height)
	// The library returns the requested size, not the actual one.
	got, _, _, err := v.cam.SetImageFormat(code, uint32(width), uint32(height))
	if got != code {
		f = ""
	}
	return f, width, height, err
}

// nearestSize returns the size offered by a device that is nearest to the wanted one, or the
// wanted one if the device lists no sizes.
func nearestSize(sizes []webcam.FrameSize, width, height int) (int, int) {
	best, w, h := -1, width, height
	for _, s := range sizes {
		x := nearestAllowed(width, int(s.MinWidth), int(s.MaxWidth), int(s.StepWidth))
		y := nearestAllowed(height, int(s.MinHeight), int(s.MaxHeight), int(s.StepHeight))
		if off := absInt(x-width) + absInt(y-height); best < 0 || off < best {
			best, w, h = off, x, y
		}
	}
	return w, h
}

// nearestAllowed returns the value nearest to want, and if possible not above it, among those
// from low to high in steps of step.
func nearestAllowed(want, low, high, step int) int {
	want = max(low, min(high, want))
	if step > 1 {
		want -= (want - low) % step
	}
	return want
}

func absInt(x int) int { return max(x, -x) }

func (v *v4l2) Start() error {
	_ = v.cam.SetFramerate(30) // not every device supports this
	if err := v.cam.SetBufferCount(buffers); err != nil {
		return err
	}
	return v.cam.StartStreaming()
}

func (v *v4l2) Stop() error { return v.cam.StopStreaming() }

func (v *v4l2) Wait(d time.Duration) (bool, error) {
	err := v.cam.WaitForFrame(uint32(d / time.Second))
	var timeout *webcam.Timeout
	if errors.As(err, &timeout) {
		return false, nil
	}
	return err == nil, err
}

func (v *v4l2) Take(use func([]byte) error) error {
	picture, index, err := v.cam.GetFrame()
	if err != nil {
		return err
	}
	return errors.Join(use(picture), v.cam.ReleaseFrame(index))
}

func (v *v4l2) Close() error { return v.cam.Close() }
