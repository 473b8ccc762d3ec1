package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"mybot/mcap"
	"mybot/robot"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// twoLidars is a robot with a narrow lidar and one with a full circle.
func twoLidars() robot.Description {
	return robot.Description{
		Name: "Test", Rate: 50, Drivetrain: robot.Drivetrain{WheelBase: 0.5, AxleOffset: 0.08},
		Lidars: []robot.Lidar{
			{From: -0.3, Step: 0.1, Beams: 7, Min: 0.1, Max: 8, Rate: 10},
			{Pose: robot.Pose{X: 0.2, Theta: math.Pi}, From: -math.Pi, Step: math.Pi / 4, Beams: 8, Min: 0.1, Max: 12, Rate: 10, Mask: []robot.Sector{{From: -0.1, To: 0.1}}},
		},
	}
}

// driven is a recording of n readings, 20 ms and 1 cm of path apart. Every fifth
// has a scan of each lidar. spoil may change an entry, or drop it by returning
// false.
func driven(t testing.TB, n int, spoil func(i int, q *queued) bool) []byte {
	t.Helper()
	var file bytes.Buffer
	out, err := newEncoder(&file, About{Robot: twoLidars()}, clock{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		at := noon.Add(time.Duration(i) * 20 * time.Millisecond)
		r := robot.Reading{Time: at, Travel: robot.Wheels{Left: 0.01, Right: 0.01}}
		if i%5 == 0 {
			for k, l := range twoLidars().Lidars {
				s := robot.Scan{Lidar: k, Time: at.Add(-50 * time.Millisecond), Lasts: 40 * time.Millisecond, Ranges: make([]float64, l.Beams)}
				for b := range s.Ranges {
					s.Ranges[b] = 2 + 0.01*float64(i) + 0.1*float64(b)
				}
				s.Ranges[1] = math.Inf(1)
				r.Scans = append(r.Scans, s)
			}
		}
		q := queued{entry: &entry{at: at, reading: r, state: robot.State{Time: at}}}
		if spoil != nil && !spoil(i, &q) {
			continue
		}
		if err := out.writeEntry(q); err != nil {
			t.Fatal(err)
		}
		if i%50 == 49 {
			if err := out.file.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := out.file.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func readDrive(data []byte) (scans []DriveScan, d Drive, err error) {
	d, err = ReadDrive(bytes.NewReader(data), func(s DriveScan) error {
		scans = append(scans, s)
		return nil
	})
	return scans, d, err
}

func TestADriveIsReadFromItsRecording(t *testing.T) {
	scans, d, err := readDrive(driven(t, 1001, nil))
	if err != nil || d.Odometry != "/reading" || d.Lidar.Pose != twoLidars().Lidars[1].Pose || !d.Described || d.Scans != 201 || len(scans) != 201 || len(d.Notes) != 0 {
		t.Fatalf("%+v, %d scans, %v", d, len(scans), err)
	}
	for i, s := range scans {
		want := robot.Pose{X: 0.05}
		if i == 0 {
			want = robot.Pose{}
		}
		if s.Motion.Point().Sub(want.Point()).Norm() > 1e-9 || math.Abs(s.Motion.Theta) > 1e-9 {
			t.Fatalf("scan %d: motion %v, want %v", i, s.Motion, want)
		}
		// Of eight beams one is masked and one has no echo.
		if c := s.Cloud; len(c.Beams) != 7 || c.Beams[1].Echo || !c.Beams[0].Echo || !c.Time.Equal(noon.Add(time.Duration(i)*100*time.Millisecond)) || c.Origin != (robot.Point{X: 0.2}) {
			t.Fatalf("scan %d: %+v", i, c)
		}
	}
	// The lidar faces back: its first beam, at -180°, points ahead. It was measured
	// 50 ms, or 2.5 cm, before the reading.
	if b := scans[1].Cloud.Beams[0].End; b.Sub(robot.Point{X: 0.2 + 2.05 - 0.025}).Norm() > 1e-9 {
		t.Errorf("the first beam of the second scan ends at %v", b)
	}
}

// foreignDrive is another program's recording: scans and poses.
func foreignDrive(t testing.TB, change func(topic string, data map[string]any) bool) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := mcap.NewWriter(&file, "", "another program", mcap.None)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]uint16{}
	for topic, c := range map[string]mcap.Channel{
		"/scan": {Encoding: "json", Schema: &mcap.Schema{Name: scanSchema, Encoding: "jsonschema"}},
		"/odom": {Encoding: "json", Schema: &mcap.Schema{Name: "foxglove.PoseInFrame", Encoding: "jsonschema"}},
	} {
		c.Topic = topic
		if ids[topic], err = w.AddChannel(c); err != nil {
			t.Fatal(err)
		}
	}
	add := func(topic string, at time.Time, data map[string]any) {
		t.Helper()
		data["timestamp"] = stampOf(at)
		if change != nil && !change(topic, data) {
			return
		}
		text, err := json.Marshal(data)
		if err == nil {
			err = w.Write(ids[topic], mcap.Message{Logged: at, Published: at, Data: text})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 200 {
		at := noon.Add(time.Duration(i) * 100 * time.Millisecond)
		add("/odom", at, map[string]any{"pose": placementOf(robot.Pose{X: 5, Theta: 1}.Compose(robot.Pose{X: 0.1 * float64(i)}), 0)})
		add("/scan", at.Add(50*time.Millisecond), map[string]any{"pose": placementOf(robot.Pose{X: 0.3}, 0.2), "start_angle": -1.5, "end_angle": 1.5, "ranges": []float64{1, 2, 3, 2000}})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestADriveIsReadFromPosesOfTheWheels(t *testing.T) {
	scans, d, err := readDrive(foreignDrive(t, nil))
	if err != nil || d.Odometry != "/odom" || d.Scans != 199 || len(d.Notes) != 0 || d.Lidar.Pose != (robot.Pose{X: 0.3}) || d.Described {
		t.Fatalf("%+v, %v", d, err)
	}
	for i, s := range scans[1:] {
		if s.Motion.Point().Sub(robot.Point{X: 0.1}).Norm() > 1e-5 || math.Abs(s.Motion.Theta) > 1e-5 {
			t.Fatalf("scan %d: motion %v", i+1, s.Motion)
		}
	}
	sin, cos := math.Sincos(-1.5)
	if b := scans[0].Cloud.Beams; len(b) != 4 || !b[0].Echo || b[3].Echo || b[0].End.Sub(robot.Point{X: 0.3 + cos, Y: sin}).Norm() > 1e-9 {
		t.Errorf("%+v", b)
	}
}

func TestARecordingThatWasCutOffIsUsedUpToThere(t *testing.T) {
	data := driven(t, 1001, nil)
	scans, d, err := readDrive(data[:len(data)/2])
	if err != nil || len(scans) < 50 || len(scans) > 150 || len(d.Notes) != 1 || !strings.HasPrefix(d.Notes[0], "the recording was cut off after ") || !strings.HasSuffix(d.Notes[0], " bytes; it is used up to there") {
		t.Fatalf("%d scans, %+v, %v", len(scans), d, err)
	}
	bad := bytes.Clone(data)
	bad[len(bad)/2] ^= 1
	if scans, d, err := readDrive(bad); err != nil || len(scans) < 50 || len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "the recording is damaged at byte") {
		t.Errorf("%d scans, %+v, %v", len(scans), d, err)
	}
}

func TestWhatIsOddAboutARecordingIsSaid(t *testing.T) {
	for _, c := range []struct {
		name, want string
		spoil      func(i int, q *queued) bool
	}{
		{"a gap", "readings or scans are missing in 1 places", func(i int, q *queued) bool {
			if i == 500 {
				q.missing = missing{readings: 3}
			}
			return true
		}},
		{"wheels that do not turn", "by its odometry the robot never moved", func(_ int, q *queued) bool {
			q.reading.Travel = robot.Wheels{}
			return true
		}},
		{"scans of the wrong length", "a scan of /scan/1 cannot be used: it has 5 ranges; it must have 8", func(i int, q *queued) bool {
			if i == 100 {
				q.reading.Scans[1].Ranges = q.reading.Scans[1].Ranges[:5]
			}
			return true
		}},
		{"a travel that is no number", "", func(i int, q *queued) bool {
			if i == 100 {
				q.reading.Travel.Left = math.NaN()
			}
			return true
		}},
	} {
		_, d, err := readDrive(driven(t, 600, c.spoil))
		if err != nil || d.Scans < 115 || c.want == "" && len(d.Notes) > 0 || c.want != "" && (len(d.Notes) == 0 || !strings.HasPrefix(d.Notes[0], c.want)) {
			t.Errorf("%s: %+v, %v", c.name, d, err)
		}
	}
}

func TestARecordingOfWhichNoMapCanBeMadeIsRefused(t *testing.T) {
	only := func(topic string) func(string, map[string]any) bool {
		return func(s string, _ map[string]any) bool { return s == topic }
	}
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"no scan", "the recording has no scan of a lidar: it has no message at /scan/0", driven(t, 300, func(_ int, q *queued) bool {
			q.reading.Scans = nil
			return true
		})},
		{"no odometry", "the recording has 200 scans but no odometry: a map needs the readings of the wheels at /reading, or poses at /odom; a lidar alone is not enough", foreignDrive(t, only("/scan"))},
		{"poses alone", "no scan of a lidar", foreignDrive(t, only("/odom"))},
		{"one pose", "none of the", foreignDrive(t, func(topic string, data map[string]any) bool {
			return topic == "/scan" || data["timestamp"] == stampOf(noon)
		})},
		{"no message", "no scan of a lidar", driven(t, 0, nil)},
		{"nothing", "mcap: the file is empty", nil},
		{"a rosbag", "this is a rosbag of ROS 1", []byte("#ROSBAG V2.0\n")},
		{"cut off before the first scan", "the recording has no scan of a lidar: it has no message at /scan/0 (the recording was cut off", driven(t, 300, nil)[:300]},
		{"too many beams", "has 5000 ranges; a lidar has 1 to 4096 beams", foreignDrive(t, func(_ string, data map[string]any) bool {
			data["ranges"] = make([]float64, 5000)
			return true
		})},
		{"millimetres", "3 of its 4 ranges are above 100 m, for example 3000; ranges must be in metres, not in millimetres", foreignDrive(t, func(topic string, data map[string]any) bool {
			if topic == "/scan" {
				data["ranges"] = []float64{1200, 2400, 90, 3000}
			}
			return true
		})},
		{"a lidar that measures nothing", "no beam has measured anything", foreignDrive(t, func(topic string, data map[string]any) bool {
			if topic == "/scan" {
				data["ranges"] = []float64{0, 0, 0, 0}
			}
			return true
		})},
		{"a scan that is none", "message 1 of /scan cannot be read", foreignDrive(t, func(_ string, data map[string]any) bool {
			data["ranges"] = "none"
			return true
		})},
	} {
		if _, _, err := readDrive(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	stop := errors.New("enough")
	if _, err := ReadDrive(bytes.NewReader(driven(t, 600, nil)), func(DriveScan) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
}

func TestAClockOfPosesThatRunsBackIsSaidOnce(t *testing.T) {
	n := 0
	_, d, err := readDrive(foreignDrive(t, func(topic string, data map[string]any) bool {
		if n++; topic == "/odom" && n > 200 {
			data["timestamp"] = stampOf(noon.Add(time.Duration(n)*50*time.Millisecond - time.Hour))
		}
		return true
	}))
	if err != nil || len(d.Notes) != 1 || !strings.HasPrefix(d.Notes[0], "the clock of /odom runs back, from 12:00:09 to 11:00:10; poses must be in the order in which they were measured") {
		t.Errorf("%q, %v", d.Notes, err)
	}
}

func TestScansInAnotherEncodingAreNamed(t *testing.T) {
	var file bytes.Buffer
	w, err := mcap.NewWriter(&file, "ros2", "rosbag2", mcap.None)
	if err != nil {
		t.Fatal(err)
	}
	id, err := w.AddChannel(mcap.Channel{Topic: "/scan", Encoding: "cdr", Schema: &mcap.Schema{Name: "sensor_msgs/msg/LaserScan", Encoding: "ros2msg"}})
	if err == nil {
		err = errors.Join(w.Write(id, mcap.Message{Logged: noon, Data: []byte{1}}), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := readDrive(file.Bytes()); err == nil || !strings.Contains(err.Error(), `scans at /scan in the encoding "cdr"; only foxglove.LaserScan in JSON can be read`) {
		t.Errorf("%v", err)
	}
}

func FuzzReadDrive(f *testing.F) {
	f.Add(foreignDrive(f, nil)[:4000])
	f.Add(driven(f, 20, nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		scans, d, err := readDrive(data)
		if err == nil && (d.Scans != len(scans) || d.Scans == 0) {
			t.Errorf("%d scans of %d, no error", len(scans), d.Scans)
		}
		for _, s := range scans {
			if len(s.Cloud.Beams) > maxBeams {
				t.Fatal(fmt.Sprint(len(s.Cloud.Beams), " beams"))
			}
		}
	})
}

// watchedReader counts the bytes that are read.
type watchedReader struct {
	*bytes.Reader
	n int
}

func (r *watchedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n += n
	return n, err
}

func TestARecordingIsReadAsAStream(t *testing.T) {
	data := driven(t, 4000, func(i int, q *queued) bool {
		q.reading.Heading = math.Sqrt(float64(i)) // no repeats, so that the file is large
		return true
	})
	in := &watchedReader{Reader: bytes.NewReader(data)}
	ahead := 0 // most bytes that are read before the scans in them are used
	used := 0
	_, err := ReadDrive(in, func(DriveScan) error {
		used++
		ahead = max(ahead, in.n-used*len(data)/800)
		return nil
	})
	if err != nil || used != 800 || ahead > 150_000 || len(data) < 2*150_000 {
		t.Errorf("%d scans; %d of %d bytes are read ahead, %v", used, ahead, len(data), err)
	}
}
