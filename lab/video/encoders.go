package video

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"time"

	"mybot/drivers/sim"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/maps"
	"mybot/media/h264"
	"mybot/media/vp8"
	"mybot/robot"
	"mybot/robot/floorplan"
)

const (
	pictureRate = 30              // frames a second
	stepLasts   = 4 * time.Second // at each bitrate of the steps
	stepWindow  = pictureRate / 2 // frames over which a bitrate is measured
	stepWithin  = 0.15            // tolerance, share of the bitrate
	stepDown    = 0.3             // share of the bitrate, down to and up from
)

// mediaOutcome is the speed and quality of each encoder with the same pictures.
type mediaOutcome struct {
	Seed     uint64           `json:"seed"`
	Width    int              `json:"width"`
	Height   int              `json:"height"`
	Seconds  int              `json:"seconds"`
	Bitrate  float64          `json:"bitrate_kbit_s"`
	Encoders []encoderOutcome `json:"encoders"`
	Missing  []string         `json:"missing,omitempty"` // why something was not measured
}

// encoderOutcome is the outcome of one encoder.
type encoderOutcome struct {
	Encoder string  `json:"encoder"`
	Mean    float64 `json:"ms_per_frame"`
	P99     float64 `json:"ms_p99"`
	PSNR    float64 `json:"psnr_db,omitempty"` // of the brightness, mean over the frames; 0 = the decoded pictures are unknown
	Worst   float64 `json:"psnr_worst_db,omitempty"`
	Rate    float64 `json:"kbit_s"`
	Step    float64 `json:"rate_step_s"` // the slower of both steps, see settlingTime; stepLasts = it never settled
	Key     float64 `json:"key_share"`   // the largest key frame, in units of a frame's share of the bitrate
}

func (o mediaOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d s of %dx%d at %d frames/s from a robot driving around the office (seed %d), %.0f kbit/s:\n\n", o.Seconds, o.Width, o.Height, pictureRate, o.Seed, o.Bitrate)
	report.Table(&b, []string{"encoder|%-8s", "ms/frame| %9.2f", "p99 ms| %7.2f", "PSNR dB| %8s", "worst dB| %8s", "kbit/s| %7.0f", "step, s| %9.2f", "key frame| %7.1f x"}, o.Encoders, func(e encoderOutcome) []any {
		mean, worst := "-", "-"
		if e.PSNR > 0 {
			mean, worst = fmt.Sprintf("%.2f", e.PSNR), fmt.Sprintf("%.2f", e.Worst)
		}
		return []any{e.Encoder, e.Mean, e.P99, mean, worst, e.Rate, e.Step, e.Key}
	})
	for _, why := range o.Missing {
		fmt.Fprintln(&b, why)
	}
	fmt.Fprintf(&b, "\nStep: how long after a change to %.0f %% of the bitrate and back half a second of frames is within %.0f %% of it.", 100*stepDown, 100*stepWithin)
	return b.String()
}

// encoder is an encoder under test.
type encoder interface {
	Encode(f *robot.Frame, key bool) ([]byte, error)
	SetBitrate(bitrate int)
	Close() error
}

// shower returns the decoded picture after the newest frame.
type shower interface{ CopyShown(f *robot.Frame) }

// MeasureEncoders measures the encoders with pictures of the simulator's camera.
func MeasureEncoders(ctx context.Context, c experiment.Call) error {
	o := mediaOutcome{}
	if err := c.Parse(func(f *experiment.Flags) {
		f.Uint64Var(&o.Seed, "seed", 1, "`seed` of the drive")
		f.Int(&o.Seconds, "seconds", 20, 2, 3600, "`how long`, in s, {}; the steps of the bitrate follow")
		f.Float(&o.Bitrate, "bitrate", 1000, 10, 50000, "in `kbit/s`")
	}); err != nil {
		return err
	}
	desc := testbed.Mybot()
	o.Width, o.Height = desc.Head.Camera.Width, desc.Head.Camera.Height
	for _, candidate := range []struct {
		name string
		make func() (encoder, error)
	}{
		{"vp8", func() (encoder, error) {
			return vp8.NewEncoder(o.Width, o.Height, int(1000*o.Bitrate), pictureRate)
		}},
		{"h264", func() (encoder, error) {
			return h264.NewEncoder(o.Width, o.Height, int(1000*o.Bitrate), pictureRate)
		}},
	} {
		e, err := candidate.make()
		if errors.Is(err, h264.ErrAbsent) {
			o.Missing = append(o.Missing, err.Error())
			continue
		}
		if err != nil {
			return fmt.Errorf("lab: %w", err)
		}
		m, err := o.measureEncoder(ctx, desc, candidate.name, e)
		if err != nil {
			return err
		}
		o.Encoders = append(o.Encoders, m)
	}
	return c.Print(o)
}

// measureEncoder encodes a drive, and then a step of the bitrate down and back.
func (o *mediaOutcome) measureEncoder(ctx context.Context, desc robot.Description, name string, e encoder) (encoderOutcome, error) {
	m := encoderOutcome{Encoder: name}
	tour, err := newTour(desc, o.Seed)
	if err != nil {
		return m, err
	}
	var f, shown robot.Frame
	var times []float64
	// frame encodes the next picture.
	frame := func(key bool) ([]byte, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := tour.takePicture(&f); err != nil {
			return nil, err
		}
		began := time.Now()
		b, err := e.Encode(&f, key)
		times = append(times, time.Since(began).Seconds()*1000)
		return b, err
	}
	n := o.Seconds * pictureRate
	shows, tells := e.(shower)
	var film [][]byte // the encoded frames, for a decoder
	for i := range n {
		key := i < 2 || i == n/2
		data, err := frame(key)
		if err != nil {
			return m, fmt.Errorf("lab: %w", err)
		}
		bits := float64(8 * len(data))
		m.Rate += bits / float64(n) * pictureRate / 1000
		if key {
			m.Key = max(m.Key, bits/(1000*o.Bitrate/pictureRate))
		}
		if tells {
			shows.CopyShown(&shown)
			m.comparePicture(i, n, &f, &shown)
		} else {
			film = append(film, slices.Clone(data))
		}
	}
	m.Mean, m.P99 = stats.MeanAndP99(times)
	if !tells {
		err := m.decodeAndCompare(ctx, desc, o.Seed, film)
		if errors.Is(err, exec.ErrNotFound) {
			o.Missing = append(o.Missing, "The PSNR of "+name+" is left out: there is no ffmpeg on the PATH to show what it encodes.")
		} else if err != nil {
			return m, fmt.Errorf("lab: media: %w", err)
		}
	}
	for _, share := range []float64{stepDown, 1} {
		e.SetBitrate(int(1000 * o.Bitrate * share))
		var bits []float64
		for range int(stepLasts.Seconds() * pictureRate) {
			b, err := frame(false)
			if err != nil {
				return m, fmt.Errorf("lab: %w", err)
			}
			bits = append(bits, float64(8*len(b)))
		}
		m.Step = max(m.Step, settlingTime(bits, 1000*o.Bitrate*share))
	}
	return m, e.Close()
}

// comparePicture adds the quality of picture i of n.
func (m *encoderOutcome) comparePicture(i, n int, taken, shown *robot.Frame) {
	p := computePSNR(taken, shown)
	m.PSNR += p / float64(n)
	if i == 0 || p < m.Worst {
		m.Worst = p
	}
}

// decodeAndCompare decodes an H.264 stream of the drive with ffmpeg, and takes the same
// pictures again to compare. If a frame was dropped, the previous one is still shown.
func (m *encoderOutcome) decodeAndCompare(ctx context.Context, desc robot.Description, seed uint64, film [][]byte) error {
	tour, err := newTour(desc, seed)
	if err != nil {
		return err
	}
	ffmpeg := exec.CommandContext(ctx, "ffmpeg", "-v", "error", "-f", "h264", "-i", "-", "-vsync", "passthrough", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-")
	ffmpeg.Stdin = bytes.NewReader(bytes.Join(film, nil))
	out, err := ffmpeg.StdoutPipe()
	if err != nil {
		return err
	}
	if err := ffmpeg.Start(); err != nil {
		return err
	}
	var taken, shown robot.Frame
	for i, data := range film {
		if err = tour.takePicture(&taken); err != nil {
			break
		}
		shown.Resize(taken.Width, taken.Height)
		if len(data) > 0 {
			for _, plane := range [][]byte{shown.Y, shown.U, shown.V} {
				if _, err = io.ReadFull(out, plane); err != nil {
					break
				}
			}
		}
		if err != nil {
			break
		}
		m.comparePicture(i, len(film), &taken, &shown)
	}
	_ = out.Close() // ffmpeg ends with its output, if it has not ended
	return errors.Join(err, ffmpeg.Wait())
}

// settlingTime returns the time, in s from the first frame, at which half a second of frames
// first has a bitrate, in bit/s; stepLasts if none has.
func settlingTime(bits []float64, bitrate float64) float64 {
	for i := 0; i+stepWindow <= len(bits); i++ {
		sum := 0.0
		for _, b := range bits[i : i+stepWindow] {
			sum += b
		}
		if math.Abs(sum/stepWindow*pictureRate/bitrate-1) <= stepWithin {
			return float64(i) / pictureRate
		}
	}
	return stepLasts.Seconds()
}

// computePSNR returns the peak signal-to-noise ratio of the brightness of b against a, in dB;
// 100 = equal.
func computePSNR(a, b *robot.Frame) float64 {
	sum := 0.0
	for i, v := range a.Y {
		d := float64(v) - float64(b.Y[i])
		sum += d * d
	}
	if sum == 0 {
		return 100
	}
	return 10 * math.Log10(255*255*float64(len(a.Y))/sum)
}

// A tour is the camera of a robot that drives around the office, among people, and looks
// around.
type tour struct {
	testbed.Wanderer
	camera *sim.Photographer
	period time.Duration // of a step
	late   time.Duration // of the next picture after the last step
	count  int           // pictures
}

func newTour(desc robot.Description, seed uint64) (*tour, error) {
	plan, err := floorplan.Load(maps.Office())
	if err != nil {
		return nil, fmt.Errorf("lab: %w", err)
	}
	roads, err := testbed.NewRoads(plan)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 78))
	scene := testbed.NewScene("people", plan, roads, rng)
	at := roads.LargestPart()
	from := at[rng.IntN(len(at))]
	scene.Start = robot.Pose{X: roads.At[from].X, Y: roads.At[from].Y}
	scene.People = slices.DeleteFunc(scene.People, func(p sim.Person) bool {
		return p.Route[0].Point.Sub(roads.At[from]).Norm() < 1
	})
	world := sim.NewWorld(desc, plan, scene, sim.Options{Seed: seed, Epoch: time.Unix(1e6, 0)})
	camera, err := sim.NewPhotographer(world)
	if err != nil {
		return nil, fmt.Errorf("lab: %w", err)
	}
	return &tour{
		Wanderer: testbed.Wanderer{World: world, Roads: roads, Rng: rng, To: from, From: from},
		camera:   camera, period: time.Duration(float64(time.Second) / desc.Rate),
	}, nil
}

// takePicture takes the next picture.
func (t *tour) takePicture(f *robot.Frame) error {
	for ; t.late >= t.period; t.late -= t.period {
		if err := t.World.Drive(t.NextTwist()); err != nil {
			return fmt.Errorf("lab: %w", err)
		}
		t.World.Step()
	}
	if t.count%(5*pictureRate) == 0 {
		if err := t.World.Look(robot.HeadAngles{Pan: t.Rng.Float64() - 0.5, Tilt: 0.4*t.Rng.Float64() - 0.2}); err != nil {
			return fmt.Errorf("lab: %w", err)
		}
	}
	t.camera.TakePicture(t.late, f)
	t.count++
	t.late += time.Second / pictureRate
	return nil
}
