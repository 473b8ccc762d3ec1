package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mybot/robot"
)

// PoseFile is where the robot was last, in the state directory.
const PoseFile = "pose.json"

// savePeriod is how often the pose is kept while it changes.
const savePeriod = 3 * time.Second

// Less than this is not a change of the pose.
const (
	sameMetre        = 0.01
	headingTolerance = math.Pi / 180
)

// tables is the folder of the state directory for what is made from maps, and
// mostTables how many of them are kept there.
const (
	tables     = "tables"
	mostTables = 4
)

// savedPose is the pose as it is in the file.
type savedPose struct {
	Floor   string    `json:"floor"` // of which it is a pose
	X       float64   `json:"x_m"`
	Y       float64   `json:"y_m"`
	Heading float64   `json:"heading_deg"`
	At      time.Time `json:"at"`
}

// LoadPose returns where the robot was on this floor when it was switched off,
// as far as it knew: base_link in map. Without a directory, a file that can be
// read, or a pose on this floor there is none.
func LoadPose(dir string, plan *robot.Floorplan) (p robot.Pose, ok bool) {
	if dir == "" {
		return p, false
	}
	data, err := os.ReadFile(filepath.Join(dir, PoseFile))
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
	floor string
	last  *robot.Pose // which is in the file; nil = not known
}

// run keeps the pose while it changes, until ctx ends, and once more then.
func (k *poseFile) run(ctx context.Context, state func() (robot.State, bool), log *slog.Logger) error {
	every := time.NewTicker(savePeriod)
	defer every.Stop()
	failed := false
	keep := func() {
		s, ok := state()
		if !ok {
			return
		}
		if err := k.keep(s); err != nil && !failed {
			log.Error("the robot's position cannot be saved", "error", err)
			failed = true
		}
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

// keep writes the pose of a state that is sure of it, if it is a new one.
func (k *poseFile) keep(s robot.State) error {
	p := s.Estimate.Pose
	if s.Estimate.Trust != robot.TrustOK {
		return nil
	}
	if k.last != nil {
		if off := k.last.Inverse().Compose(p); off.Point().Norm() < sameMetre && math.Abs(off.Theta) < headingTolerance {
			return nil
		}
	}
	if err := writePose(k.file, savedPose{k.floor, p.X, p.Y, robot.Degrees(p.Theta), s.Time}); err != nil {
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
	return WriteFrom(file, append(data, '\n'))
}

// WriteFrom writes a file in one step: it is the old one or the new one.
func WriteFrom(path string, data []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close()) // so that the new name is on the disk too
}

// Tables is a localization.Cache in a folder; "" keeps nothing. What cannot be
// kept is made again.
type Tables string

// Get returns what was put under the key.
func (t Tables) Get(key string) ([]byte, bool) {
	if t == "" {
		return nil, false
	}
	data, err := os.ReadFile(filepath.Join(string(t), key))
	return data, err == nil
}

// Put keeps data, and of those before it whose keys begin like this one, up to
// a hyphen, the newest ones.
func (t Tables) Put(key string, data []byte) {
	if t == "" || os.MkdirAll(string(t), 0o700) != nil || WriteFrom(filepath.Join(string(t), key), data) != nil {
		return
	}
	entries, err := os.ReadDir(string(t))
	if err != nil {
		return
	}
	kind, _, _ := strings.Cut(key, "-")
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), kind+"-") })
	age := func(e fs.DirEntry) time.Time {
		if i, err := e.Info(); err == nil {
			return i.ModTime()
		}
		return time.Time{}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		return cmp.Or(age(b).Compare(age(a)), cmp.Compare(a.Name(), b.Name()))
	})
	for _, e := range entries[min(len(entries), mostTables):] {
		_ = os.Remove(filepath.Join(string(t), e.Name()))
	}
}
