package recording

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/models/modelstest"
)

type counter struct{ bytes int }

func (c *counter) Write(p []byte) (int, error) {
	c.bytes += len(p)
	return len(p), nil
}

// BenchmarkRecording measures writing one second of driving: 50 readings with 12
// sonars, ten states, 20 drive samples and, with a lidar, ten scans in whole
// millimetres.
func BenchmarkRecording(b *testing.B) {
	desc := modelstest.Mybot(b)
	for _, beams := range []int{0, 360, 1080} {
		b.Run(fmt.Sprintf("beams=%d", beams), func(b *testing.B) {
			desc.Lidars = []robot.Lidar{{From: -math.Pi, Step: 2 * math.Pi / 360, Beams: beams, Max: 12, Rate: 10}}
			size := &counter{}
			out, err := newEncoder(size, About{Robot: desc}, clock{})
			if err != nil {
				b.Fatal(err)
			}
			chance := rand.New(rand.NewPCG(1, 2))
			at := time.Unix(1_800_000_000, 0)
			x, seconds := 0.0, 0
			for b.Loop() {
				for i := range 50 {
					at = at.Add(20 * time.Millisecond)
					x += 0.006
					r := robot.Reading{Time: at, Travel: robot.Wheels{Left: 0.006 + 1e-4*chance.NormFloat64(), Right: 0.006}, Heading: 0.1 * chance.NormFloat64(), Battery: robot.Battery{Volts: 24.5}}
					for range 12 {
						r.Ranges = append(r.Ranges, 2+math.Sin(x)+0.01*chance.NormFloat64())
					}
					if i%5 == 0 && beams > 0 {
						scan := robot.Scan{Time: at, Ranges: make([]float64, beams)}
						for k := range scan.Ranges {
							scan.Ranges[k] = math.Round(1000*(3+2*math.Sin(x+float64(k)/40)+0.01*chance.NormFloat64())) / 1000
						}
						r.Scans = []robot.Scan{scan}
					}
					s := robot.State{Time: at, Mode: robot.ModeManual, Ranges: r.Ranges, Estimate: robot.Estimate{Pose: robot.Pose{X: x, Y: math.Sin(x)}}}
					s.Drive.Given.Linear = 0.3 + 0.01*chance.NormFloat64()
					entries := []entry{{at: at, reading: r, state: s}}
					if i%5 < 2 {
						entries = append(entries, entry{at: at, command: robot.Follow{Lease: 1, Seq: uint64(i), T: x, Pose: robot.Pose{X: x, Y: math.Sin(x)}, Want: robot.Twist{Linear: 0.3}}})
					}
					for _, e := range entries {
						if err := out.writeEntry(queued{entry: &e}); err != nil {
							b.Fatal(err)
						}
					}
				}
				if err := out.file.Flush(); err != nil {
					b.Fatal(err)
				}
				seconds++
			}
			b.ReportMetric(float64(size.bytes)/float64(seconds), "bytes/s-of-driving")
		})
	}
}

func TestASchemaOfEveryKindIsInTheProgram(t *testing.T) {
	files, err := schemas.ReadDir("schemas")
	if err != nil || len(files) != 9 {
		t.Fatalf("there are %d schemas (%v)", len(files), err)
	}
	if _, err := newEncoder(io.Discard, About{}, clock{}); err != nil {
		t.Error(err)
	}
}
