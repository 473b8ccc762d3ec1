package scripts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/stats"
	"mybot/robot"
	"mybot/script/client"
)

const (
	mirrorWindow = 4 * time.Second
	maxLag       = 400 * time.Millisecond
	lagStep      = 5 * time.Millisecond
)

// mirrorOutcome is what MeasureMirror prints.
type mirrorOutcome struct {
	Lag struct {
		Median float64 `json:"median"`
		P95    float64 `json:"p95"`
	} `json:"lag_ms"`
	Replay struct {
		P95    float64 `json:"p95"`
		Length float64 `json:"length_m"`
		Played float64 `json:"played_m"`
	} `json:"replay_error_m"`
}

func (o mirrorOutcome) String() string {
	return fmt.Sprintf("The mirror is %.0f ms late, p95 %.0f ms.\nA record of %.1f m is played at most %.3f m beside the path (p95).", o.Lag.Median, o.Lag.P95, o.Replay.Length, o.Replay.P95)
}

// MeasureMirror measures how late a robot mirrors another one, and how exactly it plays a
// record, with real servers over loopback.
func MeasureMirror(ctx context.Context, c experiment.Call) error {
	seconds, metres, seed := 40, 10, uint64(1)
	if err := c.Parse(func(f *experiment.Flags) {
		f.Int(&metres, "metres", metres, 1, 100, "`metres` of the record, {}")
		f.Uint(&seed, "seed", seed, 0, 1<<40, "`seed` of the first robot, {}; that of its mirror and that of the record have the next ones")
		f.Int(&seconds, "seconds", seconds, 8, 600, "`seconds` of mirroring, {}")
	}); err != nil {
		return err
	}
	var o mirrorOutcome
	err := withPort(ctx, seed, func(ctx context.Context, from *portRig) error {
		return withPort(ctx, seed+1, func(ctx context.Context, to *portRig) error {
			return o.measureLag(ctx, from, to, time.Duration(seconds)*time.Second)
		})
	})
	if err == nil {
		err = o.measureReplay(ctx, seed+2, metres)
	}
	if err != nil {
		return fmt.Errorf("lab: mirror: %w", err)
	}
	return c.Print(o)
}

// measureLag lets one robot mirror another one, which swings its head and turns.
func (o *mirrorOutcome) measureLag(ctx context.Context, from, to *portRig, lasts time.Duration) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, err := from.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	other, err := to.dial(ctx)
	if err != nil {
		return err
	}
	defer other.Close()
	for _, one := range []*client.Client{c, other} {
		if err := one.Do(ctx, "motoron"); err != nil {
			return err
		}
	}
	columns, err := client.Columns(ctx, c)
	if err != nil {
		return err
	}
	ended := make(chan error, 2)
	go func() { ended <- c.KeepAlive(ctx) }()
	go func() { ended <- client.Mirror(ctx, c, other, columns) }()
	swing := "headPan.val = 0 sin:3000 ampli:30, turn.val = turn.val sin:5000 ampli:25, drive.val = drive.val sin:7000 ampli:0.3,\n"
	if err := c.Send(swing); err != nil {
		return err
	}
	began := time.Now().Add(4 * time.Second) // the mirror begins by moving to where the other one is
	done := time.NewTimer(lasts + time.Until(began))
	defer done.Stop()
	select {
	case err := <-ended:
		return errors.Join(errors.New("the mirror ends early"), err)
	case <-done.C:
	}
	cancel()
	if err := errors.Join(<-ended, <-ended); err != nil {
		return err
	}
	source, mirrored := from.driver.since(began.Add(-maxLag)), to.driver.since(began)
	var lags []float64
	for at := began; at.Add(mirrorWindow).Before(began.Add(lasts)); at = at.Add(mirrorWindow / 2) {
		for _, of := range []func(instant) float64{headOf, headingOf} {
			lags = append(lags, lagOf(curveOf(source, of), curveOf(mirrored, of), at))
		}
	}
	o.Lag.Median, o.Lag.P95 = stats.Quantile(lags, 0.5), stats.Quantile(lags, 0.95)
	return nil
}

func headOf(i instant) float64    { return i.head }
func headingOf(i instant) float64 { return i.truth.Pose.Theta }

// A curve is a value over time.
type curve struct {
	at    []time.Time
	value []float64
}

func curveOf(all []instant, of func(instant) float64) curve {
	c := curve{}
	for i, one := range all {
		v := of(one)
		if i > 0 { // without jumps at half a turn
			v = c.value[i-1] + math.Remainder(v-c.value[i-1], 2*math.Pi)
		}
		c.at, c.value = append(c.at, one.at), append(c.value, v)
	}
	return c
}

// between returns the value at a time, by linear interpolation.
func (c curve) between(at time.Time) float64 {
	low, high := 0, len(c.at)-1
	for high-low > 1 {
		if mid := (low + high) / 2; c.at[mid].After(at) {
			high = mid
		} else {
			low = mid
		}
	}
	part := at.Sub(c.at[low]).Seconds() / max(1e-9, c.at[high].Sub(c.at[low]).Seconds())
	return c.value[low] + (c.value[high]-c.value[low])*min(1, max(0, part))
}

// lagOf returns the lag, in ms, with which one curve follows another best in a window. The
// curves may differ by a constant.
func lagOf(source, mirrored curve, from time.Time) float64 {
	best, bestLag := math.Inf(1), time.Duration(0)
	for lag := time.Duration(0); lag <= maxLag; lag += lagStep {
		var differences []float64
		for t := from; t.Before(from.Add(mirrorWindow)); t = t.Add(10 * time.Millisecond) {
			differences = append(differences, mirrored.between(t)-source.between(t.Add(-lag)))
		}
		mean, sum := stats.Mean(differences), 0.0
		for _, d := range differences {
			sum += (d - mean) * (d - mean)
		}
		if sum < best {
			best, bestLag = sum, lag
		}
	}
	return stats.Milliseconds(bestLag)
}

// driveCurves returns commands that drive so many metres with curves, and how long that takes
// at most, in ms.
func driveCurves(metres int) (commands string, ms int) {
	const speed = 0.4 // m/s
	commands = fmt.Sprintf("drive.val = drive.val + %d speed:%.1f accel:0.3 & { wait(1s) | turn.val = turn.val + 60 smooth:4000 | wait(1s) | turn.val = turn.val - 90 smooth:5000 },\n", metres, speed)
	return commands, 3000 + max(11_000, int(float64(metres)/speed*1000)+1400)
}

// measureReplay records a robot while it drives, and lets it play the record from where it
// began. Another robot has other wheels.
func (o *mirrorOutcome) measureReplay(ctx context.Context, seed uint64, metres int) error {
	var record bytes.Buffer
	var driven, played []robot.Point
	err := withPort(ctx, seed, func(ctx context.Context, r *portRig) error {
		c, err := r.dial(ctx)
		if err != nil {
			return err
		}
		defer c.Close()
		driven, err = r.follow(ctx, c, func(ctx context.Context) error { return r.recordWhile(ctx, c, &record, metres) })
		return err
	})
	if err != nil {
		return err
	}
	err = withPort(ctx, seed, func(ctx context.Context, r *portRig) error {
		c, err := r.dial(ctx)
		if err != nil {
			return err
		}
		defer c.Close()
		in, err := client.NewSampleReader(&record)
		if err != nil {
			return err
		}
		played, err = r.follow(ctx, c, func(ctx context.Context) error {
			if err := client.Play(ctx, c, in); err != nil && !strings.Contains(err.Error(), "did not follow") { // how far it is off is what is measured
				return err
			}
			return nil
		})
		return err
	})
	if err != nil {
		return err
	}
	var beside []float64
	for _, p := range played {
		beside = append(beside, distanceTo(driven, p))
	}
	o.Replay.Length, o.Replay.Played = lengthOf(driven), lengthOf(played)
	o.Replay.P95 = stats.Round(stats.Quantile(beside, 0.95), 1000)
	return nil
}

// follow returns the path of the robot while move moves it with control, from where it
// stood.
func (r *portRig) follow(ctx context.Context, c *client.Client, move func(context.Context) error) ([]robot.Point, error) {
	if err := c.Do(ctx, "motoron"); err != nil {
		return nil, err
	}
	alive, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- c.KeepAlive(alive) }()
	began := time.Now()
	err := move(ctx)
	cancel()
	if err := errors.Join(err, <-ended); err != nil {
		return nil, err
	}
	if err := r.await(ctx, isStill); err != nil {
		return nil, err
	}
	all := r.driver.since(began)
	first := all[0].truth.Pose
	var path []robot.Point
	for _, i := range all {
		path = append(path, first.Inverse().Compose(i.truth.Pose).Point())
	}
	return path, nil
}

// recordWhile records the robot over another connection while it drives.
func (r *portRig) recordWhile(ctx context.Context, c *client.Client, to *bytes.Buffer, metres int) error {
	recorder, err := r.dial(ctx)
	if err != nil {
		return err
	}
	defer recorder.Close()
	columns := []string{"drive.val", "turn.val"}
	if err := client.WriteHead(to, columns); err != nil {
		return err
	}
	recording, stop := context.WithCancel(ctx)
	begun, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		begin := sync.OnceFunc(func() { close(begun) })
		defer begin()
		ended <- client.Record(recording, recorder, columns, func(s client.Sample) error { begin(); return client.WriteSample(to, s) })
	}()
	<-begun
	commands, lasts := driveCurves(metres)
	if err = c.Send(commands); err == nil {
		err = c.Do(ctx, fmt.Sprintf("wait(%d)", lasts))
	}
	stop()
	return errors.Join(err, <-ended)
}

// lengthOf returns the length of a path in m.
func lengthOf(path []robot.Point) (length float64) {
	for i, p := range path[1:] {
		length += p.Sub(path[i]).Norm()
	}
	return stats.Round(length, 100)
}

// distanceTo returns how far a point is from a path.
func distanceTo(path []robot.Point, p robot.Point) float64 {
	nearest := math.Inf(1)
	for i := range path[1:] {
		a, along := path[i], path[i+1].Sub(path[i])
		part := 0.0
		if square := along.Dot(along); square > 0 {
			part = min(1, max(0, p.Sub(a).Dot(along)/square))
		}
		nearest = min(nearest, p.Sub(robot.Point{X: a.X + part*along.X, Y: a.Y + part*along.Y}).Norm())
	}
	return nearest
}
