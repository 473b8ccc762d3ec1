package localize

import (
	"context"
	"fmt"
	"strings"

	"mybot/drivers/sim"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/localization"
)

// worldScenarios are the scenarios driven in each world: those that count for the error, and
// kidnaps, during which the estimate is off and must report so.
var worldScenarios = []string{"nominal", "hard", "kidnap"}

// worldsOutcome is how well MCL copes with robots that differ from their description.
type worldsOutcome struct {
	Map    string     `json:"map"`
	Seeds  []uint64   `json:"seeds"`
	Lasts  float64    `json:"lasts_s"` // each run
	Worlds []worldRow `json:"worlds"`
}

// worldRow is the outcome in one world over all scenarios.
type worldRow struct {
	World   string  `json:"world"`
	RMSE    float64 `json:"rmse_m"`       // nominal and hard
	Worst   float64 `json:"rmse_worst_m"` // of the worst of these runs
	Max     float64 `json:"max_m"`        // largest error in these runs
	Heading float64 `json:"heading_rmse_deg"`
	Lost    float64 `json:"lost_fraction"`     // share of their time with an error above lostFrom
	Inside  float64 `json:"in_ellipse"`        // share of their time with the truth in the ellipse of two standard deviations
	Doubts  float64 `json:"unsure_when_off"`   // share of the time after slack of being off, including kidnaps, in which it reports UNSURE or LOST; 1 if there is none
	Off     float64 `json:"off_s"`             // that time
	Crying  float64 `json:"unsure_when_right"` // the same of the time when it is not off, in nominal and hard
	Carried int     `json:"kidnapped"`
	Found   int     `json:"recovered"`
	FoundIn float64 `json:"recovery_median_s"`
	Mean    float64 `json:"us_per_update"` // with at most 500 particles
	About   string  `json:"about"`
}

func (o worldsOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "MCL on %s with robots that are not as described, %s, %.0f s each of %s. Lost, off = more than %g m off.\n\n",
		o.Map, report.SeedRange(o.Seeds), o.Lasts, strings.Join(worldScenarios, ", "), lostFrom)
	report.Table(&b, []string{
		"world|%-11s", "rmse cm|%7.1f", "worst|%7.1f", "max|%7.0f", "heading|%7.2f°", "lost|%6.2f%%", "in ellipse|%9.0f%%", "unsure when off|%8.1f%% %5.0fs",
		"unsure when right|%17.1f%%", "found|%4d/%-4d", "in s|%7.1f", "us/upd|%7.0f",
	}, o.Worlds, func(r worldRow) []any {
		return []any{r.World, 100 * r.RMSE, 100 * r.Worst, 100 * r.Max, r.Heading, 100 * r.Lost, 100 * r.Inside, 100 * r.Doubts, r.Off, 100 * r.Crying, r.Found, r.Carried, r.FoundIn, r.Mean}
	})
	return strings.TrimRight(b.String(), "\n")
}

// compareWorlds runs MCL in every world, or in the one that the flags name.
func (k *comparison) compareWorlds(ctx context.Context, c experiment.Call) (worldsOutcome, error) {
	o := worldsOutcome{Map: k.plan.Name, Seeds: k.flags.seeds.All(), Lasts: k.flags.lasts.Seconds()}
	list := sim.Deviations()
	if k.flags.world.Name != "" {
		list = []sim.Deviation{k.flags.world}
	}
	var err error
	if k.table, err = localization.NewTable(ctx, k.plan, k.desc, k.cache); err != nil {
		return o, fmt.Errorf("lab: %w", err)
	}
	each := len(worldScenarios) * len(o.Seeds)
	runs, err := experiment.RunParallel(ctx, c.Err, "runs", len(list)*each, func(ctx context.Context, n int) (localizeRun, error) {
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
