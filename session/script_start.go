package session

import (
	"context"
	"time"

	"mybot/robot"
	"mybot/session/protocol"
)

// startedWithRobot is why the motion of a script that starts with the robot is held.
const startedWithRobot = "It started with the robot, and no one has let it move the robot since."

// StartScriptWithRobot starts a script because the robot has started. Its motion is held
// until ResumeScripts. The error is a robot.Refusal.
func (h *Hub) StartScriptWithRobot(ctx context.Context, s Script) error {
	return h.doScript(ctx, Identity{Role: Operator}, func(c *coordinator, now time.Time) robot.Result {
		c.useScripts()
		r := c.robot.Do(robot.StartUnit{Unit: s.ID, Program: s.Program, Held: true, Why: startedWithRobot})
		if r.Done() {
			c.startedBy[s.ID] = scriptStarter{name: "the robot", at: now, script: s}
			c.noteStart(s.ID, now)
			c.logEvent(protocol.IconGoal, "The script "+s.Name+" started with the robot.", now)
		}
		return r
	})
}
