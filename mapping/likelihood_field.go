package mapping

import (
	"math"

	"mybot/robot"
)

const (
	cellSize  = 0.05 // m
	blur      = 0.06 // m, standard deviation of the Gaussian around an echo
	blurReach = 3    // cells
	spareRoom = 40   // cells by which a field grows beyond what it must contain
)

// A likelihoodField holds for every cell of a submap how near it is to an echo: 255
// at an echo, 0 far from any (Thrun et al. 2005, section 6.4). One byte per cell.
type likelihoodField struct {
	x0, y0        int // cell of the lower left corner, in the submap's frame
	width, height int
	values        []uint8 // row by row, the lowest y first
}

// blurStamp is the Gaussian around an echo, relative to its centre cell.
var blurStamp = func() (stamp [2*blurReach + 1][2*blurReach + 1]uint8) {
	for j := range stamp {
		for i := range stamp[j] {
			dx, dy := float64(i-blurReach)*cellSize, float64(j-blurReach)*cellSize
			stamp[j][i] = uint8(255 * math.Exp(-(dx*dx+dy*dy)/(2*blur*blur)))
		}
	}
	return stamp
}()

// cellOf returns the cell that contains a coordinate, in m.
func cellOf(v float64) int { return int(math.Floor(v / cellSize)) }

// makeRoom extends the field to contain the cells from (ax, ay) to (bx, by),
// inclusive.
func (f *likelihoodField) makeRoom(ax, ay, bx, by int) {
	if f.width > 0 && ax >= f.x0 && ay >= f.y0 && bx < f.x0+f.width && by < f.y0+f.height {
		return
	}
	g := likelihoodField{x0: ax - spareRoom, y0: ay - spareRoom}
	ex, ey := bx+spareRoom+1, by+spareRoom+1
	if f.width > 0 {
		g.x0, g.y0 = min(g.x0, f.x0), min(g.y0, f.y0)
		ex, ey = max(ex, f.x0+f.width), max(ey, f.y0+f.height)
	}
	g.width, g.height = ex-g.x0, ey-g.y0
	g.values = make([]uint8, g.width*g.height)
	for y := range f.height {
		copy(g.values[(y+f.y0-g.y0)*g.width+f.x0-g.x0:], f.values[y*f.width:(y+1)*f.width])
	}
	*f = g
}

// insert adds points, in base_link, seen from the pose at, in the submap's frame.
func (f *likelihoodField) insert(at robot.Pose, points []robot.Point) {
	if len(points) == 0 {
		return
	}
	cells := turnPoints(at, at.Theta, points)
	ax, ay, bx, by := cells.x[0], cells.y[0], cells.x[0], cells.y[0]
	for i := range cells.x {
		ax, bx = min(ax, cells.x[i]), max(bx, cells.x[i])
		ay, by = min(ay, cells.y[i]), max(by, cells.y[i])
	}
	f.makeRoom(int(ax)-blurReach, int(ay)-blurReach, int(bx)+blurReach, int(by)+blurReach)
	for i := range cells.x {
		x, y := int(cells.x[i])-f.x0-blurReach, int(cells.y[i])-f.y0-blurReach
		for j := range blurStamp {
			row := f.values[(y+j)*f.width+x:][:len(blurStamp[j])]
			for i, v := range blurStamp[j] {
				row[i] = max(row[i], v)
			}
		}
	}
}

// trim removes spare room when nothing more will be inserted.
func (f *likelihoodField) trim() {
	ax, ay, bx, by := f.width, f.height, -1, -1
	for y := range f.height {
		for x, v := range f.values[y*f.width:][:f.width] {
			if v > 0 {
				ax, ay, bx, by = min(ax, x), min(ay, y), max(bx, x), max(by, y)
			}
		}
	}
	if bx < 0 {
		*f = likelihoodField{}
		return
	}
	g := likelihoodField{x0: f.x0 + ax, y0: f.y0 + ay, width: bx - ax + 1, height: by - ay + 1}
	g.values = make([]uint8, g.width*g.height)
	for y := range g.height {
		copy(g.values[y*g.width:][:g.width], f.values[(y+ay)*f.width+ax:])
	}
	*f = g
}

// interpolate returns the field at a point in the submap's frame, 0 to 1, and its
// gradient, 1/m; bilinear between the centres of the cells, 0 outside.
func (f *likelihoodField) interpolate(x, y float64) (v, dx, dy float64) {
	gx, gy := x/cellSize-0.5-float64(f.x0), y/cellSize-0.5-float64(f.y0)
	i, j := int(math.Floor(gx)), int(math.Floor(gy))
	if i < 0 || j < 0 || i+1 >= f.width || j+1 >= f.height {
		return 0, 0, 0
	}
	u, w := gx-float64(i), gy-float64(j)
	k := j*f.width + i
	a, b := float64(f.values[k])/255, float64(f.values[k+1])/255
	c, d := float64(f.values[k+f.width])/255, float64(f.values[k+f.width+1])/255
	v = (a*(1-u)+b*u)*(1-w) + (c*(1-u)+d*u)*w
	dx = ((b-a)*(1-w) + (d-c)*w) / cellSize
	dy = ((c-a)*(1-u) + (d-b)*u) / cellSize
	return v, dx, dy
}

// A turnedScan is the cells of the points of a scan at one heading.
type turnedScan struct {
	theta float64 // rad
	x, y  []int32
}

// turnPoints returns the cells of points in base_link, with base_link at the
// position of at and the heading theta.
func turnPoints(at robot.Pose, theta float64, points []robot.Point) turnedScan {
	sin, cos := math.Sincos(theta)
	both := make([]int32, 2*len(points))
	t := turnedScan{theta: theta, x: both[:len(points)], y: both[len(points):]}
	for i, p := range points {
		t.x[i] = int32(cellOf(at.X + cos*p.X - sin*p.Y))
		t.y[i] = int32(cellOf(at.Y + sin*p.X + cos*p.Y))
	}
	return t
}

// sum returns the sum of the field under the cells of a scan moved by (dx, dy)
// cells.
func (f *likelihoodField) sum(t *turnedScan, dx, dy int) int {
	dx, dy = dx-f.x0, dy-f.y0
	sum, ys := 0, t.y[:len(t.x)]
	for i, cx := range t.x {
		x, y := int(cx)+dx, int(ys[i])+dy
		if uint(x) < uint(f.width) && uint(y) < uint(f.height) {
			sum += int(f.values[y*f.width+x])
		}
	}
	return sum
}

// fit returns how well points fit at a pose: the mean of the field under them, 0 to 1.
func (f *likelihoodField) fit(at robot.Pose, points []robot.Point) float64 {
	if len(points) == 0 {
		return 0
	}
	t := turnPoints(at, at.Theta, points)
	return float64(f.sum(&t, 0, 0)) / (255 * float64(len(points)))
}
