package recording

import (
	"math"
	"strconv"

	"mybot/robot"
)

// Foxglove's schemas, in three dimensions.
type (
	vector struct {
		X Figure `json:"x"`
		Y Figure `json:"y"`
		Z Figure `json:"z"`
	}
	quaternion struct {
		X Figure `json:"x"`
		Y Figure `json:"y"`
		Z Figure `json:"z"`
		W Figure `json:"w"`
	}
	placement struct {
		Position    vector     `json:"position"`
		Orientation quaternion `json:"orientation"`
	}
	poseInFrame struct {
		Timestamp Stamp     `json:"timestamp"`
		FrameID   string    `json:"frame_id"`
		Pose      placement `json:"pose"`
	}
	frameTransform struct {
		Timestamp   Stamp      `json:"timestamp"`
		Parent      string     `json:"parent_frame_id"`
		Child       string     `json:"child_frame_id"`
		Translation vector     `json:"translation"`
		Rotation    quaternion `json:"rotation"`
	}
	frameTransforms struct {
		Transforms []frameTransform `json:"transforms"`
	}
)

// flatPose returns the pose in the plane.
func (p placement) flatPose() robot.Pose {
	q := p.Orientation
	return robot.Pose{X: float64(p.Position.X), Y: float64(p.Position.Y), Theta: math.Atan2(float64(2*(q.W*q.Z+q.X*q.Y)), float64(1-2*(q.Y*q.Y+q.Z*q.Z)))}
}

// placementOf returns a finite pose in the plane z m above the floor.
func placementOf(p robot.Pose, z float64) placement {
	sin, cos := math.Sincos(p.Theta / 2)
	return placement{vector{Figure(p.X), Figure(p.Y), Figure(z)}, quaternion{Z: Figure(sin), W: Figure(cos)}}
}

func transformOf(stamp Stamp, parent, child string, p robot.Pose, z float64) frameTransform {
	at := placementOf(p, z)
	return frameTransform{stamp, parent, child, at.Position, at.Orientation}
}

// lidarFrame returns the frame of a lidar, given as an index into
// Description.Lidars.
func lidarFrame(i int) string { return "lidar_" + strconv.Itoa(i) }
