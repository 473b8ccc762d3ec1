package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"mybot/maps"
	"mybot/pathplan"
	"mybot/robot"
	"mybot/robot/floorplan"
)

// mapCommand inspects or builds map folders.
func mapCommand(ctx context.Context, args []string, stdout io.Writer) error {
	what := ""
	if len(args) > 0 {
		what, args = args[0], args[1:]
	}
	switch what {
	case "check":
		return mapCheck(args, stdout)
	case "info":
		return mapInfo(args, stdout)
	case "lines":
		return mapLines(args, stdout)
	case "build":
		return mapBuildCommand(ctx, args, stdout)
	case "sketch":
		return mapSketchCommand(ctx, args, stdout)
	}
	return usageError{errors.New("map takes check DIR, info [DIR], lines DIR, build LOG --out DIR or sketch FILE.mcap --out DIR")}
}

// A mapTarget is the map folder that a command concerns, with the command's other flags.
type mapTarget struct {
	dir   string // "" = the built-in office
	robot string
	json  bool
	write bool
}

// mapArgs reads the flags and the folder of a map command. needed means that the folder is
// mandatory.
func mapArgs(name string, args []string, needed bool) (mapTarget, error) {
	var t mapTarget
	set := flag.NewFlagSet("map "+name, flag.ContinueOnError)
	set.SetOutput(io.Discard) // run reports the error
	switch name {
	case "lines":
		set.BoolVar(&t.write, "write", false, "write the lines into the folder")
	case "info":
		set.BoolVar(&t.json, "json", false, "print it as JSON")
		fallthrough
	default:
		set.StringVar(&t.robot, "robot", "", "`ROBOT` that drives there: mybot, lidar, lidar+sonar, arm, or a file that describes another one (default mybot)")
	}
	words, err := parseAll(set, args)
	switch {
	case err != nil:
		return t, err
	case len(words) > 1:
		return t, usageError{fmt.Errorf("map %s takes one folder, but got %q too", name, words[1])}
	case len(words) == 0 && needed:
		return t, usageError{fmt.Errorf("map %s needs the folder: mybot map %s DIR", name, name)}
	case len(words) == 1:
		t.dir = words[0]
	}
	return t, nil
}

// openFolder opens the map folder.
func (t mapTarget) openFolder() (fs.FS, error) {
	if t.dir == "" {
		return maps.Office(), nil
	}
	if _, err := os.Stat(t.dir); err != nil {
		return nil, err
	}
	return openFolder(t.dir)
}

// loadPlan reads the map folder.
func (t mapTarget) loadPlan() (*robot.Floorplan, error) {
	folder, err := t.openFolder()
	if err != nil {
		return nil, err
	}
	plan, err := floorplan.Load(folder)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.dir, err)
	}
	return plan, nil
}

// mapCheck prints every fault of a map folder, one per line.
func mapCheck(args []string, stdout io.Writer) error {
	t, err := mapArgs("check", args, true)
	if err != nil {
		return err
	}
	desc, err := readDescription(t.robot)
	if err != nil {
		return err
	}
	folder, err := t.openFolder()
	if err != nil {
		return err
	}
	plan, err := floorplan.Load(folder)
	var faults floorplan.Faults
	whose := ""
	switch {
	case err == nil:
		faults = unreachableParts(plan, desc)
		if t.robot == "" {
			whose = fmt.Sprintf("; they are those of a robot as large as %s: --robot FILE is for another one", desc.Name)
		}
	case !errors.As(err, &faults):
		return err
	}
	for _, f := range faults {
		if _, err := fmt.Fprintln(stdout, f); err != nil {
			return err
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("%s has faults: %d%s", t.dir, len(faults), whose)
	}
	if _, err := readScene(folder, plan, nil); err != nil {
		_, err = fmt.Fprintf(stdout, "%s is valid, but the simulator cannot use it: %v\n", t.dir, err)
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s is valid.\n", t.dir)
	return err
}

// unreachableParts returns a fault for each via point, edge and place at which the robot does
// not fit. For an edge that ends at such a via point, it reports only the via point.
func unreachableParts(plan *robot.Floorplan, desc robot.Description) floorplan.Faults {
	var faults floorplan.Faults
	planner := pathplan.NewPlanner(plan, desc)
	room := pathplan.NewClearance(&plan.Grid)
	add := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	points := map[int]robot.Via{}
	for _, v := range plan.Graph.Nodes {
		points[v.ID] = v
		if !planner.IsDrivable(v.Point) {
			add("graph.geojson: %s is %.2f m from a wall or an object; the robot needs %.2f m there, so no route leads through it", floorplan.Title(v), room.At(v.Point), desc.Body.Clearance())
		}
	}
	said := map[[2]int]bool{}
	for _, e := range plan.Graph.Edges {
		a, b := points[e.Start], points[e.End]
		if said[[2]int{e.Start, e.End}] || planner.CanGoStraight(a.Point, b.Point) || !planner.IsDrivable(a.Point) || !planner.IsDrivable(b.Point) {
			continue
		}
		said[[2]int{e.End, e.Start}] = true
		at, least := narrowestPoint(room, a.Point, b.Point)
		add("graph.geojson: the edge from %s to %s comes within %.2f m of a wall or an object at (%.2f, %.2f); the robot needs %.2f m, so no route leads over it", floorplan.Title(a), floorplan.Title(b), least, at.X, at.Y, desc.Body.Clearance())
	}
	for _, p := range plan.Places {
		if !planner.IsDrivable(p.Pose.Point()) {
			add("places.geojson: place %q is %.2f m from a wall or an object; the robot needs %.2f m to get there", p.Name, room.At(p.Pose.Point()), desc.Body.Clearance())
		}
	}
	return faults
}

// narrowestPoint returns the point between a and b with the least clearance, and that
// clearance, in m.
func narrowestPoint(room *pathplan.Clearance, a, b robot.Point) (at robot.Point, least float64) {
	leg := b.Sub(a)
	n := int(leg.Norm()/room.Resolution) + 1
	least = math.Inf(1)
	for i := range n + 1 {
		f := float64(i) / float64(n)
		p := robot.Point{X: a.X + f*leg.X, Y: a.Y + f*leg.Y}
		if c := room.At(p); c < least {
			at, least = p, c
		}
	}
	return at, least
}

// A mapSummary is the output of map info.
type mapSummary struct {
	Name       string  `json:"name"`
	Width      float64 `json:"width_m"`
	Height     float64 `json:"height_m"`
	Columns    int     `json:"columns"`
	Rows       int     `json:"rows"`
	Resolution float64 `json:"resolution_m"`
	Free       float64 `json:"free_m2"`
	Reachable  float64 `json:"reachable_fraction"` // the largest connected part, as a fraction of the floor on which the robot fits
	Drivable   float64 `json:"drivable_m2"`
	Lines      int     `json:"lines"`
	Wall       float64 `json:"lines_m"`
	Rooms      int     `json:"rooms"`
	Doors      int     `json:"doors"`
	Furniture  int     `json:"furniture"`
	Dock       bool    `json:"dock"`
	Via        int     `json:"via_points"`
	Edges      int     `json:"edges"`
	Usable     int     `json:"usable_edges"`
	Places     int     `json:"places"`
}

// summarizeMap measures a map for a robot.
func summarizeMap(plan *robot.Floorplan, desc robot.Description) mapSummary {
	g := &plan.Grid
	cell := g.Resolution * g.Resolution
	s := mapSummary{
		Name: plan.Name, Columns: g.Width, Rows: g.Height, Resolution: g.Resolution,
		Width: roundDecimals(float64(g.Width) * g.Resolution), Height: roundDecimals(float64(g.Height) * g.Resolution),
		Lines: len(plan.Lines), Rooms: len(plan.Rooms), Doors: len(plan.Doors), Furniture: len(plan.Furniture), Dock: plan.Dock != nil,
		Via: len(plan.Graph.Nodes), Edges: len(plan.Graph.Edges), Places: len(plan.Places),
		Usable: pathplan.NewPlanner(plan, desc).Graph().CountEdges(),
	}
	free := 0
	for _, c := range g.Cells {
		if c == robot.Free {
			free++
		}
	}
	s.Free = roundDecimals(float64(free) * cell)
	for _, l := range plan.Lines {
		s.Wall += l.B.Sub(l.A).Norm()
	}
	all, most := connectedParts(pathplan.NewClearance(g).FieldOf(desc.Body.Clearance()))
	s.Wall, s.Drivable = roundDecimals(s.Wall), roundDecimals(float64(all)*cell)
	if all > 0 {
		s.Reachable = roundDecimals(float64(most) / float64(all))
	}
	return s
}

func roundDecimals(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// connectedParts returns how many cells of a field are passable, and how many of them are in
// the largest part connected by sides.
func connectedParts(field *pathplan.Field) (all, most int) {
	seen := make([]bool, field.Width*field.Height)
	var next []pathplan.Cell
	visit := func(c pathplan.Cell) {
		if field.IsFree(c) && !seen[c.J*field.Width+c.I] {
			seen[c.J*field.Width+c.I] = true
			next = append(next, c)
		}
	}
	for j := range field.Height {
		for i := range field.Width {
			part := 0
			for visit(pathplan.Cell{I: i, J: j}); len(next) > 0; part++ {
				c := next[len(next)-1]
				next = next[:len(next)-1]
				visit(pathplan.Cell{I: c.I + 1, J: c.J})
				visit(pathplan.Cell{I: c.I - 1, J: c.J})
				visit(pathplan.Cell{I: c.I, J: c.J + 1})
				visit(pathplan.Cell{I: c.I, J: c.J - 1})
			}
			all += part
			most = max(most, part)
		}
	}
	return all, most
}

// mapInfo prints a summary of a map folder.
func mapInfo(args []string, stdout io.Writer) error {
	t, err := mapArgs("info", args, false)
	if err != nil {
		return err
	}
	desc, err := readDescription(t.robot)
	if err != nil {
		return err
	}
	plan, err := t.loadPlan()
	if err != nil {
		return err
	}
	s := summarizeMap(plan, desc)
	if t.json {
		data, err := json.Marshal(s)
		if err == nil {
			_, err = fmt.Fprintf(stdout, "%s\n", data)
		}
		return err
	}
	dock := "no dock"
	if s.Dock {
		dock = "a dock"
	}
	_, err = fmt.Fprintf(stdout, `%s
  size       %.2f x %.2f m, %d x %d cells of %g m
  free       %.1f m2
  drivable   %.1f m2 for the robot's centre, %.1f %% of it in one piece
  lines      %d, %.1f m together
  rooms      %d, with %d doors, %d pieces of furniture, %s
  via graph  %d via points, %d edges, %d of which the robot can use
  places     %d
`, s.Name, s.Width, s.Height, s.Columns, s.Rows, s.Resolution, s.Free, s.Drivable, 100*s.Reachable, s.Lines, s.Wall, s.Rooms, s.Doors, s.Furniture, dock, s.Via, s.Edges, s.Usable, s.Places)
	return err
}

// mapLines traces the object lines of a map's picture.
func mapLines(args []string, stdout io.Writer) error {
	t, err := mapArgs("lines", args, true)
	if err != nil {
		return err
	}
	folder, err := t.openFolder()
	if err != nil {
		return err
	}
	lines, err := floorplan.Trace(folder)
	if err != nil {
		return fmt.Errorf("%s: %w", t.dir, err)
	}
	if t.write {
		if err := floorplan.WriteLines(t.dir, lines); err != nil {
			return err
		}
		_, err = fmt.Fprintf(stdout, "%d lines are in %s.\n", len(lines), filepath.Join(t.dir, "lines.geojson"))
		return err
	}
	data, err := floorplan.Lines(lines)
	if err == nil {
		_, err = stdout.Write(data)
	}
	return err
}
