package navigate

import (
	"strings"

	"mybot/lab/internal/report"
	"mybot/lab/internal/stats"
)

// helpOutcome is how people helped, and how the robot compares with an oracle, over all
// errands.
type helpOutcome struct {
	HelpedNeeded int     `json:"helped_needed"`    // runs with a press while a path existed in truth
	HelpedPeople int     `json:"helped_people"`    // of those, runs in which people were in every path at each such press
	HelpedHere   int     `json:"helped_reachable"` // runs with any press, of those whose goal remained reachable
	HelpMoved    int     `json:"help_moved"`       // runs in which a press set the robot in motion
	Excess       float64 `json:"excess_median"`    // of (took - oracle) / told, over those that arrived
	ExcessP95    float64 `json:"excess_p95"`
	OracleRatio  float64 `json:"oracle_ratio_median"` // of the time it took to the oracle's time
	Oracles      int     `json:"oracle_runs"`         // that arrived and for which the oracle knows a path
}

// countHelp counts help, and compares with the oracle.
func (o *helpOutcome) countHelp(runs []trialResult) {
	var excess, ratios []float64
	for _, r := range runs {
		stats.Count(&o.HelpedNeeded, r.needed > 0)
		stats.Count(&o.HelpedPeople, r.needed > 0 && r.peopled == r.needed)
		stats.Count(&o.HelpedHere, r.asked > 0 && r.reachable)
		stats.Count(&o.HelpMoved, r.moved > 0)
		if r.end == arrived && r.oracle > 0 {
			o.Oracles++
			excess, ratios = append(excess, (r.took-r.oracle)/r.planned), append(ratios, r.took/r.oracle)
		}
	}
	o.Excess, o.ExcessP95, o.OracleRatio = stats.Quantile(excess, 0.5), stats.Quantile(excess, 0.95), stats.Quantile(ratios, 0.5)
}

// describeHelp writes the facts in the column width of the errands.
func (o *helpOutcome) describeHelp(b *strings.Builder) {
	const width = 74
	report.Fact(b, width, "runs with such a press while a way was open in truth; in which it set the robot in motion", "%d; %d", o.HelpedNeeded, o.HelpMoved)
	report.Fact(b, width, "of those, runs with people in every way that was open", "%d", o.HelpedPeople)
	report.Fact(b, width, "time above the oracle's, of the time told, median and 95th percentile", "%.2f, %.2f, in %d runs", o.Excess, o.ExcessP95, o.Oracles)
	report.Fact(b, width, "time against the oracle's, median", "%.2f", o.OracleRatio)
}
