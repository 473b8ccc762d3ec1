package pathplan

import (
	"math"

	"mybot/robot"
	"mybot/robot/limits"
)

// spacing is the distance between the points of a finished route, in m.
const spacing = 0.1

// repulsion is how strongly a wall pushes a route away, in 1/m2: where the clearance is
// d metres short, the curvature of the route is at most 2 * repulsion * d. With 8 the
// route passes the end of a wall at 0.7 m and leads through the middle of a doorway.
const repulsion = 8

// relaxPath moves a taut path away from walls. The path is an elastic band (Quinlan and
// Khatib 1993): walls push it and its tension straightens it, first with few points,
// then with more. Its ends stay. It stays on its side of every obstacle, and no move
// reduces its clearance below minClearance, in m.
func (c *Clearance) relaxPath(path []robot.Point, minClearance float64) []robot.Point {
	for apart := 8 * spacing; apart >= spacing-1e-9; apart /= 2 {
		path = divideLegs(c.thinOut(path, apart, minClearance), apart)
		for range 24 {
			if moved := c.sweepOnce(path, minClearance); moved < spacing/50 {
				break
			}
		}
	}
	return path
}

// sweepOnce moves every inner point once and returns the longest move, in m.
func (c *Clearance) sweepOnce(path []robot.Point, minClearance float64) float64 {
	longest := 0.0
	for n := 1; n+1 < len(path); n++ {
		a, p, b := path[n-1], path[n], path[n+1]
		to := robot.Point{X: (a.X + b.X) / 2, Y: (a.Y + b.Y) / 2}
		if lack := limits.RouteKeepOff - c.At(p); lack > 0 {
			up, u, v := c.gradientAt(p, spacing), p.Sub(a), b.Sub(p)
			push := min(lack/2, repulsion*lack*(u.X*u.X+u.Y*u.Y+v.X*v.X+v.Y*v.Y)/2)
			to = to.Add(robot.Point{X: push * up.X, Y: push * up.Y})
		}
		longest = max(longest, c.movePoint(path, n, to, minClearance))
	}
	return longest
}

// movePoint moves point n towards to while both of its legs keep the clearance, and
// returns the distance moved, in m.
func (c *Clearance) movePoint(path []robot.Point, n int, to robot.Point, minClearance float64) float64 {
	p := path[n]
	leg := to.Sub(p)
	length := math.Sqrt(leg.X*leg.X + leg.Y*leg.Y)
	if length < 1e-4 {
		return 0
	}
	for f := 1.0; f > 0.2; f /= 2 {
		q := robot.Point{X: p.X + f*leg.X, Y: p.Y + f*leg.Y}
		if c.IsClear(path[n-1], q, minClearance) && c.IsClear(q, path[n+1], minClearance) {
			path[n] = q
			return f * length
		}
	}
	return 0
}

// thinOut drops points that are closer than apart, in m, if the path stays clear.
func (c *Clearance) thinOut(path []robot.Point, apart, minClearance float64) []robot.Point {
	out := append(make([]robot.Point, 0, len(path)), path[0])
	for n := 1; n+1 < len(path); n++ {
		last, next := out[len(out)-1], path[n+1]
		if next.Sub(last).Norm() > apart || !c.IsClear(last, next, minClearance) {
			out = append(out, path[n])
		}
	}
	return append(out, path[len(path)-1])
}

// divideLegs cuts every leg into equal parts no longer than apart, in m.
func divideLegs(path []robot.Point, apart float64) []robot.Point {
	out := append(make([]robot.Point, 0, 2*len(path)), path[0])
	for n := 1; n < len(path); n++ {
		a, leg := path[n-1], path[n].Sub(path[n-1])
		parts := max(1, int(math.Ceil(leg.Norm()/apart-1e-9)))
		for k := 1; k <= parts; k++ {
			f := float64(k) / float64(parts)
			out = append(out, robot.Point{X: a.X + f*leg.X, Y: a.Y + f*leg.Y})
		}
	}
	return out
}

// resamplePath returns evenly spaced points about apart metres from each other along a
// path, including its ends.
func resamplePath(path []robot.Point, apart float64) []robot.Point {
	total := 0.0
	for n := 1; n < len(path); n++ {
		total += path[n].Sub(path[n-1]).Norm()
	}
	parts := max(1, int(math.Round(total/apart)))
	out := append(make([]robot.Point, 0, parts+1), path[0])
	at := 0.0
	for n := 1; n < len(path); n++ {
		leg := path[n].Sub(path[n-1])
		length := leg.Norm()
		for len(out) < parts {
			f := (total*float64(len(out))/float64(parts) - at) / length
			if !(f <= 1) {
				break
			}
			out = append(out, robot.Point{X: path[n-1].X + f*leg.X, Y: path[n-1].Y + f*leg.Y})
		}
		at += length
	}
	return append(out, path[len(path)-1])
}

// roundCorners rounds the corners of a path, in place, until its curvature is at most
// bend, in 1/m, or until minClearance, in m, allows no more. It does not reduce a
// clearance that is below limits.RouteRoomy. The ends stay.
func (c *Clearance) roundCorners(path []robot.Point, bend, minClearance float64) {
	// Only points near a corner move; with each sweep the arc grows by their
	// neighbours.
	for range 400 {
		moved := 0.0
		for n := 1; n+1 < len(path); n++ {
			a, p, b := path[n-1], path[n], path[n+1]
			mid := robot.Point{X: (a.X + b.X) / 2, Y: (a.Y + b.Y) / 2}
			off, chord := p.Sub(mid), b.Sub(a)
			// The sagitta of a chord of length l on an arc of curvature k is l2 k / 8.
			sag := bend * (chord.X*chord.X + chord.Y*chord.Y) / 8
			far := math.Sqrt(off.X*off.X + off.Y*off.Y)
			across := math.Abs(crossProduct(chord, off)) / max(1e-9, chord.Norm())
			if across <= sag*1.01 {
				continue
			}
			f := sag / far
			moved = max(moved, c.movePoint(path, n, robot.Point{X: mid.X + f*off.X, Y: mid.Y + f*off.Y}, max(minClearance, min(limits.RouteRoomy, c.At(p)-1e-9))))
		}
		if moved == 0 {
			return
		}
	}
}

func crossProduct(a, b robot.Point) float64 { return a.X*b.Y - a.Y*b.X }
