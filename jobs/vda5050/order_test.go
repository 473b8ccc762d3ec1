package vda5050

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"mybot/jobs"
	"mybot/robot"
	"mybot/robot/robottest"
)

var (
	mybot = Robot{Manufacturer: "KAIST", SerialNumber: "mybot-1", Map: "3rd floor"}
	noon  = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
)

func places(name string) (robot.Pose, bool) {
	p, ok := map[string]robot.Pose{
		"Sofa": {X: 10.2, Y: 3.7, Theta: -math.Pi / 2}, "Copy room": {X: 12.1, Y: 3.35, Theta: 2.5}, "start": {X: 1, Y: 1},
	}[name]
	return p, ok
}

var paper = jobs.Job{ID: "paper-to-jin", Name: "Paper to Jin", Steps: []jobs.Step{
	{Type: jobs.Voice, Text: "I go."},
	{Type: jobs.Move, Place: "Sofa"},
	{Type: jobs.Voice, Text: "Hello <you> & \"me\"!", Voice: "en", Speed: 1.5},
	{Type: jobs.Message, Text: "Touch OK.", OK: true, Seconds: 60, OnFailure: jobs.FailSkip},
	{Type: jobs.Move, Place: "Copy room", Seconds: 30, OnFailure: jobs.FailRetry, Retries: 3, RetryAfter: 2.5},
	{Type: jobs.Wait, Seconds: 30, OK: true},
	{Type: jobs.Move, Pose: &[3]float64{12.1, 3.35, -3}},
}}

func TestAJobIsWrittenAsAnOrderOfThisForm(t *testing.T) {
	got, err := Write(paper, mybot, noon, places)
	if err != nil {
		t.Fatal(err)
	}
	robottest.Golden(t, "testdata/paper.json", string(got))
}

func TestAnOrderIsReadAsTheJobItWasWrittenOf(t *testing.T) {
	data, err := Write(paper, mybot, noon, places)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read(data, mybot, places)
	if err != nil || !reflect.DeepEqual(got.Steps, paper.Steps) || got.Name != paper.Name || got.ID != "" {
		t.Errorf("read %+v, %v", got, err)
	}
	rules := rulesOf(t)
	rapid.Check(t, func(t *rapid.T) {
		j := jobs.Job{Name: rapid.StringMatching(`[A-Z한]{1,60}`).Draw(t, "name"), Steps: rapid.SliceOfN(anyStep(), 1, 20).Draw(t, "steps")}
		data, err := Write(j, mybot, noon, places)
		if err != nil {
			t.Fatal(err)
		}
		if err := rules(data); err != nil {
			t.Fatalf("%s\n%v", data, err)
		}
		got, err := Read(data, mybot, places)
		if err != nil || !reflect.DeepEqual(got, j) {
			t.Fatalf("%s\nread %+v, %v\nwant %+v", data, got, err, j)
		}
	})
}

func anyStep() *rapid.Generator[jobs.Step] {
	return rapid.Custom(func(t *rapid.T) jobs.Step {
		s := jobs.Step{Type: rapid.SampledFrom([]jobs.Kind{jobs.Move, jobs.Voice, jobs.Message, jobs.Wait}).Draw(t, "type")}
		seconds := rapid.Float64Range(1, 3600)
		switch s.Type {
		case jobs.Move:
			if rapid.Bool().Draw(t, "named") {
				s.Place = rapid.SampledFrom([]string{"Sofa", "Copy room", "start"}).Draw(t, "place")
			} else {
				at := rapid.Float64Range(-1e5, 1e5)
				s.Pose = &[3]float64{at.Draw(t, "x"), at.Draw(t, "y"), rapid.Float64Range(-3.14, math.Pi).Draw(t, "theta")}
			}
		case jobs.Voice:
			s.Text, s.Voice, s.Speed = "Hi", rapid.SampledFrom([]string{"", "ko"}).Draw(t, "voice"), rapid.SampledFrom([]float64{0, 0.5, 2}).Draw(t, "speed")
		case jobs.Message:
			s.Text, s.OK = rapid.StringMatching(`[a-z<>"&\\한]{1,140}`).Draw(t, "text"), rapid.Bool().Draw(t, "ok")
		case jobs.Wait:
			s.Seconds, s.OK = seconds.Draw(t, "seconds"), rapid.Bool().Draw(t, "ok")
		}
		s.OnFailure = rapid.SampledFrom([]jobs.OnFailure{"", jobs.FailStop, jobs.FailSkip, jobs.FailRetry}).Draw(t, "failure")
		if s.OnFailure == jobs.FailRetry {
			s.Retries, s.RetryAfter = rapid.IntRange(0, 10).Draw(t, "retries"), rapid.Float64Range(0, 600).Draw(t, "after")
		}
		return s
	})
}

// rulesOf returns a validator of orders: the specification's rules for the fields
// that are written, testdata/rules.json.
func rulesOf(t *testing.T) func([]byte) error {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("testdata/rules.json")
	if err != nil {
		t.Fatal(err)
	}
	return func(data []byte) error {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			return err
		}
		return s.Validate(v)
	}
}

func TestAJobToNowhereIsNotWritten(t *testing.T) {
	_, err := Write(jobs.Job{Name: "J", Steps: []jobs.Step{{Type: jobs.Move, Place: "Moon"}}}, mybot, noon, places)
	if err == nil || !strings.Contains(err.Error(), `step 1 goes to "Moon"`) {
		t.Errorf("the error is %v", err)
	}
}

// TestOrdersOfOthersAreRead reads orders in other fleet controls' style.
func TestOrdersOfOthersAreRead(t *testing.T) {
	const head = `{"headerId":7,"timestamp":"2026-11-20T14:21:00.000Z","version":"3.1.0","manufacturer":"A","serialNumber":"B","orderId":"o-1","orderUpdateId":0,`
	for _, c := range []struct {
		name, order string
		want        jobs.Job
	}{
		{
			"out of order, and counted from four",
			head + `"edges":[{"edgeId":"e","sequenceId":5,"released":true,"length":3,"direction":"left","actions":[]}],"nodes":[{"nodeId":"b","sequenceId":6,"released":true,"nodePosition":{"x":3,"y":4,"mapId":"3rd floor"},"actions":[]},{"nodeId":"a","sequenceId":4,"released":true,"nodePosition":{"x":3,"y":1,"theta":0.5,"allowedDeviationXY":{"a":0.1,"b":0.1,"theta":0},"allowedDeviationTheta":0.1,"mapId":"3rd floor"},"actions":[]}]}`,
			jobs.Job{Name: "o-1", Steps: []jobs.Step{{Type: jobs.Move, Pose: &[3]float64{3, 1, 0.5}}, {Type: jobs.Move, Pose: &[3]float64{3, 4, math.Pi / 2}}}},
		},
		{
			"a place without a position",
			head + `"edges":[{"edgeId":"e","sequenceId":1,"released":true,"actions":[]}],"nodes":[{"nodeId":"here","sequenceId":0,"released":true,"actions":[]},{"nodeId":"Sofa","sequenceId":2,"released":true,"actions":[{"actionType":"WAIT","actionId":"1","blockingType":"SOFT","retriable":true,"actionParameters":[{"key":"seconds","value":3}]}]}]}`,
			jobs.Job{Name: "o-1", Steps: []jobs.Step{{Type: jobs.Move, Place: "Sofa"}, {Type: jobs.Wait, Seconds: 3}}},
		},
		{
			"a place that has moved",
			head + `"orderDescription":" Look ","edges":[],"nodes":[{"nodeId":"Sofa","sequenceId":0,"released":true,"nodePosition":{"x":10.2,"y":3.8,"theta":0,"mapId":"3rd floor"},"actions":[]}]}`,
			jobs.Job{Name: "Look", Steps: []jobs.Step{{Type: jobs.Move, Pose: &[3]float64{10.2, 3.8, 0}}}},
		},
		{
			"a description that is longer than a name here",
			head + `"orderDescription":"` + strings.Repeat("Wörter ", 10) + `","edges":[],"nodes":[{"nodeId":"Sofa","sequenceId":0,"released":true,"nodePosition":{"x":10.2,"y":3.8,"theta":0,"mapId":"3rd floor"},"actions":[]}]}`,
			jobs.Job{Name: strings.Repeat("Wörter ", 8) + "Wört", Steps: []jobs.Step{{Type: jobs.Move, Pose: &[3]float64{10.2, 3.8, 0}}}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Read([]byte(c.order), mybot, places)
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("read %+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
}

// TestWhatTheRobotWouldNotKeepToIsRefused changes one thing in a valid order.
func TestWhatTheRobotWouldNotKeepToIsRefused(t *testing.T) {
	good, err := Write(paper, mybot, noon, places)
	if err != nil {
		t.Fatal(err)
	}
	var whole map[string]any
	if err := json.Unmarshal(good, &whole); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path  string // to what is changed
		value any    // nil = omitted
		say   string
	}{
		{"headerId", nil, "The order has no headerId."},
		{"timestamp", "noon", "should be a time such as"},
		{"version", "1.1.0", `version is "1.1.0"; it should be 2.1.0 or 3.0.0`},
		{"orderId", nil, "The order has no orderId."},
		{"orderUpdateId", 3, "only whole orders"},
		{"orderUpdateId", "0", `orderUpdateId is "0"; it should be a whole number`},
		{"zoneSetId", "z", "The order has zoneSetId; this robot does not support it"},
		{"cargo", "z", `a field "cargo", which VDA 5050 2.1.0 and 3.0.0 do not have there`},
		{"edges", nil, "The order has no edges."},
		{"nodes", []any{}, "The order has no nodes; it should have at least one."},
		{"edges", []any{}, "4 nodes and 0 edges; it should have one edge between"},
		{"nodes.1.released", false, `Node "Sofa" is not released`},
		{"nodes.1.released", nil, `Node "Sofa" has no released`},
		{"nodes.1.nodeId", nil, "Node without an id has no nodeId."},
		{"nodes.1.sequenceId", 3, `Node "Sofa" has the sequenceId 3; it should be 2`},
		{"nodes.1.sequenceId", int64(math.MaxInt64), `Node "Sofa" has the sequenceId 9223372036854775807; it should be from 0 to 4294967295`},
		{"nodes.0.sequenceId", -2, `it should be from 0 to 4294967295`},
		{"nodes.1.actions", nil, "should be empty where there are none"},
		{"nodes.1.nodePosition.mapId", "cellar", `Node "Sofa" is on the map "cellar"; this robot's map is "3rd floor".`},
		{"nodes.1.nodePosition.x", nil, "without x, y or mapId"},
		{"nodes.1.nodePosition.x", "ten", `nodes[1].nodePosition.x is "ten"; it should be a number`},
		{"nodes.1.nodePosition.x", 1e6, `Node "Sofa": x of the pose is 1e+06`},
		{"nodes.1.nodePosition.theta", 4, "theta is 4; it should be -pi to pi rad"},
		{"nodes.3.nodePosition", nil, `Node "pose-7" has no nodePosition, and the map has no place of that name`},
		{"nodes.0.actions.0.actionType", "pick", `Node "start", action "paper-to-jin-1": this robot cannot do "pick"`},
		{"nodes.0.actions.0.actionType", "MOVE", "MOVE is an action of an edge"},
		{"nodes.0.actions.0.actionType", nil, "has no actionType"},
		{"nodes.0.actions.0.actionId", nil, "has no actionId"},
		{"nodes.0.actions.0.blockingType", "FIRM", `blockingType is "FIRM"; it should be NONE, SINGLE, SOFT or HARD`},
		{"nodes.0.actions.0.blockingType", nil, "has no blockingType"},
		{"nodes.0.actions.0.actionParameters", []any{}, "the text is empty"},
		{"nodes.0.actions.0.actionParameters.0.key", "song", `Node "start", action "paper-to-jin-1": it has a field "song", which is not known`},
		{"nodes.0.actions.0.actionParameters.0.key", "type", "type is no parameter"},
		{"nodes.0.actions.0.actionParameters.0.key", nil, "a parameter without a key"},
		{"nodes.0.actions.0.actionParameters.0.value", 7, "text is 7; it should be text in quotes"},
		{"nodes.0.actions.0.actionParameters.0.value", nil, "has no value"},
		{"nodes.1.actions.0.actionParameters.1.key", "text", `the parameter "text" twice`},
		{"edges.0.maximumSpeed", 0.1, `Edge "way-2" has maximumSpeed; this robot does not support it`},
		{"edges.0.trajectory", map[string]any{}, "has trajectory"},
		{"edges.0.corridor", map[string]any{}, "has corridor"},
		{"edges.0.sequenceId", nil, `Edge "way-2" has no sequenceId`},
		{"edges.0.startNodeId", "a", `startNodeId is "a"; it should be "start", the node there`},
		{"edges.1.actions.0.actionType", "WAIT", "the action should be on a node"},
		{"edges.1.actions.0.actionParameters.0.value", 4000, `Node "Copy room": seconds is 4000; it should be 1 to 3600 s`},
	} {
		t.Run(c.path, func(t *testing.T) {
			changed := change(whole, strings.Split(c.path, "."), c.value)
			data, err := json.Marshal(changed)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Read(data, mybot, places)
			if !errors.As(err, new(Faults)) || !strings.Contains(err.Error(), c.say) {
				t.Errorf("the fault is %q, want it to say %q", err, c.say)
			}
		})
	}
	for _, bad := range []string{"", "7", "null", "{}", "[]", string(good) + "{}", strings.Repeat(" ", jobs.MaxBytes+1)} {
		if _, err := Read([]byte(bad), mybot, places); !errors.As(err, new(Faults)) {
			t.Errorf("%.20q is read with %v", bad, err)
		}
	}
}

// change returns a copy of JSON with the value at the path.
func change(v any, path []string, to any) any {
	if len(path) == 0 {
		return to
	}
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, w := range v {
			out[k] = w
		}
		if next := change(v[path[0]], path[1:], to); next != nil {
			out[path[0]] = next
		} else {
			delete(out, path[0])
		}
		return out
	case []any:
		out := append([]any(nil), v...)
		out[path[0][0]-'0'] = change(v[path[0][0]-'0'], path[1:], to)
		return out
	}
	return to
}

func FuzzRead(f *testing.F) {
	good, err := Write(paper, mybot, noon, places)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	var small bytes.Buffer
	if err := json.Compact(&small, good); err != nil {
		f.Fatal(err)
	}
	f.Add(small.Bytes())
	f.Add([]byte(`{"headerId":7,"timestamp":"2026-11-20T14:21:00Z","version":"3","manufacturer":"A","serialNumber":"B","orderId":"o","orderUpdateId":0,"edges":[],"nodes":[{"nodeId":"Sofa","sequenceId":0,"released":true,"actions":[{"actionType":"WAIT","actionId":"1","blockingType":"SOFT","actionParameters":[{"key":"seconds","value":3}]}]}]}`))
	f.Add([]byte(`{"headerId":0,"timestamp":"2026-11-20T14:21:00Z","version":"3.0.0","manufacturer":"","serialNumber":"","orderId":"","orderUpdateId":0,"nodes":[{}],"edges":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		j, err := Read(data, mybot, places)
		if err != nil {
			if !errors.As(err, new(Faults)) || err.Error() == "" {
				t.Fatalf("the error is %v", err)
			}
			return
		}
		if faults := j.Check(places); len(faults) > 0 {
			t.Fatalf("read a job with faults: %v", faults)
		}
		again, err := Write(j, mybot, noon, places)
		if err != nil {
			t.Fatal(err)
		}
		if k, err := Read(again, mybot, places); err != nil || len(k.Steps) != len(j.Steps) {
			t.Fatalf("read %+v, then %+v, %v", j, k, err)
		}
	})
}

func TestAnOrderOfVersion21NamesTheNodesOfItsEdges(t *testing.T) {
	data, err := Write21(paper, mybot, noon, places)
	if err != nil {
		t.Fatal(err)
	}
	var o order
	if err := json.Unmarshal(data, &o); err != nil {
		t.Fatal(err)
	}
	if *o.Version != "2.1.0" || bytes.Contains(data, []byte("retriable")) || bytes.Contains(data, []byte("orderDescription")) {
		t.Errorf("it is not of version 2.1: %s", data)
	}
	for i, e := range o.Edges {
		if *e.StartNodeID != *o.Nodes[i].NodeID || *e.EndNodeID != *o.Nodes[i+1].NodeID {
			t.Errorf("edge %d leads from %s to %s", i, *e.StartNodeID, *e.EndNodeID)
		}
	}
	got, err := Read(data, mybot, places)
	if err != nil || !reflect.DeepEqual(got.Steps, paper.Steps) {
		t.Errorf("read %+v, %v", got, err)
	}
	without := bytes.Replace(data, []byte(`"startNodeId": "start",`), nil, 1)
	if _, err := Read(without, mybot, places); err == nil || !strings.Contains(err.Error(), `Edge "way-2" has no startNodeId.`) {
		t.Errorf("an edge without its node: %v", err)
	}
}

// ordered21 is an order of version 2.1 as another system writes it, with %s in its edge.
const ordered21 = `{"headerId": 4, "timestamp": "2026-11-20T14:21:00.00Z", "version": "2.1.0", "manufacturer": "Mybot", "serialNumber": "Mybot", "orderId": "round", "orderUpdateId": 0, "zoneSetId": "",
	"nodes": [
		{"nodeId": "n1", "sequenceId": 0, "nodeDescription": "the gate", "released": true, "actions": []},
		{"nodeId": "n2", "sequenceId": 2, "released": true, "actions": [{"actionType": "WAIT", "actionId": "1", "actionDescription": "a rest", "blockingType": "HARD", "actionParameters": [{"key": "seconds", "value": 5}]}],
			"nodePosition": {"x": 1, "y": 2, "theta": 0.5, "allowedDeviationXY": 0.2, "allowedDeviationTheta": 0.1, "mapId": "Lab", "mapDescription": "ours"}}],
	"edges": [{"edgeId": "e1", "sequenceId": 1, "edgeDescription": "the aisle", "released": true, "startNodeId": "n1", "endNodeId": "n2", "actions": []%s}]}`

func TestAnOrderOfVersion21IsReadWithItsOwnFields(t *testing.T) {
	lab := mybot
	lab.Map = "Lab"
	job, err := Read(fmt.Appendf(nil, ordered21, ""), lab, places)
	want := []jobs.Step{{Type: jobs.Move, Pose: &[3]float64{1, 2, 0.5}}, {Type: jobs.Wait, Seconds: 5}}
	if err != nil || !slices.EqualFunc(job.Steps, want, jobs.Step.Equal) {
		t.Errorf("read %+v, %v", job.Steps, err)
	}
	for _, limit := range []string{`"maxSpeed": 0.5`, `"maxHeight": 1`, `"minHeight": 1`, `"rotationAllowed": false`, `"maxRotationSpeed": 1`} {
		field, _, _ := strings.Cut(strings.TrimPrefix(limit, `"`), `"`)
		said := fmt.Sprintf("Edge \"e1\" has %s; this robot does not support it; it should be left out.", field)
		if _, err := Read(fmt.Appendf(nil, ordered21, ", "+limit), lab, places); err == nil || err.Error() != said {
			t.Errorf("with %s it is answered %v", limit, err)
		}
	}
}
