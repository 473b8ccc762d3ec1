package carmen

import (
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"mybot/robot"
)

// readAll reads a log.
func readAll(t *testing.T, log string) (*Format, []Scan) {
	t.Helper()
	f, err := Inspect(strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	var scans []Scan
	if err := f.Scans(strings.NewReader(log), func(s Scan) error {
		scans = append(scans, s)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(scans) != f.Count {
		t.Fatalf("%d scans, but %d were counted", len(scans), f.Count)
	}
	return f, scans
}

// A writer writes a log line by line.
type writer struct {
	strings.Builder
	time float64
}

func (w *writer) line(format string, values ...any) {
	w.WriteString(fmt.Sprintf(format, values...) + "\n")
}

func (w *writer) odom(p robot.Pose) {
	w.time += 0.1
	w.line("ODOM %.6f %.6f %.6f 0 0 0 %.6f robot %.6f", p.X, p.Y, p.Theta, w.time, w.time)
}

func (w *writer) flaser(lidar, base robot.Pose, ranges []float64) {
	w.time += 0.1
	w.line("FLASER %d %s %.6f %.6f %.6f %.6f %.6f %.6f %.6f robot %.6f", len(ranges), text(ranges), lidar.X, lidar.Y, lidar.Theta, base.X, base.Y, base.Theta, w.time, w.time)
}

func text(ranges []float64) string { return strings.Trim(fmt.Sprint(ranges), "[]") }

func some(n int, d float64) []float64 {
	r := make([]float64, n)
	for i := range r {
		r[i] = d + 0.01*float64(i%7)
	}
	return r
}

func near(a, b robot.Pose) bool {
	off := motionBetween(a, b)
	return off.Point().Norm() < 1e-5 && math.Abs(off.Theta) < 1e-5
}

// A course is a robot's drive: true motions that the wheels measure, and poses that
// a program corrected.
func course(n int) (wheels, corrected []robot.Pose) {
	w, c := robot.Pose{}, robot.Pose{X: 5, Y: 5, Theta: 1}
	for i := range n {
		step := robot.Pose{X: 0.4, Y: 0.01, Theta: 0.2 * math.Sin(float64(i)/5)}
		w = w.Compose(step)
		c = c.Compose(robot.Pose{X: 0.38, Theta: step.Theta + 0.02})
		wheels, corrected = append(wheels, w), append(corrected, c)
	}
	return wheels, corrected
}

func TestTheMotionIsThatOfTheWheelsWhateverTheLogCallsAPose(t *testing.T) {
	const n = 40
	wheels, corrected := course(n)
	half := func(i int) robot.Pose { // wheel odometry between two scans
		if i == 0 {
			return wheels[0]
		}
		return wheels[i-1].Compose(robot.Pose{X: 0.2})
	}
	for _, c := range []struct {
		name  string
		write func(w *writer, i int)
		want  Odometry
	}{
		{"raw poses in the scans alone", func(w *writer, i int) { w.flaser(wheels[i], wheels[i], some(181, 3)) }, InScans},
		{"raw poses in scans and lines", func(w *writer, i int) {
			w.odom(half(i))
			w.flaser(wheels[i], wheels[i], some(181, 3))
		}, InScans},
		{"a line behind each scan", func(w *writer, i int) {
			w.flaser(wheels[i], wheels[i], some(181, 3))
			w.odom(wheels[i])
		}, InScans},
		{"corrected poses beside raw ones in the scans", func(w *writer, i int) {
			w.odom(wheels[i])
			w.flaser(corrected[i], wheels[i], some(181, 3))
		}, InScans},
		{"corrected poses in the scans, raw ones in the lines", func(w *writer, i int) {
			w.odom(wheels[i])
			w.flaser(corrected[i], corrected[i], some(181, 3))
		}, InLines},
		{"no poses in the scans", func(w *writer, i int) {
			w.odom(wheels[i])
			w.flaser(robot.Pose{}, robot.Pose{}, some(181, 3))
		}, InLines},
		{"lines that begin anew at each corrected pose", func(w *writer, i int) {
			if i > 0 {
				w.odom(corrected[i-1].Compose(motionBetween(wheels[i-1], half(i))))
				w.odom(corrected[i-1].Compose(motionBetween(wheels[i-1], wheels[i])))
			}
			w.flaser(corrected[i], corrected[i], some(181, 3))
			w.odom(corrected[i])
		}, SinceScans},
	} {
		t.Run(c.name, func(t *testing.T) {
			var w writer
			for i := range n {
				c.write(&w, i)
			}
			f, scans := readAll(t, w.String())
			if f.Odometry != c.want {
				t.Fatalf("the odometry is taken from %v, want %v", f.Odometry, c.want)
			}
			for i := 1; i < n; i++ {
				if want := motionBetween(wheels[i-1], wheels[i]); !near(scans[i].Motion, want) {
					t.Fatalf("the motion to scan %d is %+v, want %+v", i, scans[i].Motion, want)
				}
			}
		})
	}
}

func TestALogThatCannotBeUsedIsRefusedWithTheReason(t *testing.T) {
	var alone writer
	for range 5 {
		alone.flaser(robot.Pose{}, robot.Pose{}, some(181, 3))
	}
	var millimetres writer
	wheels, _ := course(5)
	for _, p := range wheels {
		millimetres.flaser(p, p, some(181, 3000))
	}
	var blind writer
	for _, p := range wheels {
		blind.flaser(p, p, []float64{0, math.NaN(), 0})
	}
	var far writer
	for _, p := range wheels {
		p.X, p.Y = 1000*p.X, 1000*p.Y
		far.flaser(p, p, some(181, 3))
	}
	var degrees, degreesOfLines writer
	wheels, corrected := course(100)
	for i, p := range wheels {
		p.Theta = robot.Degrees(p.Theta)
		degrees.flaser(p, p, some(181, 3))
		degreesOfLines.odom(p)
		degreesOfLines.flaser(corrected[i], corrected[i], some(181, 3))
	}
	for _, c := range []struct{ name, log, want string }{
		{"headings in degrees", degrees.String(), "the headings of the poses look like degrees: by them the robot drives where it looks, and in radians it would drive aside; they must be in radians"},
		{"headings of ODOM in degrees", degreesOfLines.String(), "the headings of the poses look like degrees"},
		{"poses in millimetres", far.String(), "the poses of most scans are more than 5 m from those before; they must be in metres, and look like millimetres"},
		{"empty", "", "the log is empty"},
		{"of another kind", "{\"scans\": [1, 2]}\nmore\n", "this is not a CARMEN log: no line begins with FLASER, ROBOTLASER1, RAWLASER1 or ODOM; the first line is \"{\\\"scans\\\": [1, 2]}\""},
		{"binary", "\x00\x01\x02\xff\n", "this is not a CARMEN log, which is text; if it is compressed, unpack it first"},
		{"compressed", "\x1f\x8b\b\b k\x00\x03a.log\x00\n", "this is not a CARMEN log, which is text; if it is compressed, unpack it first"},
		{"only wheels", "ODOM 1 2 3 0 0 0 1 robot 1\n", "the log has no scan"},
		{"only a lidar", alone.String(), "a lidar alone is not enough, since a corridor looks the same all along; give wheel travel"},
		{"millimetres", millimetres.String(), "must be in metres, and look like millimetres"},
		{"a lidar that measures nothing", blind.String(), "no beam of the log measured anything"},
		{"too many beams", "FLASER 5000 1 2\n", "the num_readings of the FLASER is 5000; it must be a whole number from 0 to 4096"},
		{"a range more than the count", "FLASER 2 1 2 3 4 5 6 4 5 6 7.5 robot 7.5\n", "line 1 cannot be used: the FLASER has \"7.5\" after its time, where the name of a computer must be; perhaps it has more ranges than its num_readings says"},
		{"beams that run clockwise", "ROBOTLASER1 0 1.5 -3 -0.05 30 0.01 0 2 1 2 0 0 0 0 0 0 0 0 0 1 1 0 12.5 robot 1\n", "start_angle 1.5 and angular_resolution -0.05 make no scan; they must be in radians, counter-clockwise: the resolution above 0 and below 1"},
		{"a line without end", "FLASER 3 " + strings.Repeat("1 ", 1<<20), "line 1 is longer than 1 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Inspect(strings.NewReader(c.log)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nwant %s", err, c.want)
			}
		})
	}
}

func TestHowLongAMotionLastedIsKnownIfTheTimesAreSeconds(t *testing.T) {
	for _, c := range []struct {
		name string
		time func(i int) string // of the scan
		want float64
	}{
		{"seconds", func(i int) string { return fmt.Sprintf("%.1f", 1000+0.5*float64(i)) }, 0.5},
		{"seconds in few digits", func(int) string { return "1.01893e+09" }, 0},
		{"hours", func(i int) string { return fmt.Sprintf("%.6f", 7+0.5*float64(i)/3600) }, 0},
		{"no times", func(int) string { return "" }, 0},
		{"a clock that runs back", func(i int) string { return fmt.Sprintf("%.1f", 1000-0.5*float64(i)) }, 0},
	} {
		var w writer
		wheels, _ := course(100)
		for i, p := range wheels {
			w.line("FLASER 3 2 2 2 %.6f %.6f %.6f %.6f %.6f %.6f %s", p.X, p.Y, p.Theta, p.X, p.Y, p.Theta, c.time(i))
		}
		_, scans := readAll(t, w.String())
		for _, s := range scans[1:] {
			if math.Abs(s.Lasted-c.want) > 1e-9 {
				t.Fatalf("%s: the motion to the scan at %s lasted %g s, want %g", c.name, s.Time, s.Lasted, c.want)
			}
		}
	}
}

func TestHeadingsInRadiansAreNoDegrees(t *testing.T) {
	circle := robot.Pose{X: 0.3, Theta: 0.4}
	for _, c := range []struct {
		name string
		step robot.Pose
		turn float64 // of the next step against this one
	}{
		{"that go on over 12 turns", circle, 0},
		{"backward", circle.Inverse(), 0},
		{"while it drives straight ahead", robot.Pose{X: 0.3}, 0},
		{"of a robot that drives aside", robot.Pose{Y: 0.3, Theta: 0.05}, 0},
		{"of a robot that drives in all directions", robot.Pose{X: 0.3, Theta: 0.01}, 1},
	} {
		var w writer
		p, step, heading := robot.Pose{}, c.step, 0.0
		for range 200 {
			logged := p
			logged.Theta = heading
			w.flaser(logged, logged, some(181, 3))
			p, heading = p.Compose(step), heading+step.Theta
			turned := robot.Pose{Theta: c.turn}.Apply(step.Point())
			step.X, step.Y = turned.X, turned.Y
		}
		if f, err := Inspect(strings.NewReader(w.String())); err != nil || f.Count != 200 {
			t.Errorf("headings %s: %v", c.name, err)
		}
	}
}

func TestALogIsUsedUpToWhereItIsCut(t *testing.T) {
	var w writer
	wheels, _ := course(10)
	for _, p := range wheels {
		w.odom(p)
		w.flaser(p, p, some(181, 3))
	}
	whole := w.String()
	f, scans := readAll(t, whole[:len(whole)-600])
	if len(scans) != 9 || len(f.Notes) != 1 || !strings.HasPrefix(f.Notes[0], "the log ends in the middle of line 20 (") || !strings.HasSuffix(f.Notes[0], "; it is used up to there") {
		t.Errorf("%d scans, %q", len(scans), f.Notes)
	}
	if f, scans = readAll(t, strings.TrimSuffix(whole, "\n")); len(scans) != 10 || len(f.Notes) != 0 {
		t.Errorf("without the last line feed: %d scans, %q", len(scans), f.Notes)
	}
}

func TestABrokenLineIsLeftOutAndSaid(t *testing.T) {
	var w writer
	wheels, _ := course(10)
	for i, p := range wheels {
		w.flaser(p, p, some(181, 3))
		if i == 4 {
			w.WriteString("FLASER 3 1 x 2 0 0 0 0 0 0 1 robot 1\n")
		}
	}
	f, scans := readAll(t, w.String())
	if len(scans) != 10 || len(f.Notes) != 1 || f.Notes[0] != `line 6 cannot be used: "x" stands among the ranges of the FLASER; they must be numbers, in m` {
		t.Errorf("%d scans, %q", len(scans), f.Notes)
	}
}

func TestAClockThatRunsBackIsSaidOnce(t *testing.T) {
	var w writer
	wheels, _ := course(10)
	for i, p := range wheels {
		if i > 5 {
			w.time -= 5
		}
		w.flaser(p, p, some(181, 3))
	}
	f, scans := readAll(t, w.String())
	if len(scans) != 10 || len(f.Notes) != 1 || !strings.HasPrefix(f.Notes[0], "line 7: the clock runs back, from 0.6 to -4.3 s; scans must be in the order in which they were taken") {
		t.Errorf("%d scans, %q", len(scans), f.Notes)
	}
}

func TestRangesThatMeanNoEchoAreFound(t *testing.T) {
	wheels, _ := course(20)
	for _, c := range []struct {
		name    string
		none    []float64 // the lidar's range for no echo
		stated  string
		farther float64 // a valid echo, m
	}{
		{"81.91 and 81.83", []float64{81.91, 81.83}, "", 31},
		{"8", []float64{8}, "", 7.9},
		{"50, stated", []float64{81.91}, "PARAM robot_front_laser_max 50 robot 1\n", 31},
		{"infinite", []float64{math.Inf(1)}, "", 31},
		{"20, stated too small", []float64{20}, "PARAM robot_front_laser_max 5 robot 1\n", 12},
	} {
		t.Run(c.name, func(t *testing.T) {
			var w writer
			w.WriteString(c.stated)
			for i, p := range wheels {
				r := some(181, 3)
				for k := 40; k < 100; k++ {
					r[k] = c.farther * float64(k-20) / 80
				}
				for k := range 12 {
					r[100+k] = c.none[(i+k)%len(c.none)]
				}
				w.flaser(p, p, r)
			}
			_, scans := readAll(t, strings.ReplaceAll(w.String(), "+Inf", "inf"))
			for _, s := range scans {
				for k, b := range s.Cloud.Beams {
					if want := k < 100 || k >= 112; b.Echo != want {
						t.Fatalf("line %d: the echo of beam %d is %v at %.2f m", s.Line, k, b.Echo, b.End.Norm())
					}
				}
			}
		})
	}
}

// squareRoom returns the scan of a lidar in a room of 9 by 5 m, off its centre.
func squareRoom(at robot.Pose, angles []float64) []float64 {
	r := make([]float64, len(angles))
	for i, a := range angles {
		sin, cos := math.Sincos(at.Theta + a)
		x := (math.Copysign(4.5, cos) - at.X) / cos
		y := (math.Copysign(2.5, sin) - at.Y) / sin
		r[i] = math.Min(x, y)
	}
	return r
}

func TestTheSpreadOfTheBeamsIsFound(t *testing.T) {
	for _, c := range []struct {
		beams      int
		from, view float64 // deg
		round      bool
	}{
		{beams: 181, from: -90, view: 180},
		{beams: 180, from: -90, view: 179},
		{beams: 361, from: -90, view: 180},
		{beams: 360, from: -90, view: 179.5},
		{beams: 360, from: 0, view: 360, round: true},
		{beams: 360, from: -180, view: 360, round: true},
		{beams: 720, from: -180, view: 360, round: true},
		{beams: 541, from: -135, view: 270},
		{beams: 541, from: -90, view: 180},
		{beams: 1081, from: -135, view: 270},
		{beams: 682, from: -120, view: 240},
		{beams: 81, from: -90, view: 180},
		{beams: 81, from: -120, view: 240},
		{beams: 726, from: -360.0 / 1024 * 725 / 2, view: 360.0 / 1024 * 725}, // of a Hokuyo, of which CARMEN does not know
		{beams: 221, from: -110, view: 220},
	} {
		t.Run(fmt.Sprintf("%d beams from %g deg over %g deg", c.beams, c.from, c.view), func(t *testing.T) {
			step := robot.Radians(c.view) / float64(c.beams-1)
			if c.round {
				step = robot.Radians(c.view) / float64(c.beams)
			}
			angles := make([]float64, c.beams)
			for i := range angles {
				angles[i] = robot.Radians(c.from) + float64(i)*step
			}
			var w writer
			at := robot.Pose{X: -1.5, Y: -0.8}
			for i := range 30 {
				w.flaser(at, at, squareRoom(at, angles))
				at = at.Compose(robot.Pose{X: 0.3, Theta: 0.15 + 0.02*float64(i%5)})
			}
			_, scans := readAll(t, w.String())
			for _, s := range scans {
				for i, b := range s.Cloud.Beams {
					if off := robot.WrapAngle(math.Atan2(b.End.Y, b.End.X) - angles[i]); math.Abs(off) > robot.Radians(0.6) {
						t.Fatalf("beam %d is %.2f deg off", i, robot.Degrees(off))
					}
				}
			}
		})
	}
}

func TestARobotLaserSaysWhereItIsAndHowItLooks(t *testing.T) {
	var w writer
	wheels, _ := course(10)
	mount := robot.Pose{X: 0.2, Y: -0.05, Theta: 0.1}
	for _, p := range wheels {
		l := p.Compose(mount)
		w.line("ROBOTLASER1 0 -2.0 4.0 0.05 30 0.01 0 81 %s 2 7 8 %.7f %.7f %.7f %.7f %.7f %.7f 0.4 0 1 1 0 12.5 robot 1", text(some(81, 3)), l.X, l.Y, l.Theta, p.X, p.Y, p.Theta)
	}
	f, scans := readAll(t, w.String())
	if !near(f.Lidar, mount) || f.NoEcho > 30 || scans[0].Time != "12.5" {
		t.Fatalf("%+v, %q", f, scans[0].Time)
	}
	first := scans[0].Cloud.Beams[0].End
	if want := mount.Apply(robot.Point{X: 3 * math.Cos(2), Y: -3 * math.Sin(2)}); first.Sub(want).Norm() > 1e-4 {
		t.Errorf("the first beam ends at %+v, want %+v", first, want)
	}
	if !near(scans[3].Motion, motionBetween(wheels[2], wheels[3])) {
		t.Errorf("the motion is %+v", scans[3].Motion)
	}
}

func TestARobotLaserAllAroundWithoutAResolutionHasNoBeamTwice(t *testing.T) {
	var w writer
	wheels, _ := course(10)
	for _, p := range wheels {
		w.line("ROBOTLASER1 0 -3.141593 6.283185 0 30 0.01 0 8 2 2 3 3 4 4 5 6 0 %.7[1]f %.7[2]f %.7[3]f %.7[1]f %.7[2]f %.7[3]f 0.4 0 1 1 0 12.5 robot 1", p.X, p.Y, p.Theta)
	}
	_, scans := readAll(t, w.String())
	for i, want := range []robot.Point{{X: -2}, {Y: -3}, {X: 4}, {Y: 5}} {
		if end := scans[0].Cloud.Beams[2*i].End; end.Sub(want).Norm() > 1e-4 {
			t.Errorf("beam %d ends at %+v, want %+v", 2*i, end, want)
		}
	}
}

func TestTimesStayAsTheLogWritesThem(t *testing.T) {
	log := ""
	for i := range 4 {
		log += fmt.Sprintf("FLASER 3 1 2 3 %d 0 0 %d 0 0 1.13486e+09 robot 1\n", i, i)
	}
	log += "FLASER 3 1 2 3 5 0 0 5 0 0\n"
	_, scans := readAll(t, log)
	if scans[0].Time != "1.13486e+09" || scans[4].Time != "4" {
		t.Errorf("%q, %q", scans[0].Time, scans[4].Time)
	}
}

// A longLog is a log that is produced while it is read.
type longLog struct {
	scans int // that are to come
	text  []byte
	x     float64 // m
}

func (l *longLog) Read(p []byte) (int, error) {
	if len(l.text) == 0 && l.scans == 0 {
		return 0, io.EOF
	}
	for ; len(l.text) < len(p) && l.scans > 0; l.scans-- {
		l.x += 0.01
		l.text = fmt.Appendf(l.text, "FLASER 4 1 2 3 4 %.2f 0 0 %.2f 0 0 1 robot 1\n", l.x, l.x)
	}
	n := copy(p, l.text)
	l.text = append(l.text[:0], l.text[n:]...)
	return n, nil
}

func TestALogOfAnyLengthIsReadAsAStream(t *testing.T) {
	const scans = 3 * maxInspected
	in := newInspection()
	if _, _, err := eachLine(&longLog{scans: scans}, in.readLine); err != nil || in.format.Count != scans || len(in.scans) != maxInspected {
		t.Errorf("%d scans are counted and %d stored, %v", in.format.Count, len(in.scans), err)
	}
	f, err := Inspect(&longLog{scans: scans})
	if err != nil || f.Count != scans || f.Odometry != InScans {
		t.Fatalf("%+v, %v", f, err)
	}
	far, n := 0.0, 0
	if err := f.Scans(&longLog{scans: scans}, func(s Scan) error {
		far, n = far+s.Motion.X, n+1
		return nil
	}); err != nil || n != scans || math.Abs(far-0.01*(scans-1)) > 1 {
		t.Errorf("%d scans over %.0f m, %v", n, far, err)
	}
}

func FuzzInspect(f *testing.F) {
	var w writer
	wheels, corrected := course(6)
	for i, p := range wheels {
		w.odom(p)
		w.flaser(corrected[i], p, some(9, 3))
	}
	whole := w.String()
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add("PARAM robot_front_laser_max x\nROBOTLASER1 0 -1 2 0.1 5 0 0 3 1 2 3 0 1 2 3 1 2 3 0 0 0 0 0 1 h 1\nODOM nan 1e999 -1e9\n")
	f.Add("FLASER 2 nan inf -1 0 0 0 0 0 1 h 1\nFLASER 2 1e300 1 1 0 0 1 0 0 1 h 1\n")
	f.Fuzz(func(t *testing.T, log string) {
		format, err := Inspect(strings.NewReader(log))
		if err != nil {
			if format != nil || len(err.Error()) < 10 {
				t.Fatalf("%v, %v", format, err)
			}
			return
		}
		n := 0
		if err := format.Scans(strings.NewReader(log), func(s Scan) error {
			n++
			if !robot.Finite(s.Motion.X, s.Motion.Y, s.Motion.Theta) {
				t.Fatalf("scan %d: the motion is %+v", n, s.Motion)
			}
			for _, b := range s.Cloud.Beams {
				if !robot.Finite(b.End.X, b.End.Y) {
					t.Fatalf("scan %d: a beam ends at %+v", n, b.End)
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if n != format.Count {
			t.Fatalf("%d scans, but %d were counted", n, format.Count)
		}
	})
}
