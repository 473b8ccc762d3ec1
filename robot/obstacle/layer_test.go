package obstacle

import (
	"math"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
	"mybot/robot/models"
	"mybot/robot/scan"
)

func TestAPointIsForgottenWhenItShouldBe(t *testing.T) {
	barrel := disc{at: robot.Point{X: 2}, radius: 0.25}
	for _, c := range []struct {
		name string
		do   func(r *rig)
		want bool
	}{
		{"what is seen is there", func(*rig) {}, true},
		{"a beam that looks through it once may be wrong", func(r *rig) { r.discs = nil; r.scans(1, robot.Twist{}) }, true},
		{"two scans that look through it are right", func(r *rig) { r.discs = nil; r.scans(2, robot.Twist{}) }, false},
		{"out of sight it is remembered for 20 s", func(r *rig) { r.blind(19900 * time.Millisecond) }, true},
		{"and no longer", func(r *rig) { r.blind(20100 * time.Millisecond) }, false},
		{"behind something else it is remembered", func(r *rig) {
			r.discs[0] = disc{at: robot.Point{X: 1}, radius: 0.3}
			r.scans(5, robot.Twist{})
		}, true},
		{"what is more than 4 m away is forgotten", func(r *rig) {
			r.discs, r.pose.X = nil, -2.4
			r.read(robot.Wheels{Left: -2.4, Right: -2.4})
			r.pose.X = 0
			r.read(robot.Wheels{Left: 2.4, Right: 2.4})
		}, false},
		{"when the clock is set back nothing is known", func(r *rig) { r.blind(-time.Second) }, false},
		{"where the robot itself is there is nothing", func(r *rig) {
			r.pose.X = 1.7
			r.read(robot.Wheels{Left: 1.7, Right: 1.7})
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(models.LidarName, barrel)
			r.scans(3, robot.Twist{})
			c.do(r)
			if got := r.sees(1.75, 0); got != c.want {
				t.Errorf("the layer has it: %v, want %v", got, c.want)
			}
		})
	}
}

func TestASingleBeamMakesNoObstacleUntilThreeScansAgree(t *testing.T) {
	r := newRig(models.LidarName)
	see := func(beam int, far float64) {
		r.now = r.now.Add(100 * time.Millisecond)
		c, l := r.cloud(), r.desc.Lidars[0]
		if beam >= 0 {
			sin, cos := math.Sincos(l.Bearing(beam))
			c.Beams[beam] = scan.Beam{End: c.Origin.Add(robot.Point{X: far * cos, Y: far * sin}), Echo: true}
		}
		r.read(robot.Wheels{}, c)
	}
	see(180, 1.5)
	see(180, 1.51)
	if r.sees(1.6, 0) {
		t.Error("one beam of two scans made an obstacle")
	}
	see(180, 1.49)
	if !r.sees(1.6, 0) {
		t.Error("a thin object in three scans is not seen")
	}
	see(90, 1.5)
	see(-1, 0)
	if len(r.layer.raster.points) > 0 {
		t.Error("a stray beam is remembered")
	}
	for _, far := range []float64{1.5, 1.5, 0, 1.5} {
		beam := 180
		if far == 0 {
			beam = -1
		}
		see(beam, far)
	}
	if r.sees(1.6, 0) {
		t.Error("scans that are not in a row made an obstacle")
	}
}

// TestWhatALidarMisplacedAtAnEdgeIsForgotten has a post before a round wall. A beam at the edge
// of the post measures something between both, as lidars do.
func TestWhatALidarMisplacedAtAnEdgeIsForgotten(t *testing.T) {
	r := newRig(models.LidarName, disc{at: robot.Point{X: 1.1}, radius: 0.2}, disc{at: robot.Point{X: 5}, radius: 2})
	c, l := r.cloud(), r.desc.Lidars[0]
	edge := 180
	for c.Beams[edge].End.X < 2 {
		edge++
	}
	sin, cos := math.Sincos(l.Pose.Theta + l.Bearing(edge))
	wrong := c.Origin.Add(robot.Point{X: 2 * cos, Y: 2 * sin})
	for range minScans {
		travel := r.pass(robot.Twist{})
		c := r.cloud()
		c.Beams[edge] = scan.Beam{End: wrong, Echo: true}
		r.read(travel, c)
	}
	if !r.sees(wrong.X, wrong.Y) {
		t.Fatal("the layer does not have the misplaced point; the test shows nothing")
	}
	if r.scans(2, robot.Twist{}); r.sees(wrong.X, wrong.Y) {
		t.Error("the misplaced point remains, though the beam in its direction looks through it")
	}
	if !r.sees(0.9, 0) || !r.sees(3.21, 0.9) {
		t.Error("the post or the wall is forgotten")
	}
}

func TestAJumpOfTheEstimateMovesPointsWithTheRobotAndNotTheWalls(t *testing.T) {
	r := newRig(models.LidarName, disc{at: robot.Point{X: 2}, radius: 0.25})
	r.walls = line(3)
	r.scans(3, robot.Twist{})
	for _, off := range []robot.Pose{{}, {X: 0.4, Y: 0.3}, {Theta: 0.5}, {X: -1, Y: 0.2, Theta: -2}} {
		r.off = off
		r.read(robot.Wheels{})
		base := r.pose.Compose(off)
		if far := r.layer.Clearance(base.Apply(robot.Point{X: 1.45})); math.Abs(far-0.3) > 0.03 {
			t.Errorf("after a jump by %v the barrel is %.2f m from where it was 0.3 m away", off, far)
		}
		if far := r.layer.Clearance(robot.Point{X: -20, Y: 2}); far != 1 {
			t.Errorf("after a jump by %v the wall is %.2f m away, want 1", off, far)
		}
	}
}

func TestWithoutAMapAndWithoutASightNothingIsKnown(t *testing.T) {
	r := newRig(models.MybotName)
	r.read(robot.Wheels{})
	if far := r.layer.Clearance(robot.Point{}); !math.IsInf(far, 1) || len(r.layer.Discs()) != 0 || len(r.layer.AppendUnmapped(nil)) != 0 {
		t.Errorf("something is %v m away", far)
	}
}

func TestWhatTheMapExplainsCountsAndIsNotUnmapped(t *testing.T) {
	r := newRig(models.LidarName, disc{at: robot.Point{X: 2, Y: 0.8}, radius: 0.15}, disc{at: robot.Point{X: 1, Y: -1}, radius: 0.2})
	r.walls = line(0.8)
	r.scans(2, robot.Twist{})
	points := r.layer.AppendUnmapped(nil)
	if len(points) == 0 {
		t.Fatal("the second barrel is missing")
	}
	for _, p := range points {
		if p.Y > 0 {
			t.Errorf("%v is on the map", p)
		}
	}
	if !r.sees(1.86, 0.76) {
		t.Error("what is on the map and seen does not count")
	}
}

func TestWhatTheBumperFeelsIsRememberedForAMinute(t *testing.T) {
	for _, c := range []struct {
		name   string
		model  string
		travel float64
		x      float64 // where the bumper touches
	}{
		{"ahead", models.LidarName, 0.004, 0.27},
		{"backing", models.LidarName, -0.004, -0.27},
		{"with sonars", models.MybotName, 0.004, 0.27},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(c.model)
			travel := robot.Wheels{Left: c.travel, Right: c.travel}
			for range 2 {
				r.pose.X += c.travel
				r.now = r.now.Add(20 * time.Millisecond)
				r.read(travel)
				r.bump = true
			}
			at := r.pose.X + c.x
			for y := -0.22; y <= 0.22; y += 0.02 {
				if !r.sees(at, y) || r.sees(r.pose.X-c.x, y) {
					t.Fatalf("at y %.2f nothing is felt, or it is on the wrong side", y)
				}
			}
			if c.model == models.LidarName {
				r.scans(5, robot.Twist{}) // which see over it
			}
			r.blind(59 * time.Second)
			if !r.sees(at, 0) {
				t.Error("it was forgotten within a minute")
			}
			r.blind(1500 * time.Millisecond)
			if r.sees(at, 0) {
				t.Error("it is remembered for longer than a minute, though nothing new was felt")
			}
		})
	}
}

// TestWhatIsExactlyAGapApartIsOneObject shows a scan from the origin with gaps of exactly
// TrackGap.
func TestWhatIsExactlyAGapApartIsOneObject(t *testing.T) {
	clustersOf := func(ends ...robot.Point) []cluster {
		r := newRig(models.LidarName)
		c := scan.Cloud{Time: r.now, Last: r.now}
		for _, p := range ends {
			c.Beams = append(c.Beams, scan.Beam{End: p, Echo: true})
		}
		r.read(robot.Wheels{}, c)
		return r.layer.clusters
	}
	const gap = limits.TrackGap
	if c := clustersOf(robot.Point{X: 2}, robot.Point{X: 2, Y: gap}); len(c) != 1 {
		t.Errorf("in a scan it is %+v", c)
	}
	if c := clustersOf(robot.Point{X: 2}, robot.Point{X: 3, Y: 3}, robot.Point{X: 2, Y: gap}); len(c) != 3 || c[0].whole != 2 {
		t.Errorf("over the start of a scan it is %+v", c)
	}
	if c := clustersOf(robot.Point{X: 2}, robot.Point{Y: 2 - gap}); len(c) != 2 || c[0].partial {
		t.Errorf("what is that much nearer hides the other: %+v", c)
	}
}

func TestACutCornerFeelsWhatTheFrontFeels(t *testing.T) {
	desc := describe(models.LidarName)
	const a, b = 0.125, 0.25
	desc.Body.Hull = []robot.Point{{X: b, Y: a}, {X: a, Y: b}, {X: -a, Y: b}, {X: -b, Y: a}, {X: -b, Y: -a}, {X: -a, Y: -b}, {X: a, Y: -b}, {X: b, Y: -a}}
	r := newRig(models.LidarName)
	r.layer, r.bump = New(desc), true
	r.read(robot.Wheels{})
	const corner = (a + b) / 2
	if !r.sees(corner+touched, corner) || !r.sees(corner+touched, -corner) {
		t.Error("at the corners nothing is felt")
	}
	if r.sees(0, b) || r.sees(-corner, corner) {
		t.Error("the side or the back feels it too")
	}
}
