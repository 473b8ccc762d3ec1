package draft_test

import (
	"strings"
	"testing"

	"mybot/mapping/draft"
	"mybot/robot"
)

func TestEditsAreReadFromJSON(t *testing.T) {
	for text, want := range map[string]draft.Edit{
		`{"op":"straighten"}`:                           {Op: draft.Straighten},
		`{"op":"rotate","angle":-0.5}`:                  {Op: draft.Rotate, Angle: -0.5},
		`{"op":"wall","line":[[0,1],[2.5,3]]}`:          {Op: draft.Wall, Line: robot.Segment{A: robot.Point{Y: 1}, B: robot.Point{X: 2.5, Y: 3}}},
		`{"op":"crop","low":[-1,-2],"high":[3,4]}`:      {Op: draft.Crop, Low: robot.Point{X: -1, Y: -2}, High: robot.Point{X: 3, Y: 4}},
		`{"op":"place","name":"Sofa","pose":[1,2,0.5]}`: {Op: draft.Place, Name: "Sofa", Pose: robot.Pose{X: 1, Y: 2, Theta: 0.5}},
		`{"op":"place","drop":"Sofa"}`:                  {Op: draft.Place, Name: "Sofa", Drop: true},
		`{"op":"dock","pose":[1,2,0]}`:                  {Op: draft.Dock, Pose: robot.Pose{X: 1, Y: 2}},
		`{"op":"dock","drop":true}`:                     {Op: draft.Dock, Drop: true},
		`{"op":"via","move":7,"at":[1,2]}`:              {Op: draft.Via, ID: 7, At: robot.Point{X: 1, Y: 2}},
		`{"op":"via","drop":7}`:                         {Op: draft.Via, ID: 7, Drop: true},
		`{"op":"via","add":[1,2]}`:                      {Op: draft.Via, At: robot.Point{X: 1, Y: 2}},
		`{"op":"edge","add":[1,2]}`:                     {Op: draft.Edge, Ends: [2]int{1, 2}},
		`{"op":"edge","drop":[2,3]}`:                    {Op: draft.Edge, Ends: [2]int{2, 3}, Drop: true},
		`{"op":"room","id":3,"name":"Kitchen"}`:         {Op: draft.Room, ID: 3, Name: "Kitchen"},
		`{"op":"room","drop":3}`:                        {Op: draft.Room, ID: 3, Drop: true},
		`{"op":"keepout","drop":2}`:                     {Op: draft.Keepout, ID: 2, Drop: true},
		`{"op":"undo"}`:                                 {Op: draft.Undo},
	} {
		got, err := draft.ParseEdit([]byte(text))
		if err != nil || got.Op != want.Op || got.Drop != want.Drop || got.Angle != want.Angle || got.Line != want.Line || got.Low != want.Low || got.High != want.High || got.Name != want.Name || got.ID != want.ID || got.At != want.At || got.Ends != want.Ends || got.Pose != want.Pose {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	e, err := draft.ParseEdit([]byte(`{"op":"erase","outline":[[0,0],[1,0],[1,1]]}`))
	if err != nil || len(e.Outline) != 3 || e.Outline[2] != (robot.Point{X: 1, Y: 1}) {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestBadJSONIsRefusedWithASentence(t *testing.T) {
	for text, want := range map[string]string{
		`{"op":"edge","add":[1.5,2]}`:            "the ids of two via points",
		`{"op":"erase"}`:                         "a list of 3 to 1000 points",
		`{"op":"crop","low":[0,0]}`:              "[x, y] in metres",
		`{"op":"dock"}`:                          "[x, y, heading]",
		`{"op":"edge"}`:                          "two via points",
		`{"op":"via"}`:                           "add",
		``:                                       "not JSON",
		`{`:                                      "not JSON",
		`[]`:                                     "an object",
		`{}`:                                     "op",
		`{"op":"paint"}`:                         "one of straighten, rotate",
		`{"op":"undo","times":3}`:                "times",
		`{"op":"rotate"}`:                        "angle",
		`{"op":"rotate","angle":7}`:              "angle",
		`{"op":"erase","outline":[[0,0],[1,1]]}`: "a list of 3 to 1000 points",
		`{"op":"erase","outline":[[0,0],[1,0],[1]]}`: "a list of 3 to 1000 points",
		`{"op":"wall","line":[[0,0]]}`:               "a list of 2 points",
		`{"op":"wall","line":[[0,0],[1e9,0]]}`:       "points are at most",
		`{"op":"crop","low":[1,1],"high":[0,0]}`:     "above and to the right",
		`{"op":"dock","drop":false}`:                 "true",
		`{"op":"place","name":" x","pose":[0,0,0]}`:  "without a space",
		`{"op":"place","name":"x","pose":[0,0]}`:     "[x, y, heading]",
	} {
		if _, err := draft.ParseEdit([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func FuzzParseEdit(f *testing.F) {
	f.Add([]byte(`{"op":"wall","line":[[0,1],[2.5,3]]}`))
	f.Add([]byte(`{"op":"erase","outline":[[0,0],[1,0],[1,1]]}`))
	f.Add([]byte(`{"op":"place","name":"Sofa","pose":[1,2,0.5]}`))
	f.Add([]byte(`{"op":"crop","low":[-1,-2],"high":[3,4]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := draft.ParseEdit(data)
		if err != nil {
			return
		}
		for _, p := range append(e.Outline, e.Line.A, e.Line.B, e.Low, e.High, e.Pose.Point()) {
			if !robot.Finite(p.X, p.Y) {
				t.Fatalf("%q gave %+v", data, e)
			}
		}
	})
}
