package handlers

import (
	"net/http"

	"mybot/robot"
	"mybot/session/protocol"
)

// A headMessage is the range of the head and the view of its camera. It is null for
// a robot without a head.
type headMessage struct {
	Pan    [2]float64    `json:"pan"`   // rad, minimum and maximum; left positive
	Tilt   [2]float64    `json:"tilt"`  // rad; up positive
	Speed  float64       `json:"speed"` // rad/s
	Camera cameraMessage `json:"camera"`
}

type cameraMessage struct {
	At     [2]float64 `json:"at"` // m forward of base_link and above the floor, with the head straight
	Width  int        `json:"width"`
	Height int        `json:"height"`
	View   float64    `json:"view"` // rad, from the left edge to the right edge
}

// serveRobot describes the robot.
func (h *Handler) serveRobot(w http.ResponseWriter, _ *http.Request) {
	l := h.cfg.Description.Hardware
	out := struct {
		protocol.Robot
		Hardware [4]float64   `json:"hardware"` // m/s, rad/s, m/s2, rad/s2: what the motors can do
		Head     *headMessage `json:"head"`
	}{
		h.cfg.Hub.Robot(),
		[4]float64{roundToPage(l.Linear), roundToPage(l.Angular), roundToPage(l.LinearAcceleration), roundToPage(l.AngularAcceleration)},
		headOf(h.cfg.Description.Head),
	}
	h.writeJSON(w, http.StatusOK, out)
}

func headOf(head *robot.Head) *headMessage {
	if head == nil {
		return nil
	}
	return &headMessage{
		Pan: [2]float64{roundToPage(head.PanMin), roundToPage(head.PanMax)}, Tilt: [2]float64{roundToPage(head.TiltMin), roundToPage(head.TiltMax)}, Speed: roundToPage(head.Speed),
		Camera: cameraMessage{
			At: [2]float64{roundToPage(head.X + head.Camera.Forward), roundToPage(head.Z)}, Width: head.Camera.Width, Height: head.Camera.Height, View: roundToPage(head.Camera.FieldOfView),
		},
	}
}

// serveState answers with the newest state, encoded as for pages.
func (h *Handler) serveState(w http.ResponseWriter, _ *http.Request) {
	frame := h.cfg.Hub.State()
	if frame == nil {
		writeSentence(w, http.StatusServiceUnavailable, "The robot has not reported its state yet.")
		return
	}
	sendJSON(w, http.StatusOK, frame)
}
