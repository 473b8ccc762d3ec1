package handlers

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"github.com/a-h/templ"

	"mybot/robot/floorplan"
	"mybot/session"
	"mybot/web"
)

// page is what does not change about the operator's page.
type page struct{ fixed web.PageData }

func newPage(cfg Config) (page, error) {
	plan, err := floorplan.JSON(cfg.Plan)
	if err != nil {
		return page{}, fmt.Errorf("the floor plan cannot be put into the page: %w", err)
	}
	return page{web.PageData{
		Name:      cfg.Description.Name,
		Place:     cfg.Plan.Name,
		Build:     cfg.Build,
		Floorplan: plan,
	}}, nil
}

// servePage writes the operator's page and makes sure that the browser has a
// cookie. A stranger is led to where one pairs. The state in it is for a
// browser without scripts.
func (h *Handler) servePage(w http.ResponseWriter, r *http.Request) {
	if callerOf(r).Role == session.Stranger {
		http.Redirect(w, r, "/pair", http.StatusSeeOther)
		return
	}
	data := h.page.fixed
	data.Insecure = insecure(r)
	if state, ok := h.cfg.State(); ok {
		data.State = &state
	}
	keepCookie(w, r)
	h.write(w, r, http.StatusOK, web.Page(data))
}

// insecure tells whether browsers keep something from a page that came this
// way: over plain http from another computer.
func insecure(r *http.Request) bool {
	return !callerOf(r).secure && !isLoopbackName(hostOf(r.Host))
}

// write answers with a page.
func (h *Handler) write(w http.ResponseWriter, r *http.Request, status int, page templ.Component) {
	var out bytes.Buffer
	if err := page.Render(r.Context(), &out); err != nil {
		h.cfg.Log.Error("the page cannot be written", "error", err)
		say(w, http.StatusInternalServerError, "The page cannot be written. The robot's log says why.")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // the browser may be gone
}

// newPicture returns the handler of the floor plan as a picture, for a browser
// without scripts. It is drawn once.
func newPicture(cfg Config) (http.Handler, error) {
	var out bytes.Buffer
	if err := floorplan.SVG(&out, cfg.Plan); err != nil {
		return nil, fmt.Errorf("the floor plan cannot be drawn: %w", err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(out.Bytes()))
	}), nil
}
