package sim

import (
	"fmt"
	"maps"
	"slices"

	"mybot/robot"
)

// joints are in rad or m, in the order of the description.
type joints struct {
	at, want []float64
}

// restingJoints returns the joints at power-on: at home.
func restingJoints(all []robot.Joint) joints {
	var j joints
	for _, d := range all {
		j.at, j.want = append(j.at, d.Home), append(j.want, d.Home)
	}
	return j
}

// move moves the joints for dt seconds, each at its speed.
func (j *joints) move(all []robot.Joint, dt float64) {
	for i, d := range all {
		most := d.Speed * dt
		j.at[i] += max(-most, min(most, j.want[i]-j.at[i]))
	}
}

// MoveJoints moves joints to positions, clamped to their limits, at their speeds.
// If one of the names is unknown, it moves none and returns robot.ErrNA.
func (w *World) MoveJoints(at map[string]float64) error {
	want := slices.Clone(w.joints.want)
	for _, name := range slices.Sorted(maps.Keys(at)) {
		i := w.desc.Joint(name)
		switch {
		case i < 0:
			return fmt.Errorf("sim: the joint %q: %w", name, robot.ErrNA)
		case !robot.Finite(at[name]):
			return fmt.Errorf("sim: the position %v of the joint %q is not finite; it stays", at[name], name)
		}
		want[i] = w.desc.Joints[i].Clamp(at[name])
	}
	w.joints.want = want
	return nil
}
