package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"time"

	"mybot/robot"
)

// A sharedCamera lets several goroutines use one camera in turn: the broadcaster and the
// scripts. Each call of Next is a picture for one of them.
type sharedCamera struct {
	camera robot.Camera
	isOff  func() bool   // a script has switched it off
	turn   chan struct{} // full while a goroutine waits for its picture
}

func newSharedCamera(c robot.Camera, isOff func() bool) *sharedCamera {
	return &sharedCamera{camera: c, isOff: isOff, turn: make(chan struct{}, 1)}
}

// Next implements robot.Camera. While the camera is off it waits.
func (c *sharedCamera) Next(ctx context.Context, f *robot.Frame) error {
	for {
		if err := c.waitUntilOn(ctx); err != nil {
			return err
		}
		if err := c.nextInTurn(ctx, f); err != nil || !c.isOff() {
			return err
		}
	}
}

func (c *sharedCamera) waitUntilOn(ctx context.Context) error {
	const retry = 100 * time.Millisecond
	for c.isOff() {
		select {
		case <-time.After(retry):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (c *sharedCamera) nextInTurn(ctx context.Context, f *robot.Frame) error {
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.turn }()
	return c.camera.Next(ctx, f)
}

// takeJPEG returns the next picture, with its format, such as jpeg 640 480. quality is 1 to
// 100, as in image/jpeg.
func (c *sharedCamera) takeJPEG(ctx context.Context, quality int) (format string, data []byte, err error) {
	var f robot.Frame
	if c.isOff() {
		return "", nil, errors.New("the camera is switched off: camera.load is 0")
	}
	if err := c.Next(ctx, &f); err != nil {
		return "", nil, fmt.Errorf("the camera gives no picture: %w", err)
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, fullRange(&f), &jpeg.Options{Quality: quality}); err != nil {
		return "", nil, fmt.Errorf("the picture cannot be encoded: %w", err)
	}
	return fmt.Sprintf("jpeg %d %d", f.Width, f.Height), out.Bytes(), nil
}

// fullRange converts a frame, which has BT.601's limited range, to the full range of JPEG.
func fullRange(f *robot.Frame) *image.YCbCr {
	picture := image.NewYCbCr(image.Rect(0, 0, f.Width, f.Height), image.YCbCrSubsampleRatio420)
	var luma, chroma [256]uint8
	for i := range 256 {
		luma[i] = uint8(min(max((i-16)*255/219, 0), 255))        //nolint:gosec // within a byte
		chroma[i] = uint8(min(max((i-128)*255/224+128, 0), 255)) //nolint:gosec // within a byte
	}
	for i, y := range f.Y {
		picture.Y[i] = luma[y]
	}
	for i := range f.U {
		picture.Cb[i], picture.Cr[i] = chroma[f.U[i]], chroma[f.V[i]]
	}
	return picture
}
