package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"mybot/mapping"
	"mybot/mapping/draft"
	"mybot/mapping/folder"
	"mybot/mapping/journal"
	"mybot/pathplan"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/scan"
	"mybot/store/atomicfile"
)

// A mapBuild builds a map from a log, without a robot.
type mapBuild struct {
	log, out, poses string
	json            bool

	mapper   mapping.Mapper
	journal  *journal.Writer
	saved    bytes.Buffer // output of the journal
	source   scanSource
	taken    int          // scans
	scans    []builtScan  // with --poses
	motion   robot.Pose   // since the newest key frame, by odometry
	steps    []robot.Pose // of each key frame, since the previous one
	headings []float64    // rad, of each key frame, by the compass; NaN = unknown
	jumps    []int        // key frames before which odometry jumped
	jump     string       // the first of these jumps
	doubts   int          // pauses of the log across which odometry may have jumped
	doubt    string       // the first of these pauses
	busy     []float64    // ms, total time for each key frame
	longest  time.Duration
}

// A builtScan holds the position of one scan of the log.
type builtScan struct {
	time     string     // as written in the log
	keyFrame int        // the newest key frame, which may be the scan itself
	motion   robot.Pose // of base_link since that key frame, by odometry
}

// A buildReport is the output of map build.
type buildReport struct {
	Scans        int      `json:"scans"`
	KeyFrames    int      `json:"key_frames"`
	Way          float64  `json:"way_m"`
	Submaps      int      `json:"submaps"`
	Loops        int      `json:"loops"`
	Refused      int      `json:"loops_refused"`
	Mean         float64  `json:"ms_key_frame_mean"`
	P99          float64  `json:"ms_key_frame_p99"`
	Slice        float64  `json:"ms_slice_max"`
	Memory       float64  `json:"memory_mb"`
	ResidualWay  float64  `json:"residual_loop_m"`
	ResidualTurn float64  `json:"residual_loop_deg"`
	Resolution   float64  `json:"resolution_m"`
	Odometry     string   `json:"odometry"`
	Notes        []string `json:"notes"`
}

// mapBuildCommand builds a map folder from a log or a recording.
func mapBuildCommand(ctx context.Context, args []string, stdout io.Writer) error {
	var b mapBuild
	set := flag.NewFlagSet("map build", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&b.out, "out", "", "`DIR` for the map")
	set.StringVar(&b.poses, "poses", "", "`FILE` for the pose of each scan")
	set.BoolVar(&b.json, "json", false, "print JSON")
	words, err := parseAll(set, args)
	switch {
	case err != nil:
		return err
	case len(words) != 1:
		return usageError{errors.New("map build takes one log: mybot map build LOG --out DIR")}
	case b.out == "":
		return usageError{errors.New("map build needs the folder for the map: mybot map build LOG --out DIR")}
	}
	b.log = words[0]
	if err := b.checkFolder(); err != nil {
		return err
	}
	report, err := b.run(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", b.log, err)
	}
	if b.json {
		data, err := json.Marshal(report)
		if err == nil {
			_, err = fmt.Fprintf(stdout, "%s\n", data)
		}
		return err
	}
	_, err = io.WriteString(stdout, report.text(b.out))
	return err
}

// builtFiles are the files of a map folder that map build writes, beside builtFile.
var builtFiles = []string{"map.yaml", "map.pgm", "lines.geojson", "graph.geojson", "rooms.geojson", "places.geojson", "mapping/journal", "mapping/edits.json"}

// builtFile holds the digests of the files that map build wrote into a folder.
const builtFile = "mapping/built.json"

// checkFolder refuses a folder with files that map build did not write, or that people have
// changed since.
func (b *mapBuild) checkFolder() error {
	written := map[string]string{}
	if data, err := os.ReadFile(filepath.Join(b.out, builtFile)); err == nil {
		if json.Unmarshal(data, &written) != nil {
			written = nil // not from this map build
		}
	}
	for _, name := range builtFiles {
		if digest := digestFile(filepath.Join(b.out, name)); digest != "" && digest != written[name] {
			return fmt.Errorf("%s has a %s, which belongs to another map or was changed; --out must be an empty or new folder", b.out, name)
		}
	}
	return nil
}

// digestFile returns the digest of a file, or "" if there is no such file.
func digestFile(name string) string {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

// writeBuilt writes builtFile.
func (b *mapBuild) writeBuilt() error {
	written := map[string]string{}
	for _, name := range builtFiles {
		if digest := digestFile(filepath.Join(b.out, name)); digest != "" {
			written[name] = digest
		}
	}
	data, err := json.MarshalIndent(written, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(b.out, builtFile), append(data, '\n'), 0o644)
}

// run reads the log, builds the map and writes it. If ctx ends before the map is complete, it
// writes nothing.
func (b *mapBuild) run(ctx context.Context) (buildReport, error) {
	file, err := os.Open(b.log)
	if err != nil {
		return buildReport{}, err
	}
	defer func() { _ = file.Close() }()
	if b.journal, err = journal.NewWriter(&b.saved, journal.Header{Began: time.Now()}); err != nil {
		return buildReport{}, err
	}
	before := heapInUse()
	if err := b.read(ctx, file); err != nil {
		return buildReport{}, err
	}
	b.mapper.Finish()
	b.work(ctx)
	memory := heapInUse() - before
	b.noteJumps()
	b.noteDoubts()
	b.noteMounting()
	report := b.report()
	report.Memory = roundDecimals(max(0, memory))
	if report.Resolution, err = b.writeMap(ctx); err != nil {
		return buildReport{}, err
	}
	if b.poses != "" {
		if err := b.writePoses(); err != nil {
			return buildReport{}, err
		}
	}
	return report, nil
}

// addScan maps one scan. motion is the odometry since the previous scan, lasted how long that
// took, in s; 0 = unknown. heading is that of the compass, in rad; NaN = unknown.
func (b *mapBuild) addScan(ctx context.Context, at string, motion robot.Pose, lasted, heading float64, cloud scan.Cloud) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b.motion = b.motion.Compose(motion)
	b.taken++
	n := len(b.busy)
	if n == 0 || mapping.IsKeyFrame(b.motion, motion) {
		if n == journal.MaxKeyFrames {
			return fmt.Errorf("the way is too long for one map, which has at most %d key frames; cut the log", n)
		}
		if n > 0 && (mapping.IsJump(b.motion) || mapping.IsTooFast(motion, lasted)) {
			if b.jumps = append(b.jumps, n); len(b.jumps) == 1 {
				b.jump = fmt.Sprintf("by %.0f m before the scan at %s s", b.motion.Point().Norm(), at)
			}
			b.motion = robot.Pose{} // unknown
			if err := b.journal.AddResume(time.Time{}); err != nil {
				return err
			}
			b.mapper.Interrupt()
		} else if n > 0 && mapping.IsDoubtful(motion, lasted) {
			if b.doubts++; b.doubts == 1 {
				b.doubt = fmt.Sprintf("there is no scan for %.0f s before the one at %s s, and there the odometry has moved by %.1f m and %.0f degrees", lasted, at, motion.Point().Norm(), robot.Degrees(math.Abs(motion.Theta)))
			}
		}
		k := mapping.KeyFrame{Motion: b.motion, Cloud: cloud}
		if _, err := b.journal.AddKeyFrame(k); err != nil {
			return err
		}
		b.mapper.Add(k)
		b.steps = append(b.steps, b.motion)
		b.headings = append(b.headings, heading)
		b.busy = append(b.busy, b.work(ctx))
		b.motion = robot.Pose{}
		n++
	}
	if b.poses != "" {
		b.scans = append(b.scans, builtScan{time: at, keyFrame: n - 1, motion: b.motion})
	}
	return nil
}

// work lets the mapper do its pending work until ctx ends, and returns how long that took, in
// ms.
func (b *mapBuild) work(ctx context.Context) (ms float64) {
	for more := true; more && ctx.Err() == nil; {
		begin := time.Now()
		more = b.mapper.Step()
		took := time.Since(begin)
		b.longest = max(b.longest, took)
		ms += took.Seconds() * 1e3
	}
	return ms
}

// heapInUse returns the memory in use, in MB.
func heapInUse() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / 1e6
}

func (b *mapBuild) report() buildReport {
	s := b.mapper.Summary()
	r := buildReport{
		Scans: b.taken, KeyFrames: s.KeyFrames, Way: roundDecimals(s.Way), Submaps: s.Submaps, Loops: s.Loops, Refused: s.LoopsRefused,
		Slice: roundDecimals(b.longest.Seconds() * 1e3), ResidualWay: roundDecimals(s.LoopWay), ResidualTurn: roundDecimals(robot.Degrees(s.LoopTurn)),
		Odometry: b.source.odometry, Notes: append([]string{}, b.source.notes...),
	}
	busy := slices.Clone(b.busy)
	slices.Sort(busy)
	for _, ms := range busy {
		r.Mean += ms / float64(len(busy))
	}
	r.Mean, r.P99 = roundDecimals(r.Mean), roundDecimals(busy[(len(busy)-1)*99/100])
	return r
}

// writeMap draws the map at the finest resolution that a map folder allows, and writes the
// folder with the proposal.
func (b *mapBuild) writeMap(ctx context.Context) (resolution float64, err error) {
	desc, err := readDescription("")
	if err != nil {
		return 0, err
	}
	d, err := draft.New(draft.Source{Result: b.mapper.Result(), Robot: desc})
	if err != nil {
		return 0, err
	}
	name := strings.TrimSuffix(filepath.Base(b.log), filepath.Ext(b.log))
	if !floorplan.IsName(name, draft.MaxName) {
		name = "Map"
	}
	plan, err := d.Plan(name)
	if err != nil {
		return 0, err
	}
	if at, ok := b.findStart(plan, desc); ok {
		if err := d.Apply(draft.Edit{Op: draft.Place, Name: startPlace, Pose: at}); err != nil {
			return 0, err
		}
		if plan, err = d.Plan(name); err != nil {
			return 0, err
		}
	}
	edits, err := d.Edits()
	if err != nil {
		return 0, err
	}
	plan.Compass = b.compass(d.FrameFromMap())
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := floorplan.WriteFolder(b.out, plan); err != nil {
		return 0, err
	}
	if err := folder.WriteMapping(b.out, bytes.NewReader(b.saved.Bytes()), b.mapper.Poses(), edits); err != nil {
		return 0, err
	}
	return plan.Grid.Resolution, b.writeBuilt()
}

// compass returns the offset of the compass from the yaw in the plan, in rad; 0 if the log has
// no compass.
func (b *mapBuild) compass(planFromMap robot.Pose) float64 {
	var more []float64
	for i, at := range b.mapper.Poses() {
		more = append(more, b.headings[i]-planFromMap.Compose(at).Theta)
	}
	if mean := robot.MeanAngle(more); robot.Finite(mean) {
		return mean
	}
	return 0
}

// startPlace is the name of the place where the robot starts in a built map.
const startPlace = "Start"

// findStart returns the first pose of the drive at which Mybot fits, as the start for the
// simulator. ok is false if it fits nowhere.
func (b *mapBuild) findStart(plan *robot.Floorplan, desc robot.Description) (at robot.Pose, ok bool) {
	planner := pathplan.NewPlanner(plan, desc)
	for _, at := range b.mapper.Poses() {
		if planner.IsDrivable(at.Point()) {
			return at, true
		}
	}
	return robot.Pose{}, false
}

// writePoses writes "t x y theta" for each scan: s, m, m and rad, of the lidar in the frame of
// the map. It places a scan between two key frames by odometry, and spreads the odometry's
// error up to the second one over the path.
func (b *mapBuild) writePoses() error {
	poses := b.mapper.Poses()
	var text bytes.Buffer
	for _, s := range b.scans {
		at := poses[s.keyFrame].Compose(s.motion)
		if next := s.keyFrame + 1; next < len(poses) && !slices.Contains(b.jumps, next) {
			at = spreadError(poses[s.keyFrame], s.motion, b.steps[next], poses[next])
		}
		at = at.Compose(b.source.lidar.Pose)
		fmt.Fprintf(&text, "%s %.5f %.5f %.6f\n", s.time, at.X, at.Y, at.Theta)
	}
	return atomicfile.Write(b.poses, text.Bytes(), 0o644)
}

// spreadError returns the pose of a scan: that of its key frame, plus the motion since then,
// plus its share of the error of the whole motion to the next key frame.
func spreadError(from, motion, whole, next robot.Pose) robot.Pose {
	length := func(p robot.Pose) float64 { return p.Point().Norm() + math.Abs(p.Theta)/2 }
	at, end := from.Compose(motion), from.Compose(whole)
	share := min(1, length(motion)/max(1e-9, length(whole)))
	return robot.Pose{
		X:     at.X + share*(next.X-end.X),
		Y:     at.Y + share*(next.Y-end.Y),
		Theta: robot.WrapAngle(at.Theta + share*robot.WrapAngle(next.Theta-end.Theta)),
	}
}

func (r buildReport) text(out string) string {
	var t strings.Builder
	for _, note := range r.Notes {
		fmt.Fprintf(&t, "Note: %s.\n", note)
	}
	fmt.Fprintf(&t, `The map is in %s.
  scans      %d, of which %d are key frames; %.1f m of way
  odometry   from %s
  submaps    %d
  loops      %d, %d refused; the map differs from them by %.3f m and %.2f deg in the mean
  time       %.1f ms a key frame, 99 of 100 within %.1f ms; the longest slice took %.1f ms
  memory     %.1f MB
  picture    %g m a cell
`, out, r.Scans, r.KeyFrames, r.Way, r.Odometry, r.Submaps, r.Loops, r.Refused, r.ResidualWay, r.ResidualTurn, r.Mean, r.P99, r.Slice, r.Memory, r.Resolution)
	return t.String()
}
