package handlers

import (
	"io"
	"strings"
	"testing"
)

func TestThePageSaysWhichFloorPlanItHas(t *testing.T) {
	d := newTestServer(t)
	for _, want := range []string{`data-floor="1"`, `data-floor="2"`} {
		got := d.ask("GET", "/")
		page, err := io.ReadAll(got.Body)
		if err != nil || !strings.Contains(string(page), want) {
			head, _, _ := strings.Cut(string(page), "<head>")
			t.Errorf("the page begins with %q (%v), want %s", head, err, want)
		}
		d.hub.UseFloor("Attic", true)
	}
}
