package app_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/models"
	"mybot/session"
)

// office is the built-in robot and floor with what the simulator adds to it.
func office(t *testing.T) (robot.Description, *robot.Floorplan, sim.Scene) {
	t.Helper()
	desc, badRobot := robot.ParseDescription(models.Mybot())
	plan, badPlan := floorplan.Load(maps.Office())
	scene, badScene := sim.ReadScene(maps.Office(), "scene.json")
	if err := errors.Join(badRobot, badPlan, badScene); err != nil {
		t.Fatal(err)
	}
	return desc, plan, scene
}

func TestWhatPeopleChangeInTheSimulatedWorldIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		desc, plan, scene := office(t)
		driver := sim.NewDriver(sim.NewWorld(desc, plan, scene, sim.Options{Seed: 1}))
		defer driver.Close()
		w := app.World{Driver: driver}
		before := w.World()
		if len(before.Things) != len(scene.Obstacles)+len(scene.Magnets) || len(before.Closed) != len(plan.Doors) {
			t.Fatalf("the world begins with %+v", before)
		}
		next := before.Things[len(before.Things)-1].Number + 1
		put := session.Thing{Number: next, Kind: session.Obstacle, At: robot.Point{X: 8, Y: 7.3}, Radius: 0.25}
		to := robot.Pose{X: 6, Y: 7.3, Theta: 1}
		for _, c := range []struct {
			change session.WorldChange
			word   robot.Word
			says   string
			holds  func(session.WorldState) bool
		}{
			{session.PutThing{Kind: session.Obstacle, At: put.At, Radius: put.Radius}, robot.Success, "", func(s session.WorldState) bool {
				return slices.Contains(s.Things, put)
			}},
			{session.PutThing{Kind: session.Obstacle, At: scene.Start.Point(), Radius: 0.2}, robot.Error, "The robot stands there.", func(s session.WorldState) bool {
				return len(s.Things) == len(before.Things)+1
			}},
			{session.MoveThing{Thing: next, At: robot.Point{X: 9, Y: 7.3}}, robot.Success, "", func(s session.WorldState) bool {
				return s.Things[len(s.Things)-1].At == robot.Point{X: 9, Y: 7.3}
			}},
			{session.RemoveThing{Thing: next}, robot.Success, "", func(s session.WorldState) bool {
				return len(s.Things) == len(before.Things)
			}},
			{session.RemoveThing{Thing: next}, robot.Error, "no thing", nil},
			{session.PutThing{Kind: session.Magnet, At: scene.Start.Point(), Radius: 1.5}, robot.Success, "", func(s session.WorldState) bool {
				return s.Things[len(s.Things)-1].Kind == session.Magnet && s.Things[len(s.Things)-1].Number == next+1
			}},
			{session.SetDoor{Door: 0, Closed: true}, robot.Success, "", func(s session.WorldState) bool { return s.Closed[0] && !s.Closed[1] }},
			{session.SetDoor{Door: len(plan.Doors), Closed: true}, robot.Error, "no door", nil},
			{session.Carry{Pose: to}, robot.Success, "", func(session.WorldState) bool { return driver.Truth().Pose == to }},
			{session.Carry{Pose: robot.Pose{X: 6.5, Y: 8.4}}, robot.Error, "does not fit", func(session.WorldState) bool { return driver.Truth().Pose == to }},
		} {
			got := w.Change(c.change)
			if got.Word != c.word || !strings.Contains(got.Reason, c.says) {
				t.Errorf("%#v is answered with %s: %s", c.change, got.Word, got.Reason)
			}
			if c.holds != nil && !c.holds(w.World()) {
				t.Errorf("after %#v the world is %+v, the robot at %+v", c.change, w.World(), driver.Truth().Pose)
			}
		}
		if err := driver.Close(); err != nil {
			t.Fatal(err)
		}
		if got := w.Change(session.SetDoor{Door: 1, Closed: true}); got.Word != robot.Busy {
			t.Errorf("a world that has ended answers with %s: %s", got.Word, got.Reason)
		}
	})
}
