package draft

import (
	"math"
	"slices"

	"mybot/robot"
)

// A spot is a place relative to a key frame, so that it moves with the key frame's
// pose.
type spot struct {
	frame int
	at    robot.Pose // in base_link of the key frame; for a point, without a heading
}

// A change is an edit in stored form, independent of the frame of the draft and of
// the poses of the key frames.
type change struct {
	op    Op
	drop  bool
	turn  float64 // rad: Straighten, Rotate
	spots []spot
	name  string
	graph stated // graphOp
}

// changesPicture reports whether the change affects the picture and the walls.
func (c *change) changesPicture() bool {
	return slices.Contains([]Op{Straighten, Rotate, Erase, Wall, Crop}, c.op)
}

const (
	anchorTries = 12  // key frames to examine, nearest first
	anchorNear  = 0.3 // m in front of the place within which something there does not hide it
)

// anchorSpot returns a place in map relative to a near key frame that sees it, because
// a place behind a wall may move differently when the map is optimized again.
func (d *Draft) anchorSpot(at robot.Pose) spot { return d.anchorAmong(at, d.result.KeyFrames()) }

// anchorAmong is anchorSpot among the first n key frames.
func (d *Draft) anchorAmong(at robot.Pose, n int) spot {
	if n == 0 {
		return spot{frame: -1, at: at}
	}
	type candidate struct {
		frame    int
		distance float64
	}
	var near []candidate
	for i := range n {
		c := candidate{i, d.result.Pose(i).Point().Sub(at.Point()).Norm()}
		if len(near) == anchorTries && c.distance >= near[anchorTries-1].distance {
			continue
		}
		k, _ := slices.BinarySearchFunc(near, c.distance, func(a candidate, d float64) int {
			if a.distance <= d {
				return -1
			}
			return 1
		})
		near = slices.Insert(near, k, c)
		near = near[:min(len(near), anchorTries)]
	}
	best := near[0].frame
	for _, c := range near {
		if d.isVisible(d.result.Pose(c.frame).Point(), at.Point()) {
			best = c.frame
			break
		}
	}
	return spot{frame: best, at: d.result.Pose(best).Inverse().Compose(at)}
}

// isVisible reports whether nothing occupied lies between two places in map.
func (d *Draft) isVisible(from, to robot.Point) bool {
	base := d.basePicture()
	way := to.Sub(from)
	length := way.Norm()
	turn := robot.Pose{Theta: d.made.turn}
	for s := 0.0; s < length-anchorNear; s += base.Resolution / 2 {
		f := s / length
		if base.At(turn.Apply(robot.Point{X: from.X + f*way.X, Y: from.Y + f*way.Y})) == robot.Occupied {
			return false
		}
	}
	return true
}

// spotPose returns the position of a spot in map; ok is false if its key frame is not
// in the result.
func (d *Draft) spotPose(s spot) (at robot.Pose, ok bool) {
	switch {
	case s.frame == -1:
		return s.at, true
	case s.frame < 0 || s.frame >= d.result.KeyFrames():
		return s.at, false
	}
	return d.result.Pose(s.frame).Compose(s.at), true
}

// changePoints returns the positions of a change's spots in map.
func (d *Draft) changePoints(c *change) (points []robot.Point, ok bool) {
	for _, s := range c.spots {
		at, found := d.spotPose(s)
		if !found {
			return nil, false
		}
		points = append(points, at.Point())
	}
	return points, true
}

// changeOf converts an edit, with places in the frame of the draft, to a change.
func (d *Draft) changeOf(e *Edit) change {
	draftFromMap := d.FrameFromMap()
	mapFromDraft := draftFromMap.Inverse()
	c := change{op: e.Op, drop: e.Drop}
	if e.Op == Place || e.Op == Room && !e.Drop {
		c.name = e.Name
	}
	put := func(points ...robot.Point) {
		for _, p := range points {
			c.spots = append(c.spots, d.anchorSpot(mapFromDraft.Compose(robot.Pose{X: p.X, Y: p.Y})))
		}
	}
	switch e.Op {
	case Straighten:
		c.turn = d.uprightTurn()
	case Rotate:
		c.turn = e.Angle
	case Erase:
		put(e.Outline...)
	case Keepout:
		if e.Drop {
			c.spots = d.made.keepouts[e.ID-1].spots
			break
		}
		put(e.Outline...)
	case Wall, Glass:
		put(e.Line.A, e.Line.B)
	case Crop:
		put(e.Low, robot.Point{X: e.High.X, Y: e.Low.Y}, e.High, robot.Point{X: e.Low.X, Y: e.High.Y})
	case Via:
		if e.ID != 0 {
			at, _ := d.made.viaByID(e.ID)
			put(draftFromMap.Apply(at))
		}
		if !e.Drop {
			put(e.At)
		}
	case Edge:
		for _, id := range e.Ends {
			at, _ := d.made.viaByID(id)
			put(draftFromMap.Apply(at))
		}
	case Room:
		for _, r := range d.made.rooms {
			if r.id == e.ID {
				put(draftFromMap.Apply(r.inside))
			}
		}
	case Place, Dock:
		if !e.Drop {
			c.spots = []spot{d.anchorSpot(mapFromDraft.Compose(e.Pose))}
		}
	}
	return c
}

// uprightTurn returns the angle that makes most walls parallel to the axes, in rad:
// from the direction of most of the wall length, modulo a right angle.
func (d *Draft) uprightTurn() float64 {
	const bins = 180 // of half a degree
	var metres [bins]float64
	for _, w := range d.made.walls {
		if length := lengthOf(w.line); length >= minUpright {
			metres[int(quarterAngle(w.line)/(math.Pi/2)*bins)%bins] += length
		}
	}
	best, most := 0, 0.0
	for k := range metres {
		sum := 0.0
		for off := -uprightBins; off <= uprightBins; off++ {
			sum += metres[(k+off+bins)%bins]
		}
		if sum > most {
			best, most = k, sum
		}
	}
	if most == 0 {
		return 0
	}
	middle := (float64(best) + 0.5) / bins * math.Pi / 2
	sum, weight := 0.0, 0.0
	for _, w := range d.made.walls {
		off := math.Remainder(quarterAngle(w.line)-middle, math.Pi/2)
		if length := lengthOf(w.line); length >= minUpright && math.Abs(off) < (uprightBins+0.5)/bins*math.Pi/2 {
			sum, weight = sum+off*length*length, weight+length*length
		}
	}
	return -math.Remainder(middle+sum/weight+d.made.turn, math.Pi/2)
}

const (
	minUpright  = 0.5 // m: shorter walls are ignored
	uprightBins = 4   // half degrees on each side that count as the same direction
)

// quarterAngle returns the direction of a line modulo a right angle, in rad in [0, pi/2).
func quarterAngle(s robot.Segment) float64 {
	way := s.B.Sub(s.A)
	a := math.Mod(math.Atan2(way.Y, way.X)+2*math.Pi, math.Pi/2)
	if a >= math.Pi/2 {
		a = 0
	}
	return a
}
