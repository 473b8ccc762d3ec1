package sim

import (
	"bytes"
	"context"
	"errors"
	"image"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
)

// A photographer takes pictures of a floor without a world around it.
type photographer struct {
	*Painter
	shot  shot
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
			plan, _ = office(t)
		}
		p = NewPainter(mybot(t), plan)
		painters[floor] = p
	}
	return photographerOf(p)
}

func photographerOf(p *Painter) *photographer {
	return &photographer{Painter: p, shot: shot{closed: make([]bool, len(p.interior.plan.Doors))}}
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

func barrelAt(x, y float64) Thing {
	return Thing{ID: 1, Kind: ObstacleKind, Point: robot.Point{X: x, Y: y}, Radius: 0.2, height: 0.9}
}

func TestEachPixelShowsWhatTheStraightLineThroughThePinholeMeets(t *testing.T) {
	p := photographerIn(t, "box")
	rng := rand.New(rand.NewPCG(1, 2))
	between := func(a, b float64) float64 { return a + (b-a)*rng.Float64() }
	for range 15 {
		p.shot.base = robot.Pose{X: between(-4, 4), Y: between(-2, 2), Theta: between(-math.Pi, math.Pi)}
		p.shot.head = robot.HeadAngles{Pan: between(-1.57, 1.57), Tilt: between(-0.7, 0.7)}
		p.Paint(&p.shot, &p.frame)
		v := p.head.View(p.shot.head).In(p.shot.base)
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
					t.Fatalf("from %+v at %+v pixel %d, %d is %v m away; the line meets the room after %v m", p.shot.base, p.shot.head, x, y, got, want)
				}
			}
		}
	}
}

func TestAWallAheadIsAsHighAsThePinholeSays(t *testing.T) {
	p := photographerIn(t, "box")
	for _, d := range []float64{1, 2, 4} {
		p.shot.base = robot.Pose{X: 5 - d - 0.15, Y: 0.7}
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
		p.shot.base = robot.Pose{X: 0.2, Y: -0.1, Theta: c.theta}
		p.shot.head = robot.HeadAngles{Pan: c.pan, Tilt: c.tilt}
		p.shot.things = nil
		without := p.take()
		b := barrelAt(c.x, c.y)
		p.shot.things = []Thing{b}
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
		base := p.shot.base.Inverse()
		for i := range 360 {
			sin, cos := math.Sincos(robot.Radians(float64(i)))
			q := base.Apply(b.Point.Add(robot.Point{X: b.Radius * cos, Y: b.Radius * sin}))
			for _, z := range []float64{0, b.height} {
				u, v, ok := p.head.Project(p.shot.head, robot.Point3{X: q.X, Y: q.Y, Z: z})
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
		p.shot.head = robot.HeadAngles{Pan: pan}
		p.shot.things = nil
		without := p.take()
		p.shot.things = []Thing{barrelAt(3, 0)}
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

func TestAClosedDoorHidesWhoIsBehindIt(t *testing.T) {
	p := photographerIn(t, "office")
	// Before the door of Lab 301, with somebody inside.
	p.shot.base = robot.Pose{X: 4.7, Y: 7, Theta: math.Pi / 2}
	see := func(closed bool) image.Rectangle {
		p.shot.closed[0] = closed
		p.shot.figures = nil
		without := p.take()
		p.shot.figures = []figure{{at: robot.Point{X: 4.7, Y: 10}, stride: math.NaN()}}
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
	p.shot.base = robot.Pose{X: 4, Y: 7.3}
	for _, at := range []robot.Point{{X: 7, Y: 7.3}, {X: 8, Y: 6.8}, {X: 12, Y: 7.9}} {
		p.shot.figures = nil
		without := p.take()
		p.shot.figures = []figure{{at: at, heading: 2, stride: 1}}
		r := changed(without, p.take(), 640)
		base := p.shot.base.Inverse().Apply(at)
		u, foot, _ := p.head.Project(p.shot.head, robot.Point3{X: base.X, Y: base.Y})
		_, top, _ := p.head.Project(p.shot.head, robot.Point3{X: base.X, Y: base.Y, Z: 1.72})
		tall := foot - top
		within(t, "the middle of the person", float64(r.Min.X+r.Max.X)/2, u, 0.1*tall)
		within(t, "their feet", float64(r.Max.Y), foot, 0.12*tall)
		within(t, "the top of their head", float64(r.Min.Y), top, 0.08*tall)
	}
}

func TestNothingIsLeftOutThatCouldBeSeen(t *testing.T) {
	plan, scene := office(t)
	w := NewWorld(mybot(t), plan, scene, Options{Seed: 1})
	p := photographerIn(t, "office")
	w.shoot(&p.shot, 0)
	for i, v := range []robot.Pose{{X: 4.5, Y: 7.3}, {X: 17, Y: 9, Theta: 1}, {X: 10, Y: 4, Theta: 2}, {X: 21.5, Y: 7, Theta: 3}, {X: 3, Y: 10, Theta: -1.2}, {X: 16, Y: 5.5, Theta: -2}} {
		p.shot.base = v
		p.shot.closed[i%len(p.shot.closed)] = true
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
	plan, scene := office(t)
	w := NewWorld(mybot(t), plan, scene, Options{Seed: 1})
	a, b := photographerIn(t, "office"), photographerOf(NewPainter(mybot(t), plan))
	w.shoot(&a.shot, 0)
	w.shoot(&b.shot, 0)
	b.shot.base.Theta = 1
	b.take()
	b.shot.base.Theta = a.shot.base.Theta
	for range 5 {
		if !bytes.Equal(a.take(), b.take()) || !bytes.Equal(a.frame.U, b.frame.U) || !bytes.Equal(a.frame.V, b.frame.V) {
			t.Fatal("two pictures of the same differ")
		}
	}
}

func TestNoPictureHasHolesAndAllAreInTheLimitedRange(t *testing.T) {
	plan, scene := office(t)
	w := NewWorld(mybot(t), plan, scene, Options{Seed: 1})
	p := photographerIn(t, "office")
	w.shoot(&p.shot, 0)
	for i, place := range plan.Places {
		p.shot.base = place.Pose
		p.shot.head = robot.HeadAngles{Pan: float64(i%5-2) * 0.8, Tilt: float64(i%3-1) * 0.6}
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
	gone := &robot.Floorplan{Grid: robot.Grid{Width: 20, Height: 20, Resolution: 0.5, Cells: make([]robot.Cell, 400)}}
	ring := box()
	ring.Furniture = []robot.Furniture{
		{Name: "Crate", Outline: []robot.Point{{X: 2, Y: 0}, {X: 2, Y: 1}, {X: 3, Y: 1}, {X: 3, Y: 0}, {X: 2, Y: 0}}, Height: 4},
		{Name: "Column", Outline: []robot.Point{{X: 3, Y: -1}}, Radius: 0.3, Height: 2},
	}
	ring.Dock = &robot.Pose{X: 1.5, Y: -2}
	for name, plan := range map[string]*robot.Floorplan{"empty": {}, "a grid alone": gone, "walls and things": ring} {
		p := photographerOf(NewPainter(mybot(t), plan))
		for _, tilt := range []float64{-0.7, 0, 0.5} {
			p.shot.head.Tilt = tilt
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
	p.shot.base = robot.Pose{X: 4.5, Y: 7.3}
	before := p.take()
	for i := range 5 {
		p.shot.base.X += 0.003
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

func TestTheCameraTakesThirtyPicturesASecondOfTheWorldAsItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewDriver(NewWorld(mybot(t), box(), Scene{}, Options{Ideal: true}))
		if err := d.Look(robot.HeadAngles{Pan: 1, Tilt: 0.3}); err != nil {
			t.Fatal(err)
		}
		var f robot.Frame
		began := time.Now()
		rest := d.world.head.at
		var poses []robot.Pose
		for i := range 20 {
			if err := errors.Join(d.Drive(robot.Twist{Linear: 0.2, Angular: 0.5}), d.Next(t.Context(), &f)); err != nil {
				t.Fatal(err)
			}
			if want := began.Add(time.Duration(i) * pictureEvery); !f.Taken.Equal(want) {
				t.Errorf("picture %d is of %v; want %v", i, f.Taken.Sub(began), want.Sub(began))
			}
			turned := robot.Radians(60) * f.Taken.Sub(began).Seconds()
			within(t, "pan", f.Head.Pan, min(1, turned), 1e-6)
			within(t, "tilt", f.Head.Tilt, min(0.3, rest.Tilt+turned), 1e-6)
			if f.Width != 640 || f.Height != 480 || len(f.Y) != 640*480 || len(f.U) != 320*240 || len(f.V) != 320*240 {
				t.Fatalf("the picture is %dx%d, of %d, %d and %d bytes", f.Width, f.Height, len(f.Y), len(f.U), len(f.V))
			}
			poses = append(poses, d.camera.shot.base)
			if truth := d.Truth().Pose; math.Hypot(truth.X-poses[i].X, truth.Y-poses[i].Y) > 0.02*0.3 {
				t.Errorf("picture %d is taken from %+v; the robot is at %+v", i, poses[i], truth)
			}
		}
		// Though the world goes on in steps of 20 ms, the motion is even.
		for i := 14; i < len(poses); i++ {
			within(t, "the turn from picture to picture", poses[i].Theta-poses[i-1].Theta, 0.5/30, 0.03*0.5/30)
		}
		time.Sleep(5 * time.Second)
		late := time.Now()
		if err := d.Next(t.Context(), &f); err != nil || !f.Taken.Equal(late) {
			t.Errorf("after a pause the picture is of %v ago, %v", late.Sub(f.Taken), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := d.Next(ctx, &f); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Next says %v when its context ends", err)
		}
		go func() {
			time.Sleep(time.Millisecond)
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}()
		for range 2 {
			if err := d.Next(t.Context(), &f); !errors.Is(err, robot.ErrClosed) {
				t.Errorf("Next says %v after Close", err)
			}
		}
	})
}

func TestARobotWithoutAHeadHasNoCamera(t *testing.T) {
	desc := mybot(t)
	desc.Head = nil
	d := NewDriver(NewWorld(desc, box(), Scene{}, Options{}))
	defer d.Close()
	if err := d.Next(t.Context(), new(robot.Frame)); !errors.Is(err, robot.ErrNA) {
		t.Errorf("Next says %v", err)
	}
}

func TestAPictureNeedsNoNewMemory(t *testing.T) {
	plan, scene := office(t)
	w := NewWorld(mybot(t), plan, scene, Options{Seed: 1})
	p := photographerIn(t, "office")
	snap := func() {
		w.shoot(&p.shot, 0.01)
		p.Paint(&p.shot, &p.frame)
	}
	snap()
	if n := testing.AllocsPerRun(5, snap); n > 1 && !raced {
		t.Errorf("a picture takes %v pieces of memory", n)
	}
}

func BenchmarkCamera(b *testing.B) {
	plan, scene := office(b)
	w := NewWorld(mybot(b), plan, scene, Options{Seed: 1})
	p := photographerIn(b, "office")
	for name, at := range map[string]robot.Pose{"corridor": {X: 4.5, Y: 7.3}, "barrel": {X: 11.05, Y: 7, Theta: -0.12}, "lounge": {X: 10.2, Y: 3.7, Theta: -1.57}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			w.shoot(&p.shot, 0)
			p.shot.base = at
			p.Paint(&p.shot, &p.frame)
			for b.Loop() {
				p.Paint(&p.shot, &p.frame)
			}
		})
	}
}

// BenchmarkShot is how long the world stands still for a picture.
func BenchmarkShot(b *testing.B) {
	plan, scene := office(b)
	d := NewDriver(NewWorld(mybot(b), plan, scene, Options{Seed: 1}))
	defer d.Close()
	var s shot
	b.ReportAllocs()
	for b.Loop() {
		d.mu.Lock()
		d.world.shoot(&s, 0.01)
		d.mu.Unlock()
	}
}
