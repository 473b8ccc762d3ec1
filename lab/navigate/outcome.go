package navigate

import (
	"fmt"
	"strings"

	"mybot/lab/internal/report"
	"mybot/lab/internal/stats"
	"mybot/robot"
)

// gotoOutcome is the outcome of sending the robot to goals.
type gotoOutcome struct {
	Map          string   `json:"map"`
	World        string   `json:"world,omitempty"`
	Seed         uint64   `json:"seed"` // of the first run; the others count up
	Runs         int      `json:"runs"`
	Arrived      float64  `json:"arrived_fraction"` // of those whose goal remained reachable
	Reachable    int      `json:"reachable"`        // a path existed with all obstacles
	Here         int      `json:"arrived"`
	Alone        int      `json:"arrived_alone"`           // without help; runs with help are repeated without it
	AlonePart    float64  `json:"alone_fraction"`          // of the goals that remained reachable without help
	People       int      `json:"people"`                  // at most, in each trial
	Driven       int      `json:"driven_before,omitempty"` // errands that each robot has done before
	Empty        bool     `json:"empty,omitempty"`         // no people and no obstacles
	Trouble      string   `json:"trouble"`
	Sensor       string   `json:"sensor"`
	Controller   string   `json:"controller"`
	Crowd        string   `json:"crowd"`
	Refused      int      `json:"refused"`        // before anything moved
	Blocked      int      `json:"blocked"`        // no path existed and the robot reported so
	Unsaid       int      `json:"blocked_unsaid"` // no path existed and it reported something else, such as that it is lost
	Failed       int      `json:"failed"`         // a path existed and it did not arrive
	Bumps        int      `json:"collisions"`
	Pushed       int      `json:"walked_into"`    // people who walked into the standing robot
	Lost         int      `json:"lost"`           // runs in which it reported that it was lost
	Asked        int      `json:"asked"`          // runs in which a person pressed "go around" or "resume"
	Helped       int      `json:"helped"`         // the same: runs with any press
	Elsewhere    int      `json:"said_elsewhere"` // runs that reported SUCCESS more than 30 cm or 20 deg off the goal in truth
	NearPasses   int      `json:"near_passes"`    // times that it came within 0.35 m of a person ahead, faster than 0.1 m/s
	Nearest      nearness `json:"min_clearance_m"`
	Pairs        int      `json:"drawn_pairs"`   // pairs of places at which the robot fits, drawn for the trials
	RefusedPairs int      `json:"refused_pairs"` // of those, refused at once
	Off          float64  `json:"off_median_m"`
	OffP95       float64  `json:"off_p95_m"`
	Turned       float64  `json:"turned_p95_deg"`
	Ratio        float64  `json:"time_ratio_median"` // of the time it took to the first announced time
	RatioP95     float64  `json:"time_ratio_p95"`
	Way          float64  `json:"way_km"`
	Worst        float64  `json:"estimate_worst_m"` // largest error of the estimate
	Replans      int      `json:"replans"`
	Replan       float64  `json:"replan_p99_ms"`
	Faults       []mishap `json:"faults"` // the runs that failed or collided

	helpOutcome
	conductOutcome

	Corridors *corridorOutcome `json:"blocked_corridors,omitempty"`
	Tracking  *trackOutcome    `json:"tracking,omitempty"`
}

// nearness is the least distance between the hull and a person ahead while the robot moved
// faster than 0.1 m/s, in m, over the trials that met a person.
type nearness struct {
	Median float64 `json:"median"`
	P5     float64 `json:"p5"`
	Least  float64 `json:"least"`
	Met    int     `json:"errands"` // that had a person ahead within 2 m
}

// mishap is a run that failed or collided.
type mishap struct {
	Seed   uint64 `json:"seed"` // repeats it
	End    ending `json:"end"`
	Reason string `json:"reason,omitempty"`
	Bumps  int    `json:"collisions,omitempty"`
}

func (o gotoOutcome) String() string {
	var b strings.Builder
	if o.Runs > 0 {
		fmt.Fprintf(&b, "%d errands on %s, seeds %d to %d, %s; %.1f km.", o.Runs, o.Map, o.Seed, o.Seed+uint64(o.Runs)-1, o.describeTraffic(), o.Way)
		if o.Driven > 0 {
			fmt.Fprintf(&b, " Each robot had done %d before.", o.Driven)
		}
		b.WriteString("\n\n")
		report.Fact(&b, 74, "arrived, of goals that stayed reachable", "%d of %d, %.1f %%", o.Here, o.Reachable, 100*o.Arrived)
		report.Fact(&b, 74, "arrived with nobody to help, of goals that stayed reachable then", "%d, %.1f %%", o.Alone, 100*o.AlonePart)
		report.Fact(&b, 74, "runs in which the watching person said: go around, or resume", "%d", o.Helped)
		report.Fact(&b, 74, "pairs of places drawn; refused at once", "%d; %d, %.1f %%", o.Pairs, o.RefusedPairs, 100*float64(o.RefusedPairs)/float64(max(1, o.Pairs)))
		report.Fact(&b, 74, "refused before anything moved", "%d", o.Refused)
		report.Fact(&b, 74, "no way left, and it said so", "%d", o.Blocked)
		report.Fact(&b, 74, "no way left, and it said something else", "%d", o.Unsaid)
		report.Fact(&b, 74, "a way was left, and it did not arrive", "%d", o.Failed)
		report.Fact(&b, 74, "collisions", "%d", o.Bumps)
		report.Fact(&b, 74, "nearer than 0.35 m to a person ahead, faster than 0.1 m/s", "%d times", o.NearPasses)
		report.Fact(&b, 74, "nearest to a person ahead while moving, median, 5th percentile, least", "%.2f m, %.2f m, %.2f m, in %d runs that met a person", o.Nearest.Median, o.Nearest.P5, o.Nearest.Least, o.Nearest.Met)
		report.Fact(&b, 74, "reported its arrival more than 30 cm or 20 deg off the goal in truth", "%d", o.Elsewhere)
		report.Fact(&b, 74, "runs in which it said it was lost", "%d", o.Lost)
		report.Fact(&b, 74, "off the goal in truth, median and 95th percentile", "%.1f cm, %.1f cm", 100*o.Off, 100*o.OffP95)
		report.Fact(&b, 74, "turned off the goal's heading, 95th percentile", "%.1f deg", o.Turned)
		report.Fact(&b, 74, "time against the time told, median and 95th percentile", "%.2f, %.2f", o.Ratio, o.RatioP95)
		report.Fact(&b, 74, "the estimate was off at worst", "%.2f m", o.Worst)
		report.Fact(&b, 74, "planned again, and the 99th percentile of a Tick that does", "%d, %.1f ms", o.Replans, o.Replan)
		o.describeHelp(&b)
		o.describeConduct(&b)
		for _, f := range o.Faults {
			fmt.Fprintf(&b, "  seed %d: %s, %d collisions. %s\n", f.Seed, f.End, f.Bumps, f.Reason)
		}
	}
	if o.Corridors != nil {
		fmt.Fprintf(&b, "\n%s", o.Corridors)
	}
	if o.Tracking != nil {
		fmt.Fprintf(&b, "\n%s", o.Tracking)
	}
	return strings.TrimSpace(b.String())
}

// describeTraffic describes what the robot meets on its trials.
func (o gotoOutcome) describeTraffic() string {
	var meets []string
	t, _ := parseTrouble(o.Trouble)
	if o.People > 0 {
		meets = append(meets, fmt.Sprintf("up to %d people (%s)", o.People, o.Crowd))
	}
	if t.barrels {
		meets = append(meets, "unknown obstacles")
	}
	if t.doors {
		meets = append(meets, "closing doors")
	}
	if len(meets) == 0 {
		return "with nobody and nothing in the way"
	}
	return "with " + strings.Join(meets, ", ")
}

// countTrials counts the outcomes of the trials.
func (o *gotoOutcome) countTrials(runs []trialResult) {
	var offs, turned, ratios, replans, nearest []float64
	aloneReachable := 0
	for n, r := range runs {
		o.Bumps += r.bumps
		o.Pushed += r.pushed
		o.Way += r.distance / 1000
		o.Worst = max(o.Worst, r.worst)
		replans = append(replans, r.replan...)
		stats.Count(&o.Lost, r.lost)
		stats.Count(&o.Asked, r.asked > 0)
		stats.Count(&o.Alone, r.alone)
		stats.Count(&aloneReachable, r.aloneReachable)
		o.Pairs, o.RefusedPairs = o.Pairs+r.pairs[0], o.RefusedPairs+r.pairs[1]
		o.NearPasses += r.passes.Near
		if r.passes.Nearest > 0 {
			nearest = append(nearest, r.passes.Nearest)
		}
		if r.end == arrived || r.elsewhere {
			offs, turned = append(offs, r.off), append(turned, robot.Degrees(r.turned))
		}
		stats.Count(&o.Elsewhere, r.elsewhere)
		stats.Count(&o.Reachable, r.reachable)
		bad := r.bumps > 0
		switch {
		case r.end == arrived:
			o.Here++
			ratios = append(ratios, r.took/r.planned)
		case r.end == refused:
			o.Refused++
		case r.end == blocked && !r.reachable:
			o.Blocked++
		case !r.reachable:
			o.Unsaid++
		default:
			o.Failed++
			bad = true
		}
		if bad {
			o.Faults = append(o.Faults, mishap{Seed: o.Seed + uint64(n), End: r.end, Reason: r.reason, Bumps: r.bumps})
		}
	}
	o.Helped = o.Asked
	o.countHelp(runs)
	o.countConduct(runs)
	o.Arrived = float64(o.Here) / float64(max(1, o.Reachable))
	o.AlonePart = float64(o.Alone) / float64(max(1, aloneReachable))
	o.Nearest = nearness{stats.Quantile(nearest, 0.5), stats.Quantile(nearest, 0.05), stats.Quantile(nearest, 0), len(nearest)}
	o.Off, o.OffP95 = stats.Quantile(offs, 0.5), stats.Quantile(offs, 0.95)
	o.Turned = stats.Quantile(turned, 0.95)
	o.Ratio, o.RatioP95 = stats.Quantile(ratios, 0.5), stats.Quantile(ratios, 0.95)
	o.Replans, o.Replan = len(replans), stats.Quantile(replans, 0.99)
}
