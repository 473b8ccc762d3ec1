package handlers

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"testing"
)

// A person who reloads a page twice hangs up on the first answer.
func TestABrowserThatHangsUpIsNoFaultOfTheServer(t *testing.T) {
	var log bytes.Buffer
	d := newTestServer(t, func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	answer := httptest.NewRecorder()
	ask := httptest.NewRequestWithContext(gone, "GET", "http://127.0.0.1:8080/", nil)
	ask.RemoteAddr = "127.0.0.1:50000"
	d.ServeHTTP(answer, ask)
	if log.Len() > 0 || answer.Body.Len() > 0 {
		t.Errorf("the log says %q, the answer is %q", log.String(), answer.Body)
	}
}
