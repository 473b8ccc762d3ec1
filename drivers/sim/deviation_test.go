package sim

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"mybot/robot"
)

// felt returns the readings of a robot with the deviation on a ten-second drive
// between four walls and past a post.
func felt(t *testing.T, name string, seed uint64) []robot.Reading {
	t.Helper()
	d, err := ParseDeviation(name)
	if err != nil {
		t.Fatal(err)
	}
	corners := []robot.Point{{X: -2, Y: -3}, {X: 4, Y: -3}, {X: 4, Y: 2}, {X: -2, Y: 2}}
	plan := &robot.Floorplan{}
	for i, c := range corners {
		plan.Lines = append(plan.Lines, robot.Segment{A: c, B: corners[(i+1)%4]})
	}
	scene := DefaultScene()
	scene.Obstacles = []Obstacle{{Point: robot.Point{X: 1.5, Y: 1}, Radius: 0.1, Height: 1}}
	w := NewWorld(mybot(t), plan, scene, Options{Seed: seed, Deviation: d})
	var out []robot.Reading
	for range 500 {
		if err := w.Drive(robot.Twist{Linear: 0.3, Angular: 0.4}); err != nil {
			t.Fatal(err)
		}
		out = append(out, w.Step())
	}
	if !reflect.DeepEqual(w.Describe(), mybot(t)) {
		t.Errorf("%s: the robot's description has changed", name)
	}
	return out
}

// echoes counts the valid ranges.
func echoes(readings []robot.Reading) (n int) {
	for _, r := range readings {
		for _, v := range r.Ranges {
			if !math.IsInf(v, 1) {
				n++
			}
		}
	}
	return n
}

func TestADeviationChangesWhatIsFeltAndTheSameSeedRepeatsIt(t *testing.T) {
	zero := NewWorld(mybot(t), nil, DefaultScene(), Options{Seed: 1})
	nominal, err := ParseDeviation("nominal")
	if err != nil {
		t.Fatal(err)
	}
	same := NewWorld(mybot(t), nil, DefaultScene(), Options{Seed: 1, Deviation: nominal})
	for range 100 {
		if a, b := zero.Step(), same.Step(); !reflect.DeepEqual(a, b) {
			t.Fatalf("nominal is not the world without a deviation: %+v and %+v", a, b)
		}
	}
	usual := felt(t, "nominal", 1)
	for i, d := range Deviations() {
		if testing.Short() && i%3 != 0 {
			continue
		}
		if again := felt(t, d.Name, 1); !reflect.DeepEqual(again, felt(t, d.Name, 1)) {
			t.Errorf("%s: the same seed produces other readings", d.Name)
		} else if reflect.DeepEqual(again, usual) != (d.Name == "nominal") {
			t.Errorf("%s: it feels as a nominal robot does, or the nominal one does not", d.Name)
		}
	}
}

func TestDeviationsAreOfTheSizeThatTheyTell(t *testing.T) {
	usual := echoes(felt(t, "nominal", 1))
	for name, want := range map[string][2]float64{
		"hears-less": {0.2, 0.85}, "hears-more": {1.05, 2}, "dropouts": {0.62, 0.78}, "cross-talk": {1.0, 1.3},
	} {
		if share := float64(echoes(felt(t, name, 1))) / float64(usual); share < want[0] || share > want[1] {
			t.Errorf("%s has %.2f of the echoes of a nominal robot; want %g to %g", name, share, want[0], want[1])
		}
	}
	var usualTurn, turn float64
	n := felt(t, "nominal", 2)
	for i, r := range felt(t, "compass", 2) {
		if i%100 == 99 {
			turn += math.Abs(robot.WrapAngle(r.Heading - n[i].Heading))
			usualTurn++
		}
	}
	if got := robot.Degrees(turn / usualTurn); math.Abs(got-10) > 0.1 {
		t.Errorf("the compass is %v degrees off, not 10", got)
	}
	var distance, usualDistance float64
	runs := 4
	if testing.Short() {
		runs = 1
	}
	for seed := range uint64(runs) {
		d, err := ParseDeviation("wheels")
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []Options{{Seed: seed}, {Seed: seed, Deviation: d}} {
			w := NewWorld(mybot(t), nil, Scene{}, o)
			for range 200 {
				if err := w.Drive(robot.Twist{Linear: 0.5}); err != nil {
					t.Fatal(err)
				}
				w.Step()
			}
			if o.Deviation.Name == "" {
				usualDistance = w.Truth().Pose.Point().Norm()
			} else {
				distance = max(distance, math.Abs(w.Truth().Pose.Point().Norm()/usualDistance-1), math.Abs(w.Truth().Pose.Theta))
			}
		}
	}
	if distance < 0.02 {
		t.Errorf("wheels that are 3 %% wrong change a distance by %v only", distance)
	}
}

func TestAnUnknownDeviationIsToldWhatThereIs(t *testing.T) {
	if _, err := ParseDeviation("mars"); err == nil || !strings.Contains(err.Error(), "hears-less") {
		t.Errorf("%v", err)
	}
}
