package survey_test

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/sim"
	"mybot/mapping/survey"
	"mybot/robot"
	"mybot/robot/models"
)

// A sonarRide is a simulated robot with sonars that drives in circles in a room,
// and its Sketcher.
type sonarRide struct {
	t        *testing.T
	world    *sim.World
	sketcher *survey.Sketcher
	state    survey.State
	begin    robot.Pose // in the room
}

// newSonarRide begins a Sketcher, which ends with the bubble.
func newSonarRide(t *testing.T) *sonarRide {
	t.Helper()
	data, _ := models.Find(models.MybotName)
	desc, err := robot.ParseDescription(data)
	if err != nil {
		t.Fatal(err)
	}
	r := &sonarRide{t: t, begin: robot.Pose{Y: -2.2, Theta: 0.3}}
	r.world = sim.NewWorld(desc, room(), sim.DefaultScene(), sim.Options{Seed: 5, Start: r.begin, Epoch: time.Now()})
	r.sketcher = survey.NewSketcher(desc, func(s survey.State) { r.state = s })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.sketcher.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-ended
		if err := r.sketcher.Pause(context.WithoutCancel(t.Context())); !errors.Is(err, survey.ErrEnded) {
			t.Errorf("after it has ended it answers %v", err)
		}
	})
	return r
}

// drive drives for some seconds.
func (r *sonarRide) drive(l *survey.SketchLocalizer, seconds float64) {
	r.t.Helper()
	for range int(seconds * 50) {
		at := r.world.Truth().Pose
		ahead := math.Atan2(at.Y, at.X) + math.Pi/2 + 0.8*(at.Point().Norm()-2.2)
		if err := r.world.Drive(robot.Twist{Linear: 0.4, Angular: 0.4/2.2 + 1.5*robot.WrapAngle(ahead-at.Theta)}); err != nil {
			r.t.Fatal(err)
		}
		l.Update(r.world.Step())
		time.Sleep(20 * time.Millisecond) // of the bubble
		synctest.Wait()
	}
}

// must waits until the outcome is reported.
func (r *sonarRide) must(err error) {
	r.t.Helper()
	synctest.Wait()
	if err != nil {
		r.t.Fatal(err)
	}
}

// refuses checks that a request is refused with a sentence.
func (r *sonarRide) refuses(what string, err error, says string) {
	r.t.Helper()
	if err == nil || !strings.Contains(err.Error(), says) {
		r.t.Errorf("%s: %v", what, err)
	}
}

func TestASketchGrowsWhileTheRobotDrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, ctx := newSonarRide(t), t.Context()
		r.refuses("a pause of nothing", r.sketcher.Pause(ctx), "No sketch")
		r.refuses("resuming nothing", r.sketcher.Resume(ctx), "not paused")
		l, err := r.sketcher.Begin(ctx)
		r.must(err)
		r.refuses("an empty sketch", r.sketcher.Finish(ctx), "drive the robot")
		r.drive(l, 30)
		s := r.state
		if s.Phase != survey.Mapping || s.Kind != survey.Echoes || s.Way < 10 || s.Way > 13 || len(s.Trail) < 40 || s.Lasted < 29*time.Second || len(s.Tiles) != 1 {
			t.Fatalf("%+v", s)
		}
		data, exact, ok := r.sketcher.Picture(0, s.Tiles[0].Revision)
		picture, err := png.Decode(bytes.NewReader(data))
		if !exact || !ok || err != nil || picture.Bounds().Dx() != s.Tiles[0].Width || picture.Bounds().Dy() != s.Tiles[0].Height {
			t.Errorf("the picture of revision %d: %t, %t, %v", s.Tiles[0].Revision, exact, ok, err)
		}
		at := r.begin.Compose(l.Estimate().Pose)
		if off := at.Point().Sub(r.world.Truth().Pose.Point()).Norm(); off > 0.3 || l.Estimate().Trust != robot.TrustOK {
			t.Errorf("the robot is %.2f m off, %v", off, l.Estimate().Trust)
		}
		more, ok, err := r.sketcher.Compass(ctx)
		if shown := robot.WrapAngle(more - r.begin.Theta); !ok || err != nil || math.Abs(shown) > robot.Radians(5) {
			t.Errorf("the compass shows %.1f degrees more than the yaw in the room, %t, %v", robot.Degrees(shown), ok, err)
		}

		r.must(r.sketcher.Pause(ctx))
		before := r.state.KeyFrames
		r.drive(l, 3)
		if r.state.Phase != survey.Paused || r.state.KeyFrames != before {
			t.Errorf("while it is paused: %+v", r.state)
		}
		r.must(r.sketcher.Undo(ctx))
		r.must(r.sketcher.Resume(ctx))
		r.drive(l, 1)
		if n := r.state.KeyFrames; n > before-30 {
			t.Errorf("after undo there are %d of %d poses", n, before)
		}
		if _, err := r.sketcher.Result(ctx); err == nil {
			t.Error("a sketch that is drawn has a result")
		}
		r.drive(l, 10)
		r.must(r.sketcher.Finish(ctx))
		result, err := r.sketcher.Result(ctx)
		r.must(err)
		grid := result.DrawGrid(robot.Pose{}, 0.05, 1<<20)
		if r.state.Phase != survey.Review || grid.At(robot.Point{}) != robot.Free {
			t.Errorf("%+v", r.state)
		}
		r.must(r.sketcher.Resume(ctx))
		r.drive(l, 1)
		r.must(r.sketcher.Discard(ctx))
		synctest.Wait()
		if r.state.Phase != survey.Idle || len(r.state.Tiles) != 0 {
			t.Errorf("%+v", r.state)
		}
		if _, _, ok := r.sketcher.Picture(0, 1); ok {
			t.Error("what was discarded has a picture")
		}
		r.drive(l, 10) // until the control loop has another localizer, its readings are not taken
	})
}

func TestASheetIsReviewedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, ctx := newSonarRide(t), t.Context()
		_, err := r.sketcher.BeginSheet(ctx, 1, 5)
		r.refuses("a sheet that is too small", err, "between 2 and 40 m")
		l, err := r.sketcher.BeginSheet(ctx, 8, 6)
		r.must(err)
		r.drive(l, 2)
		result, err := r.sketcher.Result(ctx)
		r.must(err)
		if r.state.Phase != survey.Review || r.state.Kind != survey.ByHand || result.IsSketch() || len(r.state.Tiles) != 0 {
			t.Errorf("%+v", r.state)
		}
		r.refuses("going back to a drive", r.sketcher.Resume(ctx), "no drive")
		r.refuses("undo", r.sketcher.Undo(ctx), "No sketch")
		if _, ok, err := r.sketcher.Compass(ctx); !ok || err != nil {
			t.Errorf("the compass: %t, %v", ok, err)
		}
		again, err := r.sketcher.Begin(ctx)
		r.must(err)
		r.drive(again, 1)
		if r.state.Kind != survey.Echoes || r.state.Phase != survey.Mapping {
			t.Errorf("%+v", r.state)
		}
	})
}

func TestFarFromTheStartTheSketcherSaysThatItDoesNotDraw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, ctx := newSonarRide(t), t.Context()
		l, err := r.sketcher.Begin(ctx)
		r.must(err)
		for n := range 18 * 50 { // 18 m straight ahead, in a hall without walls
			l.Update(robot.Reading{Time: time.Now(), Heading: math.NaN(), Travel: robot.Wheels{Left: 0.02, Right: 0.02}})
			time.Sleep(20 * time.Millisecond) // of the bubble
			synctest.Wait()
			if far := 0.02 * float64(n); far > 16 != (r.state.Why != "") && (far < 14 || far > 16.5) {
				t.Fatalf("%.1f m from the start it says %q", far, r.state.Why)
			}
		}
	})
}
