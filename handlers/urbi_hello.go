package handlers

import (
	"context"

	"mybot/script"
)

// helloScript is the name and id of the script that runs for each new connection.
const helloScript = "hello"

// A commandTaker takes commands for a unit: session.Hub.
type commandTaker interface {
	GiveScriptCommands(ctx context.Context, unit string, c script.Commands) error
}

// giveHello gives a unit the script for new connections, as if it had sent that text
// first. text is "" if there is none. Lines of the unit say what is wrong with it.
func giveHello(ctx context.Context, to commandTaker, unit, text string) error {
	commands := script.ReadAll(helloScript, text)
	if commands.IsEmpty() {
		return nil
	}
	return to.GiveScriptCommands(ctx, unit, commands)
}

// greet runs the script for new connections. On this computer that waits until the first
// text has arrived and is not of another protocol, so that no web page makes it run.
func (c *urbiConn) greet(ctx context.Context) error {
	if c.port.cfg.Hello == nil {
		return nil
	}
	if err := giveHello(ctx, c.port.cfg.Session, c.unit, c.port.cfg.Hello()); err != nil {
		return refusedError(err.Error())
	}
	return nil
}
