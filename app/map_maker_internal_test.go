package app

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mybot/handlers"
	"mybot/mapping"
	"mybot/mapping/draft"
	"mybot/mapping/folder"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/scan"
)

// newTestMapMaker returns the map maker of a robot that stands, with two versions of the
// map "Lab". The first version has the place "Old", the second one, in use, "New".
func newTestMapMaker(t *testing.T) *mapMaker {
	t.Helper()
	store, err := folder.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	k, _ := newTestMapStore(t, store.Path("Lab"))
	for i, name := range []string{"Old", "New"} {
		plan := *k.Plan()
		plan.Places = []robot.Place{{Name: name, Pose: plan.Places[0].Pose}}
		if err := store.Save("Lab", i > 0, folder.Version{Plan: &plan}, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		k.change(&plan, store.Path("Lab"))
	}
	f := &floors{maps: k}
	f.now.Store(&floorInUse{plan: k.Plan(), dir: store.Path("Lab")})
	return &mapMaker{floors: f, store: store, known: mapState{name: "Lab"}, state: func() (robot.State, bool) { return robot.State{}, true }}
}

// places returns the names of the places in a map folder.
func places(t *testing.T, dir string) (names []string) {
	t.Helper()
	plan, err := floorplan.Load(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range plan.Places {
		names = append(names, p.Name)
	}
	return names
}

// savesNothing checks that the map store refuses changes for a reason.
func savesNothing(t *testing.T, k *mapStore, want string) {
	t.Helper()
	if err := k.Save(asPage(k.Plan())); err == nil || err.Error() != want {
		t.Errorf("saving is answered %v, want %s", err, want)
	}
}

func TestNothingIsSavedWhileAnotherVersionIsBroughtBack(t *testing.T) {
	m := newTestMapMaker(t)
	k, lab := m.floors.maps, m.store.Path("Lab")
	away := filepath.Join(t.TempDir(), "away")
	swap := func(string) error {
		if err := os.Rename(lab, away); err != nil {
			return err
		}
		savesNothing(t, k, "Another version of the map is being brought back. Try again.")
		return errors.Join(os.Rename(away, lab), errors.New("the disk is full"))
	}
	if err := m.useVersion(t.Context(), swap, nil); err == nil || err.Error() != "the disk is full" {
		t.Errorf("%v", err)
	}
	if err := k.Save(asPage(k.Plan())); err != nil {
		t.Errorf("afterwards, saving is answered %v", err)
	}
}

func TestNothingIsSavedToAMapWhileItIsReadToBeExtended(t *testing.T) {
	m := newTestMapMaker(t)
	m.state = func() (robot.State, bool) {
		savesNothing(t, m.floors.maps, "The map is being extended. Try again.")
		return robot.State{}, false
	}
	if err := m.extendMap(t.Context()); err == nil {
		t.Error("a robot that does not know where it is extends a map")
	}
	if err := m.floors.maps.Save(asPage(m.floors.maps.Plan())); err != nil {
		t.Errorf("afterwards, saving is answered %v", err)
	}
}

func TestAVersionThatCannotBeUsedDoesNotReplaceTheOneInUse(t *testing.T) {
	m := newTestMapMaker(t)
	if err := os.Remove(filepath.Join(filepath.Dir(m.store.Path("Lab")), ".versions", "Lab", "1", "map.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := m.useVersion(t.Context(), m.store.Revert, m.store.Advance); err == nil {
		t.Error("a version without its map.yaml is in use")
	}
	if got := places(t, m.store.Path("Lab")); len(got) != 1 || got[0] != "New" || m.store.Versions("Lab") != 1 || m.store.Reverted("Lab") != 0 {
		t.Errorf("the folder of the map has the places %q; there are %d versions before it and %d after it", got, m.store.Versions("Lab"), m.store.Reverted("Lab"))
	}
}

func TestAChangeMakesNoHalfMapOfAFolderThatIsGone(t *testing.T) {
	m := newTestMapMaker(t)
	if err := os.RemoveAll(m.store.Path("Lab")); err != nil {
		t.Fatal(err)
	}
	if err := m.floors.maps.Save(asPage(m.floors.maps.Plan())); err == nil {
		t.Error("a change was saved to a map that is gone")
	}
	if _, err := os.Stat(m.store.Path("Lab")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is there again: %v", err)
	}
}

// A drawnRoom is a room of 4 m by 3 m with one wall as the result of mapping.
type drawnRoom struct{}

func (drawnRoom) KeyFrames() int                   { return 1 }
func (drawnRoom) Pose(int) robot.Pose              { return robot.Pose{} }
func (drawnRoom) Echoes(int) iter.Seq[robot.Point] { return func(func(robot.Point) bool) {} }

func (drawnRoom) DrawGrid(robot.Pose, float64, int) robot.Grid {
	g := small().Grid
	for y := range g.Height {
		g.Cells[y*g.Width] = robot.Occupied
	}
	return g
}

// A reviewer is the surveyor of a map in review.
type reviewer struct {
	surveyor
	saving func() // called during each save
}

func (r reviewer) Compass(context.Context) (more float64, ok bool, err error) {
	r.saving()
	return 0, false, nil
}

func (reviewer) Discard(context.Context) error { return nil }

// reviewRoom adds to the server a map maker with a drawnRoom in review, and calls saving
// during each save. The map maker takes the robot for standing.
func (s *scriptedServer) reviewRoom(saving func()) *mapMaker {
	store, err := folder.Open(s.t.TempDir())
	if err != nil {
		s.t.Fatal(err)
	}
	s.planner = NewPlanWorker()
	s.maps.newPlanner = func(p *robot.Floorplan) robot.Planner { return s.planner.NewPlanner(p, s.desc) }
	s.maps.use = s.loop.UsePlanner
	s.floors = newFloors(s.desc, Config{Plan: s.maps.Plan()}, new(odometryMemory), s.loop.Loop, s.planner, s.maps, func(*robot.Floorplan) {}, func() { s.forgotten = append(s.forgotten, s.maps.Plan().Name) }, s.log)
	s.floors.hub = s.hub
	m := &mapMaker{
		surveyor: reviewer{saving: saving}, floors: s.floors, hub: s.hub, store: store, log: s.log,
		state: func() (robot.State, bool) { return robot.State{}, true },
	}
	m.draft = mapDraft{
		desc: s.desc, log: s.log,
		result: func(context.Context) (draft.Result, error) { return drawnRoom{}, nil },
		dock:   func(context.Context) (*robot.Pose, error) { return nil, nil },
		save:   func(context.Context, json.RawMessage) error { return nil },
	}
	return m
}

// addPlace edits the map in review.
func addPlace(m *mapMaker, name string) error {
	edit, err := json.Marshal(map[string]any{"op": draft.Place, "name": name, "pose": [3]float64{1, 1, 0}})
	if err == nil {
		_, err = m.Edit(context.Background(), edit)
	}
	return err
}

func TestAnEditIsInTheSavedMapOrRefused(t *testing.T) {
	withScripts(t, func(t *testing.T, s *scriptedServer) {
		var m *mapMaker
		m = s.reviewRoom(func() {
			if err := addPlace(m, "Late"); err == nil || err.Error() != "The map is being saved, continued or discarded. Try again." {
				t.Errorf("an edit during the save is answered %v", err)
			}
		})
		if err := addPlace(m, "Early"); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Do(t.Context(), handlers.MapOrder{Action: "save", Name: "Attic"}); err != nil {
			t.Fatal(err)
		}
		if got := places(t, m.store.Path("Attic")); !slices.Equal(got, []string{"Early"}) {
			t.Errorf("the saved map has the places %q", got)
		}
	})
}

func TestASaveSaysWhatStandsInAWall(t *testing.T) {
	withScripts(t, func(t *testing.T, s *scriptedServer) {
		m := s.reviewRoom(func() {})
		for _, edit := range []string{`{"op":"dock","pose":[2,1,0]}`, `{"op":"place","name":"Sofa","pose":[2,1.5,0]}`, `{"op":"wall","line":[[2,0.5],[2,2]]}`} {
			if _, err := m.Edit(t.Context(), []byte(edit)); err != nil {
				t.Fatal(err)
			}
		}
		_, err := m.Do(t.Context(), handlers.MapOrder{Action: "save", Name: "Attic"})
		if refusal := (robot.Refusal{}); !errors.As(err, &refusal) || strings.ContainsAny(refusal.Reason, "\n:") || !strings.HasSuffix(refusal.Reason, "There is one more fault.") {
			t.Errorf("saving is answered %v", err)
		}
	})
}

func TestAMapInReviewStaysInReviewUntilItIsInUse(t *testing.T) {
	withScripts(t, func(t *testing.T, s *scriptedServer) {
		m := s.reviewRoom(func() {})
		m.dir = filepath.Dir(m.store.Path("Attic"))
		var err error
		if m.file, err = m.store.Begin(m.journalHeader("")); err != nil {
			t.Fatal(err)
		}
		if _, err := m.file.AddKeyFrame(mapping.KeyFrame{Cloud: scan.Cloud{Beams: []scan.Beam{{End: robot.Point{X: 1}, Echo: true}}}}); err != nil {
			t.Fatal(err)
		}
		order := handlers.MapOrder{Action: "save", Name: "Attic"}
		if r := s.loop.Do(t.Context(), robot.GoTo{Goal: robot.Pose{X: 9, Y: 7.3}}); r.Word != robot.Success {
			t.Fatal(r)
		}
		if _, err := m.Do(t.Context(), order); err == nil || !strings.HasPrefix(err.Error(), "The map is not saved, because it cannot be taken into use: The robot is") {
			t.Errorf("saving is answered %v", err)
		}
		if names, err := m.store.Names(); err != nil || len(names) > 0 {
			t.Errorf("the maps are %q, %v", names, err)
		}
		if err := addPlace(m, "Later"); err != nil {
			t.Errorf("an edit is answered %v", err)
		}
		s.loop.Do(t.Context(), robot.Cancel{})
		s.comes(2 * time.Second)
		if saved, err := m.Do(t.Context(), order); err != nil || saved != "Attic" {
			t.Fatalf("under the same name, saving is answered %q, %v", saved, err)
		}
		if got := places(t, m.store.Path("Attic")); !slices.Equal(got, []string{"Later"}) || m.known.name != "Attic" || m.store.Versions("Attic") != 0 {
			t.Errorf("the map in use is %q; the folder Attic has the places %q and %d earlier versions", m.known.name, got, m.store.Versions("Attic"))
		}
	})
}

func TestTheNextVersionOfAMapIsSavedUnderItsName(t *testing.T) {
	withScripts(t, func(t *testing.T, s *scriptedServer) {
		m := s.reviewRoom(func() {})
		for _, name := range []string{"Attic", ""} {
			saved, err := m.Do(t.Context(), handlers.MapOrder{Action: "save", Name: name})
			if err != nil || saved != "Attic" {
				t.Errorf("saving under the name %q is answered %q, %v", name, saved, err)
			}
			m.before.plan, m.known.extends = s.maps.Plan(), "Attic" // as extendMap does
		}
	})
}

func TestJobsForgetTheFloorBeforeAndAfterAnotherComesIntoUse(t *testing.T) {
	withScripts(t, func(t *testing.T, s *scriptedServer) {
		m, before := s.reviewRoom(func() {}), s.maps.Plan().Name
		if _, err := m.Do(t.Context(), handlers.MapOrder{Action: "save", Name: "Attic"}); err != nil {
			t.Fatal(err)
		}
		if want := []string{before, "Attic"}; !slices.Equal(s.forgotten, want) {
			t.Errorf("jobs forget their floor while the maps %q are in use, want %q", s.forgotten, want)
		}
	})
}
