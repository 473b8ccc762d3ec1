package mapping

import (
	"math"

	"mybot/robot"
	"mybot/robot/scan"
)

const (
	keyDistance    = 0.2                // m of motion after which a scan becomes a key frame,
	keyTurn        = 10 * math.Pi / 180 // or rad of rotation
	sparseDistance = 0.1                // m since the previous scan, or
	sparseTurn     = 5 * math.Pi / 180  // rad
	maxMotion      = 50.0               // m between two key frames; the effort of a match grows with its third power
	maxSpeed       = 5.0                // m/s between two scans, beyond
	speedSlack     = 1.0                // m, for times that are not exact; a match bridges that much
	longPause      = 10.0               // s without scans
	maxUsed        = 25.0               // m: echoes farther from the lidar are not matched
	maxFree        = 8.0                // m: how far a beam without an echo marks free floor
	spacing        = 0.05               // m: of the points to match, one per square of this size is used
	perMetre       = 1000               // units of a stored beam end
)

// A KeyFrame is a scan that becomes part of the map, with the robot's motion to it.
type KeyFrame struct {
	Motion robot.Pose // of base_link since the previous key frame, by odometry; ignored for the first one
	Cloud  scan.Cloud
}

// IsKeyFrame reports whether a scan becomes a key frame, given the motion by
// odometry since the last key frame and since the previous scan. The caller adds up
// the motion over the other scans. If scans are sparse, each becomes a key frame,
// because odometry is not good enough to place one far from all others.
func IsKeyFrame(sinceKeyFrame, sinceScan robot.Pose) bool {
	return isBeyond(sinceKeyFrame, keyDistance, keyTurn) || isBeyond(sinceScan, sparseDistance, sparseTurn)
}

func isBeyond(motion robot.Pose, distance, turn float64) bool {
	return motion.Point().Norm() >= distance || math.Abs(motion.Theta) >= turn
}

// IsJump reports whether odometry has jumped: no robot drives that far from one key
// frame to the next.
func IsJump(motion robot.Pose) bool { return motion.Point().Norm() > maxMotion }

// IsTooFast reports whether odometry has jumped between two scans: no robot drives that far in
// the time between them, in s; 0 = unknown.
func IsTooFast(motion robot.Pose, lasted float64) bool {
	return lasted > 0 && motion.Point().Norm() > maxSpeed*lasted+speedSlack
}

// IsDoubtful reports whether odometry may have jumped between two scans without leading too far
// for the time between them, in s: for at least 10 s there was no scan, and the motion is larger
// than a match bridges.
func IsDoubtful(motion robot.Pose, lasted float64) bool {
	return lasted >= longPause && isBeyond(motion, wideDistance, wideTurn)
}

// A beamEnd is the end of a beam in base_link, in mm.
type beamEnd struct{ x, y int16 }

func endAt(p robot.Point) beamEnd {
	return beamEnd{int16(math.Round(p.X * perMetre)), int16(math.Round(p.Y * perMetre))}
}

func (e beamEnd) point() robot.Point {
	return robot.Point{X: float64(e.x) / perMetre, Y: float64(e.y) / perMetre}
}

// A frame is a key frame as the Mapper stores it.
type frame struct {
	node     int     // of the pose graph
	distance float64 // m driven up to here, by odometry
	origin   robot.Point
	echoes   []beamEnd // something is there; the path to it is free
	passes   []beamEnd // the path to here is free; what is there is unknown
	order    []uint16  // alternating counts of successive echoes and passes in the scan
}

// newFrame stores the part of a cloud that drawing needs: 4 bytes per beam.
func newFrame(c scan.Cloud) frame {
	f := frame{origin: c.Origin}
	for _, b := range c.Beams {
		off := b.End.Sub(c.Origin)
		length := off.Norm()
		limit := maxUsed
		if !b.Echo {
			limit = maxFree
		}
		switch {
		case !(length > 0):
		case b.Echo && length <= maxUsed:
			f.echoes = append(f.echoes, endAt(b.End))
			f.countBeam(true)
		default:
			s := math.Min(1, limit/length)
			f.passes = append(f.passes, endAt(c.Origin.Add(robot.Point{X: s * off.X, Y: s * off.Y})))
			f.countBeam(false)
		}
	}
	return f
}

// countBeam adds one beam to the order.
func (f *frame) countBeam(echo bool) {
	if isEcho := len(f.order)%2 == 1; len(f.order) == 0 || isEcho != echo {
		if len(f.order) == 0 && !echo {
			f.order = append(f.order, 0)
		}
		f.order = append(f.order, 0)
	}
	f.order[len(f.order)-1]++
}

// cloud returns what newFrame stored, in the order of the scan.
func (f *frame) cloud() scan.Cloud {
	c := scan.Cloud{Origin: f.origin, Beams: make([]scan.Beam, 0, len(f.echoes)+len(f.passes))}
	ends := [2][]beamEnd{f.echoes, f.passes}
	for i, n := range f.order {
		sort := i % 2
		for _, e := range ends[sort][:n] {
			c.Beams = append(c.Beams, scan.Beam{End: e.point(), Echo: sort == 0})
		}
		ends[sort] = ends[sort][n:]
	}
	return c
}

// thinPoints returns the echoes of a cloud to match, in base_link: one per square
// of size spacing, so that near walls do not outweigh far ones.
func thinPoints(c scan.Cloud) []robot.Point {
	var points []robot.Point
	taken := map[[2]int]bool{}
	for _, b := range c.Beams {
		if !b.Echo || b.End.Sub(c.Origin).Norm() > maxUsed {
			continue
		}
		square := [2]int{int(math.Floor(b.End.X / spacing)), int(math.Floor(b.End.Y / spacing))}
		if !taken[square] {
			taken[square] = true
			points = append(points, b.End)
		}
	}
	return points
}

// pickPoints returns at most n of the points, evenly over the list.
func pickPoints(points []robot.Point, n int) []robot.Point {
	if len(points) <= n {
		return points
	}
	some := make([]robot.Point, n)
	for i := range some {
		some[i] = points[i*len(points)/n]
	}
	return some
}

const (
	maxFill  = 0.5  // m between two neighbouring echoes, at most, for the wall between them to be filled in
	fillBend = 0.04 // m by which the adjacent beams may be off the line through them
)

// fillWalls returns points on the walls between neighbouring echoes, in base_link.
// Far along a corridor the echoes of a scan are separate dots on the walls, and
// these dots have the same positions relative to the lidar wherever it is, so a
// field made of them would indicate no motion.
func fillWalls(c scan.Cloud) []robot.Point {
	var points []robot.Point
	for i := 1; i+2 < len(c.Beams); i++ {
		near := c.Beams[i-1 : i+3]
		if !near[0].Echo || !near[1].Echo || !near[2].Echo || !near[3].Echo {
			continue
		}
		a, b := near[1].End, near[2].End
		along := b.Sub(a)
		gap := along.Norm()
		if gap <= spacing || gap > maxFill || a.Sub(c.Origin).Norm() > maxUsed || b.Sub(c.Origin).Norm() > maxUsed {
			continue
		}
		if math.Abs(along.Cross(near[0].End.Sub(a))) > fillBend*gap || math.Abs(along.Cross(near[3].End.Sub(a))) > fillBend*gap {
			continue
		}
		n := int(math.Ceil(gap / spacing))
		for k := 1; k < n; k++ {
			s := float64(k) / float64(n)
			points = append(points, robot.Point{X: a.X + s*along.X, Y: a.Y + s*along.Y})
		}
	}
	return points
}
