package sessiontest

import (
	"context"
	"math"
	"slices"
	"time"

	"mybot/localization"
	"mybot/robot"
	"mybot/robot/models"
	"mybot/robot/onboard"
)

// limbs are the head, the arm and the wheels of the robot of a history, with the
// control loop and Core that drive them. They check the wheels as strictly as the
// real ones would, and they are slow, so that a command to a part can be withdrawn
// while the part moves.
type limbs struct {
	*history
	desc  robot.Description
	loop  *onboard.VirtualLoop
	clock time.Time // the loop's time
	at    time.Time // of the newest reading, or of the one that the loop missed

	head, headTo   robot.HeadAngles
	joints, leadTo []float64
	newest         robot.Reading // the newest reading that the loop got
	wheels         robot.Twist
	wheelsAt       time.Time // when they were commanded
	drivenAt       time.Time // when a drive sample was last accepted
	lookedBy       int       // the command that turns the head, -1 = none
	movedBy        int       // the command that moves the arm

	heldUpUntil time.Time // the loop does nothing until then
	awakeUntil  time.Time // the loop is active until then
}

// reading is the time between two readings.
const reading = 20 * time.Millisecond

// headSpeed is how fast the head turns, in rad/s.
const headSpeed = 1.0

// newLimbs returns the limbs of the built-in robot with an arm, without range
// sensors.
func newLimbs(h *history) *limbs {
	data, _ := models.Find(models.ArmName)
	desc, err := robot.ParseDescription(data)
	if err != nil {
		panic(err) // it is built in
	}
	desc.Sonars, desc.Compass, desc.Links = nil, false, nil
	l := &limbs{history: h, desc: desc, clock: start, at: start, lookedBy: -1, movedBy: -1}
	for _, j := range desc.Joints {
		l.joints = append(l.joints, j.Home)
	}
	l.leadTo = slices.Clone(l.joints)
	l.loop = onboard.NewVirtualLoop(l, onboard.NewCore(desc, localization.NewOdometry(desc, robot.Pose{}), nil), start)
	l.readAt(start)
	return l
}

// holdUp blocks the loop for a time from now on.
func (l *limbs) holdUp(d time.Duration) {
	l.runUntil(l.now)
	l.heldUpUntil = l.now.Add(d)
	l.stayAwake(l.heldUpUntil)
}

// stayAwake passes readings to the loop for a while after a time.
func (l *limbs) stayAwake(t time.Time) { l.awakeUntil = t.Add(10 * reading) }

// isActive reports whether anything moves or may be about to move.
func (l *limbs) isActive() bool {
	return l.at.Before(l.awakeUntil) || !l.wheels.IsZero() || l.head != l.headTo || !slices.Equal(l.joints, l.leadTo) ||
		slices.ContainsFunc(l.loop.State().Joints.To, func(to float64) bool { return !math.IsNaN(to) })
}

// runUntil moves the limbs until a time. While nothing moves it makes no readings,
// because they would change nothing.
func (l *limbs) runUntil(t time.Time) {
	for l.isActive() && !l.at.Add(reading).After(t) {
		l.readAt(l.at.Add(reading))
	}
}

// catchUp runs until now and ends with a fresh reading.
func (l *limbs) catchUp() {
	l.runUntil(l.now)
	if l.now.Sub(l.at) > reading {
		l.readAt(l.now.Add(-reading))
		l.readAt(l.now)
	}
}

// readAt moves the limbs until a time, and passes the loop a reading of that time.
func (l *limbs) readAt(at time.Time) {
	dt := min(at.Sub(l.at), reading).Seconds()
	l.at, l.clock = at, at
	if l.head != l.headTo {
		l.head.Pan, l.head.Tilt = stepToward(l.head.Pan, l.headTo.Pan, headSpeed*dt), l.headTo.Tilt
		if l.lookedBy >= 0 {
			l.noteMotion(l.lookedBy, at)
		}
	}
	if !slices.Equal(l.joints, l.leadTo) {
		for i, j := range l.desc.Joints {
			l.joints[i] = stepToward(l.joints[i], l.leadTo[i], j.Speed*dt)
		}
		if l.movedBy >= 0 {
			l.noteMotion(l.movedBy, at)
		}
	}
	if at.Sub(l.wheelsAt) > l.desc.Holds {
		l.wheels = robot.Twist{}
	}
	turn := l.wheels.Angular * l.desc.Drivetrain.WheelBase / 2
	r := robot.Reading{
		Time: at, Heading: math.NaN(), Battery: robot.UnknownBattery(), Head: l.head, Joints: slices.Clone(l.joints),
		Travel: robot.Wheels{Left: (l.wheels.Linear - turn) * dt, Right: (l.wheels.Linear + turn) * dt},
	}
	if !at.Before(l.heldUpUntil) {
		l.loop.Wake(at)
		l.newest = r
		l.loop.Read(r)
	}
}

// stepToward moves x toward to by at most step.
func stepToward(x, to, step float64) float64 {
	if math.Abs(to-x) <= step {
		return to
	}
	return x + math.Copysign(step, to-x)
}

// passOrder passes the loop an order. A blocked loop executes it when it resumes, after a
// reading; the caller waits for the answer meanwhile.
func (l *limbs) passOrder(cmd robot.Command) robot.Result {
	l.catchUp()
	if l.heldUpUntil.After(l.now) {
		l.runUntil(l.heldUpUntil)
		l.skipTo(l.heldUpUntil)
		l.catchUp()
	}
	l.clock = l.now
	l.stayAwake(l.now)
	r := l.loop.Do(l.now, cmd)
	if d, ok := cmd.(robot.Drive); ok && r.Done() && !d.Twist.IsZero() {
		l.drivenAt = l.now
	}
	return r
}

// passStop latches a stop. A blocked loop executes it when it resumes.
func (l *limbs) passStop(by string) {
	l.catchUp()
	l.stayAwake(l.now)
	l.loop.Stop(by)
	if l.clock = l.now; !l.heldUpUntil.After(l.now) {
		l.loop.Wake(l.now)
	}
}

// Describe implements robot.Driver.
func (l *limbs) Describe() robot.Description { return l.desc }

// Read is never called, because a virtual loop is given its readings.
func (l *limbs) Read(context.Context) (robot.Reading, error) { return robot.Reading{}, robot.ErrClosed }

// Close implements robot.Driver.
func (l *limbs) Close() error { return nil }

// Drive implements robot.Driver. The wheels may turn for a moment after the last
// accepted sample, while they brake.
func (l *limbs) Drive(t robot.Twist) error {
	l.wheels, l.wheelsAt = t, l.clock
	if !t.IsZero() && l.clock.Sub(l.drivenAt) > 1500*time.Millisecond {
		l.loans.BaseMovedByBorrower++
		l.reportFault("the wheels turn, and nobody drives")
	}
	return nil
}

// Look implements robot.PanTilt.
func (l *limbs) Look(a robot.HeadAngles) error {
	l.headTo, l.lookedBy = a, -1 // the loop believes the head to be there, unless a command asked for it
	if n, ok := l.loans.looks[a.Pan]; ok && a != l.newest.Head {
		l.lookedBy = n
	}
	return nil
}

// MoveJoints implements robot.JointMover.
func (l *limbs) MoveJoints(at map[string]float64) error {
	for name, to := range at {
		i := l.desc.Joint(name)
		if l.leadTo[i] = to; to == l.newest.Joints[i] {
			l.movedBy = -1 // the arm stays where it is
		}
	}
	return nil
}
