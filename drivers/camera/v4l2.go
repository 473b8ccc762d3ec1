package camera

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"sync"
	"time"

	"mybot/robot"
)

// stream is the interface to a V4L2 device.
type stream interface {
	// Formats returns the pixel formats that the device offers.
	Formats() []format
	// Use requests a format and size and returns those that the device set.
	Use(f format, width, height int) (format, int, int, error)
	Start() error
	Stop() error
	// Wait blocks until there is a picture, for at most d rounded down to seconds, and
	// reports whether there is one.
	Wait(d time.Duration) (bool, error)
	// Take calls use with the oldest available picture.
	Take(use func(picture []byte) error) error
	Close() error
}

// format is a V4L2 pixel format: four letters.
type format string

const (
	yuyv format = "YUYV" // 4:2:2, two pixels in four bytes
	mjpg format = "MJPG" // one JPEG per picture
)

// Device is a camera of this computer. It streams, with its lamp on, only while a caller
// uses Next.
type Device struct {
	lid
	format        format
	width, height int
	path          string

	mu       sync.Mutex // of stream
	stream   stream
	running  bool
	idle     *time.Timer // stops the stream
	finished bool
}

const (
	deviceWidth, deviceHeight = 640, 480
	// restAfter is how long after the last picture a device stops streaming.
	restAfter = 2 * time.Second
	// deviceSilence is the longest time without a picture before Next fails.
	deviceSilence = 5 * time.Second
)

// newDevice selects the format: YUYV if the device offers it in 640x480, JPEG otherwise.
func newDevice(path string, s stream) (*Device, error) {
	d := &Device{lid: newLid(), stream: s, path: path}
	offered := s.Formats()
	for _, want := range []format{yuyv, mjpg} {
		for _, f := range offered {
			if f != want {
				continue
			}
			got, w, h, err := s.Use(want, deviceWidth, deviceHeight)
			if err != nil || got != want || w < 16 || h < 16 || w%2 != 0 || h%2 != 0 {
				continue
			}
			if d.format == "" || w == deviceWidth && h == deviceHeight {
				d.format, d.width, d.height = got, w, h
			}
		}
		if d.format != "" && d.width == deviceWidth && d.height == deviceHeight {
			break
		}
	}
	if d.format == "" {
		return nil, fmt.Errorf("camera: %s offers pictures as %v; it must offer %s or %s", path, offered, yuyv, mjpg)
	}
	if _, _, _, err := s.Use(d.format, d.width, d.height); err != nil {
		return nil, fmt.Errorf("camera: %s: %w", path, err)
	}
	return d, nil
}

// String returns size and format: "640x480, YUYV".
func (d *Device) String() string { return fmt.Sprintf("%dx%d, %s", d.width, d.height, d.format) }

// Next implements robot.Camera: it waits for the newest picture.
func (d *Device) Next(ctx context.Context, f *robot.Frame) error {
	for began := time.Now(); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		select {
		case <-d.closed:
			return robot.ErrClosed
		default:
		}
		done, err := d.takePicture(f)
		if err != nil && !errors.Is(err, robot.ErrClosed) {
			return fmt.Errorf("camera: %s: %w", d.path, err)
		}
		if done || err != nil {
			return err
		}
		if time.Since(began) > deviceSilence {
			return fmt.Errorf("camera: %s has given no picture for %v; is it unplugged, or does another program use it", d.path, deviceSilence)
		}
	}
}

// takePicture waits up to a second for a picture and takes the newest available one.
func (d *Device) takePicture(f *robot.Frame) (done bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.finished {
		return false, robot.ErrClosed
	}
	if !d.running {
		if err := d.stream.Start(); err != nil {
			return false, err
		}
		d.running = true
	}
	if d.idle == nil {
		d.idle = time.AfterFunc(restAfter, d.stopStream)
	}
	d.idle.Reset(restAfter)
	ready, err := d.stream.Wait(time.Second)
	var bad error
	for ready && err == nil {
		err = d.stream.Take(func(picture []byte) error {
			bad = d.decodePicture(picture, f)
			return nil
		})
		if bad == nil && err == nil {
			done = true
			f.Taken, f.Head = time.Now(), robot.HeadAngles{}
		}
		if err == nil {
			ready, err = d.stream.Wait(0)
		}
	}
	return done, err
}

// stopStream stops the stream of an idle device.
func (d *Device) stopStream() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.running && !d.finished {
		d.running = false
		_ = d.stream.Stop() // Start reports an error if the device is gone
	}
}

// Close stops the device and ends Next.
func (d *Device) Close() error {
	d.closeOnce()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.finished {
		return nil
	}
	d.finished = true
	if d.idle != nil {
		d.idle.Stop()
	}
	var err error
	if d.running {
		err = d.stream.Stop()
	}
	return errors.Join(err, d.stream.Close())
}

// decodePicture converts a picture of the device into f.
func (d *Device) decodePicture(picture []byte, f *robot.Frame) error {
	if d.format == yuyv {
		return fromYUYV(picture, d.width, d.height, f)
	}
	return fromJPEG(picture, f)
}

// fromYUYV converts a picture with two pixels in four bytes, Y U Y V, into f. It averages
// the colours of two rows.
func fromYUYV(picture []byte, width, height int, f *robot.Frame) error {
	if len(picture) < 2*width*height {
		return fmt.Errorf("a picture of %d bytes came; %dx%d in YUYV are %d", len(picture), width, height, 2*width*height)
	}
	f.Resize(width, height)
	for y := 0; y < height; y += 2 {
		a, b := picture[2*width*y:][:2*width], picture[2*width*(y+1):][:2*width]
		ya, yb := f.Y[width*y:][:width], f.Y[width*(y+1):][:width]
		u, v := f.U[width*y/4:][:width/2], f.V[width*y/4:][:width/2]
		for i := range u {
			p, q := a[4*i:][:4], b[4*i:][:4]
			ya[2*i], ya[2*i+1], yb[2*i], yb[2*i+1] = p[0], p[2], q[0], q[2]
			u[i], v[i] = byte((int(p[1])+int(q[1])+1)/2), byte((int(p[3])+int(q[3])+1)/2)
		}
	}
	return nil
}

// fromJPEG converts a JPEG into f. Many cameras omit the Huffman tables; those of the
// standard then apply.
func fromJPEG(picture []byte, f *robot.Frame) error {
	img, err := jpeg.Decode(bytes.NewReader(withTables(picture)))
	if err != nil {
		return err
	}
	ycc, ok := img.(*image.YCbCr)
	if !ok {
		return fmt.Errorf("a JPEG in %T came; it must be in colour", img)
	}
	w, h := ycc.Rect.Dx()&^1, ycc.Rect.Dy()&^1
	if w < 16 || h < 16 {
		return fmt.Errorf("a JPEG of %dx%d pixels came", w, h)
	}
	f.Resize(w, h)
	for y := range h {
		copy(f.Y[y*w:][:w], ycc.Y[y*ycc.YStride:])
	}
	for y := 0; y < h; y += 2 {
		for x := 0; x < w; x += 2 {
			i, j := ycc.COffset(ycc.Rect.Min.X+x, ycc.Rect.Min.Y+y), ycc.COffset(ycc.Rect.Min.X+x+1, ycc.Rect.Min.Y+y+1)
			k := y*w/4 + x/2
			f.U[k] = byte((int(ycc.Cb[i]) + int(ycc.Cb[j]) + 1) / 2)
			f.V[k] = byte((int(ycc.Cr[i]) + int(ycc.Cr[j]) + 1) / 2)
		}
	}
	limitRange(f)
	return nil
}

// withTables returns the JPEG, with the standard Huffman tables if it has none.
func withTables(picture []byte) []byte {
	if findSegment(picture, 0xc4) != nil || len(picture) < 2 {
		return picture
	}
	out := append([]byte(nil), picture[:2]...)
	out = append(out, standardTables()...)
	return append(out, picture[2:]...)
}

// standardTables returns the segments with the Huffman tables of the standard (ITU-T T.81,
// K.3), which image/jpeg also writes.
func standardTables() []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewYCbCr(image.Rect(0, 0, 16, 16), image.YCbCrSubsampleRatio420), nil); err != nil {
		return nil // cannot happen: a buffer never fails
	}
	return findSegment(b.Bytes(), 0xc4)
}

// findSegment returns the first segment with a marker before the image data; nil = there is
// none.
func findSegment(picture []byte, marker byte) []byte {
	for i := 2; i+4 <= len(picture) && picture[i] == 0xff; {
		length := 2 + int(picture[i+2])<<8 + int(picture[i+3])
		if picture[i+1] == 0xda || length < 4 || i+length > len(picture) {
			return nil
		}
		if picture[i+1] == marker {
			return picture[i : i+length]
		}
		i += length
	}
	return nil
}
