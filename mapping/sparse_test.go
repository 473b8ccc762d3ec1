package mapping

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"mybot/robot"
)

// mapSparse maps a drive with a scan only every 0.7 m or 23°, as in many logs of
// real robots, with wheels that turn by noise rad a m more or less from scan to
// scan.
func mapSparse(f testFloor, l testLidar, drive []robot.Pose, noise float64) (m *Mapper, odometry, truth []robot.Pose) {
	m = &Mapper{}
	last, byWheels := drive[0], robot.Pose{}
	for i, at := range drive {
		motion := last.Inverse().Compose(at)
		if i > 0 && motion.Point().Norm() < 0.7 && math.Abs(motion.Theta) < 0.4 {
			continue
		}
		off := noise * motion.Point().Norm() * l.rng.NormFloat64()
		p := robot.Pose{Theta: off / 2}.Apply(motion.Point())
		motion = robot.Pose{X: p.X, Y: p.Y, Theta: robot.WrapAngle(motion.Theta + off)}
		m.Add(KeyFrame{Motion: motion, Cloud: l.cloud(f, at)})
		last, byWheels = at, byWheels.Compose(motion)
		odometry, truth = append(odometry, byWheels), append(truth, drive[0].Inverse().Compose(at))
		for m.Step() {
		}
	}
	m.Finish()
	for m.Step() {
	}
	return m, odometry, truth
}

// A forward-facing lidar sees little of what it saw before a turn, and wheels are
// sometimes 10° wrong after a metre. MYBOT_LONG maps 40 buildings.
func TestALogOfFewScansAndPoorWheelsIsNotTorn(t *testing.T) {
	buildings, most := 3, 0.06 // m, of the RMS
	if os.Getenv("MYBOT_LONG") != "" {
		buildings, most = 40, 0.2 // some are bare corridors, in which only wheels measure the length
	}
	if testing.Short() {
		buildings = 1
	}
	sum, torn, wrong, loops := 0.0, 0, 0, 0
	for seed := range uint64(buildings) {
		seed += firstBuilding
		rng := rand.New(rand.NewPCG(seed, 80))
		b := newBuilding(drawPlan(rng), rng)
		l := testLidar{beams: 181, view: math.Pi, max: 30, noise: 0.01, rng: rng}
		m, odometry, truth := mapSparse(b.walls, l, driveAlong(b.corners, 0.05, 0.05), robot.Radians(10))
		rms, worst := alignedOff(m.Poses(), truth)
		byWheels, _ := alignedOff(odometry, truth)
		bad := falseLoops(m, truth)
		t.Logf("building %d: RMS %.3f m, worst %.3f m, by the wheels alone %.1f m; %d key frames, %d loops, %d false", seed, rms, worst, byWheels, len(truth), len(m.loops), bad)
		sum, wrong, loops = sum+rms/float64(buildings), wrong+bad, loops+len(m.loops)
		if worst > 1 {
			torn++
		}
	}
	t.Logf("mean RMS %.3f m; %d torn maps of %d; %d false loops of %d", sum, torn, buildings, wrong, loops)
	if torn > buildings/6 || sum > most || wrong > loops/100 {
		t.Errorf("%d maps of %d are torn, the mean RMS is %.3f m, %d loops of %d are false", torn, buildings, sum, wrong, loops)
	}
}
