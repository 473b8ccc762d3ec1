package mapping

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"mybot/robot"
	"mybot/robot/scan"
)

// mapDrive maps a drive over a floor. It returns the mapper, the motions that the
// wheels measured and the true poses of the key frames, from the first one.
func mapDrive(f testFloor, l testLidar, w testWheels, drive []robot.Pose) (m *Mapper, odometry, truth []robot.Pose) {
	m = &Mapper{}
	motion, byWheels := robot.Pose{}, robot.Pose{}
	for i, at := range drive {
		if i > 0 {
			step := w.motion(drive[i-1], at)
			motion, byWheels = motion.Compose(step), byWheels.Compose(step)
			if !IsKeyFrame(motion, step) {
				continue
			}
		}
		m.Add(KeyFrame{Motion: motion, Cloud: l.cloud(f, at)})
		motion = robot.Pose{}
		odometry, truth = append(odometry, byWheels), append(truth, drive[0].Inverse().Compose(at))
		for m.Step() {
		}
	}
	m.Finish()
	for m.Step() {
	}
	return m, odometry, truth
}

// rmsOff returns the RMS and the largest distance between poses, and the last one.
func rmsOff(got, want []robot.Pose) (rms, worst, last float64) {
	for i := range got {
		last = got[i].Point().Sub(want[i].Point()).Norm()
		rms += last * last / float64(len(got))
		worst = math.Max(worst, last)
	}
	return math.Sqrt(rms), worst, last
}

// ringDrive goes around the ring one and a half times.
func ringDrive() []robot.Pose {
	a, b, c, d := robot.Point{}, robot.Point{X: 24}, robot.Point{X: 24, Y: 14}, robot.Point{Y: 14}
	return driveAlong([]robot.Point{a, b, c, d, a, b, c}, 0.05, 0.05)
}

// poorWheels report 3 % too much, turn 3 % too little and pull to the left by 0.6°
// a metre.
var poorWheels = testWheels{scale: 1.03, turnScale: 0.97, drift: 0.01, noise: 0.05}

func ringMap(seed uint64, l testLidar, w testWheels) (m *Mapper, odometry, truth []robot.Pose) {
	l.rng, w.rng = rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2))
	return mapDrive(ringFloor(), l, w, ringDrive())
}

func TestAFloorIsMappedInSpiteOfTheWheels(t *testing.T) {
	cases := []struct {
		name       string
		lidar      testLidar
		wheels     testWheels
		rms, worst float64 // m, at most
	}{
		{"all round, wheels with noise", testLidar{beams: 360, view: 2 * math.Pi, max: 12, noise: 0.01}, testWheels{scale: 1, turnScale: 1, noise: 0.05}, 0.03, 0.06},
		{"all round", testLidar{beams: 360, view: 2 * math.Pi, max: 12, noise: 0.01}, poorWheels, 0.06, 0.16},
		{"270 degrees, 541 beams", testLidar{beams: 541, view: 1.5 * math.Pi, max: 30, noise: 0.02}, poorWheels, 0.08, 0.16},
		{"180 degrees, 181 beams", testLidar{beams: 181, view: math.Pi, max: 80, noise: 0.01}, poorWheels, 0.09, 0.16},
		{"180 degrees, 81 beams, which see few of the niches", testLidar{beams: 81, view: math.Pi, max: 10, noise: 0.02}, poorWheels, 0.35, 0.7},
	}
	if testing.Short() {
		cases = cases[1:2]
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m, odometry, truth := ringMap(1, c.lidar, c.wheels)
			_, byWheels, _ := rmsOff(odometry, truth)
			rms, worst, last := rmsOff(m.Poses(), truth)
			s := m.Summary()
			t.Logf("wheels %.2f m at worst; mapped RMS %.3f m, worst %.3f m, end %.3f m; %+v", byWheels, rms, worst, last, s)
			if byWheels < 5*worst {
				t.Fatalf("the wheels are only %.2f m off, so the test proves nothing", byWheels)
			}
			if rms > c.rms || worst > c.worst {
				t.Errorf("RMS %.3f m, worst %.3f m; at most %.3f and %.3f", rms, worst, c.rms, c.worst)
			}
			if s.Loops < 5 || s.LoopWay > 0.1 {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestTheDrawnWallsStandWhereTheyAre(t *testing.T) {
	m, _, _ := ringMap(2, testLidar{beams: 360, view: 2 * math.Pi, max: 12, noise: 0.01}, poorWheels)
	grid := m.Draw(0.05, 1<<24).Grid()
	floor := ringFloor() // the drive starts at its origin, along x: map is the floor's frame
	occupied, far, free := 0, 0, 0
	for j := range grid.Height {
		for i := range grid.Width {
			p := grid.Origin.Add(robot.Point{X: (float64(i) + 0.5) * 0.05, Y: (float64(j) + 0.5) * 0.05})
			switch grid.At(p) {
			case robot.Occupied:
				occupied++
				nearest := math.Inf(1)
				for _, s := range floor {
					nearest = math.Min(nearest, s.Distance(p))
				}
				if nearest > 0.1 {
					far++
				}
			case robot.Free:
				free++
				if p.X > 1.1 && p.X < 22.9 && p.Y > 1.1 && p.Y < 12.9 {
					t.Fatalf("(%.2f, %.2f) in the closed block is free", p.X, p.Y)
				}
			}
		}
	}
	area := float64(free) * 0.05 * 0.05
	if occupied < 2000 || float64(far) > 0.01*float64(occupied) || area < 135 || area > 155 {
		t.Errorf("%d cells are occupied, %d of them 10 cm from every wall; %.1f m2 are free", occupied, far, area)
	}
}

func TestTheSameDriveGivesTheSameMap(t *testing.T) {
	digest := func() string {
		m, _, _ := ringMap(3, testLidar{beams: 180, view: 2 * math.Pi, max: 10, noise: 0.01}, poorWheels)
		h := sha256.New()
		for _, p := range m.Poses() {
			_ = binary.Write(h, binary.LittleEndian, p)
		}
		grid := m.Draw(0.05, 1<<24).Grid()
		_ = binary.Write(h, binary.LittleEndian, grid.Cells)
		return fmt.Sprintf("%x %+v", h.Sum(nil), m.Summary())
	}
	if a, b := digest(), digest(); a != b {
		t.Errorf("the same key frames produced\n%s\n%s", a, b)
	}
}

func TestAFalseLoopDoesNotSurvive(t *testing.T) {
	m, _, truth := ringMap(4, testLidar{beams: 360, view: 2 * math.Pi, max: 12, noise: 0.01}, poorWheels)
	loops, refused := len(m.loops), m.refused
	// Half way around, a false pose puts the robot in a submap on the other side.
	frame := len(m.frames) / 3
	m.takeLoop(loop{frame: frame, submap: 0, pose: robot.Pose{X: 1, Y: 2, Theta: 1}})
	m.takeLoop(loop{frame: frame + 6, submap: 0, pose: robot.Pose{X: 2, Y: 2, Theta: 1}})
	m.Finish()
	for m.Step() {
	}
	if len(m.loops) != loops || m.refused != refused+2 {
		t.Errorf("%d loops, want %d; %d refused, want %d", len(m.loops), loops, m.refused, refused+2)
	}
	if rms, worst, _ := rmsOff(m.Poses(), truth); rms > 0.06 || worst > 0.16 {
		t.Errorf("the map is RMS %.3f m off, %.3f m at worst", rms, worst)
	}
}

func TestALoopThatNoOtherConfirmsIsRefused(t *testing.T) {
	m, _, _ := ringMap(5, testLidar{beams: 180, view: 2 * math.Pi, max: 12}, poorWheels)
	last := len(m.frames) - 1
	right := func(frame int) robot.Pose { return m.graph.nodes[m.submaps[0].node].Inverse().Compose(m.poseAt(frame)) }
	shifted := func(frame int, distance float64) loop {
		p := right(frame)
		p.X += distance
		return loop{frame: frame, submap: 0, pose: p}
	}
	for _, c := range []struct {
		name string
		a, b loop
		want int
	}{
		{"two that say the same", shifted(last, 0.1), shifted(last-8, 0.1), 2},
		{"two that differ by a metre", shifted(last, 0), shifted(last-8, 1), 0},
		{"one after the other without motion", shifted(last, 0.1), shifted(last-1, 0.1), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			loops, edges := len(m.loops), len(m.graph.edges)
			m.pending = []loop{c.a, c.b}
			m.judgeLoops(last)
			if got := len(m.loops) - loops; got != c.want {
				t.Errorf("%d were taken, want %d", got, c.want)
			}
			m.loops, m.graph.edges = m.loops[:loops], m.graph.edges[:edges]
		})
	}
	m.pending = []loop{shifted(last-recentFrames-1, 0)}
	refused := m.refused
	if m.judgeLoops(last); len(m.pending) != 0 || m.refused != refused+1 {
		t.Errorf("an old loop still waits: %d pending, %d refused", len(m.pending), m.refused-refused)
	}
}

func TestALoopThatTheRestContradictsTiesNothing(t *testing.T) {
	m, _, _ := ringMap(5, testLidar{beams: 180, view: 2 * math.Pi, max: 12}, poorWheels)
	l := m.loops[len(m.loops)-1]
	before := m.distancesTo(l.frame)[l.submap]
	if !m.isTied(l.frame, l.submap) || before > tieDistance {
		t.Fatalf("a loop of weight %.2f ties nothing: submap %d is %.1f m away", m.graph.edges[l.edge].weight, l.submap, before)
	}
	for _, o := range m.loops {
		m.graph.edges[o.edge].weight = 0.2
	}
	if distance := m.distancesTo(l.frame)[l.submap]; m.isTied(l.frame, l.submap) || distance < minLoopDistance {
		t.Errorf("loops of weight 0.2 tie: submap %d is %.1f m away, over them %.1f m", l.submap, distance, before)
	}
}

func TestAScanWithoutEchoesIsPlacedByOdometry(t *testing.T) {
	var m Mapper
	empty := scan.Cloud{Beams: []scan.Beam{{End: robot.Point{X: 10}}}}
	for range 80 {
		m.Add(KeyFrame{Motion: robot.Pose{X: 0.3}, Cloud: empty})
	}
	m.Add(KeyFrame{Motion: robot.Pose{X: 0.3}})
	m.Finish()
	for m.Step() {
	}
	poses := m.Poses()
	if last := poses[len(poses)-1]; len(poses) != 81 || math.Abs(last.X-24) > 1e-6 || last.Y != 0 {
		t.Errorf("%d poses, the last %+v; odometry says (24, 0)", len(poses), last)
	}
}

func TestAnEmptyMapperHasAnEmptyMap(t *testing.T) {
	var m Mapper
	m.Finish()
	for m.Step() {
	}
	if g := m.Draw(0.05, 1<<24).Grid(); len(g.Cells) != g.Width*g.Height || len(m.Poses()) != 0 {
		t.Errorf("%d x %d with %d cells", g.Width, g.Height, len(g.Cells))
	}
}

func TestOnlyAFewPyramidsStay(t *testing.T) {
	m, _, _ := ringMap(6, testLidar{beams: 90, view: 2 * math.Pi, max: 12}, poorWheels)
	if n := len(m.pyramids); n == 0 || n > maxPyramids || len(m.submaps) <= maxPyramids {
		t.Errorf("%d pyramids of %d submaps", n, len(m.submaps))
	}
}

func TestAJumpOfTheOdometryLeavesTheMapAsItIs(t *testing.T) {
	frames, truth := record(ringFloor(), 1, driveAlong([]robot.Point{{}, {X: 24}, {X: 24, Y: 5}}, 0.05, 0.05))
	half := len(frames) / 2
	for _, jump := range []robot.Pose{{X: 60}, {X: -40000, Y: 80000, Theta: 2}} {
		var m Mapper
		for i, k := range frames {
			if i == half {
				k.Motion = k.Motion.Compose(jump)
			}
			m.Add(k)
			for m.Step() {
			}
		}
		want := make([]robot.Pose, len(truth))
		for i := range truth {
			want[i] = truth[0].Inverse().Compose(truth[i])
		}
		if rms, worst, _ := rmsOff(m.Poses(), want); rms > 0.2 || worst > 0.4 {
			t.Errorf("after a jump by %v the poses are %.2f m off, at most %.2f m", jump, rms, worst)
		}
		if way := m.Summary().Way; math.Abs(way-29) > 1.5 {
			t.Errorf("a way of 29 m with a jump by %v is %.1f m", jump, way)
		}
	}
}
