package onboard

import (
	"fmt"
	"math"
	"strconv"

	"mybot/robot"
	"mybot/script"
)

// The devices by which scripts move the wheels and the head.
const (
	driveAxis = "drive"
	turnAxis  = "turn"
	leftAxis  = "wheelL"
	rightAxis = "wheelR"
	panAxis   = "headPan"
	tiltAxis  = "headTilt"

	panPath  = panAxis + ".val"
	tiltPath = tiltAxis + ".val"
	okPath   = "ok.val"
)

// A side is a direction in which scripts see: the part of the circle within 45 deg of it.
type side struct {
	name  string
	angle float64 // rad in base_link
}

var sides = []side{{"front", 0}, {"left", math.Pi / 2}, {"right", -math.Pi / 2}, {"back", math.Pi}}

// covers reports whether a direction belongs to the side.
func (s side) covers(angle float64) bool {
	return math.Abs(robot.WrapAngle(angle-s.angle)) <= math.Pi/4+1e-9
}

// isSeen reports whether a sensor of the robot looks to the side.
func (s side) isSeen(d robot.Description) bool {
	for _, sonar := range d.Sonars {
		if s.covers(sonar.Pose.Theta) {
			return true
		}
	}
	return len(d.Lidars) > 0
}

// ScriptConfig returns the devices and functions that scripts of a robot have. What the
// robot lacks is not among them. Units are those of people: degrees, metres, ms.
func ScriptConfig(d robot.Description) script.Config {
	return script.Config{Devices: append(movingDevices(d), sensorDevices(d)...), Functions: scriptFunctions(d), Library: scriptLibrary(d)}
}

// movingDevices returns what scripts set.
func movingDevices(d robot.Description) []script.Device {
	all := []script.Device{
		{Name: driveAxis, Unit: "m", Tolerance: 0.02},
		{Name: turnAxis, Unit: "deg", Tolerance: 2},
	}
	if d.Encoder.WheelRadius > 0 {
		all = append(all, script.Device{Name: leftAxis, Unit: "deg", Tolerance: 5}, script.Device{Name: rightAxis, Unit: "deg", Tolerance: 5})
	}
	for i := range all {
		all[i].Moves, all[i].Odometric, all[i].Kind = true, true, "motion"
	}
	if h := d.Head; h != nil {
		all = append(all,
			script.Device{Name: panAxis, Unit: "deg", Min: robot.Degrees(h.PanMin), Max: robot.Degrees(h.PanMax), Moves: true, Tolerance: 2, Kind: "joint"},
			script.Device{Name: tiltAxis, Unit: "deg", Min: robot.Degrees(h.TiltMin), Max: robot.Degrees(h.TiltMax), Moves: true, Tolerance: 2, Kind: "joint"})
	}
	if d.Head != nil {
		all = append(all,
			script.Device{Name: "camera", Field: "quality", Min: 1, Max: 100, Kind: "camera", FollowsAtOnce: true, Initial: script.Number(defaultQuality)},
			script.Device{Name: "camera", Field: "load", Max: 1, Kind: "camera", FollowsAtOnce: true, Initial: script.Number(1)})
	}
	return append(all,
		script.Device{Name: "speaker", Kind: "speaker", FollowsAtOnce: true, NoBinary: "speaker.val is set to a text, which the robot speaks, or to a sound, as in speaker.val = BIN 2048 wav;", Takes: "wav", Initial: script.Text("")},
		script.Device{Name: "display", Kind: "display", FollowsAtOnce: true, NoBinary: "This robot shows no pictures. Set display.val to a text.", Initial: script.Text("")})
}

// sensorDevices returns what scripts read.
func sensorDevices(d robot.Description) []script.Device {
	var all []script.Device
	add := func(name, field, unit string, initial script.Value) {
		all = append(all, script.Device{Name: name, Field: field, Unit: unit, Kind: "sensor", ReadOnly: true, Initial: initial})
	}
	none, zero, nothing := script.Number(math.Inf(1)), script.Number(0), script.Text("")
	for i := range d.Sonars {
		add("sonar"+strconv.Itoa(i), "", "m", none)
	}
	for _, s := range sides {
		if s.isSeen(d) {
			add(s.name, "", "m", none)
		}
	}
	if d.SeesObstacles() {
		add("near", "", "m", none)
	}
	for _, f := range []string{"x", "y", "error"} {
		add("pose", f, "m", zero)
	}
	add("pose", "heading", "deg", zero)
	add("pose", "trust", "", script.Text(robot.TrustLost.String()))
	if d.Compass {
		add("compass", "", "deg", zero)
	}
	add("speed", "linear", "m/s", zero)
	add("speed", "angular", "deg/s", zero)
	if d.Battery != (robot.BatteryPack{}) {
		add("battery", "", "%", script.Number(100))
		add("battery", "volts", "V", script.Number(d.Battery.Volts))
		add("battery", "charging", "", zero)
		add("battery", "left", "min", none)
	}
	add("ok", "", "", zero)
	if d.Bumper {
		add("bump", "", "", zero)
	}
	for _, f := range []string{"phase", "name", "result"} {
		add("goal", f, "", nothing)
	}
	add("goal", "left", "m", zero)
	add("goal", "blocked", "", zero)
	add("job", "phase", "", nothing)
	add("job", "name", "", nothing)
	add("job", "step", "", zero)
	add("stop", "", "", zero)
	add("stop", "by", "", nothing)
	add("control", "", "", nothing)
	add("people", "", "", zero)
	if d.Head != nil {
		add("camera", "width", "", script.Number(float64(d.Head.Camera.Width)))
		add("camera", "height", "", script.Number(float64(d.Head.Camera.Height)))
	}
	for _, f := range []string{"hour", "minute", "second", "weekday"} {
		add("clock", f, "", zero)
	}
	return all
}

// scriptFunctions returns the functions that the robot or its host executes.
func scriptFunctions(d robot.Description) []script.Function {
	all := []script.Function{
		{Name: "say", Min: 1, Max: 2, Lasts: true},
		{Name: "show", Min: 1, Max: 2, Lasts: true},
		{Name: "ask", Min: 1, Max: 2, Lasts: true},
		{Name: "alert", Min: 1, Max: 1},
		{Name: "load", Min: 1, Max: 1},
		{Name: "motoron", Lasts: true},
		{Name: "motoroff", Lasts: true},
		{Name: "killall", Min: 1, Max: 1},
	}
	if RefuseGoals(d).Word == "" {
		all = append(all,
			script.Function{Name: "goto", Min: 1, Max: 3, Moves: true, Lasts: true},
			script.Function{Name: "dock", Moves: true, Lasts: true},
			script.Function{Name: "job", Min: 1, Max: 1, Moves: true, Lasts: true})
	}
	if d.Head != nil {
		all = append(all, script.Function{Name: cameraPath})
	}
	if d.Microphone {
		all = append(all, script.Function{Name: "micro.val", Min: 1, Max: 1, Lasts: true})
	}
	return all
}

// scriptLibrary returns the functions that are written in the language. They move along
// half a cosine, within the robot's safe speeds and half of its accelerations.
func scriptLibrary(d robot.Description) string {
	text := fmt.Sprintf("def forward(way) { drive.val = drive.val + way smooth: %s };", smoothTime("way", 0.6*d.Safe.Linear, d.Safe.LinearAcceleration/2))
	if d.TurningRadius == 0 {
		text += fmt.Sprintf("def turn(angle) { turn.val = turn.val + angle smooth: %s };", smoothTime("angle", robot.Degrees(0.6*d.Safe.Angular), robot.Degrees(d.Safe.AngularAcceleration/2)))
	}
	if d.Head != nil {
		text += "def look(pan, tilt) { headPan.val = pan & headTilt.val = tilt };"
	}
	return text
}

// smoothTime returns the expression of the time, in ms, for a way along half a cosine whose
// highest speed is pi/2 way/time and whose acceleration is pi^2/2 way/time^2.
func smoothTime(way string, speed, acceleration float64) string {
	return fmt.Sprintf("1 + max(%.0f*abs(%s), %.0f*sqrt(abs(%s)))", 1000*math.Pi/2/speed, way, 1000*math.Pi/math.Sqrt(2*acceleration), way)
}
