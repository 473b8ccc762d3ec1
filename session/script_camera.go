package session

import (
	"time"

	"mybot/robot"
	"mybot/session/protocol"
)

// sayCameraIsOff says who has switched the camera off; "" = it is on.
func (c *coordinator) sayCameraIsOff(s robot.ScriptState) string {
	switch unit := s.CameraOff; {
	case unit == "":
		return ""
	case c.startedBy[unit].script.ID != "":
		return "The script " + c.nameScript(unit) + " has switched the camera off."
	default:
		return "Program " + unit + " has switched the camera off."
	}
}

// noteCamera logs that a script has switched the camera off or on.
func (c *coordinator) noteCamera(was *robot.ScriptState, now time.Time) {
	before, after := "", c.scripts.CameraOff
	if was != nil {
		before = was.CameraOff
	}
	switch {
	case after == before:
	case after != "":
		c.logEvent(protocol.IconWarn, c.sayCameraIsOff(*c.scripts), now)
	default:
		c.logEvent(protocol.IconWarn, "The camera is on again.", now)
	}
}
