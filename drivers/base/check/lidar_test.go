package check_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mybot/drivers/base/check"
	"mybot/drivers/base/protocol"
	"mybot/drivers/sim"
	"mybot/robot"
)

const seesMotion = "moves as its lidar 0 sees it"

// describeLidar changes the description of the lidar.
func describeLidar(change func(map[string]any)) func(map[string]json.RawMessage) {
	return func(fields map[string]json.RawMessage) {
		var lidars []map[string]any
		if err := json.Unmarshal(fields["lidars"], &lidars); err != nil {
			panic(err)
		}
		change(lidars[0])
		fields["lidars"], _ = json.Marshal(lidars)
	}
}

// withScale is a base that drives right by its own encoders, whose counts are scaled by times.
func withScale(times float64) func(robot.Driver) robot.Driver {
	return func(d robot.Driver) robot.Driver {
		return changed{
			Driver: d.(*sim.Driver),
			reading: func(r robot.Reading) robot.Reading {
				r.Travel.Left *= times
				r.Travel.Right *= times
				return r
			},
			twist: func(t robot.Twist) robot.Twist {
				return robot.Twist{Linear: t.Linear / times, Angular: t.Angular / times}
			},
		}
	}
}

// A base's reports may fit its commands, but not its real motion. A lidar shows that.
func TestTheLidarSeesWhatTheWheelsCannotTell(t *testing.T) {
	for _, c := range []struct {
		name string
		b    broken
		want string // part of the message
	}{
		{"diameter for radius", broken{driver: withScale(2)}, " times the way; perhaps the diameter stands where the radius belongs"},
		{"radius for diameter", broken{driver: withScale(0.5)}, " times the way; perhaps the radius stands where the diameter belongs"},
		{"half too far", broken{driver: withScale(1.5)}, " times the way; look at the wheel's radius and the ticks a turn"},
		{
			"left and right exchanged, with their encoders",
			broken{driver: func(d robot.Driver) robot.Driver {
				return changed{
					Driver: d.(*sim.Driver),
					reading: func(r robot.Reading) robot.Reading {
						r.Travel.Left, r.Travel.Right = r.Travel.Right, r.Travel.Left
						return r
					},
					twist: func(t robot.Twist) robot.Twist { t.Angular = -t.Angular; return t },
				}
			}},
			"if to the right, the left and the right wheel are exchanged, with their encoders",
		},
		{
			"both motors and encoders backwards",
			broken{driver: func(d robot.Driver) robot.Driver {
				return changed{
					Driver: d.(*sim.Driver),
					reading: func(r robot.Reading) robot.Reading {
						r.Travel.Left, r.Travel.Right = -r.Travel.Left, -r.Travel.Right
						return r
					},
					twist: func(t robot.Twist) robot.Twist { return robot.Twist{Linear: -t.Linear, Angular: -t.Angular} },
				}
			}},
			"the other way round",
		},
		{"the lidar hangs upside down", broken{differs: "lidar-mirrored"}, "the lidar hangs upside down and step_deg has the wrong sign"},
		{"the lidar looks backwards", broken{differs: "lidar-reversed"}, "backwards: if the robot has gone ahead, heading_deg of the lidar should be "},
		{"the lidar looks to the left", broken{differs: "lidar-turned"}, "degrees to the right of ahead: heading_deg of the lidar is 0 and should be "},
		{
			"the wrong sign of its direction",
			broken{describe: describeLidar(func(l map[string]any) { l["heading_deg"], l["from_deg"] = 40.0, -180.0+40 })},
			"heading_deg of the lidar is 40 and should be -4",
		},
		{"it sits elsewhere", broken{differs: "lidar-shifted"}, "the lidar's x_m is too large by 0.3"},
		{
			"each scan is the first one",
			broken{fromBase: func() func(protocol.FromBase) protocol.FromBase {
				var first []int
				return eachScan(func(n int, s *protocol.Scan) {
					if n == 1 {
						first = s.Ranges
					}
					s.Ranges = first
				})()
			}},
			"the wheels slip, or the lidar repeats its scans",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.b.run(t, "lidar", check.Options{})
			i := slices.IndexFunc(r.Rules, func(r check.Result) bool { return r.Rule == seesMotion })
			if i < 0 || r.Rules[i].OK || !strings.Contains(r.Rules[i].Text, c.want) {
				t.Errorf("the report\n%s\nlacks\n%s", r.Rules, c.want)
			}
			if !slices.Equal(r.Broken(), []string{seesMotion}) {
				t.Errorf("it breaks %q", r.Broken())
			}
		})
	}
}

// If the lidar sees too little, the check does not judge, and says why.
func TestWhatALidarCannotSeeIsNotJudged(t *testing.T) {
	for _, c := range []struct {
		name, want string
		b          broken
		o          check.Options
	}{
		{"nothing around", "The wheels were not compared with lidar 0: of its 360 beams only 0 met anything", broken{nowhere: true}, check.Options{}},
		{"another room at each scan", "what it saw fits nothing that it had seen before", broken{fromBase: eachScan(func(n int, s *protocol.Scan) {
			random := rand.New(rand.NewPCG(uint64(n), 1))
			for i := range s.Ranges {
				s.Ranges[i] = 1000 + random.IntN(6000)
			}
		})}, check.Options{}},
		{"wheels in the air", "", broken{}, check.Options{WheelsUp: true}},
		{"one wheel that is not counted", "The wheels were not compared with lidar 0: first they must drive and turn as far as they are asked.", broken{driver: withReading(func(r robot.Reading) robot.Reading { r.Travel.Right = 0; return r })}, check.Options{}},
		{"a turn in degrees", "first they must drive and turn", broken{driver: withTwist(func(t robot.Twist) robot.Twist { t.Angular /= 57.3; return t })}, check.Options{}},
	} {
		r := c.b.run(t, "lidar", c.o)
		if slices.ContainsFunc(r.Rules, func(r check.Result) bool { return r.Rule == seesMotion }) || !strings.Contains(r.Untried, c.want) || c.want == "" && r.Untried != "" {
			t.Errorf("%s: it says %q; %s", c.name, r.Untried, r.Summary())
		}
	}
}

// eachScan changes the scans of a connection.
func eachScan(f func(n int, s *protocol.Scan)) func() func(protocol.FromBase) protocol.FromBase {
	return func() func(protocol.FromBase) protocol.FromBase {
		n := 0
		return func(m protocol.FromBase) protocol.FromBase {
			if s, ok := m.(protocol.Scan); ok {
				n++
				f(n, &s)
				return s
			}
			return m
		}
	}
}
