package base

import (
	"context"
	"fmt"
	"math"
	"strings"

	"mybot/drivers/sim"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/lab/internal/testbed"
	"mybot/localization"
	"mybot/robot"
)

// side is the length of the square, in m, by which Borenstein and Feng 1996 measure odometry,
// driven in both directions ("UMBmark").
const side = 4.0

// squareOutcome is the error of odometry after each square.
type squareOutcome struct {
	Side  float64     `json:"side_m"`
	Seeds []uint64    `json:"seeds"`
	Runs  []squareRun `json:"runs"`
	Ideal squareMeans `json:"without_slip"`
	Real  squareMeans `json:"with_slip"`
}

// squareRun is one square.
type squareRun struct {
	Seed  uint64    `json:"seed"`
	Slip  bool      `json:"slip"` // slip, and wheels of wrong sizes
	Left  bool      `json:"left"` // counter-clockwise
	Wheel poseError `json:"wheels"`
	Fused poseError `json:"wheels_and_compass"`
}

// poseError is how far an estimate is from the truth.
type poseError struct {
	Position float64 `json:"position_m"`
	Heading  float64 `json:"heading_deg"`
}

// squareMeans are the means over several squares.
type squareMeans struct {
	Mean  poseError `json:"mean_wheels"`
	Worst poseError `json:"worst_wheels"`
	Fused poseError `json:"mean_wheels_and_compass"`
}

func (o squareOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "A square of %g m, driven by odometry; the error of odometry at its end:\n\n", o.Side)
	report.Table(&b, []string{"seed|%8d", "slip| %-7s", "round|%-6s", "wheels alone | %7.3f m %5.2f deg", "wheels and compass  | %11.3f m %5.2f deg"}, o.Runs, func(r squareRun) []any {
		slip, round := map[bool]string{false: "without", true: "with"}[r.Slip], map[bool]string{false: "right", true: "left"}[r.Left]
		return []any{r.Seed, slip, round, r.Wheel.Position, r.Wheel.Heading, r.Fused.Position, r.Fused.Heading}
	})
	for _, m := range []struct {
		what string
		squareMeans
	}{{"Without slip", o.Ideal}, {"With slip", o.Real}} {
		fmt.Fprintf(&b, "\n%s: wheels alone %.3f m and %.2f deg on average, %.3f m and %.2f deg at worst; with the compass %.3f m and %.2f deg.",
			m.what, m.Mean.Position, m.Mean.Heading, m.Worst.Position, m.Worst.Heading, m.Fused.Position, m.Fused.Heading)
	}
	return b.String()
}

// DriveSquares drives squares on an empty floor, with and without slip, in both directions, for
// each seed.
func DriveSquares(ctx context.Context, c experiment.Call) error {
	var seeds experiment.Seeds
	if err := c.Parse(func(f *experiment.Flags) {
		f.Seeds(&seeds, 5, 1000)
	}); err != nil {
		return err
	}
	desc := testbed.Mybot()
	desc.Sonars = nil
	o := squareOutcome{Side: side, Seeds: seeds.All()}
	for _, seed := range o.Seeds {
		for _, slip := range []bool{false, true} {
			for _, left := range []bool{true, false} {
				if err := ctx.Err(); err != nil {
					return err
				}
				run, err := driveSquare(desc, squareRun{Seed: seed, Slip: slip, Left: left})
				if err != nil {
					return err
				}
				o.Runs = append(o.Runs, run)
			}
		}
	}
	o.Ideal, o.Real = meansOf(o.Runs, false), meansOf(o.Runs, true)
	return c.Print(o)
}

// driveSquare drives one square and fills in the errors at its end.
func driveSquare(desc robot.Description, run squareRun) (squareRun, error) {
	w := sim.NewWorld(desc, nil, sim.DefaultScene(), sim.Options{Seed: run.Seed, Ideal: !run.Slip})
	d := squareDriver{desc: desc, world: w, fused: localization.NewOdometry(desc, robot.Pose{})}
	turn := math.Pi / 2
	if !run.Left {
		turn = -turn
	}
	for n := range 4 {
		heading := robot.WrapAngle(float64(n) * turn)
		if err := d.driveSide(heading, d.corner); err != nil {
			return run, err
		}
		sin, cos := math.Sincos(heading)
		d.corner = d.corner.Add(robot.Point{X: side * cos, Y: side * sin})
		if err := d.turnTo(robot.WrapAngle(heading + turn)); err != nil {
			return run, err
		}
	}
	truth := w.Truth().Pose
	run.Wheel = poseErrorOf(truth, d.pose)
	run.Fused = poseErrorOf(truth, d.fused.Estimate().Pose)
	return run, nil
}

func poseErrorOf(truth, estimate robot.Pose) poseError {
	e := truth.Inverse().Compose(estimate)
	return poseError{Position: e.Point().Norm(), Heading: math.Abs(robot.Degrees(e.Theta))}
}

// squareDriver steers by odometry. The corners are points for M, on which the robot turns.
type squareDriver struct {
	desc   robot.Description
	world  *sim.World
	pose   robot.Pose // of C by odometry: Han 2002, eq. 1 and 2
	fused  *localization.Odometry
	corner robot.Point // from start
}

// longestLeg is the longest time for a side or a turn, in readings.
const longestLeg = 5000

// driveSide drives one side, from a corner along the heading, and stops.
func (d *squareDriver) driveSide(heading float64, corner robot.Point) error {
	sin, cos := math.Sincos(heading)
	for range longestLeg {
		m := d.desc.Drivetrain.Axle(d.pose)
		from := m.Point().Sub(corner).Sub(d.desc.Drivetrain.Axle(robot.Pose{}).Point())
		left, aside := side-(cos*from.X+sin*from.Y), cos*from.Y-sin*from.X
		if math.Abs(left) < 0.002 {
			return d.brakeToStand()
		}
		v := math.Copysign(math.Min(0.4, math.Sqrt(0.5*d.desc.Safe.LinearAcceleration*math.Abs(left))), left)
		if err := d.stepBase(robot.Twist{Linear: v, Angular: 2*robot.WrapAngle(heading-m.Theta) - 2*aside}); err != nil {
			return err
		}
	}
	return fmt.Errorf("lab: square: a side has no end: the robot believes to be at %+v", d.pose)
}

// turnTo turns in place to the heading, and stops.
func (d *squareDriver) turnTo(heading float64) error {
	for range longestLeg {
		left := robot.WrapAngle(heading - d.pose.Theta)
		if math.Abs(left) < 0.002 {
			return d.brakeToStand()
		}
		w := math.Copysign(math.Min(d.desc.Safe.Angular, math.Sqrt(d.desc.Safe.AngularAcceleration*math.Abs(left))), left)
		if err := d.stepBase(robot.Twist{Angular: w}); err != nil {
			return err
		}
	}
	return fmt.Errorf("lab: square: a turn has no end: the robot believes to be at %+v", d.pose)
}

// brakeToStand brakes and waits until the wheels have stopped.
func (d *squareDriver) brakeToStand() error {
	for range 50 {
		if err := d.stepBase(robot.Twist{}); err != nil {
			return err
		}
	}
	return nil
}

func (d *squareDriver) stepBase(command robot.Twist) error {
	if err := d.world.Drive(command); err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	r := d.world.Step()
	d.pose = d.desc.Drivetrain.Roll(d.pose, r.Travel)
	d.fused.Update(r)
	return nil
}

// meansOf averages the runs with or without slip.
func meansOf(runs []squareRun, slip bool) squareMeans {
	var m squareMeans
	n := 0.0
	for _, r := range runs {
		if r.Slip != slip {
			continue
		}
		n++
		m.Mean.Position += r.Wheel.Position
		m.Mean.Heading += r.Wheel.Heading
		m.Fused.Position += r.Fused.Position
		m.Fused.Heading += r.Fused.Heading
		m.Worst.Position = max(m.Worst.Position, r.Wheel.Position)
		m.Worst.Heading = max(m.Worst.Heading, r.Wheel.Heading)
	}
	if n > 0 {
		m.Mean.Position, m.Mean.Heading = m.Mean.Position/n, m.Mean.Heading/n
		m.Fused.Position, m.Fused.Heading = m.Fused.Position/n, m.Fused.Heading/n
	}
	return m
}
