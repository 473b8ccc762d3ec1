package drive

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/experiment/experimenttest"
	"mybot/lab/internal/stats"
)

func TestTheRobotFollowsTheVirtualOneOverBadNetworks(t *testing.T) {
	experimenttest.ComputesLong(t)
	picture := filepath.Join(t.TempDir(), "drive.svg")
	o := experimenttest.Outcome[driveOutcome](t, commands, "drive", "--seeds", "2", "--real", "1", "--svg", picture)
	if len(o.Rows) != 9 || len(o.Real) != 4 || len(o.Delays) != 24 {
		t.Fatalf("%d, %d and %d rows", len(o.Rows), len(o.Real), len(o.Delays))
	}
	for i, goal := range []stats.Spread{{Median: 0.025, P95: 0.045}, {Median: 0.045, P95: 0.085}, {Median: 0.040, P95: 0.080}} {
		direct, track := o.Rows[3*i], o.Rows[3*i+2]
		if track.Policy != "track" || track.Path.Median > goal.Median || track.Path.P95 > goal.P95 || track.Late.Median > 0.75 {
			t.Errorf("%+v; the aim is %+v", track, goal)
		}
		if direct.Policy != "direct" || direct.Path.Median < 10*track.Path.Median || direct.Late != nil {
			t.Errorf("direct is as good as track: %+v", direct)
		}
	}
	for _, r := range o.Real {
		if r.Path.P95 > 0.10 || r.Held > 0 {
			t.Errorf("with the real localizer: %+v", r)
		}
	}
	for _, r := range o.Delays {
		if r.Policy == "track" && strings.HasPrefix(r.Network, "datagrams") && (r.Path.P95 > 0.025 || r.Held > 0) {
			t.Errorf("not flat: %+v", r)
		}
	}
	if svg, err := os.ReadFile(picture); err != nil || !strings.Contains(string(svg), "track, datagrams") {
		t.Errorf("%v: %.200s", err, svg)
	}
}

// The same bursts held 35 of 100 drives when the robot gave up after a second. A test only has
// time for ten seeds; mybot lab drive runs a hundred.
func TestBurstsOfLossHoldFewDrives(t *testing.T) {
	experimenttest.ComputesLong(t)
	o := experimenttest.Outcome[driveOutcome](t, commands, "drive", "--seed", "301", "--seeds", "10", "--real", "0", "--bursts", "0.4")
	for _, r := range o.Bursts {
		if r.Policy != "track" || !strings.HasPrefix(r.Network, "datagrams") {
			continue
		}
		if r.Holds > 1 || r.Holds != r.Held || r.Burst != 0.4 || r.Blind > 1.8 || r.Path.P95 > 0.06 {
			t.Errorf("%+v", r)
		}
	}
	for _, r := range o.Delays {
		if r.Policy == "track" && r.Network == "stream, RTT 600 ms" && r.Holds > 1 {
			t.Errorf("%+v", r)
		}
	}
	if len(o.Bursts) != 4 {
		t.Errorf("%d rows", len(o.Bursts))
	}
}

func TestAWrongCallOfDriveIsToldWhatWouldBeRight(t *testing.T) {
	for args, want := range map[string]string{
		"--bursts 11":             "--bursts is 11; it must be a time in s from 0.05 to 10",
		"--real 5 --seeds 2":      "--real is 5; it must be from 0 to 2, the number of --seeds",
		"--real -1":               "it must be a whole number, 0 or more",
		"--real 0 --world wheels": "--world is of the drives with the real localizer, and --real is 0; it must be from 1 to 100, the number of --seeds",
		"--world lidar-nan":       `lidar-nan is a deviation of lidars, and "Mybot" has none`,
	} {
		if _, _, err := commands.Run(t, append([]string{"drive"}, strings.Fields(args)...)...); !errors.Is(err, experiment.ErrUsage) || !strings.Contains(err.Error(), want) {
			t.Errorf("drive %s: %v", args, err)
		}
	}
}

func TestPlaybackKeepsTheShapeThatCongestionChanges(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "fig11.svg")
	o := experimenttest.Outcome[fig11Outcome](t, commands, "fig11", "--seeds", "2", "--svg", picture)
	if o.Commands != 321 || o.Duration != 32 || len(o.Rows) != 12 {
		t.Fatalf("%d commands, %g s, %d rows", o.Commands, o.Duration, len(o.Rows))
	}
	for _, r := range o.Rows {
		switch {
		case r.Mode == "playback":
			if r.Worst > 0.05 || r.Until != 32 || r.Latency < 1 {
				t.Errorf("%+v", r)
			}
		case r.Level == 4 && r.Mode == "direct":
			if r.Deviation.Median < 3 || r.Frechet.Median < r.Hausdorff.Median-0.05 {
				t.Errorf("%+v", r)
			}
		case r.Level == 4:
			if r.Mode != "delay 10 s" || r.Until < 8 || r.Until > 12 || r.Deviation.Median < 1 {
				t.Errorf("%+v", r)
			}
		}
	}
	if svg, err := os.ReadFile(picture); err != nil || strings.Count(string(svg), "congestion") != 4 {
		t.Errorf("%v: %.200s", err, svg)
	}
}

func TestNoCommandThatAStallHeldBackIsExecuted(t *testing.T) {
	o := experimenttest.Outcome[stallOutcome](t, commands, "stall", "--seeds", "5")
	if o.Received < 30 || o.Executed != 0 || len(o.Rows) != 2 {
		t.Errorf("%+v", o)
	}
	if direct := o.Rows[1]; direct.Executed == 0 || direct.Rolled == 0 {
		t.Errorf("the naive policy executes none either: %+v", direct)
	}
	if track := o.Rows[0]; track.Rolled > 0 || track.Refused != track.Received || track.Stands > 1.8 {
		t.Errorf("%+v", track)
	}
}

func TestTheRobotFollowsTheVirtualOneRoundTheBarrels(t *testing.T) {
	experimenttest.ComputesLong(t)
	picture := filepath.Join(t.TempDir(), "fig5a.svg")
	o := experimenttest.Outcome[fig5aOutcome](t, commands, "fig5a", "--seeds", "1", "--barrels", "4", "--svg", picture)
	track, direct := o.Rows[0], o.Rows[1]
	if track.Path.P95 > 0.10 || track.Touched > 0 || track.Held > 0 || track.Final.P95 > 0.10 {
		t.Errorf("%+v", track)
	}
	if direct.Path.Median < 2*track.Path.Median || direct.Touched > 0 {
		t.Errorf("%+v", direct)
	}
	for _, r := range o.Round {
		if r.Passed < r.Runs-1 || r.Rejoined < r.Passed || r.Passed+r.Held != r.Runs || r.Touched > 0 || r.Closest < 0.05 || r.Aside.P95 < 0.05 || r.Aside.P95 > 0.601 {
			t.Errorf("%+v", r)
		}
	}
	if len(o.Round) != 2 || o.Round[0].Passed != 1 {
		t.Errorf("%+v", o.Round)
	}
	if svg, err := os.ReadFile(picture); err != nil || !strings.Contains(string(svg), "stroke-dasharray") {
		t.Errorf("%v: %.200s", err, svg)
	}
}
