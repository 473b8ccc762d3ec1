package draft

import (
	"cmp"
	"math"
	"slices"

	"mybot/robot"
)

const (
	thinSize = 0.02 // m: the points in a square of this size are replaced by their mean
	binSize  = 0.25 // m
)

// A weighed is the mean of points, in map.
type weighed struct {
	at     robot.Point
	weight float64 // number of points
}

// points is what the key frames saw, indexed by position.
type points struct {
	bins map[[2]int32][]weighed
}

// thinEchoes collects the echoes of all key frames.
func thinEchoes(r Result) *points {
	type sums struct{ n, x, y float64 }
	squares := map[[2]int32]*sums{}
	for i := range r.KeyFrames() {
		for p := range r.Echoes(i) {
			k := [2]int32{int32(math.Floor(p.X / thinSize)), int32(math.Floor(p.Y / thinSize))}
			s := squares[k]
			if s == nil {
				s = &sums{}
				squares[k] = s
			}
			s.n, s.x, s.y = s.n+1, s.x+p.X, s.y+p.Y
		}
	}
	p := &points{bins: map[[2]int32][]weighed{}}
	for _, s := range squares {
		at := robot.Point{X: s.x / s.n, Y: s.y / s.n}
		k := binOf(at)
		p.bins[k] = append(p.bins[k], weighed{at, s.n})
	}
	for _, bin := range p.bins { // the order of a Go map varies
		slices.SortFunc(bin, func(a, b weighed) int {
			return cmp.Or(cmp.Compare(a.at.Y, b.at.Y), cmp.Compare(a.at.X, b.at.X))
		})
	}
	return p
}

func binOf(p robot.Point) [2]int32 {
	return [2]int32{int32(math.Floor(p.X / binSize)), int32(math.Floor(p.Y / binSize))}
}

// visitNear calls do with every point within reach m of a line, and with some more.
func (p *points) visitNear(s robot.Segment, reach float64, do func(weighed)) {
	low := binOf(robot.Point{X: math.Min(s.A.X, s.B.X) - reach, Y: math.Min(s.A.Y, s.B.Y) - reach})
	high := binOf(robot.Point{X: math.Max(s.A.X, s.B.X) + reach, Y: math.Max(s.A.Y, s.B.Y) + reach})
	for y := low[1]; y <= high[1]; y++ {
		for x := low[0]; x <= high[0]; x++ {
			middle := robot.Point{X: (float64(x) + 0.5) * binSize, Y: (float64(y) + 0.5) * binSize}
			if bin := p.bins[[2]int32{x, y}]; len(bin) > 0 && s.Distance(middle) < reach+binSize {
				for _, w := range bin {
					do(w)
				}
			}
		}
	}
}
