package handlers

import (
	"context"

	"mybot/script"
)

// HelloScript is the name and id of the saved script that runs for each new connection.
const HelloScript = "hello"

// greet gives the unit the script for new connections, as if its text had been sent first.
// Lines of the unit say what is wrong with it. On this computer that waits until the first
// text has arrived and is not of another protocol, so that no web page makes it run.
func (c *urbiConn) greet(ctx context.Context) error {
	if c.port.cfg.Hello == nil {
		return nil
	}
	return c.give(ctx, script.ReadAll(HelloScript, c.port.cfg.Hello()))
}

// give passes commands to the unit, if there are any.
func (c *urbiConn) give(ctx context.Context, commands script.Commands) error {
	if commands.IsEmpty() {
		return nil
	}
	if err := c.port.cfg.Session.GiveScriptCommands(ctx, c.unit, commands); err != nil {
		return refusedError(err.Error())
	}
	return nil
}
