package sketch

import (
	"fmt"
	"math"
	"slices"
	"time"

	"mybot/robot"
)

// MaxRange is how far from its start, in m, the robot draws: farther away the error
// of wheels and compass exceeds the width of a door.
const MaxRange = 15.0

const (
	pingDistance = 0.03                   // m that a sonar must move, or
	pingTurn     = 3 * math.Pi / 180      // rad that it must turn, before its next ping is drawn
	minPings     = 2                      // successive pings that must agree
	agree        = 0.10                   // m by which they may differ
	sameFor      = 150 * time.Millisecond // time after which an unchanged range counts as a new ping
	stepDistance = 0.2                    // m between two poses of the trail
)

// A Sketch is a sketch in progress. The zero Sketch is unusable; call New.
type Sketch struct {
	desc     robot.Description
	at       robot.Pose // of base_link, in map
	begun    bool       // there was a reading
	sonars   []listener
	pings    []ping // drawn so far, in order
	trail    []pass // while it was drawn
	picture  picture
	distance float64 // m
	paused   bool
}

// A pass is a pose of the robot on its path.
type pass struct {
	base     robot.Pose // in map
	distance float64    // m driven by then
}

// A listener is one sonar and its last range.
type listener struct {
	echo   float64    // m
	since  time.Time  // since when it has reported this range
	agrees int        // successive pings with about the same range
	drawn  robot.Pose // of the sonar in map, when its last ping was drawn
	any    bool       // a ping was drawn
}

// A ping is a drawn echo.
type ping struct {
	at       robot.Pose // of the sonar in map
	sonar    int
	echo     float64 // m
	distance float64 // m driven by then
	base     robot.Pose
}

// Offer returns the explanation for people before a robot with sonars and no lidar
// begins; ok is false for other robots.
func Offer(desc robot.Description) (sentence string, ok bool) {
	if len(desc.Lidars) > 0 || len(desc.Sonars) == 0 {
		return "", false
	}
	return "This robot has sonars only, so it cannot make a map by driving: that takes a lidar that sees 180 degrees or more. It can have a sketch, or walls that you draw by hand. " +
		Limits(desc) + " Walls drawn by hand are as exact as you measured them, on an empty sheet or on top of a sketch.", true
}

// Limits describes the accuracy of a robot's sketch, in sentences.
func Limits(desc robot.Description) string {
	with := "wheels and compass"
	if !desc.Compass {
		with = "the wheels alone"
	}
	return fmt.Sprintf("A sketch is no map: it shows the free floor within %.0f m of where it begins, and walls within one or two decimetres, nine in ten within four. "+
		"It is placed by %s: after 40 m of driving it is off by up to half a metre, and coming back to a place does not correct that.", MaxRange, with)
}

// New returns an empty sketch.
func New(desc robot.Description) *Sketch {
	return &Sketch{desc: desc, sonars: make([]listener, len(desc.Sonars)), picture: newPicture()}
}

// Observe takes a reading and the pose of base_link, in map, by wheels and compass.
// The caller must pass every reading, even while the sketch is paused. A pose that
// is not finite is ignored.
func (s *Sketch) Observe(at robot.Pose, r robot.Reading) {
	if !robot.Finite(at.X, at.Y, at.Theta) {
		return
	}
	if s.begun {
		s.distance += at.Point().Sub(s.at.Point()).Norm()
	}
	s.at, s.begun = at, true
	if s.isDrawing() {
		s.picture.clearHull(at, s.desc.Body.Hull)
		if n := len(s.trail); n == 0 || s.trail[n-1].base.Point().Sub(at.Point()).Norm() >= stepDistance {
			s.trail = append(s.trail, pass{at, s.distance})
		}
	}
	for i := range s.sonars {
		if i < len(r.Ranges) {
			s.takeRange(i, r.Ranges[i], r.Time)
		}
	}
}

// isDrawing reports whether echoes are being drawn.
func (s *Sketch) isDrawing() bool { return !s.paused && !s.Outside() }

// takeRange takes the range of sonar i, in m. A sonar repeats a range until its next
// ping returns.
func (s *Sketch) takeRange(i int, d float64, now time.Time) {
	l := &s.sonars[i]
	if d == l.echo && now.Sub(l.since) < sameFor {
		return
	}
	if math.Abs(d-l.echo) <= agree {
		l.agrees++
	} else {
		l.agrees = 1
	}
	l.echo, l.since = d, now
	at := s.at.Compose(s.desc.Sonars[i].Pose)
	moved := l.drawn.Inverse().Compose(at)
	switch {
	case !s.isDrawing() || !robot.Finite(d) || d <= 0 || d >= s.desc.Sonars[i].Max || l.agrees < minPings:
	case l.any && moved.Point().Norm() < pingDistance && math.Abs(moved.Theta) < pingTurn:
	default:
		l.drawn, l.any = at, true
		p := ping{at: at, sonar: i, echo: d, distance: s.distance, base: s.at}
		s.pings = append(s.pings, p)
		s.picture.drawEcho(p, s.desc.Sonars[i])
	}
}

// Pause stops drawing until Resume. The robot is still tracked.
func (s *Sketch) Pause() { s.paused = true }

// Resume continues drawing.
func (s *Sketch) Resume() { s.paused = false }

// Paused reports whether drawing is paused.
func (s *Sketch) Paused() bool { return s.paused }

// Undo removes what was drawn over the last distance metres.
func (s *Sketch) Undo(distance float64) {
	from := s.distance - distance
	s.pings = slices.DeleteFunc(s.pings, func(p ping) bool { return p.distance > from })
	s.trail = slices.DeleteFunc(s.trail, func(p pass) bool { return p.distance > from })
	s.picture = newPicture()
	for i := range s.sonars {
		s.sonars[i].any = false
	}
	s.picture.drawAll(s.desc, s.pings, robot.Pose{})
}

// Pose returns the newest pose of base_link in map.
func (s *Sketch) Pose() robot.Pose { return s.at }

// Way returns how far the robot has driven, in m.
func (s *Sketch) Way() float64 { return s.distance }

// Pings returns the number of drawn echoes.
func (s *Sketch) Pings() int { return len(s.pings) }

// Outside reports whether the robot is farther than MaxRange from its start, where
// it draws nothing.
func (s *Sketch) Outside() bool { return s.at.Point().Norm() > MaxRange }

// Grid returns the sketch as a grid in map, cropped to known cells.
func (s *Sketch) Grid() robot.Grid { return s.picture.toGrid() }

// Trail returns the poses of the robot while it was drawing, in map.
func (s *Sketch) Trail() []robot.Pose {
	trail := make([]robot.Pose, len(s.trail))
	for i, p := range s.trail {
		trail[i] = p.base
	}
	return trail
}

// errEmpty says that nothing has been drawn yet.
var errEmpty = robot.Refusef("There is no sketch yet: drive the robot, so that its sonars hear walls.")

// Plan returns the sketch as a floor plan, whose name says that it is a sketch. The
// error is a sentence for people.
func (s *Sketch) Plan(name string) (*robot.Floorplan, error) {
	if len(s.pings) == 0 {
		return nil, errEmpty
	}
	return &robot.Floorplan{Name: name + NameSuffix, Grid: s.Grid()}, nil
}

// NameSuffix ends the name of a map that is a sketch.
const NameSuffix = " (sketch)"

// Result returns the current sketch. The error is a sentence for people.
func (s *Sketch) Result() (*Result, error) {
	if len(s.pings) == 0 {
		return nil, errEmpty
	}
	return &Result{desc: s.desc, pings: slices.Clone(s.pings), trail: s.Trail(), grid: s.Grid()}, nil
}
