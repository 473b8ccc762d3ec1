package app

import (
	"errors"
	"fmt"

	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/session"
)

// World is the world of the simulated robot as people change it.
type World struct{ Driver *sim.Driver }

var _ session.World = World{}

// Change does one thing to the world.
func (w World) Change(change session.WorldChange) robot.Result {
	var err error
	switch c := change.(type) {
	case session.PutThing:
		_, err = w.Driver.Put(sim.Kind(c.Kind), c.At, c.Radius)
	case session.MoveThing:
		err = w.Driver.Move(c.Thing, c.At)
	case session.RemoveThing:
		err = w.Driver.Remove(c.Thing)
	case session.SetDoor:
		err = w.Driver.Door(c.Door, c.Closed)
	case session.Carry:
		err = w.Driver.Carry(c.Pose)
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

// World returns what there is beside the floor plan.
func (w World) World() session.WorldState {
	c := w.Driver.Contents()
	s := session.WorldState{Closed: c.Closed}
	for _, t := range c.Things {
		s.Things = append(s.Things, session.Thing{Number: t.ID, Kind: session.ThingKind(t.Kind), At: t.Point, Radius: t.Radius})
	}
	return s
}
