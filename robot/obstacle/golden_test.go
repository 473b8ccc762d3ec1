package obstacle

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"mybot/robot"
	"mybot/robot/robottest"
)

// TestTheLayerOfACrowdIsAlwaysTheSame draws the layer of a crowd: a digit is the distance to
// the nearest obstacle in decimetres, at most 9.
func TestTheLayerOfACrowdIsAlwaysTheSame(t *testing.T) {
	r := crowd()
	var b strings.Builder
	for n := range 25 {
		r.read(r.step(), r.cloud())
		if n%8 != 0 {
			continue
		}
		fmt.Fprintf(&b, "after %d scans\n", n+1)
		for _, d := range r.layer.Discs() {
			fmt.Fprintf(&b, "moves: %.2f, %.2f with %.1f, %.1f m/s, radius %.2f\n", d.At.X, d.At.Y, d.Velocity.X, d.Velocity.Y, d.Radius)
		}
		for y := 3.9; y > -4; y -= 0.2 {
			for x := -3.9; x < 4; x += 0.2 {
				b.WriteByte('0' + byte(math.Min(9, 10*r.layer.Clearance(robot.Point{X: x, Y: y}))))
			}
			b.WriteByte('\n')
		}
	}
	robottest.Golden(t, "testdata/crowd.txt", b.String())
}
