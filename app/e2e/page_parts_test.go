package e2e_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/robot/models"
)

// describeWith returns Mybot's description with some keys removed and others added.
func describeWith(t *testing.T, with map[string]any, without ...string) robot.Description {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal(models.Mybot(), &all); err != nil {
		t.Fatal(err)
	}
	for _, key := range without {
		delete(all, key)
	}
	for key, value := range with {
		all[key] = value
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	desc, err := robot.ParseDescription(text)
	if err != nil {
		t.Fatal(err)
	}
	return desc
}

var (
	allParts  = []string{"encoder", "sonars", "compass", "bumper", "ok_switch", "head", "speaker", "display", "battery"}
	sonarsOf3 = []map[string]any{
		{"x_m": 0.3, "y_m": 0, "heading_deg": 0, "beam_deg": 25, "min_m": 0.05, "max_m": 4},
		{"x_m": 0.15, "y_m": 0.1, "heading_deg": 40, "beam_deg": 25, "min_m": 0.05, "max_m": 4},
		{"x_m": 0.15, "y_m": -0.1, "heading_deg": -40, "beam_deg": 25, "min_m": 0.05, "max_m": 4},
	}
	lidarAlone = []map[string]any{{"x_m": 0.1, "y_m": 0, "height_m": 0.25, "heading_deg": 0, "from_deg": -180, "step_deg": 1, "beams": 360, "min_m": 0.1, "max_m": 12, "rate_hz": 10}}
	// A wedge with a broad tail, 0.5 m long and 0.3 m wide.
	wedge = map[string]any{"length_m": 0.5, "width_m": 0.3, "height_m": 0.3, "mass_kg": 6, "hull": []map[string]any{
		{"x_m": -0.2, "y_m": -0.15}, {"x_m": 0.1, "y_m": -0.15}, {"x_m": 0.3, "y_m": 0}, {"x_m": 0.1, "y_m": 0.15}, {"x_m": -0.2, "y_m": 0.15},
	}}
)

// shownParts maps each element that needs a part to whether it is shown.
const shownParts = `JSON.stringify(Object.fromEntries(Object.entries({
	goal: '[data-map=goal]', dock: '#dock', legendSonar: '.legend .sonar', legendLidar: '.legend .lidar', compass: '[data-source=compass]', sonar: '[data-source=sonar]',
	ring: '.ring', battery: '#battery',
}).map(([name, q]) => [name, document.querySelector(q).checkVisibility()])))`

// bodyDrawn tests whether the robot is in the middle of its views from above and from the side.
const bodyDrawn = `[...document.querySelectorAll('.joint-views canvas')].filter((c) => {
	const middle = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
	if (c.width > 0) middle.drawImage(c, c.width / 2, c.height / 2, 1, 1, 0, 0, 1, 1);
	return middle.getImageData(0, 0, 1, 1).data[3] > 0;
}).length === 2`

// Four robots, from one with all parts to one with only wheels: the page hides what they lack,
// and shows the reason in its place.
func TestThePageShowsWhatTheRobotHas(t *testing.T) {
	t.Parallel()
	axe, browser := readAxe(t), chromium(t)
	everything := map[string]bool{"goal": true, "dock": true, "legendSonar": true, "legendLidar": true, "compass": true, "sonar": true, "ring": true, "battery": true}
	without := func(names ...string) map[string]bool {
		out := map[string]bool{}
		for name := range everything {
			out[name] = true
		}
		for _, name := range names {
			out[name] = false
		}
		return out
	}
	for _, c := range []struct {
		name  string
		desc  robot.Description
		shown map[string]bool
		lacks int    // lines of the list of missing parts
		goto_ string // what the Go to tab shows instead of goals
	}{
		{"parts-full", describeWith(t, nil), without("legendLidar"), 1, ""}, // the camera
		{"parts-three-sonars", describeWith(t, map[string]any{"sonars": sonarsOf3, "body": wedge}, "compass", "bumper", "ok_switch", "head", "speaker", "display", "battery"), without("compass", "battery", "legendLidar"), 8, ""},
		{"parts-lidar", describeWith(t, map[string]any{"lidars": lidarAlone, "body": wedge}, "sonars", "compass", "head", "bumper"), without("compass", "legendSonar"), 4, ""},
		{"parts-wheels", describeWith(t, map[string]any{"body": wedge}, allParts...), without("goal", "dock", "legendSonar", "legendLidar", "compass", "sonar", "ring", "battery"), 11, "This robot sees no obstacles: it is driven by hand only."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := openRobot(t, c.desc, "127.0.0.1:0", func(s *sim.Scene) { s.People = nil }, func(*app.Config) {})
			v := visit(t, browser, h.addr)
			v.inFront()
			var shown map[string]bool
			if err := json.Unmarshal([]byte(value[string](v, shownParts)), &shown); err != nil {
				t.Fatal(err)
			}
			for name, want := range c.shown {
				if shown[name] != want {
					t.Errorf("%s is shown: %v, want %v", name, shown[name], want)
				}
			}
			if limit := value[string](v, `(([output, input]) => input.max + ' ' + output.textContent)(document.querySelectorAll('output[for=speed-limit], #speed-limit'))`); !c.desc.SeesObstacles() && limit != "0.2 0.20 m/s" {
				t.Errorf("the speed limit ends at, and is, %s", limit)
			}
			most := map[bool]string{true: "0.50", false: "0.20"}[c.desc.SeesObstacles()]
			v.until("the most that it drives", fmt.Sprintf(`document.querySelector('[data-hud=speedLimit]').textContent.includes(%q)`, most))
			v.run(`document.querySelector('#parts summary').click()`)
			v.until("the list of parts", fmt.Sprintf(`document.querySelectorAll('#parts li[data-state=lacking] small').length === %d && [...document.querySelectorAll('#parts li[data-state=lacking] small')].every((e) => e.textContent.endsWith('.'))`, c.lacks))
			v.until("the drawings of a robot without links", bodyDrawn)
			v.run(`document.querySelector('#body').scrollTop = 1e6`)
			v.inEveryWindow(c.name, axe, (*visitor).stopInReach)
			v.stroke(key{"Digit2", "2", '2', ""})
			v.until("the Go to tab with its reason", fmt.Sprintf(`!document.querySelector('#goto').hidden && (document.querySelector('#goto-why').checkVisibility() ? document.querySelector('#goto-why').textContent : '') === %q`, c.goto_))
			v.inEveryWindow(c.name+"-goto", axe, (*visitor).stopInReach)
			v.stroke(key{"Digit1", "1", '1', ""})
			h.driveUntil(v, byW, "the robot to drive", func(s sim.Truth) bool { return s.Twist.Linear > 0.1 })
			v.letGo(keyW)
			h.awaitStill()
			v.check()
		})
	}
}
