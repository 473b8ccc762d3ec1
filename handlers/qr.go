package handlers

import (
	"fmt"
	"net/http"
	"strings"

	"rsc.io/qr"
)

// maxLink is the length of the longest link to draw, in bytes.
const maxLink = 300

// serveQR answers with a link of this robot as a QR code.
func (h *Handler) serveQR(w http.ResponseWriter, r *http.Request) {
	link := r.URL.Query().Get("link")
	if !strings.HasPrefix(link, PairLink(h.baseURL(r), "")) || len(link) > maxLink {
		writeSentence(w, http.StatusBadRequest, fmt.Sprintf("Only links that begin with %s are drawn as a QR code.", PairLink(h.baseURL(r), "")))
		return
	}
	code, err := qr.Encode(link, qr.M)
	if err != nil {
		writeSentence(w, http.StatusBadRequest, "The link cannot be drawn as a QR code.")
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
