package peers

import (
	"math"
	"math/rand/v2"

	"mybot/robot"
	"mybot/robot/limits"
	"mybot/robot/rollout"
)

// Parameters of model predictive path integral control, as nav2's controller has them by
// default, but for the number of motions and of steps.
const (
	mppiMotions     = 500  // nav2: 2,000
	mppiSteps       = 20   // of rollout.Period: 3 s
	mppiLinear      = 0.2  // m/s, standard deviation of the speeds
	mppiAngular     = 0.4  // rad/s, that of the turn rates
	mppiTemperature = 0.03 // m of progress: lower = the best motions count more. nav2's 0.3 is for costs of another size
)

// An mppi adds noise to its last motion and takes the mean of what comes of it, each by the
// exponential of its cost: Williams, Aldrich, Theodorou, "Model predictive path integral
// control", 2017.
type mppi struct {
	base
	rng    *rand.Rand
	mean   [mppiSteps]robot.Twist
	tried  [mppiMotions][mppiSteps]robot.Twist
	costs  [mppiMotions]float64
	spread [mppiSteps]robot.Twist // reused
}

func newMPPI(desc robot.Description, seed uint64) *mppi {
	return &mppi{base: newBase(desc), rng: rand.New(rand.NewPCG(seed, 1))} //nolint:gosec // a simulation
}

func (m *mppi) Reset() {
	m.base.Reset()
	m.mean = [mppiSteps]robot.Twist{}
}

func (m *mppi) Choose(s *rollout.Situation) rollout.Choice {
	j := m.rules.Judge(s)
	if m.turn(&j, m.spread[:]) {
		m.mean = [mppiSteps]robot.Twist{}
		return m.last
	}
	m.shift(limits.ChooseEvery.Seconds() / rollout.Period)
	follow, _ := j.Follow()
	least := math.Inf(1)
	for n := range m.tried {
		one := m.tried[n][:]
		for k := range one {
			switch n {
			case 0: // the mean itself
				one[k] = m.mean[k]
			case 1: // so that a robot that stands begins to move
				one[k] = follow
			default:
				one[k] = robot.Twist{
					Linear:  robot.Clamp(m.mean[k].Linear+mppiLinear*m.rng.NormFloat64(), 0, j.MaxSpeed()),
					Angular: robot.Clamp(m.mean[k].Angular+mppiAngular*m.rng.NormFloat64(), -m.limit.Angular, m.limit.Angular),
				}
			}
		}
		trial := j.Try(one)
		if m.costs[n] = math.Inf(1); trial.OK {
			m.costs[n] = cost(trial)
		}
		least = math.Min(least, m.costs[n])
	}
	if math.IsInf(least, 1) {
		m.Reset()
		return m.last
	}
	m.average(least)
	return m.choose(m.mean[0], j.Try(m.mean[:]))
}

// shift moves the mean on by the time since the last choice, in steps.
func (m *mppi) shift(by float64) {
	for k := range m.mean {
		next := m.mean[min(k+1, mppiSteps-1)]
		m.mean[k].Linear += by * (next.Linear - m.mean[k].Linear)
		m.mean[k].Angular += by * (next.Angular - m.mean[k].Angular)
	}
}

// average makes the weighted mean of the motions that were tried the new mean.
func (m *mppi) average(least float64) {
	m.mean = [mppiSteps]robot.Twist{}
	sum := 0.0
	for n := range m.tried {
		weight := math.Exp((least - m.costs[n]) / mppiTemperature)
		if sum += weight; weight == 0 {
			continue
		}
		for k, t := range &m.tried[n] {
			m.mean[k].Linear += weight * t.Linear
			m.mean[k].Angular += weight * t.Angular
		}
	}
	for k := range m.mean {
		m.mean[k].Linear /= sum
		m.mean[k].Angular /= sum
	}
}
