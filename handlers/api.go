package handlers

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"rsc.io/qr"

	"mybot/robot"
	"mybot/session"
	"mybot/session/access"
)

// The REST way in: for the command line, for other programs, and for what the
// page asks for once. It goes through the same gate as the page's frames.

// serveState tells the newest state as pages get it.
func (h *Handler) serveState(w http.ResponseWriter, _ *http.Request) {
	frame := h.cfg.Hub.State()
	if frame == nil {
		say(w, http.StatusServiceUnavailable, "The robot has not reported its state yet.")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(frame) // the caller may be gone
}

// An commandBody is a command as REST has it: the fields that a page's frame has,
// but for type and id.
type commandBody struct {
	Lease uint64  `json:"lease"`
	Hold  uint64  `json:"hold"`
	Seq   uint64  `json:"seq"`
	V     float64 `json:"v"`     // m/s
	W     float64 `json:"w"`     // rad/s
	Valid float64 `json:"valid"` // s; 0 = as long as is usual
}

// serveCommand has the hub carry out what a body asks for. STOP has no body that
// could be wrong.
func (h *Handler) serveCommand(of func(commandBody) robot.Command) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var o commandBody
		if err := readJSON(r, &o); err != nil {
			sayBody(w, err)
			return
		}
		h.writeResult(w, h.cfg.Hub.Command(r.Context(), callerOf(r).Identity, session.Order{
			Lease: o.Lease, DriveEpoch: o.Hold, Seq: o.Seq, Command: of(o),
		}))
	}
}

// serveOrderOf has the hub carry out plan, goto, goal or pose, which is the kind: the
// body is what a page's frame has, and is read as strictly.
func (h *Handler) serveOrderOf(kind string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, ok := readBody(w, r)
		if !ok {
			return
		}
		o, err := session.DecodeNavigate(kind, body)
		if err != nil {
			say(w, http.StatusBadRequest, err.Error())
			return
		}
		h.writeResult(w, h.cfg.Hub.Command(r.Context(), callerOf(r).Identity, o))
	}
}

func driveCommand(o commandBody) robot.Command {
	return robot.Drive{Twist: robot.Twist{Linear: o.V, Angular: o.W}, Valid: time.Duration(o.Valid * float64(time.Second))}
}

func haltCommand(commandBody) robot.Command { return robot.Halt{Reason: "A program halted the robot."} }

func clearStopCommand(commandBody) robot.Command { return robot.ClearStop{} }

// serveStopCommand stops the robot, whatever the body says.
func (h *Handler) serveStopCommand(w http.ResponseWriter, r *http.Request) {
	h.writeResult(w, h.stopRobot(r))
}

func (h *Handler) stopRobot(r *http.Request) robot.Result {
	return h.cfg.Hub.Command(r.Context(), callerOf(r).Identity, session.Order{Command: robot.Stop{}})
}

// writeResult tells what became of a command: 200 when it was done, 409 otherwise.
func (h *Handler) writeResult(w http.ResponseWriter, result robot.Result) {
	status := http.StatusConflict
	if result.Word == robot.Success || result.Word == robot.Modified {
		status = http.StatusOK
	}
	body := map[string]any{"word": result.Word, "reason": result.Reason}
	if result.Route != nil {
		body["route"] = session.RouteOf(result.Route)
	}
	h.writeJSON(w, status, body)
}

// serveShare makes a link for people who only watch.
func (h *Handler) serveShare(w http.ResponseWriter, r *http.Request) {
	c := callerOf(r)
	var ask struct {
		Camera bool `json:"camera"`
	}
	if err := readJSON(r, &ask); err != nil {
		sayBody(w, err)
		return
	}
	if ask.Camera && !c.Camera {
		say(w, http.StatusForbidden, "You may not use the camera yourself, so you cannot share it; make a link without it.")
		return
	}
	now := time.Now()
	code, err := h.cfg.Access.Share(now, ask.Camera, c.Grant)
	if err != nil {
		say(w, http.StatusServiceUnavailable, "There are too many links already. Wait until some expire.")
		return
	}
	what := "A share link was made."
	if ask.Camera {
		what = "A share link with the camera was made."
	}
	h.record(fmt.Sprintf("%s at %s", c.Role, c.address), what)
	h.writeJSON(w, http.StatusOK, map[string]any{"link": PairLink(h.baseURL(r), code), "expires": now.Add(access.ShareLife).UTC()})
}

// serveInvite makes a link for one operator or admin, as the terminal shows
// when the robot starts.
func (h *Handler) serveInvite(w http.ResponseWriter, r *http.Request) {
	ask := struct {
		Role session.Role `json:"role"`
	}{session.Admin}
	if err := readJSON(r, &ask); err != nil {
		sayBody(w, err)
		return
	}
	if ask.Role < session.Operator {
		say(w, http.StatusBadRequest, "The role must be operator or admin; observers are invited by share links.")
		return
	}
	c, now := callerOf(r), time.Now()
	code, err := h.cfg.Access.OneTime(now, ask.Role, c.Grant)
	if err != nil {
		say(w, http.StatusServiceUnavailable, "There are too many links already. Wait until some expire.")
		return
	}
	h.record(fmt.Sprintf("%s at %s", c.Role, c.address), fmt.Sprintf("A link for one %s was made.", ask.Role))
	h.writeJSON(w, http.StatusOK, map[string]any{"link": PairLink(h.baseURL(r), code), "role": ask.Role, "expires": now.Add(access.OneTimeLife).UTC()})
}

// PairLink returns the address under base, "http://robot:8080", at which the
// code is exchanged for a token.
func PairLink(base, code string) string {
	return base + "/pair?code=" + url.QueryEscape(code)
}

// baseURL returns the address by which others reach the robot: the one that the
// caller uses or, when that is of use on this computer only, the first one of
// the network.
func (h *Handler) baseURL(r *http.Request) string {
	if h.cfg.Addresses != nil && isLoopbackName(hostOf(r.Host)) {
		if all := h.cfg.Addresses(); len(all) > 0 {
			return all[0]
		}
	}
	if callerOf(r).secure {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// longestLink is the longest link that is drawn, in bytes.
const longestLink = 300

// serveQR draws a link of this robot as a QR code.
func (h *Handler) serveQR(w http.ResponseWriter, r *http.Request) {
	link := r.URL.Query().Get("link")
	if !strings.HasPrefix(link, PairLink(h.baseURL(r), "")) || len(link) > longestLink {
		say(w, http.StatusBadRequest, fmt.Sprintf("Only links that begin with %s are drawn as a QR code.", PairLink(h.baseURL(r), "")))
		return
	}
	code, err := qr.Encode(link, qr.M)
	if err != nil {
		say(w, http.StatusBadRequest, "The link cannot be drawn as a QR code.")
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	_, _ = w.Write(drawQR(code)) // the browser may be gone
}

// drawQR draws the code black on white, with the white margin of four modules
// that readers need.
func drawQR(code *qr.Code) []byte {
	const margin = 4
	side := code.Size + 2*margin
	var path strings.Builder
	for y := range code.Size {
		for x := range code.Size {
			if code.Black(x, y) {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+margin, y+margin)
			}
		}
	}
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h%dv%dH0z"/><path d="%s"/></svg>`,
		side, side, side, side, path.String())
}

// A user is a grant as an admin sees it: without its hash.
type user struct {
	ID      string       `json:"id"`
	Name    string       `json:"name"`
	Role    session.Role `json:"role"`
	Camera  bool         `json:"camera"`
	By      string       `json:"by"`
	Created time.Time    `json:"created"`
	Expires time.Time    `json:"expires"`
	Maker   string       `json:"maker"` // id of whose link it came by; "" = none's
}

func (h *Handler) serveUsers(w http.ResponseWriter, _ *http.Request) {
	users := []user{}
	for _, g := range h.cfg.Access.Grants(time.Now()) {
		users = append(users, user{g.ID, g.Name, g.Role, g.Camera, g.By, g.Created, g.Expires, g.Maker})
	}
	h.writeJSON(w, http.StatusOK, map[string]any{"users": users})
}

func (h *Handler) serveRevoke(w http.ResponseWriter, r *http.Request) {
	c := callerOf(r)
	by := c.Name
	if by == "" {
		by = fmt.Sprintf("%s at %s", c.Role, c.address)
	}
	id := chi.URLParam(r, "id")
	var descendants []string
	if q := r.URL.Query(); !q.Has("alone") {
		descendants = h.cfg.Access.Descendants(id, q.Has("link"))
	}
	grant, err := h.revokeGrants(id, descendants, by)
	switch {
	case errors.Is(err, access.ErrToken):
		say(w, http.StatusNotFound, fmt.Sprintf("There is no device %q; 'mybot users list' lists the devices.", clip(chi.URLParam(r, "id"))))
	case err != nil:
		h.cfg.Log.Error("a revoked grant cannot be deleted", "grant", grant.ID, "error", err)
		say(w, http.StatusInternalServerError, "The access has ended, but that cannot be saved: it comes back when the robot's program restarts. The robot's log says why.")
	default:
		h.writeJSON(w, http.StatusOK, user{grant.ID, grant.Name, grant.Role, grant.Camera, grant.By, grant.Created, grant.Expires, grant.Maker})
	}
}

// revokeGrants ends a grant and those that go with it, which may have ended meanwhile.
func (h *Handler) revokeGrants(id string, descendants []string, by string) (access.Grant, error) {
	grant, err := h.cfg.Access.Revoke(id)
	h.sendAway(grant, by, "revoked")
	for _, other := range descendants {
		gone, fault := h.cfg.Access.Revoke(other)
		h.sendAway(gone, by, "revoked with that of "+bearerName(grant))
		if err == nil && fault != nil && !errors.Is(fault, access.ErrToken) {
			err = fault
		}
	}
	return grant, err
}

// serveRemove sends somebody away who stops the robot again and again, for who
// has control: with the link by which that device came.
func (h *Handler) serveRemove(w http.ResponseWriter, r *http.Request) {
	c, id := callerOf(r), chi.URLParam(r, "id")
	if !h.cfg.Hub.MayRemove(c.Identity, id) {
		say(w, http.StatusConflict, "Who has control may remove a device that has stopped the robot three times within a minute. An admin may remove any device.")
		return
	}
	by := fmt.Sprintf("%s at %s", c.Role, c.address)
	if c.Name != "" {
		by = fmt.Sprintf("%q at %s", c.Name, c.address)
	}
	grant, err := h.revokeGrants(id, h.cfg.Access.Descendants(id, false), by)
	switch {
	case errors.Is(err, access.ErrToken):
		say(w, http.StatusNotFound, "That device has gone already.")
	case err != nil:
		h.cfg.Log.Error("a removed grant cannot be deleted", "grant", grant.ID, "error", err)
		say(w, http.StatusInternalServerError, "The access has ended, but that cannot be written down: it is there again after a restart. The robot's log says why.")
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// writeJSON answers with a value that can always be encoded.
func (h *Handler) writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		h.cfg.Log.Error("an answer cannot be written", "error", err)
		say(w, http.StatusInternalServerError, "The answer cannot be written. The robot's log says why.")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the caller may be gone
}
