// Package mapping has the experiments about maps that robots make: in simulated buildings,
// where the truth is known, and from logs.
package mapping

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/lab/internal/stats"
	"mybot/mapping/carmen"
	"mybot/robot"
	"mybot/robot/scan"
)

const (
	loopGap   = 15.0 // m, least distance driven between two scans of a loop
	loopReach = 2.0  // m, greatest distance between them
	maxTried  = 400  // most pairs of each kind that are tried, spread over the log
)

// A relation is the pose of the lidar at scan b in its frame at scan a.
type relation struct {
	a, b   int
	bFromA robot.Pose
}

// relationsOutcome is how well poses agree with relations.
type relationsOutcome struct {
	Log   string        `json:"log"`
	Scans int           `json:"scans"`
	RMS   float64       `json:"rms_off_logged_m"` // of the poses, after the best rigid alignment
	Worst float64       `json:"worst_off_logged_m"`
	Rows  []relationRow `json:"rows"`
}

type relationRow struct {
	Pairs  string  `json:"pairs"`
	By     string  `json:"relations"`
	Poses  string  `json:"poses"`
	N      int     `json:"n"`
	Way    float64 `json:"mean_m"`
	WayP95 float64 `json:"p95_m"`
	Turn   float64 `json:"mean_deg"`
	WayMax float64 `json:"max_m"`
}

func (o relationsOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d scans; RMS %.3f m off the poses in the log after alignment, %.2f m at worst.\n\n", o.Log, o.Scans, o.RMS, o.Worst)
	report.Table(&b, []string{"pairs|%-10s", "against|%-18s", "poses|%-6s", "n|%5d", "mean|%7.4f m", "p95|%6.3f m", "most|%5.2f m", "mean|%6.3f deg"}, o.Rows, func(r relationRow) []any {
		return []any{r.Pairs, r.By, r.Poses, r.N, r.Way, r.WayP95, r.WayMax, r.Turn}
	})
	return strings.TrimRight(b.String(), "\n")
}

// MeasureRelations compares the poses that map build found in a log with relations that the
// scans themselves confirm, and with the poses in the log, which were corrected by a program.
func MeasureRelations(_ context.Context, c experiment.Call) error {
	var log, poses string
	if err := c.Parse(func(f *experiment.Flags) {
		f.StringVar(&log, "log", "", "the CARMEN `log`, with corrected poses")
		f.StringVar(&poses, "poses", "", "the `file` that mybot map build LOG --out DIR --poses FILE wrote")
	}); err != nil {
		return err
	}
	if log == "" || poses == "" {
		return c.Refuse("--log LOG and --poses FILE are needed; 'mybot map build LOG --out DIR --poses FILE' writes the poses")
	}
	scans, _, err := readScans(log)
	if err != nil {
		return fmt.Errorf("lab: relations: %s: %w", log, err)
	}
	found, err := readPoses(poses)
	if err != nil {
		return fmt.Errorf("lab: relations: %s: %w", poses, err)
	}
	if len(found) != len(scans) {
		return fmt.Errorf("lab: relations: %s has %d poses, and the log %d scans; they must be of the same log", poses, len(found), len(scans))
	}
	return c.Print(compare(log, scans, found))
}

// A loggedScan is a scan of the log with its logged pose.
type loggedScan struct {
	at     robot.Pose    // of the lidar
	points []robot.Point // in the frame of the lidar, in the order of the beams
	motion robot.Pose    // of base_link since the previous scan, by odometry
	lasted float64       // s, how long that took; 0 = unknown
	cloud  scan.Cloud    // in base_link
}

// readScans returns the scans of a log, and the pose of the lidar in base_link.
func readScans(name string) (scans []loggedScan, lidar robot.Pose, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, lidar, err
	}
	defer func() { _ = file.Close() }()
	format, err := carmen.Inspect(file)
	if err != nil {
		return nil, lidar, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, lidar, err
	}
	lidarFromBase := format.Lidar.Inverse()
	err = format.Scans(file, func(s carmen.Scan) error {
		scan := loggedScan{at: s.Logged, motion: s.Motion, lasted: s.Lasted, cloud: s.Cloud}
		taken := map[[2]int]bool{}
		for _, b := range s.Cloud.Beams {
			p := lidarFromBase.Apply(b.End)
			square := [2]int{int(math.Floor(p.X / 0.05)), int(math.Floor(p.Y / 0.05))}
			if b.Echo && p.Norm() < 25 && !taken[square] {
				taken[square] = true
				scan.points = append(scan.points, p)
			}
		}
		scans = append(scans, scan)
		return nil
	})
	return scans, format.Lidar, err
}

// readPoses reads lines "t x y theta".
func readPoses(name string) ([]robot.Pose, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	var poses []robot.Pose
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) != 4 {
			return nil, fmt.Errorf("line %d has %d words; a line is t x y theta", n, len(words))
		}
		var v [3]float64
		for i := range v {
			var err error
			if v[i], err = strconv.ParseFloat(words[i+1], 64); err != nil || !robot.Finite(v[i]) {
				return nil, fmt.Errorf("line %d: %q is no finite number; a line is t x y theta", n, words[i+1])
			}
		}
		poses = append(poses, robot.Pose{X: v[0], Y: v[1], Theta: v[2]})
	}
	if len(poses) == 0 && lines.Err() == nil {
		return nil, errors.New("the file has no poses")
	}
	return poses, lines.Err()
}

func compare(log string, scans []loggedScan, found []robot.Pose) relationsOutcome {
	logged := make([]robot.Pose, len(scans))
	for i := range scans {
		logged[i] = scans[i].at
	}
	o := relationsOutcome{Log: log, Scans: len(scans)}
	o.RMS, o.Worst = alignedError(found, logged)
	next, loops := loggedRelations(logged)
	for _, kind := range []struct {
		name string
		list []relation
	}{{"successive", next}, {"loops", loops}} {
		o.Rows = append(o.Rows, rate(kind.name, "poses in the log", "ours", kind.list, found))
		verified := verifyRelations(scans, found, kind.list)
		o.Rows = append(o.Rows, rate(kind.name, "verified relations", "ours", verified, found), rate(kind.name, "verified relations", "log's", verified, logged))
	}
	return o
}

// rate returns the differences between poses and relations.
func rate(pairs, by, whose string, relations []relation, poses []robot.Pose) relationRow {
	var way, turn []float64
	for _, r := range relations {
		off := r.bFromA.Inverse().Compose(poses[r.a].Inverse().Compose(poses[r.b]))
		way, turn = append(way, off.Point().Norm()), append(turn, robot.Degrees(math.Abs(off.Theta)))
	}
	row := relationRow{Pairs: pairs, By: by, Poses: whose, N: len(way), Way: stats.Mean(way), WayP95: stats.Quantile(way, 0.95), Turn: stats.Mean(turn)}
	if len(way) > 0 {
		row.WayMax = slices.Max(way)
	}
	return row
}

// loggedRelations returns the pairs of successive scans, and of scans near each other after a
// long drive, with their relations by the poses in the log.
func loggedRelations(logged []robot.Pose) (next, loops []relation) {
	way := make([]float64, len(logged))
	for i := 1; i < len(logged); i++ {
		step := logged[i-1].Inverse().Compose(logged[i])
		way[i] = way[i-1] + step.Point().Norm()
		next = append(next, relation{i - 1, i, step})
		for j := range i {
			if way[i]-way[j] <= loopGap {
				break
			}
			if r := logged[j].Inverse().Compose(logged[i]); r.Point().Norm() < loopReach {
				loops = append(loops, relation{j, i, r})
			}
		}
	}
	return next, loops
}

// verifyRelations returns the relations that the scans themselves confirm: point-to-line
// matches from two starts, the logged pose and the one under test, must end within 1 cm and 0.3
// deg of each other.
func verifyRelations(scans []loggedScan, found []robot.Pose, pairs []relation) (verified []relation) {
	every := max(1, len(pairs)/maxTried)
	for n := 0; n < len(pairs); n += every {
		if r, ok := verifyRelation(scans, found, pairs[n]); ok {
			verified = append(verified, r)
		}
	}
	return verified
}

func verifyRelation(scans []loggedScan, found []robot.Pose, p relation) (verified relation, ok bool) {
	a, b := scans[p.a].points, scans[p.b].points
	first, ok := matchPointToLine(a, b, p.bFromA)
	if !ok {
		return p, false
	}
	second, ok := matchPointToLine(a, b, found[p.a].Inverse().Compose(found[p.b]))
	off := first.Inverse().Compose(second)
	return relation{p.a, p.b, first}, ok && off.Point().Norm() <= 0.01 && math.Abs(off.Theta) <= 0.005
}

// alignment returns the rigid motion that best aligns the trajectory p with q.
func alignment(p, q []robot.Pose) robot.Pose {
	n := float64(len(p))
	var cp, cq robot.Point
	for i := range p {
		cp = cp.Add(robot.Point{X: p[i].X / n, Y: p[i].Y / n})
		cq = cq.Add(robot.Point{X: q[i].X / n, Y: q[i].Y / n})
	}
	var dot, cross float64
	for i := range p {
		a, b := p[i].Point().Sub(cp), q[i].Point().Sub(cq)
		dot += a.Dot(b)
		cross += a.Cross(b)
	}
	turn := robot.Pose{Theta: math.Atan2(cross, dot)}
	at := cq.Sub(turn.Apply(cp))
	return robot.Pose{X: at.X, Y: at.Y, Theta: turn.Theta}
}

// alignedError returns the RMS and the largest distance of two trajectories after the best
// rigid alignment.
func alignedError(p, q []robot.Pose) (rms, worst float64) {
	qFromP := alignment(p, q)
	for i := range p {
		off := qFromP.Apply(p[i].Point()).Sub(q[i].Point()).Norm()
		rms += off * off / float64(len(p))
		worst = math.Max(worst, off)
	}
	return math.Sqrt(rms), worst
}
