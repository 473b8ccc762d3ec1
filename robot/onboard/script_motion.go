package onboard

import (
	"math"

	"mybot/robot"
	"mybot/robot/guard"
	"mybot/robot/limits"
)

// catchUp is by how much a motion is faster than its reference for each unit that is
// missing, in 1/s.
const catchUp = 2

// An axis is one of the devices by which scripts move the wheels: its value is how far the
// robot has rolled or turned. The script's reference moves, and the robot follows it. How
// far the reference may lead is bounded: a robot that was held up does not hurry
// afterwards, and its command ends short of the target, with a fault.
type axis struct {
	path     string
	speed    float64 // safe, in the device's unit per s
	slowing  float64 // safe acceleration, in the device's unit per s2
	lead     float64 // that the reference may always have
	measured float64

	told   float64 // newest output of the machine
	isTold bool    // there was an output since the last tick
	active bool    // a motion was in progress in the last tick
	from   float64 // the reference then
	to     float64 // where the robot should be now
}

func newAxes(d robot.Description) []axis {
	all := []axis{
		{path: driveAxis + ".val", speed: d.Safe.Linear, slowing: d.Safe.LinearAcceleration, lead: 0.05},
		{path: turnAxis + ".val", speed: robot.Degrees(d.Safe.Angular), slowing: robot.Degrees(d.Safe.AngularAcceleration), lead: 5},
	}
	if r := d.Encoder.WheelRadius; r > 0 {
		for _, name := range []string{leftAxis, rightAxis} {
			all = append(all, axis{path: name + ".val", speed: robot.Degrees(d.Safe.Linear / r), slowing: robot.Degrees(d.Safe.LinearAcceleration / r), lead: 5})
		}
	}
	return all
}

// roll adds the wheel travel of a reading to the axes.
func (s *scripted) roll(travel robot.Wheels) {
	if !robot.Finite(travel.Left, travel.Right) {
		return
	}
	by := s.desc.Drivetrain.Twist(travel)
	s.axes[0].measured += by.Linear
	s.axes[1].measured += robot.Degrees(by.Angular)
	if len(s.axes) > 2 {
		s.axes[2].measured += robot.Degrees(travel.Left / s.desc.Encoder.WheelRadius)
		s.axes[3].measured += robot.Degrees(travel.Right / s.desc.Encoder.WheelRadius)
	}
}

// follow returns the speed, in the device's unit per s, that follows the reference: its own
// speed and catchUp of what is missing. end is where the motion ends; NaN = it has no end.
func (a *axis) follow(dt, end float64) float64 {
	ref := a.told
	if !a.active {
		a.active, a.from, a.to = true, a.measured, a.measured
		if !a.isTold {
			ref = a.measured
		}
	}
	by := ref - a.from
	a.from, a.isTold = ref, false
	missing := math.Abs(a.to - a.measured)
	a.to += by
	speed := 0.0
	if math.Abs(by) <= 2*a.speed*dt { // otherwise the script set it at once
		speed = by / dt
		most := max(missing, a.lead+0.75*speed*speed/a.slowing)
		a.to = robot.Clamp(a.to, a.measured-most, a.measured+most)
	}
	speed += catchUp * (a.to - a.measured)
	if !math.IsNaN(end) { // slow down in time for the end
		fastest := math.Sqrt(1.6 * a.slowing * math.Abs(end-a.measured))
		speed = robot.Clamp(speed, -fastest, fastest)
	}
	return speed
}

// skipReferences leaves out what the references of the motions did while the robot could not
// follow: it does not hurry after them.
func (s *scripted) skipReferences() {
	for i := range s.axes {
		if a := &s.axes[i]; a.active {
			a.from, a.to, a.isTold = a.told, a.measured, false
		}
	}
}

// requestMotion returns the velocity that the motions of the scripts make together.
func (s *scripted) requestMotion(dt float64) (t robot.Twist, moving bool) {
	var speeds [4]float64
	for i := range s.axes {
		a := &s.axes[i]
		if !s.machine.IsMoving(a.path) {
			a.active, a.isTold = false, false
			continue
		}
		end, ok := s.machine.Target(a.path)
		if !ok {
			end = math.NaN()
		}
		moving, speeds[i] = true, a.follow(dt, end)
	}
	if !moving {
		return t, false
	}
	t = robot.Twist{Linear: speeds[0], Angular: robot.Radians(speeds[1])}
	if len(s.axes) > 2 {
		r := s.desc.Encoder.WheelRadius
		by := s.desc.Drivetrain.Twist(robot.Wheels{Left: r * robot.Radians(speeds[2]), Right: r * robot.Radians(speeds[3])})
		t.Linear, t.Angular = t.Linear+by.Linear, t.Angular+by.Angular
	}
	return t, true
}

// alone is the guard's approach zone for a robot that a script drives, possibly with no
// person nearby.
var alone = guard.Approach{Stop: limits.StopDistance, Autonomous: true}

// turnHead moves the set point of the head toward what the scripts want, at most with the
// head's speed. A lent head is the borrower's.
func (s *scripted) turnHead(dt float64) {
	if s.desc.Head == nil || s.lent.Head || s.stop != nil {
		return
	}
	pans, tilts := s.machine.IsMoving(panPath), s.machine.IsMoving(tiltPath)
	if !pans && !tilts { // a command is over a little before its end
		pans, tilts = s.headMoves && s.licence.licensed, s.headMoves && s.licence.licensed
		s.headMoves = pans && s.headIsNear()
		if !s.headMoves {
			return
		}
	}
	if !s.headMoves { // begin where the head is
		s.headMoves, s.head = true, s.reading.Head
		if !robot.Finite(s.head.Pan, s.head.Tilt) {
			s.head = robot.HeadAngles{}
		}
	}
	step, before := s.desc.Head.Speed*dt, s.head
	if pans {
		s.head.Pan = stepTo(s.head.Pan, robot.Radians(s.headWanted.Pan), step)
	}
	if tilts {
		s.head.Tilt = stepTo(s.head.Tilt, robot.Radians(s.headWanted.Tilt), step)
	}
	s.headUnsent = s.headUnsent || s.head != before
}

// headIsNear reports whether the set point is close to where the scripts want it, but not
// there.
func (s *scripted) headIsNear() bool {
	const near = 3 // deg
	pan, tilt := math.Abs(s.headWanted.Pan-robot.Degrees(s.head.Pan)), math.Abs(s.headWanted.Tilt-robot.Degrees(s.head.Tilt))
	return pan <= near && tilt <= near && pan+tilt > 1e-9
}

// takeLook returns where the head should look, if that has changed since the last call.
func (s *scripted) takeLook() (a robot.HeadAngles, ok bool) {
	ok, s.headUnsent = s.headUnsent && s.stop == nil, false
	return s.head, ok
}

// takeOutputs takes what the machine sets devices to.
func (s *scripted) takeOutputs() {
	for _, o := range s.machine.Outputs() {
		x, _ := o.Value.Number()
		switch o.Name {
		case panPath:
			s.headWanted.Pan = x
		case tiltPath:
			s.headWanted.Tilt = x
		case "speaker.val", "display.val":
			s.sayOrShow(o)
		case qualityPath, loadPath:
			s.setCamera(o.Name, x, o.Unit)
		default:
			pretended := s.pretender != ""
			for i := range s.axes {
				if a := &s.axes[i]; a.path == o.Name {
					a.told, a.isTold, pretended = x, true, false
				}
			}
			if pretended {
				s.pretends[o.Name] = true
			}
			if o.Name == okPath {
				s.pretendedOK = x != 0
			}
		}
	}
}
