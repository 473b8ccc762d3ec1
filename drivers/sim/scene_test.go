package sim

import (
	"strings"
	"testing"
	"testing/fstest"

	"mybot/robot"
)

func readScene(text string) (Scene, error) {
	return ReadScene(fstest.MapFS{"scene.json": {Data: []byte(text)}}, "scene.json")
}

func TestTheOfficesSceneIsRead(t *testing.T) {
	_, s := office(t)
	if s.Start != (robot.Pose{X: 4.5, Y: 7.3}) || len(s.Obstacles) != 2 || len(s.People) < 2 || len(s.Magnets) < 2 {
		t.Errorf("the scene is %+v", s)
	}
	if o := s.Obstacles[0]; o.Point != (robot.Point{X: 11.75, Y: 7.72}) || o.Radius != 0.2 {
		t.Errorf("the first barrel is %+v", o)
	}
	within(t, "the battery's charge", 1-s.Drained, 0.78, 1e-9)
	if s.Wheels != DefaultScene().Wheels || s.Sonar != DefaultScene().Sonar || s.Compass != DefaultScene().Compass {
		t.Error("what the file does not say is not as in DefaultScene")
	}
}

func TestNothingOfTheOfficesSceneStandsInAWall(t *testing.T) {
	plan, scene := office(t)
	g := newSolids(plan, make([]bool, len(plan.Doors)), nil, 0)
	for _, o := range scene.Obstacles {
		if near := g.solidsWithin(o.Point, o.Radius); len(near) > 0 {
			t.Errorf("the obstacle at %+v stands in %+v", o.Point, near)
		}
	}
	for _, p := range scene.People {
		for _, s := range p.Route {
			if near := newSolids(plan, make([]bool, len(plan.Doors)), scene.sceneThings(), scene.Sonar.Height).solidsWithin(s.Point, p.Radius); len(near) > 0 {
				t.Errorf("%s's stop at %+v is in %+v", p.Name, s.Point, near)
			}
		}
	}
	if w := NewWorld(mybot(t), plan, scene, Options{}); w.Truth().Nearest < 0.3 {
		t.Errorf("at its start the robot is %v m from something", w.Truth().Nearest)
	}
}

func TestASceneSaysAllItsErrors(t *testing.T) {
	s, err := readScene(`{
		"start": {"x": 1, "y": 2, "heading_deg": 270}, "charge": 0.5,
		"wheels": {"left_radius_error": 0.01, "right_radius_error": -0.02, "wheel_base_error": 0.03, "slip": 0.04, "acceleration_slip": 0.05},
		"compass": {"noise_deg": 2, "bias_deg": -3, "iron_deg": 4},
		"sonar": {"noise_m": 0.01, "noise_share": 0.02, "dropout": 0.03, "crosstalk": 0.04, "stray": 0.06, "slant_deg": 30, "height_m": 0.5}
	}`)
	if err != nil {
		t.Fatal(err)
	}
	want := Scene{
		Start: robot.Pose{X: 1, Y: 2, Theta: robot.WrapAngle(robot.Radians(270))}, Drained: 0.5,
		Wheels:  WheelErrors{LeftRadius: 0.01, RightRadius: -0.02, WheelBase: 0.03, Slip: 0.04, Grip: 0.05},
		Compass: CompassErrors{Noise: robot.Radians(2), Bias: robot.Radians(-3), Iron: robot.Radians(4)},
		Sonar:   SonarErrors{Noise: 0.01, NoiseShare: 0.02, Dropout: 0.03, Crosstalk: 0.04, Stray: 0.06, Slant: robot.Radians(30), Height: 0.5},
	}
	if s.Start != want.Start || s.Drained != want.Drained || s.Wheels != want.Wheels || s.Compass != want.Compass || s.Sonar != want.Sonar {
		t.Errorf("it is read as %+v", s)
	}
}

func TestEveryFaultOfASceneIsToldWithItsPlace(t *testing.T) {
	_, err := readScene(`{
		"start": {"x": "left", "y": 2, "y": 3},
		"charge": 2,
		"obstacles": [{"x": 1, "y": 1, "radius_m": 0, "height_m": 1, "colour": "red"}, 7],
		"people": [{"name": 5, "speed_m_s": 9}, {"speed_m_s": 1, "route": [{"x": 1}]}],
		"magnets": {"x": 1},
		"sonar": {"dropout": null},
		"weather": "fine"
	}`)
	if err == nil {
		t.Fatal("it is taken")
	}
	for _, want := range []string{
		`scene.json is not right`,
		`start.x is "left"; it must be a number between`,
		`start.y comes twice`,
		`start.heading_deg is missing`,
		`charge is 2; it must be a number between 0 and 1`,
		`obstacles[0].radius_m is 0; it must be a number between 0.01 and 10`,
		`obstacles[0].colour is not known; the fields here are dark, height_m, name, radius_m, x, y`,
		`obstacles[1] is 7; it must be an object`,
		`people[0].name is 5; it must be text`,
		`people[0].speed_m_s is 9; it must be a number between 0.05 and 3`,
		`people[0].route must be a list of at least one stop`,
		`people[1].route[0].y is missing`,
		`magnets is {"x": 1}; it must be a list`,
		`sonar.dropout is null; it must be a number`,
		`weather is not known`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q:\n%v", want, err)
		}
	}
	if n := strings.Count(err.Error(), "\n"); n != 14 {
		t.Errorf("the error has %d lines of faults; there are 14:\n%v", n, err)
	}
}

func TestASceneThatIsNoJSONIsToldWithLineAndColumn(t *testing.T) {
	for text, want := range map[string]string{
		"{\n  \"start\": }":                  "line 2, column 12",
		"":                                   "unexpected end",
		"[]":                                 "the file is []; it must be an object",
		"{}":                                 "start is missing",
		"{} {}":                              "line 1, column 4",
		"{\"a\xff\": 1}":                     "not UTF-8",
		strings.Repeat(" ", maxScene) + "{}": "it must be at most",
	} {
		if _, err := readScene(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v; it must say %q", text, err, want)
		}
	}
	if _, err := ReadScene(fstest.MapFS{}, "scene.json"); err == nil || !strings.Contains(err.Error(), "scene.json") {
		t.Errorf("a file that is not there: %v", err)
	}
}

func FuzzReadScene(f *testing.F) {
	f.Add([]byte(`{"start": {"x": 1, "y": 2, "heading_deg": 3}, "people": [{"speed_m_s": 1, "route": [{"x": 1, "y": 2, "pause_s": 3}]}]}`))
	f.Add([]byte(`{"start": {"x": 1, "y": 2, "heading_deg": 3}, "obstacles": [{"x": 1, "y": 2, "radius_m": 1, "height_m": 1, "dark": true}], "lidar": {"noise_m": 0.02, "lost": 0, "mixed": 1, "glass_slant_deg": 90}}`))
	f.Add([]byte(`{"start": [], "obstacles": [{}], "magnets": [null], "wheels": 1, "compass": {}, "sonar": {"x": {}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parseScene(data)
		if err != nil {
			return
		}
		if !(s.Drained >= 0 && s.Drained <= 1) {
			t.Fatalf("the battery is drained by %v", s.Drained)
		}
		for _, p := range s.People {
			if len(p.Route) == 0 || !(p.Speed > 0 && p.Radius > 0) {
				t.Fatalf("a person is %+v", p)
			}
		}
	})
}
