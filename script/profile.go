package script

import "math"

// A profile describes how a value moves from one number to another, as a function of the
// time since its start in s.
type profile struct {
	from, to float64
	duration float64 // s, +Inf = endless
	at       func(p *profile, t float64) float64
	// Parameters of at:
	speed, accel, rise float64 // per s, per s2, s of acceleration at the start
	ampli, phase       float64 // in units of the value, rad
}

// valueAt returns the value after t seconds.
func (p *profile) valueAt(t float64) float64 {
	switch {
	case t >= p.duration:
		return p.to
	case t <= 0 && p.ampli == 0:
		return p.from
	}
	return p.at(p, math.Max(t, 0))
}

func moveLinearly(p *profile, t float64) float64 {
	return p.from + (p.to-p.from)*t/p.duration
}

// moveAtSpeed accelerates towards the target for a time and then moves at constant speed.
// The target may be infinite.
func moveAtSpeed(p *profile, t float64) float64 {
	rising := math.Min(t, p.rise)
	way := p.accel/2*rising*rising + p.speed*(t-rising)
	return p.from + math.Copysign(way, p.to-p.from)
}

// moveSmoothly follows half a cosine.
func moveSmoothly(p *profile, t float64) float64 {
	return p.from + (p.to-p.from)*(1-math.Cos(math.Pi*t/p.duration))/2
}

// swing follows an endless sine around the target.
func swing(p *profile, t float64) float64 {
	return p.to + p.ampli*math.Sin(2*math.Pi*t/p.rise+p.phase)
}

// cruise sets up a motion that accelerates for a time and then keeps its speed.
func (p *profile) cruise(speed, rise, accel float64) {
	p.at, p.speed, p.rise, p.accel = moveAtSpeed, speed, rise, accel
	way := math.Abs(p.to - p.from)
	switch risen := accel / 2 * rise * rise; {
	case way == 0:
		p.duration = 0
	case way <= risen:
		p.duration = math.Sqrt(2 * way / accel)
	default:
		p.duration = rise + (way-risen)/speed
	}
}

// newProfile returns the profile for the given modifiers. speed takes precedence over
// time, and time over accel; the weaker one determines how the stronger one is reached.
func newProfile(s *scope, from, to float64, modifiers []modifier, at Time) (*profile, *Fault) {
	p := &profile{from: from, to: to}
	if math.Abs(from) > maxMoved || math.Abs(to) > maxMoved && !math.IsInf(to, 0) {
		return nil, s.fault(modifiers[0].pos, "only numbers up to %g can move", maxMoved)
	}
	given := map[string]float64{}
	for _, m := range modifiers {
		v, f := m.value.eval(s, at)
		if f != nil {
			return nil, f
		}
		x := v.number
		switch {
		case v.kind != number:
			return nil, s.fault(m.pos, "%s: needs a number, not %s", m.name, v.describe())
		case m.name == "ampli" || m.name == "phase":
			if math.Abs(x) > maxMoved {
				return nil, s.fault(m.pos, "%s: needs a finite number", m.name)
			}
		case x < 0 || x == 0 && (m.name == "speed" || m.name == "accel"):
			return nil, s.fault(m.pos, "%s: is %s; it must be more than 0", m.name, shortNumber(x))
		case x > maxMoved:
			return nil, s.fault(m.pos, "%s: must be finite", m.name)
		}
		given[m.name] = x
	}
	if f := p.choose(given); f != "" {
		return nil, s.fault(modifiers[0].pos, "%s", f)
	}
	return p, nil
}

// maxMoved limits values that move, so that distances and times stay finite.
const maxMoved = 1e100

// choose sets the shape of the profile; it returns what is wrong, or "".
func (p *profile) choose(given map[string]float64) string {
	has := func(name string) bool { _, ok := given[name]; return ok }
	seconds := func(name string) float64 { return given[name] / 1000 }
	way := math.Abs(p.to - p.from)
	switch {
	case has("ampli"):
		if math.IsInf(p.to, 0) {
			return "a swing needs a finite center"
		}
		if given["sin"] == 0 {
			return "sin: is 0; the period of a swing must be more than 0"
		}
		p.at, p.rise, p.duration = swing, seconds("sin"), math.Inf(1)
		p.ampli, p.phase = given["ampli"], given["phase"]*math.Pi/180
		return ""
	case has("speed") && has("time") && given["time"] > 0:
		p.cruise(given["speed"], seconds("time"), given["speed"]/seconds("time"))
		return ""
	case has("speed") && has("accel"):
		p.cruise(given["speed"], given["speed"]/given["accel"], given["accel"])
		return ""
	case has("speed"):
		p.cruise(given["speed"], 0, 0)
		return ""
	case has("accel") && !has("time"):
		if math.IsInf(p.to, 0) {
			p.at, p.rise, p.accel, p.duration = moveAtSpeed, math.Inf(1), given["accel"], math.Inf(1)
			return ""
		}
		p.cruise(0, math.Inf(1), given["accel"])
		return ""
	}
	if math.IsInf(p.to, 0) {
		return "inf is never reached in a time; give a speed:"
	}
	p.at = moveLinearly
	switch {
	case has("sin"):
		p.at, p.duration = moveSmoothly, seconds("sin")
	case has("smooth"):
		p.at, p.duration = moveSmoothly, seconds("smooth")
	case has("accel"):
		p.riseWithin(seconds("time"), given["accel"], way)
	default:
		p.duration = seconds("time")
	}
	return ""
}

// riseWithin sets up a motion that accelerates at its start and arrives after a time: way =
// a rise^2/2 + a rise (time-rise). If accel is too small, it accelerates all the time, as
// much as necessary.
func (p *profile) riseWithin(time, accel, way float64) {
	p.duration = time
	if time == 0 || way == 0 {
		return
	}
	rest := time*time - 2*way/accel
	p.rise = time
	if rest >= 0 {
		p.rise = time - math.Sqrt(rest)
	} else {
		accel = 2 * way / (time * time)
	}
	p.at, p.accel, p.speed = moveAtSpeed, accel, accel*p.rise
}
