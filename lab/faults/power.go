package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mybot/app"
	"mybot/lab/internal/experiment"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/store"
	"mybot/store/audit"
)

// powerOutcome describes the data that a process had acknowledged, after the power was cut.
type powerOutcome struct {
	Cuts         int      `json:"cuts"`
	Acknowledged int      `json:"acknowledged"` // writes
	Lost         int      `json:"lost"`         // of them, or earlier data that is damaged
	Losses       []string `json:"losses,omitempty"`
	Control      int      `json:"control_cuts"` // with a writer that does not sync
	ControlLost  int      `json:"control_lost"` // of the writes that it had acknowledged
	FileSystem   string   `json:"file_system"`
	Seed         uint64   `json:"seed"`
	Skipped      string   `json:"skipped,omitempty"` // why nothing was tested
}

func (o *powerOutcome) String() string {
	if o.Skipped != "" {
		return "Nothing was tried: " + o.Skipped
	}
	text := fmt.Sprintf("%d cuts of the power under %s: %d writes acknowledged, %d lost. Of a writer that does not sync %d were lost in %d cuts. Seed %d.",
		o.Cuts, o.FileSystem, o.Acknowledged, o.Lost, o.ControlLost, o.Control, o.Seed)
	return strings.Join(append([]string{text}, o.Losses...), "\n  ")
}

// controlCuts is how often the power is cut under a writer that does not sync, to prove that a
// cut loses data at all.
const controlCuts = 10

// PowerCuts cuts the power under the robot's data.
func PowerCuts(ctx context.Context, c experiment.Call) error {
	o := &powerOutcome{}
	if err := c.Parse(func(f *experiment.Flags) {
		f.Int(&o.Cuts, "cuts", 1000, 1, 100000, "`how often` the power is cut")
		f.Uint64Var(&o.Seed, "seed", 1, "`seed` of when")
	}); err != nil {
		return err
	}
	if err := o.run(ctx); err != nil {
		return fmt.Errorf("lab: power: %w", err)
	}
	return c.Print(o)
}

// run fills the outcome.
func (o *powerOutcome) run(ctx context.Context) error {
	if o.Skipped = powerMissing(); o.Skipped != "" {
		o.Cuts = 0
		return nil
	}
	o.FileSystem = powerFileSystem
	control, err := cutPower(ctx, controlCuts, true, rand.New(rand.NewPCG(o.Seed, 81)))
	if err != nil {
		return err
	}
	o.Control, o.ControlLost = controlCuts, len(control.losses)
	if o.ControlLost == 0 {
		return fmt.Errorf("in %d cuts nothing was lost of what was not synced, so a cut shows nothing here", controlCuts)
	}
	l, err := cutPower(ctx, o.Cuts, false, rand.New(rand.NewPCG(o.Seed, 80)))
	if err != nil {
		return err
	}
	o.Acknowledged, o.Lost, o.Losses = l.acknowledged, len(l.losses), l.losses
	return nil
}

// A powerLedger is what a writer has reported, over many cuts. Each item on the disk is a
// number that only grows. After a cut, the disk must hold a number that was acknowledged, or a
// later one that was tried.
type powerLedger struct {
	acked, tried map[string]uint64
	acknowledged int
	losses       []string
}

func newPowerLedger() *powerLedger {
	return &powerLedger{acked: map[string]uint64{}, tried: map[string]uint64{}}
}

// readLines reads the reports of a writer from before and after the cut: lines such as "try
// grant 7" and "ack grant 7". An acknowledgement after the cut counts as a try, and so does one
// that the cut splits.
func (l *powerLedger) readLines(before, after []byte) error {
	whole := bytes.LastIndexByte(before, '\n') + 1
	for line := range bytes.Lines(before[:whole]) {
		if err := l.readLine(line, true); err != nil {
			return err
		}
	}
	for line := range bytes.Lines(slices.Concat(before[whole:], after)) {
		if line[len(line)-1] != '\n' {
			break // the writer ended in the middle of the line
		}
		if err := l.readLine(line, false); err != nil {
			return err
		}
	}
	return nil
}

// readLine reads one line.
func (l *powerLedger) readLine(line []byte, beforeCut bool) error {
	word, rest, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
	what, number, _ := strings.Cut(rest, " ")
	n, err := strconv.ParseUint(number, 10, 64)
	switch {
	case err != nil || word != "try" && word != "ack":
		return fmt.Errorf("the writer says %q", line)
	case word == "ack" && beforeCut:
		l.acked[what] = n
		l.acknowledged++
	default:
		l.tried[what] = n
	}
	return nil
}

// compareWith compares the ledger with what the next writer found on the disk after a cut.
func (l *powerLedger) compareWith(cut int, found map[string]uint64) {
	for what, n := range l.acked {
		if found[what] < n {
			l.losses = append(l.losses, fmt.Sprintf("After cut %d: %s is %d, and %d was acknowledged.", cut, what, found[what], n))
		}
	}
	for what, n := range found {
		if n > max(l.tried[what], l.acked[what]) {
			l.losses = append(l.losses, fmt.Sprintf("After cut %d: %s is %d, which nobody wrote.", cut, what, n))
		}
	}
	l.acked, l.tried = found, map[string]uint64{}
}

// A powerWriter saves numbers by each of the methods by which the robot saves data.
type powerWriter struct {
	dir   string
	out   io.Writer
	plan  *robot.Floorplan
	store *store.Store
	found map[string]uint64
}

// powerSlots is how many numbers each bucket of the store has.
const powerSlots = 8

// PowerPart is the child process that writes until the power is cut. First it prints what it
// finds, as a line of JSON.
func PowerPart(ctx context.Context, c experiment.Call) error {
	var careless bool
	w := powerWriter{out: c.Out, found: map[string]uint64{}}
	var seed uint64
	if err := c.Parse(func(f *experiment.Flags) {
		f.StringVar(&w.dir, "data", "", "the data `folder`")
		f.BoolVar(&careless, "careless", false, "write without a sync")
		f.Uint64Var(&seed, "seed", 1, "`seed` of what is written")
	}); err != nil {
		return err
	}
	if careless {
		return w.writeCarelessly(ctx)
	}
	var err error
	if w.plan, err = floorplan.Load(os.DirFS(powerMap(w.dir))); err != nil {
		return err
	}
	if err := w.readDisk(); err != nil {
		return err
	}
	defer w.store.Close() //nolint:errcheck // the disk is gone by then
	if err := json.NewEncoder(c.Out).Encode(w.found); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	slots := []string{"name", "grant", "job", "motion", "audit", "map", "pose"}
	for ctx.Err() == nil {
		what := slots[rng.IntN(len(slots))]
		slot := strconv.Itoa(rng.IntN(powerSlots))
		key := what
		if what == "name" || what == "grant" || what == "job" {
			key += slot
		}
		n := w.found[key] + 1
		if _, err := fmt.Fprintf(w.out, "try %s %d\n", key, n); err != nil {
			return err
		}
		if err := w.writeNumber(what, slot, n); err != nil {
			return err // the power is gone
		}
		w.found[key] = n
		if _, err := fmt.Fprintf(w.out, "ack %s %d\n", key, n); err != nil {
			return err
		}
	}
	return nil
}

// writeNumber saves a number.
func (w *powerWriter) writeNumber(what, slot string, n uint64) error {
	text := strconv.FormatUint(n, 10)
	padded := []byte(text + strings.Repeat(".", int(n%7)*700)) // pages of all sizes
	switch what {
	case "name":
		return w.store.SetName(slot, text)
	case "grant":
		return w.store.PutGrant(slot, append([]byte(slot+":"), padded...))
	case "job":
		return w.store.PutJob(slot, padded)
	case "motion":
		got, err := w.store.AddMotion([]byte(text), padded, powerSlots)
		if err == nil && got != n {
			err = fmt.Errorf("the motion %d has the number %d", n, got)
		}
		return err
	case "audit":
		var failures strings.Builder
		log, err := audit.Open(filepath.Join(w.dir, app.AuditFile), slog.New(slog.NewTextHandler(&failures, nil)))
		if err != nil {
			return err
		}
		log.AppendEntry(time.Now(), "server", "robot", text)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := log.Run(ctx); err != nil || failures.Len() > 0 {
			return fmt.Errorf("the audit log: %w %s", err, &failures)
		}
		return nil
	case "map":
		w.plan.Places = []robot.Place{{Name: text, Pose: robot.Pose{X: 1, Y: 1}}}
		return floorplan.Save(w.dir, w.plan)
	default:
		return app.SavePose(w.dir, w.plan, robot.Pose{X: 1 + float64(n)/1000, Y: 1}) // on the map: n in mm
	}
}

// readDisk reads the data on the disk as the robot does when it starts.
func (w *powerWriter) readDisk() (err error) {
	if w.store, err = store.Open(w.dir); err != nil {
		return err
	}
	count := func(key string, data []byte) error {
		if len(data) == 0 {
			return nil
		}
		n, err := strconv.ParseUint(strings.TrimRight(string(data), "."), 10, 64)
		w.found[key] = n
		if err == nil && len(data) > 20 && len(data) != len(strconv.FormatUint(n, 10))+int(n%7)*700 {
			err = fmt.Errorf("%s has %d bytes of %d", key, len(data), n)
		}
		return err
	}
	jobs, _, err := w.store.Jobs()
	if err != nil {
		return err
	}
	grants, err := w.store.Grants()
	if err != nil {
		return err
	}
	motions, err := w.store.Motions()
	if err != nil {
		return err
	}
	for slot := range powerSlots {
		if err := count("name"+strconv.Itoa(slot), []byte(w.store.NameOf(strconv.Itoa(slot)))); err != nil {
			return err
		}
		if err := count("job"+strconv.Itoa(slot), jobs[strconv.Itoa(slot)]); err != nil {
			return err
		}
	}
	for _, g := range grants { // "slot:n....", since the store returns grants without their ids
		slot, n, _ := strings.Cut(string(g), ":")
		if err := count("grant"+slot, []byte(n)); err != nil {
			return err
		}
	}
	for _, m := range motions {
		path, err := w.store.MotionPath(m.N)
		if err != nil {
			return err
		}
		if err := count("motion", path); err != nil {
			return err
		}
		if w.found["motion"] != m.N {
			return fmt.Errorf("the motion %d is %q", m.N, path[:min(len(path), 20)])
		}
	}
	return w.lookAtFiles()
}

// lookAtFiles reads the files beside the store.
func (w *powerWriter) lookAtFiles() error {
	log, err := os.Open(filepath.Join(w.dir, app.AuditFile))
	if err == nil {
		defer log.Close() //nolint:errcheck // it was only read
		last, err := lastWhole(log)
		if err != nil {
			return err
		}
		w.found["audit"] = last
	}
	if pose, ok := app.LoadPose(w.dir, w.plan); ok {
		w.found["pose"] = uint64(math.Round((pose.X - 1) * 1000))
	}
	revised, err := floorplan.Load(floorplan.Over(os.DirFS(powerMap(w.dir)), os.DirFS(w.dir)))
	if err != nil {
		return err
	}
	if len(revised.Places) == 1 {
		if w.found["map"], err = strconv.ParseUint(revised.Places[0].Name, 10, 64); err != nil {
			return err
		}
	}
	return nil
}

// lastWhole returns the number of the last complete line of an audit log and checks the chain
// up to it. A crash may leave a torn line after it.
func lastWhole(r io.Reader) (uint64, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return 0, err
	}
	last, err := audit.VerifyLog(bytes.NewReader(data[:bytes.LastIndexByte(data, '\n')+1]))
	return last.N, err
}

// powerMap is the folder of a map beside the disk whose power is cut.
func powerMap(disk string) string { return filepath.Join(filepath.Dir(disk), "map") }

// layPowerMap writes a map of 4 m by 4 m beside the disk.
func layPowerMap(disk string) error {
	dir := powerMap(disk)
	return errors.Join(os.Mkdir(dir, 0o700),
		os.WriteFile(filepath.Join(dir, "map.yaml"), []byte("image: map.pgm\nresolution: 1\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.2\n"), 0o600),
		os.WriteFile(filepath.Join(dir, "map.pgm"), []byte("P5 4 4 255 "+strings.Repeat("\xfe", 16)), 0o600))
}

// writeCarelessly saves a number in a file without a sync.
func (w *powerWriter) writeCarelessly(ctx context.Context) error {
	path := filepath.Join(w.dir, "careless")
	data, _ := os.ReadFile(path) // at first the file does not exist
	n, _ := strconv.ParseUint(string(data), 10, 64)
	w.found["careless"] = n
	if err := json.NewEncoder(w.out).Encode(w.found); err != nil {
		return err
	}
	for ctx.Err() == nil {
		n++
		if err := os.WriteFile(path, strconv.AppendUint(nil, n, 10), 0o600); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w.out, "ack careless %d\n", n); err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}
