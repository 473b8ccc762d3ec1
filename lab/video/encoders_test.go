package video

import (
	"encoding/json"
	"errors"
	"math"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"mybot/lab/internal/experiment/experimenttest"
	"mybot/lab/internal/testbed"
	"mybot/media/h264"
	"mybot/media/vp8"
	"mybot/robot"
)

func TestAnEncoderIsMeasuredOnADrive(t *testing.T) {
	desc := testbed.Mybot()
	desc.Head.Camera.Width, desc.Head.Camera.Height = 128, 96
	e, err := vp8.NewEncoder(128, 96, 150000, pictureRate)
	if err != nil {
		t.Fatal(err)
	}
	o := mediaOutcome{Seed: 1, Seconds: 2, Bitrate: 150}
	m, err := o.measureEncoder(t.Context(), desc, "vp8", e)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", m)
	if !(m.PSNR > 36 && m.Worst > 28 && m.Worst < m.PSNR) {
		t.Errorf("the decoded pictures have %.2f dB, at worst %.2f", m.PSNR, m.Worst)
	}
	if !(m.Rate > 110 && m.Rate < 165) {
		t.Errorf("the bitrate for 150 kbit/s is %.1f", m.Rate)
	}
	if !(m.Step <= 1) {
		t.Errorf("a new bitrate takes %.2f s", m.Step)
	}
	if !(m.Key > 1 && m.Key <= 3) {
		t.Errorf("a key frame is as large as %.1f frames", m.Key)
	}
	if !(m.Mean > 0 && m.P99 >= m.Mean) {
		t.Errorf("%v ms a frame, %v at the 99th percentile", m.Mean, m.P99)
	}
}

func TestWhatAnEncoderDoesNotTellADecoderShows(t *testing.T) {
	experimenttest.ComputesLong(t)
	desc := testbed.Mybot()
	desc.Head.Camera.Width, desc.Head.Camera.Height = 128, 96
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("there is no ffmpeg to decode with")
	}
	e, err := h264.NewEncoder(128, 96, 150000, pictureRate)
	if errors.Is(err, h264.ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	o := mediaOutcome{Seed: 1, Seconds: 2, Bitrate: 150}
	m, err := o.measureEncoder(t.Context(), desc, "h264", e)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", m)
	if !(m.PSNR > 30 && m.PSNR < 50 && m.Worst > 20 && m.Worst < m.PSNR) || o.Missing != nil {
		t.Errorf("the decoded pictures have %.2f dB, at worst %.2f; missing: %q", m.PSNR, m.Worst, o.Missing)
	}
}

// A mute encoder does not report what it shows.
type mute struct{}

func (mute) Encode(*robot.Frame, bool) ([]byte, error) { return []byte("mute"), nil }
func (mute) SetBitrate(int)                            {}
func (mute) Close() error                              { return nil }

func TestWithoutADecoderThePSNRIsLeftOutWithAWord(t *testing.T) {
	experimenttest.ComputesLong(t)
	desc := testbed.Mybot()
	desc.Head.Camera.Width, desc.Head.Camera.Height = 64, 48
	t.Setenv("PATH", t.TempDir())
	o := mediaOutcome{Seed: 1, Seconds: 2, Bitrate: 150}
	m, err := o.measureEncoder(t.Context(), desc, "h264", mute{})
	if err != nil {
		t.Fatal(err)
	}
	if m.PSNR != 0 || len(o.Missing) != 1 || !strings.Contains(o.Missing[0], "The PSNR of h264 is left out: there is no ffmpeg") {
		t.Errorf("%v dB, missing %q", m.PSNR, o.Missing)
	}
}

func TestTheSameSeedIsTheSameDrive(t *testing.T) {
	experimenttest.ComputesLong(t)
	desc := testbed.Mybot()
	desc.Head.Camera.Width, desc.Head.Camera.Height = 64, 48
	film := func(seed uint64) (all []byte) {
		tour, err := newTour(desc, seed)
		if err != nil {
			t.Fatal(err)
		}
		var f robot.Frame
		for range 40 {
			if err := tour.takePicture(&f); err != nil {
				t.Fatal(err)
			}
			all = append(all, f.Y...)
		}
		return all
	}
	first := film(3)
	if !slices.Equal(film(3), first) {
		t.Error("the same seed gives other pictures")
	}
	if slices.Equal(film(4), first) {
		t.Error("another seed gives the same pictures")
	}
	if n := len(first) / 40; slices.Equal(first[:n], first[39*n:]) {
		t.Error("nothing moves")
	}
}

func TestABitrateIsSettledWhenHalfASecondHasIt(t *testing.T) {
	bits := func(shares ...float64) []float64 {
		var b []float64
		for _, s := range shares {
			b = append(b, slices.Repeat([]float64{s * 10000}, stepWindow)...)
		}
		return b
	}
	for _, c := range []struct {
		bits []float64
		want float64
	}{
		{bits(1), 0},
		{bits(3, 1), 14. / 30}, // two of fifteen frames that are three times too large are too many
		{bits(1.1, 3), 0},
		{bits(2, 2), stepLasts.Seconds()},
	} {
		if got := settlingTime(c.bits, 300000); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v: %v, want %v", c.bits, got, c.want)
		}
	}
}

func TestMediaIsToldInWordsAndJSON(t *testing.T) {
	o := mediaOutcome{Seed: 7, Width: 640, Height: 480, Seconds: 20, Bitrate: 1000, Encoders: []encoderOutcome{{Encoder: "vp8", Mean: 4.03, PSNR: 42.7, Rate: 999, Step: 0.2}, {Encoder: "h264", Mean: 1.5}}}
	if s := o.String(); !strings.Contains(s, "vp8") || !strings.Contains(s, "4.03") || !strings.Contains(s, "42.70") || !strings.Contains(s, " - ") {
		t.Error(s)
	}
	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"encoders":[{"encoder":"vp8"`, `"ms_per_frame":4.03`, `"psnr_db":42.7`, `"kbit_s":999`, `"rate_step_s":0.2`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%s lacks %s", b, want)
		}
	}
	for _, args := range [][]string{{"media", "--seconds", "1"}, {"media", "--bitrate", "5"}, {"media", "--bitrate", "NaN"}} {
		if _, _, err := commands.Run(t, args...); err == nil || !strings.Contains(err.Error(), "must be from") {
			t.Errorf("%v: %v", args, err)
		}
	}
}
