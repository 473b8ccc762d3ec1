package mapping

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"mybot/robot"
)

// wingFloor is the ring with a door in its east wall, behind which a corridor leads
// around a second block, 12 x 10 m.
func wingFloor() testFloor {
	var f testFloor
	for _, s := range ringFloor() {
		if s.A.X == 25 && s.B.X == 25 && math.Abs(s.A.Y-s.B.Y) > 10 { // the east wall
			f.wall(25, -1, 25, 6)
			f.wall(25, 8, 25, 15)
			continue
		}
		f = append(f, s)
	}
	f.wall(25, 2, 37, 2)
	f.wall(37, 2, 37, 12)
	f.wall(37, 12, 25, 12)
	f.box(27, 4, 35, 10)
	for i, x := range []float64{27.5, 29.2, 33} {
		f.box(x, 2, x+0.3+0.2*float64(i), 2.3)
		f.box(x+0.8, 11.7, x+1.1, 12)
	}
	f.box(36.6, 5, 37, 5.5)
	f.box(36.7, 8, 37, 8.9)
	return f
}

// record returns the key frames of a drive over a floor.
func record(f testFloor, seed uint64, drive []robot.Pose) (frames []KeyFrame, truth []robot.Pose) {
	l := testLidar{beams: 360, view: 2 * math.Pi, max: 12, noise: 0.01, rng: rand.New(rand.NewPCG(seed, 1))}
	w := testWheels{scale: 1.02, turnScale: 0.98, drift: 0.005, noise: 0.05, rng: rand.New(rand.NewPCG(seed, 2))}
	motion := robot.Pose{}
	for i, at := range drive {
		if i > 0 {
			step := w.motion(drive[i-1], at)
			motion = motion.Compose(step)
			if !IsKeyFrame(motion, step) {
				continue
			}
		}
		frames, truth = append(frames, KeyFrame{Motion: motion, Cloud: l.cloud(f, at)}), append(truth, at)
		motion = robot.Pose{}
	}
	return frames, truth
}

// wingDrive starts in the ring, goes around the new wing and returns.
func wingDrive() []robot.Pose {
	return driveAlong([]robot.Point{{X: 18, Y: 14}, {X: 24, Y: 14}, {X: 24, Y: 7}, {X: 26, Y: 7}, {X: 26, Y: 3}, {X: 36, Y: 3}, {X: 36, Y: 11}, {X: 26, Y: 11}, {X: 26, Y: 7}, {X: 24, Y: 7}, {X: 24, Y: 0}, {X: 18, Y: 0}}, 0.05, 0.05)
}

// extendRing maps the ring, and then the wing on another day, on which the first
// localization is wrong by off. The true poses are in the frame of the map.
func extendRing(t *testing.T, off robot.Pose) (old []robot.Pose, m *Mapper, truth []robot.Pose) {
	t.Helper()
	frames, ringTruth := record(wingFloor(), 3, ringDrive())
	first := mapFrames(frames)
	first.Finish()
	work(first)
	old = first.Poses()
	m = &Mapper{}
	for i, k := range frames {
		m.AddFixed(k, old[i])
	}
	wing, wingTruth := record(wingFloor(), 4, wingDrive())
	wing[0].Motion = old[len(old)-1].Inverse().Compose(wingTruth[0]).Compose(off)
	for _, k := range wing {
		m.Add(k)
	}
	m.Finish()
	work(m)
	return old, m, append(ringTruth, wingTruth...)
}

func TestAMapIsExtendedByANewWing(t *testing.T) {
	old, m, truth := extendRing(t, robot.Pose{X: 0.3, Y: -0.2, Theta: 0.15})
	poses := m.Poses()
	if !reflect.DeepEqual(poses[:len(old)], old) {
		t.Error("poses of the old map have moved")
	}
	oldRMS, _, _ := rmsOff(old, truth)
	rms, worst, last := rmsOff(poses[len(old):], truth[len(old):])
	s := m.Summary()
	t.Logf("old RMS %.3f m; new RMS %.3f m, worst %.3f m, end %.3f m; %+v", oldRMS, rms, worst, last, s)
	if rms > 0.1 || worst > 0.25 || last > 0.1 {
		t.Errorf("the new wing: RMS %.3f m, worst %.3f m, end %.3f m", rms, worst, last)
	}
	if s.Fixed != len(old) || s.Loops < 5 || s.LoopWay > 0.08 {
		t.Errorf("%+v", s)
	}
	grid := m.Draw(0.05, 1<<24).Grid()
	for _, c := range []struct {
		at   robot.Point
		want robot.Cell
	}{{robot.Point{X: 26, Y: 11}, robot.Free}, {robot.Point{X: 25, Y: 7}, robot.Free}, {robot.Point{X: 24, Y: 3}, robot.Free}, {robot.Point{X: 31, Y: 7}, robot.Unknown}} {
		if got := grid.At(c.at); got != c.want {
			t.Errorf("%v is %v, want %v", c.at, got, c.want)
		}
	}
}

func TestAnExtendedMapIsTheSameEveryTime(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes two maps")
	}
	_, a, _ := extendRing(t, robot.Pose{X: 0.1})
	_, b, _ := extendRing(t, robot.Pose{X: 0.1})
	if !reflect.DeepEqual(a.Poses(), b.Poses()) || a.Summary() != b.Summary() {
		t.Errorf("%+v and %+v", a.Summary(), b.Summary())
	}
}

func TestAnUndoDoesNotReachTheOldMap(t *testing.T) {
	old, m, _ := extendRing(t, robot.Pose{})
	n := len(m.Poses())
	if keep := m.Undo(10); keep >= n || keep < len(old) {
		t.Errorf("%d of %d key frames remain", keep, n)
	}
	work(m)
	if got := m.Poses()[:len(old)]; !reflect.DeepEqual(got, old) {
		t.Error("an undo has moved the old map")
	}
	if keep := m.Undo(1e6); keep != len(old) {
		t.Errorf("%d key frames remain; the old map has %d", keep, len(old))
	}
	work(m)
	if s := m.Summary(); s.KeyFrames != len(old) || len(m.running) != 0 || s.Loops != 0 {
		t.Errorf("%+v", s)
	}
	wing, _ := record(wingFloor(), 5, wingDrive()[:200])
	wing[0].Motion = robot.Pose{X: 1} // from its pose at the time when everything was undone
	for _, k := range wing {
		m.Add(k)
	}
	work(m)
	if s := m.Summary(); s.KeyFrames != len(old)+len(wing) {
		t.Errorf("%+v", s)
	}
}

func TestTheFirstKeyFrameOfAnExtensionMayFitNowhere(t *testing.T) {
	frames, _ := record(wingFloor(), 3, ringDrive()[:400])
	m := &Mapper{}
	for _, k := range frames {
		m.AddFixed(k, robot.Pose{X: 50})
	}
	frames[0].Motion = robot.Pose{X: 200}
	m.Add(frames[0])
	m.Add(frames[1])
	work(m)
	if s := m.Summary(); s.KeyFrames != len(frames)+2 || math.Abs(m.Poses()[len(frames)].X-250) > 1e-9 {
		t.Errorf("%+v", s)
	}
}
