package playout

import (
	"fmt"
	"strings"
	"testing"

	"mybot/robot"
	"mybot/robot/robottest"
)

// TestAStallReadsAsAStory compares what a player answers and does with testdata/stall.txt;
// -update rewrites the file.
func TestAStallReadsAsAStory(t *testing.T) {
	desc := mybot(t)
	p := newPage(desc, robot.Pose{})
	p.press(0, 0, 0.2)
	p.press(0.45, 0.3, 6)
	p.release(0)
	packets := stalled(p.samples, 2, 2.5)
	for i := range packets { // a second, longer one
		if packets[i].at >= 4 && packets[i].at < 6 {
			packets[i].at = 6
		}
	}
	var story strings.Builder
	player, r := NewPlayer(desc, Options{}), newRobot(desc, robot.Pose{}, 1)
	var twist robot.Twist
	before, next, taken := "", 0, map[robot.Word]int{}
	for k := 1; k <= 450; k++ {
		now := float64(k) * 0.02
		pose, measured := r.live(twist)
		for ; next < len(packets) && packets[next].at <= now; next++ {
			taken[player.Take(at(packets[next].at), packets[next].Sample).Word]++
		}
		var s Status
		twist, s = player.Tick(at(now), pose, measured)
		does := "stands"
		switch {
		case s.Hold != "":
			does = "holds: " + s.Hold
		case s.Stalled:
			does = "waits"
		case s.Active:
			does = "follows"
		}
		if does != before || k == 450 {
			fmt.Fprintf(&story, "%.1f s  %-46s %3d taken, %2d interrupted, %.1f s behind\n", now, does, taken[robot.Success], taken[robot.Interrupted], max(0, now-s.Tau))
			before = does
		}
	}
	robottest.Golden(t, "testdata/stall.txt", story.String())
}
