package draft

import (
	"encoding/json"
	"fmt"

	"mybot/robot"
)

// FrameOf returns the frame of map in that of a draft with stored edits, as
// FrameFromMap of the draft does. It needs no map, so that the robot's pose in a
// map to extend can be computed first.
func FrameOf(edits []byte) (robot.Pose, error) {
	var stored struct {
		Changes []struct {
			Turn float64 `json:"turn"`
		} `json:"changes"`
	}
	if err := json.Unmarshal(edits, &stored); err != nil {
		return robot.Pose{}, fmt.Errorf("draft: the stored edits: %w", err)
	}
	at := robot.Pose{}
	for _, c := range stored.Changes {
		at.Theta = robot.WrapAngle(at.Theta + c.Turn)
	}
	return at, nil
}
