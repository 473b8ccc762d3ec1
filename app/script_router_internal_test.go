package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mybot/jobs"
	"mybot/media"
	"mybot/media/voice"
	"mybot/robot"
	"mybot/script"
)

// A scriptHost takes answers for a test.
type scriptHost struct {
	mu  sync.Mutex
	got []string
}

func (h *scriptHost) Do(_ context.Context, cmd robot.Command) robot.Result {
	h.mu.Lock()
	defer h.mu.Unlock()
	a := cmd.(robot.AnswerAsk)
	h.got = append(h.got, fmt.Sprint(a.ID, " ", a.Value, a.Refusal))
	return robot.Result{Word: robot.Success}
}

// withRouter runs a router for a test in a bubble.
func withRouter(t *testing.T, test func(r *scriptRouter, h *scriptHost)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := &scriptHost{}
		r := newScriptRouter(h)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- r.Run(ctx) }()
		test(r, h)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func linesOf(unit string, n int) (lines []script.Line) {
	for i := range n {
		lines = append(lines, script.Line{Unit: unit, Text: fmt.Sprint(i)})
	}
	return lines
}

func TestWhoEndsASubscriptionGetsWhatWasSaidBefore(t *testing.T) {
	r := newScriptRouter(&scriptHost{}) // without Run, so that lines wait
	var got []string
	cancel := r.Subscribe("A", func(lines []script.Line) {
		for _, l := range lines {
			got = append(got, l.Unit+l.Text)
		}
	})
	r.takeLines(append(linesOf("A", 1), linesOf("B", 1)...))
	r.takeLines(linesOf("A", 2))
	cancel()
	r.takeLines(linesOf("A", 1))
	r.deliverAll()
	if heard := strings.Join(got, " "); heard != "A0 A0 A1" {
		t.Errorf("the subscriber hears %s", heard)
	}
}

func TestLinesReachTheirSubscribersInOrder(t *testing.T) {
	withRouter(t, func(r *scriptRouter, _ *scriptHost) {
		var own, all []string
		take := func(into *[]string) func([]script.Line) {
			return func(lines []script.Line) {
				for _, l := range lines {
					*into = append(*into, l.Unit+l.Text)
				}
			}
		}
		cancelOwn, cancelAll := r.Subscribe("A", take(&own)), r.Subscribe("", take(&all))
		r.takeLines(append(linesOf("A", 2), linesOf("B", 1)...))
		r.takeLines(linesOf("A", 1))
		synctest.Wait()
		if got := strings.Join(own, " ") + "; " + strings.Join(all, " "); got != "A0 A1 A0; A0 A1 B0 A0" {
			t.Errorf("the subscribers hear %s", got)
		}
		cancelOwn()
		r.takeLines(linesOf("A", 1))
		synctest.Wait()
		if len(own) != 3 || len(all) != 5 {
			t.Errorf("after the end of one they have heard %d and %d lines", len(own), len(all))
		}
		cancelAll()
	})
}

func TestASlowSubscriberLosesLinesAndIsTold(t *testing.T) {
	withRouter(t, func(r *scriptRouter, _ *scriptHost) {
		var got []script.Line
		slow := make(chan struct{})
		r.Subscribe("A", func(lines []script.Line) { <-slow; got = append(got, lines...) })
		r.takeLines(linesOf("A", 1))
		synctest.Wait()
		r.takeLines(linesOf("A", maxRouted+97))
		close(slow)
		synctest.Wait()
		if n := len(got); n != maxRouted+2 || got[n-1].Text != "*** 97 lines left out" {
			t.Errorf("it hears %d lines, the last is %q", n, got[n-1].Text)
		}
	})
}

func TestARequestIsAnsweredOnceAndACancelledOneEnds(t *testing.T) {
	withRouter(t, func(r *scriptRouter, h *scriptHost) {
		ended := false
		r.answers = map[string]scriptAnswer{
			"now": func(context.Context, script.Ask) (robot.AnswerAsk, error) {
				return robot.AnswerAsk{Value: script.Number(3)}, nil
			},
			"no": func(context.Context, script.Ask) (robot.AnswerAsk, error) {
				return robot.AnswerAsk{}, errors.New("it is broken")
			},
			"later": func(ctx context.Context, _ script.Ask) (robot.AnswerAsk, error) {
				<-ctx.Done()
				ended = true
				return robot.AnswerAsk{}, ctx.Err()
			},
		}
		r.takeAsks([]script.Ask{{ID: 1, Name: "now"}, {ID: 2, Name: "later"}})
		synctest.Wait()
		r.takeAsks([]script.Ask{{ID: 3, Name: "no"}, {ID: 4, Name: "fly"}, {ID: 2, Name: "later", Cancelled: true}})
		synctest.Wait()
		got := strings.Join(h.got, "\n")
		for _, want := range []string{"1 3.000000", "3 nothingit is broken", "4 nothingthis robot cannot do that"} {
			if !strings.Contains(got, want) {
				t.Errorf("the answers are\n%s, want %q", got, want)
			}
		}
		if !ended {
			t.Error("the answer to a cancelled request goes on")
		}
	})
}

func TestATextIsPreparedAsForJobs(t *testing.T) {
	speak := func(_ context.Context, text, _ string, _ float64) (jobs.PreparedSpeech, error) {
		return jobs.PreparedSpeech{Aloud: true, Sentences: []jobs.Sentence{{Text: text, Duration: time.Second}}}, nil
	}
	a, err := (&server{}).prepareScriptSpeech(t.Context(), script.Ask{Values: []script.Value{script.Text("Hello."), script.Text("de")}}, speak)
	if want := (robot.Speech{Text: "Hello.", Voice: "de", Speed: 1, Duration: time.Second, Aloud: true}); err != nil || len(a.Speech) != 1 || a.Speech[0] != want {
		t.Errorf("%+v, %v", a.Speech, err)
	}
}

// A still camera shows one picture.
type stillCamera struct{ y, u, v byte }

func (c stillCamera) Next(_ context.Context, f *robot.Frame) error {
	f.Resize(64, 48)
	for i := range f.Y {
		f.Y[i] = c.y
	}
	for i := range f.U {
		f.U[i], f.V[i] = c.u, c.v
	}
	return nil
}

func TestAScriptGetsAPictureAsJPEG(t *testing.T) {
	for name, c := range map[string]struct {
		camera stillCamera // in BT.601's limited range
		want   [3]int      // red, green and blue
	}{
		"white": {stillCamera{235, 128, 128}, [3]int{255, 255, 255}},
		"red":   {stillCamera{81, 90, 240}, [3]int{255, 0, 0}},
	} {
		s := &server{camera: newSharedCamera(c.camera, isOn)}
		a, err := s.takeScriptPicture(t.Context(), script.Ask{Values: []script.Value{script.Number(100)}})
		format, data, ok := a.Value.Binary()
		if err != nil || !ok || format != "jpeg 64 48" {
			t.Fatalf("%q, %v", format, err)
		}
		picture, err := jpegOf(data)
		if err != nil {
			t.Fatal(err)
		}
		r, g, b, _ := picture.At(5, 5).RGBA()
		for i, got := range []uint32{r, g, b} {
			if off := int(got>>8) - c.want[i]; off < -4 || off > 4 {
				t.Errorf("%s is %d %d %d", name, r>>8, g>>8, b>>8)
			}
		}
	}
}

// A darkCamera has no picture before ctx ends.
type darkCamera struct{}

func (darkCamera) Next(ctx context.Context, _ *robot.Frame) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestWhoWaitsForATurnAtTheCameraCanGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newSharedCamera(darkCamera{}, isOn)
		long, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.Next(long, &robot.Frame{}) }()
		synctest.Wait()
		short, give := context.WithTimeout(t.Context(), time.Second)
		defer give()
		if _, _, err := c.takeJPEG(short, 75); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it ends with %v", err)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the first one ends with %v", err)
		}
	})
}

func isOn() bool { return false }

func TestACameraThatIsOffGivesNoPictureUntilItIsOnAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var off atomic.Bool
		off.Store(true)
		c := newSharedCamera(stillCamera{235, 128, 128}, off.Load)
		if _, _, err := c.takeJPEG(t.Context(), 75); err == nil || err.Error() != "the camera is switched off: camera.load is 0" {
			t.Errorf("a script gets %v", err)
		}
		short, give := context.WithTimeout(t.Context(), time.Second)
		defer give()
		if err := c.Next(short, &robot.Frame{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a viewer gets %v", err)
		}
		var f robot.Frame
		seen := make(chan error, 1)
		go func() { seen <- c.Next(t.Context(), &f) }()
		time.Sleep(time.Second)
		off.Store(false)
		if err := <-seen; err != nil || f.Width != 64 {
			t.Errorf("once it is on, a viewer gets a picture %d wide and %v", f.Width, err)
		}
	})
}

func TestThePictureOfACameraIsSmallerInALowerQuality(t *testing.T) {
	s := &server{camera: newSharedCamera(noisyCamera{}, isOn)}
	size := func(quality float64) int {
		a, err := s.takeScriptPicture(t.Context(), script.Ask{Values: []script.Value{script.Number(quality)}})
		if err != nil {
			t.Fatal(err)
		}
		_, data, _ := a.Value.Binary()
		return len(data)
	}
	if low, high := size(1), size(100); 4*low > high {
		t.Errorf("a picture has %d bytes in quality 1 and %d in quality 100", low, high)
	}
}

// A noisyCamera has pictures of noise.
type noisyCamera struct{}

func (noisyCamera) Next(ctx context.Context, f *robot.Frame) error {
	err := stillCamera{128, 128, 128}.Next(ctx, f)
	for i := range f.Y {
		f.Y[i] = uint8(16 + i*i*7919%220) //nolint:gosec // within a byte
	}
	return err
}

func TestAScriptGetsWhatIsHeardAsWAV(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hum := &media.Microphone{
			Speed:  func() (left, right float64) { return 0.5, 0.5 },
			Speech: func() (samples []int16, at int) { return nil, 0 },
		}
		began := time.Now()
		a, err := recordScriptSound(t.Context(), hum, script.Ask{Values: []script.Value{script.Number(500)}})
		format, file, ok := a.Value.Binary()
		if err != nil || !ok || format != "wav" || time.Since(began) != 500*time.Millisecond {
			t.Fatalf("%q, %v after %v", format, err, time.Since(began))
		}
		samples := voice.Samples(file)
		if loud := slices.Max(samples); len(samples) != 4000 || loud < 500 {
			t.Errorf("half a second of a driving robot has %d samples, the loudest %d", len(samples), loud)
		}
		for _, v := range []script.Value{script.Number(0), script.Number(5001), script.Text("long"), script.Number(math.NaN())} {
			if _, err := recordScriptSound(t.Context(), hum, script.Ask{Values: []script.Value{v}}); err == nil || !strings.Contains(err.Error(), "1 to 5000 ms") {
				t.Errorf("micro.val(%s) answers %v", v.Plain(), err)
			}
		}
	})
}

func jpegOf(data []byte) (image.Image, error) { return jpeg.Decode(bytes.NewReader(data)) }
