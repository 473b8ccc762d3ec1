package robot

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func testHead() *Head {
	return &Head{X: 0.1, Z: 0.95, Camera: Optics{Forward: 0.05, Width: 640, Height: 480, FieldOfView: Radians(80)}}
}

func TestAPointIsSeenWhereThePinholePutsIt(t *testing.T) {
	h := testHead()
	focal := 320 / math.Tan(Radians(40))
	for _, c := range []struct {
		name string
		a    HeadAngles
		p    Point3
		x, y float64
	}{
		{"straight ahead", HeadAngles{}, Point3{3.15, 0, 0.95}, 320, 240},
		{"on the floor ahead", HeadAngles{}, Point3{2.15, 0, 0}, 320, 240 + 0.95/2*focal},
		{"left of the axis", HeadAngles{}, Point3{2.15, 1, 0.95}, 320 - focal/2, 240},
		{"the left edge of the picture", HeadAngles{}, Point3{1.15, math.Tan(Radians(40)), 0.95}, 0, 240},
		{"to the left with the head turned there", HeadAngles{Pan: math.Pi / 2}, Point3{0.1, 4, 0.95}, 320, 240},
		{"a floor point with the head tilted to it", HeadAngles{Tilt: -math.Pi / 4}, Point3{0.15 + 0.95, 0, 0}, 320, 240},
		{"the horizon with the head tilted up", HeadAngles{Tilt: Radians(20)}, Point3{1e9, 0, 0.95}, 320, 240 + focal*math.Tan(Radians(20))},
	} {
		x, y, ok := h.Project(c.a, c.p)
		if !ok || math.Abs(x-c.x) > 1e-4 || math.Abs(y-c.y) > 1e-4 {
			t.Errorf("%s is seen at %v, %v (%v); it is at %v, %v", c.name, x, y, ok, c.x, c.y)
		}
	}
	if _, _, ok := h.Project(HeadAngles{}, Point3{-1, 0, 1}); ok {
		t.Error("a point behind the camera is seen")
	}
}

// floorAt returns the point of the floor at the pixel (x, y) of the picture: the inverse of
// project. ok is false at the horizon and above it.
func floorAt(v View, x, y float64) (p Point, ok bool) {
	d := v.Forward.Times(v.Focal).
		Add(v.Right.Times(x - float64(v.Width)/2)).
		Add(v.Down.Times(y - float64(v.Height)/2))
	if !(d.Z < 0) || !(v.Eye.Z > 0) {
		return Point{}, false
	}
	k := -v.Eye.Z / d.Z
	return Point{v.Eye.X + k*d.X, v.Eye.Y + k*d.Y}, true
}

func TestTheFloorUnderAPixelIsSeenInThatPixel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		between := func(name string, a, b float64) float64 { return rapid.Float64Range(a, b).Draw(t, name) }
		v := testHead().View(HeadAngles{Pan: between("pan", -2, 2), Tilt: between("tilt", -0.8, 0.5)}).
			In(Pose{X: between("x", -20, 20), Y: between("y", -20, 20), Theta: between("theta", -3, 3)})
		x, y := between("u", 0, 640), between("v", 0, 480)
		p, ok := floorAt(v, x, y)
		if !ok {
			return
		}
		gotX, gotY, ok := v.projectPoint(Point3{p.X, p.Y, 0})
		if near := math.Hypot(p.X-v.Eye.X, p.Y-v.Eye.Y) < 1000; near && (!ok || math.Abs(gotX-x) > 1e-6 || math.Abs(gotY-y) > 1e-6) {
			t.Fatalf("the floor at %v is seen at %v, %v (%v); it is under %v, %v", p, gotX, gotY, ok, x, y)
		}
	})
}
