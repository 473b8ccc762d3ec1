package mapping

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"mybot/robot"
)

// ringFrames returns the key frames of a drive around the ring, their true poses,
// and the poses by the wheels.
func ringFrames(drive []robot.Pose) (frames []KeyFrame, truth []robot.Pose) {
	l := testLidar{beams: 360, view: 2 * math.Pi, max: 12, noise: 0.01, rng: rand.New(rand.NewPCG(7, 1))}
	w := testWheels{scale: 1.02, turnScale: 0.98, drift: 0.005, noise: 0.05, rng: rand.New(rand.NewPCG(7, 2))}
	floor, motion := ringFloor(), robot.Pose{}
	for i, at := range drive {
		if i > 0 {
			step := w.motion(drive[i-1], at)
			motion = motion.Compose(step)
			if !IsKeyFrame(motion, step) {
				continue
			}
		}
		frames, truth = append(frames, KeyFrame{Motion: motion, Cloud: l.cloud(floor, at)}), append(truth, drive[0].Inverse().Compose(at))
		motion = robot.Pose{}
	}
	return frames, truth
}

func work(m *Mapper) {
	for m.Step() {
	}
}

func mapFrames(frames []KeyFrame) *Mapper {
	m := &Mapper{}
	for _, k := range frames {
		m.Add(k)
	}
	work(m)
	return m
}

// largestOff returns the largest distance between the poses, in m.
func largestOff(t *testing.T, got, want []robot.Pose) float64 {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d poses, want %d", len(got), len(want))
	}
	_, worst, _ := rmsOff(got, want)
	return worst
}

func TestWhatIsTakenBackWasNeverThere(t *testing.T) {
	frames, _ := ringFrames(ringDrive())
	cases := []int{1, 2, 40, len(frames) * 3 / 4, len(frames) - 1}
	if testing.Short() {
		cases = cases[3:4]
	}
	for _, keep := range cases {
		m, never := mapFrames(frames), mapFrames(frames[:keep])
		loops := m.Summary().Loops
		m.TakeBack(keep)
		work(m)
		if got, want := m.Summary(), never.Summary(); got.KeyFrames != keep || got.Submaps != want.Submaps || math.Abs(got.Way-want.Way) > 1e-9 || got.Loops > loops || keep < 40 && got.Loops > 0 {
			t.Errorf("%d remaining: %+v, want %+v", keep, got, want)
		}
		m.Finish()
		never.Finish()
		work(m)
		work(never)
		if worst := largestOff(t, m.Poses(), never.Poses()); worst > 0.03 {
			t.Errorf("%d remaining: a pose is %.3f m off from a map without the undone key frames", keep, worst)
		}
		for k, s := range m.submaps {
			want := never.submaps[k]
			if s.node != want.node || s.last != want.last || s.finished != want.finished || math.Abs(s.distance-want.distance) > 1e-9 || len(s.surface) == 0 {
				t.Errorf("%d remaining: submap %d is %d %d %v %g, want %d %d %v %g", keep, k, s.node, s.last, s.finished, s.distance, want.node, want.last, want.finished, want.distance)
			}
		}
		if !reflect.DeepEqual(m.running, never.running) {
			t.Errorf("%d remaining: submaps %v are running, want %v", keep, m.running, never.running)
		}
	}
}

func TestAMapIsContinuedAfterAnUndo(t *testing.T) {
	frames, truth := ringFrames(ringDrive())
	n := len(frames) / 2
	m := mapFrames(frames[:n])
	keep := m.Undo(10)
	if distance := m.promised[keep-1].distance; n-keep < 40 || frames[n-1].Motion.X <= 0 || distance < 10 {
		t.Fatalf("%d of %d key frames remain", keep, n)
	}
	// The robot has not driven back: the next key frame is 10 m behind.
	for _, k := range frames[n:] {
		m.Add(k)
	}
	m.Finish()
	work(m)
	want := append(append([]robot.Pose(nil), truth[:keep]...), truth[n:]...)
	rms, worst, _ := rmsOff(m.Poses(), want)
	if s := m.Summary(); rms > 0.1 || worst > 0.2 || s.Loops < 5 || s.KeyFrames != len(want) {
		t.Errorf("RMS %.3f m, worst %.3f m, %+v", rms, worst, s)
	}
}

func TestAnUndoTakesBackTheWayThatItSays(t *testing.T) {
	frames, _ := ringFrames(ringDrive()[:300])
	m := mapFrames(frames)
	all := m.Summary().Way
	for _, c := range []struct{ undo, least, most float64 }{{3, 3, 3.5}, {0, 3, 3.5}, {2, 5, 6}, {1e9, all, all}, {1, all, all}} {
		keep := m.Undo(c.undo)
		work(m)
		if s := m.Summary(); s.KeyFrames != keep || all-s.Way < c.least-1e-9 || all-s.Way > c.most || keep < 1 {
			t.Errorf("undo of %g m: %+v, %d remaining, %.2f m undone", c.undo, s, keep, all-s.Way)
		}
	}
	if keep := (&Mapper{}).Undo(10); keep != 0 {
		t.Errorf("%d key frames of none remain", keep)
	}
}

func TestAnUndoIsTheSameHoweverFarTheWorkIsBehind(t *testing.T) {
	frames, _ := ringFrames(ringDrive())
	run := func(step func(*Mapper)) *Mapper {
		m := &Mapper{}
		for i, k := range frames[:400] {
			m.Add(k)
			step(m)
			if i == 200 || i == 203 {
				m.Undo(5)
				step(m)
			}
			if i == 300 {
				m.Finish()
			}
		}
		work(m)
		return m
	}
	at, later := run(work), run(func(*Mapper) {})
	if !reflect.DeepEqual(at.Poses(), later.Poses()) || at.Summary() != later.Summary() {
		t.Errorf("worked at once: %+v; later: %+v", at.Summary(), later.Summary())
	}
}
