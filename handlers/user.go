package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"mybot/session"
	"mybot/session/access"
)

// A user is a grant as admins see it, without its hash.
type user struct {
	ID      string       `json:"id"`
	Name    string       `json:"name"`
	Role    session.Role `json:"role"`
	Camera  bool         `json:"camera"`
	By      string       `json:"by"`
	Created time.Time    `json:"created"`
	Expires time.Time    `json:"expires"`
	Maker   string       `json:"maker"` // id of the grant whose link gave it; "" = none
}

func (h *Handler) serveUsers(w http.ResponseWriter, _ *http.Request) {
	users := []user{}
	for _, g := range h.cfg.Access.Grants(h.clock.now()) {
		users = append(users, user{g.ID, g.Name, g.Role, g.Camera, g.By, g.Created, g.Expires, g.Maker})
	}
	h.writeJSON(w, http.StatusOK, map[string]any{"users": users})
}

func (h *Handler) serveRevoke(w http.ResponseWriter, r *http.Request) {
	c := callerOf(r)
	by := c.Name
	if by == "" {
		by = c.deviceName()
	}
	id := chi.URLParam(r, "id")
	scope := access.Below
	switch q := r.URL.Query(); {
	case q.Has("alone"):
		scope = access.Alone
	case q.Has("link"):
		scope = access.OfSameLink
	}
	grant, err := h.revokeGrants(id, scope, by)
	switch {
	case errors.Is(err, access.ErrToken):
		writeSentence(w, http.StatusNotFound, fmt.Sprintf("There is no device %q; 'mybot users list' lists the devices.", clipText(chi.URLParam(r, "id"))))
	case err != nil:
		h.cfg.Log.Error("a revoked grant cannot be deleted", "grant", grant.ID, "error", err)
		writeSentence(w, http.StatusInternalServerError, "The access has ended, but that cannot be saved: it comes back when the robot's program restarts. The robot's log says why.")
	default:
		h.writeJSON(w, http.StatusOK, user{grant.ID, grant.Name, grant.Role, grant.Camera, grant.By, grant.Created, grant.Expires, grant.Maker})
	}
}

// revokeGrants ends a grant and the others of the scope, and sends their bearers
// away.
func (h *Handler) revokeGrants(id string, scope access.Scope, by string) (access.Grant, error) {
	var named access.Grant
	return h.cfg.Access.RevokeAll(id, scope, func(gone access.Grant) {
		why := "revoked"
		if named.ID == "" {
			named = gone
		} else {
			why = "revoked with that of " + bearerName(named)
		}
		h.sendAway(gone, by, why)
	})
}

// serveRemove lets the person in control remove a device that stops the robot
// repeatedly, together with the link by which the device came.
func (h *Handler) serveRemove(w http.ResponseWriter, r *http.Request) {
	c, id := callerOf(r), chi.URLParam(r, "id")
	if !h.cfg.Hub.MayRemove(c.Identity, id) {
		writeSentence(w, http.StatusConflict, "Who has control may remove a device that has stopped the robot three times within a minute. An admin may remove any device.")
		return
	}
	by := c.deviceName()
	if c.Name != "" {
		by = fmt.Sprintf("%q at %s", c.Name, c.address)
	}
	grant, err := h.revokeGrants(id, access.Below, by)
	switch {
	case errors.Is(err, access.ErrToken):
		writeSentence(w, http.StatusNotFound, "That device has gone already.")
	case err != nil:
		h.cfg.Log.Error("a removed grant cannot be deleted", "grant", grant.ID, "error", err)
		writeSentence(w, http.StatusInternalServerError, "The access has been revoked, but that could not be saved: it will be valid again after a restart. The robot's log says why.")
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}
