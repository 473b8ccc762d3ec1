package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mybot/robot"
)

const roverURDF = "../../robot/urdf/testdata/rover.urdf"

// roverFlags give what the rover's URDF lacks.
var roverFlags = []string{"--wheels", "left_wheel_joint,right_wheel_joint", "--max-speed", "0.8", "--max-turn", "120", "--max-acceleration", "1", "--max-turn-acceleration", "200", "--rate", "50", "--hold", "0.1", "--joint-speed", "camera_tilt=60"}

// importRover returns the file of the rover's description, and the notes of the import.
func importRover(t *testing.T, more ...string) (file, notes string) {
	t.Helper()
	code, out, errs := say(t, append(append([]string{"robot", "import", roverURDF}, roverFlags...), more...)...)
	if code != exitDone {
		t.Fatalf("%d %s", code, errs)
	}
	file = filepath.Join(t.TempDir(), "rover.json")
	if err := os.WriteFile(file, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, errs
}

func TestARobotComesFromAURDFAndBecomesOneAgain(t *testing.T) {
	file, notes := importRover(t, "--box", "camera=0.1,0.1,0.05", "--name", "Rover 2")
	for _, want := range []string{"base.stl is skipped; it has the shape of its collision\n", "skipped: robot/transmission, 2 times, first in line 51\n", `"caster_joint" is floating; it is taken as fixed`} {
		if !strings.Contains(notes, want) {
			t.Errorf("it does not say %q:\n%s", want, notes)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d, err := robot.ParseDescription(text)
	if err != nil || d.Name != "Rover 2" || len(d.Links) != 7 || len(d.Joints) != 2 || d.Links[6].Shapes[0].Height != 0.05 {
		t.Errorf("it is %+v, %v", d, err)
	}
	code, out, errs := say(t, "robot", "export", file)
	if code != exitDone || errs != "" || !strings.Contains(out, `<robot name="Rover 2">`) || !strings.Contains(out, `<joint name="lift_joint" type="prismatic">`) {
		t.Errorf("%d %s %s", code, out, errs)
	}
	if code, out, _ = say(t, "robot", "export", "mybot"); code != exitDone || !strings.Contains(out, `<box size="0.52 0.45 0.75"/>`) {
		t.Errorf("%d %s", code, out)
	}
}

func TestWhatIsMissingForAnImportIsSaid(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"import", roverURDF}, exitFailed, "add --wheel-base M (or --wheels LEFT,RIGHT), --max-speed M_S, --max-turn DEG_S, --max-acceleration M_S2, --max-turn-acceleration DEG_S2, --rate HZ, --hold S, --joint-speed left_wheel_joint=DEG_S (or --fix left_wheel_joint)"},
		{[]string{"import", "no-such-file"}, exitFailed, "no-such-file"},
		{[]string{"import"}, exitUsage, "mybot robot import FILE.urdf > robot.json"},
		{[]string{"import", roverURDF, "--rate", "-1"}, exitUsage, "it must be a number above 0"},
		{[]string{"import", roverURDF, "--mass", "Inf"}, exitUsage, "it must be a number above 0"},
		{[]string{"import", roverURDF, "--box", "arm=1,2"}, exitUsage, "such as arm=0.4,0.1,0.1"},
		{[]string{"import", roverURDF, "--joint-speed", "elbow"}, exitUsage, "such as elbow=60"},
		{[]string{"import", roverURDF, "--axle-offset", "NaN"}, exitUsage, "it must be a number between -1 and 1"},
		{[]string{"import", "robot_test.go"}, exitFailed, "robot_test.go: urdf: it"},
		{append([]string{"import", roverURDF, "--rate", "5000"}, roverFlags[:10]...), exitFailed, "add --hold S, --joint-speed"},
		{[]string{"export"}, exitUsage, "mybot robot export ROBOT > robot.urdf"},
		{[]string{"export", roverURDF}, exitFailed, "the description cannot be read"},
		{nil, exitUsage, "robot takes import or export"},
	} {
		if code, out, errs := say(t, append([]string{"robot"}, c.args...)...); code != c.code || !strings.Contains(errs, c.says) || out != "" {
			t.Errorf("%v: %d %s %s", c.args, code, out, errs)
		}
	}
}

func TestAnImportedRobotIsDrivenInTheSimulator(t *testing.T) {
	file, _ := importRover(t)
	h := newHome(t)
	h.serve("--listen", "127.0.0.1:0", "--robot", file, "--start", "4.5,7.3,0")
	pose := func() [3]float64 {
		t.Helper()
		var status struct {
			Pose [3]float64
		}
		if err := json.Unmarshal([]byte(h.ok("", "status", "--json", "--data", h.data)), &status); err != nil {
			t.Fatal(err)
		}
		return status.Pose
	}
	before := pose()
	commands := h.file("ahead.json", `[{"id":1,"v":0.15,"w":0,"for":2}]`)
	if said := h.ok("", "queue", "run", commands, "--data", h.data); said != "Command 1: SUCCESS.\n" {
		t.Fatalf("it says %q", said)
	}
	after := pose()
	if ahead := math.Hypot(after[0]-before[0], after[1]-before[1]); ahead < 0.2 || ahead > 0.4 {
		t.Errorf("it drove %.3f m, from %v to %v", ahead, before, after)
	}
}
