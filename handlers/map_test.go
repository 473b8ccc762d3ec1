package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
	"mybot/session"
)

// A drawer keeps the map in memory, or fails.
type drawer struct {
	plan   atomic.Pointer[robot.Floorplan]
	saves  int
	refuse error
	broken bool // saves, and reports a failure
}

func (k *drawer) Plan() *robot.Floorplan { return k.plan.Load() }

func (k *drawer) Save(graph robot.Graph, places []robot.Place) error {
	k.saves++
	if k.refuse == nil || k.broken {
		next := *k.plan.Load()
		next.Graph, next.Places = graph, places
		k.plan.Store(&next)
	}
	return k.refuse
}

// drivenBy returns a server with a map that may be changed, a user who is connected
// and has control, the user's frames, and a function that sends requests as that
// user.
func drivenBy(t *testing.T) (d *testServer, k *drawer, lease uint64, heard func() string, ask func(method, path, body string, change ...func(*http.Request)) *http.Response) {
	t.Helper()
	k = &drawer{}
	d = newTestServer(t, func(c *Config) {
		k.plan.Store(c.Plan)
		c.Map = k
	})
	cookie := cookieIn(t, d.ask("GET", "/")).Value
	user, err := d.hub.Join(t.Context(), session.Identity{Browser: browserOf(cookie), Role: session.Operator})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(user.Leave)
	user.Receive([]byte(`{"type":"hello","protocol":"mybot.v1","tab":"x","name":"Ana","build":"test"}`))
	synctest.Wait()
	d.hub.Publish(robot.State{Time: time.Now(), Mode: robot.ModeReady})
	time.Sleep(time.Second)
	heard = func() string {
		var all strings.Builder
		for {
			synctest.Wait()
			none, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			frame, err := user.Next(none)
			cancel()
			if err != nil {
				return all.String()
			}
			all.Write(frame)
		}
	}
	ask = func(method, path, body string, change ...func(*http.Request)) *http.Response {
		return d.ask(method, path, append([]func(*http.Request){func(r *http.Request) {
			*r = *httptest.NewRequest(method, "http://127.0.0.1:8080"+path, strings.NewReader(body))
			r.RemoteAddr = "127.0.0.1:50000"
			r.Header.Set("Cookie", "mybot="+cookie)
		}}, change...)...)
	}
	return d, k, d.hub.Stats().Epoch, heard, ask
}

func TestTheHolderSavesTheMapAndEveryUserSeesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, k, lease, heard, ask := drivenBy(t)
		heard()
		const parts = `"via":[{"id":1,"name":"I","at":[3.7,7.3]},{"id":2,"name":"","at":[5,7.3]}],"edges":[[1,2],[2,1]],"places":[{"name":"Sofa","pose":[10.2,3.7,4]}]`
		got := ask("PUT", "/api/v1/map", fmt.Sprintf(`{"lease":%d,%s}`, lease, parts))
		if body := text(t, got); got.StatusCode != http.StatusOK || body != `{"reason":"","word":"SUCCESS"}`+"\n" {
			t.Fatalf("saving is answered %s: %s", got.Status, body)
		}
		plan := k.Plan()
		wantGraph := robot.Graph{
			Nodes: []robot.Via{{ID: 1, Name: "I", Point: robot.Point{X: 3.7, Y: 7.3}}, {ID: 2, Point: robot.Point{X: 5, Y: 7.3}}},
			Edges: []robot.Edge{{Start: 1, End: 2}, {Start: 2, End: 1}},
		}
		wantPlaces := []robot.Place{{Name: "Sofa", Pose: robot.Pose{X: 10.2, Y: 3.7, Theta: robot.WrapAngle(4)}}}
		if !reflect.DeepEqual(plan.Graph, wantGraph) || !reflect.DeepEqual(plan.Places, wantPlaces) {
			t.Errorf("saved was %+v, %+v", plan.Graph, plan.Places)
		}
		if k.saves != 1 {
			t.Errorf("it was saved %d times", k.saves)
		}
		const told = `"via":[{"id":1,"name":"I","at":[3.7,7.3]},{"id":2,"name":"","at":[5,7.3]}],"edges":[[1,2],[2,1]],"places":[{"name":"Sofa","pose":[10.2,3.7,-2.2832]}]`
		if frames := heard(); !strings.Contains(frames, `{"type":"event","kind":"map",`+told+"}") {
			t.Errorf("people hear %s", frames)
		}
		for _, path := range []string{"/", "/api/v1/map"} {
			if body := text(t, d.ask("GET", path)); !strings.Contains(body, told) || !strings.Contains(body, `"walls":`) {
				t.Errorf("%s does not have the saved map", path)
			}
		}
		if got := ask("PUT", "/api/v1/map", fmt.Sprintf(`{"lease":%d,%s%s}`, lease, parts, strings.Repeat(" ", maxMapBody-1000))); got.StatusCode != http.StatusOK {
			t.Errorf("a large map is answered %s: %s", got.Status, text(t, got))
		}
		if svg := text(t, d.ask("GET", "/map.svg")); !strings.HasPrefix(svg, "<svg") {
			t.Errorf("the picture is %.80s", svg)
		}
	})
}

func TestAMapIsSavedOnlyWholeAndByTheHolder(t *testing.T) {
	const empty = `"via":[],"edges":[],"places":[]`
	for _, c := range []struct {
		name, body string // %d is the lease
		ahead      uint64
		status     int
		says       string
	}{
		{"nothing", ``, 0, 400, "The map is not whole; it should have lists of via, edges and places."},
		{"without edges", `{"lease":%d,"via":[],"places":[]}`, 0, 400, "The map is not whole"},
		{"with no edges but null", `{"lease":%d,"via":[],"edges":null,"places":[]}`, 0, 400, `"edges" is null`},
		{"with something else", `{"lease":%d,"walls":[],` + empty + `}`, 0, 400, `a field "walls", which is not known; the fields are lease, via, edges, places.`},
		{"a via point on a line", `{"lease":%d,"via":[{"id":1,"name":"I","at":[1]}],"edges":[],"places":[]}`, 0, 400, "Via point 1 of the list has 1 coordinates; it should have two"},
		{"a via point in space", `{"lease":%d,"via":[{"id":1,"name":"I","at":[1,2,3]}],"edges":[],"places":[]}`, 0, 400, "Via point 1 of the list has 3 coordinates"},
		{"an edge without an end", `{"lease":%d,"via":[],"edges":[[1]],"places":[]}`, 0, 400, "Edge 1 of the list has 1 ends; it should have two"},
		{"a place without a heading", `{"lease":%d,"via":[],"edges":[],"places":[{"name":"Sofa","pose":[1,2]}]}`, 0, 400, "Place 1 of the list has 2 coordinates; it should have three"},
		{"too much of it", `{"lease":%d,"via":[],"edges":[` + strings.Repeat("[1,2],", maxMapBody/6) + `[1,2]],"places":[]}`, 0, 413, "at most 256 KiB"},
		{"with a lease of the future", `{"lease":%d,` + empty + `}`, 1, 409, `\"lease\" is ahead of the epoch`},
		{"with an old lease", `{"lease":%d,` + empty + `}`, math.MaxUint64, 409, "Control changed, and you have it. Try again."},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, k, lease, heard, ask := drivenBy(t)
				heard()
				if strings.Contains(c.body, "%d") {
					c.body = fmt.Sprintf(c.body, lease+c.ahead)
				}
				got := ask("PUT", "/api/v1/map", c.body)
				if body := text(t, got); got.StatusCode != c.status || !strings.Contains(body, c.says) {
					t.Errorf("it is answered %s: %s", got.Status, body)
				}
				if k.saves != 0 || k.Plan() != d.cfg.Plan || strings.Contains(heard(), `"map"`) {
					t.Error("something was saved or told")
				}
			})
		})
	}
	t.Run("and not by who only watches", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			d, k, lease, _, _ := drivenBy(t)
			got := d.ask("PUT", "/api/v1/map", func(r *http.Request) {
				body := fmt.Sprintf(`{"lease":%d,%s}`, lease, empty)
				r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
			})
			if body := text(t, got); got.StatusCode != http.StatusConflict || !strings.Contains(body, "You are not connected") || k.saves != 0 {
				t.Errorf("it is answered %s: %s", got.Status, body)
			}
		})
	})
}

func TestWhatTheMapStoreRefusesIsSaid(t *testing.T) {
	for _, c := range []struct {
		name   string
		broken bool
	}{{"and nothing changes", false}, {"and what has changed all the same is told", true}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, k, lease, heard, ask := drivenBy(t)
				heard()
				k.refuse, k.broken = robot.Refusal{Word: robot.Error, Reason: "The place Sofa is inside a wall."}, c.broken
				got := ask("PUT", "/api/v1/map", fmt.Sprintf(`{"lease":%d,"via":[],"edges":[],"places":[]}`, lease))
				if body := text(t, got); got.StatusCode != http.StatusConflict || body != `{"reason":"The place Sofa is inside a wall.","word":"ERROR"}`+"\n" {
					t.Errorf("it is answered %s: %s", got.Status, body)
				}
				if told := strings.Contains(heard(), `"kind":"map"`); told != c.broken {
					t.Errorf("people were told: %v", told)
				}
			})
		})
	}
	t.Run("as when there is none", func(t *testing.T) {
		d := newTestServer(t)
		const body = `{"lease":1,"via":[],"edges":[],"places":[]}`
		got := d.ask("PUT", "/api/v1/map", func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		})
		if said := text(t, got); got.StatusCode != http.StatusConflict || !strings.Contains(said, "The map of this robot cannot be changed here.") {
			t.Errorf("it is answered %s: %s", got.Status, said)
		}
	})
}

func TestTheFilesOfTheMapAreDownloads(t *testing.T) {
	d := newTestServer(t)
	for path, features := range map[string]int{
		"/api/v1/map/graph.geojson":  len(d.cfg.Plan.Graph.Nodes) + len(d.cfg.Plan.Graph.Edges),
		"/api/v1/map/places.geojson": len(d.cfg.Plan.Places),
	} {
		got := d.ask("GET", path)
		var file struct {
			Type     string
			Features []json.RawMessage
		}
		if err := json.Unmarshal([]byte(text(t, got)), &file); err != nil || file.Type != "FeatureCollection" || len(file.Features) != features {
			t.Errorf("%s has %d features, want %d: %v", path, len(file.Features), features, err)
		}
		name := path[strings.LastIndex(path, "/")+1:]
		if got.Header.Get("Content-Type") != "application/geo+json" || got.Header.Get("Content-Disposition") != `attachment; filename="`+name+`"` {
			t.Errorf("%s comes with %v", path, got.Header)
		}
	}
}

func TestRequestsGoThroughTheGateOfThePage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _, lease, _, ask := drivenBy(t)
		d.robot.route = &robot.Route{Goal: robot.Pose{X: 12.1, Y: 3.35}, Line: []robot.Point{{X: 4.5, Y: 7.3}, {X: 12.1, Y: 3.35}}, Via: []string{"III"}, Length: 19.8, Time: 52}
		const route = `{"n":0,"goal":[12.1,3.35,0],"line":[[4.5,7.3],[12.1,3.35]],"via":["III"],"length":19.8,"time":52}`
		for _, c := range []struct {
			path, body string // %d is the lease
			status     int
			says       string
			did        string // what reached the robot
		}{
			{"plan", `{"goal":[12.1,3.35,0]}`, 200, `{"reason":"","route":` + route + `,"word":"SUCCESS"}`, "robot.Plan"},
			{"goto", `{"lease":%d,"goal":[12.1,3.35,0],"name":"Copy room"}`, 200, `{"reason":"","route":` + route + `,"word":"SUCCESS"}`, "robot.GoTo"},
			{"goal", `{"lease":%d,"action":"pause"}`, 200, `{"reason":"","word":"SUCCESS"}`, "robot.Pause"},
			{"pose", `{"lease":%d,"pose":[1,2,3]}`, 200, `{"reason":"","word":"SUCCESS"}`, "robot.SetPose"},
			{"goto", `{"lease":0,"goal":[12.1,3.35,0]}`, 409, `{"reason":"Control changed, and you have it. Look again, then send it again.","word":"INTERRUPTED"}`, ""},
			{"goto", `{"goal":[12.1,3.35,0]}`, 400, `goto: "lease" is missing; it should be a whole number from 0 on.`, ""},
			{"goto", strings.Repeat(" ", maxBody+1), 413, `The body is too large; it should have at most 8 KiB.`, ""},
		} {
			if strings.Contains(c.body, "%d") {
				c.body = fmt.Sprintf(c.body, lease)
			}
			before := len(d.robot.did)
			got := ask("POST", "/api/v1/"+c.path, c.body)
			if body := strings.TrimSpace(text(t, got)); got.StatusCode != c.status || body != c.says {
				t.Errorf("%s %.60s is answered %s: %s", c.path, c.body, got.Status, body)
			}
			if did := strings.Join(d.robot.did[before:], " "); did != c.did {
				t.Errorf("%s %.60s had the robot do %q, want %q", c.path, c.body, did, c.did)
			}
		}
	})
}
