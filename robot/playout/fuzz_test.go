package playout

import (
	"encoding/binary"
	"math"
	"testing"

	"mybot/robot"
)

// FuzzWhateverComesTheRequestIsSafe feeds samples made of arbitrary bytes.
func FuzzWhateverComesTheRequestIsSafe(f *testing.F) {
	f.Add([]byte{0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 5, 100, 0, 50, 0, 10, 0, 0, 0, 0, 0}, uint8(0))
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24}, uint8(2))
	desc := mybot(f)
	f.Fuzz(func(t *testing.T, data []byte, policy uint8) {
		player := NewPlayer(desc, Options{Policy: []Policy{Track, Direct, Delay, Playback}[int(policy)%4], Delay: at(0.3).Sub(at(0)), Duration: 1})
		number := func(i int) float64 {
			v := int16(binary.LittleEndian.Uint16(data[i:]))
			switch v {
			case math.MinInt16:
				return math.NaN()
			case math.MaxInt16:
				return math.Inf(1)
			}
			return float64(v) / 100
		}
		now, pose := 0.0, robot.Pose{}
		for ; len(data) >= 12; data = data[12:] {
			now += float64(data[0]%8) / 20
			s := Sample{
				Lease: uint64(data[0] >> 6), Hold: uint64(data[0] >> 4 & 3), Seq: uint64(data[1]), T: number(2),
				Want: robot.Twist{Linear: number(4), Angular: number(6)}, Twist: robot.Twist{Linear: number(8)},
				Pose: robot.Pose{X: number(10), Theta: number(6)},
			}
			player.Take(at(now), s)
			for range 3 {
				now += 0.02
				twist, status := player.Tick(at(now), pose, robot.Twist{})
				if !twist.IsFinite() || math.Abs(twist.Linear) > desc.Safe.Linear+1e-9 || math.Abs(twist.Angular) > desc.Safe.Angular+1e-9 {
					t.Fatalf("the command is %v", twist)
				}
				if status.Hold != "" && !twist.IsZero() {
					t.Fatalf("the command on hold is %v", twist)
				}
				if r := status.Reference; math.IsNaN(r.X+r.Y+r.Theta) || math.IsNaN(status.Lead+status.Tau+status.Rate) {
					t.Fatalf("%+v", status)
				}
				pose = robot.Step(robot.Motion{Axle: pose, Twist: twist}, twist, desc.Hardware, 0.02).Axle
			}
		}
	})
}
