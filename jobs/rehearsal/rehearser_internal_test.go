package rehearsal

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"mybot/jobs"
	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/models/modelstest"
)

func officePlan(t testing.TB) (*robot.Floorplan, robot.Description) {
	t.Helper()
	plan, err := floorplan.Load(maps.Office())
	if err != nil {
		t.Fatal(err)
	}
	desc := modelstest.Mybot(t)
	return plan, desc
}

// emptyHall returns an empty floor of 20 m by 10 m.
func emptyHall() *robot.Floorplan {
	g := robot.Grid{Width: 200, Height: 100, Resolution: 0.1}
	g.Cells = slices.Repeat([]robot.Cell{robot.Free}, g.Width*g.Height)
	return &robot.Floorplan{Name: "hall", Grid: g}
}

// rehearseInOffice rehearses steps in the office, from the robot's usual start.
func rehearseInOffice(t *testing.T, steps ...jobs.PreparedStep) jobs.Rehearsal {
	t.Helper()
	plan, desc := officePlan(t)
	r, err := New(desc).Rehearse(t.Context(), plan, robot.Pose{X: 4.5, Y: 7.3}, jobs.Job{Name: "Round"}, steps)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Steps) != len(steps) {
		t.Fatalf("of %d steps %d were rehearsed", len(steps), len(r.Steps))
	}
	time, length := 0.0, 0.0
	for _, s := range r.Steps {
		time, length = time+s.Time, length+s.Length
	}
	if math.Abs(time-r.Time) > 1e-6 || math.Abs(length-r.Length) > 1e-6 {
		t.Errorf("all steps take %.2f s and %.2f m, the job %.2f s and %.2f m", time, length, r.Time, r.Length)
	}
	for n, p := range r.Path[1:] {
		if before := r.Path[n]; p.T <= before.T || p.Pose != before.Pose && p.T-before.T > 0.15 || p.Pose.Point().Sub(before.Pose.Point()).Norm() > 0.06 {
			t.Fatalf("the path leaps from %+v to %+v", before, p)
		}
	}
	return r
}

func drivesTo(x, y float64) jobs.PreparedStep {
	return jobs.PreparedStep{Step: jobs.Step{Type: jobs.Move}, Goal: robot.Pose{X: x, Y: y}}
}

func within(got, want, by float64) bool { return math.Abs(got-want) <= by }

func TestARehearsalReportsTheTimeAndThePathOfEveryStep(t *testing.T) {
	t.Parallel()
	said := jobs.PreparedSpeech{Sentences: []jobs.Sentence{{Text: "Hello!", Duration: time.Second}, {Text: "Here I am.", Duration: 2 * time.Second}}}
	r := rehearseInOffice(t,
		drivesTo(8.5, 7.3),
		jobs.PreparedStep{Step: jobs.Step{Type: jobs.Voice}, Speech: said},
		jobs.PreparedStep{Step: jobs.Step{Type: jobs.Message, Text: "Touch OK.", OK: true, Seconds: 600}},
		jobs.PreparedStep{Step: jobs.Step{Type: jobs.Message, Text: "Thank you."}},
		jobs.PreparedStep{Step: jobs.Step{Type: jobs.Message, Text: "Thank you.", Seconds: 60}},
		jobs.PreparedStep{Step: jobs.Step{Type: jobs.Wait, Seconds: 3600, OK: true}},
		drivesTo(4.5, 7.3),
	)
	for n, want := range []struct{ time, by float64 }{{9, 2}, {3, 0.1}, {0, 0.1}, {5, 0.1}, {60, 0.1}, {3600, 0.1}, {15, 5}} {
		if s := r.Steps[n]; !within(s.Time, want.time, want.by) || s.Result.Word != robot.Success && n != 1 {
			t.Errorf("step %d takes %.2f s, not about %g s: %v", n+1, s.Time, want.time, s.Result)
		}
	}
	if s := r.Steps[1]; s.Result.Word != robot.Modified {
		t.Errorf("the screen speaks, and the answer is %v", s.Result)
	}
	if s := r.Steps[0]; !within(s.Length, 4, 0.1) || len(s.Way) < 2 || r.Steps[1].Way != nil {
		t.Errorf("a path of 4 m is %.2f m, along %v", s.Length, s.Way)
	}
	last := r.Path[len(r.Path)-1]
	if at := last.Pose; !within(at.X, 4.5, 0.1) || !within(at.Y, 7.3, 0.1) || !within(last.T, r.Time, 0.2) {
		t.Errorf("the path ends with %+v, after %.1f s", last, r.Time)
	}
	if len(r.Path) > 400 {
		t.Errorf("an hour of waiting is %d points", len(r.Path))
	}
}

func TestAStepThatFailsInARehearsalIsToldAndLeftOut(t *testing.T) {
	off := drivesTo(500, 0)
	again := off
	again.Step.OnFailure, again.Step.Retries, again.Step.RetryAfter = jobs.FailRetry, 10, 600
	r := rehearseInOffice(t, off, again, drivesTo(6, 7.3), off)
	for _, n := range []int{0, 1, 3} {
		if s := r.Steps[n]; s.Result.Word != robot.Error || s.Result.Reason == "" || s.Time > 0.1 || s.Way != nil {
			t.Errorf("step %d, which leads off the map, is %+v", n+1, s)
		}
	}
	if s := r.Steps[2]; s.Result.Word != robot.Success || !within(s.Length, 1.5, 0.1) {
		t.Errorf("the step between is %+v", s)
	}
}

func TestARehearsalIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	plan, desc := officePlan(t)
	there := []jobs.PreparedStep{drivesTo(12.1, 3.35), drivesTo(6, 7.3)}
	on := func(s *Rehearser, plan *robot.Floorplan) jobs.Rehearsal {
		r, err := s.Rehearse(t.Context(), plan, robot.Pose{X: 4.5, Y: 7.3}, jobs.Job{Name: "Round"}, there)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first, used := on(New(desc), plan), New(desc)
	other := emptyHall()
	on(used, other)
	on(used, plan).Steps[0].Way[0] = robot.Point{} // the result is not used
	used.planner.Block(used.now, robot.Point{X: 4.5, Y: 7.3}, robot.Point{X: 5.5, Y: 7.3})
	if again := on(used, plan); !reflect.DeepEqual(first, again) {
		t.Errorf("by a rehearser that was used it takes %.3f s, else %.3f s", again.Time, first.Time)
	}
	if elsewhere := on(used, other); reflect.DeepEqual(first, elsewhere) {
		t.Error("on another floor the path is the same")
	}
}

func BenchmarkRehearsal(b *testing.B) {
	office, desc := officePlan(b)
	large := emptyHall()
	large.Grid.Width, large.Grid.Height = 1250, 800
	large.Grid.Cells = slices.Repeat([]robot.Cell{robot.Free}, large.Grid.Width*large.Grid.Height)
	round := []jobs.PreparedStep{drivesTo(6, 7.3), drivesTo(4.5, 7.3)}
	for floor, plan := range map[string]*robot.Floorplan{"the office": office, "a million cells": large} {
		for name, kept := range map[string]bool{"a planner of its own": false, "the planner that was kept": true} {
			b.Run(floor+"/"+name, func(b *testing.B) {
				s := New(desc)
				s.plannerOf(plan)
				for b.Loop() {
					if !kept {
						s = New(desc)
					}
					if _, err := s.Rehearse(b.Context(), plan, robot.Pose{X: 4.5, Y: 7.3}, jobs.Job{Name: "Round"}, round); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func TestARehearsalThatTakesTooLongEndsAndLeavesTheRestOut(t *testing.T) {
	t.Parallel()
	plan, desc := officePlan(t)
	steps := []jobs.PreparedStep{drivesTo(6, 7.3), drivesTo(10, 7.3), drivesTo(4.5, 7.3)}
	r, err := newVirtualRobot(plan, New(desc).plannerOf(plan), desc, robot.Pose{X: 4.5, Y: 7.3}, 0, time.Unix(0, 0)).rehearseJob(t.Context(), jobs.Job{}, steps, 8*time.Second)
	if err != nil || !within(r.Time, 8, 0.1) {
		t.Fatalf("%+v, %v", r, err)
	}
	for n, want := range []robot.Word{robot.Success, robot.Interrupted, robot.Interrupted} {
		if r.Steps[n].Result.Word != want {
			t.Errorf("step %d is %+v", n+1, r.Steps[n])
		}
	}
}

func TestARehearsalEndsWithItsContext(t *testing.T) {
	plan, desc := officePlan(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(desc).Rehearse(ctx, plan, robot.Pose{X: 4.5, Y: 7.3}, jobs.Job{}, []jobs.PreparedStep{drivesTo(8, 7.3)}); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
}

func TestWithoutAMapWhatNeedsNoPathIsRehearsed(t *testing.T) {
	_, desc := officePlan(t)
	r, err := New(desc).Rehearse(t.Context(), nil, robot.Pose{}, jobs.Job{}, []jobs.PreparedStep{drivesTo(8, 7.3), {Step: jobs.Step{Type: jobs.Wait, Seconds: 30}}})
	if err != nil || r.Steps[0].Result.Word != robot.Error || !within(r.Time, 30, 0.1) {
		t.Errorf("%+v, %v", r, err)
	}
}
