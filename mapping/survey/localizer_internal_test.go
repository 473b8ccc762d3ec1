package survey

import (
	"math"
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/models"
	"mybot/robot/scan"
)

// A course is a robot that drives straight on, with its localizer; no map is built.
type course struct {
	l   *Localizer
	now time.Time
}

func newCourse(t *testing.T, places int) *course {
	t.Helper()
	data, _ := models.Find(models.LidarName)
	desc, err := robot.ParseDescription(data)
	if err != nil {
		t.Fatal(err)
	}
	link := &link{frames: make(chan keyFrame, places)}
	link.taking.Store(true)
	return &course{newLocalizer(desc, 0, link, robot.Pose{}), time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)}
}

// roll drives straight on, in steps of 2 cm with a scan each, 10 a second.
func (c *course) roll(metres float64) {
	for range int(math.Round(metres / 0.02)) {
		c.now = c.now.Add(100 * time.Millisecond)
		c.l.Update(robot.Reading{Time: c.now, Travel: robot.Wheels{Left: 0.02, Right: 0.02}})
		c.l.ObserveScans([]scan.Cloud{{Time: c.now}, {Lidar: 1, Time: c.now}})
	}
}

// wait lets time pass.
func (c *course) wait(d time.Duration) {
	c.now = c.now.Add(d)
	c.l.Update(robot.Reading{Time: c.now})
}

// taken returns the queued key frames.
func (c *course) taken() (frames []keyFrame) {
	for len(c.l.frames) > 0 {
		frames = append(frames, <-c.l.frames)
	}
	return frames
}

// The scan under way when a person presses Resume may show where the robot was moved to.
func TestAScanThatBeganBeforeTheRobotWasPutBackIsNoKeyFrame(t *testing.T) {
	c := newCourse(t, 64)
	c.roll(1)
	c.taken()
	c.l.place.Store(&place{pose: robot.Pose{X: 5}, sinceKey: robot.Pose{X: -0.5}})
	put := c.now.Add(100 * time.Millisecond)
	c.wait(100 * time.Millisecond)
	for _, late := range []time.Duration{0, 60, 99, 100} {
		c.wait(100 * time.Millisecond)
		c.l.ObserveScans([]scan.Cloud{{Time: c.now, Last: put.Add(late * time.Millisecond)}})
		if frames := c.taken(); len(frames) > 0 != (late == 100) {
			t.Errorf("of a scan that ended %d ms after the robot was put there, and takes 100 ms, there are %d key frames", late, len(frames))
		}
	}
}

func TestAKeyFrameAfterAJumpHasTheMotionWithoutTheJump(t *testing.T) {
	c := newCourse(t, 64)
	c.roll(1)
	c.taken()
	c.l.Update(robot.Reading{Time: c.now, Travel: robot.Wheels{Left: 3, Right: 3}})
	c.roll(1)
	distance := 0.0
	for _, f := range c.taken() {
		distance += f.Motion.X
	}
	if distance < 0.7 || distance > 1 {
		t.Errorf("1 m with a jump by 3 m is %.2f m", distance)
	}
}

func TestScansBecomeKeyFramesWithAllOfTheMotion(t *testing.T) {
	c := newCourse(t, 64)
	c.roll(2)
	frames := c.taken()
	distance := 0.0
	for i, f := range frames {
		if f.number != i || f.Cloud.Lidar != 0 {
			t.Errorf("key frame %d has the number %d and is of lidar %d", i, f.number, f.Cloud.Lidar)
		}
		if i > 0 {
			distance += f.Motion.X
		}
	}
	if len(frames) != 10 || math.Abs(distance-1.8) > 1e-9 {
		t.Errorf("2 m have %d key frames with %g m, want 10 with 1.8 m", len(frames), distance)
	}
	c.l.taking.Store(false)
	if c.roll(1); len(c.taken()) != 0 {
		t.Error("a pause has key frames")
	}
	c.l.taking.Store(true)
	c.roll(0.02)
	if frames := c.taken(); len(frames) != 1 || math.Abs(frames[0].Motion.X-1.2) > 0.021 {
		t.Errorf("after the pause there is %+v, want one key frame with 1.2 m", frames)
	}
}

func TestAKeyFrameThatFindsNoPlaceIsNeitherWaitedForNorForgotten(t *testing.T) {
	c := newCourse(t, 3)
	c.roll(2)
	if !c.l.full.Load() {
		t.Error("there is no event")
	}
	first := c.taken()
	c.roll(0.2)
	next := c.taken()
	if len(first) != 3 || len(next) == 0 {
		t.Fatalf("%d and %d key frames", len(first), len(next))
	}
	if distance := next[0].Motion.X; next[0].number != 3 || distance < 1.5 {
		t.Errorf("the next key frame is number %d with %g m; the distance since the previous one is more than 1.5 m", next[0].number, distance)
	}
}

func TestThePoseIsTheNewestOfTheMapperAndWhatTheWheelsRolledSince(t *testing.T) {
	c := newCourse(t, 64)
	c.roll(1)
	at := c.l.Estimate().Pose
	if math.Abs(at.X-1) > 1e-9 || c.l.Estimate().Trust != robot.TrustOK {
		t.Fatalf("without a map it is at %v", at)
	}
	// Key frame 2 was taken at 0.42 m; the mapper corrects it by 0.1 m and a turn.
	odom := c.l.odoms[2]
	where := robot.Pose{X: odom.X + 0.1, Y: 0.3, Theta: math.Pi / 2}
	c.l.fix.Store(&fix{number: 2, pose: where})
	c.wait(0)
	want := where.Compose(odom.Inverse().Compose(robot.Pose{X: 1}))
	if got := c.l.Estimate().Pose; got.Point().Sub(want.Point()).Norm() > 1e-9 || math.Abs(got.Theta-want.Theta) > 1e-9 {
		t.Errorf("it is at %v, want %v", got, want)
	}
	c.l.fix.Store(&fix{number: 3, pose: where, unsure: true})
	c.wait(0)
	if c.l.Estimate().Trust != robot.TrustUnsure {
		t.Error("a key frame that does not fit leaves it sure")
	}
	c.l.fix.Store(&fix{number: c.l.sent - 1, pose: at})
	c.l.taking.Store(false)
	c.wait(0)
	if c.l.Estimate().Trust != robot.TrustOK {
		t.Error("one that fits leaves it unsure")
	}
	if c.roll(3.5); c.l.Estimate().Trust != robot.TrustUnsure {
		t.Error("3.5 m by the wheels leave it sure")
	}
}

func TestTheRobotIsSlowedWhileTheMapIsBehind(t *testing.T) {
	c := newCourse(t, 64)
	c.roll(0.4)
	for _, step := range []struct {
		name string
		seen int64 // key frames that have a pose
		wait time.Duration
		slow bool
	}{
		{"none has a place for a second", 0, 0, false},
		{"none for three seconds more", 0, 3 * time.Second, true},
		{"all have one", 2, 0, false},
		{"and nothing comes for a minute", 2, time.Minute, false},
	} {
		c.l.seen.Store(step.seen)
		c.wait(step.wait)
		speed, why := c.l.SpeedLimit()
		if slow := speed == behindSpeed; slow != step.slow || slow != strings.Contains(why, "3 s behind") {
			t.Errorf("%s: it may drive at %g m/s: %q", step.name, speed, why)
		}
	}
}

func TestOnlyALidarThatSeesHalfOfAllDirectionsMakesAMap(t *testing.T) {
	lidar := func(degrees float64) robot.Lidar { return robot.Lidar{Step: robot.Radians(degrees / 360), Beams: 360} }
	for _, c := range []struct {
		name  string
		desc  robot.Description
		want  int
		fault string
	}{
		{"the widest of two", robot.Description{Lidars: []robot.Lidar{lidar(90), lidar(270)}}, 1, ""},
		{"a narrow one", robot.Description{Lidars: []robot.Lidar{lidar(90)}}, 0, "sees 90 degrees"},
		{"sonars", robot.Description{Sonars: make([]robot.Sonar, 12)}, 0, "sonars only"},
		{"neither", robot.Description{}, 0, "no lidar"},
	} {
		got, err := Lidar(c.desc)
		if got != c.want || (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: %d, %v", c.name, got, err)
		}
	}
}
