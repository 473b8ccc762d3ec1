package navigate

import (
	"math"
	"strings"

	"mybot/lab/internal/report"
	"mybot/lab/internal/stats"
)

// conductOutcome is how the robot moved on all errands together.
type conductOutcome struct {
	Frozen       float64    `json:"frozen_fraction"`         // share of the time in which it stood though a path existed in truth
	PersonMedian float64    `json:"nearest_person_median_m"` // from the hull to a walking person while the robot moved, over the runs with one
	PersonP05    float64    `json:"nearest_person_p05_m"`
	ThingP05     float64    `json:"nearest_thing_p05_m"`  // likewise to an obstacle that is not on the map
	Intrusion    float64    `json:"intrusion_s_mean"`     // s of a run within 0.45 m of a walking person
	Near         float64    `json:"intrusion_035_s_mean"` // the same within 0.35 m
	JerkLinear   float64    `json:"jerk_linear_rms"`      // m/s3, of the commanded twist
	JerkAngular  float64    `json:"jerk_angular_rms"`     // rad/s3
	Reversals    float64    `json:"turn_reversals_per_min"`
	States       stateTimes `json:"states"`           // s, of all runs
	Decision     float64    `json:"decision_ms_mean"` // of a whole Tick of Core
	DecisionP99  float64    `json:"decision_ms_p99"`
}

// countConduct sums up how the robot moved.
func (o *conductOutcome) countConduct(runs []trialResult) {
	var persons, things, decisions []float64
	var seconds, frozen, intruded, near float64
	var jerk [2]float64
	steps, reversals, n := 0, 0, 0
	for _, r := range runs {
		if r.end == refused {
			continue
		}
		n++
		c := r.conduct
		persons, things = appendFinite(persons, c.nearestPerson), appendFinite(things, c.nearestThing)
		seconds, frozen, intruded, near = seconds+c.seconds, frozen+c.frozen, intruded+c.intruded, near+c.near
		jerk[0], jerk[1], steps, reversals = jerk[0]+c.jerk[0], jerk[1]+c.jerk[1], steps+c.steps, reversals+c.reversals
		o.States.add(c.states)
		decisions = append(decisions, c.decisions...)
	}
	o.PersonMedian, o.PersonP05, o.ThingP05 = stats.Quantile(persons, 0.5), stats.Quantile(persons, 0.05), stats.Quantile(things, 0.05)
	o.Intrusion, o.Near = intruded/max(1, float64(n)), near/max(1, float64(n))
	o.JerkLinear, o.JerkAngular = math.Sqrt(jerk[0]/max(1, float64(steps))), math.Sqrt(jerk[1]/max(1, float64(steps)))
	if seconds > 0 {
		o.Frozen, o.Reversals = frozen/seconds, 60*float64(reversals)/seconds
	}
	o.Decision, o.DecisionP99 = stats.MeanAndP99(decisions)
}

func appendFinite(values []float64, v float64) []float64 {
	if math.IsInf(v, 0) {
		return values
	}
	return append(values, v)
}

// describeConduct writes the facts in the column width of the errands.
func (o *conductOutcome) describeConduct(b *strings.Builder) {
	const width = 74
	report.Fact(b, width, "stood though a way was open in truth", "%.1f %% of the time", 100*o.Frozen)
	report.Fact(b, width, "nearest to a walking person while moving, median and 5th percentile", "%.2f m, %.2f m", o.PersonMedian, o.PersonP05)
	report.Fact(b, width, "nearest to an obstacle while moving, 5th percentile", "%.2f m", o.ThingP05)
	report.Fact(b, width, "within 0.45 m of a walking person; within 0.35 m", "%.1f s, %.1f s a run", o.Intrusion, o.Near)
	report.Fact(b, width, "jerk of the given twist, root of the mean square", "%.1f m/s3, %.1f rad/s3", o.JerkLinear, o.JerkAngular)
	report.Fact(b, width, "changed the side to which it turns", "%.1f times a minute", o.Reversals)
	s := o.States
	report.Fact(b, width, "following, yielding, replanning, waiting, freeing itself", "%.0f, %.0f, %.0f, %.0f, %.0f s", s.Follow, s.Yield, s.Replan, s.Wait, s.Free)
	report.Fact(b, width, "a Tick of Core, mean and 99th percentile", "%.2f ms, %.2f ms", o.Decision, o.DecisionP99)
}
