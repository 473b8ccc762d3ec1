package scan_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/robot"
	"mybot/robot/scan"
)

var epoch = time.Date(2026, 11, 20, 14, 33, 0, 0, time.UTC)

const period = 20 * time.Millisecond

// around is a lidar of 360 beams that turns ten times a second.
func around() robot.Lidar {
	return robot.Lidar{Pose: robot.Pose{X: 0.15, Y: 0.02, Theta: robot.Radians(20)}, Height: 0.3, Step: robot.Radians(1), Beams: 360, Min: 0.1, Max: 12, Rate: 10}
}

func robotWith(lidars ...robot.Lidar) robot.Description {
	return robot.Description{Drivetrain: robot.Drivetrain{WheelBase: 0.42, AxleOffset: 0.08}, Lidars: lidars, Rate: 50}
}

// room is a square with walls at x, y = ±half, in m, around the origin.
type room struct{ half float64 }

// measure returns the distance, in m, from p along the unit vector d to the wall.
func (r room) measure(p, d robot.Point) float64 {
	way := math.Inf(1)
	for _, axis := range [2][2]float64{{p.X, d.X}, {p.Y, d.Y}} {
		if axis[1] != 0 {
			way = math.Min(way, (math.Copysign(r.half, axis[1])-axis[0])/axis[1])
		}
	}
	return way
}

// off returns the distance of a point from the wall, in m.
func (r room) off(p robot.Point) float64 {
	return math.Abs(math.Max(math.Abs(p.X), math.Abs(p.Y)) - r.half)
}

// mover drives through a room with a constant twist, so its pose is known at any time.
type mover struct {
	desc  robot.Description
	start robot.Pose
	twist robot.Twist
}

// poseAt returns the exact pose of base_link in map after a time.
func (m mover) poseAt(after time.Duration) robot.Pose {
	return m.desc.Drivetrain.Roll(m.start, m.travel(after))
}

func (m mover) travel(lasts time.Duration) robot.Wheels {
	return m.desc.Drivetrain.Wheels(m.twist.Scale(lasts.Seconds()))
}

// scan returns the scan of a lidar whose first beam is measured at a time after the start, each
// beam from the lidar's pose at that time.
func (m mover) scan(i int, in room, at, lasts time.Duration) robot.Scan {
	l := m.desc.Lidars[i]
	s := robot.Scan{Lidar: i, Time: epoch.Add(at), Lasts: lasts}
	for beam := range l.Beams {
		then := at
		if l.Beams > 1 {
			then += time.Duration(float64(lasts) * float64(beam) / float64(l.Beams-1))
		}
		pose := m.poseAt(then).Compose(l.Pose)
		sin, cos := math.Sincos(pose.Theta + l.Bearing(beam))
		s.Ranges = append(s.Ranges, in.measure(pose.Point(), robot.Point{X: cos, Y: sin}))
	}
	return s
}

// worst returns the largest distance between a point of a cloud and the wall, in m.
func worst(c scan.Cloud, mapFromBase robot.Pose, in room) float64 {
	most := 0.0
	for _, b := range c.Beams {
		if b.Echo {
			most = math.Max(most, in.off(mapFromBase.Apply(b.End)))
		}
	}
	return most
}

// The robot drives at 0.5 m/s and turns at 45 deg/s; the lidar turns ten times a second and its
// scan arrives with the reading after its last beam.
func TestAScanOfAMovingRobotIsWhatItWouldHaveMeasuredAtOnce(t *testing.T) {
	in := room{half: 3}
	m := mover{desc: robotWith(around()), twist: robot.Twist{Linear: 0.5, Angular: robot.Radians(45)}}
	d := scan.NewDeskewer(m.desc)
	var cloud []scan.Cloud
	for n := range 30 {
		at := time.Duration(n) * period
		r := robot.Reading{Time: epoch.Add(at)}
		if n > 0 {
			r.Travel = m.travel(period)
		}
		if n == 29 {
			r.Scans = []robot.Scan{m.scan(0, in, at-107*time.Millisecond, 100*time.Millisecond)}
		}
		clouds, faults := d.Observe(r)
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		cloud = clouds
	}
	if len(cloud) != 1 || len(cloud[0].Beams) != 360 || cloud[0].Lidar != 0 || !cloud[0].Time.Equal(epoch.Add(29*period)) || !cloud[0].Last.Equal(epoch.Add(29*period-7*time.Millisecond)) || cloud[0].Origin != (robot.Point{X: 0.15, Y: 0.02}) {
		t.Fatalf("got %+v", cloud)
	}
	here := m.poseAt(29 * period)
	if off := worst(cloud[0], here, in); off > 1e-6 {
		t.Errorf("points are up to %.6f m off the wall", off)
	}
	// The same scan interpreted as measured at one time.
	s := m.scan(0, in, 29*period-107*time.Millisecond, 100*time.Millisecond)
	s.Time, s.Lasts = epoch.Add(29*period), 0
	still := scan.NewDeskewer(m.desc)
	clouds, faults := still.Observe(robot.Reading{Time: epoch.Add(29 * period), Scans: []robot.Scan{s}})
	if len(faults) > 0 || len(clouds) != 1 {
		t.Fatal(faults)
	}
	raw := worst(clouds[0], here, in)
	if raw < 0.04 {
		t.Errorf("with skew they are only %.3f m off: this test shows nothing", raw)
	}
	t.Logf("up to %.3f m off the wall with skew, %.1e m without", raw, worst(cloud[0], here, in))
}

func TestPointsAreExactForEveryMotionAndEveryLidar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string, low, high float64) float64 { return rapid.Float64Range(low, high).Draw(t, name) }
		l := robot.Lidar{
			Pose: robot.Pose{X: number("x", -0.3, 0.3), Y: number("y", -0.3, 0.3), Theta: number("heading", -3, 3)},
			From: number("from", -3, 3), Beams: rapid.IntRange(1, 200).Draw(t, "beams"), Min: 0.05, Max: 20, Rate: number("rate", 1, 40),
		}
		l.Step = number("step", -1, 1) * 2 * math.Pi / float64(l.Beams)
		m := mover{
			desc:  robotWith(l),
			start: robot.Pose{X: number("start x", -1, 1), Y: number("start y", -1, 1), Theta: number("start heading", -3, 3)},
			twist: robot.Twist{Linear: number("speed", -0.5, 0.5), Angular: number("turning", -1, 1)},
		}
		in := room{half: 5}
		d := scan.NewDeskewer(m.desc)
		lasts := time.Duration(number("lasts", 0, 1) * float64(time.Second) / l.Rate)
		late := time.Duration(number("late", -0.04, 0.9) * float64(time.Second))
		now := time.Duration(0)
		if _, faults := d.Observe(robot.Reading{Time: epoch}); len(faults) > 0 {
			t.Fatal(faults)
		}
		for now < 2300*time.Millisecond { // readings arrive at irregular times
			dt := time.Duration(number("interval", 0.005, 0.3) * float64(time.Second))
			now += dt
			d.Observe(robot.Reading{Time: epoch.Add(now), Travel: m.travel(dt)})
		}
		now += period
		s := m.scan(0, in, now-late-lasts, lasts)
		clouds, faults := d.Observe(robot.Reading{Time: epoch.Add(now), Travel: m.travel(period), Scans: []robot.Scan{s}})
		if len(faults) > 0 || len(clouds) != 1 || len(clouds[0].Beams) != l.Beams {
			t.Fatalf("%d clouds, %v", len(clouds), faults)
		}
		if off := worst(clouds[0], m.poseAt(now), in); off > 1e-6 {
			t.Fatalf("points are up to %g m off the wall", off)
		}
	})
}

func TestBeamsWithoutAMeasurementAndMaskedBeamsAreLeftOut(t *testing.T) {
	l := robot.Lidar{Step: math.Pi / 2, Beams: 4, Min: 0.2, Max: 5, Rate: 10, Mask: []robot.Sector{{From: 3, To: 3.3}}}
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name   string
		ranges []float64
		want   []scan.Beam
	}{
		{"the third is masked", []float64{1, 2, 3, 4}, []scan.Beam{{robot.Point{X: 1}, true}, {robot.Point{Y: 2}, true}, {robot.Point{Y: -4}, true}}},
		{"nothing within reach leaves the way free", []float64{inf, 2, 3, 5.01}, []scan.Beam{{robot.Point{X: 5}, false}, {robot.Point{Y: 2}, true}, {robot.Point{Y: -5}, false}}},
		{"nearer than it measures, or negative", []float64{0.1, -1, 3, 4}, []scan.Beam{{robot.Point{Y: -4}, true}}},
		{"no measurement", []float64{nan, 2, nan, nan}, []scan.Beam{{robot.Point{Y: 2}, true}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			clouds, faults := scan.NewDeskewer(robotWith(l)).Observe(robot.Reading{Time: epoch, Scans: []robot.Scan{{Time: epoch, Ranges: c.ranges}}})
			if len(faults) > 0 || len(clouds) != 1 || len(clouds[0].Beams) != len(c.want) {
				t.Fatalf("got %+v, %v", clouds, faults)
			}
			for i, b := range clouds[0].Beams {
				if b.Echo != c.want[i].Echo || b.End.Sub(c.want[i].End).Norm() > 1e-12 {
					t.Errorf("beam %d is %+v, want %+v", i, b, c.want[i])
				}
			}
		})
	}
}

func BenchmarkDeskewer(b *testing.B) {
	m := mover{desc: robotWith(around()), twist: robot.Twist{Linear: 0.5, Angular: 0.7}}
	d := scan.NewDeskewer(m.desc)
	at := time.Duration(0)
	ranges := m.scan(0, room{half: 3}, 0, 0).Ranges
	b.ReportAllocs()
	for b.Loop() {
		at += 100 * time.Millisecond
		d.Observe(robot.Reading{Time: epoch.Add(at), Travel: m.travel(100 * time.Millisecond), Scans: []robot.Scan{{Time: epoch.Add(at - 100*time.Millisecond), Lasts: 100 * time.Millisecond, Ranges: ranges}}})
		ranges = append([]float64(nil), ranges...)
		ranges[0] += 1e-9
	}
}
