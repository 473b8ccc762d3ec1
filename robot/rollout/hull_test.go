package rollout

import (
	"math"
	"testing"

	"mybot/robot"
)

func TestDiscsCoverEveryHull(t *testing.T) {
	octagon := func(r float64) []robot.Point {
		var hull []robot.Point
		for k := range 8 {
			sin, cos := math.Sincos(math.Pi / 4 * (float64(k) + 0.5))
			hull = append(hull, robot.Point{X: r * cos, Y: r * sin})
		}
		return hull
	}
	for _, c := range []struct {
		name string
		body robot.Body
		want int
	}{
		{"Mybot", robot.Body{Length: 0.52, Width: 0.45}, 2},
		{"as good as round", robot.Body{Hull: octagon(0.3)}, 1},
		{"long", robot.Body{Length: 1.2, Width: 0.5}, 5},
		{"very long", robot.Body{Length: 4, Width: 0.4}, 6},
		{"just short enough for one disc", robot.Body{Length: 0.24, Width: 0.32}, 1},
		{"wider than long", robot.Body{Length: 0.4, Width: 0.7}, 2},
		{"beside the axle", robot.Body{Hull: []robot.Point{{X: 0.5, Y: 0.4}, {X: -0.2, Y: 0.4}, {X: -0.2, Y: -0.1}, {X: 0.5, Y: -0.1}}}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			desc := robot.Description{Body: c.body, Drivetrain: robot.Drivetrain{AxleOffset: 0.08}}
			discs := coverHull(desc)
			if len(discs) != c.want {
				t.Errorf("%d discs, want %d: %+v", len(discs), c.want, discs)
			}
			hull := desc.Body.Outline()
			for i, a := range hull {
				b := hull[(i+1)%len(hull)]
				for f := 0.0; f <= 1; f += 0.01 {
					p := robot.Point{X: a.X + f*(b.X-a.X) + 0.08, Y: a.Y + f*(b.Y-a.Y)}
					covered := false
					for _, d := range discs {
						covered = covered || math.Hypot(p.X-d.ahead, p.Y-d.aside) <= d.radius+1e-9
					}
					if !covered {
						t.Fatalf("%v of the hull is not covered by %+v", p, discs)
					}
				}
			}
		})
	}
}
