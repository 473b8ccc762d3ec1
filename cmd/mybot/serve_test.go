package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/maps"
	"mybot/robot"
	"mybot/store"
)

// copyOffice copies the built-in floor, without the named files, into a folder.
func copyOffice(t *testing.T, without ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "office")
	if err := os.CopyFS(dir, maps.Office()); err != nil {
		t.Fatal(err)
	}
	for _, name := range without {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestAMapFolderSaysWhereTheRobotStarts(t *testing.T) {
	_, office, err := readMap("", t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("its scene does", func(t *testing.T) {
		_, scene, err := readMap(copyOffice(t), "", nil)
		if err != nil || scene.Start != office.Start || len(scene.Obstacles) != len(office.Obstacles) {
			t.Errorf("a copy of the office starts at %+v, %v", scene.Start, err)
		}
	})
	t.Run("its dock does when there is no scene", func(t *testing.T) {
		plan, scene, err := readMap(copyOffice(t, sceneFile), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if plan.Dock == nil || scene.Start != *plan.Dock || scene.Start == (robot.Pose{}) {
			t.Errorf("it starts at %+v, its dock is at %+v", scene.Start, plan.Dock)
		}
	})
	t.Run("its first via point does when there is neither dock nor place", func(t *testing.T) {
		dir := copyOffice(t, sceneFile, "rooms.geojson", "places.geojson")
		if _, scene, err := readMap(dir, "", nil); err != nil || scene.Start.Point() != office0(t) {
			t.Errorf("it starts at %+v, %v", scene.Start, err)
		}
	})
	t.Run("a person does when it does not", func(t *testing.T) { // a map of another program has a picture alone
		dir, start := copyOffice(t, sceneFile, "rooms.geojson", "places.geojson", "graph.geojson"), &robot.Pose{X: 4.5, Y: 7.3, Theta: 1}
		if known, _, scene, err := (options{mapDir: dir, start: start}).readFloors(""); err != nil || known == nil || scene.Start != *start {
			t.Errorf("it starts at %+v, %v", scene.Start, err)
		}
		if _, _, _, err := (options{mapDir: dir}).readFloors(""); err == nil || !strings.Contains(err.Error(), "give --start X,Y,HEADING") {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("a scene that is not right is an error that names the folder", func(t *testing.T) {
		dir := copyOffice(t)
		if err := os.WriteFile(filepath.Join(dir, sceneFile), []byte(`{"start":{}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := (options{mapDir: dir}).readFloors(""); err == nil || !strings.HasPrefix(err.Error(), "--map "+dir) || !strings.Contains(err.Error(), sceneFile) {
			t.Errorf("the error is %v", err)
		}
	})
}

// office0 returns the point of the office's first via point.
func office0(t *testing.T) robot.Point {
	t.Helper()
	plan, _, err := readMap("", t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return plan.Graph.Nodes[0].Point
}

func TestWhatWasSavedOfTheOfficeIsLoadedInItsPlace(t *testing.T) {
	saved := t.TempDir()
	file := filepath.Join(saved, "places.geojson")
	if err := os.WriteFile(file, []byte(`{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"Plant","heading_deg":90},"geometry":{"type":"Point","coordinates":[12,7.3]}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	plan, _, err := readMap("", saved, nil)
	if err != nil || len(plan.Places) != 1 || plan.Places[0].Name != "Plant" || len(plan.Graph.Nodes) != 11 {
		t.Errorf("%+v, %v", plan.Places, err)
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := readMap("", saved, nil); err == nil || !strings.Contains(err.Error(), saved) || !strings.Contains(err.Error(), "remove that folder to start over") {
		t.Errorf("%v", err)
	}
}

func TestTheSimulatedRobotStandsWhereItWasLastOrIsPut(t *testing.T) {
	plan, scene, err := readMap("", t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	desc, err := readDescription("")
	if err != nil {
		t.Fatal(err)
	}
	last, put := robot.Pose{X: 9.1, Y: 7.2, Theta: 1}, robot.Pose{X: 17, Y: 12, Theta: 2}
	data := t.TempDir()
	for _, c := range []struct {
		name  string
		data  string
		start *robot.Pose
		want  robot.Pose
	}{
		{"with nothing kept the scene says where", t.TempDir(), nil, scene.Start},
		{"it stays where it was", data, nil, last},
		{"it is put elsewhere", data, &put, put},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.data == data {
				if err := app.SavePose(data, plan, last); err != nil {
					t.Fatal(err)
				}
			}
			driver := sim.NewDriver(sim.NewWorld(desc, plan, scene, sim.Options{Seed: 1}))
			if err := placeRobot(driver, plan, plan, c.data, c.start, slog.New(slog.DiscardHandler)); err != nil {
				t.Fatal(err)
			}
			got := driver.Truth().Pose
			if got.Point().Sub(c.want.Point()).Norm() > 0.001 || robot.WrapAngle(got.Theta-c.want.Theta) > 0.001 {
				t.Errorf("the robot is at %v, not at %v", got, c.want)
			}
		})
	}
	t.Run("what was kept is in a wall", func(t *testing.T) {
		if err := app.SavePose(data, plan, robot.Pose{X: 6.5, Y: 8.4}); err != nil {
			t.Fatal(err)
		}
		driver := sim.NewDriver(sim.NewWorld(desc, plan, scene, sim.Options{Seed: 1}))
		if err := placeRobot(driver, plan, plan, data, nil, slog.New(slog.DiscardHandler)); err != nil || driver.Truth().Pose != scene.Start {
			t.Errorf("the robot is at %v: %v", driver.Truth().Pose, err)
		}
	})
}

func TestTheMapThatIsKnownIsNotAlwaysThatOfTheBuilding(t *testing.T) {
	dir := copyOffice(t, sceneFile, "rooms.geojson", "places.geojson")
	for _, c := range []struct {
		name           string
		args           []string
		known          string // name of the known map
		same           bool   // the building is the known map
		building, edge int    // via points of the building, and of the map
	}{
		{"the office when nothing is said", nil, "KAIST", true, 11, 11},
		{"the office by its name", []string{"--map", "office"}, "KAIST", true, 11, 11},
		{"no map", []string{"--map", "none"}, "no map", false, 11, 0},
		{"no map in another building", []string{"--map", "none", "--floor", dir}, "no map", false, 11, 0},
		{"the map of one building in another", []string{"--map", "office", "--floor", dir}, "KAIST", false, 11, 11},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := parseOptions(c.args)
			if err != nil {
				t.Fatal(err)
			}
			known, building, scene, err := o.readFloors(o.savedMap(t.TempDir()))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(known.Name, c.known) || (known == building) != c.same || len(building.Graph.Nodes) != c.building || len(known.Graph.Nodes) != c.edge {
				t.Errorf("it knows %q with %d via points; the building is %q with %d", known.Name, len(known.Graph.Nodes), building.Name, len(building.Graph.Nodes))
			}
			if building.Grid.At(scene.Start.Point()) != robot.Free {
				t.Errorf("the simulated robot is at %v, which is not free floor", scene.Start)
			}
		})
	}
	t.Run("a building that is not there is refused", func(t *testing.T) {
		o, err := parseOptions([]string{"--map", "none", "--floor", filepath.Join(t.TempDir(), "gone")})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := o.readFloors(""); err == nil || !strings.HasPrefix(err.Error(), "--floor ") || !strings.Contains(err.Error(), "gone") {
			t.Errorf("the error is %v", err)
		}
	})
}

func TestAMapThatWasBeingReplacedIsInUseAtTheNextStart(t *testing.T) {
	data := t.TempDir()
	mapInUse(t, data)
	lab := filepath.Join(app.MapsDir(data), "Lab") // as a program leaves it that is killed while it saves the next version
	if err := os.Remove(lab); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Join(app.MapsDir(data), ".versions", "Lab", "1"), filepath.Join(app.MapsDir(data), ".Lab.next")} {
		if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(dir, maps.Office()); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "places.geojson"), []byte(`{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"Plant","heading_deg":90},"geometry":{"type":"Point","coordinates":[12,7.3]}}]}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db, err := store.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	if code, _, errs := say(t, "--data", data, "--listen", "127.0.0.1:0"); code != exitFailed || !strings.Contains(errs, "another Mybot is using") {
		t.Errorf("beside another server it ends with %d: %s", code, errs)
	}
	if _, err := os.Stat(lab); err == nil {
		t.Error("it has touched the maps of another server")
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	p := start(t, "--data", data)
	places := get(t, p.address+"/api/v1/places")
	p.signal(t, os.Interrupt)
	for p.log.Scan() { // to its end
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if !strings.Contains(places, "Plant") {
		t.Errorf("it uses another map, with the places %s", places)
	}
}

func TestARobotWhoseMapCannotBeReadStartsWithoutOne(t *testing.T) {
	for name, breaks := range map[string]func(lab string) error{
		"a folder that lacks the picture": func(lab string) error {
			return os.WriteFile(filepath.Join(lab, "places.geojson"), []byte(`{"type":"FeatureCollection","features":[]}`), 0o600)
		},
		"a folder that is not there": os.RemoveAll,
	} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			mapInUse(t, data)
			lab := filepath.Join(app.MapsDir(data), "Lab")
			if err := breaks(lab); err != nil {
				t.Fatal(err)
			}
			p := start(t, "--data", data)
			plan := get(t, p.address+"/map.svg")
			p.signal(t, os.Interrupt)
			var log strings.Builder
			for p.log.Scan() {
				log.WriteString(p.log.Text() + "\n")
			}
			if err := p.cmd.Wait(); err != nil {
				t.Errorf("it ended with %v", err)
			}
			if !strings.Contains(plan, "<title>no map</title>") {
				t.Error("it uses another map")
			}
			for _, want := range []string{"the robot starts without a map", "repair its folder", "--map", lab, "map.yaml: is missing"} {
				if !strings.Contains(log.String(), want) {
					t.Errorf("its log lacks %q:\n%s", want, log.String())
				}
			}
			if code, _, errs := say(t, "--data", data, "--listen", "127.0.0.1:0", "--map", lab); code != exitFailed || !strings.Contains(errs, "map.yaml: is missing") {
				t.Errorf("with --map %s it ends with %d: %s", lab, code, errs)
			}
		})
	}
}

func TestAServiceNamesNoKeyOfATerminal(t *testing.T) {
	for socket, want := range map[string]bool{"": true, "/run/notify": false} {
		if got := strings.Contains(keysText(app.Supervisor{Socket: socket}), "Ctrl-C"); got != want {
			t.Errorf("with the supervisor %q Ctrl-C is named: %v, want %v", socket, got, want)
		}
	}
}
