package replay

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mybot/recording"
	"mybot/robot"
	"mybot/robot/models"
	"mybot/robot/models/modelstest"
	"mybot/robot/robottest"
)

// recordTicks records 50 readings a second that count in the left wheel, with
// estimates that count in x, and returns the file without its last bytes.
func recordTicks(t *testing.T, n, cut int) string {
	t.Helper()
	return recordParts(t, n, 1, cut)[0]
}

// recordParts records n readings in each of several files of one recording, each without its
// last bytes.
func recordParts(t *testing.T, n, parts, cut int) (paths []string) {
	t.Helper()
	desc := modelstest.Mybot(t)
	var recorder *recording.SyncRecorder
	at, dir := time.Unix(1_800_000_000, 0), t.TempDir()
	for part := range parts {
		path := filepath.Join(dir, string(rune('a'+part))+".mcap")
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if info, err := os.Stat(path); err != nil || file.Close() != nil || os.Truncate(path, info.Size()-int64(cut)) != nil {
				t.Fatal(err)
			}
		}()
		if recorder == nil {
			recorder, err = recording.NewSyncRecorder(file, recording.About{Robot: desc}, nil)
		} else {
			err = recorder.NextFile(file)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := part * n; i < (part+1)*n; i++ {
			at = at.Add(20 * time.Millisecond)
			recorder.ObserveTick(at, robot.Reading{Time: at, Travel: robot.Wheels{Left: float64(i)}}, robot.State{Time: at, Estimate: robot.Estimate{Pose: robot.Pose{X: float64(i)}}})
		}
		paths = append(paths, path)
	}
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	return paths
}

// TestARecordingInSeveralFilesIsShownAsOne names the second of three files, without the
// index of any, and winds back to the first.
func TestARecordingInSeveralFilesIsShownAsOne(t *testing.T) {
	paths := recordParts(t, 100, 3, 100)
	recordTicks(t, 10, 0)                                                                                                    // another recording, elsewhere
	if err := os.WriteFile(filepath.Join(filepath.Dir(paths[0]), "notes.mcap"), []byte("no recording"), 0o600); err != nil { // and none
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		d, err := Open(Address{paths[1], 1, time.Second})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		follow := func(from, to int) {
			t.Helper()
			for i := from; i < to; i++ {
				if r, err := d.Read(t.Context()); err != nil || r.Travel.Left != float64(i) {
					t.Fatalf("reading %d is %+v, %v", i, r, err)
				}
			}
		}
		if p := d.Playback(); p.At != 3 || p.Length != 5.98 {
			t.Errorf("at the beginning it is %+v", p)
		}
		follow(150, 300)
		if r, err := d.Read(t.Context()); err != nil || r.Refuses != over {
			t.Errorf("after the last file: %+v, %v", r, err)
		}
		if err := d.Control(recording.PlaybackOrder{At: order(1.0)}); err != nil {
			t.Fatal(err)
		}
		follow(50, 300)
	})
	if err := os.Remove(paths[1]); err != nil {
		t.Fatal(err)
	}
	d, err := Open(Address{paths[2], 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	if p := d.Playback(); p.At != 0 || p.Length != 1.98 {
		t.Errorf("behind a file that is missing it is %+v", p)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestARecordingIsShownAtItsPace(t *testing.T) {
	for _, speed := range []float64{1, 4} {
		path := recordTicks(t, 200, 100) // without its index
		synctest.Test(t, func(t *testing.T) {
			d, err := Open(Address{path, speed, time.Second})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			began := time.Now()
			for i := 50; i < 200; i++ {
				r, err := d.Read(t.Context())
				due := time.Duration(float64(time.Duration(i-50)*20*time.Millisecond) / speed)
				if err != nil || r.Travel.Left != float64(i) || r.Refuses != Refusal || time.Since(began)-due > time.Microsecond || !r.Time.Equal(time.Now()) {
					t.Fatalf("reading %d, after %v, is %+v, %v", i, time.Since(began), r, err)
				}
				d.Update(r)
				if e := d.Estimate(); e.Pose.X != float64(i) {
					t.Fatalf("the estimate of reading %d is %+v", i, e)
				}
			}
			r, err := d.Read(t.Context())
			if err != nil || r.Travel != (robot.Wheels{}) || r.Refuses == Refusal {
				t.Errorf("after the end: %+v, %v", r, err)
			}
			if err := errors.Join(d.Drive(robot.Twist{Linear: 1}), d.Close()); err != nil {
				t.Error(err)
			}
			if _, err := d.Read(t.Context()); !errors.Is(err, robot.ErrClosed) || !errors.Is(d.Drive(robot.Twist{}), robot.ErrClosed) {
				t.Errorf("after Close: %v", err)
			}
		})
	}
}

func TestAReaderThatIsCancelledReturns(t *testing.T) {
	path := recordTicks(t, 10, 0)
	synctest.Test(t, func(t *testing.T) {
		d, err := Open(Address{path, 0.1, 0})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		var end error
		for end == nil {
			_, end = d.Read(ctx)
		}
		if !errors.Is(end, context.DeadlineExceeded) {
			t.Error(end)
		}
	})
}

func TestAWrongRecordingIsRefusedWithASentence(t *testing.T) {
	path := recordTicks(t, 10, 0)
	other := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(other, []byte("hello, world"), 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"":                  "it lacks the file",
		path + "@0":         "from 0.1 to 10",
		path + "@fast":      "from 0.1 to 10",
		path + "@1,-2s":     "no length of time",
		path + "@1,1h":      "no readings after its first 1h0m0s",
		other:               "not an MCAP file",
		path + ".not-there": "no such file",
	} {
		a, err := ParseAddress(text)
		if err == nil {
			_, err = Open(a)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; it should say %q", text, err, want)
		}
	}
	for text, want := range map[string]Address{
		"a.mcap@2,90s":           {"a.mcap", 2, 90 * time.Second},
		"/home/ana@lab/a.mcap":   {"/home/ana@lab/a.mcap", 1, 0},
		"/home/ana@lab/a.mcap@4": {"/home/ana@lab/a.mcap", 4, 0},
		`C:\ana@lab\a.mcap`:      {`C:\ana@lab\a.mcap`, 1, 0},
		"a@b.mcap@1,5s":          {"a@b.mcap", 1, 5 * time.Second},
	} {
		if a, err := ParseAddress(text); err != nil || a != want {
			t.Errorf("%s is %+v, %v; want %+v", text, a, err, want)
		}
	}
}

// The recordings describe a robot or a floor that cannot exist. Unchecked, each of them
// ended the program, kept a core busy without end, or sent control characters to a
// terminal.
func TestARecordingOfNoRobotIsRefusedWithASentence(t *testing.T) {
	mybot := modelstest.Mybot(t)
	floor := func() *robot.Floorplan {
		return &robot.Floorplan{Grid: robot.Grid{Width: 2, Height: 2, Resolution: 0.05, Cells: make([]robot.Cell, 4)}}
	}
	for _, c := range []struct {
		want   string
		change func(*robot.Description, *robot.Floorplan)
	}{
		{"", func(*robot.Description, *robot.Floorplan) {}},
		{"the robot has 1e-300 readings a second; it must be between 1 and 1000", func(d *robot.Description, _ *robot.Floorplan) { d.Rate = 1e-300 }},
		{"the robot rate is", func(d *robot.Description, _ *robot.Floorplan) { d.Rate = 1e300 }},
		{"seconds for which its base keeps a command", func(d *robot.Description, _ *robot.Floorplan) { d.Holds = -1 }},
		{"the robot lidars beams is", func(d *robot.Description, _ *robot.Floorplan) { d.Lidars = []robot.Lidar{{Beams: math.MaxInt32}} }},
		{"the robot has 5000 beams of a lidar; it must be between 1 and 4096", func(d *robot.Description, _ *robot.Floorplan) { d.Lidars = []robot.Lidar{{Beams: 5000}} }},
		{`the link "a" of the robot does not hang on base_link alone`, func(d *robot.Description, _ *robot.Floorplan) {
			d.Links = []robot.Link{{Name: "a", Parent: "b"}, {Name: "b", Parent: "a"}}
		}},
		{`the joint "j" of the robot moves "arm", which is no link`, func(d *robot.Description, _ *robot.Floorplan) {
			d.Joints = []robot.Joint{{Name: "j", Link: "arm", Min: math.Inf(-1), Max: math.Inf(1)}}
		}},
		{`the robot name is "x\u009b2J"`, func(d *robot.Description, _ *robot.Floorplan) { d.Name = "x\u009b2J" }},
		{"the robot has 3e+06 m/s at most; it must be between 0.01 and 5", func(d *robot.Description, _ *robot.Floorplan) { d.Hardware.Linear = 3e6 }},
		{"that is no floor", func(_ *robot.Description, f *robot.Floorplan) { f.Grid.Resolution = 1e-300 }},
		{"the floor a x is", func(_ *robot.Description, f *robot.Floorplan) {
			f.Lines = []robot.Segment{{A: robot.Point{X: 1e300}}}
		}},
	} {
		desc, plan := mybot, floor()
		c.change(&desc, plan)
		path := filepath.Join(t.TempDir(), "a.mcap")
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		recorder, err := recording.NewSyncRecorder(file, recording.About{Robot: desc}, plan)
		if err != nil {
			t.Fatal(err)
		}
		at := time.Unix(1_800_000_000, 0)
		recorder.ObserveTick(at, robot.Reading{Time: at}, robot.State{Time: at})
		if err := errors.Join(recorder.Close(), file.Close()); err != nil {
			t.Fatal(err)
		}
		d, err := Open(Address{path, 1, 0})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("it says %v; it should say %q", err, c.want)
		}
		if err == nil {
			_ = d.Close()
		}
	}
}

func order[T any](v T) *T { return &v }

// TestARecordingIsPausedAndGoesOnElsewhere plays ten seconds in which each reading
// counts in the left wheel.
func TestARecordingIsPausedAndGoesOnElsewhere(t *testing.T) {
	path := recordTicks(t, 500, 0)
	synctest.Test(t, func(t *testing.T) {
		d, err := Open(Address{path, 1, 0})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		control := func(o recording.PlaybackOrder) {
			t.Helper()
			if err := d.Control(o); err != nil {
				t.Fatal(err)
			}
		}
		read := func() robot.Reading {
			t.Helper()
			r, err := d.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			d.Update(r)
			return r
		}
		is := func(want recording.Playback) {
			t.Helper()
			if got := d.Playback(); math.Abs(got.At-want.At) > 0.021 || got.Playing != want.Playing || got.Speed != want.Speed || got.Length != 9.98 {
				t.Errorf("it is %+v, not %+v", got, want)
			}
		}
		for range 100 {
			read()
		}
		is(recording.Playback{Playing: true, Speed: 1, At: 2})

		control(recording.PlaybackOrder{Playing: order(false)})
		for range 50 {
			if r := read(); r.Refuses != paused || r.Travel != (robot.Wheels{}) || d.Estimate().Pose.X != 99 {
				t.Fatalf("paused at %v: %+v", d.Estimate(), r)
			}
		}
		is(recording.Playback{Speed: 1, At: 2})

		// While it is paused, it seeks, also back.
		for _, at := range []float64{7, 1, 0} {
			control(recording.PlaybackOrder{At: &at})
			is(recording.Playback{Speed: 1, At: at})
			if r := read(); r.Travel != (robot.Wheels{}) || d.Estimate().Pose.X != 50*at {
				t.Errorf("at %v s the estimate is %+v: %+v", at, d.Estimate(), r)
			}
		}

		// It resumes from there, and does not catch up the time in which it was
		// paused.
		control(recording.PlaybackOrder{Playing: order(true), Speed: order(4.0), At: order(5.0)})
		began := time.Now()
		for i := 250; i < 500; i++ {
			if r := read(); r.Travel.Left != float64(i) || r.Refuses != Refusal {
				t.Fatalf("reading %d is %+v", i, r)
			}
		}
		if took := time.Since(began); took < 1240*time.Millisecond || took > 1250*time.Millisecond {
			t.Errorf("five seconds at four times the speed take %v", took)
		}
		is(recording.Playback{Playing: true, Speed: 4, At: 9.98})
		if r := read(); r.Refuses != over {
			t.Errorf("at the end: %+v", r)
		}
		control(recording.PlaybackOrder{At: order(0.0)})
		if r := read(); r.Travel.Left != 0 || r.Refuses != Refusal {
			t.Errorf("at the beginning again: %+v", r)
		}
		for _, wrong := range []recording.PlaybackOrder{{Speed: order(0.0)}, {Speed: order(11.0)}, {Speed: order(math.NaN())}, {At: order(-1.0)}, {At: order(10.0)}, {At: order(math.NaN())}} {
			if err := d.Control(wrong); err == nil {
				t.Errorf("%+v is done", wrong)
			}
		}
	})
}

// While the driver looks for the new place in the file, it does not say the old one: a page
// that showed it would seek from there at the next press of a key.
func TestAfterASeekThePlaceBeforeItIsNeverReturned(t *testing.T) {
	d, err := Open(Address{recordTicks(t, 500, 0), 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.Control(recording.PlaybackOrder{Playing: order(false)}); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended, reads := make(chan struct{}), atomic.Int64{}
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			_, _ = d.Read(ctx)
			reads.Add(1)
		}
	}()
	defer func() { end(); <-ended }()
	for i := range 20 {
		at := float64(8 * (i % 2))
		if err := d.Control(recording.PlaybackOrder{At: &at}); err != nil {
			t.Fatal(err)
		}
		for shown := reads.Load() + 2; reads.Load() < shown; {
			if p := d.Playback(); p.At != at {
				t.Fatalf("after seek %d to %g s it is at %g s", i, at, p.At)
			}
			runtime.Gosched()
		}
	}
}

// The control loop gives readings the wall clock of now, which was set or slewed since they were
// made.
func TestAPositionSoughtWhilePausedIsShownWhateverTheClockOfTheComputer(t *testing.T) {
	d, err := Open(Address{recordTicks(t, 500, 0), 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	at := 8.0
	if err := d.Control(recording.PlaybackOrder{Playing: order(false), At: &at}); err != nil {
		t.Fatal(err)
	}
	from := d.Estimate()
	r, err := d.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.Time = robottest.AfterSetting(t, r.Time, time.Hour)
	d.Update(r)
	if d.Estimate() == from {
		t.Error("after a seek to 8 s the robot stands where it stood")
	}
}

// recordLidar records 4 s of a robot with a lidar, 50 readings a second of which every fifth has
// the scan that scanOf returns, and returns the file.
func recordLidar(t *testing.T, scanOf func(i int, at time.Time, ranges []float64) robot.Scan) (path string) {
	t.Helper()
	data, _ := models.Find(models.LidarName)
	desc, err := robot.ParseDescription(data)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "a.mcap")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	recorder, err := recording.NewSyncRecorder(file, recording.About{Robot: desc}, nil)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Unix(1_800_000_000, 0)
	for i := range 200 {
		r := robot.Reading{Time: began.Add(time.Duration(i) * 20 * time.Millisecond)}
		if i%5 == 0 {
			r.Scans = []robot.Scan{scanOf(i, r.Time, make([]float64, desc.Lidars[0].Beams))}
		}
		recorder.ObserveTick(r.Time, r, robot.State{Time: r.Time})
	}
	if err := errors.Join(recorder.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestARobotThatStandsInARecordingSeesWhatItSawThere plays 4 s in which the lidar sends a
// scan with every fifth reading, whose first range is the number of that reading.
func TestARobotThatStandsInARecordingSeesWhatItSawThere(t *testing.T) {
	path := recordLidar(t, func(i int, at time.Time, ranges []float64) robot.Scan {
		ranges[0] = float64(i + 1)
		return robot.Scan{Time: at.Add(-50 * time.Millisecond), Lasts: 40 * time.Millisecond, Ranges: ranges}
	})
	synctest.Test(t, func(t *testing.T) {
		d, err := Open(Address{path, 1, 0})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		var newest time.Time // start of the newest scan
		read := func() (r robot.Reading) {
			t.Helper()
			if r, err = d.Read(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, s := range r.Scans {
				want := 50 * time.Millisecond
				if d.pace == 10 && r.Refuses == Refusal {
					want = 5 * time.Millisecond
				}
				if age := r.Time.Sub(s.Time); age != want || s.Time.Before(newest) {
					t.Fatalf("a scan of %v came %v after its beginning, and the one before it began at %v", s.Time, age, newest)
				}
				newest = s.Time
			}
			return r
		}
		stands := func(where string, saw float64) {
			t.Helper()
			scans, last := 0, time.Now()
			for until := time.Now().Add(3 * time.Second); time.Now().Before(until); {
				r := read()
				for _, s := range r.Scans {
					if scans++; s.Ranges[0] != saw {
						t.Fatalf("%s it sees the scan of reading %g, not %g", where, s.Ranges[0]-1, saw-1)
					}
					last = r.Time
				}
				if r.Time.Sub(last) > 2*scanPeriod {
					t.Fatalf("%s no scan comes for %v", where, r.Time.Sub(last))
				}
			}
			if scans < 20 || scans > 31 {
				t.Errorf("%s it sees %d scans in 3 s", where, scans)
			}
		}
		for range 98 {
			read()
		}
		if err := d.Control(recording.PlaybackOrder{Playing: order(false)}); err != nil {
			t.Fatal(err)
		}
		stands("where it is paused", 96)
		if err := d.Control(recording.PlaybackOrder{At: order(1.05)}); err != nil {
			t.Fatal(err)
		}
		stands("after a seek", 51)
		if err := d.Control(recording.PlaybackOrder{At: order(0.0), Playing: order(true), Speed: order(10.0)}); err != nil {
			t.Fatal(err)
		}
		for r := read(); r.Refuses != over; r = read() {
		}
		stands("after the end", 196)
	})
}

// TestScansOfARecordingThatIsShownFastAreInOrder plays a lidar whose scans come up to 60 ms
// late, ten times as fast.
func TestScansOfARecordingThatIsShownFastAreInOrder(t *testing.T) {
	path := recordLidar(t, func(i int, at time.Time, ranges []float64) robot.Scan {
		age := 100*time.Millisecond + time.Duration(i%4)*20*time.Millisecond
		return robot.Scan{Time: at.Add(-age), Lasts: 90 * time.Millisecond, Ranges: ranges}
	})
	for _, late := range []time.Duration{0, 25 * time.Millisecond} { // of every fifth reading, after which the others come at once
		synctest.Test(t, func(t *testing.T) {
			d, err := Open(Address{path, 10, 0})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			var newest time.Time
			for i, scans := 0, 0; scans < 40; i++ {
				if i%5 == 0 {
					time.Sleep(late)
				}
				r, err := d.Read(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range r.Scans {
					if scans++; !s.Time.After(newest) || s.Time.Add(s.Lasts).After(r.Time) {
						t.Fatalf("scan %d lasts from %v before its reading for %v; the one before it began %v earlier", scans, r.Time.Sub(s.Time), s.Lasts, s.Time.Sub(newest))
					}
					newest = s.Time
				}
			}
		})
	}
}
