package sketch

import (
	"fmt"
	"math"
	"time"

	"mybot/localization"
	"mybot/robot"
)

// MaxRange is how far from where it began, in m, a robot draws: farther away wheels and
// compass are off by more than a door is wide.
const MaxRange = 15.0

const (
	pingWay  = 0.03                   // m that a sonar moves, or
	pingTurn = 3 * math.Pi / 180      // rad that it turns, until its next ping is drawn
	minPings = 2                      // pings in a row that must agree
	agree    = 0.10                   // m that they may differ by
	sameFor  = 150 * time.Millisecond // after which a range that has not changed is a new ping
)

// A Sketch is what one robot draws. The zero Sketch is of no use; New makes one.
type Sketch struct {
	desc    robot.Description
	odom    *localization.Odometry // in map; nil = there was no reading
	sonars  []listener
	pings   []ping // all that were drawn, in their order
	picture picture
	way     float64 // m
	paused  bool
}

// listener is one sonar and what it heard last.
type listener struct {
	echo   float64    // m
	since  time.Time  // that it has told this range
	agrees int        // pings in a row that told about the same
	drawn  robot.Pose // of the sonar in map, when its last ping was drawn
	any    bool       // one was drawn
}

// ping is an echo that was drawn.
type ping struct {
	at    robot.Pose // of the sonar in map
	sonar int
	echo  float64 // m
	way   float64 // m driven by then
	base  robot.Pose
}

// Offer returns what to tell the people before a robot begins that has sonars and no
// lidar; ok is false for other robots.
func Offer(desc robot.Description) (sentence string, ok bool) {
	if len(desc.Lidars) > 0 || len(desc.Sonars) == 0 {
		return "", false
	}
	with := "wheels and compass"
	if !desc.Compass {
		with = "the wheels alone"
	}
	return fmt.Sprintf("This robot has sonars only: it can draw a sketch, not a map. The sketch shows the free floor within %.0f m of where it begins and walls to a decimetre or two, "+
		"placed by %s; it drifts, and coming back to a place does not correct it. Draw the walls on top of it by hand. A map takes a lidar that sees 180 degrees or more.", MaxRange, with), true
}

// New returns an empty sketch.
func New(desc robot.Description) *Sketch {
	return &Sketch{desc: desc, sonars: make([]listener, len(desc.Sonars)), picture: newPicture()}
}

// Observe takes a reading; it must be given every one, also while the sketch is paused.
// Its map frame begins at base_link of the first reading, turned so that the compass
// tells the yaw in it; without a compass x is straight ahead.
func (s *Sketch) Observe(r robot.Reading) {
	if s.odom == nil {
		start := robot.Pose{}
		if robot.Finite(r.Heading) {
			start.Theta = r.Heading
		}
		s.odom = localization.NewOdometry(s.desc, start)
		r.Travel = robot.Wheels{}
	}
	before := s.Pose()
	s.odom.Update(r)
	here := s.Pose()
	s.way += here.Point().Sub(before.Point()).Norm()
	if !s.paused && !s.Outside() {
		s.picture.clearHull(here, s.desc.Body.Hull)
	}
	for i := range s.sonars {
		if i < len(r.Ranges) {
			s.hear(i, r.Ranges[i], here, r.Time)
		}
	}
}

// hear takes the range of sonar i, in m. A sonar repeats a range until its next ping is
// back.
func (s *Sketch) hear(i int, d float64, here robot.Pose, now time.Time) {
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
	at := here.Compose(s.desc.Sonars[i].Pose)
	moved := l.drawn.Inverse().Compose(at)
	switch {
	case s.paused || s.Outside() || !robot.Finite(d) || d <= 0 || d >= s.desc.Sonars[i].Max || l.agrees < minPings:
	case l.any && moved.Point().Norm() < pingWay && math.Abs(moved.Theta) < pingTurn:
	default:
		l.drawn, l.any = at, true
		p := ping{at: at, sonar: i, echo: d, way: s.way, base: here}
		s.pings = append(s.pings, p)
		s.picture.draw(p, s.desc.Sonars[i])
	}
}

// Pause stops drawing until Resume. The robot is still followed.
func (s *Sketch) Pause() { s.paused = true }

// Resume draws on.
func (s *Sketch) Resume() { s.paused = false }

// Paused reports whether nothing is drawn.
func (s *Sketch) Paused() bool { return s.paused }

// Undo takes back what was drawn on the last so many metres.
func (s *Sketch) Undo(way float64) {
	left := len(s.pings)
	for left > 0 && s.pings[left-1].way > s.way-way {
		left--
	}
	s.pings = s.pings[:left]
	s.picture = newPicture()
	for i := range s.sonars {
		s.sonars[i].any = false
	}
	for _, p := range s.pings {
		s.picture.clearHull(p.base, s.desc.Body.Hull)
		s.picture.draw(p, s.desc.Sonars[p.sonar])
	}
}

// Estimate returns where the robot is in map, by wheels and compass.
func (s *Sketch) Estimate() robot.Estimate {
	if s.odom == nil {
		return robot.Estimate{}
	}
	return s.odom.Estimate()
}

// Pose returns the pose of base_link in map.
func (s *Sketch) Pose() robot.Pose { return s.Estimate().Pose }

// Way returns how far the robot has driven, in m.
func (s *Sketch) Way() float64 { return s.way }

// Outside reports whether the robot is farther than MaxRange from where it began, where
// it draws nothing.
func (s *Sketch) Outside() bool { return s.Pose().Point().Norm() > MaxRange }

// Grid returns the sketch as a grid in map, cut to what is known.
func (s *Sketch) Grid() robot.Grid { return s.picture.grid() }

// Plan returns the sketch as a floor plan, whose name says that it is one. The error is a
// sentence for people.
func (s *Sketch) Plan(name string) (*robot.Floorplan, error) {
	if len(s.pings) == 0 {
		return nil, robot.Refusef("There is no sketch yet: drive the robot, so that its sonars hear walls.")
	}
	return &robot.Floorplan{Name: name + " (sketch)", Grid: s.Grid()}, nil
}
