package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"mybot/mapping"
	"mybot/robot"
	"mybot/robot/scan"
)

const (
	perMetre  = 200         // units of a range: 5 mm
	perTurn   = 1 << 16     // units of a bearing
	perOrigin = 1000        // units of a metre to the lidar
	perMotion = 100_000     // units of a metre or rad of motion
	maxMotion = 1 << 40     // of those units
	maxOrigin = 100 * 1000  // of its units
	maxRange  = 1<<16 - 1   // of its units: 327 m
	maxLast   = time.Minute // between the time of a cloud and its last beam
)

// appendKeyFrame appends an encoded key frame.
func appendKeyFrame(to []byte, k mapping.KeyFrame) ([]byte, error) {
	c := k.Cloud
	if c.Lidar < 0 || c.Lidar > math.MaxUint8 || !robot.Finite(k.Motion.X, k.Motion.Y, k.Motion.Theta, c.Origin.X, c.Origin.Y) {
		return nil, errors.New("a key frame needs finite numbers for its motion and for the place of its lidar")
	}
	beams := polarBeams(c)
	if len(beams) > MaxBeams {
		return nil, fmt.Errorf("a key frame has %d beams; at most %d can be saved", len(beams), MaxBeams)
	}
	for _, v := range []float64{k.Motion.X, k.Motion.Y, k.Motion.Theta} {
		to = binary.AppendVarint(to, int64(math.Round(robot.Clamp(v*perMotion, -maxMotion, maxMotion))))
	}
	to = append(to, byte(c.Lidar))
	to = binary.AppendVarint(to, toNanoseconds(c.Time))
	to = binary.AppendVarint(to, int64(max(-maxLast, min(maxLast, c.Last.Sub(c.Time)))))
	for _, v := range []float64{c.Origin.X, c.Origin.Y} {
		to = binary.AppendVarint(to, int64(math.Round(robot.Clamp(v*perOrigin, -maxOrigin, maxOrigin))))
	}
	to = binary.AppendUvarint(to, uint64(len(beams)))
	return appendBeams(to, beams), nil
}

// toNanoseconds converts a time to ns since 1970; 0 if it does not fit.
func toNanoseconds(t time.Time) int64 {
	if y := t.UTC().Year(); y < 1970 || y > 2200 {
		return 0
	}
	return t.UnixNano()
}

func timeOf(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns)
}

// A polarBeam is a beam in the form of the journal.
type polarBeam struct {
	bearing uint16 // of the end, seen from the origin, in units of perTurn
	length  uint16 // in units of perMetre
	echo    bool
}

// polarBeams returns the usable beams of a cloud, relative to the rounded origin.
func polarBeams(c scan.Cloud) []polarBeam {
	origin := robot.Point{X: math.Round(c.Origin.X*perOrigin) / perOrigin, Y: math.Round(c.Origin.Y*perOrigin) / perOrigin}
	var beams []polarBeam
	for _, b := range c.Beams {
		off := b.End.Sub(origin)
		length := math.Round(off.Norm() * perMetre)
		if !(length >= 1) || length > maxRange && (b.Echo || math.IsInf(length, 1)) {
			continue
		}
		turn := int64(math.Round(math.Atan2(off.Y, off.X) * perTurn / (2 * math.Pi)))
		beams = append(beams, polarBeam{uint16(turn), uint16(min(length, maxRange)), b.Echo}) //nolint:gosec // on a ring; at most maxRange
	}
	return beams
}

// endPoint returns the end of a beam, in the frame of its origin.
func (b polarBeam) endPoint() robot.Point {
	sin, cos := math.Sincos(float64(b.bearing) * (2 * math.Pi / perTurn))
	length := float64(b.length) / perMetre
	return robot.Point{X: length * cos, Y: length * sin}
}

// appendBeams appends three lists: the lengths of runs of beams with and without an
// echo, second differences of the bearings, and differences of the ranges from the
// previous beam of the same sort, of first or second order, whichever is shorter.
func appendBeams(to []byte, beams []polarBeam) []byte {
	var w bitWriter
	runs := []uint32{0}
	bearings := make([]uint32, len(beams))
	lengths := [2][]uint32{make([]uint32, len(beams)), make([]uint32, len(beams))}
	var sizes [2]int
	p := predictor{echo: true}
	for i, b := range beams {
		if b.echo != p.echo {
			runs = append(runs, 0)
		}
		runs[len(runs)-1]++
		bearings[i] = foldSign(ringDifference(p.bearing.expectNext(1), b.bearing))
		for order := range lengths {
			lengths[order][i] = foldSign(ringDifference(p.lengths[sortOf(b.echo)].expectNext(order), b.length))
		}
		p.takeBeam(b)
	}
	for order := range sizes {
		_, sizes[order] = riceParameter(lengths[order])
	}
	order := 0
	if sizes[1] < sizes[0] {
		order = 1
	}
	w.writeBits(uint32(len(runs)), 16) //nolint:gosec // at most MaxBeams
	w.writeAll(runs)
	w.writeAll(bearings)
	w.writeBits(uint32(order), 1) //nolint:gosec // 0 or 1
	w.writeAll(lengths[order])
	return append(to, w.bytes...)
}

// A predictor predicts the next beam from the previous ones.
type predictor struct {
	echo    bool // of the previous beam
	bearing series
	lengths [2]series // of beams without and with an echo
}

func sortOf(echo bool) int {
	if echo {
		return 1
	}
	return 0
}

func (p *predictor) takeBeam(b polarBeam) {
	p.echo = b.echo
	p.bearing.takeNumber(b.bearing)
	p.lengths[sortOf(b.echo)].takeNumber(b.length)
}

// A series is the last two values of a sequence.
type series struct {
	last, before uint16
	n            int
}

// expectNext returns the prediction of the next value: the last value, or a linear
// extrapolation.
func (s *series) expectNext(order int) uint16 {
	if order == 1 && s.n > 1 {
		return 2*s.last - s.before // on a ring
	}
	return s.last
}

func (s *series) takeNumber(v uint16) { s.before, s.last, s.n = s.last, v, s.n+1 }

var errCode = errors.New("its beams are not in the code of a key frame")

// readBeams is the inverse of appendBeams.
func readBeams(data []byte, n int) ([]polarBeam, error) {
	r := bitReader{bytes: data}
	runs := make([]uint32, min(r.readBits(16), MaxBeams+1))
	r.readAll(runs)
	values := make([]uint32, 2*n)
	bearings, lengths := values[:n], values[n:]
	r.readAll(bearings)
	order := int(r.readBits(1))
	r.readAll(lengths)
	if r.ended || (r.at+7)/8 != len(data) {
		return nil, errCode
	}
	beams := make([]polarBeam, 0, n)
	p := predictor{echo: true}
	for i, run := range runs {
		if int(run) > n-len(beams) {
			return nil, errCode
		}
		for range run {
			k, b := len(beams), polarBeam{echo: i%2 == 0}
			b.bearing = p.bearing.expectNext(1) + uint16(unfoldSign(bearings[k]))                   //nolint:gosec // on a ring
			b.length = p.lengths[sortOf(b.echo)].expectNext(order) + uint16(unfoldSign(lengths[k])) //nolint:gosec // on a ring
			p.takeBeam(b)
			beams = append(beams, b)
		}
	}
	if len(beams) != n {
		return nil, errCode
	}
	return beams, nil
}

// readKeyFrame is the inverse of appendKeyFrame.
func readKeyFrame(data []byte) (mapping.KeyFrame, error) {
	d := decoder{data: data}
	k := mapping.KeyFrame{Motion: robot.Pose{X: d.readFixed(perMotion, maxMotion), Y: d.readFixed(perMotion, maxMotion), Theta: d.readFixed(perMotion, maxMotion)}}
	c := &k.Cloud
	c.Lidar = int(d.readByte())
	at := d.readVarint()
	c.Time = timeOf(at)
	c.Last = c.Time.Add(time.Duration(d.readVarint()))
	c.Origin = robot.Point{X: d.readFixed(perOrigin, maxOrigin), Y: d.readFixed(perOrigin, maxOrigin)}
	n := d.readUvarint()
	if d.failed || n > MaxBeams {
		return mapping.KeyFrame{}, errCode
	}
	beams, err := readBeams(d.data, int(n)) //nolint:gosec // at most MaxBeams
	if err != nil {
		return mapping.KeyFrame{}, err
	}
	c.Beams = make([]scan.Beam, len(beams))
	for i, b := range beams {
		c.Beams[i] = scan.Beam{End: c.Origin.Add(b.endPoint()), Echo: b.echo}
	}
	return k, nil
}

// A decoder takes numbers from the beginning of data. After a missing number it has
// failed.
type decoder struct {
	data   []byte
	failed bool
}

func (d *decoder) advance(n int) {
	if n <= 0 {
		d.failed, d.data = true, nil
		return
	}
	d.data = d.data[n:]
}

func (d *decoder) readByte() byte {
	if len(d.data) == 0 {
		d.failed = true
		return 0
	}
	b := d.data[0]
	d.advance(1)
	return b
}

func (d *decoder) readVarint() int64 {
	v, n := binary.Varint(d.data)
	d.advance(n)
	return v
}

func (d *decoder) readUvarint() uint64 {
	v, n := binary.Uvarint(d.data)
	d.advance(n)
	return v
}

// readFixed returns a number that was stored in units, at most limit of them.
func (d *decoder) readFixed(units, limit float64) float64 {
	v := float64(d.readVarint())
	if math.Abs(v) > limit {
		d.failed = true
	}
	return v / units
}
