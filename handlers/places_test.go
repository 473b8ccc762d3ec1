package handlers

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"mybot/robot"
)

func TestPlacesAreAddedMovedNamedAndForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, k, lease, heard, ask := drivenBy(t)
		plan := *k.Plan()
		plan.Places = []robot.Place{{Name: "Sofa", Pose: robot.Pose{X: 1, Y: 2, Theta: 0.5}}, {Name: "Copy room"}}
		k.plan.Store(&plan)
		graph := len(plan.Graph.Nodes)
		heard()
		for _, c := range []struct {
			method, path, body string
			status             int
			want, list         string // substring of the answer, and of the list after it
		}{
			{"GET", "", ``, 200, `{"places":[{"name":"Sofa","pose":[1,2,0.5]},{"name":"Copy room","pose":[0,0,0]}]}`, ""},
			{"GET", "/Copy%20room", ``, 200, `{"name":"Copy room","pose":[0,0,0]}`, ""},
			{"GET", "/Moon", ``, 404, `There is no place "Moon"`, ""},
			{"POST", "", `{"lease":L,"name":"A/B?","pose":[3,4,-1]}`, 200, "SUCCESS", `{"name":"A/B?","pose":[3,4,-1]}]`},
			{"POST", "", `{"lease":L,"name":"Sofa","pose":[3,4,0]}`, 409, `There is already a place \"Sofa\"`, ""},
			{"POST", "", `{"lease":L,"pose":[3,4,0]}`, 400, `no name`, ""},
			{"POST", "", `{"lease":L,"name":"X","pose":[3,4]}`, 400, `pose has 2 numbers`, ""},
			{"POST", "", `{"lease":L,"name":"X","pose":[3,4,0],"color":1}`, 400, `the fields are lease, name, pose.`, ""},
			{"GET", "/A%2FB%3F", ``, 200, `{"name":"A/B?","pose":[3,4,-1]}`, ""},
			{"PUT", "/A%2FB%3F", `{"lease":L,"name":"Lab","pose":[3,4,7]}`, 200, "SUCCESS", `{"name":"Lab","pose":[3,4,0.7168]}]`},
			{"PUT", "/Sofa", `{"lease":L,"pose":[5,6,0]}`, 200, "SUCCESS", `[{"name":"Sofa","pose":[5,6,0]},`},
			{"PUT", "/Moon", `{"lease":L,"pose":[5,6,0]}`, 404, "Moon", ""},
			{"DELETE", "/Lab", `{"lease":L}`, 200, "SUCCESS", `[{"name":"Sofa","pose":[5,6,0]},{"name":"Copy room","pose":[0,0,0]}]`},
			{"DELETE", "/Lab", `{"lease":L}`, 404, "Lab", ""},
			{"DELETE", "/Sofa", `{"lease":7777}`, 409, `"word"`, `"Sofa"`},
		} {
			got := ask(c.method, "/api/v1/places"+c.path, strings.Replace(c.body, `"lease":L`, fmt.Sprintf(`"lease":%d`, lease), 1))
			if answer := text(t, got); got.StatusCode != c.status || !strings.Contains(answer, c.want) {
				t.Errorf("%s %s is answered %s: %s", c.method, c.path, got.Status, answer)
			}
			if list := text(t, ask("GET", "/api/v1/places", "")); !strings.Contains(list, c.list) {
				t.Errorf("after %s %s the places are %s", c.method, c.path, list)
			}
		}
		if news := heard(); strings.Count(news, `"kind":"map"`) != 4 {
			t.Errorf("people hear %s", news)
		}
		if got := len(k.Plan().Graph.Nodes); got != graph {
			t.Errorf("the graph has %d via points, it had %d", got, graph)
		}
	})
}

func TestAProgramThatReadAnOlderMapOverwritesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, k, lease, _, ask := drivenBy(t)
		tag := ask("GET", "/api/v1/places", "").Header.Get("ETag")
		if other := ask("GET", "/api/v1/map", "").Header.Get("ETag"); tag == "" || other != tag {
			t.Fatalf("the places have the tag %s, the map has %s", tag, other)
		}
		place := func(name string) string { return fmt.Sprintf(`{"lease":%d,"name":%q,"pose":[3,4,0]}`, lease, name) }
		got := ask("POST", "/api/v1/places", place("Lab"), with("If-Match", tag))
		newer := got.Header.Get("ETag")
		if got.StatusCode != http.StatusOK || newer == "" || newer == tag {
			t.Fatalf("the first change is answered %s, with the tag %s: %s", got.Status, newer, text(t, got))
		}
		saves := k.saves
		for _, c := range []struct{ method, path, body string }{
			{"POST", "/api/v1/places", place("Kitchen")},
			{"PUT", "/api/v1/places/Lab", place("Kitchen")},
			{"DELETE", "/api/v1/places/Lab", fmt.Sprintf(`{"lease":%d}`, lease)},
			{"PUT", "/api/v1/map", fmt.Sprintf(`{"lease":%d,"via":[],"edges":[],"places":[]}`, lease)},
		} {
			got := ask(c.method, c.path, c.body, with("If-Match", tag))
			if says := text(t, got); got.StatusCode != http.StatusPreconditionFailed || !strings.Contains(says, "Someone else has changed this map.") {
				t.Errorf("%s %s is answered %s: %s", c.method, c.path, got.Status, says)
			}
		}
		if k.saves != saves {
			t.Error("the map was saved all the same")
		}
		for _, match := range []string{newer, "*"} {
			if got := ask("PUT", "/api/v1/places/Lab", place("Lab"), with("If-Match", match)); got.StatusCode != http.StatusOK {
				t.Errorf("with %s it is answered %s: %s", match, got.Status, text(t, got))
			}
		}
	})
}
