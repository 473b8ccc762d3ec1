package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mybot/robot"
	"mybot/robot/models"
)

// A loggedDrive is a drive around a pillar in a room, as a log.
type loggedDrive struct {
	text  string
	truth []robot.Pose // of the scans
}

// driveRoom logs a robot that drives twice around a pillar in a room of 8 x 6 m, with
// wheels that measure 2 % too much.
func driveRoom(beams int) loggedDrive {
	var d loggedDrive
	var log strings.Builder
	odom := robot.Pose{}
	walls := [][4]float64{
		{-4, -3, 4, -3},
		{4, -3, 4, 3},
		{4, 3, -4, 3},
		{-4, 3, -4, -3},
		{-0.5, -0.4, 0.5, -0.4},
		{0.5, -0.4, 0.5, 0.6},
		{0.5, 0.6, -0.5, 0.6},
		{-0.5, 0.6, -0.5, -0.4},
		{2.2, 3, 2.2, 2.5},
		{2.2, 2.5, 3.1, 2.5},
		{3.1, 2.5, 3.1, 3},
		{-4, -1, -3.5, -1},
		{-3.5, -1, -3.5, -1.8},
		{-3.5, -1.8, -4, -1.8},
	}
	for i := range 500 {
		a := 4 * math.Pi * float64(i) / 500
		at := robot.Pose{X: 2 * math.Cos(a), Y: 1.6 * math.Sin(a), Theta: robot.WrapAngle(math.Atan2(1.6*math.Cos(a), -2*math.Sin(a)))}
		if i > 0 {
			step := d.truth[i-1].Inverse().Compose(at)
			odom = odom.Compose(robot.Pose{X: 1.02 * step.X, Y: 1.02 * step.Y, Theta: 1.01 * step.Theta})
		}
		d.truth = append(d.truth, at)
		fmt.Fprintf(&log, "FLASER %d", beams)
		for k := range beams {
			sin, cos := math.Sincos(at.Theta - math.Pi/2 + math.Pi*float64(k)/float64(beams-1))
			nearest := 80.0
			for _, w := range walls {
				ax, ay := w[2]-w[0], w[3]-w[1]
				det := ax*sin - ay*cos
				if math.Abs(det) < 1e-12 {
					continue
				}
				far := (ax*(w[1]-at.Y) - ay*(w[0]-at.X)) / det
				share := (cos*(w[1]-at.Y) - sin*(w[0]-at.X)) / det
				if far > 0 && share >= 0 && share <= 1 {
					nearest = min(nearest, far)
				}
			}
			fmt.Fprintf(&log, " %.3f", nearest)
		}
		t := 1000 + 0.1*float64(i)
		fmt.Fprintf(&log, " %.6f %.6f %.6f %.6f %.6f %.6f %.2f robot %.2f\n", odom.X, odom.Y, odom.Theta, odom.X, odom.Y, odom.Theta, t, t)
	}
	d.text = log.String()
	return d
}

// saveLog saves a log in a new folder.
func saveLog(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "drive.log")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestAMapIsBuiltFromALog(t *testing.T) {
	drive := driveRoom(181)
	log := saveLog(t, drive.text)
	out, file := filepath.Join(t.TempDir(), "new", "map"), filepath.Join(t.TempDir(), "poses")
	code, text, errs := say(t, "map", "build", log, "--out", out, "--json", "--poses", file)
	if code != exitDone || errs != "" {
		t.Fatalf("%d %s", code, errs)
	}
	var r buildReport
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	if r.Scans != 500 || r.KeyFrames < 80 || r.KeyFrames > 400 || r.Loops < 1 || math.Abs(r.Way-23) > 1.5 || r.Resolution != 0.05 || len(r.Notes) != 0 {
		t.Errorf("%+v", r)
	}
	if r.Mean <= 0 || r.P99 < r.Mean || r.Slice <= 0 || r.Memory <= 0 {
		t.Errorf("nothing was measured: %+v", r)
	}
	if code, text, errs := say(t, "map", "check", out); code != exitDone {
		t.Errorf("the map is not valid: %s %s", text, errs)
	}
	var s mapSummary
	if _, text, _ := say(t, "map", "info", out, "--json"); json.Unmarshal([]byte(text), &s) != nil || math.Abs(s.Width-6) > 0.8 || math.Abs(s.Height-8) > 0.8 || s.Free < 42 || s.Free > 48 || s.Reachable < 0.95 || s.Lines < 8 || s.Places != 1 || s.Via < 4 || s.Usable != s.Edges || s.Rooms != 1 {
		t.Errorf("%+v", s)
	}
	checkPoses(t, file, drive.truth)
	if code, _, errs := say(t, "map", "build", log, "--out", out); code != exitDone {
		t.Errorf("the same folder is not written again: %s", errs)
	}
	graph := filepath.Join(out, "graph.geojson")
	data, err := os.ReadFile(graph)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(graph, append(data, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := say(t, "map", "build", log, "--out", out); code != exitFailed || !strings.Contains(errs, "graph.geojson, which belongs to another map or was changed") {
		t.Errorf("an edited graph was overwritten: %d %s", code, errs)
	}
}

// A countdown is a context that ends when it has been asked a number of times whether it has.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestAMapThatIsInterruptedIsNotWrittenAndTheExitCodeSaysSo(t *testing.T) {
	drive, _ := recordRobot(t, models.LidarName, 20, "nominal")
	sonars, _ := recordRobot(t, models.MybotName, 20, "nominal")
	for _, c := range []struct {
		name, what, file string
		asks             int
	}{
		{"of a log", "build", saveLog(t, driveRoom(91).text), 1000},
		{"of a recording", "build", saveRecording(t, drive), 200},
		{"of sonars", "sketch", saveRecording(t, sonars), 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := 0
			for ; ; n = n*5/4 + 1 {
				out := filepath.Join(t.TempDir(), "map")
				var text, errs bytes.Buffer
				ctx := &countdown{t.Context(), n}
				code := run(ctx, []string{"map", c.what, c.file, "--out", out}, &text, &errs, nothing)
				if ctx.left >= 0 && code == exitDone {
					break // the map was complete before
				}
				if code != exitInterrupted || errs.String() != "mybot: interrupted before the work was done\n" {
					t.Fatalf("interrupted after %d: %d %s", n, code, errs.String())
				}
				if ctx.left < -5 {
					t.Errorf("interrupted after %d, it worked on, and asked %d times more", n, -ctx.left)
				}
				if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) || text.Len() > 0 {
					t.Errorf("interrupted after %d, it wrote %s (%v): %s", n, out, err, text.String())
				}
			}
			if n < c.asks {
				t.Errorf("it asks %d times at most whether it is interrupted, want %d", n, c.asks)
			}
		})
	}
}

func TestMapBuildReplacesNoFileOfAnotherMap(t *testing.T) {
	log := saveLog(t, driveRoom(91).text)
	for _, name := range []string{"map.yaml", "map.pgm", "lines.geojson", "graph.geojson", "rooms.geojson", "places.geojson", "mapping/journal", "mapping/edits.json"} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			file := filepath.Join(out, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte("of another map"), 0o600); err != nil {
				t.Fatal(err)
			}
			if code, _, errs := say(t, "map", "build", log, "--out", out); code != exitFailed || !strings.Contains(errs, name+", which belongs to another map or was changed; --out must be an empty or new folder") {
				t.Errorf("it ends with %d: %s", code, errs)
			}
			if data, err := os.ReadFile(file); err != nil || string(data) != "of another map" {
				t.Errorf("the file is %q, %v", data, err)
			}
		})
	}
}

// checkPoses compares a file of poses with the truth, which has another frame.
func checkPoses(t *testing.T, file string, truth []robot.Pose) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) != len(truth) {
		t.Fatalf("%d poses of %d scans", len(lines), len(truth))
	}
	for i, line := range lines {
		words := strings.Fields(line)
		var v [4]float64
		for k := range v {
			if v[k], err = strconv.ParseFloat(words[k], 64); err != nil || len(words) != 4 {
				t.Fatalf("line %d: %q", i+1, line)
			}
		}
		if math.Abs(v[0]-(1000+0.1*float64(i))) > 0.006 {
			t.Fatalf("line %d has the time %g", i+1, v[0])
		}
		off := truth[0].Inverse().Compose(truth[i]).Inverse().Compose(robot.Pose{X: v[1], Y: v[2], Theta: v[3]})
		if off.Point().Norm() > 0.05 || math.Abs(off.Theta) > 0.02 {
			t.Fatalf("scan %d is %.3f m and %.2f deg off", i, off.Point().Norm(), robot.Degrees(off.Theta))
		}
	}
}

func TestWhatWasOddAboutALogIsSaid(t *testing.T) {
	drive := driveRoom(61)
	log := saveLog(t, drive.text[:len(drive.text)*2/3])
	out := t.TempDir()
	code, text, errs := say(t, "map", "build", log, "--out", out)
	if code != exitDone || !strings.Contains(text, "Note: the log ends in the middle of line 33") || !strings.Contains(text, "The map is in "+out+".\n") {
		t.Errorf("%d %s%s", code, text, errs)
	}
}

func TestAJumpOfTheOdometryInALogIsSaid(t *testing.T) {
	drive := driveRoom(181)
	for _, c := range []struct {
		name  string
		by    float64 // m
		jumps []int   // lines before which the odometry jumps
		want  string
	}{
		{"farther than any robot drives", 90000, []int{250}, "Note: the odometry jumps by 90000 m before the scan at 1025.00 s; there, the scan was placed without it.\n"},
		{"farther than a robot drives in the time", 3, []int{250}, "Note: the odometry jumps by 3 m before the scan at 1025.00 s; there, the scan was placed without it.\n"},
		{"there and back", 90000, []int{250, 300}, "Note: the odometry jumps 2 times, first by 90000 m before the scan at 1025.00 s; there, the scan was placed without it.\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log strings.Builder
			far, n := 0.0, 0
			for line := range strings.Lines(drive.text) {
				if slices.Contains(c.jumps, n) {
					far = c.by - far
				}
				words := strings.Fields(line)
				for _, i := range []int{2 + 181, 2 + 184} {
					x, err := strconv.ParseFloat(words[i], 64)
					if err != nil {
						t.Fatal(err)
					}
					words[i] = fmt.Sprintf("%.6f", x+far)
				}
				log.WriteString(strings.Join(words, " ") + "\n")
				n++
			}
			out, file := t.TempDir(), filepath.Join(t.TempDir(), "poses")
			code, text, errs := say(t, "map", "build", saveLog(t, log.String()), "--out", out, "--poses", file)
			var scans, keyFrames int
			_, err := fmt.Sscanf(strings.Replace(text, c.want, "", 1), "The map is in "+out+".\n  scans %d, of which %d", &scans, &keyFrames)
			if code != exitDone || !strings.Contains(text, c.want) || err != nil {
				t.Errorf("%d %s%s", code, text, errs)
			}
			checkPoses(t, file, drive.truth)
			checkExtendable(t, out, keyFrames)
		})
	}
}

func TestAPauseOfALogInWhichTheOdometryMovesIsSaid(t *testing.T) {
	for by, want := range map[float64]string{
		0:  "The map is in ",
		20: "Note: there is no scan for 30 s before the one at 1055.00 s, and there the odometry has moved by 20.0 m and 2 degrees; if the robot has not, this map is wrong, and each part of the log needs a map of its own.\nThe map is in ",
	} {
		var log strings.Builder
		n := 0
		for line := range strings.Lines(driveRoom(181).text) {
			if words := strings.Fields(line); n >= 250 {
				for _, i := range []int{2 + 181, 2 + 184} {
					x, err := strconv.ParseFloat(words[i], 64)
					if err != nil {
						t.Fatal(err)
					}
					words[i] = fmt.Sprintf("%.6f", x+by)
				}
				at := fmt.Sprintf("%.2f", 1000+0.1*float64(n)+30)
				words[len(words)-3], words[len(words)-1] = at, at
				line = strings.Join(words, " ") + "\n"
			}
			log.WriteString(line)
			n++
		}
		if code, text, errs := say(t, "map", "build", saveLog(t, log.String()), "--out", t.TempDir()); code != exitDone || !strings.HasPrefix(text, want) {
			t.Errorf("by %g m: %d %s%s", by, code, text, errs)
		}
	}
}

func TestALogWhoseBeamsRunTheOtherWayAroundIsSaidToBeMirrored(t *testing.T) {
	const beams = 181
	var log strings.Builder
	for line := range strings.Lines(driveRoom(beams).text) {
		words := strings.Fields(line)
		slices.Reverse(words[2 : 2+beams])
		log.WriteString(strings.Join(words, " ") + "\n")
	}
	code, text, errs := say(t, "map", "build", saveLog(t, log.String()), "--out", t.TempDir())
	const want = "Note: the lidar was not mounted as the file says: its beams follow each other the other way around, as when it hangs upside down; this map is wrong.\n"
	if code != exitDone || !strings.Contains(text, want) {
		t.Errorf("%d %s%s", code, text, errs)
	}
}

func TestAMapIsNotBuiltFromWhatIsNoLog(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "places.geojson"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	bad := saveLog(t, "no log\n")
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no log", []string{"--out", t.TempDir()}, exitUsage, "map build takes one log: mybot map build LOG --out DIR"},
		{"no folder", []string{bad}, exitUsage, "map build needs the folder for the map"},
		{"a log that is not there", []string{filepath.Join(full, "none.log"), "--out", t.TempDir()}, exitFailed, "no such file"},
		{"a file of another kind", []string{bad, "--out", t.TempDir()}, exitFailed, "drive.log: this is not a CARMEN log"},
		{"an empty file", []string{saveLog(t, ""), "--out", t.TempDir()}, exitFailed, "drive.log: the file is empty; map build reads recordings in MCAP and logs in the text form of CARMEN"},
		{"a database", []string{saveLog(t, "SQLite format 3\x00and more"), "--out", t.TempDir()}, exitFailed, "map build reads recordings in MCAP and logs in the text form of CARMEN: mcap: this is an SQLite database, perhaps a rosbag of ROS 2"},
		{"a rosbag", []string{saveLog(t, "#ROSBAG V2.0\n"), "--out", t.TempDir()}, exitFailed, "this is a rosbag of ROS 1"},
		{"half a magic number", []string{saveLog(t, "\x89MCAP"), "--out", t.TempDir()}, exitFailed, "this is not an MCAP file"},
		{"a folder with another map", []string{bad, "--out", full}, exitFailed, "has a places.geojson, which belongs to another map or was changed; --out must be an empty or new folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, _, errs := say(t, append([]string{"map", "build"}, c.args...)...)
			if code != c.code || !strings.Contains(errs, c.want) {
				t.Errorf("%d %s", code, errs)
			}
		})
	}
}
