package handlers

import (
	"net/http"
	"time"

	"mybot/robot"
	"mybot/session"
	"mybot/session/protocol"
)

// Commands by REST, for the command line and other programs. The same checks apply
// as to the page's frames.

// A commandBody is the body of a REST command: the fields of a page's frame,
// without type and id.
type commandBody struct {
	Lease uint64  `json:"lease"`
	Hold  uint64  `json:"hold"`
	Seq   uint64  `json:"seq"`
	V     float64 `json:"v"`     // m/s
	W     float64 `json:"w"`     // rad/s
	Valid float64 `json:"valid"` // s; 0 = the default
}

// serveCommand passes the command in a body to the hub. STOP has a handler of its
// own, because a wrong body must not prevent it.
func (h *Handler) serveCommand(of func(commandBody) robot.Command) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var o commandBody
		if err := readJSON(r, &o); err != nil {
			writeBodyFault(w, err)
			return
		}
		h.writeResult(w, h.cfg.Hub.Command(r.Context(), callerOf(r).Identity, session.Order{
			Lease: o.Lease, DriveEpoch: o.Hold, Seq: o.Seq, Command: of(o),
		}))
	}
}

// serveOrderOf passes a plan, goto, goal or pose command to the hub; the body is
// decoded as strictly as a page's frame.
func (h *Handler) serveOrderOf(kind string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, ok := readBody(w, r)
		if !ok {
			return
		}
		n, err := protocol.DecodeNavigate(kind, body)
		if err != nil {
			writeSentence(w, http.StatusBadRequest, err.Error())
			return
		}
		h.writeResult(w, h.cfg.Hub.Command(r.Context(), callerOf(r).Identity, session.Order{Lease: n.Lease, Command: n.Command}))
	}
}

// serveJoints passes a command for joints to the hub.
func (h *Handler) serveJoints(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	m, err := protocol.DecodeMoveJoints(body)
	if err != nil {
		writeSentence(w, http.StatusBadRequest, err.Error())
		return
	}
	h.writeResult(w, h.cfg.Hub.Command(r.Context(), callerOf(r).Identity, session.Order{Lease: m.Lease, Command: m.MoveJoints}))
}

func driveCommand(o commandBody) robot.Command {
	return robot.Drive{Twist: robot.Twist{Linear: o.V, Angular: o.W}, Valid: time.Duration(o.Valid * float64(time.Second))}
}

func haltCommand(commandBody) robot.Command { return robot.Halt{Reason: "A program halted the robot."} }

func clearStopCommand(commandBody) robot.Command { return robot.ClearStop{} }

// serveStopCommand stops the robot, whatever the body contains.
func (h *Handler) serveStopCommand(w http.ResponseWriter, r *http.Request) {
	h.writeResult(w, h.stopRobot(r))
}

func (h *Handler) stopRobot(r *http.Request) robot.Result {
	return h.cfg.Hub.Command(r.Context(), callerOf(r).Identity, session.Order{Command: robot.Stop{}})
}

// writeResult answers with the result of a command: 200 on success, 409 otherwise.
func (h *Handler) writeResult(w http.ResponseWriter, result robot.Result) {
	status := http.StatusConflict
	if result.Done() {
		status = http.StatusOK
	}
	body := map[string]any{"word": result.Word, "reason": result.Reason}
	if result.Route != nil {
		body["route"] = protocol.RouteOf(result.Route)
	}
	h.writeJSON(w, status, body)
}
