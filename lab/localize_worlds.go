package lab

import (
	"context"
	"fmt"
	"strings"

	"mybot/drivers/sim"
	"mybot/localization"
)

// worldScenarios are what is driven in each world: what counts for the error,
// and kidnaps, in which the estimate is off for sure and has to say so.
var worldScenarios = []string{"nominal", "hard", "kidnap"}

// worldsOutcome is how well MCL holds with robots that are not as it expects.
type worldsOutcome struct {
	Map    string     `json:"map"`
	Seeds  []uint64   `json:"seeds"`
	Lasts  float64    `json:"lasts_s"` // each run
	Worlds []worldRow `json:"worlds"`
}

// worldRow is one world, the runs of all scenarios together.
type worldRow struct {
	World   string  `json:"world"`
	RMSE    float64 `json:"rmse_m"`       // nominal and hard
	Worst   float64 `json:"rmse_worst_m"` // of the worst of these runs
	Max     float64 `json:"max_m"`        // the largest distance in them
	Heading float64 `json:"heading_rmse_deg"`
	Lost    float64 `json:"lost_fraction"`     // of their time more than lostFrom off
	Inside  float64 `json:"in_ellipse"`        // of their time the truth is in the ellipse of two standard deviations
	Doubts  float64 `json:"unsure_when_off"`   // of the time that it is off since more than slack, kidnaps too, it says UNSURE or LOST; 1 when it never is
	Off     float64 `json:"off_s"`             // that time
	Crying  float64 `json:"unsure_when_right"` // of the time that it is not off, in nominal and hard
	Carried int     `json:"kidnapped"`
	Found   int     `json:"recovered"`
	FoundIn float64 `json:"recovery_median_s"`
	Mean    float64 `json:"us_per_update"` // with at most 500 particles
	About   string  `json:"about"`
}

func (o worldsOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "MCL on %s with robots that are not as described, seeds %d to %d, %.0f s each of %s. Lost, off = more than %g m off.\n\n",
		o.Map, o.Seeds[0], o.Seeds[len(o.Seeds)-1], o.Lasts, strings.Join(worldScenarios, ", "), lostFrom)
	fmt.Fprintf(&b, "%-11s %7s %7s %7s %8s %7s %10s %16s %18s %9s %7s %7s\n",
		"world", "rmse cm", "worst", "max", "heading", "lost", "in ellipse", "unsure when off", "unsure when right", "found", "in s", "us/upd")
	for _, r := range o.Worlds {
		fmt.Fprintf(&b, "%-11s %7.1f %7.1f %7.0f %7.2f° %6.2f%% %9.0f%% %8.1f%% %5.0fs %17.1f%% %4d/%-4d %7.1f %7.0f\n",
			r.World, 100*r.RMSE, 100*r.Worst, 100*r.Max, r.Heading, 100*r.Lost, 100*r.Inside, 100*r.Doubts, r.Off, 100*r.Crying, r.Found, r.Carried, r.FoundIn, r.Mean)
	}
	return strings.TrimRight(b.String(), "\n")
}

// compareWorlds runs MCL in every world, or in the one that the flags name.
func (k *comparison) compareWorlds(ctx context.Context, c call) (worldsOutcome, error) {
	o := worldsOutcome{Map: k.plan.Name, Seeds: k.flags.allSeeds(), Lasts: k.flags.lasts.Seconds()}
	list := sim.Deviations()
	if k.flags.world.Name != "" {
		list = []sim.Deviation{k.flags.world}
	}
	var err error
	if k.table, err = localization.NewTable(ctx, k.plan, k.desc.Sonars, k.cache); err != nil {
		return o, fmt.Errorf("lab: %w", err)
	}
	each := len(worldScenarios) * len(o.Seeds)
	runs, err := RunParallel(ctx, c.err, "runs", len(list)*each, func(ctx context.Context, n int) (localizeRun, error) {
		scenario, seed := worldScenarios[n%each/len(o.Seeds)], o.Seeds[n%len(o.Seeds)]
		frames, err := recordDrive(ctx, k.desc, k.plan, list[n/each], scenario, seed, k.flags.lasts)
		if err != nil {
			return localizeRun{}, err
		}
		b := k.bench
		r, err := b.runMethod(ctx, "mcl", scenario, frames, seed)
		r.estimates = nil
		return r, err
	})
	if err != nil {
		return o, err
	}
	still := len(o.Seeds) * (len(worldScenarios) - 1) // runs without kidnaps
	for n, d := range list {
		mine := runs[n*each : (n+1)*each]
		quiet, all := sumRuns("", "mcl", mine[:still], nil), sumRuns("", "mcl", mine, nil)
		o.Worlds = append(o.Worlds, worldRow{
			World: d.Name, About: d.About,
			RMSE: quiet.RMSE, Worst: quiet.Worst, Max: quiet.Max, Heading: quiet.Heading,
			Lost: quiet.Lost, Inside: quiet.Inside, Crying: quiet.Crying,
			Doubts: all.Doubts, Off: all.Off, Carried: all.Carried, Found: all.Found, FoundIn: all.FoundIn, Mean: all.Mean,
		})
	}
	return o, nil
}

// allSeeds returns the seeds that the flags ask for.
func (f *localizeFlags) allSeeds() (seeds []uint64) {
	for seed := f.first; seed-f.first < f.seeds; seed++ {
		seeds = append(seeds, seed)
	}
	return seeds
}
