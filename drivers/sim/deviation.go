package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"mybot/robot"
)

// A Deviation is one way in which the simulated robot differs from its description
// and from the errors of the scene. A localizer knows only the description, so a
// deviation shows how much it relies on an exact model of the simulator. The zero
// Deviation is none.
type Deviation struct {
	Name  string
	About string
	apply func(on *senses, s *Scene, rng *rand.Rand)
}

// senses are the true sonars and lidars: their mounting, and the failures of the
// lidars.
type senses struct {
	sonars []robot.Sonar
	lidars []robot.Lidar
	fail   scanFailure // nil = they do not fail
}

// Deviations returns the deviations of wheels, compass and sonars: nominal first,
// and worst, which combines most of the others, last.
func Deviations() []Deviation {
	return []Deviation{
		{"nominal", "as described", func(*senses, *Scene, *rand.Rand) {}},
		{"hears-less", "faces answer within 12 degrees of their normal, round things within 26, ends of walls from 0.3 m", hearLess},
		{"hears-more", "faces answer within 40 degrees, round things within 78, ends of walls from 5 m", hearMore},
		{"other-beam", "beams 1.5 times as wide", widenBeams},
		{"other-ring", "each sonar about 2 cm and 3 degrees off its place, the whole ring turned by 3 degrees", remountSonars},
		{"cross-talk", "15 % of the pings hear another sonar's", talkAcross},
		{"dropouts", "30 % of the echoes are not heard", dropOut},
		{"wheels", "each wheel and the wheel base 3 % larger or smaller", resizeWheels},
		{"compass", "10 degrees off everywhere", turnNeedle},
		{"worst", "all but hears-more and other-beam at once", func(on *senses, s *Scene, rng *rand.Rand) {
			for _, apply := range []func(*senses, *Scene, *rand.Rand){hearLess, remountSonars, talkAcross, dropOut, resizeWheels, turnNeedle} {
				apply(on, s, rng)
			}
		}},
	}
}

// ParseDeviation returns the deviation with the name, including those of lidars.
func ParseDeviation(name string) (Deviation, error) {
	var names []string
	for _, d := range append(Deviations(), lidarDeviations()...) {
		if d.Name == name {
			return d, nil
		}
		names = append(names, d.Name)
	}
	return Deviation{}, fmt.Errorf("it must be one of %s", strings.Join(names, ", "))
}

func hearLess(_ *senses, s *Scene, _ *rand.Rand) {
	s.Sonar.Slant, s.Sonar.RoundSlant, s.Sonar.EdgeReach = robot.Radians(12), robot.Radians(26), 0.3
}

func hearMore(_ *senses, s *Scene, _ *rand.Rand) {
	s.Sonar.Slant, s.Sonar.RoundSlant, s.Sonar.EdgeReach = robot.Radians(40), robot.Radians(78), 5
}

func widenBeams(on *senses, _ *Scene, _ *rand.Rand) {
	for i := range on.sonars {
		on.sonars[i].Beam *= 1.5
	}
}

func remountSonars(on *senses, _ *Scene, rng *rand.Rand) {
	const place, turn = 0.02, 3.0 // m, degrees
	ring := turn * randomSign(rng)
	for i := range on.sonars {
		p := &on.sonars[i].Pose
		p.X += place * rng.NormFloat64()
		p.Y += place * rng.NormFloat64()
		p.Theta = robot.WrapAngle(p.Theta + robot.Radians(ring+turn*rng.NormFloat64()))
	}
}

func talkAcross(_ *senses, s *Scene, _ *rand.Rand) { s.Sonar.Crosstalk = 0.15 }

func dropOut(_ *senses, s *Scene, _ *rand.Rand) { s.Sonar.Dropout = 0.3 }

func resizeWheels(_ *senses, s *Scene, rng *rand.Rand) {
	s.Wheels.LeftRadius += 0.03 * randomSign(rng)
	s.Wheels.RightRadius += 0.03 * randomSign(rng)
	s.Wheels.WheelBase += 0.03 * randomSign(rng)
}

func turnNeedle(_ *senses, s *Scene, rng *rand.Rand) {
	s.Compass.Bias += robot.Radians(10) * randomSign(rng)
}

// randomSign returns 1 or -1.
func randomSign(rng *rand.Rand) float64 {
	if rng.IntN(2) == 0 {
		return -1
	}
	return 1
}
