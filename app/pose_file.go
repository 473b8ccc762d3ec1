package app

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"time"

	"mybot/robot"
	"mybot/store"
	"mybot/store/atomicfile"
)

// PoseFile is where the robot was last, in the state directory.
const PoseFile = "pose.json"

// savePeriod is how often the pose is kept while it changes.
const savePeriod = 3 * time.Second

// Less than this is not a change of the pose.
const (
	poseTolerance    = 0.01
	headingTolerance = math.Pi / 180
)

// A savedPose is the pose as it is in the file.
type savedPose struct {
	Floor   string    `json:"floor"` // of which it is a pose
	X       float64   `json:"x_m"`
	Y       float64   `json:"y_m"`
	Heading float64   `json:"heading_deg"`
	At      time.Time `json:"at"`
}

// LoadPose returns where the robot was on this floor when it was switched off,
// as far as it knew: base_link in map. Without a directory, a floor, a file that can
// be read, or a pose on this floor there is none.
func LoadPose(dir string, plan *robot.Floorplan) (p robot.Pose, ok bool) {
	return loadPose(dir, PoseFile, plan)
}

// SimulatorFile is where the simulated robot stood last in its building, in the state
// directory.
const SimulatorFile = "simulator.json"

// LoadStanding returns where the simulated robot stood in its building when it was switched
// off: base_link in the frame of the building. It says nothing of what the robot knew.
func LoadStanding(dir string, building *robot.Floorplan) (p robot.Pose, ok bool) {
	return loadPose(dir, SimulatorFile, building)
}

func loadPose(dir, name string, plan *robot.Floorplan) (p robot.Pose, ok bool) {
	if dir == "" || !hasFloor(plan) {
		return p, false
	}
	data, err := os.ReadFile(filepath.Join(dir, name))
	var k savedPose
	if err != nil || json.Unmarshal(data, &k) != nil || k.Floor != floorOf(plan) {
		return p, false
	}
	return robot.Pose{X: k.X, Y: k.Y, Theta: robot.WrapAngle(robot.Radians(k.Heading))}, true
}

// SavePose writes what LoadPose reads. A server does so by itself.
func SavePose(dir string, plan *robot.Floorplan, p robot.Pose) error {
	return writePose(filepath.Join(dir, PoseFile), savedPose{floorOf(plan), p.X, p.Y, robot.Degrees(p.Theta), time.Now()})
}

// floorOf names a floor by its grid.
func floorOf(plan *robot.Floorplan) string {
	g, h := &plan.Grid, sha256.New()
	_ = binary.Write(h, binary.LittleEndian, []float64{float64(g.Width), float64(g.Height), g.Resolution, g.Origin.X, g.Origin.Y}) // a hash does not fail
	_ = binary.Write(h, binary.LittleEndian, g.Cells)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// poseFile keeps the pose of a running robot.
type poseFile struct {
	file  string
	floor func() string // on which the robot is; "" = none of which a pose can be kept
	of    string        // the floor that last is of
	last  *robot.Pose   // which is in the file; nil = not known
}

// run keeps the pose while it changes, until ctx ends, and once more then.
func (k *poseFile) run(ctx context.Context, state func() (robot.State, bool), log *slog.Logger) error {
	every := time.NewTicker(savePeriod)
	defer every.Stop()
	var failing store.FailureLog
	keep := func() {
		s, ok := state()
		if !ok {
			return
		}
		failing.NoteOutcome(log, "the robot's position cannot be saved", k.keepPose(s), time.Now())
	}
	for {
		select {
		case <-ctx.Done():
			keep()
			return ctx.Err()
		case <-every.C:
			keep()
		}
	}
}

// keepPose writes the pose of a state that is sure of it, if it is a new one.
func (k *poseFile) keepPose(s robot.State) error {
	p, floor := s.Estimate.Pose, k.floor()
	if s.Estimate.Trust != robot.TrustOK || floor == "" {
		return nil
	}
	if floor != k.of {
		k.of, k.last = floor, nil
	}
	if k.last != nil {
		if off := k.last.Inverse().Compose(p); off.Point().Norm() < poseTolerance && math.Abs(off.Theta) < headingTolerance {
			return nil
		}
	}
	if err := writePose(k.file, savedPose{floor, p.X, p.Y, robot.Degrees(p.Theta), s.Time}); err != nil {
		return err
	}
	k.last = &p
	return nil
}

func writePose(file string, k savedPose) error {
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return atomicfile.Write(file, append(data, '\n'), 0o600)
}
