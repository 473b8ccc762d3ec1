package app

import (
	"errors"
	"fmt"

	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/session"
	"mybot/session/protocol"
)

// World is the world of the simulated robot as users change it.
type World struct{ Driver *sim.Driver }

var _ session.World = World{}

// Change changes the world.
func (w World) Change(change protocol.WorldChange) robot.Result {
	var err error
	switch c := change.(type) {
	case protocol.PutThing:
		_, err = w.Driver.AddThing(sim.Kind(c.Kind), c.At, c.Radius)
	case protocol.MoveThing:
		err = w.Driver.MoveThing(c.Thing, c.At)
	case protocol.RemoveThing:
		err = w.Driver.RemoveThing(c.Thing)
	case protocol.SetDoor:
		err = w.Driver.SetDoor(c.Door, c.Closed)
	case protocol.Carry:
		err = w.Driver.CarryRobot(c.Pose)
	case protocol.PressOK:
		err = w.pressOK()
	case protocol.SetCharge:
		err = w.Driver.SetCharge(c.Charge)
	default:
		err = fmt.Errorf("the simulated world does not know the change %T", change)
	}
	var no robot.Refusal
	switch {
	case err == nil:
		return robot.Result{Word: robot.Success}
	case errors.As(err, &no):
		return robot.Result(no)
	case errors.Is(err, robot.ErrClosed):
		return robot.Result{Word: robot.Busy, Reason: "The robot is shutting down."}
	}
	return robot.Result{Word: robot.Error, Reason: fmt.Sprintf("The simulated world cannot be changed: %v.", err)}
}

// pressOK presses the OK switch for less than a reading; the driver still reports
// it.
func (w World) pressOK() error {
	if !w.Driver.Describe().OKSwitch {
		return robot.Refusal{Word: robot.NA, Reason: "This robot has no OK switch."}
	}
	if err := w.Driver.PressOK(true); err != nil {
		return err
	}
	return w.Driver.PressOK(false)
}

// World returns what the world holds beside the floor plan.
func (w World) World() session.WorldState {
	c := w.Driver.Contents()
	s := session.WorldState{Closed: c.Closed}
	for _, t := range c.Things {
		s.Things = append(s.Things, session.Thing{Number: t.ID, Kind: protocol.ThingKind(t.Kind), At: t.Point, Radius: t.Radius})
	}
	return s
}
