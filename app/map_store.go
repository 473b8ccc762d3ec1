package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mybot/handlers"
	"mybot/mapping/folder"
	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
)

// mapTimeout is how long the control loop may take to change to a new map.
const mapTimeout = 2 * time.Second

// A mapStore holds the floor plan in use, and saves users' changes to a folder.
type mapStore struct {
	dir        string // of graph.geojson and places.geojson; "" = changes are lost when the server ends
	newPlanner func(*robot.Floorplan) robot.Planner
	use        func(context.Context, robot.Planner) robot.Result // makes the control loop plan over the new map

	saving sync.Mutex // serializes saves
	held   string     // why nothing can be saved now, a sentence for people; "" = it can
	plan   atomic.Pointer[robot.Floorplan]
}

var _ handlers.MapStore = (*mapStore)(nil)

func newMapStore(plan *robot.Floorplan, dir string, newPlanner func(*robot.Floorplan) robot.Planner, use func(context.Context, robot.Planner) robot.Result) *mapStore {
	k := &mapStore{dir: dir, newPlanner: newPlanner, use: use}
	k.plan.Store(plan)
	return k
}

// Plan returns the floor plan in use.
func (k *mapStore) Plan() *robot.Floorplan { return k.plan.Load() }

// change takes another floor plan into use, whose changes are saved to dir.
func (k *mapStore) change(plan *robot.Floorplan, dir string) {
	k.saving.Lock()
	defer k.saving.Unlock()
	k.dir = dir
	k.plan.Store(plan)
}

// hold refuses saves until release is called, because the folder of the map changes
// meanwhile. why is a sentence for people.
func (k *mapStore) hold(why string) (release func()) {
	set := func(why string) {
		k.saving.Lock()
		defer k.saving.Unlock()
		k.held = why
	}
	set(why)
	return func() { set("") }
}

// Save implements handlers.MapStore. Points that were not moved retain their exact
// coordinates.
func (k *mapStore) Save(graph robot.Graph, places []robot.Place) error {
	k.saving.Lock()
	defer k.saving.Unlock()
	if k.held != "" {
		return robot.Refusef("%s", k.held)
	}
	was := k.plan.Load()
	if !hasFloor(was) {
		return robot.Refusef("There is no map yet that could be changed.")
	}
	plan, err := floorplan.Revise(was, sameGraph(was.Graph, graph), samePlaces(was.Places, places))
	if faults := (floorplan.Faults)(nil); errors.As(err, &faults) {
		if there := (floorplan.Misplaced{}); errors.As(faults[0], &there) {
			return handlers.MapFault{Err: robot.Refusef("%s", summarizeFaults(faults)), At: there.At}
		}
		return robot.Refusef("%s", summarizeFaults(faults))
	}
	if err != nil {
		return robot.Refusef("The map cannot be saved: %v.", err)
	}
	newPlanner := k.newPlanner(plan)
	if k.dir != "" {
		if err := k.write(plan); err != nil {
			return folder.ExplainDisk("saved", err)
		}
	}
	k.plan.Store(plan)
	within, cancel := context.WithTimeout(context.Background(), mapTimeout)
	defer cancel()
	if answer := k.use(within, newPlanner); answer.Word != robot.Success {
		return robot.Refusef("The map is saved, but not in use yet: %s", answer.Reason)
	}
	return nil
}

// write writes the changes of a plan to their folder. Those of a built-in map get one with
// the first change; the folder of any other map is the map, so it must be there.
func (k *mapStore) write(plan *robot.Floorplan) error {
	if slices.Contains(maps.Names(), filepath.Base(k.dir)) {
		if err := os.MkdirAll(k.dir, 0o755); err != nil {
			return err
		}
	}
	return floorplan.Save(k.dir, plan)
}

// summarizeFaults returns the first fault and the number of the others. It omits the file
// of a misplaced point, because people see the point on their map.
func summarizeFaults(faults floorplan.Faults) string {
	first := faults[0].Error()
	if errors.As(faults[0], &floorplan.Misplaced{}) {
		_, first, _ = strings.Cut(first, ": ")
		first = strings.ToUpper(first[:1]) + first[1:]
	}
	if more := len(faults) - 1; more == 1 {
		return first + ". There is one more fault."
	} else if more > 1 {
		return fmt.Sprintf("%s. There are %d more faults.", first, more)
	}
	return first + "."
}

// Pages have positions to 0.1 mm and headings to 0.1 mrad. Anything that differs by
// less has not been moved.
const (
	unmoved  = 1e-4 // m and rad
	grainDeg = 0.01 // to which changed headings are rounded
)

// sameGraph returns now with the edge ids of was, new ones for new edges, and the
// exact points of what was not moved.
func sameGraph(was, now robot.Graph) robot.Graph {
	points := map[int]robot.Point{}
	numbers := map[[2]int]int{}
	last := 0
	for _, v := range was.Nodes {
		points[v.ID] = v.Point
	}
	for _, e := range was.Edges {
		numbers[[2]int{e.Start, e.End}] = e.ID
		last = max(last, e.ID)
	}
	same := robot.Graph{}
	for _, v := range now.Nodes {
		if p, ok := points[v.ID]; ok && isNear(p, v.Point) {
			v.Point = p
		}
		last = max(last, v.ID)
		same.Nodes = append(same.Nodes, v)
	}
	for _, e := range now.Edges {
		number, ok := numbers[[2]int{e.Start, e.End}]
		if !ok {
			last++
			number = last
		}
		same.Edges = append(same.Edges, robot.Edge{ID: number, Start: e.Start, End: e.End})
	}
	return same
}

// samePlaces returns now with the exact poses of what was not moved.
func samePlaces(was, now []robot.Place) []robot.Place {
	poses := map[string]robot.Pose{}
	for _, p := range was {
		poses[p.Name] = p.Pose
	}
	var same []robot.Place
	for _, p := range now {
		p.Name = strings.TrimSpace(p.Name)
		old, ok := poses[p.Name]
		if ok && isNear(old.Point(), p.Pose.Point()) && math.Abs(robot.WrapAngle(p.Pose.Theta-old.Theta)) < unmoved {
			p.Pose = old
		} else {
			p.Pose.Theta = robot.WrapAngle(robot.Radians(math.Round(robot.Degrees(p.Pose.Theta)/grainDeg) * grainDeg))
		}
		same = append(same, p)
	}
	return same
}

func isNear(a, b robot.Point) bool { return a.Sub(b).Norm() < unmoved }
