package mapping

import (
	"math"

	"mybot/robot"
	"mybot/robot/scan"
)

const (
	maxPairs    = 100  // straight ahead, and in turns, that are looked at; more would tell little
	senseGain   = 0.1  // of the points, that fit more in one sense than in the other, for a pair to tell the sense;
	minSenses   = 3    // pairs that tell it, and
	senseShare  = 0.85 // of them that agree
	minSolved   = 8    // pairs, and
	minAgreeing = 0.6  // of them that agree with a mounting
	maxScale    = 1.4  // by which the lidar moves more or less than the wheels say
	solveRounds = 12
	outlierPull = 3.0          // standard deviations, from which on a pair counts half
	firmlyOff   = 4.0          // standard deviations that a mounting differs from the description, and
	minTurned   = math.Pi / 15 // rad or
	minShifted  = 0.12         // m, at least
	sureTurned  = math.Pi / 60 // rad and
	sureShifted = 0.05         // m, the standard deviations of one that is told
	aboutSquare = math.Pi / 30 // rad from a multiple of 90 degrees, within which it is one
	usualShift  = 0.2          // m, standard deviation of where a lidar sits off its place
	leastTold   = 0.01         // information on a turn before there is any
	sureSquare  = math.Pi / 20 // rad, the same of one by a multiple of 90 degrees
	squareTurn  = math.Pi / 2  // rad
)

// A Mounting is how a lidar sits otherwise than it is described: a point that it tells in
// base_link is truly where Mirrored, Turned and Shifted take it, in this order.
type Mounting struct {
	Mirrored bool        // at the x axis: its beams follow each other the other way around
	Turned   float64     // rad, counter-clockwise
	Shifted  robot.Point // m
}

// Correct returns a lidar as it must be described.
func (m Mounting) Correct(l robot.Lidar) robot.Lidar {
	if m.Mirrored {
		l.Pose.Y, l.Pose.Theta = -l.Pose.Y, -l.Pose.Theta
		l.From, l.Step = -l.From, -l.Step
	}
	l.Pose = robot.Pose{X: m.Shifted.X, Y: m.Shifted.Y, Theta: m.Turned}.Compose(l.Pose)
	return l
}

// Mounting returns how the lidar sits on the robot, when the scans so far show that this
// differs clearly from its description: its beams run the other way around, or it is
// turned by 12 degrees or more, or sits 12 cm or more off its place. It takes a few turns
// of the robot to show.
//
// Two successive scans tell how the lidar moved, whatever the description says, and
// odometry how the robot did; how it sits follows from some of these (Censi 2013).
func (m *Mapper) Mounting() (_ Mounting, differs bool) {
	if len(m.frames) == 0 {
		return Mounting{}, false
	}
	return m.mounting.find(m.frames[0].origin)
}

// checkMounting is the task that learns of a key frame that follows the newest one how
// the lidar sits.
func (m *Mapper) checkMounting(k KeyFrame) (done bool) {
	if n := len(m.frames); n > 0 {
		m.mounting.observe(m.frames[n-1].cloud(), k.Cloud, k.Motion)
	}
	return true
}

// A mountingCheck is what the pairs of successive key frames tell of the lidar.
type mountingCheck struct {
	pairs []scanPair
	taken [2]int      // of them straight ahead, and in a turn
	told  [senses]int // of them by which the beams run in this sense
}

// observe takes two successive key frames and the motion by odometry between them.
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
		c.told[mirrored]++
	} else if gain < -senseGain {
		c.told[asDescribed]++
	}
}

// find returns how the lidar sits that is described at origin in base_link.
func (c *mountingCheck) find(origin robot.Point) (m Mounting, differs bool) {
	sense, other := asDescribed, mirrored
	if c.told[mirrored] > c.told[asDescribed] {
		sense, other = mirrored, asDescribed
	}
	if n := c.told[sense]; n < minSenses || float64(n) < senseShare*float64(n+c.told[other]) {
		return m, false
	}
	told, sits := origin, origin
	if m.Mirrored = sense == mirrored; m.Mirrored {
		told.Y = -told.Y
	}
	f, ok := c.solve(sense, told, origin)
	if !ok {
		return Mounting{}, false
	}
	m.Turned = f.turn()
	at := robot.Pose{X: f.shifted.X, Y: f.shifted.Y, Theta: f.turned}.Apply(told)
	sd := f.sdShifted + told.Norm()*f.sdTurned
	if at.Sub(origin).Norm() > math.Max(minShifted, firmlyOff*sd) && sd < sureShifted {
		sits = at
	}
	m.Shifted = sits.Sub(robot.Pose{Theta: m.Turned}.Apply(told))
	return m, m.Mirrored || m.Turned != 0 || sits != origin
}

// A mountingFit is the turn and the shift with which the pairs agree best.
type mountingFit struct {
	turned    float64     // rad
	shifted   robot.Point // m
	sdTurned  float64     // rad and
	sdShifted float64     // m, standard deviations
}

// solve returns them for beams in a sense and a lidar that is told to sit at one place and
// described at another, which differ when it is mirrored; ok is false where the pairs do
// not agree. Least squares, in which a pair that was matched wrongly counts little (Cauchy
// kernel). On a circle, turn and shift cannot be told apart, so a small shift is taken to be likelier.
func (c *mountingCheck) solve(sense int, told, described robot.Point) (f mountingFit, ok bool) {
	const w = 1 / usualShift
	usual := [2]mountingRow{
		{left: [4]float64{-w * described.X, w * described.Y, w, 0}, right: -w * told.X},
		{left: [4]float64{-w * described.Y, -w * described.X, 0, w}, right: -w * told.Y},
	}
	var rows [][2]mountingRow
	for i := range c.pairs {
		if r, ok := c.pairs[i].rows(sense); ok {
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
		usual[0].add(1, &normal, &right)
		usual[1].add(1, &normal, &right)
		agree, chi = 0, 0
		for i := range rows {
			off := sqr(rows[i][0].off(x)) + sqr(rows[i][1].off(x))
			w := 1 / (1 + off/sqr(outlierPull))
			if round == 0 {
				w = 1
			}
			if chi += w * off; w >= 0.5 {
				agree++
			}
			for _, r := range rows[i] {
				r.add(w, &normal, &right)
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

// turn returns by how much the lidar is turned, in rad; 0 when that is little or not sure.
func (f *mountingFit) turn() float64 {
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

// off returns by how much the unknowns x contradict the equation, in standard deviations.
func (r *mountingRow) off(x [4]float64) float64 {
	off := -r.right
	for i, l := range r.left {
		off += l * x[i]
	}
	return off
}

// add adds the equation, with a weight, to the normal equations.
func (r *mountingRow) add(w float64, normal *[4][4]float64, right *[4]float64) {
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
