// Package floorplan reads map folders into robot.Floorplan, writes the edits that people
// make, and renders floor plans for browsers. docs/maps.md describes a folder's files.
//
// Apart from reading an fs.FS and writing map folders, the package is pure. A Floorplan
// from Load or Revise is complete and consistent, so other packages do not check it again.
package floorplan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"mybot/robot"
)

// Largest accepted sizes of files, in bytes.
const (
	maxYAML    = 64 << 10
	maxGeoJSON = 8 << 20
	maxPicture = 64 << 20
)

// Load reads the map folder fsys: map.yaml with its picture, and lines.geojson,
// graph.geojson, places.geojson and rooms.geojson if they exist. Without lines.geojson it
// traces the object lines from the grid.
//
// It is strict: the error wraps Faults, with one sentence for each fault that gives the
// file, the line, feature or property, and what would be right.
func Load(fsys fs.FS) (*robot.Floorplan, error) {
	var f faults
	plan := &robot.Floorplan{}
	s, ok := readSettings(fsys, &f)
	if ok {
		plan.Name, plan.Compass = s.name, s.compass
		plan.Grid, ok = readGrid(fsys, s, &f)
	}
	lines := readLines(fsys, plan, &f)
	readGraph(fsys, plan, &f)
	readPlaces(fsys, plan, &f)
	readRooms(fsys, plan, &f)
	if ok {
		if !lines {
			plan.Lines = traceLines(&plan.Grid, s.image, &f)
		}
		checkPlan(plan, s.image, &f)
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	return plan, nil
}

// Faults are the faults of a map folder, one sentence each.
type Faults []error

func (f Faults) Error() string { return errors.Join(f...).Error() }

// A Misplaced is the fault of something at a place where it may not be.
type Misplaced struct {
	error
	At robot.Point // in map
}

// faults collects the faults of a map folder.
type faults struct {
	list Faults
	more int
}

func (f *faults) add(file, format string, args ...any) {
	f.append(fmt.Errorf("%s: %s", file, fmt.Sprintf(format, args...)))
}

// addAt adds a Misplaced fault at p, in map.
func (f *faults) addAt(p robot.Point, file, format string, args ...any) {
	f.append(Misplaced{fmt.Errorf("%s: %s", file, fmt.Sprintf(format, args...)), p})
}

func (f *faults) append(fault error) {
	if len(f.list) == 40 {
		f.more++
		return
	}
	f.list = append(f.list, fault)
}

func (f *faults) err() error {
	if len(f.list) == 0 {
		return nil
	}
	if f.more > 0 {
		f.list = append(f.list, fmt.Errorf("and %d more faults", f.more))
	}
	return fmt.Errorf("floorplan: the map folder is not right:\n%w", f.list)
}

// readFile returns the content of a file. It reports a file that is too long or
// unreadable; an absent file is a fault only if it is needed.
func readFile(fsys fs.FS, file string, most int64, needed bool, f *faults) ([]byte, bool) {
	r, err := fsys.Open(file)
	if err != nil {
		switch {
		case !errors.Is(err, fs.ErrNotExist):
			f.add(file, "cannot be opened: %v", err)
		case needed:
			f.add(file, "is missing; a map folder needs it")
		}
		return nil, false
	}
	defer func() { _ = r.Close() }() // harmless: the file was only read
	var b bytes.Buffer
	if n, err := io.Copy(&b, io.LimitReader(r, most+1)); err != nil {
		f.add(file, "cannot be read: %v", err)
		return nil, false
	} else if n > most {
		f.add(file, "is longer than %d bytes; it must be at most that", most)
		return nil, false
	}
	return b.Bytes(), true
}

// checkPlan reports contradictions between the files.
func checkPlan(plan *robot.Floorplan, image string, f *faults) {
	g := &plan.Grid
	free := false
	for _, c := range g.Cells {
		if c == robot.Free {
			free = true
			break
		}
	}
	if !free {
		f.add(image, "has no free cell; the robot needs floor to stand on")
		return
	}
	for _, c := range []struct {
		file, what string
		shapes     [][]robot.Point
	}{{linesFile, "line", linePoints(plan)}, {roomsFile, "room", roomPoints(plan)}} {
		if len(c.shapes) > 0 && !slices.ContainsFunc(c.shapes, func(s []robot.Point) bool { return reachesPicture(g, s) }) {
			f.add(c.file, "has no %s on the picture; positions are in metres in the frame of the picture, not in degrees of longitude and latitude", c.what)
		}
	}
	for _, p := range plan.Places {
		isOnFreeFloor(g, placesFile, fmt.Sprintf("place %q", p.Name), p.Pose.Point(), f)
	}
	if plan.Dock != nil {
		isOnFreeFloor(g, roomsFile, "the dock", plan.Dock.Point(), f)
	}
}

func linePoints(plan *robot.Floorplan) (shapes [][]robot.Point) {
	for _, s := range plan.Lines {
		shapes = append(shapes, []robot.Point{s.A, s.B})
	}
	return shapes
}

func roomPoints(plan *robot.Floorplan) (shapes [][]robot.Point) {
	for _, r := range plan.Rooms {
		shapes = append(shapes, r.Outline)
	}
	return shapes
}

// reachesPicture reports whether the box around some points, in map, has a part in common with the
// picture. A shape without points has a fault of its own and counts as there.
func reachesPicture(g *robot.Grid, points []robot.Point) bool {
	if len(points) == 0 {
		return true
	}
	low, high := points[0], points[0]
	for _, p := range points {
		low, high = robot.Point{X: min(low.X, p.X), Y: min(low.Y, p.Y)}, robot.Point{X: max(high.X, p.X), Y: max(high.Y, p.Y)}
	}
	end := g.Origin.Add(robot.Point{X: float64(g.Width) * g.Resolution, Y: float64(g.Height) * g.Resolution})
	return high.X >= g.Origin.X && high.Y >= g.Origin.Y && low.X <= end.X && low.Y <= end.Y
}

// isOnFreeFloor reports whether a point, in map, is on free floor, and adds a fault if not.
func isOnFreeFloor(g *robot.Grid, file, what string, p robot.Point, f *faults) bool {
	if _, _, ok := g.Index(p); !ok {
		f.addAt(p, file, "%s is at (%.6g, %.6g), outside the grid; x must be from %.6g to %.6g and y from %.6g to %.6g", what, p.X, p.Y,
			g.Origin.X, g.Origin.X+float64(g.Width)*g.Resolution, g.Origin.Y, g.Origin.Y+float64(g.Height)*g.Resolution)
		return false
	}
	if g.At(p) != robot.Free {
		f.addAt(p, file, "%s is at (%.6g, %.6g), which is %s; it must be on free floor", what, p.X, p.Y, [...]string{"unknown", "free", "occupied"}[g.At(p)])
		return false
	}
	return true
}
