package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mybot/handlers"
	"mybot/mapping/draft"
	"mybot/mapping/folder"
	"mybot/mapping/journal"
	"mybot/mapping/sketch"
	"mybot/mapping/survey"
	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/onboard"
	"mybot/session"
	"mybot/session/protocol"
	"mybot/store"
	"mybot/store/atomicfile"
)

// mappingNow says why the robot does not drive by itself during mapping.
const mappingNow = "A map is being made. Finish and save it, or discard it; then the robot goes to places by itself."

// A mapMaker makes maps while a person drives, and takes them into use. Any
// goroutine may call its methods.
type mapMaker struct {
	surveyor surveyor         // survey or sketcher; nil = this robot supports neither
	survey   *survey.Survey   // nil = it cannot make maps by driving,
	why      string           // for this reason, with the alternatives; sentences
	sketcher *survey.Sketcher // nil = it cannot make sketches
	floors   *floors
	hub      *session.Hub
	draft    mapDraft
	dir      string // folder of the maps
	store    *folder.Store
	state    func() (robot.State, bool) // the newest; false = none yet
	log      *slog.Logger

	acting     sync.RWMutex    // held by an action; edits share it
	before     floorInUse      // the floor that was set aside; its plan is nil unless a map is in progress
	oldFromMap robot.Pose      // frame of the map in progress, in that of the previous floor
	file       *folder.Journal // of the map in progress; nil = not saved

	mu     sync.Mutex
	newest survey.State
	saving bool
	known  mapState // written only while acting is held
}

var _ handlers.MapMaker = (*mapMaker)(nil)

// A surveyor makes the maps of one robot: a survey.Survey or a survey.Sketcher.
type surveyor interface {
	driven
	outcome
	Run(ctx context.Context) error
}

// driven is a map or sketch that is made while a person drives.
type driven interface {
	Pause(ctx context.Context) error
	Resume(ctx context.Context) error
	Undo(ctx context.Context) error
	Finish(ctx context.Context) error
}

// outcome is the result of driven.
type outcome interface {
	Picture(tile, revision int) (data []byte, exact, ok bool)
	Compass(ctx context.Context) (more float64, ok bool, err error)
	Discard(ctx context.Context) error
}

// newMapMaker returns the map maker of a robot; dir is the folder of the maps.
func newMapMaker(desc robot.Description, f *floors, hub *session.Hub, dir string, state func() (robot.State, bool), log *slog.Logger) (*mapMaker, error) {
	store, err := folder.Open(dir)
	if err != nil {
		return nil, err
	}
	m := &mapMaker{floors: f, hub: hub, dir: dir, store: store, state: state, log: log}
	m.draft = mapDraft{desc: desc, log: log}
	lidar, err := survey.Lidar(desc)
	if err == nil {
		m.survey = survey.New(desc, lidar, m.observeSurvey)
		m.surveyor = m.survey
		m.draft.result = func(ctx context.Context) (draft.Result, error) { return m.survey.Result(ctx) }
		m.draft.dock, m.draft.save = m.survey.Dock, m.survey.SaveEdits
	} else {
		m.why = err.Error()
	}
	if offer, ok := sketch.Offer(desc); ok {
		m.why = offer
		m.sketcher = survey.NewSketcher(desc, m.observeSurvey)
		m.surveyor = m.sketcher
		m.draft.result = func(ctx context.Context) (draft.Result, error) { return m.sketcher.Result(ctx) }
		m.draft.dock = func(context.Context) (*robot.Pose, error) { return nil, nil } // no dock is known
		m.draft.save = func(context.Context, json.RawMessage) error { return nil }
		m.draft.places = []robot.Place{{Name: startPlace}}
	}
	m.refreshState("")
	return m, nil
}

// run makes maps until ctx ends. It continues a map in progress once the robot has
// reported: ready is closed then.
func (m *mapMaker) run(ctx context.Context, ready <-chan struct{}) {
	if m.surveyor == nil {
		return
	}
	var restoring sync.WaitGroup
	restoring.Go(func() {
		select {
		case <-ready:
			m.restoreMap(ctx)
		case <-ctx.Done():
		}
	})
	_ = m.surveyor.Run(ctx) // it ends only with ctx
	restoring.Wait()
	m.acting.Lock()
	defer m.acting.Unlock()
	if m.file != nil {
		if err := m.file.Close(); err != nil {
			m.log.Error("the end of the map that is being made is not kept", "error", err)
		}
	}
}

// Picture implements handlers.MapMaker.
func (m *mapMaker) Picture(tile, revision int) (data []byte, exact, ok bool) {
	if m.surveyor == nil {
		return nil, false, false
	}
	return m.surveyor.Picture(tile, revision)
}

// Draft implements handlers.MapMaker.
func (m *mapMaker) Draft(ctx context.Context) ([]byte, error) {
	if m.surveyor == nil {
		return nil, robot.Refusef("%s", m.why)
	}
	return m.draft.view(ctx)
}

// Edit implements handlers.MapMaker.
func (m *mapMaker) Edit(ctx context.Context, edit []byte) ([]byte, error) {
	if m.surveyor == nil {
		return nil, robot.Refusef("%s", m.why)
	}
	if !m.acting.TryRLock() {
		return nil, robot.Refusef("The map is being saved, continued or discarded. Try again.")
	}
	defer m.acting.RUnlock()
	return m.draft.apply(ctx, edit)
}

// DraftPicture implements handlers.MapMaker.
func (m *mapMaker) DraftPicture(ctx context.Context, revision int) (data []byte, exact, ok bool) {
	if m.surveyor == nil {
		return nil, false, false
	}
	return m.draft.image(ctx, revision)
}

// Do implements handlers.MapMaker.
func (m *mapMaker) Do(ctx context.Context, o handlers.MapOrder) (saved string, err error) {
	if m.surveyor == nil || m.survey == nil && (o.Action == "start" || o.Action == "extend" || o.Action == "revert" || o.Action == "advance") {
		return "", robot.Refusef("%s", m.why)
	}
	m.acting.Lock()
	defer m.acting.Unlock()
	if o.Action == "save" {
		return m.saveMap(ctx, strings.TrimSpace(o.Name))
	}
	return "", m.act(ctx, o)
}

// act executes an order other than to save. acting is held.
func (m *mapMaker) act(ctx context.Context, o handlers.MapOrder) error {
	switch o.Action {
	case "start":
		return m.startMap(ctx)
	case "sketch":
		return m.startSketch(ctx, m.sketcher.Begin)
	case "sheet":
		return m.startSketch(ctx, func(ctx context.Context) (*survey.SketchLocalizer, error) {
			return m.sketcher.BeginSheet(ctx, o.Width, o.Height)
		})
	case "pause":
		return m.surveyor.Pause(ctx)
	case "resume", "back":
		if err := m.surveyor.Resume(ctx); err != nil {
			return err
		}
		m.draft.close(true)
		return nil
	case "extend":
		return m.extendMap(ctx)
	case "revert":
		return m.useVersion(ctx, m.store.Revert, m.store.Advance)
	case "advance":
		return m.useVersion(ctx, m.store.Advance, m.store.Revert)
	case "undo":
		return m.surveyor.Undo(ctx)
	case "finish":
		return m.surveyor.Finish(ctx)
	case "discard":
		return m.discardMap(ctx)
	}
	return robot.Refusef("%q is nothing that can be done about a map.", o.Action)
}

// startMap begins a new map where the robot stands.
func (m *mapMaker) startMap(ctx context.Context) error {
	if m.before.plan != nil {
		return robot.Refusef("A map is being made already. Finish or discard it first.")
	}
	file, err := m.store.Begin(m.journalHeader(""))
	if err != nil {
		m.log.Warn("the map is not kept while it is made", "why", err)
	}
	loc, err := m.survey.Begin(ctx, asJournal(file, err))
	if err != nil {
		return err
	}
	if err := m.beginSurvey(ctx, loc, file, "", nil, nil, func(was robot.Pose) robot.Pose { return was }); err != nil {
		return errors.Join(err, m.deleteJournal(ctx, file))
	}
	return nil
}

// startPlace is the name of the place where a sketch or a sheet began.
const startPlace = "Start"

// startSketch begins a sketch or an empty sheet where the robot stands.
func (m *mapMaker) startSketch(ctx context.Context, begin func(context.Context) (*survey.SketchLocalizer, error)) error {
	switch {
	case m.sketcher == nil:
		return robot.Refusef("This robot has a lidar: make a map.")
	case m.before.plan != nil:
		return robot.Refusef("A map is being made already. Finish or discard it first.")
	case !m.canSketch():
		return robot.Refusef("There is a map of this floor. To sketch a floor of which there is none, start the robot with --map none.")
	}
	loc, err := begin(ctx)
	if err != nil {
		return err
	}
	if err := m.beginSurvey(ctx, loc, nil, "", nil, nil, func(was robot.Pose) robot.Pose { return was }); err != nil {
		return errors.Join(err, m.deleteJournal(ctx, nil))
	}
	return nil
}

// canSketch reports whether sketches are offered: there is no map, or one that was
// made here.
func (m *mapMaker) canSketch() bool {
	return m.sketcher != nil && (m.known.name != "" || !hasFloor(m.floors.maps.Plan()))
}

// journalHeader returns the journal's header for a map that extends another one; "" =
// none.
func (m *mapMaker) journalHeader(extends string) journal.Header {
	return journal.Header{Began: time.Now(), Map: extends, Robot: m.floors.desc.Name, Lidars: m.floors.desc.Lidars}
}

// extendMap continues the map in use.
func (m *mapMaker) extendMap(ctx context.Context) error {
	if m.before.plan != nil {
		return robot.Refusef("A map is being made already. Finish or discard it first.")
	}
	defer m.floors.maps.hold("The map is being extended. Try again.")() // the extended map adopts what was saved until here
	now, name := m.floors.inUse(), m.known.name
	if name == "" {
		return robot.Refusef("This map was not made here, so it cannot be extended. Make a new map instead.")
	}
	edits, planFromMap, err := readEdits(now.dir)
	if err != nil {
		return err
	}
	state, ok := m.state()
	if !ok || state.Estimate.Trust == robot.TrustLost {
		return robot.Refusef("The robot does not know where it is on this map. Set the position first, or drive until it does.")
	}
	var file *folder.Journal
	loc, err := m.survey.Extend(ctx, func(take func(journal.Record) error) (survey.Journal, error) {
		var err error
		file, err = m.store.Extend(now.dir, m.journalHeader(name), take)
		return file, err
	}, planFromMap.Inverse().Compose(state.Estimate.Pose))
	if err != nil {
		return err
	}
	if err := m.beginSurvey(ctx, loc, file, name, edits, now.plan, func(robot.Pose) robot.Pose { return planFromMap }); err != nil {
		return errors.Join(err, m.deleteJournal(ctx, file))
	}
	return nil
}

// readEdits returns the stored edits of a map folder, nil = none, and the frame of
// the original map in that of the edited plan.
func readEdits(dir string) (edits []byte, planFromMap robot.Pose, err error) {
	if edits, err = folder.ReadEdits(dir); err == nil && edits != nil {
		planFromMap, err = draft.FrameOf(edits)
	}
	if err != nil {
		return nil, planFromMap, robot.Refusef("The map cannot be extended: %v.", err)
	}
	return edits, planFromMap, nil
}

// beginSurvey takes the localizer of a new survey into use. edits and plan are for its
// first draft, as in mapDraft.begin. frame returns the frame of that map in that of
// the floor in use, given the robot's pose on that floor.
func (m *mapMaker) beginSurvey(ctx context.Context, loc onboard.Localizer, file *folder.Journal, extends string, edits []byte, plan *robot.Floorplan, frame func(robot.Pose) robot.Pose) error {
	before := m.floors.inUse()
	var oldFromMap robot.Pose
	err := m.floors.beginMapping(ctx, mappingNow, func(was robot.Estimate) onboard.Localizer {
		oldFromMap = frame(was.Pose)
		return loc
	})
	if err != nil {
		return err
	}
	m.before, m.oldFromMap, m.file = before, oldFromMap, file
	m.draft.begin(edits, plan)
	m.refreshState(extends)
	return nil
}

// asJournal returns the file as a survey.Journal, or why there is none.
func asJournal(file *folder.Journal, err error) survey.Journal {
	if file == nil {
		return survey.Unsaved{Err: err}
	}
	return file
}

// deleteJournal ends the survey and deletes its journal.
func (m *mapMaker) deleteJournal(ctx context.Context, file *folder.Journal) error {
	err := m.surveyor.Discard(context.WithoutCancel(ctx))
	if file != nil {
		err = errors.Join(err, file.Close(), m.store.Discard())
	}
	m.draft.begin(nil, nil)
	return err
}

// discardMap drops the map in progress and restores the previous one.
func (m *mapMaker) discardMap(ctx context.Context) error {
	if m.before.plan == nil {
		return robot.Refusef("No map is being made.")
	}
	if err := m.floors.changeFloor(ctx, m.before, m.oldFromMap, false); err != nil {
		return err
	}
	return m.endSurvey(ctx)
}

// endSurvey ends the survey once another floor is in use.
func (m *mapMaker) endSurvey(ctx context.Context) error {
	file := m.file
	m.before, m.file = floorInUse{}, nil
	err := m.deleteJournal(ctx, file)
	m.refreshState("")
	return err
}

// saveMap saves the map in review and takes it into use: under a name, or as the next
// version of the map that it extends. It returns the map's name.
func (m *mapMaker) saveMap(ctx context.Context, name string) (saved string, err error) {
	m.setSaving(true)
	defer m.setSaving(false)
	result, err := m.draft.result(ctx)
	if err != nil {
		return "", err
	}
	if s, ok := m.state(); ok && !isStanding(s) { // otherwise it would be saved, but could not be taken into use
		return "", robot.Refusef("The robot is moving. Save the map once it has stopped.")
	}
	extends := m.known.extends
	if extends != "" {
		if name != "" && name != extends {
			return "", robot.Refusef("This is the next version of the map %q, and keeps its name. To have it under another name, make a new map.", extends)
		}
		name = extends
	} else if err := m.store.CheckName(name); err != nil || slices.Contains(maps.Names(), name) {
		return "", cmp.Or(err, error(robot.Refusef("There is a map with the name %q already. Choose another name.", name)))
	}
	title := name
	if s, ok := result.(*sketch.Result); ok && s.IsSketch() {
		title += sketch.NameSuffix
	}
	made, err := m.draft.finish(ctx, title)
	if err != nil {
		return "", err
	}
	if m.survey == nil && len(made.plan.Lines) == 0 {
		return "", robot.Refusef("The map has no wall yet, and without walls the sonars cannot tell where the robot is. Draw the walls around it first.")
	}
	switch compass, ok, err := m.surveyor.Compass(ctx); {
	case err != nil:
		return "", err
	case ok:
		made.plan.Compass = robot.WrapAngle(compass - made.planFromMap.Theta)
	case extends != "":
		made.plan.Compass = m.before.plan.Compass
	}
	version := folder.Version{Plan: made.plan, Edits: made.edits}
	if m.file != nil {
		if version.Journal, err = m.file.Reader(); err != nil {
			return "", err
		}
		for i := range result.KeyFrames() {
			version.Poses = append(version.Poses, result.Pose(i))
		}
	}
	err = m.store.Save(name, extends != "", version, func() error {
		plan, err := floorplan.Load(os.DirFS(m.store.Path(name)))
		if err != nil {
			return err
		}
		if err := m.floors.changeFloor(ctx, floorInUse{plan: plan, dir: m.store.Path(name)}, made.planFromMap, false); err != nil {
			return err
		}
		m.keepInUse(name)
		return nil
	})
	if err != nil {
		return "", err
	}
	return name, m.endSurvey(ctx)
}

// useVersion restores another version of the map in use, which replace puts into
// its folder. If it cannot be taken into use, undo puts the one in use back.
func (m *mapMaker) useVersion(ctx context.Context, replace, undo func(name string) error) error {
	name := m.known.name
	if s, ok := m.state(); m.before.plan != nil || name == "" || !ok || !isStanding(s) {
		return robot.Refusef("Another version can be brought back while the robot stands, and a map is in use that was made here.")
	}
	defer m.floors.maps.hold("Another version of the map is being brought back. Try again.")()
	if err := replace(name); err != nil {
		return err
	}
	plan, err := floorplan.Load(os.DirFS(m.store.Path(name)))
	if err == nil {
		err = m.floors.changeFloor(ctx, floorInUse{plan: plan, dir: m.store.Path(name)}, robot.Pose{}, true)
	}
	if err != nil {
		return robot.Refusef("The other version cannot be taken into use: %v", errors.Join(err, undo(name)))
	}
	m.refreshState("")
	return nil
}

// isStanding reports whether the robot stands in this state.
func isStanding(s robot.State) bool {
	const stands = 0.02 // m/s and rad/s
	return math.Abs(s.Twist.Linear) < stands && math.Abs(s.Twist.Angular) < stands
}

// MapInUseFile says which of the robot's own maps is in use, in the state
// directory.
const MapInUseFile = "map.json"

type mapInUse struct {
	Map string `json:"map"`
}

// MapInUse returns the folder, which may be missing, of the robot's own map that is in use;
// "" = there is none.
func MapInUse(data string) string {
	text, err := os.ReadFile(filepath.Join(data, MapInUseFile))
	var in mapInUse
	if data == "" || err != nil || json.Unmarshal(text, &in) != nil || !filepath.IsLocal(in.Map) {
		return ""
	}
	return filepath.Join(MapsDir(data), in.Map)
}

// RestoreMapInUse restores the map in use if its folder is missing because the program
// was killed while it replaced the map. Call it in a server that starts, before the map is read.
// It holds the store meanwhile, so that it does not interfere with a server that is
// replacing the map now.
func RestoreMapInUse(data string) error {
	dir := MapInUse(data)
	if dir == "" {
		return nil
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	db, err := store.Open(data)
	if err != nil {
		return fmt.Errorf("app: %w", err)
	}
	if _, err = folder.Open(MapsDir(data)); err != nil {
		err = fmt.Errorf("app: %w", err)
	}
	return errors.Join(err, db.Close())
}

// keepInUse records the map for the next start.
func (m *mapMaker) keepInUse(name string) {
	data := m.floors.cfg.DataDir
	if data == "" {
		return
	}
	text, err := json.Marshal(mapInUse{name})
	if err == nil {
		err = atomicfile.Write(filepath.Join(data, MapInUseFile), append(text, '\n'), 0o600)
	}
	if err != nil {
		m.log.Error("the next start will not use the map that was saved", "error", err)
	}
}

// restoreMap continues, paused, a map that was in progress when the program ended.
func (m *mapMaker) restoreMap(ctx context.Context) {
	if m.survey == nil {
		return
	}
	m.acting.Lock()
	defer m.acting.Unlock()
	var file *folder.Journal
	var contents journal.Contents
	loc, stored, err := m.survey.Recover(ctx, func(take func(journal.Record) error) (survey.Journal, error) {
		var err error
		file, contents, err = m.store.Resume(take)
		return file, err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var edits []byte
	extends, planFromMap := contents.Header.Map, robot.Pose{}
	if err == nil && extends != "" {
		edits, planFromMap, err = readEdits(m.store.Path(extends))
	}
	var plan *robot.Floorplan
	switch now := m.floors.inUse(); {
	case len(stored) > 0:
		edits = stored[len(stored)-1]
	case extends != "" && now.dir == m.store.Path(extends):
		plan = now.plan
	case extends != "" && err == nil:
		plan, err = floorplan.Load(os.DirFS(m.store.Path(extends)))
	}
	if err == nil {
		err = m.beginSurvey(ctx, loc, file, extends, edits, plan, func(was robot.Pose) robot.Pose {
			if extends == "" {
				return was // it was saved when mapping began
			}
			return planFromMap
		})
	}
	switch {
	case err == nil:
		m.log.Info("restored the map in progress; it is paused", "key frames", contents.KeyFrames, "missing", contents.Missing)
	case ctx.Err() == nil:
		m.log.Error("the map in progress could not be restored", "error", err)
	}
	if err != nil && file != nil { // the next start will try again
		_ = errors.Join(m.survey.Discard(ctx), file.Close())
	}
}

// A mapState describes the map in use, or the one in progress.
type mapState struct {
	name       string // of the robot's own map in use; "" = none
	extends    string // the map that is being extended; "" = none
	versions   int    // number of earlier versions
	reverted   int    // number of later versions
	extendable bool
}

// refreshState reads the state of the map in use from the disk, and informs the users.
// extends names the map that is being extended; "" = none.
func (m *mapMaker) refreshState(extends string) {
	known := mapState{extends: extends}
	if dir := m.floors.inUse().dir; m.before.plan == nil && filepath.Dir(dir) == filepath.Clean(m.dir) && !slices.Contains(maps.Names(), filepath.Base(dir)) {
		known.name = filepath.Base(dir)
		known.versions, known.reverted = m.store.Versions(known.name), m.store.Reverted(known.name)
		_, err := folder.ReadHeader(dir)
		known.extendable = err == nil
	}
	if extends != "" {
		known.versions = m.store.Versions(extends)
	}
	m.mu.Lock()
	m.known = known
	m.mu.Unlock()
	m.sendProgress()
}

// observeSurvey receives the survey's reports. The survey's goroutine calls it.
func (m *mapMaker) observeSurvey(s survey.State) {
	m.mu.Lock()
	m.newest = s
	m.mu.Unlock()
	m.sendProgress()
}

func (m *mapMaker) setSaving(saving bool) {
	m.mu.Lock()
	m.saving = saving
	m.mu.Unlock()
	m.sendProgress()
}

// sendProgress sends the progress of the map to the users.
func (m *mapMaker) sendProgress() {
	m.mu.Lock()
	defer m.mu.Unlock() // until it is sent, so that the newest is sent last
	s, saving, known := m.newest, m.saving, m.known
	e := eventOf(s)
	e.Name, e.Extending, e.Version = cmp.Or(known.extends, known.name), known.extends != "", known.versions
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
	if s.Phase == survey.Idle {
		e.Why = m.why
	}
	switch {
	case m.sketcher != nil:
		e.Can = slices.Clone(sketchActionsIn[e.State])
		if s.Phase == survey.Review && s.Kind == survey.ByHand && !saving {
			e.Can = []string{"discard", "save"}
		}
		if e.State == "map" && known.name == "" {
			e.Can = []string{}
		}
	case m.survey != nil:
		e.Can = slices.Clone(actionsIn[e.State])
		if e.State == "map" && known.extendable {
			e.Can = append(e.Can, "extend")
		}
		if e.State == "map" && known.versions > 0 {
			e.Can = append(e.Can, "revert")
		}
		if e.State == "map" && known.reverted > 0 {
			e.Can = append(e.Can, "advance")
		}
	}
	m.hub.ShowMapping(e, noGoals)
}

// actionsIn are the possible actions in each state of the event.
var actionsIn = map[string][]string{
	"none":      {"start"},
	"map":       {"start"},
	"mapping":   {"pause", "undo", "finish", "discard"},
	"paused":    {"resume", "undo", "finish", "discard"},
	"finishing": {"discard"},
	"review":    {"back", "discard", "save"},
	"saving":    {},
}

// sketchActionsIn are the same for a robot that makes sketches.
var sketchActionsIn = map[string][]string{
	"none":    {"sketch", "sheet"},
	"map":     {"sketch", "sheet"}, // replacing one that was made here
	"mapping": actionsIn["mapping"],
	"paused":  actionsIn["paused"],
	"review":  actionsIn["review"],
	"saving":  {},
}

// kindNames are the event's names for the source of the map.
var kindNames = [...]string{survey.Scans: "lidar", survey.Echoes: "sonars", survey.ByHand: "hand"}

// phaseNames are the event's states for the phases of the survey.
var phaseNames = [...]string{survey.Mapping: "mapping", survey.Paused: "paused", survey.Finishing: "finishing", survey.Review: "review"}

// eventOf returns the wire form of a survey's state.
func eventOf(s survey.State) protocol.MappingEvent {
	e := protocol.MappingEvent{
		State: phaseNames[s.Phase], Can: []string{}, Why: s.Why,
		Way: protocol.Number(s.Way), Seconds: protocol.Number(s.Lasted.Seconds()), KeyFrames: s.KeyFrames, Loops: s.Loops,
		Behind: protocol.Number(s.Behind.Seconds()), Progress: protocol.Number(s.Progress),
		Open: pointsOf(s.Open), Trail: pointsOf(s.Trail), Tiles: []protocol.MapTile{},
	}
	if s.Phase != survey.Idle {
		e.From = kindNames[s.Kind]
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
