package base

import (
	"fmt"
	"math"
	"time"

	"mybot/robot"
)

const (
	// judgedFor is how long a wheel must do something else than it is asked.
	judgedFor = 500 * time.Millisecond
	// leastAsked is the speed in m/s from which a wheel that is asked to turn must turn:
	// slower, the friction of a real motor may hold it.
	leastAsked = 0.05
	// leastRolled is how far, in m, a wheel that is asked to stand rolls within judgedFor
	// before it counts as rolling.
	leastRolled = 0.02
)

// A wheelMonitor compares what the two wheels of a base do with what they are asked to do.
// The zero wheelMonitor has seen nothing.
type wheelMonitor struct {
	left, right wheelTrial
}

// A wheelTrial is the time during which a wheel is asked for the same: to stand, or to turn
// in one direction.
type wheelTrial struct {
	asks   direction
	since  time.Time     // beginning of the trial; zero = no trial
	judges bool          // the wheel has had time to do what it is asked
	lasted time.Duration // of what is judged
	want   float64       // m, at the speeds that were asked
	rolled float64       // m
	did    conduct       // in the last judgedFor
}

// direction is what a wheel is asked for.
type direction int

const (
	anything direction = iota // so little that nothing follows from what the wheel does
	standing
	forward
	backward
)

// conduct is what a wheel did of what it was asked.
type conduct int

const (
	obeyed   conduct = iota
	rolled           // although it should stand
	stood            // although it should turn
	reversed         // it turned the other way
)

// judge takes the travel of a reading that came dt after the one before it, and what the
// base was asked to do meanwhile. It returns a complaint for people, "" = none, and an
// error if a wheel turns the other way than asked, with which the guard would look to the
// wrong side.
func (m *wheelMonitor) judge(now time.Time, dt time.Duration, desc robot.Description, asked robot.Twist, travel robot.Wheels) (complaint string, err error) {
	wheels := desc.Drivetrain.Wheels(asked)
	settled := desc.Holds + brakesFor(desc) + 200*time.Millisecond
	m.left.take(now, dt, settled, directionOf(asked, wheels.Left), wheels.Left, travel.Left)
	m.right.take(now, dt, settled, directionOf(asked, wheels.Right), wheels.Right, travel.Right)
	const check = "; mybot base check --drive says what is wrong"
	l, r := m.left.did, m.right.did
	switch {
	case l == reversed && r == reversed:
		*m = wheelMonitor{}
		return "", fmt.Errorf("both wheels turn the other way than they are asked: motors or encoders are reversed, or left and right are exchanged%s", check)
	case l == reversed || r == reversed:
		*m = wheelMonitor{}
		return "", fmt.Errorf("the %s wheel turns the other way than it is asked: its motor or its encoder is reversed%s", sideOf(l == reversed), check)
	case l == rolled || r == rolled:
		return "The wheels roll although Mybot asks the base to stand: someone pushes it, or it does not obey. If no one does, switch its motors off.", nil
	case l == stood && r == stood:
		return "The wheels do not turn although the base is asked to drive: the motors are off or blocked, or the encoders do not count.", nil
	case l == stood || r == stood:
		return fmt.Sprintf("The %s wheel does not turn although it is asked to: its motor is off or blocked, or its encoder does not count.", sideOf(l == stood)), nil
	}
	return "", nil
}

// take takes what the wheel did in dt, and judges it when the trial has lasted long enough.
func (w *wheelTrial) take(now time.Time, dt, settled time.Duration, asks direction, speed, travel float64) {
	if asks != w.asks || w.since.IsZero() {
		*w = wheelTrial{asks: asks, since: now}
		return
	}
	if !w.judges {
		if now.Sub(w.since) < settled {
			return
		}
		w.judges = true
	}
	w.lasted += dt
	w.want += math.Abs(speed) * dt.Seconds()
	w.rolled += travel
	if w.lasted < judgedFor {
		return
	}
	w.did = w.conduct()
	w.lasted, w.want, w.rolled = 0, 0, 0
}

// conduct returns what the wheel did of what it was asked.
func (w *wheelTrial) conduct() conduct {
	ahead := w.rolled
	if w.asks == backward {
		ahead = -ahead
	}
	switch {
	case w.asks == anything:
	case w.asks == standing:
		if math.Abs(ahead) > leastRolled {
			return rolled
		}
	case ahead < -w.want/2:
		return reversed
	case ahead < w.want/10:
		return stood
	}
	return obeyed
}

// directionOf returns what a wheel is asked for at a speed in m/s.
func directionOf(asked robot.Twist, speed float64) direction {
	switch {
	case asked.IsZero():
		return standing
	case speed >= leastAsked:
		return forward
	case speed <= -leastAsked:
		return backward
	}
	return anything
}

// brakesFor returns how long a base brakes from the greatest speed of its wheels.
func brakesFor(desc robot.Description) time.Duration {
	h := desc.Hardware
	seconds := max(h.Linear/h.LinearAcceleration, h.Angular/h.AngularAcceleration)
	return time.Duration(seconds * float64(time.Second))
}

func sideOf(left bool) string {
	if left {
		return "left"
	}
	return "right"
}
