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
	"mybot/session/protocol"
)

// office is the built-in robot and floor with the simulator's additions.
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
		put := session.Thing{Number: next, Kind: protocol.Obstacle, At: robot.Point{X: 8, Y: 7.3}, Radius: 0.25}
		to := robot.Pose{X: 6, Y: 7.3, Theta: 1}
		for _, c := range []struct {
			change protocol.WorldChange
			word   robot.Word
			says   string
			holds  func(session.WorldState) bool
		}{
			{protocol.PutThing{Kind: protocol.Obstacle, At: put.At, Radius: put.Radius}, robot.Success, "", func(s session.WorldState) bool {
				return slices.Contains(s.Things, put)
			}},
			{protocol.PutThing{Kind: protocol.Obstacle, At: scene.Start.Point(), Radius: 0.2}, robot.Error, "The robot stands there.", func(s session.WorldState) bool {
				return len(s.Things) == len(before.Things)+1
			}},
			{protocol.MoveThing{Thing: next, At: robot.Point{X: 9, Y: 7.3}}, robot.Success, "", func(s session.WorldState) bool {
				return s.Things[len(s.Things)-1].At == robot.Point{X: 9, Y: 7.3}
			}},
			{protocol.RemoveThing{Thing: next}, robot.Success, "", func(s session.WorldState) bool {
				return len(s.Things) == len(before.Things)
			}},
			{protocol.RemoveThing{Thing: next}, robot.Error, "no thing", nil},
			{protocol.PutThing{Kind: protocol.Magnet, At: scene.Start.Point(), Radius: 1.5}, robot.Success, "", func(s session.WorldState) bool {
				return s.Things[len(s.Things)-1].Kind == protocol.Magnet && s.Things[len(s.Things)-1].Number == next+1
			}},
			{protocol.SetDoor{Door: 0, Closed: true}, robot.Success, "", func(s session.WorldState) bool { return s.Closed[0] && !s.Closed[1] }},
			{protocol.SetDoor{Door: len(plan.Doors), Closed: true}, robot.Error, "no door", nil},
			{protocol.Carry{Pose: to}, robot.Success, "", func(session.WorldState) bool { return driver.Truth().Pose == to }},
			{protocol.Carry{Pose: robot.Pose{X: 6.5, Y: 8.4}}, robot.Error, "does not fit", func(session.WorldState) bool { return driver.Truth().Pose == to }},
		} {
			got := w.Change(c.change)
			if got.Word != c.word || !strings.Contains(got.Reason, c.says) {
				t.Errorf("%#v is answered with %s: %s", c.change, got.Word, got.Reason)
			}
			if c.holds != nil && !c.holds(w.World()) {
				t.Errorf("after %#v the world is %+v, the robot at %+v", c.change, w.World(), driver.Truth().Pose)
			}
		}
		if got := w.Change(protocol.PressOK{}); got.Word != robot.Success {
			t.Errorf("the OK switch is answered with %s: %s", got.Word, got.Reason)
		}
		if r, err := driver.Read(t.Context()); err != nil || !r.OK {
			t.Errorf("the robot does not feel the OK switch: %+v, %v", r, err)
		}
		if r, err := driver.Read(t.Context()); err != nil || r.OK {
			t.Errorf("the OK switch stays down: %+v, %v", r, err)
		}
		if err := driver.Close(); err != nil {
			t.Fatal(err)
		}
		if got := w.Change(protocol.SetDoor{Door: 1, Closed: true}); got.Word != robot.Busy {
			t.Errorf("a world that has ended answers with %s: %s", got.Word, got.Reason)
		}
	})
}

func TestTheBatteryOfTheSimulatedRobotIsSet(t *testing.T) {
	desc, plan, scene := office(t)
	driver := sim.NewDriver(sim.NewWorld(desc, plan, scene, sim.Options{Seed: 1}))
	defer driver.Close()
	if got := (app.World{Driver: driver}).Change(protocol.SetCharge{Charge: 0.29}); got.Word != robot.Success {
		t.Fatalf("a charge is answered with %s: %s", got.Word, got.Reason)
	}
	if r, err := driver.Read(t.Context()); err != nil || r.Battery.Charge < 0.289 || r.Battery.Charge > 0.29 {
		t.Errorf("the robot measures a charge of %v, %v", r.Battery.Charge, err)
	}

	desc.Battery = robot.BatteryPack{}
	bare := sim.NewDriver(sim.NewWorld(desc, plan, scene, sim.Options{Seed: 1}))
	defer bare.Close()
	if got := (app.World{Driver: bare}).Change(protocol.SetCharge{Charge: 0.29}); got.Word != robot.NA || got.Reason != "This robot's battery is not measured." {
		t.Errorf("without a battery it is answered with %s: %s", got.Word, got.Reason)
	}
}

func TestTheOKSwitchOfARobotWithoutOneIsNA(t *testing.T) {
	desc, plan, scene := office(t)
	desc.OKSwitch = false
	driver := sim.NewDriver(sim.NewWorld(desc, plan, scene, sim.Options{Seed: 1}))
	defer driver.Close()
	if got := (app.World{Driver: driver}).Change(protocol.PressOK{}); got.Word != robot.NA || got.Reason != "This robot has no OK switch." {
		t.Errorf("it is answered with %s: %s", got.Word, got.Reason)
	}
}
