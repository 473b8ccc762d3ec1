package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/sim"
	"mybot/mapping"
	"mybot/mapping/folder"
	"mybot/mapping/journal"
	"mybot/recording"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/models"
)

// pillarRoom is a room of 9 x 7 m around its origin, with a pillar off the middle, niches and a box.
func pillarRoom() *robot.Floorplan {
	plan := &robot.Floorplan{}
	box := func(x0, y0, x1, y1 float64) {
		a, b, c, d := robot.Point{X: x0, Y: y0}, robot.Point{X: x1, Y: y0}, robot.Point{X: x1, Y: y1}, robot.Point{X: x0, Y: y1}
		plan.Lines = append(plan.Lines, robot.Segment{A: a, B: b}, robot.Segment{A: b, B: c}, robot.Segment{A: c, B: d}, robot.Segment{A: d, B: a})
	}
	box(-4.5, -3.5, 4.5, 3.5)
	box(-0.4, -0.3, 0.6, 0.5)
	box(3.9, 1, 4.5, 1.7)
	box(-2.2, 3.1, -1.1, 3.5)
	box(-4.5, -2.4, -4, -1.2)
	return plan
}

// recordSimulation records the simulated robot with a lidar, which drives circles in the pillar
// room, for some seconds. It returns the file and the true pose at each reading.
func recordSimulation(t *testing.T, seconds int) (file []byte, truth map[int64]robot.Pose) {
	t.Helper()
	return recordRobot(t, models.LidarName, seconds, "nominal")
}

// recordRobot is recordSimulation with a built-in robot that deviates from its description.
func recordRobot(t *testing.T, name string, seconds int, deviation string) (file []byte, truth map[int64]robot.Pose) {
	t.Helper()
	data, _ := models.Find(name)
	desc, err := robot.ParseDescription(data)
	if err != nil {
		t.Fatal(err)
	}
	is, err := sim.ParseDeviation(deviation)
	if err != nil {
		t.Fatal(err)
	}
	truth = map[int64]robot.Pose{}
	var out bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		w := sim.NewWorld(desc, pillarRoom(), sim.DefaultScene(), sim.Options{Seed: 3, Start: robot.Pose{Y: -2.2, Theta: 0.4}, Epoch: time.Now(), Deviation: is})
		recorder := recording.NewRecorder(recording.About{Robot: desc, Build: "test"})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- recorder.Record(ctx, &out, func() error { return nil }) }()
		synctest.Wait()
		for range seconds * 50 {
			at := w.Truth().Pose
			ahead := math.Atan2(at.Y, at.X) + math.Pi/2 + 0.8*(at.Point().Norm()-2.2)
			if err := w.Drive(robot.Twist{Linear: 0.5, Angular: 0.5/2.2 + 1.5*robot.WrapAngle(ahead-at.Theta)}); err != nil {
				t.Fatal(err)
			}
			r := w.Step()
			truth[r.Time.UnixMicro()] = w.Truth().Pose
			recorder.ObserveTick(r.Time, r, robot.State{Time: r.Time})
			synctest.Wait()
		}
		cancel()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if w.Truth().Contact {
			t.Fatal("the robot stopped at a wall, so the test proves nothing")
		}
	})
	return out.Bytes(), truth
}

func saveRecording(t *testing.T, data []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "drive.mcap")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestAMapIsBuiltFromARecording(t *testing.T) {
	file, truth := recordSimulation(t, 60)
	log, out, poses := saveRecording(t, file), t.TempDir(), filepath.Join(t.TempDir(), "poses")
	code, text, errs := say(t, "map", "build", log, "--out", out, "--json", "--poses", poses)
	if code != exitDone || errs != "" {
		t.Fatalf("%d %s", code, errs)
	}
	var r buildReport
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	if r.Scans < 590 || r.Scans > 601 || r.Loops < 1 || r.Odometry != "/reading" || len(r.Notes) != 0 || math.Abs(r.Way-30) > 2 {
		t.Errorf("%+v", r)
	}
	if code, text, errs := say(t, "map", "check", out); code != exitDone {
		t.Errorf("the map is not valid: %s %s", text, errs)
	}
	// The map has the orientation of the start, 0.4 rad; the simulated compass is a degree or
	// two off.
	if plan, err := floorplan.Load(os.DirFS(out)); err != nil || math.Abs(robot.WrapAngle(plan.Compass-0.4)) > 0.06 {
		t.Errorf("a compass shows %.3f rad more than the yaw on the map, %v", plan.Compass, err)
	}
	compareWithTruth(t, poses, truth, r.Scans)
	checkExtendable(t, out, r.KeyFrames)
}

// compareWithTruth compares the poses of the lidar in a file with the truth.
func compareWithTruth(t *testing.T, file string, truth map[int64]robot.Pose, scans int) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var first robot.Pose // base_link, and so the frame map, in the room
	sum, n := 0.0, 0
	for line := range strings.Lines(string(data)) {
		v := numbers(t, line)
		at, ok := truth[int64(math.Round(v[0]*1e6))]
		if !ok {
			t.Fatalf("no reading is of the time of %q", line)
		}
		if n == 0 {
			first = at
		}
		// The lidar of this robot is ahead of base_link, according to the description.
		base := robot.Pose{X: v[1], Y: v[2], Theta: v[3]}.Compose(lidarOf(t).Pose.Inverse())
		off := first.Inverse().Compose(at).Point().Sub(base.Point()).Norm()
		sum, n = sum+off*off, n+1
	}
	if rms := math.Sqrt(sum / float64(n)); n != scans || rms > 0.03 {
		t.Errorf("%d poses of %d scans; RMS %.3f m off the truth", n, scans, rms)
	} else {
		t.Logf("RMS %.4f m off the truth", rms)
	}
}

// numbers parses the numbers of a line.
func numbers(t *testing.T, line string) [4]float64 {
	t.Helper()
	var v [4]float64
	if n, err := fmt.Sscan(line, &v[0], &v[1], &v[2], &v[3]); n != 4 || err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return v
}

func lidarOf(t *testing.T) robot.Lidar {
	t.Helper()
	data, _ := models.Find(models.LidarName)
	desc, err := robot.ParseDescription(data)
	if err != nil {
		t.Fatal(err)
	}
	return desc.Lidars[0]
}

// checkExtendable checks the data that extending the map needs.
func checkExtendable(t *testing.T, dir string, keyFrames int) {
	t.Helper()
	store, err := folder.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	replay := journal.Replay{Mapper: &mapping.Mapper{}}
	j, err := store.Extend(dir, journal.Header{Began: time.Now()}, replay.Take)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for replay.Mapper.Step() {
	}
	if s := replay.Mapper.Summary(); s.KeyFrames != keyFrames || s.Fixed != keyFrames {
		t.Errorf("%+v, want %d key frames", s, keyFrames)
	}
}

func TestWhatIsWrongWithARecordingIsSaid(t *testing.T) {
	file, _ := recordSimulation(t, 20)
	code, text, errs := say(t, "map", "build", saveRecording(t, file[:len(file)*2/3]), "--out", t.TempDir())
	if code != exitDone || !strings.Contains(text, "Note: the recording was cut off after ") || !strings.Contains(text, "odometry   from /reading\n") {
		t.Errorf("%d %s%s", code, text, errs)
	}
	code, _, errs = say(t, "map", "build", saveRecording(t, file[:200]), "--out", t.TempDir())
	if code != exitFailed || !strings.Contains(errs, "drive.mcap: the recording has no scan of a lidar") {
		t.Errorf("%d %s", code, errs)
	}
}

func TestALidarThatWasMountedOtherwiseIsToldOfARecording(t *testing.T) {
	for deviation, want := range map[string]string{
		"lidar-mirrored": `Note: the lidar was not mounted as the file says: its beams follow each other the other way around, as when it hangs upside down; this map is wrong. The description of the robot must have "from_deg": 180, "step_deg": -1 for this lidar, and the drive be recorded again.`,
		"lidar-turned":   `it is turned by 90 degrees to the left; the robot is not where this map has it. The description of the robot must have "heading_deg": 90 for this lidar, and`,
		"lidar-reversed": `it is turned by 180 degrees; the robot is not where this map has it. The description of the robot must have "heading_deg": 180 for this lidar, and`,
	} {
		file, _ := recordRobot(t, models.LidarName, 20, deviation)
		code, text, errs := say(t, "map", "build", saveRecording(t, file), "--out", t.TempDir())
		if code != exitDone || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s%s", deviation, code, text, errs)
		}
	}
}

func TestARecordingIsReadThroughAPipeAndALogIsNot(t *testing.T) {
	const ends = "/dev/fd"
	if _, err := os.Stat(ends); err != nil {
		t.Skip(err)
	}
	file, _ := recordSimulation(t, 20)
	for _, c := range []struct {
		name  string
		data  []byte
		code  int
		wants string
	}{
		{"a recording", file, exitDone, "odometry   from /reading\n"},
		{"a log", []byte(driveRoom(61).text), exitFailed, "a log in the text form of CARMEN is read twice, so it must be a file; only a recording in MCAP can come through a pipe"},
	} {
		out, in, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		written := make(chan struct{})
		go func() {
			defer close(written)
			_, _ = in.Write(c.data) // an error if the reader has ended
			_ = in.Close()
		}()
		code, text, errs := say(t, "map", "build", fmt.Sprintf("%s/%d", ends, out.Fd()), "--out", t.TempDir())
		if code != c.code || !strings.Contains(text+errs, c.wants) {
			t.Errorf("%s: %d %s%s", c.name, code, text, errs)
		}
		if err := out.Close(); err != nil {
			t.Error(err)
		}
		<-written
	}
}
