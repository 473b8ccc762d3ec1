package render

import (
	"bytes"
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/models/modelstest"
)

// head is that of Mybot.
func head(t testing.TB) robot.Head {
	t.Helper()
	return *modelstest.Mybot(t).Head
}

// office is the built-in floor.
func office(t testing.TB) *robot.Floorplan {
	t.Helper()
	plan, err := floorplan.Load(maps.Office())
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// box is a room without anything in it, 10 m by 6 m around the origin.
func box() *robot.Floorplan {
	a, b, c, d := robot.Point{X: -5, Y: -3}, robot.Point{X: 5, Y: -3}, robot.Point{X: 5, Y: 3}, robot.Point{X: -5, Y: 3}
	return &robot.Floorplan{Lines: []robot.Segment{{A: a, B: b}, {A: b, B: c}, {A: c, B: d}, {A: d, B: a}}}
}

func within(t testing.TB, what string, got, want, most float64) {
	t.Helper()
	if !(math.Abs(got-want) <= most) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// A photographer takes pictures of a floor without a world around it.
type photographer struct {
	*Painter
	shot  Shot
	frame robot.Frame
}

// painters are those of the floors that many tests use, by name: a painter takes
// a while to make, and what it paints depends on the shot alone.
var painters = map[string]*Painter{}

// photographerIn goes to a floor: the box or the office.
func photographerIn(t testing.TB, floor string) *photographer {
	p := painters[floor]
	if p == nil {
		plan := box()
		if floor == "office" {
			plan = office(t)
		}
		p = NewPainter(head(t), plan)
		painters[floor] = p
	}
	return photographerOf(p)
}

func photographerOf(p *Painter) *photographer {
	return &photographer{Painter: p, shot: Shot{Closed: make([]bool, len(p.interior.plan.Doors))}}
}

// take takes a picture and returns a copy of its brightness.
func (p *photographer) take() []byte {
	p.Paint(&p.shot, &p.frame)
	return bytes.Clone(p.frame.Y)
}

// changed is the smallest rectangle around the pixels that differ by more than
// a shadow's edge.
func changed(a, b []byte, width int) image.Rectangle {
	var r image.Rectangle
	for i := range a {
		if d := int(a[i]) - int(b[i]); d > 12 || d < -12 {
			r = r.Union(image.Rect(i%width, i/width, i%width+1, i/width+1))
		}
	}
	return r
}

func barrelAt(x, y float64) Barrel {
	return Barrel{Point: robot.Point{X: x, Y: y}, Radius: 0.2, Height: 0.9}
}

// busy puts barrels and people into the office.
func (p *photographer) busy() {
	p.shot.Base = robot.Pose{X: 4.5, Y: 7.3}
	p.shot.Barrels = []Barrel{barrelAt(11.75, 7.72), barrelAt(17.3, 6.7)}
	p.shot.Figures = []Figure{
		{At: robot.Point{X: 7, Y: 7.3}, Heading: 1, Stride: 2},
		{At: robot.Point{X: 10, Y: 3}, Stride: math.NaN(), Number: 1},
		{At: robot.Point{X: 19, Y: 7}, Heading: -2, Stride: 5, Number: 2},
	}
}

func TestEachPixelShowsWhatTheStraightLineThroughThePinholeMeets(t *testing.T) {
	computesLong(t)
	p := photographerIn(t, "box")
	rng := rand.New(rand.NewPCG(1, 2))
	between := func(a, b float64) float64 { return a + (b-a)*rng.Float64() }
	for range 15 {
		p.shot.Base = robot.Pose{X: between(-4, 4), Y: between(-2, 2), Theta: between(-math.Pi, math.Pi)}
		p.shot.Head = robot.HeadAngles{Pan: between(-1.57, 1.57), Tilt: between(-0.7, 0.7)}
		p.Paint(&p.shot, &p.frame)
		v := p.head.View(p.shot.Head).In(p.shot.Base)
		for y := 3; y < v.Height; y += 29 {
			for x := 5; x < v.Width; x += 31 {
				// The direction whose part along the optical axis is 1.
				d := v.Forward.Add(v.Right.Times((float64(x) + 0.5 - 320) / v.Focal)).Add(v.Down.Times((float64(y) + 0.5 - 240) / v.Focal))
				want := math.Inf(1)
				for _, wall := range [...][3]float64{{d.X, -5, v.Eye.X}, {d.X, 5, v.Eye.X}, {d.Y, -3, v.Eye.Y}, {d.Y, 3, v.Eye.Y}, {d.Z, 0, v.Eye.Z}, {d.Z, roomHeight, v.Eye.Z}} {
					if k := (wall[1] - wall[2]) / wall[0]; k > 0 {
						want = min(want, k)
					}
				}
				got := 1 / float64(p.canvas.depth[y*v.Width+x])
				// Pictures hang up to 3 cm before the walls.
				if off := math.Abs(got - want); !(off < 0.002*want || off*math.Hypot(d.X, d.Y) < 0.5*want && got < want && got > want-0.6) {
					t.Fatalf("from %+v at %+v pixel %d, %d is %v m away; the line meets the room after %v m", p.shot.Base, p.shot.Head, x, y, got, want)
				}
			}
		}
	}
}

func TestAWallAheadIsAsHighAsThePinholeSays(t *testing.T) {
	p := photographerIn(t, "box")
	for _, d := range []float64{1, 2, 4} {
		p.shot.Base = robot.Pose{X: 5 - d - 0.15, Y: 0.7}
		p.Paint(&p.shot, &p.frame)
		focal := 320 / math.Tan(robot.Radians(40))
		// The board at the foot of the wall is dark, the wall above it is light.
		board := 240
		for board < 480 && p.frame.Y[board*640+320] > 100 {
			board++
		}
		within(t, "where the board begins in the picture", float64(board), min(480, 240+focal*(0.95-baseHeight)/d), 1.5)
	}
}

func TestTheFootOfABarrelIsWhereProjectSays(t *testing.T) {
	p := photographerIn(t, "box")
	for _, c := range []struct{ theta, pan, tilt, x, y float64 }{
		{0, 0, 0, 2.5, 0}, {0, 0, 0, 3, 1.2}, {0, 0, 0, 4, -1.5}, {0.5, -0.5, -0.3, 1.5, 0.3}, {2, -1.2, -0.6, 1, 1}, {0, 0.3, 0.2, 4, 2},
	} {
		p.shot.Base = robot.Pose{X: 0.2, Y: -0.1, Theta: c.theta}
		p.shot.Head = robot.HeadAngles{Pan: c.pan, Tilt: c.tilt}
		p.shot.Barrels = nil
		without := p.take()
		b := barrelAt(c.x, c.y)
		p.shot.Barrels = []Barrel{b}
		p.take()
		// The barrel's own pixels, without its shadow.
		seen := image.Rectangle{}
		last := p.interior.id
		for i, id := range p.canvas.ids {
			if id&^touched > last {
				seen = seen.Union(image.Rect(i%640, i/640, i%640+1, i/640+1))
			}
		}
		if changed(without, p.frame.Y, 640).Empty() {
			t.Fatalf("%+v: the barrel is not in the picture", c)
		}
		// Where its surface is seen, from all sides and at all heights.
		want := [4]float64{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
		base := p.shot.Base.Inverse()
		for i := range 360 {
			sin, cos := math.Sincos(robot.Radians(float64(i)))
			q := base.Apply(b.Point.Add(robot.Point{X: b.Radius * cos, Y: b.Radius * sin}))
			for _, z := range []float64{0, b.Height} {
				u, v, ok := p.head.Project(p.shot.Head, robot.Point3{X: q.X, Y: q.Y, Z: z})
				if !ok {
					t.Fatalf("%+v: the barrel is behind the camera", c)
				}
				want = [4]float64{min(want[0], u), min(want[1], v), max(want[2], u), max(want[3], v)}
			}
		}
		within(t, "its left edge", float64(seen.Min.X), max(0, want[0]), 1.5)
		within(t, "its right edge", float64(seen.Max.X), min(640, want[2]), 1.5)
		within(t, "its upper edge", float64(seen.Min.Y), max(0, want[1]), 1.5)
		within(t, "its foot", float64(seen.Max.Y), min(480, want[3]), 1.5)
	}
}

func TestTurningTheHeadMovesThePictureByAsManyPixels(t *testing.T) {
	p := photographerIn(t, "box")
	middle := func(pan float64) float64 {
		p.shot.Head = robot.HeadAngles{Pan: pan}
		p.shot.Barrels = nil
		without := p.take()
		p.shot.Barrels = []Barrel{barrelAt(3, 0)}
		r := changed(without, p.take(), 640)
		return float64(r.Min.X+r.Max.X) / 2
	}
	before := middle(0)
	within(t, "the middle of the barrel", before, 320, 1.5)
	for _, pan := range []float64{0.1, -0.2, 0.4} {
		// The camera is 0.05 m ahead of the axis it turns about.
		q := robot.Point{X: 3 - 0.1 - 0.05*math.Cos(pan), Y: -0.05 * math.Sin(pan)}
		want := 320 / math.Tan(robot.Radians(40)) * math.Tan(pan-math.Atan2(q.Y, q.X))
		within(t, "the way of the barrel in the picture", middle(pan)-before, want, 2.5)
	}
}

func TestAClosedDoorHidesThePersonBehindIt(t *testing.T) {
	p := photographerIn(t, "office")
	// In front of the door of Lab 301, with a person inside.
	p.shot.Base = robot.Pose{X: 4.7, Y: 7, Theta: math.Pi / 2}
	see := func(closed bool) image.Rectangle {
		p.shot.Closed[0] = closed
		p.shot.Figures = nil
		without := p.take()
		p.shot.Figures = []Figure{{At: robot.Point{X: 4.7, Y: 10}, Stride: math.NaN()}}
		return changed(without, p.take(), 640)
	}
	open := see(false)
	if open.Dx() < 30 || open.Dy() < 150 {
		t.Errorf("through the open door %v of a person is seen", open)
	}
	if r := see(true); !r.Empty() {
		t.Errorf("through the closed door %v is seen", r)
	}
}

func TestPeopleAreSeenWhereTheyStand(t *testing.T) {
	p := photographerIn(t, "office")
	p.shot.Base = robot.Pose{X: 4, Y: 7.3}
	for _, at := range []robot.Point{{X: 7, Y: 7.3}, {X: 8, Y: 6.8}, {X: 12, Y: 7.9}} {
		p.shot.Figures = nil
		without := p.take()
		p.shot.Figures = []Figure{{At: at, Heading: 2, Stride: 1}}
		r := changed(without, p.take(), 640)
		base := p.shot.Base.Inverse().Apply(at)
		u, foot, _ := p.head.Project(p.shot.Head, robot.Point3{X: base.X, Y: base.Y})
		_, top, _ := p.head.Project(p.shot.Head, robot.Point3{X: base.X, Y: base.Y, Z: 1.72})
		tall := foot - top
		within(t, "the middle of the person", float64(r.Min.X+r.Max.X)/2, u, 0.1*tall)
		within(t, "their feet", float64(r.Max.Y), foot, 0.12*tall)
		within(t, "the top of their head", float64(r.Min.Y), top, 0.08*tall)
	}
}

func TestNothingIsLeftOutThatCouldBeSeen(t *testing.T) {
	computesLong(t)
	p := photographerIn(t, "office")
	p.busy()
	for i, v := range []robot.Pose{{X: 4.5, Y: 7.3}, {X: 17, Y: 9, Theta: 1}, {X: 10, Y: 4, Theta: 2}, {X: 21.5, Y: 7, Theta: 3}, {X: 3, Y: 10, Theta: -1.2}, {X: 16, Y: 5.5, Theta: -2}} {
		p.shot.Base = v
		p.shot.Closed[i%len(p.shot.Closed)] = true
		p.horizon = newHorizon()
		with := p.take()
		drawn := len(p.canvas.faces)
		p.horizon = &horizon{} // it knows no directions, so it hides nothing
		if !bytes.Equal(p.take(), with) {
			t.Errorf("from %+v walls hide what can be seen", v)
		}
		if all := len(p.canvas.faces); drawn >= all {
			t.Errorf("from %+v walls hide nothing: %d faces of %d are drawn", v, drawn, all)
		}
	}
}

func TestTheSameShotGivesTheSamePicture(t *testing.T) {
	computesLong(t)
	a, b := photographerIn(t, "office"), photographerOf(NewPainter(head(t), office(t)))
	a.busy()
	b.busy()
	b.shot.Base.Theta = 1
	b.take()
	b.shot.Base.Theta = a.shot.Base.Theta
	for range 5 {
		if !bytes.Equal(a.take(), b.take()) || !bytes.Equal(a.frame.U, b.frame.U) || !bytes.Equal(a.frame.V, b.frame.V) {
			t.Fatal("two pictures of the same differ")
		}
	}
}

func TestNoPictureHasHolesAndAllAreInTheLimitedRange(t *testing.T) {
	p := photographerIn(t, "office")
	p.busy()
	for i, place := range office(t).Places {
		p.shot.Base = place.Pose
		p.shot.Head = robot.HeadAngles{Pan: float64(i%5-2) * 0.8, Tilt: float64(i%3-1) * 0.6}
		p.take()
		for k, id := range p.canvas.ids {
			if id == 0 {
				t.Fatalf("from %s nothing is seen at %d, %d", place.Name, k%640, k/640)
			}
		}
		dark, light := 255, 0
		for _, y := range p.frame.Y {
			dark, light = min(dark, int(y)), max(light, int(y))
		}
		if dark < 16 || light > 236 || light-dark < 60 {
			t.Errorf("from %s brightness goes from %d to %d", place.Name, dark, light)
		}
	}
}

// empty is a floor of which nothing is known, and gone one with a grid alone.
func TestFloorsWithoutRoomsAreDrawnToo(t *testing.T) {
	computesLong(t)
	gone := &robot.Floorplan{Grid: robot.Grid{Width: 20, Height: 20, Resolution: 0.5, Cells: make([]robot.Cell, 400)}}
	ring := box()
	ring.Furniture = []robot.Furniture{
		{Name: "Crate", Outline: []robot.Point{{X: 2, Y: 0}, {X: 2, Y: 1}, {X: 3, Y: 1}, {X: 3, Y: 0}, {X: 2, Y: 0}}, Height: 4},
		{Name: "Column", Outline: []robot.Point{{X: 3, Y: -1}}, Radius: 0.3, Height: 2},
	}
	ring.Dock = &robot.Pose{X: 1.5, Y: -2}
	for name, plan := range map[string]*robot.Floorplan{"empty": {}, "a grid alone": gone, "walls and things": ring} {
		p := photographerOf(NewPainter(head(t), plan))
		for _, tilt := range []float64{-0.7, 0, 0.5} {
			p.shot.Head.Tilt = tilt
			p.take()
			sum := 0
			for _, y := range p.frame.Y {
				sum += int(y)
			}
			if mean := sum / len(p.frame.Y); mean < 50 || mean > 225 {
				t.Errorf("%s: the mean brightness is %d", name, mean)
			}
		}
	}
}

func TestThinLinesFarAwayDoNotFlicker(t *testing.T) {
	p := photographerIn(t, "office")
	p.shot.Base = robot.Pose{X: 4.5, Y: 7.3}
	before := p.take()
	for i := range 5 {
		p.shot.Base.X += 0.003
		after := p.take()
		var off, n int
		for k := 180 * 640; k < 300*640; k++ { // around the horizon
			d := int(after[k]) - int(before[k])
			off += max(d, -d)
			n++
		}
		if mean := float64(off) / float64(n); mean > 0.8 {
			t.Errorf("step %d of 3 mm changes the brightness by %.2f on average", i, mean)
		}
		before = after
	}
}

func TestAPictureNeedsNoNewMemory(t *testing.T) {
	p := photographerIn(t, "office")
	p.busy()
	snap := func() { p.Paint(&p.shot, &p.frame) }
	snap()
	if n := testing.AllocsPerRun(5, snap); n > 1 && !raced {
		t.Errorf("a picture takes %v pieces of memory", n)
	}
}

func BenchmarkCamera(b *testing.B) {
	p := photographerIn(b, "office")
	for name, at := range map[string]robot.Pose{"corridor": {X: 4.5, Y: 7.3}, "barrel": {X: 11.05, Y: 7, Theta: -0.12}, "lounge": {X: 10.2, Y: 3.7, Theta: -1.57}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			p.busy()
			p.shot.Base = at
			p.Paint(&p.shot, &p.frame)
			for b.Loop() {
				p.Paint(&p.shot, &p.frame)
			}
		})
	}
}

// computesLong leaves a test out with -short: the race detector makes it
// ten times slower, and it runs in full without.
func computesLong(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it computes for long; -short leaves it out")
	}
}
