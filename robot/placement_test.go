package robot_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"testing"

	"pgregory.net/rapid"

	"mybot/robot"
	"mybot/robot/models"
)

const linkVectorFile = "testdata/links.json"

// linkVectors are link trees with the poses of their links. The page's TypeScript is tested
// with the same file.
type linkVectors struct {
	Links  []vectorLink  `json:"links"`
	Joints []vectorJoint `json:"joints"`
	Cases  []struct {
		At     []float64     `json:"at"`     // rad or m
		Placed [][12]float64 `json:"placed"` // the rotation by rows, then x, y and z in m
	} `json:"cases"`
}

type vectorLink struct {
	Name   string     `json:"name"`
	Parent string     `json:"parent"`
	Origin [6]float64 `json:"origin"` // x, y and z in m, roll, pitch and yaw in rad
}

type vectorJoint struct {
	Link string          `json:"link"`
	Kind robot.JointKind `json:"kind"`
	Axis [3]float64      `json:"axis"`
	Home float64         `json:"home"`
}

func (v linkVectors) description() (d robot.Description) {
	for _, l := range v.Links {
		o := l.Origin
		d.Links = append(d.Links, robot.Link{Name: l.Name, Parent: l.Parent, Origin: robot.Transform{X: o[0], Y: o[1], Z: o[2], Roll: o[3], Pitch: o[4], Yaw: o[5]}})
	}
	for _, j := range v.Joints {
		d.Joints = append(d.Joints, robot.Joint{Name: j.Link, Link: j.Link, Kind: j.Kind, Axis: j.Axis, Home: j.Home})
	}
	return d
}

func TestLinksAreWhereThePageHasThem(t *testing.T) {
	data, err := os.ReadFile(linkVectorFile)
	if err != nil {
		t.Fatal(err)
	}
	var all []linkVectors
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		d := v.description()
		for c := range v.Cases {
			var placed [][12]float64
			for _, p := range robot.PlaceLinks(d.Links, d.Joints, v.Cases[c].At) {
				r := p.Turned
				placed = append(placed, [12]float64{r[0][0], r[0][1], r[0][2], r[1][0], r[1][1], r[1][2], r[2][0], r[2][1], r[2][2], p.At.X, p.At.Y, p.At.Z})
			}
			if *update {
				v.Cases[c].Placed = placed
				continue
			}
			if len(placed) != len(v.Cases[c].Placed) {
				t.Fatalf("%d links are placed, want %d", len(placed), len(v.Cases[c].Placed))
			}
			for i, want := range v.Cases[c].Placed {
				for k := range want {
					if math.Abs(placed[i][k]-want[k]) > 1e-9 {
						t.Fatalf("with the joints at %v %s is at %v, want %v", v.Cases[c].At, v.Links[i].Name, placed[i], want)
					}
				}
			}
		}
	}
	if *update {
		text, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte(`{"at"`), []byte("\n {\"at\""))
		if err := os.WriteFile(linkVectorFile, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func length(p robot.Point3) float64 { return math.Sqrt(p.Dot(p)) }

func TestAnArmByHand(t *testing.T) {
	links := []robot.Link{
		{Name: "hand", Parent: "forearm", Origin: robot.Transform{X: 0.2}}, // before its parent
		{Name: "base_link"},
		{Name: "upper", Parent: "base_link", Origin: robot.Transform{Z: 0.5}},
		{Name: "forearm", Parent: "upper", Origin: robot.Transform{X: 0.3}},
	}
	joints := []robot.Joint{
		{Link: "upper", Kind: robot.Turn, Axis: [3]float64{0, -1, 0}},
		{Link: "forearm", Kind: robot.Turn, Axis: [3]float64{0, -1, 0}, Home: -math.Pi / 2},
		{Link: "hand", Kind: robot.Slide, Axis: [3]float64{1, 0, 0}},
	}
	for _, c := range []struct {
		at   []float64
		want robot.Point3 // of the hand
	}{
		{[]float64{0, 0, 0}, robot.Point3{X: 0.5, Z: 0.5}},
		{[]float64{math.Pi / 2, 0, 0}, robot.Point3{Z: 1}},
		{[]float64{math.Pi / 2, -math.Pi / 2, 0.1}, robot.Point3{X: 0.3, Z: 0.8}},
		{[]float64{0, math.NaN(), 0}, robot.Point3{X: 0.3, Z: 0.3}}, // an unknown joint is at home
		{nil, robot.Point3{X: 0.3, Z: 0.3}},
	} {
		if got := robot.PlaceLinks(links, joints, c.at)[0].At; length(got.Sub(c.want)) > 1e-12 {
			t.Errorf("with the joints at %v the hand is at %+v, want %+v", c.at, got, c.want)
		}
	}
}

func TestAPlacementTurnsAndTurnsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Float64Range(-7, 7)
		transform := func() robot.Transform {
			return robot.Transform{X: draw.Draw(t, "x"), Y: draw.Draw(t, "y"), Z: draw.Draw(t, "z"), Roll: draw.Draw(t, "roll"), Pitch: draw.Draw(t, "pitch"), Yaw: draw.Draw(t, "yaw")}
		}
		p, q, r := transform().Placement(), transform().Placement(), transform().Placement()
		v := robot.Point3{X: draw.Draw(t, "vx"), Y: draw.Draw(t, "vy"), Z: draw.Draw(t, "vz")}
		if back := p.RotateBack(p.Rotate(v)); length(back.Sub(v)) > 1e-9 {
			t.Fatalf("%v is turned back to %v", v, back)
		}
		left, right := p.Compose(q).Compose(r), p.Compose(q.Compose(r))
		if length(left.At.Sub(right.At)) > 1e-9 || length(left.Rotate(v).Sub(right.Rotate(v))) > 1e-9 {
			t.Fatalf("(p q) r is %v, p (q r) is %v", left, right)
		}
	})
}

func TestAJointThatLeavesTheHullIsNamed(t *testing.T) {
	data, _ := models.Find(models.ArmName)
	d, err := robot.ParseDescription(data)
	if err != nil {
		t.Fatal(err)
	}
	home := make([]float64, len(d.Joints))
	for i, j := range d.Joints {
		home[i] = j.Home
	}
	if link, by := d.FarthestOutside(home); link != "" {
		t.Errorf("at home %s is %.3f m outside", link, by)
	}
	out := append([]float64{}, home...)
	out[1], out[2] = 0, 0 // straight ahead to 0.16+0.04+0.26+0.2+0.085 m; the hull ends at 0.26
	if link, by := d.FarthestOutside(out); link != "finger" && link != "hand" || math.Abs(by-0.465) > 0.02 {
		t.Errorf("stretched out %q is %.3f m outside", link, by)
	}
	d.Joints = nil
	if link, _ := d.FarthestOutside(nil); link != "" {
		t.Errorf("%s is outside, and nothing moves it", link)
	}
}

func TestAPlacementIsTakenBackAndToldByItsAngles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string, most float64) float64 { return rapid.Float64Range(-most, most).Draw(t, name) }
		p := robot.Transform{
			X: number("x", 3), Y: number("y", 3), Z: number("z", 3), Roll: number("roll", 7), Yaw: number("yaw", 7),
			Pitch: rapid.OneOf(rapid.Float64Range(-7, 7), rapid.SampledFrom([]float64{math.Pi / 2, -math.Pi / 2})).Draw(t, "pitch"),
		}.Placement()
		for what, got := range map[string]robot.Placement{"by its angles": p.Transform().Placement(), "twice inverse": p.Inverse().Inverse(), "with its inverse": p.Compose(p.Inverse()).Compose(p)} {
			for i := range 3 {
				for k := range 3 {
					if !(math.Abs(got.Turned[i][k]-p.Turned[i][k]) < 1e-7) {
						t.Fatalf("%s it is %+v, want %+v", what, got, p)
					}
				}
			}
			if off := got.At.Sub(p.At); !(off.Dot(off) < 1e-18) {
				t.Fatalf("%s it is at %+v, want %+v", what, got.At, p.At)
			}
		}
	})
}
