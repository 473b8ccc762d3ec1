package onboard

import (
	"strings"
	"testing"

	"mybot/robot"
	"mybot/script"
)

func TestNoDeviceIsThereThatTheRobotLacks(t *testing.T) {
	names := func(d robot.Description) string {
		var all []string
		c := ScriptConfig(d)
		for _, one := range c.Devices {
			all = append(all, one.Name)
		}
		for _, f := range c.Functions {
			all = append(all, f.Name+"()")
		}
		return strings.Join(all, " ") + " " + c.Library
	}
	full, bare := mybot(), mybot()
	bare.Head, bare.Sonars, bare.Lidars, bare.Compass, bare.Bumper, bare.Battery, bare.Encoder = nil, nil, nil, false, false, robot.BatteryPack{}, robot.Encoder{}
	for _, name := range []string{"headPan", "headTilt", "wheelL", "sonar0", "front", "left", "right", "back", "near", "compass", "bump", "battery", "camera.val()", "goto()", "dock()", "job()", "look("} {
		if !strings.Contains(names(full), name) || strings.Contains(names(bare), name) {
			t.Errorf("%s: the full robot has %v, the bare one %v", name, strings.Contains(names(full), name), strings.Contains(names(bare), name))
		}
	}
	script.New(ScriptConfig(bare)) // its library can be read
}
