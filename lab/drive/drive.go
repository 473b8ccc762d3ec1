// Package drive holds the experiments about driving over bad networks: a simulated page drives,
// and the robot follows its virtual robot.
package drive

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"mybot/drivers/sim"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/link"
	"mybot/robot"
	"mybot/robot/playout"
)

// driveShare is the share of the safe speed at which the profile is driven.
const driveShare = 0.9

// clientDelay is the play-out delay that the client of the policy delay chooses.
const clientDelay = time.Second

// driveOutcome is how well the robot follows the virtual one.
type driveOutcome struct {
	Profile string     `json:"profile"`
	World   string     `json:"world,omitempty"` // of the rows with the real localizer
	Seeds   []uint64   `json:"seeds"`
	Rows    []driveRow `json:"rows"`
	Real    []driveRow `json:"real"`   // with the real localizer, guard and simulator in the loop
	Delays  []driveRow `json:"delays"` // path error against delay
	Bursts  []driveRow `json:"bursts"` // losses in bursts
	Named   []driveRow `json:"named"`  // the networks of --link
}

// driveRow is the outcome of one network and policy over all seeds.
type driveRow struct {
	Network   string        `json:"network"`
	RoundTrip float64       `json:"rtt_ms"`
	Policy    string        `json:"policy"`
	Runs      int           `json:"runs"`
	Path      stats.Spread  `json:"max_path_error_m"`
	Late      *stats.Spread `json:"time_difference_s"` // null if the robot drove another path
	Stall     stats.Spread  `json:"stall_s"`           // during which the virtual robot waited
	Final     stats.Spread  `json:"final_m"`           // between both robots at the end, without the runs that were held
	Held      int           `json:"held"`              // runs that ended in a HOLD; their path error counts until then
	Holds     int           `json:"holds"`             // the same
	Burst     float64       `json:"burst_s,omitempty"` // mean length of the bursts in which packets are lost
	Blind     float64       `json:"unheard_motion_s"`  // longest time from a packet to the last motion command before the next packet
}

func (o driveOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Driving by hand over bad networks: %s, %s.\n", o.Profile, report.SeedRange(o.Seeds))
	for _, part := range []struct {
		title string
		rows  []driveRow
	}{
		{"Actuators -1 % and +2 %, estimate with noise of 1 cm and 0.5 deg:", o.Rows},
		{"The real localizer, guard and simulator in the loop (sonar, compass, slip):", o.Real},
		{"5 % of the packets lost in bursts:", o.Bursts},
		{"The networks of --link:", o.Named},
		{"Path error against delay, jitter 40 ms, loss 1 %:", o.Delays},
	} {
		if len(part.rows) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s\n", part.title)
		report.Table(&b, []string{
			"\nnetwork|%-44s", "\npolicy|%-8s", "path error, m\nmedian    P95|%10.3f %7.3f", "behind, s\nmedian    P95|%18s", "stalls, s\nmedian    P95|%6.2f %7.2f", "held|%6d",
		}, part.rows, func(r driveRow) []any {
			late := "-"
			if r.Late != nil {
				late = fmt.Sprintf("%10.2f %7.2f", r.Late.Median, r.Late.P95)
			}
			return []any{r.Network, r.Policy, r.Path.Median, r.Path.P95, late, r.Stall.Median, r.Stall.P95, r.Held}
		})
	}
	return strings.TrimRight(b.String(), "\n")
}

// Run drives the profile of figure 11 over networks with all policies.
func Run(ctx context.Context, c experiment.Call) error {
	var seeds experiment.Seeds
	real := uint64(20)
	chosen := false // --real was given
	var bursts float64
	var svg string
	var world sim.Deviation
	var named []network
	if err := c.Parse(func(f *experiment.Flags) {
		f.Seeds(&seeds, 100, 10000)
		f.Func("real", "`how many` of them with the real localizer in the loop, 0 to all (default 20, or all if there are fewer)", func(s string) (err error) {
			chosen = true
			if real, err = strconv.ParseUint(s, 10, 64); err != nil {
				return errors.New("it must be a whole number, 0 or more")
			}
			return nil
		})
		f.World(&world)
		f.Float64Var(&bursts, "bursts", 0, "also networks that lose 5 % in bursts of this many `seconds` on average, 0.05 to 10")
		f.Func("link", "also this `network`, as for mybot --link", func(s string) error {
			profile, err := link.ParseProfile(s)
			for _, class := range []link.Class{link.Datagram, link.Stream} {
				named = append(named, network{name: className(class) + ", " + s, profile: profile, class: class})
			}
			return err
		})
		f.StringVar(&svg, "svg", "", "draw the path error against the delay to `FILE`")
	}); err != nil {
		return err
	}
	if bursts != 0 && !(bursts >= 0.05 && bursts <= 10) {
		return c.Refuse("--bursts is %g; it must be a time in s from 0.05 to 10", bursts)
	}
	if chosen && real > seeds.Count {
		return c.Refuse("--real is %d; it must be from 0 to %d, the number of --seeds", real, seeds.Count)
	}
	if real == 0 && world.Name != "" {
		return c.Refuse("--world is of the drives with the real localizer, and --real is 0; it must be from 1 to %d, the number of --seeds", seeds.Count)
	}
	desc := testbed.Mybot()
	if err := world.CheckFit(desc); err != nil {
		return c.Refuse("--world: %v", err)
	}
	o := driveOutcome{Profile: "figure 11 at 0.45 m/s", Seeds: seeds.All()}
	rough := func(seed uint64) (plant, robot.Pose, error) {
		return newRoughPlant(desc, robot.Pose{}, seed), robot.Pose{}, nil
	}
	all, two := []playout.Policy{playout.Direct, playout.Delay, playout.Track}, []playout.Policy{playout.Direct, playout.Track}
	var err error
	for _, part := range []struct {
		rows     *[]driveRow
		nets     []network
		policies []playout.Policy
	}{{&o.Rows, badNetworks(), all}, {&o.Delays, delayedNetworks(), two}, {&o.Bursts, burstyNetworks(bursts), two}, {&o.Named, named, two}} {
		if *part.rows, err = driveRows(ctx, desc, part.nets, part.policies, o.Seeds, rough); err != nil {
			return err
		}
	}
	if n := min(real, seeds.Count); n > 0 {
		floor, err := testbed.LoadOffice(ctx, c.Tables, desc)
		if err != nil {
			return err
		}
		floor.World, o.World = world, world.Name
		nets := append([]network{{name: "none"}}, badNetworks()...)
		if o.Real, err = driveRows(ctx, desc, nets, []playout.Policy{playout.Track}, o.Seeds[:n], func(seed uint64) (plant, robot.Pose, error) { return newSimulatedPlant(floor, seed) }); err != nil {
			return err
		}
	}
	if svg != "" {
		if err := drawDelays(svg, o.Delays); err != nil {
			return err
		}
	}
	return c.Print(o)
}

// badNetworks are the networks of the tables in docs/driving.md.
func badNetworks() []network {
	p := link.Profile{RoundTrip: 310 * time.Millisecond, Jitter: 40 * time.Millisecond, Loss: 0.01}
	stalls := p
	stalls.StallMin, stalls.StallMax, stalls.StallGap = 200*time.Millisecond, 800*time.Millisecond, 10*time.Second
	lossy := p
	lossy.Loss = 0.05
	return []network{
		{name: "RTT 310 ms, jitter 40 ms, TCP loss 1 %", profile: p},
		{name: "the same, stalls of 0.2 to 0.8 s", profile: stalls},
		{name: "the same, 5 % of unordered datagrams lost", profile: lossy, class: link.Datagram},
	}
}

// burstyNetworks are networks that lose 5 % in bursts of a mean length in s: by datagrams, and
// by a stream alone. For a mean of 0 there are none.
func burstyNetworks(mean float64) []network {
	if mean == 0 {
		return nil
	}
	var out []network
	for _, class := range []link.Class{link.Datagram, link.Stream} {
		out = append(out, network{
			name: fmt.Sprintf("%s, RTT 310 ms, jitter 40 ms, bursts of %g s", className(class), mean),
			profile: link.Profile{
				RoundTrip: 310 * time.Millisecond, Jitter: 40 * time.Millisecond,
				Loss: 0.05, Burst: time.Duration(mean * float64(time.Second)),
			},
			class: class,
		})
	}
	return out
}

// delayedNetworks are networks of increasing delay, for both kinds of transport.
func delayedNetworks() []network {
	var out []network
	for _, class := range []link.Class{link.Stream, link.Datagram} {
		for _, ms := range []int{0, 100, 310, 600, 1000, 2000} {
			rtt := time.Duration(ms) * time.Millisecond
			out = append(out, network{
				name:    fmt.Sprintf("%s, RTT %d ms", className(class), ms),
				profile: link.Profile{RoundTrip: rtt, Jitter: min(40*time.Millisecond, rtt), Loss: 0.01},
				class:   class,
			})
		}
	}
	return out
}

func className(c link.Class) string {
	if c == link.Datagram {
		return "datagrams"
	}
	return "stream"
}

// driveRows runs each network with each policy over all seeds. robots returns a resting robot
// for a seed, and its estimated pose.
func driveRows(ctx context.Context, desc robot.Description, nets []network, policies []playout.Policy, seeds []uint64,
	robots func(seed uint64) (plant, robot.Pose, error),
) ([]driveRow, error) {
	var rows []driveRow
	for _, n := range nets {
		for _, policy := range policies {
			var path, late, stall, final []float64
			row := driveRow{Network: n.name, RoundTrip: n.profile.RoundTrip.Seconds() * 1000, Policy: string(policy), Runs: len(seeds), Burst: n.profile.Burst.Seconds()}
			for _, seed := range seeds {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				p, at, err := robots(seed)
				if err != nil {
					return nil, err
				}
				r := replayDrive(desc, simulatePage(desc, at, newProgram(figure11Profile(driveShare)...), n, seed), playout.Options{Policy: policy, Delay: clientDelay}, p)
				path, stall = append(path, r.worst), append(stall, r.stall)
				late = append(late, stats.Quantile(r.late, 0.5))
				row.Blind = max(row.Blind, r.blind)
				if r.held != "" {
					row.Held, row.Holds = row.Held+1, row.Holds+1
				} else {
					final = append(final, r.final)
				}
			}
			row.Path, row.Stall, row.Final = stats.SpreadOf(path), stats.SpreadOf(stall), stats.SpreadOf(final)
			if policy != playout.Direct {
				s := stats.SpreadOf(late)
				row.Late = &s
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// newSimulatedPlant returns the robot as the server runs it, at a place in the office with room
// for the profile of figure 11, and its estimated pose.
func newSimulatedPlant(f *testbed.Floor, seed uint64) (plant, robot.Pose, error) {
	scene := testbed.NewScene("nominal", f.Plan, f.Roads, rand.New(rand.NewPCG(seed, 77)))
	scene.Start = robot.Pose{X: 19.1, Y: 9.2, Theta: robot.Radians(135)}
	r, err := f.NewRover(scene, f.NewMCL(scene.Start, seed), seed)
	if err != nil {
		return nil, robot.Pose{}, err
	}
	for i, d := range f.Plan.Doors {
		if d.Name == "Copy room 304" { // its open leaf would block the robot
			if err := r.World.SetDoor(i, true); err != nil {
				return nil, robot.Pose{}, fmt.Errorf("lab: %w", err)
			}
		}
	}
	return roverPlant{r}, r.State.Estimate.Pose, nil
}

// roverPlant is the robot as the server runs it.
type roverPlant struct{ *testbed.Rover }

func (p roverPlant) advancePlant(command robot.Twist) (robot.Pose, robot.Twist, robot.Pose) {
	p.Core.Do(p.Now, robot.Drive{Twist: command})
	if err := p.Step(); err != nil {
		panic(err) // Core returns finite twists only
	}
	return p.State.Estimate.Pose, p.State.Twist, p.Desc.Drivetrain.Axle(p.Truth.Pose)
}
