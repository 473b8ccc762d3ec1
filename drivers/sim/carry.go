package sim

import "mybot/robot"

// Carry picks the robot up and puts it down at a pose of base_link in map,
// standing. The wheels do not feel it.
func (w *World) Carry(to robot.Pose) {
	w.base.pose = to
	w.base.twist, w.base.ground = robot.Twist{}, robot.Twist{}
	w.command, w.age = robot.Twist{}, w.desc.Holds
}
