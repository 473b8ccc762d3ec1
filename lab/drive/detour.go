package drive

import (
	"io/fs"
	"math"
	"math/rand/v2"

	"mybot/drivers/sim"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/link"
	"mybot/robot"
)

// barrelRun is a drive straight ahead by the stick, past barrels on or beside the path: the
// virtual robot drives through them, the real one around them.
type barrelRun struct {
	start   robot.Pose
	barrels []sim.Obstacle
	speed   float64 // m/s
	length  float64 // m that the virtual robot drives
}

// twoBarrels drives straight through the two barrels of the office.
func twoBarrels(scene sim.Scene) barrelRun {
	return barrelRun{start: scene.Start, barrels: scene.Obstacles, speed: 0.35, length: 13}
}

// someBarrel draws a barrel with a radius of 0.15 to 0.3 m in the corridor of the office, up to
// 0.5 m beside the path, and a driver at 0.2 to 0.45 m/s.
func someBarrel(seed uint64) barrelRun {
	luck := rand.New(rand.NewPCG(seed, 5))
	between := func(a, b float64) float64 { return a + (b-a)*luck.Float64() }
	at := robot.Pose{X: between(8, 14), Y: 7.3 + between(-0.15, 0.15), Theta: between(-0.02, 0.02)}
	if luck.IntN(2) == 1 {
		at.Theta = robot.WrapAngle(at.Theta + math.Pi)
	}
	beside := robot.Point{Y: between(-0.5, 0.5)}
	return barrelRun{
		start:   at.Compose(robot.Pose{X: -3.5}),
		barrels: []sim.Obstacle{{Name: "Barrel", Point: at.Apply(beside), Radius: between(0.15, 0.3), Height: 0.9}},
		speed:   between(0.2, 0.45), length: 6.5,
	}
}

// barrelEnd is the outcome of one run.
type barrelEnd struct {
	passed, rejoined, touched bool
	held                      string
	aside                     float64 // m, largest deliberate offset from the path
	closest                   float64 // m, smallest distance between the hull and a barrel
	drive                     slalomRun
}

// driveThrough simulates the driver, the network, and a robot with Core, guard and localizer.
func (b barrelRun) driveThrough(f *testbed.Floor, office fs.FS, n network, seed uint64) (barrelEnd, error) {
	scene, err := loadCorridor(office)
	if err != nil {
		return barrelEnd{}, err
	}
	scene.Start, scene.Obstacles = b.start, b.barrels
	r, err := f.NewRover(scene, f.NewMCL(b.start, seed), seed)
	if err != nil {
		return barrelEnd{}, err
	}
	d := simulatePage(f.Desc, r.State.Estimate.Pose, newProgram(stretch{robot.Twist{Linear: b.speed}, b.length / b.speed}), n, seed)
	end := barrelEnd{closest: math.Inf(1), drive: slalomRun{virtual: d.poses}}
	began, last := r.Now, d.poses[len(d.poses)-1]
	for next, moved := 0, 0.0; ; {
		t := r.Now.Sub(began).Seconds()
		for ; next < len(d.packets) && d.packets[next].at <= t; next++ {
			r.Do(d.packets[next].sample)
		}
		if err := r.Step(); err != nil {
			return end, err
		}
		m := f.Desc.Drivetrain.Axle(r.Truth.Pose)
		end.drive.real = append(end.drive.real, m)
		end.aside = math.Max(end.aside, math.Abs(r.State.Play.Detour))
		for _, o := range b.barrels {
			end.closest = math.Min(end.closest, testbed.HullGap(f.Desc.Body.Hull, r.Truth.Pose.Inverse().Apply(o.Point))-o.Radius)
		}
		if math.Abs(r.State.Twist.Linear) > 0.01 {
			moved = t
		}
		if r.State.Held != nil {
			end.held = r.State.Held.Reason
		}
		if end.held != "" || next == len(d.packets) && t-moved > 5 {
			off := last.Inverse().Compose(m)
			end.passed = end.held == "" && off.X > -0.3
			end.rejoined = end.passed && off.Point().Norm() < 0.10
			end.touched = r.Bumps > 0
			return end, nil
		}
	}
}

// fig5aRound is the outcome of many runs.
type fig5aRound struct {
	What     string       `json:"what"`
	Runs     int          `json:"runs"`
	Passed   int          `json:"passed"`
	Rejoined int          `json:"rejoined"` // and reached the end of the virtual robot
	Held     int          `json:"held"`
	Touched  int          `json:"touched"`
	Aside    stats.Spread `json:"aside_m"`   // largest offset from the path
	Closest  float64      `json:"closest_m"` // smallest distance between the hull and a barrel in all runs
}

// driveRound makes one run for each seed. It also returns the paths of the first run.
func driveRound(f *testbed.Floor, what string, office fs.FS, through link.Profile, seeds []uint64, draw func(seed uint64) barrelRun, stop func() error) (fig5aRound, slalomRun, error) {
	out := fig5aRound{What: what, Runs: len(seeds), Closest: math.Inf(1)}
	var first slalomRun
	var aside []float64
	for i, seed := range seeds {
		if err := stop(); err != nil {
			return out, first, err
		}
		end, err := draw(seed).driveThrough(f, office, network{profile: through}, seed)
		if err != nil {
			return out, first, err
		}
		if i == 0 {
			first = end.drive
		}
		aside, out.Closest = append(aside, end.aside), math.Min(out.Closest, end.closest)
		stats.Count(&out.Passed, end.passed)
		stats.Count(&out.Rejoined, end.rejoined)
		stats.Count(&out.Held, end.held != "")
		stats.Count(&out.Touched, end.touched)
	}
	out.Aside = stats.SpreadOf(aside)
	return out, first, nil
}
