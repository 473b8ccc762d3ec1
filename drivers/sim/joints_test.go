package sim

import (
	"errors"
	"math"
	"testing"

	"mybot/robot"
	"mybot/robot/models"
)

// armed returns the built-in robot with an arm.
func armed(t testing.TB) robot.Description {
	t.Helper()
	data, _ := models.Find(models.ArmName)
	d, err := robot.ParseDescription(data)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// withLidarAndArm returns a robot with a lidar and an arm.
func withLidarAndArm(t testing.TB) robot.Description {
	d, arm := withLidar(t), armed(t)
	d.Links, d.Joints = arm.Links, arm.Joints
	return d
}

func TestJointsMoveWithTheirSpeedWithinTheirLimits(t *testing.T) {
	d := armed(t)
	w := NewWorld(d, nil, Scene{}, Options{})
	steps := func(n int) (r robot.Reading) {
		for range n {
			r = w.Step()
		}
		return r
	}
	for i, at := range steps(1).Joints {
		within(t, d.Joints[i].Name+" at first", at, d.Joints[i].Home, 0)
	}
	for name, at := range map[string]float64{"elbow": math.NaN(), "elbov": 1} {
		if err := w.MoveJoints(map[string]float64{"lift": 0.2, name: at}); err == nil || name == "elbov" != errors.Is(err, robot.ErrNA) {
			t.Errorf("%s to %v says %v", name, at, err)
		}
	}
	within(t, "the lift after a refusal", steps(50).Joints[0], 0, 0)
	if err := w.MoveJoints(map[string]float64{"lift": 9, "shoulder": -9, "wrist": 9}); err != nil {
		t.Fatal(err)
	}
	r := steps(50)
	within(t, "the lift after a second", r.Joints[0], 0.08, 1e-9)
	within(t, "the shoulder after a second", r.Joints[1], robot.Radians(45), 1e-9)
	within(t, "the elbow, which was not asked to move", r.Joints[2], d.Joints[2].Home, 0)
	r = steps(500)
	within(t, "the lift in the end", r.Joints[0], 0.3, 0)
	within(t, "the shoulder in the end", r.Joints[1], robot.Radians(-45), 1e-12)
	within(t, "the wrist, which turns without end", r.Joints[3], 9, 0)
	if err := NewWorld(mybot(t), nil, Scene{}, Options{}).MoveJoints(map[string]float64{"lift": 0}); !errors.Is(err, robot.ErrNA) {
		t.Errorf("without joints MoveJoints says %v", err)
	}
}
