package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"mybot/app"
)

// notableOdometry is the share by which wheels must differ from the description to be noted.
const notableOdometry = 0.02

// examineOdometry compares the wheels, as the localizer has learned them, with the
// robot's description.
func examineOdometry(o options, env func(string) string) finding {
	const part = "odometry"
	dir, _ := o.dataDir(env) // examineData reports errors
	e, basis, ok := app.LoadOdometry(dir)
	if !ok {
		return finding{part, good, "nothing learned yet: that takes 15 m of driving on a map", ""}
	}
	var found, remedies []string
	turnsByWheels := !basis.TurnFromIMU
	if differ := e.Curve * basis.WheelBase; turnsByWheels && math.Abs(differ) >= notableOdometry {
		farther, other := "right", "left"
		if differ < 0 {
			farther, other = other, farther
		}
		found = append(found, fmt.Sprintf("the %s wheel rolls about %.0f %% farther than the %s one where both report the same", farther, 100*math.Abs(differ), other))
		remedies = append(remedies, "make both wheels the same, or correct the travel of one in the base")
	}
	if base := basis.WheelBase * (1 + e.Length) / (1 + e.Spin); turnsByWheels && math.Abs(base/basis.WheelBase-1) >= notableOdometry {
		found = append(found, fmt.Sprintf("it turns as if its wheels were %.3f m apart, and not %.3f m", base, basis.WheelBase))
		remedies = append(remedies, fmt.Sprintf("write %.3f as drivetrain.wheel_base_m", base))
	}
	if math.Abs(e.Length) >= notableOdometry {
		found = append(found, fmt.Sprintf("1 m by its wheels is about %.2f m of floor", 1+e.Length))
		remedies = append(remedies, fmt.Sprintf("multiply encoder.wheel_radius_m, or the metres that the base reports, by %.2f", 1+e.Length))
	}
	if len(found) == 0 {
		return finding{part, good, fmt.Sprintf("the wheels are as described, to %.0f %%", 100*notableOdometry), ""}
	}
	return finding{part, note, strings.Join(found, "; "), fmt.Sprintf("The position filter corrects this while it drives. To mend it, stop Mybot, %s, and delete %s.", strings.Join(remedies, "; "), filepath.Join(dir, app.OdometryFile))}
}
