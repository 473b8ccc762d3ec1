package guard

import (
	"math"
	"slices"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/models"
	"mybot/robot/scan"
)

// lidarRig is a robot that stands with its axle at the origin, with given ranges of its lidar.
type lidarRig struct {
	guard    *Guard
	deskewer *scan.Deskewer
	desc     robot.Description
	now      time.Time
	ranges   []float64 // of the sonars
}

func newLidarRig(t *testing.T, name string) *lidarRig {
	t.Helper()
	data, _ := models.Find(name)
	desc, err := robot.ParseDescription(data)
	if err != nil {
		t.Fatal(err)
	}
	return &lidarRig{guard: New(desc), deskewer: scan.NewDeskewer(desc), desc: desc, now: epoch, ranges: slices.Repeat([]float64{math.Inf(1)}, len(desc.Sonars))}
}

// scan gives the guard a scan whose ranges way returns for directions in degrees, and then the
// readings until the next scan.
func (r *lidarRig) scan(way func(degrees int) float64) {
	l := r.desc.Lidars[0]
	s := robot.Scan{Time: r.now.Add(-100 * time.Millisecond)}
	for beam := range l.Beams {
		s.Ranges = append(s.Ranges, way(int(math.Round(robot.Degrees(robot.WrapAngle(l.Bearing(beam)))))))
	}
	s.Ranges[180] += 1e-6 * float64(r.now.Sub(epoch)/time.Millisecond) // no two are equal
	r.read(s)
	for range 4 {
		r.read()
	}
}

func (r *lidarRig) read(scans ...robot.Scan) {
	reading := robot.Reading{Time: r.now, Ranges: r.ranges, Scans: scans}
	clouds, _ := r.deskewer.Observe(reading)
	r.guard.Observe(reading, clouds...)
	r.now = r.now.Add(20 * time.Millisecond)
}

// allowed returns the speed at which the guard lets the robot drive forward.
func (r *lidarRig) allowed() float64 {
	ahead := robot.Twist{Linear: 0.5}
	out, _ := r.guard.Limit(ahead, ahead, robot.Twist{}, Approach{Stop: 0.35})
	return out.Linear
}

// free returns the ranges in an empty hall.
func free(int) float64 { return 8 }

// thing returns the ranges of an obstacle 0.5 m ahead of the lidar, which is 0.34 m ahead of
// the hull, and 10 degrees wide.
func thing(degrees int) float64 {
	if degrees >= -5 && degrees <= 5 {
		return 0.5
	}
	return 8
}

// single returns the ranges when only one beam hits an obstacle there.
func single(degrees int) float64 {
	if degrees == 0 {
		return 0.5
	}
	return 8
}

func silent(int) float64 { return math.NaN() }

func TestWhatALidarSeesAheadIsKeptUntilALaterScanLooksThroughIt(t *testing.T) {
	covered := func(degrees int) float64 { // a nearer object hides half of it
		if degrees >= 0 && degrees <= 20 {
			return 0.45
		}
		return thing(degrees)
	}
	missing := func(degrees int) float64 { // its beams are lost
		if degrees >= -6 && degrees <= 6 {
			return math.NaN()
		}
		return 8
	}
	repeat := func(way func(int) float64, n int) (scans []func(int) float64) {
		for range n {
			scans = append(scans, way)
		}
		return scans
	}
	for _, c := range []struct {
		name  string
		scans []func(degrees int) float64
		stops bool
	}{
		{"nothing is there", repeat(free, 3), false},
		{"it is there", repeat(thing, 1), true},
		{"it was there in the scan before last", append(repeat(thing, 3), free), true},
		{"two scans look through it", append(repeat(thing, 3), free, free), false},
		{"half of it is hidden", append(repeat(thing, 3), covered, covered, covered), true},
		{"its beams are lost for half a second", append(repeat(thing, 3), repeat(missing, 5)...), true},
		{"its beams are lost for more than a second", append(repeat(thing, 3), repeat(missing, 12)...), false},
		{"a single beam meets it once", append(repeat(free, 2), single), false},
		{"a single beam meets it twice", append(repeat(free, 2), single, single), true},
		{"it met it once, a while ago", append(repeat(free, 2), single, free, free, single), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newLidarRig(t, models.LidarName)
			for _, s := range c.scans {
				r.scan(s)
			}
			// Where the lidar is blind the robot may still creep.
			if v := r.allowed(); (v < 0.05) != c.stops {
				t.Errorf("it may drive ahead with %.2f m/s", v)
			}
		})
	}
}

func TestAnEchoThatTheLidarExplainsIsNotRemembered(t *testing.T) {
	// The lidar is 0.16 m behind the face of the front sonar.
	for _, c := range []struct {
		name  string
		heard float64
		scan  func(degrees int) float64
		marks bool
	}{
		{"both see a thing", 0.34, thing, false},
		{"the sonar hears it a little nearer", 0.22, thing, false},
		{"the sonar hears something before it", 0.15, thing, true},
		{"the lidar looks through it", 0.34, free, true},
		{"the lidar has measured nothing there", 0.34, silent, true},
		{"the sonar hears the wall behind it", 1.5, thing, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newLidarRig(t, models.LidarSonarName)
			r.scan(c.scan)
			r.ranges[0] = c.heard
			for range 5 {
				r.scan(c.scan)
			}
			if marks := r.guard.echoes.count > 0; marks != c.marks {
				t.Errorf("remembered: %v", marks)
			}
			if v := r.allowed(); v > 0.05 && c.heard < 1 {
				t.Errorf("it may drive ahead with %.2f m/s", v)
			}
		})
	}
}

func TestALidarThatSeesPartsOfTheRobotDoesNotHoldIt(t *testing.T) {
	r := newLidarRig(t, models.LidarName)
	for range 5 {
		r.scan(func(degrees int) float64 {
			if degrees > 120 && degrees < 240 || degrees < -120 {
				return 0.15 // within the hull
			}
			return 8
		})
	}
	if v := r.allowed(); v < 0.5-1e-9 {
		t.Errorf("it may drive ahead with %.2f m/s", v)
	}
	back := robot.Twist{Linear: -0.3}
	if out, _ := r.guard.Limit(back, back, robot.Twist{}, Approach{Stop: 0.35}); out != back {
		t.Errorf("it may drive back with %v", out)
	}
}

func TestTheNearestThingIsSeenByALidarToo(t *testing.T) {
	r := newLidarRig(t, models.LidarName)
	r.scan(thing)
	if n := r.guard.Nearest(); math.Abs(n.Distance-(0.5-0.16)) > 0.01 || math.Abs(n.Bearing) > robot.Radians(10) || n.Sonar != -1 {
		t.Errorf("nearest %+v, want 0.34 m by no sonar", n)
	}
}

func BenchmarkObserveScan(b *testing.B) {
	data, _ := models.Find(models.LidarName)
	desc, err := robot.ParseDescription(data)
	if err != nil {
		b.Fatal(err)
	}
	g, d := New(desc), scan.NewDeskewer(desc)
	now := epoch
	ranges := slices.Repeat([]float64{1.5}, 360)
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(100 * time.Millisecond)
		ranges = slices.Clone(ranges)
		ranges[0] += 1e-9
		r := robot.Reading{Time: now, Scans: []robot.Scan{{Time: now, Ranges: ranges}}}
		clouds, _ := d.Observe(r)
		g.Observe(r, clouds...)
		g.Limit(robot.Twist{Linear: 0.5}, robot.Twist{Linear: 0.5}, robot.Twist{}, Approach{Stop: 0.35})
	}
}
