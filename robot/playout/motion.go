package playout

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"mybot/robot"
	"mybot/strictjson"
)

// maxPoints is the largest number of points of a recorded motion: half an hour at 20 Hz.
const maxPoints = 36_000

// A Motion is a recorded drive: a path with times, which the robot can drive again.
type Motion struct {
	Name   string     `json:"name"`
	Made   time.Time  `json:"made"`
	Points []Waypoint `json:"points"`
}

// A Waypoint is one point of a motion.
type Waypoint = robot.Waypoint

// Add records a sample of a drive; samples come in order of time. start is the virtual
// time of the first one, at which the virtual robot stands. If the sample is not later
// than the previous one, or the motion is full, Add ignores it and returns false.
func (m *Motion) Add(start float64, s Sample) (ok bool) {
	w := Waypoint{T: s.T - start, Pose: s.Pose, Twist: s.Twist, Want: s.Want}
	if n := len(m.Points); n >= maxPoints || n > 0 && w.T <= m.Points[n-1].T {
		return false
	}
	m.Points = append(m.Points, w)
	return true
}

// Duration returns the duration of the motion in s.
func (m Motion) Duration() float64 {
	if len(m.Points) == 0 {
		return 0
	}
	return m.Points[len(m.Points)-1].T
}

// Length returns the length of the path, in m.
func (m Motion) Length() float64 {
	sum := 0.0
	for i := 1; i < len(m.Points); i++ {
		sum += m.Points[i].Pose.Point().Sub(m.Points[i-1].Pose.Point()).Norm()
	}
	return sum
}

// samplesOf returns the motion as samples of a stream that a Player can play back, with
// a neutral sample before and after it.
func (m Motion) samplesOf(lease, hold uint64) []Sample {
	if len(m.Points) == 0 {
		return nil
	}
	out := make([]Sample, 0, len(m.Points)+2)
	add := func(t float64, w Waypoint) {
		s := Sample{Lease: lease, Hold: hold, Seq: uint64(len(out)) + 1, T: t, Want: w.Want, Twist: w.Twist, Pose: w.Pose}
		if n := len(out); n > 0 {
			s.S = out[n-1].S + w.Pose.Point().Sub(out[n-1].Pose.Point()).Norm()
		}
		out = append(out, s)
	}
	add(0, Waypoint{Pose: m.Points[0].Pose})
	for _, w := range m.Points {
		add(w.T, w)
	}
	last := m.Points[len(m.Points)-1]
	last.Want = robot.Twist{}
	add(last.T, last)
	return out
}

// notMotion returns an error that says why the data is not a motion, and what a motion
// looks like.
func notMotion(err error) error {
	fault := err.Error()
	var syntax *strictjson.SyntaxError
	var field strictjson.Fault
	switch {
	case errors.As(err, &field) && field.Problem == strictjson.Unknown:
		fault = fmt.Sprintf("it has a field %q", field.Name())
	case errors.As(err, &field) && field.Problem == strictjson.WrongKind:
		fault = fmt.Sprintf("%s is %s", cmp.Or(field.Name(), "it"), field.Is)
	case !errors.As(err, &syntax):
	case syntax.Defect == strictjson.Trailing:
		return errors.New("playout: something follows the motion; the file must be one JSON object")
	case syntax.Defect == strictjson.Empty:
		fault = "it is empty"
	case syntax.Defect == strictjson.Incomplete:
		fault = "it ends early"
	default:
		fault = fmt.Sprintf("line %d is not JSON (%v)", syntax.Line, syntax.Err)
	}
	return fmt.Errorf("playout: this file is not a recorded drive: %s; it must be a JSON object with name, made and points, as a recorded drive is downloaded", fault)
}

// missingField returns the first field that a point of a motion lacks; "" = none.
func missingField(data []byte) string {
	type twist struct{ Linear, Angular *float64 }
	var m struct {
		Points []struct {
			T           *float64
			Pose        struct{ X, Y, Theta *float64 }
			Twist, Want twist
		}
	}
	_ = json.Unmarshal(data, &m) // it has been decoded strictly
	for i, p := range m.Points {
		for _, f := range []struct {
			name  string
			value *float64
		}{
			{"t", p.T},
			{"pose.x", p.Pose.X},
			{"pose.y", p.Pose.Y},
			{"pose.theta", p.Pose.Theta},
			{"twist.linear", p.Twist.Linear},
			{"twist.angular", p.Twist.Angular},
			{"want.linear", p.Want.Linear},
			{"want.angular", p.Want.Angular},
		} {
			if f.value == nil {
				return fmt.Sprintf("points[%d].%s", i, f.name)
			}
		}
	}
	return ""
}

// ParseMotion reads a motion that json.Marshal wrote. It is strict: the error says which
// point is wrong and what would be right.
func ParseMotion(data []byte) (Motion, error) {
	var m Motion
	if err := strictjson.Decode(data, &m); err != nil {
		return Motion{}, notMotion(err)
	}
	if len(m.Points) == 0 || len(m.Points) > maxPoints {
		return Motion{}, fmt.Errorf("playout: the motion has %d points; it must have 1 to %d", len(m.Points), maxPoints)
	}
	for i, w := range m.Points {
		switch {
		case i == 0 && w.T != 0:
			return Motion{}, fmt.Errorf("playout: points[0].t is %g; it must be 0", w.T)
		case i == 0 && !w.Twist.IsZero():
			return Motion{}, fmt.Errorf("playout: points[0].twist is %g, %g; a motion must begin with a stationary robot", w.Twist.Linear, w.Twist.Angular)
		case i > 0 && !(w.T > m.Points[i-1].T):
			return Motion{}, fmt.Errorf("playout: points[%d].t is %g; it must be more than the one before it, %g", i, w.T, m.Points[i-1].T)
		case math.Abs(w.Pose.X) > 1e6 || math.Abs(w.Pose.Y) > 1e6 || math.Abs(w.Pose.Theta) > 10:
			return Motion{}, fmt.Errorf("playout: points[%d].pose is %g, %g, %g; it must be in m and rad", i, w.Pose.X, w.Pose.Y, w.Pose.Theta)
		case math.Abs(w.Twist.Linear) > 100 || math.Abs(w.Twist.Angular) > 100 || math.Abs(w.Want.Linear) > 100 || math.Abs(w.Want.Angular) > 100:
			return Motion{}, fmt.Errorf("playout: points[%d] is faster than 100 m/s or rad/s", i)
		}
	}
	if field := missingField(data); field != "" {
		return Motion{}, fmt.Errorf("playout: %s is missing; it must be a number", field)
	}
	return m, nil
}
