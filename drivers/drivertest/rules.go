package drivertest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"mybot/robot"
	"mybot/robot/scan"
)

// Rules returns the rules of the contract.
func Rules() []Rule {
	return []Rule{
		{"the description never changes and is whole", checkDescription},
		{"readings come at the stated rate with increasing times", checkRate},
		{"readings carry this computer's time", checkClock},
		{"readings are whole and finite", checkReadings},
		{"scans come at the stated rate, whole, and as fresh slices", checkScans},
		{"forward is forward and left is left", checkDirections},
		{"a command is held for as long as the description says", checkHold},
		{"a command is forgotten and the base brakes to standstill", checkForgetting},
		{"a command is forgotten even when nobody reads", forgetsUnread},
		{"a late reader gets the whole way in one fresh reading", checkLateness},
		{"a twist that is not finite is refused and brakes", checkRefusals},
		{"speed and acceleration stay within the hardware's", checkLimits},
		{"Drive never blocks", checkDriving},
		{"Read ends with its context", contextEnds},
		{"Close ends a Read that waits, and everything after it", checkClose},
		{"the head turns within its limits, or there is none", checkLook},
		{"joints move within their limits and speeds, or there are none", checkJoints},
		{"a speaker reports what it has spoken, or there is none", checkSpeaker},
		{"a display takes lines, or there is none", checkDisplay},
	}
}

// enough is the longest time that any step of the suite may take.
const enough = time.Minute

// readNext takes the next n readings and returns their total wheel travel and the last one.
// It sends command, unless it is nil, before each of them.
func readNext(d robot.Driver, n int, command *robot.Twist) (rolled robot.Wheels, last robot.Reading, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), enough)
	defer cancel()
	for range n {
		if command != nil {
			if err := d.Drive(*command); err != nil {
				return rolled, last, fmt.Errorf("Drive(%+v): %w", *command, err)
			}
		}
		if last, err = d.Read(ctx); err != nil {
			return rolled, last, fmt.Errorf("Read: %w", err)
		}
		rolled.Left += last.Travel.Left
		rolled.Right += last.Travel.Right
	}
	return rolled, last, nil
}

// readingPeriod returns the time between two readings.
func readingPeriod(d robot.Driver) time.Duration {
	return time.Duration(float64(time.Second) / d.Describe().Rate)
}

// countReadings returns the number of readings within a time, rounded up.
func countReadings(d robot.Driver, lasts time.Duration) int {
	return int(math.Ceil(lasts.Seconds() * d.Describe().Rate))
}

// testSpeed returns the speed of the tests, in m/s: half the safe speed.
func testSpeed(d robot.Driver) float64 { return d.Describe().Safe.Linear / 2 }

// brakingTime returns how long the base takes to brake from the test speed.
func brakingTime(d robot.Driver) time.Duration {
	return time.Duration(testSpeed(d) / d.Describe().Hardware.LinearAcceleration * float64(time.Second))
}

// reachSpeed accelerates the base to the test speed and returns just after a command.
func reachSpeed(d robot.Driver) error {
	command := robot.Twist{Linear: testSpeed(d)}
	_, _, err := readNext(d, countReadings(d, brakingTime(d)+time.Second/2), &command)
	if err != nil {
		return err
	}
	n := countReadings(d, 200*time.Millisecond)
	rolled, _, err := readNext(d, n, &command)
	if err != nil {
		return err
	}
	v := (rolled.Left + rolled.Right) / 2 / (float64(n) / d.Describe().Rate)
	if !(math.Abs(v-command.Linear) <= 0.2*command.Linear) {
		return fmt.Errorf("asked for %.2f m/s the wheels turn with %.2f m/s", command.Linear, v)
	}
	return nil
}

// checkStandstill checks that the wheels are at rest during the next readings.
func checkStandstill(d robot.Driver) error {
	rolled, _, err := readNext(d, 10, nil)
	if err == nil && rolled != (robot.Wheels{}) {
		err = fmt.Errorf("the wheels still roll: %+v m in 10 readings", rolled)
	}
	return err
}

func checkDescription(d robot.Driver) error {
	before := d.Describe()
	if !(before.Rate > 0) || before.Holds <= 0 || !(before.Drivetrain.WheelBase > 0) ||
		!(before.Hardware.Linear > 0) || !(before.Hardware.LinearAcceleration > 0) ||
		!(before.Hardware.Angular > 0) || !(before.Hardware.AngularAcceleration > 0) || !(before.Safe.Linear > 0) {
		return fmt.Errorf("rate, holding time, wheel base and limits must be more than 0: %+v", before)
	}
	if err := reachSpeed(d); err != nil {
		return err
	}
	if after := d.Describe(); !reflect.DeepEqual(before, after) {
		return errors.New("two calls of Describe give different descriptions")
	}
	return nil
}

func checkRate(d robot.Driver) error {
	_, first, err := readNext(d, 1, nil)
	if err != nil {
		return err
	}
	n, began, last := countReadings(d, 2*time.Second), time.Now(), first
	for range n {
		var r robot.Reading
		if _, r, err = readNext(d, 1, nil); err != nil {
			return err
		}
		if !r.Time.After(last.Time) {
			return fmt.Errorf("a reading of %v follows one of %v", r.Time, last.Time)
		}
		last = r
	}
	want := time.Duration(n) * readingPeriod(d)
	for what, got := range map[string]time.Duration{"on the clock": time.Since(began), "by their times": last.Time.Sub(first.Time)} {
		if off := (got - want).Abs(); off > want/20+readingPeriod(d) {
			return fmt.Errorf("%d readings take %v %s; at %v Hz they must take %v", n, got, what, d.Describe().Rate, want)
		}
	}
	return nil
}

func checkClock(d robot.Driver) error {
	_, r, err := readNext(d, 1, nil)
	if err != nil {
		return err
	}
	if age := time.Since(r.Time); age.Abs() > time.Second/2 {
		return fmt.Errorf("a reading that has just come is %v old; its time must be that of this computer's clock, as time.Now has it", age)
	}
	return nil
}

// checkBattery checks the state of a battery, which is unknown (NaN) on a robot without one.
func checkBattery(desc robot.Description, b robot.Battery) error {
	none := desc.Battery == robot.BatteryPack{}
	for what, v := range map[string]float64{"the voltage": b.Volts, "the current": b.Amperes, "the charge": b.Charge} {
		if math.IsInf(v, 0) || math.IsNaN(v) && !none {
			return fmt.Errorf("%s is %v", what, v)
		}
	}
	if b.Charge < 0 || b.Charge > 1 {
		return fmt.Errorf("the charge is %v; it must be from 0 to 1", b.Charge)
	}
	return nil
}

func checkReadings(d robot.Driver) error {
	desc := d.Describe()
	command := robot.Twist{Linear: testSpeed(d) / 2, Angular: desc.Safe.Angular / 2}
	for range countReadings(d, 2*time.Second) {
		_, r, err := readNext(d, 1, &command)
		if err != nil {
			return err
		}
		for what, v := range map[string]float64{
			"the left travel": r.Travel.Left, "the right travel": r.Travel.Right,
			"pan": r.Head.Pan, "tilt": r.Head.Tilt,
		} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("%s is %v", what, v)
			}
		}
		if err := checkBattery(desc, r.Battery); err != nil {
			return err
		}
		if h := r.Heading; desc.Compass && !(h > -math.Pi && h <= math.Pi) || !desc.Compass && !math.IsNaN(h) {
			return fmt.Errorf("the heading is %v; it must be in (-pi, pi], or NaN without a compass", h)
		}
		if len(r.Ranges) != len(desc.Sonars) {
			return fmt.Errorf("there are %d ranges for %d sonars", len(r.Ranges), len(desc.Sonars))
		}
		for i, v := range r.Ranges {
			if s := desc.Sonars[i]; !math.IsNaN(v) && !math.IsInf(v, 1) && !(v >= s.Min && v <= s.Max) {
				return fmt.Errorf("sonar %d tells %v m; it must be from %v to %v, +Inf or NaN", i, v, s.Min, s.Max)
			}
		}
	}
	return nil
}

// checkScans checks that robot/scan accepts every scan, and that the lidars keep their rates.
func checkScans(d robot.Driver) error {
	desc := d.Describe()
	deskewer := scan.NewDeskewer(desc)
	wish := robot.Twist{Linear: testSpeed(d) / 2, Angular: desc.Safe.Angular / 2}
	const lasts = 3 * time.Second
	count := make([]int, len(desc.Lidars))
	var kept, copied [][]float64
	for range countReadings(d, lasts) {
		_, r, err := readNext(d, 1, &wish)
		if err != nil {
			return err
		}
		if _, faults := deskewer.Observe(r); len(faults) > 0 {
			return faults[0]
		}
		for _, s := range r.Scans {
			l := desc.Lidars[s.Lidar]
			for beam, v := range s.Ranges {
				if !math.IsNaN(v) && !math.IsInf(v, 1) && !(v >= l.Min && v <= l.Max) && !l.IsMasked(beam) {
					return fmt.Errorf("lidar %d tells %v m in beam %d; it must be from %v to %v, +Inf or NaN", s.Lidar, v, beam, l.Min, l.Max)
				}
			}
			count[s.Lidar]++
			kept, copied = append(kept, s.Ranges), append(copied, slices.Clone(s.Ranges))
		}
	}
	for i, ranges := range kept {
		if !slices.EqualFunc(ranges, copied[i], func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }) {
			return errors.New("the ranges of a scan change after it was read; each scan must have a slice of its own")
		}
	}
	for i, l := range desc.Lidars {
		if want := l.Rate * lasts.Seconds(); !(math.Abs(float64(count[i])-want) <= 0.2*want+1) {
			return fmt.Errorf("lidar %d gives %d scans in %v; at %v Hz it must give about %.0f", i, count[i], lasts, l.Rate, want)
		}
	}
	return nil
}

func checkDirections(d robot.Driver) error {
	v, w := testSpeed(d), d.Describe().Safe.Angular/2
	for _, c := range []struct {
		what    string
		command robot.Twist
		right   func(left, right float64) bool
	}{
		{"forward", robot.Twist{Linear: v}, func(l, r float64) bool { return l > 0 && r > 0 }},
		{"backward", robot.Twist{Linear: -v}, func(l, r float64) bool { return l < 0 && r < 0 }},
		{"to the left", robot.Twist{Angular: w}, func(l, r float64) bool { return l < 0 && r > 0 }},
		{"to the right", robot.Twist{Angular: -w}, func(l, r float64) bool { return l > 0 && r < 0 }},
	} {
		rolled, _, err := readNext(d, countReadings(d, time.Second), &c.command)
		if err != nil {
			return err
		}
		if !c.right(rolled.Left, rolled.Right) {
			return fmt.Errorf("%s: the wheels roll %.3f m and %.3f m", c.what, rolled.Left, rolled.Right)
		}
		if _, _, err = readNext(d, countReadings(d, 3*brakingTime(d)+d.Describe().Holds), nil); err != nil {
			return err
		}
	}
	return nil
}

func checkHold(d robot.Driver) error {
	if err := reachSpeed(d); err != nil {
		return err
	}
	const n = 3 // readings at the end of the hold, during which the command must still count
	before := countReadings(d, d.Describe().Holds) - 2 - n
	if before < 0 {
		return nil
	}
	if _, _, err := readNext(d, before, nil); err != nil {
		return err
	}
	rolled, _, err := readNext(d, n, nil)
	if err != nil {
		return err
	}
	if v := (rolled.Left + rolled.Right) / 2 / n * d.Describe().Rate; !(v > 0.85*testSpeed(d)) {
		return fmt.Errorf("%d readings after a command for %.2f m/s the base goes only %.2f m/s; it must hold it for %v", before+n, testSpeed(d), v, d.Describe().Holds)
	}
	return nil
}

func checkForgetting(d robot.Driver) error {
	if err := reachSpeed(d); err != nil {
		return err
	}
	if _, _, err := readNext(d, countReadings(d, d.Describe().Holds+brakingTime(d))+5, nil); err != nil {
		return err
	}
	return checkStandstill(d)
}

func forgetsUnread(d robot.Driver) error {
	if err := reachSpeed(d); err != nil {
		return err
	}
	time.Sleep(d.Describe().Holds + brakingTime(d) + 5*readingPeriod(d))
	if _, _, err := readNext(d, 1, nil); err != nil { // includes all missed readings
		return err
	}
	return checkStandstill(d)
}

func checkLateness(d robot.Driver) error {
	if err := reachSpeed(d); err != nil {
		return err
	}
	_, before, err := readNext(d, 1, nil)
	if err != nil {
		return err
	}
	away := d.Describe().Holds + 2*brakingTime(d) + time.Second
	time.Sleep(away)
	began := time.Now()
	rolled, after, err := readNext(d, 1, nil)
	if err != nil {
		return err
	}
	if passed := after.Time.Sub(before.Time); passed < away-3*readingPeriod(d) {
		return fmt.Errorf("after %v without a Read comes a reading only %v newer", away, passed)
	}
	v, a := testSpeed(d), d.Describe().Hardware.LinearAcceleration
	want := v*d.Describe().Holds.Seconds() + v*v/2/a
	if got := (rolled.Left + rolled.Right) / 2; !(math.Abs(got-want) <= 0.2*want+3*v/d.Describe().Rate) {
		return fmt.Errorf("the reading after a gap tells %.3f m; the base went about %.3f m", got, want)
	}
	const n = 10
	if _, _, err = readNext(d, n, nil); err != nil {
		return err
	}
	if took := time.Since(began); took < (n-3)*readingPeriod(d) {
		return fmt.Errorf("%d readings come in %v after a gap; they must keep the rate and not be old ones", n, took)
	}
	return nil
}

func checkRefusals(d robot.Driver) error {
	for _, bad := range []robot.Twist{{Linear: math.NaN()}, {Angular: math.NaN()}, {Linear: math.Inf(1)}, {Angular: math.Inf(-1)}} {
		if err := reachSpeed(d); err != nil {
			return err
		}
		if err := d.Drive(bad); err == nil {
			return fmt.Errorf("Drive(%+v) is not refused", bad)
		}
		// The base must brake at once, not only when the last command expires.
		n := countReadings(d, d.Describe().Holds)
		rolled, _, err := readNext(d, n, nil)
		if err != nil {
			return err
		}
		v, t := testSpeed(d), float64(n)/d.Describe().Rate
		a := d.Describe().Hardware.LinearAcceleration
		t = min(t, v/a)
		most := v*t - a*t*t/2 + 2*v/d.Describe().Rate
		if got := (rolled.Left + rolled.Right) / 2; !(got <= most*1.05) {
			return fmt.Errorf("after Drive(%+v) the base goes %.3f m in %d readings; braking it goes at most %.3f m", bad, got, n, most)
		}
		if _, _, err = readNext(d, countReadings(d, brakingTime(d))+5, nil); err != nil {
			return err
		}
		if err := checkStandstill(d); err != nil {
			return err
		}
	}
	return nil
}

func checkLimits(d robot.Driver) error {
	desc := d.Describe()
	// Drive forward for half a second, then turn on the spot at the limit.
	command := robot.Twist{Linear: 100 * desc.Hardware.Linear}
	n := countReadings(d, time.Second/2)
	rolled, _, err := readNext(d, n, &command)
	if err != nil {
		return err
	}
	t := float64(n+1) / desc.Rate
	if got, most := (rolled.Left+rolled.Right)/2, desc.Hardware.LinearAcceleration*t*t/2; !(got <= most*1.1+0.005) {
		return fmt.Errorf("from standstill the base goes %.3f m in %.2f s; its acceleration allows %.3f m", got, t, most)
	}
	command = robot.Twist{}
	if _, _, err = readNext(d, countReadings(d, 2*time.Second), &command); err != nil {
		return err
	}
	command = robot.Twist{Angular: 100 * desc.Hardware.Angular}
	if _, _, err = readNext(d, countReadings(d, time.Duration(1.2*desc.Hardware.Angular/desc.Hardware.AngularAcceleration*float64(time.Second))), &command); err != nil {
		return err
	}
	n = countReadings(d, time.Second)
	if rolled, _, err = readNext(d, n, &command); err != nil {
		return err
	}
	got := desc.Drivetrain.Twist(rolled).Angular / (float64(n) / desc.Rate)
	if !(got >= 0.8*desc.Hardware.Angular && got <= 1.1*desc.Hardware.Angular) {
		return fmt.Errorf("asked for %.1f rad/s the base turns with %.2f rad/s; it must turn with its limit, %.2f rad/s", command.Angular, got, desc.Hardware.Angular)
	}
	return nil
}

func checkDriving(d robot.Driver) error {
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			if _, err := d.Read(ctx); err != nil {
				return
			}
		}
	}()
	defer func() { cancel(); <-stopped }()
	const n = 200
	began := time.Now()
	for range n {
		if err := d.Drive(robot.Twist{}); err != nil {
			return fmt.Errorf("Drive: %w", err)
		}
	}
	if each := time.Since(began) / n; each > readingPeriod(d)/4 {
		return fmt.Errorf("a Drive takes %v while another goroutine reads", each)
	}
	return nil
}

func contextEnds(d robot.Driver) error {
	if _, _, err := readNext(d, 1, nil); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), readingPeriod(d)/4)
	defer cancel()
	began := time.Now()
	if _, err := d.Read(ctx); !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("a Read that has only a quarter of a period says %w", orNil(err))
	}
	if took := time.Since(began); took > readingPeriod(d)*9/10 {
		return fmt.Errorf("a Read outlives its context by %v", took-readingPeriod(d)/4)
	}
	gone, cancelled := context.WithCancel(context.Background())
	cancelled()
	if _, err := d.Read(gone); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("a Read with a cancelled context says %w", orNil(err))
	}
	if _, _, err := readNext(d, 2, nil); err != nil {
		return fmt.Errorf("and then the driver is of no use: %w", err)
	}
	return nil
}

func checkClose(d robot.Driver) error {
	if err := reachSpeed(d); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() {
		for {
			if _, err := d.Read(context.Background()); err != nil {
				ended <- err
				return
			}
		}
	}()
	if err := d.Close(); err != nil {
		return fmt.Errorf("Close: %w", err)
	}
	timer := time.NewTimer(10 * readingPeriod(d))
	defer timer.Stop()
	select {
	case err := <-ended:
		if !errors.Is(err, robot.ErrClosed) {
			return fmt.Errorf("a Read that waits while the driver is closed says %w", orNil(err))
		}
	case <-timer.C:
		return errors.New("a Read still waits after Close")
	}
	if _, err := d.Read(context.Background()); !errors.Is(err, robot.ErrClosed) {
		return fmt.Errorf("Read after Close says %w", orNil(err))
	}
	if err := d.Drive(robot.Twist{Linear: 0.1}); !errors.Is(err, robot.ErrClosed) {
		return fmt.Errorf("Drive after Close says %w", orNil(err))
	}
	if err := d.Close(); err != nil {
		return fmt.Errorf("the second Close says %w", err)
	}
	return nil
}

func checkLook(d robot.Driver) error {
	head := d.Describe().Head
	p, ok := d.(robot.PanTilt)
	if head == nil || !ok {
		if head != nil {
			return errors.New("the description has a head that the driver cannot turn")
		}
		if ok {
			if err := p.Look(robot.HeadAngles{}); !errors.Is(err, robot.ErrNA) {
				return fmt.Errorf("without a head Look says %w", orNil(err))
			}
		}
		return nil
	}
	if err := p.Look(robot.HeadAngles{Pan: 100, Tilt: -100}); err != nil {
		return fmt.Errorf("Look beyond the limits: %w", err)
	}
	travel := max(head.PanMax-head.PanMin, head.TiltMax-head.TiltMin)
	_, r, err := readNext(d, countReadings(d, time.Duration(travel/head.Speed*float64(time.Second)))+10, nil)
	if err != nil {
		return err
	}
	const most = 0.02 // rad
	if math.Abs(r.Head.Pan-head.PanMax) > most || math.Abs(r.Head.Tilt-head.TiltMin) > most {
		return fmt.Errorf("asked for more the head looks to %+v; it must stop at pan %.3f and tilt %.3f", r.Head, head.PanMax, head.TiltMin)
	}
	return nil
}

// checkJoints moves all joints to one of their limits; joints without limits turn once from
// home.
func checkJoints(d robot.Driver) error {
	all := d.Describe().Joints
	p, ok := d.(robot.JointMover)
	if len(all) == 0 {
		if ok {
			if err := p.MoveJoints(map[string]float64{"no such joint": 0}); !errors.Is(err, robot.ErrNA) {
				return fmt.Errorf("without joints MoveJoints says %w", orNil(err))
			}
		}
		return nil
	}
	if !ok {
		return errors.New("the description has joints that the driver cannot move")
	}
	_, before, err := readNext(d, 1, nil)
	if err != nil {
		return err
	}
	if len(before.Joints) != len(all) {
		return fmt.Errorf("there are %d positions for %d joints", len(before.Joints), len(all))
	}
	beyond, want, longest := map[string]float64{}, make([]float64, len(all)), 0.0
	for i, j := range all {
		want[i] = j.Min
		beyond[j.Name] = j.Min - 1
		if j.IsEndless() {
			want[i] = j.Home + 2*math.Pi
			beyond[j.Name] = want[i]
		}
		longest = max(longest, math.Abs(want[i]-before.Joints[i])/j.Speed)
	}
	if err := p.MoveJoints(beyond); err != nil {
		return fmt.Errorf("MoveJoints beyond the limits: %w", err)
	}
	const most, latest = 0.02, 25 // rad or m; readings
	for n := range countReadings(d, time.Duration(longest*float64(time.Second))) + latest {
		_, r, err := readNext(d, 1, nil)
		if err != nil {
			return err
		}
		for i, j := range all {
			if moved := math.Abs(r.Joints[i] - before.Joints[i]); moved > j.Speed*float64(n+latest)/d.Describe().Rate {
				return fmt.Errorf("the joint %q moves by %.3f in %d readings, faster than with %.3f a second", j.Name, moved, n+1, j.Speed)
			}
		}
	}
	_, r, err := readNext(d, 1, nil)
	if err != nil {
		return err
	}
	for i, j := range all {
		if math.Abs(r.Joints[i]-want[i]) > most {
			return fmt.Errorf("the joint %q goes to %.3f; it must stop at %.3f", j.Name, r.Joints[i], want[i])
		}
	}
	return nil
}

// checkSpeaker makes the base speak two texts, the second one in the middle of the first.
func checkSpeaker(d robot.Driver) error {
	has := d.Describe().Speaker
	p, ok := d.(robot.Speaker)
	switch {
	case has && !ok:
		return errors.New("the description has a speaker that the driver does not use")
	case !ok:
		return nil
	case !has:
		if err := p.Say(robot.Speech{Number: 1, Text: "Hello!"}); !errors.Is(err, robot.ErrNA) {
			return fmt.Errorf("without a speaker Say says %w", orNil(err))
		}
		return nil
	}
	const cut, whole = 1_000_001, 1_000_002
	before := p.Said()
	for _, s := range []robot.Speech{{Number: cut, Text: "This text is interrupted by the next one.", Voice: "en", Speed: 1}, {Number: whole, Text: "Hello!", Voice: "en", Speed: 1}} {
		if err := p.Say(s); err != nil {
			return fmt.Errorf("Say(%q): %w", s.Text, err)
		}
		if said := p.Said(); said != before {
			return fmt.Errorf("right after Say, Said is %d; it must stay what it was until the text has been spoken", said)
		}
	}
	const most = 10 * time.Second
	for range countReadings(d, most) {
		if _, _, err := readNext(d, 1, nil); err != nil {
			return err
		}
		switch p.Said() {
		case whole:
			return nil
		case cut:
			return errors.New("it says that it has spoken a text to its end that another one has replaced")
		}
	}
	return fmt.Errorf("within %v it does not say that it has spoken %q", most, "Hello!")
}

func checkDisplay(d robot.Driver) error {
	has := d.Describe().Display
	p, ok := d.(robot.Display)
	if !ok {
		if has {
			return errors.New("the description has a display that the driver does not use")
		}
		return nil
	}
	for _, lines := range [][]string{{"Touch OK", "when the tray is full"}, make([]string, 100), nil} {
		if err := p.Show(lines); has && err != nil || !has && !errors.Is(err, robot.ErrNA) {
			return fmt.Errorf("with a display: %v, Show of %d lines says %w", has, len(lines), orNil(err))
		}
	}
	return nil
}

// orNil replaces a nil error by one that can be printed.
func orNil(err error) error {
	if err == nil {
		return errors.New("nothing")
	}
	return err
}
