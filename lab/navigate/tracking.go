package navigate

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/pathplan"
)

// trackOutcome is how well the robot follows its route, with its own localizer in the loop.
type trackOutcome struct {
	Runs    int     `json:"runs"`
	Arrived int     `json:"arrived"`
	Speed   float64 `json:"speed_m_s"` // the safe speed, which it drives except on bends
	Mean    float64 `json:"speed_mean_m_s"`
	Across  float64 `json:"cross_track_rms_m"` // true distance of the axle from the displayed route
	Max     float64 `json:"max_m"`
	P99     float64 `json:"p99_m"`
	Own     float64 `json:"own_rms_m"` // according to the robot's estimate
	Bumps   int     `json:"collisions"`
}

func (o trackOutcome) String() string {
	return fmt.Sprintf("%d routes at %.1f m/s with its own localizer and nothing in the way: %d arrived, %.2f m/s on average. Off the route in truth: %.1f cm on average (root of the mean square), 99th percentile %.1f cm, %.1f cm at worst; as the robot believes it, %.1f cm.",
		o.Runs, o.Speed, o.Arrived, o.Mean, 100*o.Across, 100*o.P99, 100*o.Max, 100*o.Own)
}

// minTrackLength is the least length of a route, in m, for measuring the tracking.
const minTrackLength = 8.0

// trackRun is one route.
type trackRun struct {
	end    ending
	bumps  int
	across []float64 // m, by reading underway
	own    float64   // sum of squares
	speeds float64   // sum
}

// measureTracking drives along routes and measures the robot's distance from them.
func measureTracking(ctx context.Context, f *testbed.Floor, errOut io.Writer, seed uint64, runs int) (*trackOutcome, error) {
	outcomes, err := experiment.RunParallel(ctx, errOut, "routes", runs, func(ctx context.Context, n int) (trackRun, error) {
		return followRoute(ctx, f, seed+uint64(n))
	})
	if err != nil {
		return nil, err
	}
	o := &trackOutcome{Runs: runs, Speed: f.Desc.Safe.Linear}
	var all []float64
	sum, own, speeds := 0.0, 0.0, 0.0
	for _, r := range outcomes {
		stats.Count(&o.Arrived, r.end == arrived)
		o.Bumps += r.bumps
		own += r.own
		speeds += r.speeds
		for _, a := range r.across {
			sum += a * a
			all = append(all, math.Abs(a))
		}
	}
	n := max(1, float64(len(all)))
	o.Across, o.Own, o.Mean = math.Sqrt(sum/n), math.Sqrt(own/n), speeds/n
	o.P99, o.Max = stats.Quantile(all, 0.99), stats.Quantile(all, 1)
	return o, nil
}

// followRoute drives along one route.
func followRoute(ctx context.Context, f *testbed.Floor, seed uint64) (trackRun, error) {
	rng := rand.New(rand.NewPCG(seed, 93))
	e := goalTrial{seed: seed, scene: testbed.NewScene("nominal", f.Plan, f.Roads, rng)}
	planner := pathplan.NewPlanner(f.Plan, f.Desc)
	for route := (pathplan.Route{}); route.Length < minTrackLength; {
		var err error
		if route, err = e.choosePoses(f.Plan, planner, nil, rng); err != nil {
			return trackRun{}, err
		}
	}
	e.scene.Start, e.lasts = e.from, extraTime
	r, err := f.NewRover(e.scene, f.NewMCL(e.from, seed), seed)
	if err != nil {
		return trackRun{}, err
	}
	var t trackRun
	o, err := driveToGoal(ctx, r, e, func(r *testbed.Rover) error {
		if r.Route == nil || r.Truth.Twist.Linear < 0.05 {
			return nil
		}
		t.across = append(t.across, testbed.DistanceToLine(r.Desc.Drivetrain.Axle(r.Truth.Pose).Point(), r.Route.Line))
		t.own += r.State.Goal.Across * r.State.Goal.Across
		t.speeds += r.Truth.Twist.Linear
		return nil
	})
	o.judgeByTruth()
	t.end, t.bumps = o.end, o.bumps
	return t, err
}
