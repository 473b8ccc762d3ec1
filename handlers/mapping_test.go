package handlers

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"mybot/robot"
)

// A cartographer records the calls, extends the map "Cellar", and has one picture.
type cartographer struct {
	asked  []string
	refuse error
}

func (c *cartographer) Do(_ context.Context, o MapOrder) (saved string, err error) {
	asked := o.Action + " " + o.Name
	if o.Width != 0 || o.Height != 0 {
		asked += fmt.Sprintf("%g x %g", o.Width, o.Height)
	}
	c.asked = append(c.asked, strings.TrimSpace(asked))
	if o.Action == "save" {
		saved = cmp.Or(strings.TrimSpace(o.Name), "Cellar")
	}
	return saved, c.refuse
}

func (c *cartographer) Picture(tile, revision int) (data []byte, exact, ok bool) {
	return []byte("picture"), revision == 7, tile == 0
}

func (c *cartographer) Draft(context.Context) ([]byte, error) {
	return []byte(`{"rev":3}`), c.refuse
}

func (c *cartographer) Edit(_ context.Context, edit []byte) ([]byte, error) {
	c.asked = append(c.asked, string(edit))
	return []byte(`{"rev":4}`), c.refuse
}

func (c *cartographer) DraftPicture(_ context.Context, revision int) (data []byte, exact, ok bool) {
	return []byte("picture"), revision == 3, revision > 0
}

func TestOnlyWhoHasControlMakesAMap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _, lease, heard, ask := drivenBy(t)
		for _, c := range []struct {
			name, body string
			refuse     error
			want       int
			told, done string // answer to the user, and calls; "" = none
		}{
			{"an action", fmt.Sprintf(`{"lease":%d,"action":"start"}`, lease), nil, 200, "SUCCESS", "start"},
			{"a name", fmt.Sprintf(`{"lease":%d,"action":"save","name":" Attic "}`, lease), nil, 200, "SUCCESS", "save  Attic"},
			{"the name of the map that is extended", fmt.Sprintf(`{"lease":%d,"action":"save"}`, lease), nil, 200, "SUCCESS", "save"},
			{"a size", fmt.Sprintf(`{"lease":%d,"action":"sheet","width":12.5,"height":8}`, lease), nil, 200, "SUCCESS", "sheet 12.5 x 8"},
			{"a size that is no number", fmt.Sprintf(`{"lease":%d,"action":"sheet","width":"12"}`, lease), nil, 400, "width", ""},
			{"an old lease", fmt.Sprintf(`{"lease":%d,"action":"start"}`, lease-1), nil, 409, "Control changed", ""},
			{"no lease", `{"action":"start"}`, nil, 409, "Control changed", ""},
			{"something else", fmt.Sprintf(`{"lease":%d,"action":"erase"}`, lease), nil, 400, "start, sketch, sheet, pause, resume", ""},
			{"no action", fmt.Sprintf(`{"lease":%d}`, lease), nil, 400, "start, sketch, sheet, pause, resume", ""},
			{"a field too many", fmt.Sprintf(`{"lease":%d,"action":"start","now":true}`, lease), nil, 400, "not known", ""},
			{"what is not possible now", fmt.Sprintf(`{"lease":%d,"action":"undo"}`, lease), robot.Refusef("No map is being made."), 409, "No map is being made.", "undo"},
		} {
			func() { // a bubble has no tests of its own
				d.maker = cartographer{refuse: c.refuse}
				got := ask("POST", "/api/v1/mapping", c.body)
				text, err := io.ReadAll(got.Body)
				if err != nil || got.StatusCode != c.want || !strings.Contains(string(text), c.told) {
					t.Errorf("%s: it is answered %s: %s %v", c.name, got.Status, text, err)
				}
				if done := strings.Join(d.maker.asked, ","); done != c.done {
					t.Errorf("%s: %q was done, want %q", c.name, done, c.done)
				}
			}()
		}
		synctest.Wait()
		said := heard()
		for _, line := range []string{"Ana began to make a map.", "Ana saved the map Attic.", "Ana saved the map Cellar.", "Ana began to draw walls by hand."} {
			if !strings.Contains(said, line) {
				t.Errorf("nobody is told %q", line)
			}
		}
		if strings.Contains(said, "took back") {
			t.Error("all are told what was refused")
		}
	})
}

func TestAnEditOfAMapMayBe64KiBLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _, lease, _, ask := drivenBy(t)
		for bytes, want := range map[int]int{64 << 10: http.StatusOK, maxMapBody: http.StatusRequestEntityTooLarge} {
			d.maker = cartographer{}
			edit := `{"op":"undo"` + strings.Repeat(" ", bytes-len(`{"op":"undo"}`)) + `}`
			got := ask("POST", "/api/v1/mapping/draft", fmt.Sprintf(`{"lease":%d,"edit":%s}`, lease, edit))
			if done := strings.Join(d.maker.asked, ","); got.StatusCode != want || want == http.StatusOK && done != edit {
				t.Errorf("an edit of %d bytes is answered %s, and %d bytes are edited", bytes, got.Status, len(done))
			}
		}
	})
}

func TestAPictureOfATileIsKeptWhereItCannotChange(t *testing.T) {
	d := newTestServer(t)
	for path, want := range map[string]struct {
		status int
		cache  bool
	}{
		"/api/v1/mapping/tiles/0/7.png":  {http.StatusOK, true},
		"/api/v1/mapping/tiles/0/6.png":  {http.StatusOK, false},
		"/api/v1/mapping/tiles/1/7.png":  {http.StatusNotFound, false},
		"/api/v1/mapping/tiles/x/7.png":  {http.StatusNotFound, false},
		"/api/v1/mapping/tiles/-1/7.png": {http.StatusNotFound, false},
	} {
		got := d.ask("GET", path)
		if cached := strings.Contains(got.Header.Get("Cache-Control"), "immutable"); got.StatusCode != want.status || cached != want.cache {
			t.Errorf("%s is answered %s, Cache-Control %q", path, got.Status, got.Header.Get("Cache-Control"))
		}
	}
}
