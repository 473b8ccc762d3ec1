package recordings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/testbed"
	"mybot/recording"
	"mybot/robot"
	"mybot/robot/onboard"
)

// recordOutcome is the cost of recording, and the state of the files after a fault.
type recordOutcome struct {
	Hours     float64 `json:"hours_equivalent"`
	Size      float64 `json:"mb_per_hour"`         // with a base that reports millimetres
	Digits    float64 `json:"mb_per_hour_digits"`  // with the simulator, whose readings have all digits of a float64
	CPU       float64 `json:"cpu_percent"`         // of one core, for encoding and compression
	Goals     int     `json:"goals"`               // to which the robot drove
	Different int     `json:"different"`           // twists that differ when computed again
	Lost      int     `json:"lost"`                // readings and commands, with a server in real time
	Readable  bool    `json:"readable_after_kill"` // all but the last second
	Killed    string  `json:"killed"`              // the end of the file after the server was killed
	DiskFull  string  `json:"disk_full"`           // stopped, or why it was not tested
}

func (o recordOutcome) String() string {
	return fmt.Sprintf(`%.2g hours of errands in the office, %d goals, 12 sonars: %.1f MB an hour where ranges come in millimetres, %.1f MB with all digits of the simulator; %.2f %% of a core.
Computed again from the file, %d twists differ.
A server in real time lost %d readings and commands. Killed: readable to its last second: %v (%s).
Disk full: %s.`, o.Hours, o.Goals, o.Size, o.Digits, o.CPU, o.Different, o.Lost, o.Readable, o.Killed, o.DiskFull)
}

// Record measures the size and cost of recordings, kills a server that records, and fills its
// disk.
func Record(ctx context.Context, c experiment.Call) error {
	var minutes float64
	var seed uint64
	if err := c.Parse(func(f *experiment.Flags) {
		f.Float(&minutes, "minutes", 60, 1, 600, "`how long` the robot is recorded, in virtual minutes")
		f.Uint64Var(&seed, "seed", 1, "the `seed`")
	}); err != nil {
		return err
	}
	o := recordOutcome{Hours: minutes / 60}
	floor, err := testbed.LoadOffice(ctx, c.Tables, testbed.Mybot())
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mybot-record-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is temporary
	for _, step := range []func() error{
		func() error { return o.measureSize(ctx, floor, seed, minutes, dir) },
		func() error { return o.killServer(ctx, filepath.Join(dir, "killed")) },
		func() error { return o.fillDisk(ctx, filepath.Join(dir, "small")) },
	} {
		if err := step(); err != nil {
			return fmt.Errorf("lab: record: %w", err)
		}
	}
	return c.Print(o)
}

// measureSize records the same errands as a base on a line reports them and as the simulator
// does. It computes the first recording again.
func (o *recordOutcome) measureSize(ctx context.Context, f *testbed.Floor, seed uint64, minutes float64, dir string) error {
	path := filepath.Join(dir, "errands.mcap")
	size, cpu, err := o.recordErrands(ctx, f, seed, minutes, path, true)
	if err != nil {
		return err
	}
	o.Size, o.CPU = float64(size)/1e6/o.Hours, 100*cpu.Hours()/o.Hours
	again, err := replayFiles(ctx, []string{path})
	if err != nil {
		return err
	}
	o.Different = again.Different
	size, _, err = o.recordErrands(ctx, f, seed, minutes/10, filepath.Join(dir, "digits.mcap"), false)
	o.Digits = float64(size) / 1e6 / o.Hours * 10
	return err
}

// recordErrands records a robot that drives between places among people.
func (o *recordOutcome) recordErrands(ctx context.Context, f *testbed.Floor, seed uint64, minutes float64, path string, millimetres bool) (size int64, cpu time.Duration, err error) {
	rng := rand.New(rand.NewPCG(seed, 5))
	scene := testbed.NewScene("people", f.Plan, f.Roads, rng)
	start := testbed.CornerStart
	scene.People = testbed.KeepAway(scene.People, start)
	world := sim.NewWorld(f.Desc, f.Plan, scene, sim.Options{Seed: seed, Epoch: time.Unix(1_800_000_000, 0), Start: start})
	core := onboard.NewCore(f.Desc, f.NewMCL(start, seed), app.NewPlanner(f.Plan, f.Desc))
	file, err := os.Create(path) //nolint:gosec // in a folder of our own
	if err != nil {
		return 0, 0, err
	}
	defer file.Close() //nolint:errcheck // it is closed below, too
	recorder, err := recording.NewSyncRecorder(file, recording.About{Robot: f.Desc, Build: "lab"}, f.Plan)
	if err != nil {
		return 0, 0, err
	}
	onboard.NewLoop(nil, core, nil, nil).UseObserver(recorder)
	var last robot.State
	for range int(minutes * 60 * f.Desc.Rate) {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		r := world.Step()
		if millimetres {
			asLine(&r, f.Desc.Encoder, rng)
		}
		at := r.Time.Add(time.Duration(1e6 + rng.ExpFloat64()*5e5)) // delay of the line
		core.Arrive(at, r.Time)
		twist, state := core.Tick(r)
		recorder.ObserveTick(at, r, state)
		if err := world.Drive(twist); err != nil {
			return 0, 0, err
		}
		if g := state.Goal; last.Time.IsZero() || g == nil || g.Phase == robot.GoalEnded || g.Phase == robot.GoalPaused {
			place := f.Plan.Places[rng.IntN(len(f.Plan.Places))]
			goal := robot.GoTo{Goal: place.Pose, Name: place.Name}
			if answer := core.Do(r.Time, goal); answer.Word != "" {
				recorder.ObserveCommand(at, r.Time, goal, answer, state.Estimate)
				if millimetres && answer.Done() {
					o.Goals++
				}
			}
		}
		last = state
	}
	if err := errors.Join(recorder.Close(), file.Sync()); err != nil {
		return 0, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return 0, 0, err
	}
	return info.Size(), recorder.Writing, nil
}

// asLine gives a reading the resolution and time that it has over the line of a base: whole
// encoder ticks, ranges in whole millimetres, angles in tenths of a milliradian, and a clock
// with fractions.
func asLine(r *robot.Reading, e robot.Encoder, rng *rand.Rand) {
	metre := 2 * math.Pi * e.WheelRadius / float64(e.Ticks)
	r.Travel.Left, r.Travel.Right = math.Round(r.Travel.Left/metre)*metre, math.Round(r.Travel.Right/metre)*metre
	for i, x := range r.Ranges {
		if robot.Finite(x) {
			r.Ranges[i] = math.Round(1000*x) / 1000
		}
	}
	if robot.Finite(r.Heading) {
		r.Heading = math.Round(1e4*r.Heading) / 1e4
	}
	r.Time = r.Time.Add(time.Duration(rng.Int64N(1e5)))
}

const (
	killAfter   = 8 * time.Second // of recording
	killedPart  = "recorded"      // a recording server in its own process
	startWithin = 20 * time.Second
)

// RecordedPart serves a robot that records into the folder named by its argument, until it is
// killed.
func RecordedPart(ctx context.Context, c experiment.Call) error {
	var dir string
	if err := c.Parse(func(f *experiment.Flags) { f.StringVar(&dir, "dir", "", "the `folder`") }); err != nil {
		return err
	}
	cfg := testbed.OpenFloor()
	cfg.RecordDir = dir
	return testbed.WithServer(ctx, testbed.Loopback, cfg, func(addr string) error {
		_, _ = fmt.Fprintln(c.Out, addr)
		<-ctx.Done()
		return nil
	})
}

// killServer kills a server that records.
func (o *recordOutcome) killServer(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin+killAfter)
	defer cancel()
	child := experiment.Child(ctx, killedPart, "--dir", dir)
	out, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return err
	}
	defer child.Wait()         //nolint:errcheck // it was killed
	defer child.Process.Kill() //nolint:errcheck // again
	var addr string
	if _, err := fmt.Fscanln(out, &addr); err != nil {
		return fmt.Errorf("the server that records does not start: %w", err)
	}
	began := time.Now()
	select {
	case <-time.After(killAfter):
	case <-ctx.Done():
		return ctx.Err()
	}
	if o.Lost, err = askMissing(ctx, addr); err != nil {
		return err
	}
	if err := child.Process.Kill(); err != nil {
		return err
	}
	lasted := time.Since(began)
	files, err := filepath.Glob(filepath.Join(dir, "*.mcap"))
	if err != nil {
		return err
	}
	if len(files) != 1 {
		return fmt.Errorf("the killed server left the files %q; one was recorded", files)
	}
	again, err := replayFiles(ctx, files)
	if err != nil {
		return err
	}
	rate := testbed.Mybot().Rate
	o.Killed = fmt.Sprintf("%d readings of %.1f s, %d twists differ, %s", again.Ticks, lasted.Seconds(), again.Different, again.Cut)
	o.Readable = again.Different == 0 && again.Cut != "" && float64(again.Ticks) >= rate*(lasted-2*time.Second).Seconds()
	return nil
}

// askMissing returns how much a server's recording lost.
func askMissing(ctx context.Context, addr string) (int, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/api/v1/recordings", nil)
	if err != nil {
		return 0, err
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer got.Body.Close() //nolint:errcheck // it is read only
	var s recording.Status
	if err := json.NewDecoder(got.Body).Decode(&s); err != nil || !s.Recording {
		return 0, fmt.Errorf("the server does not record: %+v (%w)", s, err)
	}
	return s.Missing, nil
}

// fillDisk records onto a disk of 2 MB.
func (o *recordOutcome) fillDisk(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if text, err := exec.CommandContext(ctx, "mount", "-t", "tmpfs", "-o", "size=2m", "none", dir).CombinedOutput(); err != nil {
		o.DiskFull = "not tried: a small disk cannot be mounted here: " + strings.TrimSpace(string(text))
		return nil //nolint:nilerr // it is said
	}
	defer exec.Command("umount", dir).Run() //nolint:errcheck // the folder is temporary
	desc := testbed.Mybot()
	recorder := recording.NewRecorder(recording.About{Robot: desc, Build: "lab"})
	limits := recording.UsualLimits
	limits.MinFree, limits.FreeShare = 0, 0 // until the disk is really full
	folder := recording.NewFolder(dir, recorder, limits, slog.New(slog.DiscardHandler))
	if err := folder.Start(); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for end := time.Now().Add(time.Minute); folder.Status().Recording && time.Now().Before(end); time.Sleep(time.Millisecond) {
		r := robot.Reading{Time: time.Now()}
		for range desc.Sonars {
			r.Ranges = append(r.Ranges, rng.Float64())
		}
		recorder.ObserveTick(time.Now(), r, robot.State{Time: r.Time})
	}
	status := folder.Status()
	folder.Stop()
	files, err := folder.List()
	if err != nil || len(files) == 0 {
		return fmt.Errorf("a full disk has the recordings %v (%w)", files, err)
	}
	ticks, err := countTicks(filepath.Join(dir, files[0].Name))
	if err != nil {
		return err
	}
	o.DiskFull = "still recording"
	if !status.Recording && status.Ended != "" && ticks > 0 {
		o.DiskFull = "stopped"
	}
	return nil
}

// countTicks counts the readings of a file that may be incomplete.
func countTicks(path string) (ticks int, err error) {
	file, err := os.Open(path) //nolint:gosec // in a folder of our own
	if err != nil {
		return 0, err
	}
	defer file.Close() //nolint:errcheck // it is read only
	steps, err := recording.NewStepReader(file)
	for err == nil {
		var s recording.Step
		if s, err = steps.Next(); err == nil && s.Tick != nil {
			ticks++
		}
	}
	if recording.IsEnd(err) {
		err = nil
	}
	return ticks, err
}
