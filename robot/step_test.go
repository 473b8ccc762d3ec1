package robot_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"testing"

	"mybot/robot"
)

var update = flag.Bool("update", false, "write testdata/step.json and links.json anew")

const vectorFile = "testdata/step.json"

// A vector is one run of the virtual robot: Step called Steps times from
// Start. The page's TypeScript is tested with the same file.
type vector struct {
	Name  string  `json:"name"`
	Start state   `json:"start"`
	Want  speed   `json:"want"`
	Limit bounds  `json:"limit"`
	DT    float64 `json:"dt"`
	Steps int     `json:"steps"`
	End   state   `json:"end"`
}

// state is the axle's pose in map (m, rad) and its twist (m/s, rad/s).
type state struct {
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Theta float64 `json:"theta"`
	V     float64 `json:"v"`
	W     float64 `json:"w"`
}

type speed struct {
	V float64 `json:"v"`
	W float64 `json:"w"`
}

// bounds is a robot.Limit: m/s, rad/s, m/s2, rad/s2.
type bounds struct {
	V  float64 `json:"v"`
	W  float64 `json:"w"`
	AV float64 `json:"av"`
	AW float64 `json:"aw"`
	R  float64 `json:"r,omitempty"` // m, the smallest turning radius; 0 = it turns in place
}

func (v vector) run() state {
	m := robot.Motion{Axle: robot.Pose{X: v.Start.X, Y: v.Start.Y, Theta: v.Start.Theta}, Twist: robot.Twist{Linear: v.Start.V, Angular: v.Start.W}}
	limit := robot.Limit{Linear: v.Limit.V, Angular: v.Limit.W, LinearAcceleration: v.Limit.AV, AngularAcceleration: v.Limit.AW, TurningRadius: v.Limit.R}
	for range v.Steps {
		m = robot.Step(m, robot.Twist{Linear: v.Want.V, Angular: v.Want.W}, limit, v.DT)
	}
	return state{m.Axle.X, m.Axle.Y, m.Axle.Theta, m.Twist.Linear, m.Twist.Angular}
}

// vectors lists the runs, without their ends.
func vectors() []vector {
	safe := bounds{V: 0.5, W: math.Pi / 4, AV: 0.52, AW: math.Pi / 2}
	hardware := bounds{V: 2.09, W: math.Pi, AV: 0.52, AW: math.Pi / 2}
	quick := bounds{V: 3, W: 6, AV: 1000, AW: 1000}
	car := safe
	car.R = 0.8
	var list []vector
	add := func(name string, start state, want speed, limit bounds, dt float64, steps int) {
		list = append(list, vector{Name: fmt.Sprintf("%s %d", name, len(list)+1), Start: start, Want: want, Limit: limit, DT: dt, Steps: steps})
	}
	for _, theta := range []float64{0, 0.7, math.Pi / 2, 2.5, math.Pi, -1.2, -3.1} {
		add("straight", state{X: 1.42, Y: 7.3, Theta: theta}, speed{V: 0.5}, safe, 0.01, 250)
		add("backwards", state{X: -3, Y: 2, Theta: theta, V: -0.2}, speed{V: -0.3}, safe, 0.01, 120)
		add("turn", state{X: 5, Y: 5, Theta: theta, V: 0.3, W: -0.4}, speed{V: 0.4, W: 0.6}, safe, 0.01, 300)
		add("spot turn", state{X: 2, Y: -1, Theta: theta}, speed{W: -0.785}, safe, 0.01, 200)
		add("wrap", state{Theta: theta, W: 0.7}, speed{V: 0.1, W: 0.7}, safe, 0.01, 1200)
	}
	for _, w := range []float64{0, 1e-12, 1e-9, 1e-6, 1e-4, 0.0199, 0.0201, 0.03, -1e-7, -1e-3} {
		add("tiny w", state{X: 0.1, Y: 0.2, Theta: 0.3, V: 0.5, W: w}, speed{V: 0.5, W: w}, safe, 0.01, 500)
	}
	for _, want := range []speed{{2, 0}, {2, 2}, {0.5, 3}, {-2, 1}, {0, -9}, {0.51, 0.1}, {-0.7, -5}} {
		add("clamp", state{X: 3, Y: 3, Theta: 1}, want, safe, 0.01, 400)
		add("one clamped step", state{X: 3, Y: 3, Theta: 1}, want, quick, 0.01, 1)
	}
	for _, start := range []state{{V: 0.5, W: 0.7}, {V: -0.5, W: 0.7}, {V: 2, W: -3}, {V: 0.1}} {
		add("slew to a stop", start, speed{}, hardware, 0.01, 60)
		add("slew through zero", start, speed{V: -start.V, W: -start.W}, hardware, 0.01, 330)
	}
	for _, dt := range []float64{0.001, 0.02, 0.05, 0.1} {
		add("another dt", state{X: 10.2, Y: 3.7, Theta: -math.Pi / 2}, speed{V: 0.45, W: 0.3}, safe, dt, 100)
	}
	add("standstill", state{X: 1, Y: 2, Theta: 3}, speed{}, safe, 0.01, 100)
	add("no steps", state{X: 1, Y: 2, Theta: 3, V: 0.2}, speed{V: 1}, safe, 0.01, 0)
	for _, want := range []speed{{0, 0.7}, {0.4, 0.5}, {0.4, 0.7}, {-0.3, 0.7}, {0.5, -0.7}} {
		add("car", state{X: 2, Y: 1, Theta: -0.4, V: 0.2, W: 0.1}, want, car, 0.01, 200)
	}
	return list
}

func TestStepGivesTheSharedVectors(t *testing.T) {
	if *update {
		writeVectors(t)
	}
	data, err := os.ReadFile(vectorFile)
	if err != nil {
		t.Fatal(err)
	}
	var list []vector
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&list); err != nil {
		t.Fatal(err)
	}
	if want := len(vectors()); len(list) != want || want < 60 {
		t.Fatalf("%d vectors in the file, %d in the list; go test ./robot -update writes them", len(list), want)
	}
	for i, v := range list {
		t.Run(v.Name, func(t *testing.T) {
			if v.Name != vectors()[i].Name {
				t.Errorf("the list says %q; go test ./robot -update writes the file", vectors()[i].Name)
			}
			got := v.run()
			for _, c := range [][2]float64{{got.X, v.End.X}, {got.Y, v.End.Y}, {got.Theta, v.End.Theta}, {got.V, v.End.V}, {got.W, v.End.W}} {
				if !(math.Abs(c[0]-c[1]) <= 1e-9) {
					t.Fatalf("ends at %+v, want %+v", got, v.End)
				}
			}
		})
	}
}

func writeVectors(t *testing.T) {
	var b bytes.Buffer
	list := vectors()
	b.WriteString("[\n")
	for i, v := range list {
		v.End = v.run()
		line, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(line)
		if i < len(list)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("]\n")
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(vectorFile, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
