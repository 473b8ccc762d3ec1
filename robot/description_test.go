package robot_test

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/models"
	"mybot/robot/models/modelstest"
)

func TestMybotIsDescribedAsInTheSeed(t *testing.T) {
	d := modelstest.Mybot(t)
	if d.Name != "Mybot" || d.Body.Length != 0.52 || d.Body.Width != 0.45 || d.Body.Height != 0.75 || d.Body.Mass != 75 {
		t.Errorf("body = %s %+v", d.Name, d.Body)
	}
	if d.Drivetrain != (robot.Drivetrain{WheelBase: 0.42, AxleOffset: 0.08}) {
		t.Errorf("drivetrain = %+v", d.Drivetrain)
	}
	if d.Hardware.Linear != 2.09 || d.Hardware.LinearAcceleration != 0.52 || d.Safe.Linear != 0.5 {
		t.Errorf("limits = %+v, %+v", d.Hardware, d.Safe)
	}
	for got, want := range map[float64]float64{
		d.Hardware.Angular: math.Pi, d.Hardware.AngularAcceleration: math.Pi / 2,
		d.Safe.Angular: math.Pi / 4, d.Safe.AngularAcceleration: math.Pi / 2,
		d.Head.Camera.FieldOfView: 80 * math.Pi / 180,
	} {
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("an angle is %g rad, want %g", got, want)
		}
	}
	if !d.Compass || !d.Bumper || !d.OKSwitch || d.Rate != 50 || d.Holds != 250*time.Millisecond {
		t.Errorf("parts = %v %v %v, rate %g, holds %v", d.Compass, d.Bumper, d.OKSwitch, d.Rate, d.Holds)
	}
	if want := []robot.Part{"sonars", "compass", "bumper", "ok_switch", "head", "speaker", "display", "battery", "encoder"}; !slices.Equal(d.Parts(), want) {
		t.Errorf("parts = %q, want %q", d.Parts(), want)
	}
	if c := d.Head.Camera; c.Width != 640 || c.Height != 480 {
		t.Errorf("camera = %+v", c)
	}
}

func TestTheSonarsStandAllAroundTheHull(t *testing.T) {
	d := modelstest.Mybot(t)
	if len(d.Sonars) != 12 {
		t.Fatalf("%d sonars", len(d.Sonars))
	}
	for i, s := range d.Sonars {
		bearing := robot.WrapAngle(float64(i) * math.Pi / 6)
		if math.Abs(robot.WrapAngle(s.Pose.Theta-bearing)) > 1e-9 {
			t.Errorf("sonar %d faces %g deg", i, robot.Degrees(s.Pose.Theta))
		}
		if at := math.Atan2(s.Pose.Y, s.Pose.X); math.Abs(robot.WrapAngle(at-bearing)) > 0.002 {
			t.Errorf("sonar %d has the bearing %g deg", i, robot.Degrees(at))
		}
		front, side := math.Abs(s.Pose.X)/(d.Body.Length/2), math.Abs(s.Pose.Y)/(d.Body.Width/2)
		if math.Abs(math.Max(front, side)-1) > 1e-3 {
			t.Errorf("sonar %d at (%g, %g) is not on the hull's outline", i, s.Pose.X, s.Pose.Y)
		}
	}
}

func TestTheBatteryLastsFiveHoursOfMixedDuty(t *testing.T) {
	d := modelstest.Mybot(t)
	mixed := d.Battery.Idle + d.Battery.Moving/2 // driving half the time
	if hours := d.Battery.Volts * d.Battery.Capacity / mixed; math.Abs(hours-5) > 0.5 {
		t.Errorf("%g h", hours)
	}
}

func TestWhatIsWrongWithADescriptionIsSaidWithItsPath(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"too large", `"length_m": 0.52`, `"length_m": 9`, "body.length_m is 9; it must be between 0.1 and 3"},
		{"infinite", `"length_m": 0.52`, `"length_m": 1e999`, "body.length_m is 1e999; it must be between 0.1 and 3"},
		{"a list element", `"heading_deg": 60, "beam_deg": 20`, `"heading_deg": 60, "beam_deg": 0`, "sonars[2].beam_deg is 0; it must be between 1 and 90"},
		{"wrong kind", `"mass_kg": 75`, `"mass_kg": "75"`, `body.mass_kg is "75"; it must be a number between 0.1 and 2000`},
		{"not whole", `"ticks_per_turn": 2000`, `"ticks_per_turn": 2000.5`, "encoder.ticks_per_turn is 2000.5; it must be a whole number between 8 and 10000000"},
		{"missing", `"rate_hz": 50,`, ``, "rate_hz is missing; it must be a number between 10 and 1000"},
		{"too few readings", `"rate_hz": 50`, `"rate_hz": 5`, "rate_hz is 5; it must be between 10 and 1000"},
		{"a hold that ends before the next reading", "\"rate_hz\": 50,\n  \"holds_s\": 0.25", `"rate_hz": 10, "holds_s": 0.05`, "holds_s is 0.05; it must be at least 1/rate_hz, 0.1, or the robot brakes between two readings"},
		{"missing part", `"drivetrain": {"wheel_base_m": 0.42, "axle_offset_m": 0.08},`, ``, "drivetrain is missing; it must be an object"},
		{"unknown", `"width_m"`, `"widht_m"`, "body.widht_m is not known; the fields here are length_m, width_m, height_m, mass_kg, hull"},
		{"twice", `"mass_kg": 75`, `"mass_kg": 75, "mass_kg": 80`, "body.mass_kg comes twice; it must come once"},
		{"not true or false", `"compass": true`, `"compass": 1`, "compass is 1; it must be true or false"},
		{"safe beyond hardware", `"safe": {"linear_m_s": 0.5`, `"safe": {"linear_m_s": 3`, "safe.linear_m_s is 3; it must be at most the hardware's, 2.09"},
		{"nearest beyond farthest", `"heading_deg": 30, "beam_deg": 20, "min_m": 0.05, "max_m": 5`, `"heading_deg": 30, "beam_deg": 20, "min_m": 0.9, "max_m": 0.6`, "sonars[1].min_m is 0.9; it must be less than max_m, 0.6"},
		{"a clockwise hull", `"mass_kg": 75`, `"mass_kg": 75, "hull": [{"x_m": -1, "y_m": -1}, {"x_m": 0, "y_m": 1}, {"x_m": 1, "y_m": -1}]`, "body.hull must be at least three corners of a convex outline around (0, 0), counter-clockwise"},
		{"a nameless robot", `"Mybot"`, `" "`, `name is " "; it must be 1 to 40 characters on one line, without a space at the ends`},
		{"a name that steers a terminal", `"Mybot"`, "\"My\u009b2Jbot\"", `name is "My\u009b2Jbot"; it must be 1 to 40 characters on one line`},
		{"a name that reads backwards", `"Mybot"`, `"My\u202etob"`, `name is "My\u202etob"; it must be 1 to 40 characters on one line`},
		{"not JSON", `"name": "Mybot",`, `"name": NaN,`, "line 2, column"},
		{"cut off", "\"holds_s\": 0.25\n}", ``, "it ends too early"},
		{"more behind", "\"holds_s\": 0.25\n}", "\"holds_s\": 0.25\n} {}", "there is something behind the closing brace"},
	} {
		t.Run(c.name, func(t *testing.T) {
			old := string(models.Mybot())
			if !strings.Contains(old, c.old) {
				t.Fatalf("mybot.json has no %s", c.old)
			}
			_, err := robot.ParseDescription([]byte(strings.Replace(old, c.old, c.new, 1)))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestEveryFaultIsReportedAtOnce(t *testing.T) {
	_, err := robot.ParseDescription([]byte(`{"body": {"length_m": 9, "width_m": -1}, "colour": "red"}`))
	if err == nil {
		t.Fatal("taken")
	}
	for _, want := range []string{"body.length_m is 9", "body.width_m is -1", "body.mass_kg is missing", "name is missing", "drivetrain is missing", "colour is not known"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "safe.linear_m_s") {
		t.Errorf("faults below a missing part are reported:\n%v", err)
	}
}

func TestAHullTakesThePlaceOfTheRectangle(t *testing.T) {
	with := strings.Replace(string(models.Mybot()), `"mass_kg": 75`, `"mass_kg": 75, "hull": [{"x_m": -0.2, "y_m": -0.2}, {"x_m": 0.3, "y_m": 0}, {"x_m": -0.2, "y_m": 0.2}]`, 1)
	d, err := robot.ParseDescription([]byte(with))
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Body.Hull) != 3 || d.Body.Hull[1] != (robot.Point{X: 0.3}) {
		t.Errorf("hull = %v", d.Body.Hull)
	}
}

// withLidar is Mybot's description with an additional lidar, with a change.
func withLidar(old, new string) string {
	const lidar = `{"x_m": 0.2, "y_m": 0, "heading_deg": 10, "height_m": 0.3, "from_deg": -135, "step_deg": 0.25, "beams": 1081, "min_m": 0.1, "max_m": 12, "rate_hz": 10, "mask_deg": [[80, 95], [-100, -90]]}`
	return strings.Replace(string(models.Mybot()), `"compass": true`, `"lidars": [`+strings.Replace(lidar, old, new, 1)+`], "compass": true`, 1)
}

func TestALidarIsDescribed(t *testing.T) {
	d, err := robot.ParseDescription([]byte(withLidar("", "")))
	if err != nil {
		t.Fatal(err)
	}
	want := robot.Lidar{
		Pose: robot.Pose{X: 0.2, Theta: robot.Radians(10)}, Height: 0.3,
		From: robot.Radians(-135), Step: robot.Radians(0.25), Beams: 1081, Min: 0.1, Max: 12, Rate: 10,
		Mask: []robot.Sector{{From: robot.Radians(80), To: robot.Radians(95)}, {From: robot.Radians(-100), To: robot.Radians(-90)}},
	}
	if len(d.Lidars) != 1 || !reflect.DeepEqual(d.Lidars[0], want) {
		t.Fatalf("got  %+v\nwant %+v", d.Lidars, want)
	}
	l := d.Lidars[0]
	if got := robot.Degrees(l.Bearing(1080)); math.Abs(got-135) > 1e-9 {
		t.Errorf("the last beam looks to %v deg", got)
	}
	masked := 0
	for beam := range l.Beams {
		if l.IsMasked(beam) {
			masked++
		}
	}
	if masked != 61+41 {
		t.Errorf("%d beams are masked", masked)
	}
}

func TestASectorGoesCounterClockwiseFromItsFirstToItsSecondDirection(t *testing.T) {
	for _, c := range []struct {
		from, to, bearing float64 // degrees
		in                bool
	}{
		{80, 95, 80, true},
		{80, 95, 95, true},
		{80, 95, 96, false},
		{80, 95, 85 - 360, true},
		{80, 95, 440, true},
		{95, 80, 85, false},
		{95, 80, 0, true},
		{170, -170, 180, true},
		{170, -170, -180, true},
		{170, -170, 0, false},
		{-10, 10, 355, true},
	} {
		s := robot.Sector{From: robot.Radians(c.from), To: robot.Radians(c.to)}
		if got := s.Contains(robot.Radians(c.bearing)); got != c.in {
			t.Errorf("[%g, %g] contains %g: %v", c.from, c.to, c.bearing, got)
		}
	}
}

func TestARobotMayHaveLidarsInPlaceOfSonars(t *testing.T) {
	sonars := regexp.MustCompile(`(?s)"sonars": \[.*?\]`)
	only := sonars.ReplaceAllString(withLidar("", ""), `"sonars": []`)
	if d, err := robot.ParseDescription([]byte(only)); err != nil || len(d.Sonars) != 0 || len(d.Lidars) != 1 {
		t.Errorf("got %d sonars, %d lidars, %v", len(d.Sonars), len(d.Lidars), err)
	}
}

func TestWhatIsWrongWithALidarIsSaidWithItsPath(t *testing.T) {
	const pairs = "it must be a list of at most 16 pairs of degrees like [80, 95], each from its first to its second counter-clockwise"
	for _, c := range []struct{ name, old, new, want string }{
		{"too many beams", `"beams": 1081`, `"beams": 4097`, "lidars[0].beams is 4097; it must be a whole number between 1 and 4096"},
		{"too fast", `"rate_hz": 10`, `"rate_hz": 41`, "lidars[0].rate_hz is 41; it must be between 1 and 40"},
		{"more than a turn", `"step_deg": 0.25`, `"step_deg": -0.5`, "lidars[0].step_deg is -0.5, so 1081 beams reach over 540 degrees; they must reach over at most 360"},
		{"all beams the same way", `"step_deg": 0.25`, `"step_deg": 0`, "lidars[0].step_deg is 0; it must be the angle from beam to beam"},
		{"nearest beyond farthest", `"min_m": 0.1, "max_m": 12`, `"min_m": 3, "max_m": 2`, "lidars[0].min_m is 3; it must be less than max_m, 2"},
		{"a range in millimetres", `"max_m": 12`, `"max_m": 12000`, "lidars[0].max_m is 12000; it must be between 0.5 and 300"},
		{"no height", `"height_m": 0.3, `, ``, "lidars[0].height_m is missing; it must be a number between 0 and 3"},
		{"an unknown field", `"beams"`, `"rays"`, "lidars[0].rays is not known"},
		{"a mask that is no list", `[[80, 95], [-100, -90]]`, `"back"`, `lidars[0].mask_deg is "back"; ` + pairs},
		{"a mask without pairs", `[[80, 95], [-100, -90]]`, `[80, 95]`, "lidars[0].mask_deg is [80, 95]; " + pairs},
		{"three numbers", `[80, 95]`, `[80, 90, 95]`, pairs},
		{"too many sectors", `[80, 95]`, strings.Repeat(`[80, 95],`, 16) + `[80, 95]`, pairs},
		{"an empty sector", `[80, 95]`, `[0, 360]`, "lidars[0].mask_deg has [0, 360]; both must be between -360 and 360, and they must be different directions"},
		{"all masked", `[80, 95]`, `[-140, 140]`, "lidars[0].mask_deg masks all beams; it must leave at least one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := robot.ParseDescription([]byte(withLidar(c.old, c.new)))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
	_, err := robot.ParseDescription([]byte(strings.Replace(string(models.Mybot()), `"compass": true`, `"lidars": [{}, {}, {}, {}, {}], "compass": true`, 1)))
	if err == nil || !strings.Contains(err.Error(), "lidars has more than 4 entries; it must have at most that many") {
		t.Errorf("with five lidars: %v", err)
	}
}

func FuzzParseDescription(f *testing.F) {
	f.Add(models.Mybot())
	f.Add([]byte(withLidar("", "")))
	f.Add([]byte(withLidar(`[80, 95]`, `[80, 440], [], 3, [1e999, 2]`)))
	f.Add([]byte(`{"name": 1, "body": [], "sonars": [1, {}], "head": null, "": 0, "x": {"x": {"x": [[[[[[[]]]]]]]}}}`))
	f.Add([]byte(`{"a":1,"a":1} x`))
	f.Add(withArm("", ""))
	f.Add(withArm(`"parent": "base_link"`, `"parent": "wrist"`))
	f.Add(withMounted(`"sonars": [{"link": "roof", ` + sonarOn + `}], "lidars": [{"link": "below", ` + lidarOn + `}, {"link": "gripper", ` + lidarOn + `}], "head": {"link": "mast", ` + headOn + `}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := robot.ParseDescription(data)
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Error("an error without words")
			}
			return
		}
		if !json.Valid(data) {
			t.Fatal("taken, but it is not JSON")
		}
		if len(d.Body.Hull) < 3 || d.Rate < 1 || d.Safe.Linear > d.Hardware.Linear*(1+1e-9) || d.Drivetrain.WheelBase <= 0 {
			t.Errorf("taken, but out of range: %+v", d)
		}
		checkLinks(t, d)
		for _, s := range d.Sonars {
			if !(s.Min < s.Max) || math.IsNaN(s.Pose.Theta) {
				t.Errorf("taken, but out of range: %+v", s)
			}
		}
		if len(d.Lidars) > 4 {
			t.Errorf("taken with %d lidars", len(d.Lidars))
		}
		for _, l := range d.Lidars {
			if !(l.Min < l.Max) || l.Beams < 1 || l.Beams > 4096 || !(l.Rate >= 1 && l.Rate <= 40) || math.Abs(l.Step)*float64(l.Beams-1) > 2*math.Pi+1e-6 || len(l.Mask) > 16 {
				t.Errorf("taken, but out of range: %+v", l)
			}
		}
	})
}

func TestACompassMayBeTurnedAndAGyroscopeTellTheTurning(t *testing.T) {
	with := func(fields string) []byte {
		return bytes.Replace(models.Mybot(), []byte(`"name"`), []byte(fields+`, "name"`), 1)
	}
	d, err := robot.ParseDescription(with(`"compass_offset_deg": 90, "turn_from": "imu"`))
	if err != nil || d.CompassOffset != math.Pi/2 || !d.TurnFromIMU {
		t.Errorf("the compass is off by %v, the turning is that of the gyroscope: %v (%v)", d.CompassOffset, d.TurnFromIMU, err)
	}
	if d, err = robot.ParseDescription(with(`"turn_from": "wheels"`)); err != nil || d.TurnFromIMU {
		t.Errorf("the turning is that of the gyroscope: %v (%v)", d.TurnFromIMU, err)
	}
	if _, err = robot.ParseDescription(with(`"turn_from": "feet"`)); err == nil || !strings.Contains(err.Error(), `turn_from is "feet"; it must be wheels or imu`) {
		t.Errorf("the error is %v", err)
	}
}

func TestNoWheelRollsFartherThanTheMotorsCanDo(t *testing.T) {
	d := robot.Description{Rate: 50, Hardware: robot.Limit{Linear: 1, Angular: 2}, Drivetrain: robot.Drivetrain{WheelBase: 0.5}}
	for dt, want := range map[float64]float64{0: 0.11, 0.02: 0.11, 1: 3.05} {
		if got := d.MaxTravel(dt); math.Abs(got-want) > 1e-12 {
			t.Errorf("in %v s it is %v m, want %v m", dt, got, want)
		}
	}
}

// bare is the smallest valid description.
const bare = `{"name": "Bare", "body": {"length_m": 0.3, "width_m": 0.25, "height_m": 0.2, "mass_kg": 3},
 "drivetrain": {"wheel_base_m": 0.2, "axle_offset_m": 0},
 "hardware": {"linear_m_s": 0.6, "angular_deg_s": 180, "linear_acceleration_m_s2": 1, "angular_acceleration_deg_s2": 360},
 "safe": {"linear_m_s": 0.5, "angular_deg_s": 90, "linear_acceleration_m_s2": 0.5, "angular_acceleration_deg_s2": 180},
 "rate_hz": 50, "holds_s": 0.1}`

func TestWhatADescriptionDoesNotNameIsNotThere(t *testing.T) {
	d, err := robot.ParseDescription([]byte(bare))
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Parts()) != 0 || d.SeesObstacles() || d.TurningRadius != 0 {
		t.Errorf("it has %q", d.Parts())
	}
	for part, text := range map[robot.Part]string{
		robot.PartEncoder: `"encoder": {"wheel_radius_m": 0.03, "ticks_per_turn": 360}`,
		robot.PartBattery: `"battery": {"nominal_v": 12, "capacity_ah": 7, "idle_w": 5, "moving_w": 10, "charger_w": 0}`,
		robot.PartSonars:  `"sonars": [{"x_m": 0.15, "y_m": 0, "heading_deg": 0, "beam_deg": 20, "min_m": 0.05, "max_m": 3}]`,
		robot.PartCompass: `"compass": true`, robot.PartBumper: `"bumper": true`, robot.PartOKSwitch: `"ok_switch": true`,
		robot.PartSpeaker: `"speaker": true`, robot.PartDisplay: `"display": true`,
	} {
		d, err := robot.ParseDescription([]byte(strings.Replace(bare, `"rate_hz"`, text+`, "rate_hz"`, 1)))
		if err != nil || len(d.Parts()) != 1 || d.Parts()[0] != part || d.SeesObstacles() != (part == robot.PartSonars) {
			t.Errorf("with %s it has %q, %v", text, d.Parts(), err)
		}
	}
	d, err = robot.ParseDescription([]byte(strings.Replace(bare, `"rate_hz"`, `"turning_radius_m": 0.8, "rate_hz"`, 1)))
	if err != nil || d.TurningRadius != 0.8 {
		t.Errorf("a car turns with a radius of %g m, %v", d.TurningRadius, err)
	}
}

func TestAPartNeedsNoWheels(t *testing.T) {
	d, err := robot.ParsePart([]byte(`{"name": "Eye", "compass": true, "rate_hz": 10, "sonars": [{"x_m": 0, "y_m": 0, "heading_deg": 0, "beam_deg": 20, "min_m": 0.1, "max_m": 4}]}`))
	if err != nil || d.Name != "Eye" || !d.Compass || len(d.Sonars) != 1 || d.Rate != 0 {
		t.Errorf("it is %+v (%v)", d, err)
	}
	if d, err := robot.ParsePart(models.Mybot()); err != nil || len(d.Sonars) != 12 || d.Hardware != (robot.Limit{}) {
		t.Errorf("a complete robot as a part is %+v (%v)", d, err)
	}
	if _, err := robot.ParsePart([]byte(`{"lidar": []}`)); err == nil || !strings.Contains(err.Error(), "name is missing") || !strings.Contains(err.Error(), "lidar is not known") {
		t.Errorf("the error is %v", err)
	}
}
