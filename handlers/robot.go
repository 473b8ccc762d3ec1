package handlers

import (
	"net/http"

	"mybot/robot"
	"mybot/session"
)

// A headMessage is how far a head turns and what its camera sees. It is null
// for a robot without one.
type headMessage struct {
	Pan    [2]float64    `json:"pan"`   // rad, the least and the most; left positive
	Tilt   [2]float64    `json:"tilt"`  // rad; up positive
	Speed  float64       `json:"speed"` // rad/s
	Camera cameraMessage `json:"camera"`
}

type cameraMessage struct {
	At     [2]float64 `json:"at"` // m ahead of base_link and above the floor, with the head straight
	Width  int        `json:"width"`
	Height int        `json:"height"`
	View   float64    `json:"view"` // rad, from the left edge to the right one
}

// serveRobot tells what the robot is.
func (h *Handler) serveRobot(w http.ResponseWriter, _ *http.Request) {
	out := struct {
		session.RobotMessage
		Head *headMessage `json:"head"`
	}{h.cfg.Hub.Robot(), headOf(h.cfg.Description.Head)}
	h.writeJSON(w, http.StatusOK, out)
}

func headOf(head *robot.Head) *headMessage {
	if head == nil {
		return nil
	}
	return &headMessage{
		Pan: [2]float64{round4(head.PanMin), round4(head.PanMax)}, Tilt: [2]float64{round4(head.TiltMin), round4(head.TiltMax)}, Speed: round4(head.Speed),
		Camera: cameraMessage{
			At: [2]float64{round4(head.X + head.Camera.Forward), round4(head.Z)}, Width: head.Camera.Width, Height: head.Camera.Height, View: round4(head.Camera.FieldOfView),
		},
	}
}
