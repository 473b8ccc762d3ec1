package drive

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/lab/internal/testbed"
	"mybot/link"
	"mybot/robot"
	"mybot/robot/playout"
)

// The stall of docs/driving.md: the driver lets go a second before it ends.
const (
	stallFrom = 3.0 // s
	stallTo   = 6.0
	letGo     = 5.0
)

// stallOutcome is what happens to commands that a stall delayed.
type stallOutcome struct {
	Received int        `json:"stale_received"` // mean: sent while the stick was held, arrived after it was let go
	Executed int        `json:"stale_executed"` // with the policy track, in all seeds
	Seeds    []uint64   `json:"seeds"`
	Rows     []stallRow `json:"rows"`
}

// stallRow is the outcome of one policy over all seeds.
type stallRow struct {
	Policy   string  `json:"policy"`
	Received int     `json:"stale_received"`
	Executed int     `json:"stale_executed"` // after which a wheel was commanded to turn before newer samples arrived
	Refused  int     `json:"stale_refused"`  // answered INTERRUPTED
	Rolled   float64 `json:"rolled_after_m"` // worst case, from the end of the stall
	Stands   float64 `json:"stands_after_s"` // worst case, from the beginning of the stall
}

func (o stallOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "A stall of %g s in the uplink while driving at 0.45 m/s; the operator lets the stick go %g s before it ends. S%s.\n\n",
		stallTo-stallFrom, stallTo-letGo, report.SeedRange(o.Seeds)[1:])
	report.Table(&b, []string{"policy|%-12s", "stale received|%14d", "executed|%14d", "refused|%14d", "rolled after, m|%18.3f", "stands after, s|%16.2f"}, o.Rows, func(r stallRow) []any {
		return []any{r.Policy, r.Received, r.Executed, r.Refused, r.Rolled, r.Stands}
	})
	return strings.TrimRight(b.String(), "\n")
}

// MeasureStall delays the uplink and counts what happens to old commands.
func MeasureStall(ctx context.Context, c experiment.Call) error {
	var seeds experiment.Seeds
	if err := c.Parse(func(f *experiment.Flags) {
		f.Seeds(&seeds, 100, 10000)
	}); err != nil {
		return err
	}
	desc := testbed.Mybot()
	var o stallOutcome
	o.Seeds = seeds.All()
	for _, policy := range []playout.Policy{playout.Track, playout.Direct} {
		row := stallRow{Policy: string(policy)}
		for _, seed := range o.Seeds {
			if err := ctx.Err(); err != nil {
				return err
			}
			stallOnce(desc, policy, seed, &row)
		}
		o.Rows = append(o.Rows, row)
	}
	o.Received, o.Executed = o.Rows[0].Received/len(o.Seeds), o.Rows[0].Executed
	return c.Print(o)
}

// stallOnce adds one run to the row.
func stallOnce(desc robot.Description, policy playout.Policy, seed uint64, row *stallRow) {
	n := network{profile: link.Profile{RoundTrip: 40 * time.Millisecond, Jitter: 5 * time.Millisecond}, hole: [2]float64{stallFrom, stallTo}}
	d := simulatePage(desc, robot.Pose{}, newProgram(stretch{robot.Twist{Linear: 0.45, Angular: 0.1}, letGo - leadIn}), n, seed)
	player := playout.NewPlayer(desc, playout.Options{Policy: policy})
	p := newRoughPlant(desc, robot.Pose{}, seed)
	dt := 1 / desc.Rate
	var command robot.Twist
	var before robot.Pose
	next, rolled := 0, 0.0
	for k := 1; float64(k)*dt < stallTo+10; k++ {
		t := float64(k) * dt
		estimate, measured, truth := p.advancePlant(command)
		fresh := 0 // stale samples accepted in this tick
		for ; next < len(d.packets) && d.packets[next].at <= t; next++ {
			sent := d.packets[next]
			stale := sent.at > letGo && !sent.sample.Want.IsZero()
			answer := player.Take(timeAt(sent.at), sent.sample)
			switch {
			case !stale:
				if answer.Word == robot.Success {
					fresh = 0 // a newer sample has arrived
				}
				continue
			case answer.Word == robot.Success:
				fresh++
			default:
				row.Refused++
			}
			row.Received++
		}
		command, _ = player.Tick(timeAt(t), estimate, measured)
		if !command.IsZero() {
			row.Executed += fresh
		}
		if t > stallTo {
			rolled += truth.Point().Sub(before.Point()).Norm()
		}
		before = truth
		if t > stallFrom && math.Abs(measured.Linear) > 0.01 {
			row.Stands = math.Max(row.Stands, t-stallFrom)
		}
	}
	row.Rolled = math.Max(row.Rolled, rolled)
}
