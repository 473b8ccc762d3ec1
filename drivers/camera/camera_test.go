package camera

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
)

// still is a camera without pictures.
type still struct{}

func (still) Next(context.Context, *robot.Frame) error { return nil }

func TestACameraIsChosenByAWord(t *testing.T) {
	film := filepath.Join(t.TempDir(), "Two.Y4M")
	if err := os.WriteFile(film, y4m("W16 H16 F25:1", 2), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		spec      string
		sim       robot.Camera
		what, err string
		none      bool
	}{
		{spec: "auto", sim: still{}, what: "the simulator's camera"},
		{spec: "sim", sim: still{}, what: "the simulator's camera"},
		{spec: "sim", err: "this robot is not simulated"},
		{spec: "none", sim: still{}, what: "no camera, as asked", none: true},
		{spec: "pattern", what: "a test pattern"},
		{spec: film, what: "Two.Y4M, 16x16 at 25 pictures a second"},
		{spec: "/nowhere.y4m", err: "nowhere.y4m: no such file"},
		{spec: "/dev/nowhere", err: "there is no /dev/nowhere"},
		{spec: "webcam", err: `"webcam" is no camera; it is auto, sim, pattern, none, a device such as /dev/video0, or a file that ends in .y4m`},
		{spec: "", err: `"" is no camera`},
	} {
		cam, what, err := Open(c.spec, c.sim)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) || cam != nil {
				t.Errorf("%q: %v, %v; the error must say %q", c.spec, cam, err, c.err)
			}
			continue
		}
		if err != nil || what != c.what || cam == nil != c.none {
			t.Errorf("%q: %v, %q, %v; want %q", c.spec, cam, what, err, c.what)
		}
		if closer, ok := cam.(io.Closer); ok {
			if err := closer.Close(); err != nil {
				t.Errorf("%q: %v", c.spec, err)
			}
		}
	}
}

func TestWithoutAnyCameraTheReasonIsTold(t *testing.T) {
	if paths, _ := filepath.Glob("/dev/video*"); len(paths) > 0 {
		cam, what, err := openFirst(func(path string) (robot.Camera, string, error) {
			return nil, "", errors.New("camera: " + path + " is busy")
		})
		if cam != nil || err != nil || !strings.HasPrefix(what, "no camera: /dev/video") || !strings.Contains(what, "is busy") {
			t.Errorf("%v, %q, %v", cam, what, err)
		}
		return
	}
	cam, what, err := Open("auto", nil)
	if cam != nil || err != nil || !strings.HasPrefix(what, "no camera: ") {
		t.Errorf("%v, %q, %v", cam, what, err)
	}
}

func TestPicturesComeAtAnEvenPaceAndNoneIsMadeUpFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPattern(160, 120)
		var f robot.Frame
		began := time.Now()
		for i := range 31 {
			if err := p.Next(t.Context(), &f); err != nil {
				t.Fatal(err)
			}
			if want := began.Add(time.Duration(i) * (time.Second / 30)); !f.Taken.Equal(want) {
				t.Fatalf("picture %d is of %v; want %v", i, f.Taken.Sub(began), want.Sub(began))
			}
		}
		time.Sleep(10 * time.Second)
		late := time.Now()
		for i := range 3 {
			if err := p.Next(t.Context(), &f); err != nil {
				t.Fatal(err)
			}
			if want := late.Add(time.Duration(i) * (time.Second / 30)); !f.Taken.Equal(want) {
				t.Errorf("picture %d after a pause is of %v; want %v", i, f.Taken.Sub(late), want.Sub(late))
			}
		}
	})
}

func TestTheEndOfTheContextAndCloseEndNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPattern(160, 120)
		var f robot.Frame
		if err := p.Next(t.Context(), &f); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := p.Next(ctx, &f); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Next says %v when its context ends", err)
		}
		if err := p.Next(ctx, &f); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Next says %v when its context has ended", err)
		}
		go func() {
			time.Sleep(time.Millisecond)
			if err := errors.Join(p.Close(), p.Close()); err != nil {
				t.Error(err)
			}
		}()
		for range 2 {
			if err := p.Next(t.Context(), &f); !errors.Is(err, robot.ErrClosed) {
				t.Errorf("Next says %v after Close", err)
			}
		}
	})
}
