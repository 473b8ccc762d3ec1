package localization

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"

	"mybot/robot"
)

const (
	tableCell     = 0.1 // m, side of a cell of the table
	tableHeadings = 72  // one every 5 degrees
	levels        = 250 // steps of a sonar's range; level 250 = nothing within reach
	tableForm     = 2   // version of the encoding and its meaning; another version has another key
)

// A Table holds, for every free cell of a floor and every heading, what a sonar
// there would measure: the distance of the nearest object in its beam that returns
// an echo, and that of the nearest object along its axis. For lidars it holds a
// likelihood field. It is immutable and shared.
type Table struct {
	origin robot.Point // of cell (0, 0), in map
	width  int         // cells
	height int
	index  []int32 // by cell: its number among the free ones; -1 = not known to be free
	free   []int32 // the cells that are free
	beams  []beam
	likely []*likelihoods // by beam
	echoes [][]uint8      // by beam: for each free cell and heading the expected echo and the distance along the axis, in levels
	common []common       // by beam
	scans  *scanFloor     // nil = for robots without lidars

	compass float64 // rad, compass heading minus the yaw in map
}

// A beam is a kind of sonar; sonars of one kind share their part of the table.
type beam struct {
	Opening float64 // rad, full angle
	Max     float64 // m
}

// A Cache stores tables from run to run: Get returns what Put has stored under a
// key, or false. A failing cache only costs time.
type Cache interface {
	Get(key string) ([]byte, bool)
	Put(key string, data []byte)
}

// NewTable returns the table of a plan for the sonars and lidars of a robot. The
// sonars' part comes from the cache, or is computed with all processors but one,
// which drives the robot meanwhile, and stored there; nil = no cache. Errors are a
// plan without free floor, or without walls for a lidar, a robot with neither
// sonars nor lidars, and that of ctx if it ends first.
func NewTable(ctx context.Context, plan *robot.Floorplan, desc robot.Description, cache Cache) (*Table, error) {
	t, err := newTable(plan, desc.Sonars)
	if err != nil {
		return nil, err
	}
	if len(desc.Lidars) > 0 {
		if t.scans, err = newScanFloor(plan); err != nil {
			return nil, err
		}
	}
	if len(t.beams) == 0 {
		if t.scans == nil {
			return nil, errors.New("localization: the robot has neither sonars nor lidars; a position cannot be found without them")
		}
		return t, nil
	}
	key := t.cacheKey(plan)
	if cache != nil {
		if data, ok := cache.Get(key); ok && t.decode(data) == nil {
			t.countCommon()
			return t, nil
		}
	}
	if err := t.fillEchoes(ctx, plan); err != nil {
		return nil, fmt.Errorf("localization: %w", err)
	}
	if cache != nil {
		cache.Put(key, t.encode())
	}
	t.countCommon()
	return t, nil
}

// newTable returns the table with its cells but without echoes.
func newTable(plan *robot.Floorplan, sonars []robot.Sonar) (*Table, error) {
	g := &plan.Grid
	t := &Table{
		origin: g.Origin,
		width:  int(math.Ceil(float64(g.Width)*g.Resolution/tableCell - 1e-6)),
		height: int(math.Ceil(float64(g.Height)*g.Resolution/tableCell - 1e-6)),

		compass: plan.Compass,
	}
	for _, s := range sonars {
		if b := (beam{s.Beam, s.Max}); t.beamOf(s) < 0 {
			t.beams = append(t.beams, b)
			t.likely = append(t.likely, newLikelihoods(b))
		}
	}
	t.index = make([]int32, t.width*t.height)
	for c := range t.index {
		t.index[c] = -1
		if _, ok := t.freeCentre(g, c); ok {
			t.index[c] = int32(len(t.free))
			t.free = append(t.free, int32(c))
		}
	}
	if len(t.free) == 0 {
		return nil, errors.New("localization: the map has no free floor; a robot cannot be anywhere on it")
	}
	return t, nil
}

// beamOf returns the kind of the sonar; -1 = not in the table.
func (t *Table) beamOf(s robot.Sonar) int {
	for i, b := range t.beams {
		if b == (beam{s.Beam, s.Max}) {
			return i
		}
	}
	return -1
}

// freeCentre returns the centre of the free part of a table cell; ok is false if
// nothing in it is free.
func (t *Table) freeCentre(g *robot.Grid, cell int) (p robot.Point, ok bool) {
	low := t.origin.Add(robot.Point{X: float64(cell%t.width) * tableCell, Y: float64(cell/t.width) * tableCell})
	steps := max(1, int(math.Round(tableCell/g.Resolution)))
	n := 0.0
	for j := range steps {
		for i := range steps {
			q := low.Add(robot.Point{X: (float64(i) + 0.5) / float64(steps) * tableCell, Y: (float64(j) + 0.5) / float64(steps) * tableCell})
			if g.At(q) == robot.Free {
				p = p.Add(q)
				n++
			}
		}
	}
	if n == 0 {
		return p, false
	}
	return robot.Point{X: p.X / n, Y: p.Y / n}, true
}

// fillEchoes computes the echoes of every free cell, until ctx ends.
func (t *Table) fillEchoes(ctx context.Context, plan *robot.Floorplan) error {
	w := newWalls(plan)
	reach := 0.0
	t.echoes = make([][]uint8, len(t.beams))
	for i, b := range t.beams {
		reach = max(reach, b.Max)
		t.echoes[i] = make([]uint8, 2*tableHeadings*len(t.free))
	}
	var wait sync.WaitGroup
	parts := max(1, runtime.GOMAXPROCS(0)-1)
	for part := range parts {
		wait.Go(func() {
			l := newRayScan(w, reach)
			for n := part; n < len(t.free) && ctx.Err() == nil; n += parts {
				p, _ := t.freeCentre(&plan.Grid, int(t.free[n]))
				l.scanFrom(p)
				for i, b := range t.beams {
					l.fillEchoes(b, t.echoes[i][2*tableHeadings*n:2*tableHeadings*(n+1)])
				}
			}
		})
	}
	wait.Wait()
	return ctx.Err()
}

// fillEchoes writes what a sonar of this kind would measure at every heading.
func (l *rayScan) fillEchoes(b beam, echoes []uint8) {
	half := int(math.Round(b.Opening / 2 * rays / (2 * math.Pi)))
	for h := range tableHeadings {
		axis := h * rays / tableHeadings
		near := l.reach
		for k := axis - half; k <= axis+half; k++ {
			near = min(near, l.echo[((k%rays)+rays)%rays])
		}
		echoes[2*h] = levelOf(near, b.Max)
		echoes[2*h+1] = levelOf(l.depth[axis], b.Max)
	}
}

// common is how often each level is expected over the whole floor: for the echo,
// and along the axis.
type common struct{ answer, axis [256]float32 }

// The number of particles of a search per square metre of free floor, limited by
// maxParticles and maxSearchParticles.
const (
	searchParticlesPerM2 = 40
	maxSearchParticles   = 120000
)

// searchCount returns the number of particles of a search of the whole floor.
func (t *Table) searchCount() int {
	area := float64(len(t.free)) * tableCell * tableCell
	return max(maxParticles, min(maxSearchParticles, int(searchParticlesPerM2*area)))
}

// maxCounted is how many poses are sampled for common.
const maxCounted = 200000

// countCommon counts how often each level is expected.
func (t *Table) countCommon() {
	for _, echoes := range t.echoes {
		c := common{}
		poses := len(echoes) / 2
		step := max(1, poses/maxCounted) | 1 // odd, so that all headings are sampled
		share := 1 / float32((poses+step-1)/step)
		for k := 0; k < poses; k += step {
			c.answer[echoes[2*k]] += share
			c.axis[echoes[2*k+1]] += share
		}
		t.common = append(t.common, c)
	}
}

// levelOf converts the range r, in m, of a sonar with the reach maxRange to a
// level.
func levelOf(r, maxRange float64) uint8 {
	return uint8(max(0, min(levels, math.Round(r/maxRange*levels))))
}

// cacheKey identifies the table by everything that it is computed from.
func (t *Table) cacheKey(plan *robot.Floorplan) string {
	var b bytes.Buffer
	put := func(v any) { _ = binary.Write(&b, binary.LittleEndian, v) } // a Buffer never fails
	put(int64(tableForm))
	put([]int64{int64(plan.Grid.Width), int64(plan.Grid.Height)})
	put([]float64{plan.Grid.Resolution, plan.Grid.Origin.X, plan.Grid.Origin.Y})
	for _, c := range plan.Grid.Cells {
		b.WriteByte(byte(c))
	}
	put(t.beams)
	for _, f := range newWalls(plan).all {
		put([]float64{f.a.X, f.a.Y, f.b.X, f.b.Y, f.radius})
	}
	return fmt.Sprintf("cones-%x", sha256.Sum256(b.Bytes()))
}

// encode returns the echoes with their checksum.
func (t *Table) encode() []byte {
	data := bytes.Join(t.echoes, nil)
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}

// decode takes data that encode has made for the same key.
func (t *Table) decode(data []byte) error {
	each := 2 * tableHeadings * len(t.free)
	if len(data) != each*len(t.beams)+sha256.Size {
		return fmt.Errorf("localization: the table is %d bytes long; it must be %d", len(data), each*len(t.beams)+sha256.Size)
	}
	body, sum := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	if got := sha256.Sum256(body); !bytes.Equal(got[:], sum) {
		return errors.New("localization: the table is damaged; it must be computed again")
	}
	t.echoes = nil
	for i := range t.beams {
		t.echoes = append(t.echoes, body[i*each:(i+1)*each])
	}
	return nil
}

// cellAt returns the number of the free cell at (x, y), in map; -1 = not known to
// be free.
func (t *Table) cellAt(x, y float64) int {
	i, j := (x-t.origin.X)*(1/tableCell), (y-t.origin.Y)*(1/tableCell)
	if !(i >= 0 && j >= 0 && i < float64(t.width) && j < float64(t.height)) {
		return -1
	}
	return int(t.index[int(j)*t.width+int(i)])
}
