package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"

	"mybot/strictjson"
)

// writeJSON answers with a value, which must be encodable.
func (h *Handler) writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		h.cfg.Log.Error("an answer cannot be written", "error", err)
		writeSentence(w, http.StatusInternalServerError, "The answer cannot be written. The robot's log says why.")
		return
	}
	sendJSON(w, status, append(body, '\n'))
}

// sendJSON answers with encoded JSON.
func sendJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller may be gone
}

// writeSentence answers with one sentence.
func writeSentence(w http.ResponseWriter, status int, sentence string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = fmt.Fprintln(w, sentence) // the browser may be gone
}

// clipText shortens untrusted text before an answer quotes it.
func clipText(s string) string { return strictjson.Clip(s, 80) }
