package mapping

import (
	"math"

	"mybot/robot"
	"mybot/robot/scan"
)

const (
	maxPairs    = 100  // examined pairs straight ahead, and in turns; more would add little
	senseGain   = 0.1  // difference in the share of fitting points between the two senses, for a pair to decide
	minSenses   = 3    // pairs that decide, and
	senseShare  = 0.85 // share of them that agree
	minSolved   = 8    // pairs, and
	minAgreeing = 0.6  // share of them that agree with a mounting
	maxScale    = 1.4  // largest ratio between the motions by lidar and by wheels
	solveRounds = 12
	outlierPull = 3.0          // standard deviations at which a pair counts half
	firmlyOff   = 4.0          // standard deviations by which a mounting differs from the description, and
	minTurned   = math.Pi / 15 // rad or
	minShifted  = 0.12         // m, at least
	sureTurned  = math.Pi / 60 // rad and
	sureShifted = 0.05         // m, largest standard deviations for a report
	aboutSquare = math.Pi / 30 // rad from a multiple of 90 degrees that counts as one
	usualShift  = 0.2          // m, standard deviation of a lidar's distance from its place
	leastTold   = 0.01         // prior information on a rotation
	sureSquare  = math.Pi / 20 // rad, the same as sureTurned for multiples of 90 degrees
	squareTurn  = math.Pi / 2  // rad
)

// A Mounting is how the true mounting of a lidar differs from its description: a
// point that the lidar reports in base_link is truly where Mirrored, Turned and
// Shifted move it, in this order.
type Mounting struct {
	Mirrored bool        // at the x axis: the beams run the other way around
	Turned   float64     // rad, counter-clockwise
	Shifted  robot.Point // m
}

// Correct returns the corrected description of a lidar.
func (m Mounting) Correct(l robot.Lidar) robot.Lidar {
	if m.Mirrored {
		l.Pose.Y, l.Pose.Theta = -l.Pose.Y, -l.Pose.Theta
		l.From, l.Step = -l.From, -l.Step
	}
	l.Pose = robot.Pose{X: m.Shifted.X, Y: m.Shifted.Y, Theta: m.Turned}.Compose(l.Pose)
	return l
}

// Mounting returns how the lidar is mounted, if the scans so far show that this
// clearly differs from its description: the beams run the other way around, the
// lidar is turned by 12 degrees or more, or is 12 cm or more off its place. It
// takes a few turns of the robot to show.
//
// Two successive scans give the motion of the lidar, whatever the description says,
// and odometry gives that of the robot; the mounting follows from several of these
// (Censi 2013).
func (m *Mapper) Mounting() (_ Mounting, differs bool) {
	if len(m.frames) == 0 {
		return Mounting{}, false
	}
	return m.mounting.find(m.frames[0].origin)
}

// checkMounting is the task that learns about the mounting from a key frame that
// follows the newest one.
func (m *Mapper) checkMounting(k KeyFrame) (done bool) {
	if n := len(m.frames); n > 0 {
		m.mounting.observe(m.frames[n-1].cloud(), k.Cloud, k.Motion)
	}
	return true
}

// A mountingCheck collects what pairs of successive key frames show about the
// lidar.
type mountingCheck struct {
	pairs   []scanPair
	taken   [2]int      // pairs straight ahead, and in turns
	decided [senses]int // pairs that decide for each sense
}

// observe takes two successive key frames and the motion between them by odometry.
func (c *mountingCheck) observe(before, now scan.Cloud, odom robot.Pose) {
	kind := 0
	if math.Abs(odom.Theta) >= minPairTurn {
		kind = 1
	}
	if c.taken[kind] == maxPairs {
		return
	}
	p, ok := matchPair(before, now, odom)
	if !ok {
		return
	}
	c.pairs = append(c.pairs, p)
	c.taken[kind]++
	if gain := p.match[mirrored].fit - p.match[asDescribed].fit; gain > senseGain {
		c.decided[mirrored]++
	} else if gain < -senseGain {
		c.decided[asDescribed]++
	}
}

// find returns the mounting of the lidar that is described at origin in base_link.
func (c *mountingCheck) find(origin robot.Point) (m Mounting, differs bool) {
	sense, other := asDescribed, mirrored
	if c.decided[mirrored] > c.decided[asDescribed] {
		sense, other = mirrored, asDescribed
	}
	if n := c.decided[sense]; n < minSenses || float64(n) < senseShare*float64(n+c.decided[other]) {
		return m, false
	}
	reported, sits := origin, origin
	if m.Mirrored = sense == mirrored; m.Mirrored {
		reported.Y = -reported.Y
	}
	f, ok := c.solve(sense, reported, origin)
	if !ok {
		return Mounting{}, false
	}
	m.Turned = f.turnAngle()
	at := robot.Pose{X: f.shifted.X, Y: f.shifted.Y, Theta: f.turned}.Apply(reported)
	sd := f.sdShifted + reported.Norm()*f.sdTurned
	if at.Sub(origin).Norm() > math.Max(minShifted, firmlyOff*sd) && sd < sureShifted {
		sits = at
	}
	m.Shifted = sits.Sub(robot.Pose{Theta: m.Turned}.Apply(reported))
	return m, m.Mirrored || m.Turned != 0 || sits != origin
}

// A mountingFit is the rotation and the shift that fit the pairs best.
type mountingFit struct {
	turned    float64     // rad
	shifted   robot.Point // m
	sdTurned  float64     // rad and
	sdShifted float64     // m, standard deviations
}

// solve returns the fit for beams in a sense and a lidar that seems to be at one
// place and is described at another, which differ if it is mirrored; ok is false if
// the pairs do not agree. It uses least squares in which wrongly matched pairs
// count little (Cauchy kernel). On a circle, rotation and shift cannot be
// distinguished, so a small shift counts as more likely.
func (c *mountingCheck) solve(sense int, reported, described robot.Point) (f mountingFit, ok bool) {
	const w = 1 / usualShift
	usual := [2]mountingRow{
		{left: [4]float64{-w * described.X, w * described.Y, w, 0}, right: -w * reported.X},
		{left: [4]float64{-w * described.Y, -w * described.X, 0, w}, right: -w * reported.Y},
	}
	var rows [][2]mountingRow
	for i := range c.pairs {
		if r, ok := c.pairs[i].mountingRows(sense); ok {
			rows = append(rows, r)
		}
	}
	if len(rows) < minSolved {
		return f, false
	}
	var x [4]float64
	var normal [4][4]float64
	agree, chi := 0, 0.0
	for round := range solveRounds {
		normal = [4][4]float64{{leastTold}, {1: leastTold}}
		var right [4]float64
		usual[0].addTo(1, &normal, &right)
		usual[1].addTo(1, &normal, &right)
		agree, chi = 0, 0
		for i := range rows {
			off := square(rows[i][0].residualOf(x)) + square(rows[i][1].residualOf(x))
			w := 1 / (1 + off/square(outlierPull))
			if round == 0 {
				w = 1
			}
			if chi += w * off; w >= 0.5 {
				agree++
			}
			for _, r := range rows[i] {
				r.addTo(w, &normal, &right)
			}
		}
		x = solveEquations(normal, right)
	}
	scale := math.Hypot(x[0], x[1])
	if float64(agree) < minAgreeing*float64(len(rows)) || scale > maxScale || scale < 1/maxScale {
		return f, false
	}
	f.turned = -math.Atan2(x[1], x[0])
	f.shifted = robot.Pose{Theta: f.turned}.Apply(robot.Point{X: x[2], Y: x[3]})
	var sd [4]float64
	for i := range sd {
		var unit [4]float64
		unit[i] = 1
		sd[i] = math.Sqrt(math.Max(1, chi/float64(2*len(rows))) * math.Max(0, solveEquations(normal, unit)[i]))
	}
	f.sdTurned, f.sdShifted = math.Max(sd[0], sd[1])/scale, math.Max(sd[2], sd[3])
	return f, true
}

// turnAngle returns the rotation of the lidar, in rad; 0 if it is small or uncertain.
func (f *mountingFit) turnAngle() float64 {
	if math.Abs(f.turned) < math.Max(minTurned, firmlyOff*f.sdTurned) {
		return 0
	}
	square := squareTurn * math.Round(f.turned/squareTurn)
	switch near := math.Abs(f.turned-square) < math.Max(aboutSquare, 2*f.sdTurned); {
	case near && f.sdTurned < sureSquare:
		return robot.WrapAngle(square)
	case !near && f.sdTurned < sureTurned:
		return f.turned
	}
	return 0
}

// residualOf returns by how much the unknowns x violate the equation, in standard
// deviations.
func (r *mountingRow) residualOf(x [4]float64) float64 {
	off := -r.right
	for i, l := range r.left {
		off += l * x[i]
	}
	return off
}

// addTo adds the equation, with a weight, to the normal equations.
func (r *mountingRow) addTo(w float64, normal *[4][4]float64, right *[4]float64) {
	for i, l := range r.left {
		right[i] += w * l * r.right
		for j, k := range r.left {
			normal[i][j] += w * l * k
		}
	}
}

// solveEquations solves a x = b by Gauss-Jordan elimination; a is positive definite.
func solveEquations(a [4][4]float64, b [4]float64) [4]float64 {
	for i := range a {
		pivot := a[i][i]
		for j := range a[i] {
			a[i][j] /= pivot
		}
		b[i] /= pivot
		for k := range a {
			if k == i {
				continue
			}
			by := a[k][i]
			for j := range a[k] {
				a[k][j] -= by * a[i][j]
			}
			b[k] -= by * b[i]
		}
	}
	return b
}
