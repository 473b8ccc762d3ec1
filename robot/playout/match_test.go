package playout

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"mybot/robot"
)

// TestBothRobotsMatchOverEveryBadNetwork drives for an hour in total: each network loses some
// packets, lets others overtake 30 % of the rest and delivers 10 % twice. In the end both
// robots are at the same place, and no wheel turns after the stick was released.
func TestBothRobotsMatchOverEveryBadNetwork(t *testing.T) {
	desc := mybot(t)
	for _, loss := range []float64{0, 0.05, 0.2} {
		for _, delay := range []float64{0, 0.3, 1, 2} {
			t.Run(fmt.Sprintf("loss %g, delay %g s", loss, delay), func(t *testing.T) {
				p := newPage(desc, robot.Pose{})
				p.hist = 3
				luck := rand.New(rand.NewPCG(uint64(100*loss), uint64(10*delay)))
				p.wander(300, luck)
				p.release(0)
				var packets []packet
				for _, s := range p.samples {
					if luck.Float64() < loss {
						continue
					}
					wait := delay + 0.01*luck.Float64()
					if luck.Float64() < 0.3 {
						wait += 0.05 + 0.1*luck.Float64()
					}
					packets = append(packets, packet{s.T + wait, s})
					if luck.Float64() < 0.1 {
						packets = append(packets, packet{s.T + wait + 0.3*luck.Float64(), s})
					}
				}
				r := newRobot(desc, robot.Pose{}, 7)
				settled, rolled := p.now()+delay+2, 0.0
				ride(NewPlayer(desc, Options{}), r, inOrder(packets), settled+3, func(tt float64, twist robot.Twist, s Status) {
					if s.Hold != "" {
						t.Fatalf("held at %.2f s: %s", tt, s.Hold)
					}
					if tt <= settled {
						rolled = r.rolled
					} else if !twist.IsZero() || r.rolled > rolled+1e-9 {
						t.Fatalf("at %.2f s the command is %v", tt-p.now(), twist)
					}
				})
				off := p.motion.Axle.Point().Sub(r.axle.Point()).Norm()
				t.Logf("%.0f m driven, %.3f m apart in the end", p.s, off)
				if off > 0.10 {
					t.Errorf("%.3f m apart in the end", off)
				}
			})
		}
	}
}
