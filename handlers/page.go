package handlers

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"mybot/robot/floorplan"
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
// cookie. The state in it is for a browser without scripts.
func (h *Handler) servePage(w http.ResponseWriter, r *http.Request) {
	data := h.page.fixed
	if state, ok := h.cfg.State(); ok {
		data.State = &state
	}
	var out bytes.Buffer
	if err := web.Page(data).Render(r.Context(), &out); err != nil {
		h.cfg.Log.Error("the page cannot be written", "error", err)
		say(w, http.StatusInternalServerError, "The page cannot be written. The robot's log says why.")
		return
	}
	giveCookie(w, r)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
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
