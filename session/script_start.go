package session

import (
	"context"
	"time"

	"mybot/robot"
	"mybot/script"
	"mybot/session/protocol"
)

// startedWithRobot is why the motion of a script that starts with the robot is held.
const startedWithRobot = "It started with the robot, and no one has let it move the robot since."

// StartScriptWithRobot starts a script because the robot has started. Its motion is held
// until ResumeScripts. The error is a robot.Refusal.
func (h *Hub) StartScriptWithRobot(ctx context.Context, name string, p *script.Program) error {
	return h.doScript(ctx, Identity{Role: Operator}, func(c *coordinator, now time.Time) robot.Result {
		c.useScripts()
		r := c.robot.Do(robot.StartUnit{Unit: name, Program: p, Held: true, Why: startedWithRobot})
		if r.Done() {
			c.startedBy[name] = scriptStarter{name: "the robot"}
			c.noteStart(name, now)
			c.logEvent(protocol.IconGoal, "The script "+name+" started with the robot.", now)
		}
		return r
	})
}
