package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"mybot/handlers"
	"mybot/mapping/survey"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/session"
	"mybot/session/protocol"
)

// mappingNow is why the robot goes nowhere by itself while a map is made.
const mappingNow = "A map is being made. Finish and save it, or discard it; then the robot goes to places by itself."

// A mapMaker makes maps while the robot is driven, and brings them into use. Its methods
// may be called from any goroutine.
type mapMaker struct {
	survey *survey.Survey // nil = this robot cannot make maps
	why    string         // it cannot; a sentence
	floors *floors
	hub    *session.Hub
	maps   string // folder that the maps are kept in

	acting sync.Mutex // one action after the other
	before floorInUse // floor that was put aside; its plan is nil when no map is being made
	begun  robot.Pose // where the robot was on it: the frame of the new map, in its

	mu     sync.Mutex
	newest survey.State
	saving bool
	name   string // of the map in use; "" = none
}

var _ handlers.MapMaker = (*mapMaker)(nil)

// newMapMaker returns the map maker of a robot; dir is where maps are kept.
func newMapMaker(desc robot.Description, f *floors, hub *session.Hub, dir string) *mapMaker {
	m := &mapMaker{floors: f, hub: hub, maps: dir}
	lidar, err := survey.Lidar(desc)
	if err != nil {
		m.why = err.Error()
	} else {
		m.survey = survey.New(desc, lidar, m.observe)
	}
	m.show()
	return m
}

// run makes maps until ctx ends.
func (m *mapMaker) run(ctx context.Context) error {
	if m.survey == nil {
		<-ctx.Done()
		return ctx.Err()
	}
	return m.survey.Run(ctx)
}

// Picture returns the picture of a tile, as handlers.MapMaker says.
func (m *mapMaker) Picture(tile, revision int) (data []byte, exact, ok bool) {
	if m.survey == nil {
		return nil, false, false
	}
	return m.survey.Picture(tile, revision)
}

// Do carries out an action, as handlers.MapMaker says.
func (m *mapMaker) Do(ctx context.Context, action, name string) error {
	if m.survey == nil {
		return robot.Refusef("%s", m.why)
	}
	m.acting.Lock()
	defer m.acting.Unlock()
	switch action {
	case "start":
		return m.start(ctx)
	case "pause":
		return m.survey.Pause(ctx)
	case "resume", "back":
		return m.survey.Resume(ctx)
	case "undo":
		return m.survey.Undo(ctx)
	case "finish":
		return m.survey.Finish(ctx)
	case "discard":
		return m.discard(ctx)
	case "save":
		return m.save(ctx, strings.TrimSpace(name))
	}
	return robot.Refusef("%q is nothing that can be done about a map.", action)
}

// start begins a new map where the robot stands.
func (m *mapMaker) start(ctx context.Context) error {
	if m.before.plan != nil {
		return robot.Refusef("A map is being made already. Finish or discard it first.")
	}
	loc, err := m.survey.Begin(ctx, nil)
	if err != nil {
		return err
	}
	before := m.floors.inUse()
	was, err := m.floors.beginMapping(ctx, loc, mappingNow)
	if err != nil {
		return errors.Join(err, m.survey.Discard(context.WithoutCancel(ctx)))
	}
	m.before, m.begun = before, was.Pose
	return nil
}

// discard forgets the map that is made, and brings the one before it back.
func (m *mapMaker) discard(ctx context.Context) error {
	if m.before.plan == nil {
		return robot.Refusef("No map is being made.")
	}
	if err := m.floors.change(ctx, m.before, m.begun); err != nil {
		return err
	}
	m.before = floorInUse{}
	return m.survey.Discard(context.WithoutCancel(ctx))
}

// save keeps the map that is in review under a name, and brings it into use.
func (m *mapMaker) save(ctx context.Context, name string) error {
	if err := checkMapName(name); err != nil {
		return err
	}
	dir := filepath.Join(m.maps, name)
	if _, err := os.Lstat(dir); err == nil || name == builtInMap {
		return robot.Refusef("There is a map %q already. Give this one another name.", name)
	}
	m.setSaving(true)
	defer m.setSaving(false)
	made, err := m.survey.Result(ctx)
	if err != nil {
		return err
	}
	grid := made.Draw(robot.Pose{}, mapCell, floorplan.MaxCells).Grid()
	plan, err := writeMap(dir, name, &grid)
	if err != nil {
		return errors.Join(robot.Refusef("The map cannot be saved: %v.", err), os.RemoveAll(dir))
	}
	if err := m.floors.change(ctx, floorInUse{plan: plan, dir: dir}, robot.Pose{}); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	m.before = floorInUse{}
	return m.survey.Discard(context.WithoutCancel(ctx))
}

// mapCell is the side of a map's cells, in m, where the floor is not too large.
const mapCell = 0.05

// builtInMap is the folder where what people change of the built-in map is kept.
const builtInMap = "office"

// writeMap makes a map folder of a grid and reads it again.
func writeMap(dir, name string, grid *robot.Grid) (*robot.Floorplan, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	if err := floorplan.WriteGrid(dir, name, grid); err != nil {
		return nil, err
	}
	folder := os.DirFS(dir)
	lines, err := floorplan.Trace(folder)
	if err != nil {
		return nil, err
	}
	if err := floorplan.WriteLines(dir, lines); err != nil {
		return nil, err
	}
	return floorplan.Load(folder)
}

// maxMapName is how many letters the name of a map has, at most.
const maxMapName = 40

// checkMapName refuses a name that cannot be that of a folder everywhere.
func checkMapName(name string) error {
	switch {
	case name == "":
		return robot.Refusef("The map needs a name.")
	case len([]rune(name)) > maxMapName:
		return robot.Refusef("The name is too long; it should have at most %d letters.", maxMapName)
	case !fs.ValidPath(name) || name[0] == '.' || strings.ContainsAny(name, `/\:*?"<>|`) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }):
		return robot.Refusef(`%q cannot be the name of a map; it should have no / \ : * ? " < > | and not begin with a dot.`, name)
	}
	return nil
}

// observe takes what the survey reports. The survey's goroutine calls it.
func (m *mapMaker) observe(s survey.State) {
	m.mu.Lock()
	m.newest = s
	m.mu.Unlock()
	m.show()
}

func (m *mapMaker) setSaving(saving bool) {
	m.mu.Lock()
	m.saving = saving
	m.mu.Unlock()
	m.show()
}

// show tells the users how far the map is.
func (m *mapMaker) show() {
	m.mu.Lock()
	s, saving := m.newest, m.saving
	m.mu.Unlock()
	e := eventOf(s)
	switch {
	case s.Phase == survey.Idle && hasFloor(m.floors.maps.Plan()):
		e.State, e.Name = "map", m.floors.maps.Plan().Name
	case s.Phase == survey.Idle:
		e.State = "none"
	case saving:
		e.State = "saving"
	}
	noGoals := ""
	if s.Phase != survey.Idle {
		noGoals = mappingNow
	}
	if m.survey == nil {
		e.Why = m.why
	} else {
		e.Can = slices.Clone(actionsIn[e.State])
	}
	m.hub.ShowMapping(e, noGoals)
}

// actionsIn are the actions that are possible in each state of the event.
var actionsIn = map[string][]string{
	"none":      {"start"},
	"map":       {"start"},
	"mapping":   {"pause", "undo", "finish", "discard"},
	"paused":    {"resume", "undo", "finish", "discard"},
	"finishing": {"discard"},
	"review":    {"back", "discard", "save"},
	"saving":    {},
}

// phaseNames are the states of the event, by the phase of the survey.
var phaseNames = [...]string{survey.Mapping: "mapping", survey.Paused: "paused", survey.Finishing: "finishing", survey.Review: "review"}

// eventOf returns the state of a survey as users get it.
func eventOf(s survey.State) protocol.MappingEvent {
	e := protocol.MappingEvent{
		State: phaseNames[s.Phase], Can: []string{}, Why: s.Why,
		Way: protocol.Number(s.Way), Seconds: protocol.Number(s.Lasted.Seconds()), KeyFrames: s.KeyFrames, Loops: s.Loops,
		Behind: protocol.Number(s.Behind.Seconds()), Progress: protocol.Number(s.Progress),
		Open: pointsOf(s.Open), Trail: pointsOf(s.Trail), Tiles: []protocol.MapTile{},
	}
	if s.Loops > 0 {
		e.Loop = &protocol.MappingLoop{N: s.Loops, At: protocol.PointOf(s.LoopAt)}
	}
	for _, t := range s.Tiles {
		e.Tiles = append(e.Tiles, protocol.MapTile{
			Tile: t.Number, Revision: t.Revision, Pose: protocol.PoseOf(t.Pose), Origin: protocol.PointOf(t.Origin),
			Width: t.Width, Height: t.Height, Cell: protocol.Number(t.Cell),
		})
	}
	return e
}

func pointsOf(points []robot.Point) [][]protocol.Number {
	list := make([][]protocol.Number, len(points))
	for i, p := range points {
		list[i] = protocol.PointOf(p)
	}
	return list
}
