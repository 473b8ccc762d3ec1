package localization

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"mybot/robot"
)

var epoch = time.Date(2026, 11, 20, 14, 33, 0, 0, time.UTC)

func mybot() robot.Description {
	return robot.Description{Drivetrain: robot.Drivetrain{WheelBase: 0.42, AxleOffset: 0.08}, Rate: 50, Compass: true}
}

// plant is a rolling robot whose wheels and compass differ slightly from the
// odometry's parameters.
type plant struct {
	truth     robot.Pose
	drive     robot.Drivetrain // as it really is
	left      float64          // m really rolled for each metre reported
	right     float64
	slip      float64 // m per square root of a metre
	bias, hum float64 // rad, of the compass
	disturbed func(robot.Pose) float64
	period    time.Duration
	now       time.Time
	random    *rand.Rand
	odometry  *Odometry
	noCompass bool
}

func newPlant(seed uint64) *plant {
	return &plant{
		drive: mybot().Drivetrain, left: 1, right: 1, period: 20 * time.Millisecond, now: epoch,
		random: rand.New(rand.NewPCG(seed, 7)), odometry: NewOdometry(mybot(), robot.Pose{}),
	}
}

// spoiled is a plant with errors as large as the odometry expects.
func spoiled(seed uint64) *plant {
	p := newPlant(seed)
	n := p.random.NormFloat64
	p.left += wheelScale * n()
	p.right += wheelScale * n()
	p.drive.WheelBase *= 1 + baseScale*n()
	p.bias = compassBias * n()
	p.slip, p.hum = wheelNoise, compassReadingNoise
	p.truth = robot.Pose{X: startPlace * n(), Y: startPlace * n(), Theta: startTurn * n()}
	return p
}

// roll moves the robot for one period at the speeds of the wheels.
func (p *plant) roll(t robot.Twist) {
	dt := p.period.Seconds()
	told := mybot().Drivetrain.Wheels(t.Scale(dt))
	really := robot.Wheels{
		Left:  told.Left*p.left + p.slip*math.Sqrt(math.Abs(told.Left))*p.random.NormFloat64(),
		Right: told.Right*p.right + p.slip*math.Sqrt(math.Abs(told.Right))*p.random.NormFloat64(),
	}
	p.truth = p.drive.Roll(p.truth, really)
	p.now = p.now.Add(p.period)
	heading := math.NaN()
	if !p.noCompass {
		heading = p.truth.Theta + p.bias + p.hum*p.random.NormFloat64()
		if p.disturbed != nil {
			heading += p.disturbed(p.truth)
		}
		heading = robot.WrapAngle(heading)
	}
	p.odometry.Update(robot.Reading{Time: p.now, Travel: told, Heading: heading})
}

func (p *plant) roam(d time.Duration) {
	var t robot.Twist
	for i := range int(d / p.period) {
		if i%int(2*time.Second/p.period) == 0 {
			t = robot.Twist{Linear: 0.5 * p.random.Float64(), Angular: 0.5 * p.random.NormFloat64()}
		}
		p.roll(t)
	}
}

func (p *plant) errors() (x, y, theta float64) {
	e := p.odometry.Estimate().Pose
	return e.X - p.truth.X, e.Y - p.truth.Y, robot.WrapAngle(e.Theta - p.truth.Theta)
}

func TestPerfectWheelsGiveThePerfectPose(t *testing.T) {
	for _, period := range []time.Duration{5 * time.Millisecond, 20 * time.Millisecond, 200 * time.Millisecond} {
		p := newPlant(1)
		p.period = period
		p.noCompass = true
		p.roam(10 * time.Minute)
		if x, y, theta := p.errors(); math.Hypot(x, y) > 1e-9 || math.Abs(theta) > 1e-9 {
			t.Errorf("period %v: off by %g, %g, %g", period, x, y, theta)
		}
	}
}

func TestASquareOfFourMetresClosesUpToTheErrorOfTheWheels(t *testing.T) {
	side, corner := robot.Twist{Linear: 0.4}, robot.Twist{Angular: math.Pi / 4}
	for _, c := range []struct {
		name        string
		right       float64
		low, high   float64 // m
		withCompass bool
	}{
		{"perfect wheels", 1, 0, 1e-9, false},
		{"a right wheel 1 % larger", 1.01, 0.5, 4, false},
		{"a right wheel 1 % larger, with the compass", 1.01, 0, 0.5, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlant(1)
			p.right, p.noCompass = c.right, !c.withCompass
			for range 4 {
				for range 500 {
					p.roll(side)
				}
				for range 100 {
					p.roll(corner)
				}
			}
			x, y, _ := p.errors()
			if d := math.Hypot(x, y); d < c.low || d > c.high {
				t.Errorf("off by %.3f m, want %g to %g", d, c.low, c.high)
			} else {
				t.Logf("off by %.3f m", d)
			}
		})
	}
}

// The ellipse is honest if two standard deviations contain the true position in
// about 95 of 100 runs, along each axis.
func TestTwoSigmaHoldTheTruth(t *testing.T) {
	computesLong(t)
	const runs = 400
	for _, c := range []struct {
		name    string
		roam    time.Duration
		compass bool
	}{
		{"ten seconds", 10 * time.Second, true},
		{"five minutes", 5 * time.Minute, true},
		{"twenty seconds without a compass", 20 * time.Second, false},
	} {
		if testing.Short() && c.roam > time.Minute {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			var inX, inY, inTheta int
			var squares, sigmas float64
			for seed := range uint64(runs) {
				p := spoiled(seed)
				p.noCompass = !c.compass
				p.roam(c.roam)
				x, y, theta := p.errors()
				v := p.odometry.Estimate().Covariance
				inX += within(x, v.XX)
				inY += within(y, v.YY)
				inTheta += within(theta, v.TT)
				squares += x*x + y*y
				sigmas += v.XX + v.YY
			}
			t.Logf("x %.1f %%, y %.1f %%, heading %.1f %%; error %.3f m, sigma %.3f m (rms)", 100*float64(inX)/runs, 100*float64(inY)/runs,
				100*float64(inTheta)/runs, math.Sqrt(squares/runs), math.Sqrt(sigmas/runs))
			for axis, in := range map[string]int{"x": inX, "y": inY, "heading": inTheta} {
				if share := float64(in) / runs; share < 0.91 || share > 0.99 {
					t.Errorf("%s: in %.1f %% of the runs", axis, 100*share)
				}
			}
		})
	}
}

func within(e, variance float64) int {
	if e*e < 4*variance {
		return 1
	}
	return 0
}

func TestTheEllipseGrowsWithTheDistanceAndNotWithTheTime(t *testing.T) {
	p := newPlant(1)
	for range 500 {
		p.roll(robot.Twist{})
	}
	rest := p.odometry.Estimate().Covariance
	if major, _, _ := rest.Position(); major > startPlace+1e-9 {
		t.Errorf("a standing robot moves %.3f m", major)
	}
	last := 0.0
	for i := range 5 {
		for range 500 {
			p.roll(robot.Twist{Linear: 0.4})
		}
		major, _, _ := p.odometry.Estimate().Covariance.Position()
		if major < last+0.02 {
			t.Errorf("after %d m only %.3f m, before it %.3f m", 4*(i+1), major, last)
		}
		last = major
	}
}

func TestTheCompassTurnsTheHeadingAtTheSameRateWhateverThePeriod(t *testing.T) {
	var first float64
	for i, period := range []time.Duration{5 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond} {
		p := newPlant(1)
		p.period = period
		desc := mybot()
		desc.Rate = 1 / period.Seconds()
		p.odometry = NewOdometry(desc, robot.Pose{})
		p.truth.Theta = robot.Radians(3)
		for p.now.Before(epoch.Add(time.Second)) {
			p.roll(robot.Twist{})
		}
		_, _, theta := p.errors()
		// Ten times the alpha of Han 2002.
		want := -robot.Radians(3) * math.Pow(1-alpha, 10)
		if math.Abs(theta-want) > 1e-9 {
			t.Errorf("period %v: %.5f rad left, want %.5f", period, theta, want)
		}
		if i == 0 {
			first = theta
		} else if math.Abs(theta-first) > 1e-9 {
			t.Errorf("period %v differs from the first", period)
		}
	}
}

func TestADisturbedPlaceDoesNotDragTheHeading(t *testing.T) {
	for _, degrees := range []float64{15, 25, -35, 90, 180} {
		for _, step := range []bool{true, false} {
			t.Run(fmt.Sprintf("%.0f deg, all at once %v", degrees, step), func(t *testing.T) {
				p := newPlant(3)
				p.hum, p.slip = robot.Radians(1), 0.002
				p.disturbed = func(at robot.Pose) float64 {
					r := math.Abs(at.X-6) / 1.6
					switch {
					case r >= 1:
						return 0
					case step:
						return robot.Radians(degrees)
					}
					return robot.Radians(degrees) * (1 - r*r) * (1 - r*r)
				}
				worst, refused := 0.0, false
				for p.truth.X < 12 {
					p.roll(robot.Twist{Linear: 0.4})
					_, _, theta := p.errors()
					worst = math.Max(worst, math.Abs(theta))
					if e := p.odometry.Estimate(); math.Abs(p.truth.X-6) < 0.5 {
						refused = refused || !e.Compass
						if e.Compass && worst > robot.Radians(6) {
							t.Fatalf("follows the compass at %.1f m", p.truth.X)
						}
					}
				}
				if worst > robot.Radians(6) {
					t.Errorf("the heading went off by %.1f deg", robot.Degrees(worst))
				}
				t.Logf("worst %.1f deg", robot.Degrees(worst))
				if !refused {
					t.Error("the compass was never called disturbed")
				}
				if !p.odometry.Estimate().Compass {
					t.Error("the compass is not believed again after the place")
				}
			})
		}
	}
}

func TestAWrongHeadingIsFoundByTheCompassInTheEnd(t *testing.T) {
	p := newPlant(1)
	p.truth.Theta = robot.Radians(40)
	distance := 0.0
	for _, _, theta := p.errors(); math.Abs(theta) > robot.Radians(2); _, _, theta = p.errors() {
		p.roll(robot.Twist{Linear: 0.4, Angular: 0.02})
		if distance += 0.4 * 0.02; distance > 40 {
			t.Fatalf("still off by %.0f deg after 40 m", robot.Degrees(theta))
		}
	}
	t.Logf("after %.1f m", distance)
}

func TestAPoseSetByAPersonCounts(t *testing.T) {
	o := NewOdometry(mybot(), robot.Pose{})
	p := robot.Pose{X: 3, Y: -2, Theta: 1}
	o.SetPose(p)
	e := o.Estimate()
	if e.Pose != p || math.Abs(math.Sqrt(e.Covariance.XX)-0.1) > 1e-9 {
		t.Errorf("%+v", e)
	}
	o.SetPose(robot.Pose{X: math.NaN()})
	o.SetPose(robot.Pose{Theta: math.Inf(1)})
	if o.Estimate().Pose != p {
		t.Errorf("a pose that is no number counts: %v", o.Estimate().Pose)
	}
}

func TestAReadingThatIsNoNumberIsNotBelieved(t *testing.T) {
	o := NewOdometry(mybot(), robot.Pose{})
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		o.Update(robot.Reading{Time: epoch, Travel: robot.Wheels{Left: bad}, Heading: bad})
		if e := o.Estimate(); e.Pose != (robot.Pose{}) || e.Wheels || e.Compass {
			t.Errorf("%v: %+v", bad, e)
		}
	}
	o.Update(robot.Reading{Time: epoch.Add(time.Second), Travel: robot.Wheels{Left: 0.1, Right: 0.1}, Heading: 0})
	if e := o.Estimate(); !e.Wheels || !e.Compass || e.Pose.X != 0.1 {
		t.Errorf("then %+v", e)
	}
}

func TestOdometryAllocatesNothing(t *testing.T) {
	o := NewOdometry(mybot(), robot.Pose{})
	r := robot.Reading{Time: epoch, Travel: robot.Wheels{Left: 0.01, Right: 0.011}}
	if n := testing.AllocsPerRun(1000, func() {
		r.Time = r.Time.Add(20 * time.Millisecond)
		o.Update(r)
		o.Estimate()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkOdometry(b *testing.B) {
	o := NewOdometry(mybot(), robot.Pose{})
	r := robot.Reading{Time: epoch, Travel: robot.Wheels{Left: 0.01, Right: 0.011}}
	b.ReportAllocs()
	for b.Loop() {
		r.Time = r.Time.Add(20 * time.Millisecond)
		r.Heading = o.pose.Theta
		o.Update(r)
	}
}
