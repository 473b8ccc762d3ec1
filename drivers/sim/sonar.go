package sim

import (
	"cmp"
	"math"
	"math/rand/v2"

	"mybot/robot"
)

// sonars are the range finders. Those with the same number modulo groups fire
// together; then the next group waits until the farthest echo has returned. In
// between, a sonar reports its last range.
type sonars struct {
	faces  []robot.Sonar // true mounting
	ranges []float64     // reported, m
	echoes []float64     // of the firing group, m
	slot   int64         // ticks between two groups
	edge   float64       // m, largest distance at which the end of a wall is heard
	round  float64       // cosine of the largest angle of incidence at which round things return an echo
	rng    *rand.Rand
}

const (
	groups = 3
	// sound is the speed of sound in air of 20 degrees C, in m/s.
	sound = 343.0
	// rayStep is the angle between the rays that represent a beam, in rad.
	rayStep = 2 * math.Pi / 180
	// slant is the variation from ping to ping of the largest angle at which a face
	// returns an echo, in rad.
	slant = 3 * math.Pi / 180
	// edgeReach is the default for the distance, in m, at which the end of a wall
	// is heard.
	edgeReach = 3.0
	// roundCos is the default cosine of the largest angle of incidence for round
	// things, 60 degrees.
	roundCos = 0.5
)

func newSonars(desc robot.Description, faces []robot.Sonar, e SonarErrors, rng *rand.Rand) sonars {
	far := 0.0
	for _, s := range faces {
		far = max(far, s.Max)
	}
	round := roundCos
	if e.RoundSlant > 0 {
		round = math.Cos(e.RoundSlant)
	}
	return sonars{
		faces:  faces,
		ranges: make([]float64, len(faces)),
		slot:   max(1, int64(math.Ceil(2*far/sound*desc.Rate))),
		edge:   cmp.Or(e.EdgeReach, edgeReach),
		round:  round,
		rng:    rng,
	}
}

// fireAll fires every group once, as before the first reading.
func (w *World) fireAll() {
	for g := range groups {
		w.fireGroup(g)
	}
}

// fireSonars fires the group whose turn it is.
func (w *World) fireSonars() {
	if w.tick%w.sonars.slot == 0 {
		w.fireGroup(int(w.tick / w.sonars.slot % groups))
	}
}

func (w *World) fireGroup(g int) {
	s, m := &w.sonars, w.scene.Sonar
	s.echoes = s.echoes[:0]
	for i := g; i < len(s.ranges); i += groups {
		s.echoes = append(s.echoes, w.measureEcho(i))
	}
	for k, d := range s.echoes {
		i := g + k*groups
		if s.rng.Float64() < m.Dropout {
			d = math.Inf(1)
		}
		if s.rng.Float64() < m.Crosstalk {
			d = min(d, s.echoes[s.rng.IntN(len(s.echoes))])
		}
		d += (m.Noise + m.NoiseShare*min(d, s.faces[i].Max)) * s.rng.NormFloat64()
		if m.Stray > 0 && s.rng.Float64() < m.Stray {
			d = s.faces[i].Max * s.rng.Float64()
		}
		switch face := s.faces[i]; {
		case d > face.Max:
			d = math.Inf(1)
		case d < face.Min:
			d = face.Min // nearer things are heard while the transducer still rings
		}
		s.ranges[i] = d
	}
}

// measureEcho returns the distance, in m, from sonar i to the first thing that
// returns an echo; +Inf if there is none. A face returns an echo if the ray hits it
// nearly along its normal, and deflects the sound otherwise; round things, and near
// ends of faces, return an echo in nearly every direction.
func (w *World) measureEcho(i int) float64 {
	face := w.sonars.faces[i]
	at := w.base.pose.Compose(face.Pose)
	o := at.Point()
	least := 0.0
	if m := w.scene.Sonar.Slant; m > 0 {
		least = math.Cos(max(0, min(math.Pi/2, m+slant*w.sonars.rng.NormFloat64())))
	}
	answers := func(h hit) bool { return h.cos >= least || h.round && h.cos >= w.sonars.round }

	near := math.Inf(1)
	steps := max(1, int(math.Ceil(face.Beam/rayStep/2)))
	for k := -steps; k <= steps; k++ {
		d := unitVector(at.Theta + face.Beam/2*float64(k)/float64(steps))
		h, ok := w.castRay(o, d, min(near, face.Max))
		if !ok {
			continue
		}
		if answers(h) {
			near = h.distance
			continue
		}
		if k == 0 { // along the axis the deflected sound may return
			p := robot.Point{X: o.X + h.distance*d.X, Y: o.Y + h.distance*d.Y}
			back := 2 * (d.X*h.normal.X + d.Y*h.normal.Y)
			away := robot.Point{X: d.X - back*h.normal.X, Y: d.Y - back*h.normal.Y}
			p = p.Add(robot.Point{X: 1e-6 * h.normal.X, Y: 1e-6 * h.normal.Y})
			if h2, ok := w.castRay(p, away, min(near, face.Max)-h.distance); ok && answers(h2) {
				near = h.distance + h2.distance
			}
		}
	}
	reach := min(near, face.Max, w.sonars.edge)
	box := robot.Point{X: reach, Y: reach}
	w.solids.eachBin(o.Sub(box), o.Add(box), func(k int) {
		for _, e := range w.solids.edges[k] {
			v := e.Sub(o)
			d := v.Norm()
			if d >= min(near, reach) || d == 0 || math.Abs(robot.WrapAngle(math.Atan2(v.Y, v.X)-at.Theta)) > face.Beam/2 {
				continue
			}
			if _, hidden := w.castRay(o, robot.Point{X: v.X / d, Y: v.Y / d}, d-0.01); !hidden {
				near = d
			}
		}
	})
	return near
}

// castRay is solids.castRay including the people.
func (w *World) castRay(o, d robot.Point, most float64) (hit, bool) {
	h, ok := w.solids.castRay(o, d, most)
	for i := range w.walkers {
		s := w.walkers[i].solid()
		if p, met := s.meetRay(o, d); met && p.distance < h.distance {
			h, ok = p, true
		}
	}
	return h, ok
}

// unitVector returns the unit vector that points along the angle a.
func unitVector(a float64) robot.Point {
	sin, cos := math.Sincos(a)
	return robot.Point{X: cos, Y: sin}
}
