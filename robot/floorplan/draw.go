package floorplan

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"

	"mybot/robot"
)

// WallThickness is the thickness of an object line that Draw draws, in m.
const WallThickness = 0.1

// Draw renders the lines, rooms and furniture of the map folder fsys as a PGM picture, at
// the origin and resolution of its map.yaml and with the same margin on all sides. Rooms
// are free, walls and furniture occupied, the rest unknown. It is for a floor that was
// drawn rather than measured.
func Draw(fsys fs.FS) ([]byte, error) {
	var f faults
	s, _ := readSettings(fsys, &f)
	plan := &robot.Floorplan{}
	if !readLines(fsys, plan, &f) {
		f.add(linesFile, "is missing; the picture is drawn from it")
	}
	readRooms(fsys, plan, &f)
	if len(plan.Rooms) == 0 {
		f.add(roomsFile, "has no room; the free floor is drawn from the rooms")
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	low, high := Bounds(plan)
	margin := low.Sub(s.origin)
	width := int(math.Round((high.X + margin.X - s.origin.X) / s.resolution))
	height := int(math.Round((high.Y + margin.Y - s.origin.Y) / s.resolution))
	if margin.X < 0 || margin.Y < 0 || float64(width)*float64(height) > MaxCells {
		return nil, fmt.Errorf("floorplan: %s: the origin is (%g, %g); it must be a little below and left of the floor, which begins at (%g, %g)",
			settingsFile, s.origin.X, s.origin.Y, low.X, low.Y)
	}
	walls := joinEnds(plan.Lines)
	var b bytes.Buffer
	fmt.Fprintf(&b, "P5\n%d %d\n255\n", width, height)
	for row := range height {
		y := s.origin.Y + (float64(height-1-row)+0.5)*s.resolution
		things := furnitureAt(plan.Furniture, y)
		for column := range width {
			b.WriteByte(greyValue(plan.Rooms, walls, things, robot.Point{X: s.origin.X + (float64(column)+0.5)*s.resolution, Y: y}))
		}
	}
	return b.Bytes(), nil
}

// furnitureAt returns the furniture that the line at y may cross.
func furnitureAt(all []robot.Furniture, y float64) (crossed []robot.Furniture) {
	for _, f := range all {
		low, high := math.Inf(1), math.Inf(-1)
		for _, p := range f.Outline {
			low, high = math.Min(low, p.Y-f.Radius), math.Max(high, p.Y+f.Radius)
		}
		if low <= y && y <= high {
			crossed = append(crossed, f)
		}
	}
	return crossed
}

// greyValue returns the grey value that map_saver would write for a cell with middle p.
func greyValue(rooms []robot.Room, walls []robot.Segment, things []robot.Furniture, p robot.Point) byte {
	for _, w := range walls {
		if inWall(p, w) {
			return 0
		}
	}
	for _, thing := range things {
		if thing.Radius > 0 && p.Sub(thing.Outline[0]).Norm() < thing.Radius || thing.Radius == 0 && robot.Inside(p, thing.Outline) {
			return 0
		}
	}
	for _, r := range rooms {
		if robot.Inside(p, r.Outline) {
			return 254
		}
	}
	return unknownGrey
}

// joinEnds extends each end that touches another line by half the thickness, so that
// corners are filled. The other ends stay, so that doorways keep their width.
func joinEnds(lines []robot.Segment) []robot.Segment {
	var walls []robot.Segment
	for i, l := range lines {
		along := l.B.Sub(l.A)
		f := WallThickness / 2 / along.Norm()
		more := robot.Point{X: along.X * f, Y: along.Y * f}
		wall := l
		for j, other := range lines {
			if j != i && other.Distance(l.A) < 1e-6 {
				wall.A = l.A.Sub(more)
			}
			if j != i && other.Distance(l.B) < 1e-6 {
				wall.B = l.B.Add(more)
			}
		}
		walls = append(walls, wall)
	}
	return walls
}

// inWall reports whether p lies beside the line, within half the thickness.
func inWall(p robot.Point, s robot.Segment) bool {
	along, off := s.B.Sub(s.A), p.Sub(s.A)
	l := along.Norm()
	x, y := (off.X*along.X+off.Y*along.Y)/l, (along.X*off.Y-along.Y*off.X)/l
	return x >= -1e-9 && x <= l+1e-9 && math.Abs(y) <= WallThickness/2+1e-9
}
