package handlers

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"mybot/jobs"
	"mybot/robot"
)

// An openAPIDocument is the document of the interface, and the validator for its
// schemas.
type openAPIDocument struct {
	t        *testing.T
	doc      map[string]any
	compiler *jsonschema.Compiler
}

func openDocument(t *testing.T) *openAPIDocument {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(openAPI))
	if err != nil {
		t.Fatal(err)
	}
	b := &openAPIDocument{t: t, doc: value.(map[string]any), compiler: jsonschema.NewCompiler()}
	if err := b.compiler.AddResource("openapi.json", value); err != nil {
		t.Fatal(err)
	}
	return b
}

// operations calls f with the JSON pointer of each operation.
func (b *openAPIDocument) operations(f func(route, at string, o map[string]any)) {
	for path, methods := range b.doc["paths"].(map[string]any) {
		for method, o := range methods.(map[string]any) {
			at := "#/paths/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(path) + "/" + method
			f(strings.ToUpper(method)+" "+path, at, o.(map[string]any))
		}
	}
}

// holds validates the value against the schema at the pointer.
func (b *openAPIDocument) holds(at string, value any) error {
	b.t.Helper()
	s, err := b.compiler.Compile("openapi.json" + at)
	if err != nil {
		b.t.Fatalf("%s: %v", at, err)
	}
	return s.Validate(value)
}

func TestTheRoutesOfTheInterfaceAreThoseOfItsDocument(t *testing.T) {
	d, b := newTestServer(t), openDocument(t)
	told := map[string]string{}
	b.operations(func(route, _ string, o map[string]any) {
		told[route], _ = o["x-role"].(string)
		if o["summary"] == nil || o["operationId"] == nil || len(o["tags"].([]any)) != 1 {
			t.Errorf("%s has no summary, id or tag", route)
		}
	})
	err := chi.Walk(d.router, func(method, path string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		route := method + " " + path
		if !strings.HasPrefix(path, "/api/v1/") {
			return nil
		}
		role, ok := told[route]
		if !ok {
			t.Errorf("%s is not in openapi.json", route)
			return nil
		}
		delete(told, route)
		want := "observer"
		switch row := matrix[route]; {
		case row.operator == http.StatusForbidden:
			want = "admin"
		case row.observer == http.StatusForbidden:
			want = "operator"
		}
		if role != want {
			t.Errorf("openapi.json says that %s is for %q, but it is for %s", route, role, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for route := range told {
		t.Errorf("openapi.json has %s, which is no route", route)
	}
}

func TestTheExamplesOfTheDocumentAreAsItSays(t *testing.T) {
	b := openDocument(t)
	examples := 0
	check := func(at string, o any) {
		contents, _ := o.(map[string]any)["content"].(map[string]any)
		for kind, c := range contents {
			example, ok := c.(map[string]any)["example"]
			if !ok {
				continue
			}
			examples++
			if err := b.holds(at+"/content/"+strings.ReplaceAll(kind, "/", "~1")+"/schema", example); err != nil {
				t.Errorf("%s: %v", at, err)
			}
		}
	}
	b.operations(func(_, at string, o map[string]any) {
		if body := o["requestBody"]; body != nil {
			check(at+"/requestBody", body)
		}
		for status, r := range o["responses"].(map[string]any) {
			check(at+"/responses/"+status, r)
		}
	})
	if examples < 50 {
		t.Errorf("only %d examples were found", examples)
	}
	for name, r := range b.doc["components"].(map[string]any)["responses"].(map[string]any) {
		check("#/components/responses/"+name, r)
	}
	s := "#/components/schemas/"
	if b.holds(s+"Pose", []any{json.Number("1"), json.Number("2")}) == nil || b.holds(s+"Lease", map[string]any{}) == nil {
		t.Error("a schema allows what it should not")
	}
}

// TestWhatIsAnsweredIsAsTheDocumentSays requests everything that a robot with some
// jobs publishes.
func TestWhatIsAnsweredIsAsTheDocumentSays(t *testing.T) {
	b := openDocument(t)
	began := time.Date(2026, 11, 20, 14, 21, 0, 0, time.UTC)
	d := newTestServer(t)
	d.jobs.runs = []jobs.RunRecord{{
		PreparedRun: jobs.PreparedRun{Job: jobs.Job{Steps: []jobs.Step{{Type: jobs.Move, Place: "Sofa"}}}, Ways: [][]robot.Point{{{X: 1, Y: 2}}}},
		Run: robot.Run{
			Number: 17, Phase: robot.RunPaused, Began: began, Result: robot.Result{Reason: "Ana drove by hand."}, Steps: []robot.StepRun{{State: robot.StepPaused, Began: began}},
			Log: []robot.Transition{{At: began, Step: -1, To: "running"}},
		},
	}}
	d.state.Run = &d.jobs.runs[0].Run
	d.hub.Publish(*d.state)
	if got := d.ask("POST", "/api/v1/jobs", body(paperJob)); got.StatusCode != http.StatusCreated {
		t.Fatal(got.Status)
	}
	for deadline := time.Now().Add(5 * time.Second); d.hub.State() == nil && time.Now().Before(deadline); {
		d.hub.Publish(*d.state)
	}
	if got := d.ask("POST", "/api/v1/scripts", body(batteryScript)); got.StatusCode != http.StatusCreated {
		t.Fatal(got.Status)
	}
	names := strings.NewReplacer("/scripts/{id}", "/scripts/low_battery", "{id}", "paper-to-jin", "{n}", "17", "{name}", "Sofa")
	asked := 0
	b.operations(func(route, at string, o map[string]any) {
		path, ok := strings.CutPrefix(route, "GET ")
		r, _ := o["responses"].(map[string]any)["200"].(map[string]any)
		contents, _ := r["content"].(map[string]any)
		for kind := range contents {
			if !ok || o["x-role"] == "admin" || strings.HasPrefix(kind, "image/") || strings.HasPrefix(kind, "audio/") || kind == "application/octet-stream" || strings.HasPrefix(path, motionsPath+"/") {
				continue
			}
			asked++
			got := d.ask("GET", names.Replace(path))
			if got.StatusCode != http.StatusOK || !strings.HasPrefix(got.Header.Get("Content-Type"), kind) {
				t.Errorf("%s is answered %s, %s", path, got.Status, got.Header.Get("Content-Type"))
				continue
			}
			if kind == "text/plain" {
				continue
			}
			value, err := jsonschema.UnmarshalJSON(got.Body)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			if err := b.holds(at+"/responses/200/content/"+strings.ReplaceAll(kind, "/", "~1")+"/schema", value); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	})
	if asked < 15 {
		t.Errorf("only %d routes were asked", asked)
	}
	at := "#/paths/~1api~1v1~1rehearse/post/responses/200/content/application~1json/schema"
	value, err := jsonschema.UnmarshalJSON(d.ask("POST", "/api/v1/rehearse", body(`{"steps":[{"type":"WAIT","seconds":1}]}`)).Body)
	if err != nil || b.holds(at, value) != nil {
		t.Errorf("a rehearsal is answered otherwise: %v %v", err, b.holds(at, value))
	}
}

func TestThePageTellsAllOfTheDocument(t *testing.T) {
	d := newTestServer(t)
	got := d.ask("GET", "/api")
	page := text(t, got)
	if got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("the page is answered %s", got.Status)
	}
	b := openDocument(t)
	b.operations(func(route, _ string, o map[string]any) {
		if id := o["operationId"].(string); strings.Count(page, `id="`+id+`"`) != 1 {
			t.Errorf("the page does not tell %s once", route)
		}
	})
	for name := range b.doc["components"].(map[string]any)["schemas"].(map[string]any) {
		if !strings.Contains(page, `id="shape-`+name+`"`) {
			t.Errorf("the page does not tell what %s is", name)
		}
	}
	for _, part := range strings.Split(page, `href="#`)[1:] {
		anchor, _, _ := strings.Cut(part, `"`)
		if !strings.Contains(page, ` id="`+anchor+`"`) {
			t.Errorf("the page leads to #%s, which is not there", anchor)
		}
	}
	if strings.Count(page, "<script") != 1 || strings.Contains(page, `="http`) || strings.Contains(page, `="//`) {
		t.Error("the page asks for something from elsewhere")
	}
}
