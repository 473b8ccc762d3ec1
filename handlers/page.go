package handlers

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/a-h/templ"

	"mybot/session"
	"mybot/web"
)

// servePage writes the operator's page and makes sure that the browser has a
// cookie. It redirects a stranger to the pairing page. The page contains the state
// for browsers without scripts.
func (h *Handler) servePage(w http.ResponseWriter, r *http.Request) {
	if callerOf(r).Role == session.Stranger {
		http.Redirect(w, r, "/pair", http.StatusSeeOther)
		return
	}
	floor := h.cfg.Hub.CountFloors() // before reading the floor plan, so that the page rather reloads once too often than never
	data := web.PageData{
		Floor:     floor,
		Name:      h.cfg.Description.Name,
		Place:     h.cfg.floorplan().Name,
		Build:     h.cfg.Build,
		Floorplan: h.currentDrawing().json,
		Insecure:  isInsecure(r),
		Replay:    h.cfg.Player != nil,
	}
	if state, ok := h.cfg.State(); ok {
		data.State = &state
	}
	h.keepCookie(w, r)
	h.writePage(w, r, http.StatusOK, web.Page(data))
}

// isInsecure reports whether browsers restrict a page that came this way: over
// plain http from another computer.
func isInsecure(r *http.Request) bool {
	return !callerOf(r).secure && !isLoopbackName(hostOf(r.Host))
}

// renderInTurn renders a page when it is its turn.
func (h *Handler) renderInTurn(ctx context.Context, page templ.Component, to io.Writer) error {
	defer h.turn.take()()
	return page.Render(ctx, to)
}

// writePage answers with a page.
func (h *Handler) writePage(w http.ResponseWriter, r *http.Request, status int, page templ.Component) {
	var out bytes.Buffer
	switch err := h.renderInTurn(r.Context(), page, &out); {
	case r.Context().Err() != nil: // the browser is gone, as after a second reload
		return
	case err != nil:
		h.cfg.Log.Error("the page cannot be written", "error", err)
		writeSentence(w, http.StatusInternalServerError, "The page cannot be written. The robot's log says why.")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // the browser may be gone
}
