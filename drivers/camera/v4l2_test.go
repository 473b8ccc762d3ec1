package camera

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
)

// device is a stream without a camera: a picture every 40 ms, each brighter.
type device struct {
	formats       []format
	width, height int // 0 = as asked
	starts, stops int
	running       bool
	closed        bool
	began         time.Time
	taken         int // pictures since began
	silent        bool
	picture       func(n int) []byte
}

const deviceEvery = 40 * time.Millisecond

func (d *device) Formats() []format { return d.formats }

func (d *device) Use(f format, width, height int) (format, int, int, error) {
	if d.width > 0 && f == yuyv {
		width, height = d.width, d.height
	}
	return f, width, height, nil
}

func (d *device) Start() error {
	if d.running {
		return errors.New("started twice")
	}
	d.starts++
	d.running, d.began, d.taken = true, time.Now(), 0
	return nil
}

func (d *device) Stop() error {
	d.stops++
	d.running = false
	return nil
}

func (d *device) Wait(most time.Duration) (bool, error) {
	if d.silent {
		time.Sleep(most)
		return false, nil
	}
	due := d.began.Add(time.Duration(d.taken+1) * deviceEvery)
	wait := time.Until(due)
	time.Sleep(min(most, max(0, wait)))
	return wait <= most, nil
}

func (d *device) Take(use func([]byte) error) error {
	d.taken++
	return use(d.picture(d.taken))
}

func (d *device) Close() error {
	d.closed = true
	return nil
}

// grey is a YUYV picture.
func grey(n int) []byte {
	return bytes.Repeat([]byte{byte(n), 90, byte(n), 160}, 640*480/2)
}

func TestADeviceGivesItsNewestPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &device{formats: []format{mjpg, yuyv}, picture: grey}
		d, err := newDevice("/dev/video9", s)
		if err != nil {
			t.Fatal(err)
		}
		if d.String() != "640x480, YUYV" || s.starts != 0 {
			t.Errorf("it is %v and was started %d times before anybody looked", d, s.starts)
		}
		var f robot.Frame
		for i := 1; i <= 3; i++ {
			if err := d.Next(t.Context(), &f); err != nil {
				t.Fatal(err)
			}
			if int(f.Y[0]) != i || f.U[0] != 90 || f.V[0] != 160 || !f.Taken.Equal(time.Now()) {
				t.Errorf("picture %d is %d, %d, %d of %v", i, f.Y[0], f.U[0], f.V[0], f.Taken)
			}
		}
		time.Sleep(400 * time.Millisecond)
		if err := d.Next(t.Context(), &f); err != nil {
			t.Fatal(err)
		}
		if f.Y[0] != 13 {
			t.Errorf("after a pause picture %d comes; 13 is the newest", f.Y[0])
		}
		if err := errors.Join(d.Close(), d.Close()); err != nil {
			t.Error(err)
		}
		if err := d.Next(t.Context(), &f); !errors.Is(err, robot.ErrClosed) || !s.closed || s.stops != 1 {
			t.Errorf("after Close Next says %v; the device is closed: %v", err, s.closed)
		}
	})
}

func TestADeviceRestsWhileNoViewerIsConnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &device{formats: []format{yuyv}, picture: grey}
		d, err := newDevice("/dev/video9", s)
		if err != nil {
			t.Fatal(err)
		}
		var f robot.Frame
		for range 60 {
			if err := d.Next(t.Context(), &f); err != nil {
				t.Fatal(err)
			}
		}
		stops := func() int {
			d.mu.Lock()
			defer d.mu.Unlock()
			return s.stops
		}
		if stops() != 0 {
			t.Error("the device is stopped while there is a viewer")
		}
		time.Sleep(restAfter + time.Second)
		synctest.Wait()
		if stops() != 1 {
			t.Error("the device runs without a viewer")
		}
		if err := d.Next(t.Context(), &f); err != nil || s.starts != 2 {
			t.Errorf("looking again: %v, %d starts", err, s.starts)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestADeviceThatGivesNothingIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, err := newDevice("/dev/video9", &device{formats: []format{yuyv}, silent: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Next(t.Context(), new(robot.Frame)); err == nil || !strings.Contains(err.Error(), "/dev/video9 has given no picture for 5s") {
			t.Errorf("Next says %v", err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := newDevice("/dev/video9", &device{formats: []format{"H264"}}); err == nil || !strings.Contains(err.Error(), "[H264]; it must offer YUYV or MJPG") {
		t.Errorf("a device without a known format: %v", err)
	}
}

func TestJPEGsAreTakenWhereTheOtherFormatHasNotTheSize(t *testing.T) {
	s := &device{formats: []format{yuyv, mjpg}, width: 320, height: 240}
	d, err := newDevice("/dev/video9", s)
	if err != nil || d.String() != "640x480, MJPG" {
		t.Errorf("%v, %v", d, err)
	}
	s.formats = []format{yuyv}
	if d, err = newDevice("/dev/video9", s); err != nil || d.String() != "320x240, YUYV" {
		t.Errorf("%v, %v", d, err)
	}
}

// photo is a JPEG, of one colour in the left half and another in the right.
func photo(t *testing.T, left, right color.YCbCr) []byte {
	t.Helper()
	img := image.NewYCbCr(image.Rect(0, 0, 64, 32), image.YCbCrSubsampleRatio420)
	for y := range 32 {
		for x := range 64 {
			c := left
			if x >= 32 {
				c = right
			}
			img.Y[img.YOffset(x, y)], img.Cb[img.COffset(x, y)], img.Cr[img.COffset(x, y)] = c.Y, c.Cb, c.Cr
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAJPEGWithoutItsTablesIsRead(t *testing.T) {
	whole := photo(t, color.YCbCr{Y: 255, Cb: 128, Cr: 128}, color.YCbCr{Y: 0, Cb: 128, Cr: 255})
	tables := findSegment(whole, 0xc4)
	if len(tables) < 400 {
		t.Fatalf("the tables have %d bytes", len(tables))
	}
	bare := bytes.Replace(whole, tables, nil, 1)
	if _, err := jpeg.Decode(bytes.NewReader(bare)); err == nil {
		t.Fatal("a JPEG without tables is none, yet it is read")
	}
	for name, picture := range map[string][]byte{"whole": whole, "without tables": bare} {
		var f robot.Frame
		if err := fromJPEG(picture, &f); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := [...]int{int(f.Y[64*16+8]), int(f.V[32*8+4]), int(f.Y[64*16+56]), int(f.V[32*8+28])}
		for i, want := range [...]int{235, 128, 16, 240} {
			if f.Width != 64 || f.Height != 32 || got[i] < want-2 || got[i] > want+2 {
				t.Errorf("%s: %dx%d, %v", name, f.Width, f.Height, got)
			}
		}
	}
}

func TestADamagedPictureIsLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &device{formats: []format{yuyv}, picture: func(n int) []byte {
			if n < 3 {
				return make([]byte, 7)
			}
			return grey(n)
		}}
		d, err := newDevice("/dev/video9", s)
		if err != nil {
			t.Fatal(err)
		}
		var f robot.Frame
		if err := d.Next(t.Context(), &f); err != nil || f.Y[0] != 3 {
			t.Errorf("%v, picture %d", err, f.Y[0])
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}

func FuzzJPEG(f *testing.F) {
	f.Add([]byte{0xff, 0xd8, 0xff, 0xda, 0, 2})
	f.Add([]byte{0xff, 0xd8, 0xff, 0xc4, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		var frame robot.Frame
		if fromJPEG(data, &frame) == nil && len(frame.Y) != frame.Width*frame.Height {
			t.Fatal("the planes have another size")
		}
	})
}
