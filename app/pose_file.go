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

// PoseFile is the file of the robot's last pose, in the state directory.
const PoseFile = "pose.json"

// savePeriod is how often a changing pose, or what is learned about odometry, is saved.
const savePeriod = 3 * time.Second

// A smaller difference is not a change of the pose.
const (
	poseTolerance    = 0.01          // m
	headingTolerance = math.Pi / 180 // rad
)

// A savedPose is the content of the file.
type savedPose struct {
	Floor   string    `json:"floor"` // floor of the pose
	X       float64   `json:"x_m"`
	Y       float64   `json:"y_m"`
	Heading float64   `json:"heading_deg"`
	At      time.Time `json:"at"`
}

// LoadPose returns the robot's last known pose on this floor before it was switched
// off: base_link in map. ok is false without a directory, a floor, a readable file,
// or a pose within the map of this floor.
func LoadPose(dir string, plan *robot.Floorplan) (p robot.Pose, ok bool) {
	return loadPose(dir, PoseFile, plan)
}

// simulatorFile is the file of the simulated robot's last true pose, in the state
// directory.
const simulatorFile = "simulator.json"

// LoadStanding returns the simulated robot's true pose when it was switched off:
// base_link in the frame of the building. It does not depend on the robot's
// estimate.
func LoadStanding(dir string, building *robot.Floorplan) (p robot.Pose, ok bool) {
	return loadPose(dir, simulatorFile, building)
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
	_, _, ok = plan.Grid.Index(robot.Point{X: k.X, Y: k.Y})
	return robot.Pose{X: k.X, Y: k.Y, Theta: robot.WrapAngle(robot.Radians(k.Heading))}, ok
}

// SavePose writes the file that LoadPose reads. A server does so by itself.
func SavePose(dir string, plan *robot.Floorplan, p robot.Pose) error {
	return writeJSON(filepath.Join(dir, PoseFile), savedPose{floorOf(plan), p.X, p.Y, robot.Degrees(p.Theta), time.Now()})
}

// floorOf identifies a floor by its grid.
func floorOf(plan *robot.Floorplan) string {
	g, h := &plan.Grid, sha256.New()
	_ = binary.Write(h, binary.LittleEndian, []float64{float64(g.Width), float64(g.Height), g.Resolution, g.Origin.X, g.Origin.Y}) // a hash never fails
	_ = binary.Write(h, binary.LittleEndian, g.Cells)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// poseFile saves the pose of a running robot.
type poseFile struct {
	file  string
	floor func() string // the robot's floor; "" = none whose poses are saved
	of    string        // floor of last
	last  *robot.Pose   // the pose in the file; nil = unknown
}

// run saves the pose while it changes, until ctx ends, and once more at the end.
func (k *poseFile) run(ctx context.Context, state func() (robot.State, bool), log *slog.Logger) error {
	return saveRegularly(ctx, log, "the robot's position cannot be saved", func() error {
		s, ok := state()
		if !ok {
			return nil
		}
		return k.keepPose(s)
	})
}

// saveRegularly calls save each savePeriod until ctx ends, and once more at the end. It logs
// failures with the sentence.
func saveRegularly(ctx context.Context, log *slog.Logger, sentence string, save func() error) error {
	every := time.NewTicker(savePeriod)
	defer every.Stop()
	var failing store.FailureLog
	for {
		select {
		case <-ctx.Done():
			failing.NoteOutcome(log, sentence, save(), time.Now())
			return ctx.Err()
		case <-every.C:
			failing.NoteOutcome(log, sentence, save(), time.Now())
		}
	}
}

// keepPose saves the pose of a state if it is certain and has changed.
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
	if err := writeJSON(k.file, savedPose{floor, p.X, p.Y, robot.Degrees(p.Theta), s.Time}); err != nil {
		return err
	}
	k.last = &p
	return nil
}

// writeJSON replaces a file by v as JSON.
func writeJSON(file string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return atomicfile.Write(file, append(data, '\n'), 0o600)
}
