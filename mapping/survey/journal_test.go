package survey_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/sim"
	"mybot/mapping"
	"mybot/mapping/journal"
	"mybot/mapping/survey"
	"mybot/robot"
	"mybot/robot/models"
	"mybot/robot/scan"
)

// notebook is a journal in memory. Synced data survives when the program is killed.
type notebook struct {
	*journal.Writer
	data   bytes.Buffer
	synced int
	broken error // that Sync returns
}

func newNotebook(t *testing.T) *notebook {
	t.Helper()
	n := &notebook{}
	var err error
	if n.Writer, err = journal.NewWriter(&n.data, journal.Header{Began: time.Now()}); err != nil {
		t.Fatal(err)
	}
	return n
}

func (n *notebook) Sync() error {
	if n.broken == nil {
		n.synced = n.data.Len()
	}
	return n.broken
}

// read returns a Replay of data, and the notebook that continues it.
func read(data []byte) (*notebook, survey.Replay) {
	n := &notebook{}
	return n, func(take func(journal.Record) error) (survey.Journal, error) {
		c, err := journal.Read(bytes.NewReader(data), take)
		n.data.Write(data[:c.Size])
		n.Writer = c.Continue(&n.data)
		return n, err
	}
}

// A ride is a simulated robot with a lidar that drives in circles in a room, and
// its Survey.
type ride struct {
	t      *testing.T
	world  *sim.World
	deskew *scan.Deskewer
	survey *survey.Survey
	state  survey.State
	cancel context.CancelFunc
	ended  chan error
}

func room() *robot.Floorplan {
	plan := &robot.Floorplan{}
	box := func(x0, y0, x1, y1 float64) {
		a, b, c, d := robot.Point{X: x0, Y: y0}, robot.Point{X: x1, Y: y0}, robot.Point{X: x1, Y: y1}, robot.Point{X: x0, Y: y1}
		plan.Lines = append(plan.Lines, robot.Segment{A: a, B: b}, robot.Segment{A: b, B: c}, robot.Segment{A: c, B: d}, robot.Segment{A: d, B: a})
	}
	box(-4.5, -3.5, 4.5, 3.5)
	box(-0.4, -0.3, 0.6, 0.5)
	box(3.9, 1, 4.5, 1.7)
	box(-2.2, 3.1, -1.1, 3.5)
	return plan
}

func newRide(t *testing.T) *ride {
	t.Helper()
	return newRideIn(t, room(), "nominal")
}

// newRideIn is newRide on a floor plan, with a robot that deviates from its
// description.
func newRideIn(t *testing.T, plan *robot.Floorplan, name string) *ride {
	t.Helper()
	deviation, err := sim.ParseDeviation(name)
	if err != nil {
		t.Fatal(err)
	}
	data, _ := models.Find(models.LidarName)
	desc, err := robot.ParseDescription(data)
	if err != nil {
		t.Fatal(err)
	}
	r := &ride{t: t, world: sim.NewWorld(desc, plan, sim.DefaultScene(), sim.Options{Seed: 5, Start: robot.Pose{Y: -2.2}, Epoch: time.Now(), Deviation: deviation}), deskew: scan.NewDeskewer(desc)}
	r.run()
	return r
}

// run begins a Survey, as a program does at its start.
func (r *ride) run() {
	lidar, err := survey.Lidar(r.world.Describe())
	if err != nil {
		r.t.Fatal(err)
	}
	r.survey = survey.New(r.world.Describe(), lidar, func(s survey.State) { r.state = s })
	var ctx context.Context
	ctx, r.cancel = context.WithCancel(r.t.Context())
	r.ended = make(chan error, 1)
	go func() { r.ended <- r.survey.Run(ctx) }()
}

// kill ends it.
func (r *ride) kill() {
	r.cancel()
	<-r.ended
}

// drive drives for some seconds; l may be nil.
func (r *ride) drive(l *survey.Localizer, seconds float64) {
	r.t.Helper()
	for range int(seconds * 50) {
		at := r.world.Truth().Pose
		ahead := math.Atan2(at.Y, at.X) + math.Pi/2 + 0.8*(at.Point().Norm()-2.2)
		r.step(l, robot.Twist{Linear: 0.5, Angular: 0.5/2.2 + 1.5*robot.WrapAngle(ahead-at.Theta)})
	}
}

// turn turns on the spot for some seconds.
func (r *ride) turn(l *survey.Localizer, seconds float64) {
	r.t.Helper()
	for range int(seconds * 50) {
		r.step(l, robot.Twist{Angular: 0.7})
	}
}

// step drives for 20 ms; l may be nil.
func (r *ride) step(l *survey.Localizer, v robot.Twist) {
	r.t.Helper()
	r.must(r.world.Drive(v))
	reading := r.world.Step()
	clouds, _ := r.deskew.Observe(reading)
	if l != nil {
		l.Update(reading)
		l.ObserveScans(clouds)
	}
	time.Sleep(20 * time.Millisecond) // of the bubble
	synctest.Wait()
}

func (r *ride) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// finish finishes the map and returns its poses.
func (r *ride) finish() []robot.Pose {
	r.t.Helper()
	r.must(r.survey.Finish(r.t.Context()))
	time.Sleep(time.Second)
	synctest.Wait()
	result, err := r.survey.Result(r.t.Context())
	r.must(err)
	poses := make([]robot.Pose, result.KeyFrames())
	for i := range poses {
		poses[i] = result.Pose(i)
	}
	return poses
}

// offTruth returns the distance of an estimate from the robot's true position, in
// m; mapFromRoom is the inverse of the pose at which the map began.
func (r *ride) offTruth(l *survey.Localizer, mapFromRoom robot.Pose) float64 {
	return mapFromRoom.Compose(r.world.Truth().Pose).Point().Sub(l.Estimate().Pose.Point()).Norm()
}

func TestAMapOfAKilledProgramIsTheSameAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRide(t)
		n := newNotebook(t)
		l, err := r.survey.Begin(t.Context(), n)
		r.must(err)
		r.drive(l, 15)
		r.must(r.survey.Undo(t.Context()))
		r.drive(l, 5)
		r.must(r.survey.Pause(t.Context()))
		r.drive(l, 1)
		r.must(r.survey.Resume(t.Context()))
		r.drive(l, 10)
		r.must(r.survey.Pause(t.Context()))
		if n.synced != n.data.Len() {
			t.Error("what was mapped before the pause is not on the disk")
		}
		data := bytes.Clone(n.data.Bytes())
		synctest.Wait()
		lasted := r.state.Lasted
		want := r.finish()
		r.kill()

		r.run()
		_, again := read(data)
		_, edits, err := r.survey.Recover(t.Context(), again)
		r.must(err)
		time.Sleep(time.Second)
		synctest.Wait()
		if r.state.Phase != survey.Paused || !strings.HasPrefix(r.state.Why, "The program was restarted") || len(edits) != 0 || (r.state.Lasted-lasted).Abs() > time.Second {
			t.Errorf("%+v, want %v", r.state, lasted)
		}
		if got := r.finish(); len(got) < 30 || !reflect.DeepEqual(got, want) {
			t.Errorf("%d poses, want the same %d", len(got), len(want))
		}
		r.kill()
	})
}

func TestAKilledProgramLosesTenSecondsAtMost(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes for long; -short leaves it out")
	}
	synctest.Test(t, func(t *testing.T) {
		r := newRide(t)
		n := newNotebook(t)
		mapFromRoom := r.world.Truth().Pose.Inverse()
		l, err := r.survey.Begin(t.Context(), n)
		r.must(err)
		for second := range 25 {
			r.drive(l, 1)
			var newest time.Time
			records := 0
			if n.synced > 0 {
				_, err := journal.Read(bytes.NewReader(n.data.Bytes()[:n.synced]), func(r journal.Record) error {
					if r.Kind == journal.KeyFrame {
						newest, records = r.KeyFrame.Cloud.Time, records+1
					}
					return nil
				})
				r.must(err)
			}
			if second > 10 && (time.Since(newest) > 10*time.Second || records < 10) {
				t.Fatalf("after %d s the newest of %d key frames on the disk is %v old", second, records, time.Since(newest))
			}
		}
		// The power is cut. When the program starts again, the robot stands at the
		// same pose.
		data := bytes.Clone(n.data.Bytes()[:n.synced])
		r.kill()
		r.drive(nil, 0.2)
		r.run()
		again, replay := read(data)
		l, _, err = r.survey.Recover(t.Context(), replay)
		r.must(err)
		before := again.data.Len() // a restart is in it
		r.drive(l, 0.5)
		if again.data.Len() != before {
			t.Error("something is mapped in the pause")
		}
		r.must(r.survey.Resume(t.Context()))
		r.drive(l, 35)
		if off := r.offTruth(l, mapFromRoom); off > 0.1 {
			t.Errorf("after the restart the robot is %.2f m off", off)
		}
		if poses := r.finish(); len(poses) < 100 {
			t.Errorf("%d key frames", len(poses))
		}
		r.kill()
	})
}

func TestAFinishedMapIsExtendedFromWhereTheRobotIs(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes for long; -short leaves it out")
	}
	synctest.Test(t, func(t *testing.T) {
		r := newRide(t)
		n := newNotebook(t)
		mapFromRoom := r.world.Truth().Pose.Inverse()
		l, err := r.survey.Begin(t.Context(), n)
		r.must(err)
		r.drive(l, 30)
		old := r.finish()
		var saved bytes.Buffer
		r.must(journal.Compact(&saved, bytes.NewReader(n.data.Bytes()), old))
		r.kill()

		r.drive(nil, 7)
		r.run()
		at := mapFromRoom.Compose(r.world.Truth().Pose).Compose(robot.Pose{X: 0.1, Y: 0.1, Theta: 0.1}) // as localization has it
		_, replay := read(saved.Bytes())
		l, err = r.survey.Extend(t.Context(), replay, at)
		r.must(err)
		r.drive(l, 10)
		if off := r.offTruth(l, mapFromRoom); off > 0.06 {
			t.Errorf("the robot is %.2f m off", off)
		}
		if got := r.finish(); len(got) < len(old)+20 || !reflect.DeepEqual(got[:len(old)], old) {
			t.Errorf("%d poses; the first %d are to stay", len(got), len(old))
		}
		r.kill()
	})
}

func TestTheEditsOfAReviewAreThereAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRide(t)
		n := newNotebook(t)
		l, err := r.survey.Begin(t.Context(), n)
		r.must(err)
		r.drive(l, 3)
		if err := r.survey.SaveEdits(t.Context(), []byte(`{}`)); err == nil {
			t.Error("edits are saved of a map that is not finished")
		}
		r.finish()
		r.must(r.survey.SaveEdits(t.Context(), []byte(`{"n":1}`)))
		r.must(r.survey.SaveEdits(t.Context(), []byte(`{"n":2}`)))
		r.kill()
		r.run()
		_, replay := read(bytes.Clone(n.data.Bytes()))
		_, edits, err := r.survey.Recover(t.Context(), replay)
		r.must(err)
		if len(edits) != 2 || string(edits[1]) != `{"n":2}` {
			t.Errorf("%s", edits)
		}
		r.kill()
	})
}

func TestAFullDiskIsToldAndMappingContinues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRide(t)
		n := newNotebook(t)
		l, err := r.survey.Begin(t.Context(), n)
		r.must(err)
		r.drive(l, 3)
		n.broken = fmt.Errorf("write: %w", syscall.ENOSPC)
		r.drive(l, 8)
		if !strings.HasPrefix(r.state.Why, "The disk is full") || r.state.Phase != survey.Mapping {
			t.Errorf("%+v", r.state)
		}
		frames := r.state.KeyFrames
		n.broken = nil
		r.drive(l, 8)
		if r.state.Why != "" || r.state.KeyFrames <= frames || n.synced == 0 {
			t.Errorf("%+v", r.state)
		}
		r.kill()
	})
}

func TestItIsToldThatAMapIsNotSavedWhileItIsMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRide(t)
		l, err := r.survey.Begin(t.Context(), survey.Unsaved{Err: robot.Refusef("This program may not write to the folder of the maps.")})
		r.must(err)
		r.drive(l, 8)
		const want = "This program may not write to the folder of the maps. What is mapped now would be lost if the program ended."
		if r.state.Why != want || r.state.Phase != survey.Mapping || r.state.KeyFrames < 10 {
			t.Errorf("%q, %+v", r.state.Why, r.state.Phase)
		}
		r.kill()
	})
}

// fullNotebook refuses key frames for a while.
type fullNotebook struct {
	*notebook
	full bool
}

func (n *fullNotebook) AddKeyFrame(k mapping.KeyFrame) (mapping.KeyFrame, error) {
	if n.full {
		return k, errors.New("the disk has taken nothing for too long")
	}
	return n.notebook.AddKeyFrame(k)
}

func TestMappingPausesWhenNoKeyFrameIsSavedAnyMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRide(t)
		n := &fullNotebook{notebook: newNotebook(t)}
		mapFromRoom := r.world.Truth().Pose.Inverse()
		l, err := r.survey.Begin(t.Context(), n)
		r.must(err)
		r.drive(l, 5)
		n.full = true
		r.drive(l, 3)
		if r.state.Phase != survey.Paused || !strings.Contains(r.state.Why, "too long") {
			t.Errorf("%+v", r.state)
		}
		n.full = false
		r.must(r.survey.Resume(t.Context()))
		r.drive(l, 12)
		if off := r.offTruth(l, mapFromRoom); off > 0.06 || r.state.Phase != survey.Mapping {
			t.Errorf("the robot is %.2f m off, %+v", off, r.state.Phase)
		}
		r.kill()
	})
}

func TestAJournalThatCannotBeReadLeavesNoMap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRide(t)
		broken := errors.New("broken")
		if _, _, err := r.survey.Recover(t.Context(), func(func(journal.Record) error) (survey.Journal, error) { return nil, broken }); !errors.Is(err, broken) {
			t.Errorf("%v", err)
		}
		l, err := r.survey.Begin(t.Context(), nil)
		r.must(err)
		r.drive(l, 3)
		if r.state.Phase != survey.Mapping || r.state.KeyFrames == 0 {
			t.Errorf("%+v", r.state)
		}
		r.kill()
	})
}

func TestTheMapIsToldHowTheCompassReadsOnIt(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes for long; -short leaves it out")
	}
	synctest.Test(t, func(t *testing.T) {
		for _, heading := range []float64{0, 2.2} { // heading of the robot when the map begins
			r := newRide(t)
			r.kill()
			r.world = sim.NewWorld(r.world.Describe(), room(), sim.DefaultScene(), sim.Options{Seed: 5, Start: robot.Pose{Y: -2.2, Theta: heading}, Epoch: time.Now()})
			r.run()
			l, err := r.survey.Begin(t.Context(), nil)
			r.must(err)
			if _, ok, err := r.survey.Compass(t.Context()); ok || err != nil {
				t.Errorf("there is a compass before the first reading; %v", err)
			}
			r.drive(l, 20)
			if more, ok, err := r.survey.Compass(t.Context()); !ok || err != nil || math.Abs(robot.WrapAngle(more-heading)) > robot.Radians(4) {
				t.Errorf("a map that began at %g rad: the compass shows %g rad more, %v, %v", heading, more, ok, err)
			}
			r.kill()
		}
	})
}

// newMapping returns a ride that has mapped for 10 s, and the pose of the room's frame in map.
func newMapping(t *testing.T) (r *ride, l *survey.Localizer, mapFromRoom robot.Pose) {
	t.Helper()
	r = newRide(t)
	mapFromRoom = r.world.Truth().Pose.Inverse()
	l, err := r.survey.Begin(t.Context(), nil)
	r.must(err)
	r.drive(l, 10)
	return r, l, mapFromRoom
}

func TestAJumpOfTheOdometryLeavesTheMapAsItIs(t *testing.T) {
	for _, jump := range []float64{3, 20, 60, 90000} {
		t.Run(fmt.Sprint(jump), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, l, mapFromRoom := newMapping(t)
				defer r.kill()
				l.Update(robot.Reading{Time: time.Now(), Travel: robot.Wheels{Left: jump, Right: jump}})
				r.drive(l, 10)
				if r.state.Phase != survey.Mapping {
					t.Errorf("mapping does not continue: %+v", r.state.Why)
				}
				if off := r.offTruth(l, mapFromRoom); off > 0.1 {
					t.Errorf("the robot is %.2f m from where the map has it", off)
				}
				for i, at := range r.finish() {
					if at.Point().Norm() > 6 {
						t.Fatalf("key frame %d is at %v", i, at)
					}
				}
			})
		})
	}
}

func TestAJumpOfTheOdometryDuringAPauseLeavesTheMapAsItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, l, mapFromRoom := newMapping(t)
		defer r.kill()
		r.must(r.survey.Pause(t.Context()))
		r.drive(l, 3)
		l.Update(robot.Reading{Time: time.Now(), Travel: robot.Wheels{Left: 20, Right: 20}})
		r.drive(l, 3)
		r.must(r.survey.Resume(t.Context()))
		r.drive(l, 10)
		if off := r.offTruth(l, mapFromRoom); r.state.Phase != survey.Mapping || off > 0.1 {
			t.Errorf("the robot is %.2f m from where the map has it; phase %v", off, r.state.Phase)
		}
	})
}

func TestMappingContinuesWhereTheRobotIsPutBackAfterAJumpOfTheOdometry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, l, mapFromRoom := newMapping(t)
		defer r.kill()
		was := r.world.Truth().Pose
		r.must(r.world.CarryRobot(robot.Pose{X: -3, Y: 2.3, Theta: 0.5}))
		l.Update(robot.Reading{Time: time.Now(), Travel: robot.Wheels{Left: 90000, Right: 90000}})
		r.drive(l, 1)
		if r.state.Phase != survey.Paused || !strings.Contains(r.state.Why, "Bring it back") {
			t.Fatalf("the robot was carried, and mapping is in phase %v: %q", r.state.Phase, r.state.Why)
		}
		r.must(r.world.CarryRobot(was))
		r.must(r.survey.Resume(t.Context()))
		r.drive(l, 10)
		if off := r.offTruth(l, mapFromRoom); r.state.Phase != survey.Mapping || off > 0.1 {
			t.Errorf("the robot is %.2f m from where the map has it; phase %v", off, r.state.Phase)
		}
		for i, at := range r.finish() {
			if at.Point().Norm() > 6 {
				t.Fatalf("key frame %d is at %v", i, at)
			}
		}
	})
}
