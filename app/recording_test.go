package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/sim"
	"mybot/localization"
	"mybot/mcap"
	"mybot/recording"
	"mybot/robot"
	"mybot/robot/onboard"
)

// A noted driver is the simulator, and records its readings and commands.
type noted struct {
	*sim.Driver
	readings []robot.Reading
	twists   []robot.Twist
}

func (n *noted) Read(ctx context.Context) (robot.Reading, error) {
	r, err := n.Driver.Read(ctx)
	if err == nil {
		kept := r
		kept.Ranges = slices.Clone(r.Ranges)
		n.readings = append(n.readings, kept)
	}
	return r, err
}

func (n *noted) Drive(t robot.Twist) error {
	n.twists = append(n.twists, t)
	return n.Driver.Drive(t)
}

// bits replaces values that cannot be compared: NaN does not equal itself.
func bits(all []float64) []uint64 {
	var out []uint64
	for _, x := range all {
		out = append(out, math.Float64bits(x))
	}
	return out
}

func TestARecordingOfADriveHasWhatTheRobotFeltAndWasAskedFor(t *testing.T) {
	desc, plan, scene := office(t)
	desc.Lidars = []robot.Lidar{{Height: 0.25, From: -math.Pi, Step: math.Pi / 180, Beams: 360, Min: 0.1, Max: 12, Rate: 10}}
	var file bytes.Buffer
	var base *noted
	var way float64 // m, in truth
	synctest.Test(t, func(t *testing.T) {
		start := robot.Pose{X: 4.5, Y: 7.3}
		base = &noted{Driver: sim.NewDriver(sim.NewWorld(desc, plan, scene, sim.Options{Seed: 1, Start: start}))}
		recorder := recording.NewRecorder(recording.About{Robot: desc, Build: "test"})
		loop := onboard.NewLoop(base, onboard.NewCore(desc, localization.NewOdometry(desc, start), nil), func(robot.State) {}, slog.New(slog.DiscardHandler))
		loop.UseObserver(recorder)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if err := recorder.Record(ctx, &file, func() error { return nil }); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait() // until the recorder waits for the first reading
		loopCtx, endLoop := context.WithCancel(t.Context())
		var driving sync.WaitGroup
		driving.Go(func() { _ = loop.Run(loopCtx) })
		time.Sleep(100 * time.Millisecond)
		for i := range 200 { // ten seconds
			loop.Do(ctx, robot.Drive{Twist: robot.Twist{Linear: 0.3, Angular: 0.1 * math.Sin(float64(i)/20)}})
			time.Sleep(50 * time.Millisecond)
		}
		loop.Stop("Ana")
		time.Sleep(time.Second)
		way = base.Truth().Pose.Point().Sub(start.Point()).Norm()
		endLoop()
		driving.Wait()
		cancel()
		all.Wait()
	})
	var scans []robot.Scan
	var readings []robot.Reading
	var twists []robot.Twist
	kinds := map[string]int{}
	var last recording.State
	r, err := mcap.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	for {
		m, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		var bad error
		switch m.Channel.Topic {
		case recording.ScanTopic(0):
			var s recording.LaserScan
			bad = json.Unmarshal(m.Data, &s)
			scans = append(scans, s.Scan(0))
		case recording.ReadingTopic:
			var one recording.Reading
			bad = json.Unmarshal(m.Data, &one)
			readings = append(readings, one.Reading(scans))
			twists = append(twists, one.Twist.Twist())
			scans = nil
		case recording.CommandTopic:
			var one recording.Command
			bad = json.Unmarshal(m.Data, &one)
			kinds[one.Kind]++
		case recording.StateTopic:
			bad = json.Unmarshal(m.Data, &last)
		case recording.GapTopic:
			t.Errorf("something is missing: %s", m.Data)
		}
		if bad != nil {
			t.Fatalf("%s: %v", m.Channel.Topic, bad)
		}
	}
	if len(readings) < 540 || len(base.readings)-len(readings) > 1 { // the last one may have come too late for the control loop
		t.Fatalf("of %d readings %d are recorded", len(base.readings), len(readings))
	}
	scanned := 0
	for i, got := range readings {
		want := base.readings[i]
		if !got.Time.Equal(want.Time) || got.Travel != want.Travel || got.Heading != want.Heading || !reflect.DeepEqual(bits(got.Ranges), bits(want.Ranges)) || got.Head != want.Head || math.Abs(got.Battery.Volts-want.Battery.Volts) > 1e-3 || len(got.Scans) != len(want.Scans) {
			t.Fatalf("reading %d is\n%+v, want\n%+v", i, got, want)
		}
		for k, s := range got.Scans {
			w := want.Scans[k]
			scanned++
			if !s.Time.Equal(w.Time) || s.Lasts != w.Lasts || s.Lidar != w.Lidar || !reflect.DeepEqual(bits(s.Ranges), bits(w.Ranges)) {
				t.Fatalf("reading %d: the scan is\n%+v, want\n%+v", i, s, w)
			}
		}
	}
	if scanned < 100 {
		t.Errorf("11 s have %d scans", scanned)
	}
	for i, told := range twists {
		if !slices.Contains(base.twists, told) {
			t.Fatalf("twist %d, %v, is not one that the base was given", i, told)
		}
	}
	if kinds["drive"] != 200 || kinds["stop"] != 1 || !last.Stopped || last.Mode != robot.ModeStopped {
		t.Errorf("the commands are %v, and in the end the robot is %q", kinds, last.Mode)
	}
	if p := last.Pose; way < 2 || math.Abs(math.Hypot(float64(p.X)-4.5, float64(p.Y)-7.3)-way) > 0.2 {
		t.Errorf("the robot has gone %.2f m; the last state has it at %+v", way, p)
	}
	t.Logf("%.1f m with a lidar of 360 beams", way)
}
