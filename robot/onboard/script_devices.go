package onboard

import (
	"math"
	"time"

	"mybot/robot"
	"mybot/script"
)

// measure gives the machine what the robot measures and does.
func (s *scripted) measure(now time.Time) {
	s.measureRanges()
	s.measureMotion()
	s.measureErrands()
	p, b := s.estimate.Pose, s.reading.Battery
	s.set("pose.x", p.X)
	s.set("pose.y", p.Y)
	s.set("pose.heading", robot.Degrees(p.Theta))
	s.setText("pose.trust", s.estimate.Trust.String())
	far, _, _ := s.estimate.Covariance.Position()
	s.set("pose.error", far)
	s.set("compass.val", robot.Degrees(s.reading.Heading))
	s.set("battery.val", 100*b.Charge)
	s.set("battery.volts", b.Volts)
	s.setFlag("battery.charging", b.Charging)
	if b.Left > 0 {
		s.set("battery.left", math.Round(b.Left.Minutes()))
	}
	s.setFlag(okPath, s.reading.OK || now.Before(s.okUntil))
	s.setFlag("bump.val", s.reading.Bump)
	s.measureUsers()
	local := now.Add(s.wallAhead + s.clockAhead).Local()
	hour, minute, second := local.Clock()
	s.set("clock.hour", float64(hour))
	s.set("clock.minute", float64(minute))
	s.set("clock.second", float64(second))
	s.set("clock.weekday", float64((int(local.Weekday())+6)%7+1)) // 1 = Monday
}

// measureUsers gives the machine who uses the robot.
func (s *scripted) measureUsers() {
	s.setText("control.val", s.users.Control)
	s.set("people.val", float64(s.users.Count))
}

// measureRanges gives the machine what sonars and lidars see.
func (s *scripted) measureRanges() {
	var nearest [4]float64
	for i := range nearest {
		nearest[i] = math.Inf(1)
	}
	note := func(angle, far float64) {
		for i, one := range sides {
			if one.covers(angle) {
				nearest[i] = min(nearest[i], far)
			}
		}
	}
	for i, sonar := range s.desc.Sonars {
		if i < len(s.ranges) && !math.IsNaN(s.ranges[i]) {
			s.set(s.sonarNames[i], s.ranges[i])
			note(sonar.Pose.Theta, s.ranges[i])
		}
	}
	for _, ray := range s.rays {
		if ray.Echo {
			note(math.Atan2(ray.To.Y, ray.To.X), ray.To.Sub(ray.From).Norm())
		}
	}
	if len(s.desc.Lidars) == 0 || len(s.rays) > 0 { // between two scans the last one counts
		for i := range sides {
			s.set(s.sideNames[i], nearest[i])
		}
	}
	s.set("near.val", s.nearest.Distance)
}

// measureMotion gives the machine where wheels and head are.
func (s *scripted) measureMotion() {
	s.set("speed.linear", s.measured.Linear)
	s.set("speed.angular", robot.Degrees(s.measured.Angular))
	for i := range s.axes {
		s.set(s.axes[i].path, s.axes[i].measured)
	}
	pan, tilt := robot.Degrees(s.reading.Head.Pan), robot.Degrees(s.reading.Head.Tilt)
	if !s.headMoves && !s.machine.IsMoving(panPath) {
		s.headWanted.Pan = pan
	}
	if !s.headMoves && !s.machine.IsMoving(tiltPath) {
		s.headWanted.Tilt = tilt
	}
	s.set(panPath, pan)
	s.set(tiltPath, tilt)
}

// measureErrands gives the machine what the robot is about.
func (s *scripted) measureErrands() {
	g := &s.navigator.run.goal
	s.setText("goal.phase", string(g.Phase))
	s.setText("goal.name", g.Name)
	s.setText("goal.result", string(g.Result.Word))
	s.set("goal.left", g.Left)
	s.setFlag("goal.blocked", g.Blocked != nil)
	if run := s.jobs.run; run != nil {
		r := run.State()
		s.setText("job.phase", string(r.Phase))
		s.setText("job.name", r.Name)
		s.set("job.step", float64(min(r.Step+1, len(r.Steps))))
	}
	s.setFlag("stop.val", s.stop != nil)
	by := ""
	if s.stop != nil {
		by = s.stop.By
	}
	s.setText("stop.by", by)
}

// set sets a measured number. What is not known keeps its last value.
func (s *scripted) set(name string, x float64) {
	if !math.IsNaN(x) && !s.pretends[name] {
		s.machine.Measure(name, script.Number(x))
	}
}

func (s *scripted) setText(name, text string) {
	if !s.pretends[name] {
		s.machine.Measure(name, script.Text(text))
	}
}

func (s *scripted) setFlag(name string, on bool) {
	x := 0.0
	if on {
		x = 1
	}
	s.set(name, x)
}
