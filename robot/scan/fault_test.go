package scan_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/scan"
)

func TestAScanThatCannotBeRightIsNotUsed(t *testing.T) {
	good := func() robot.Scan {
		s := robot.Scan{Time: epoch.Add(-100 * time.Millisecond), Lasts: 100 * time.Millisecond}
		for i := range 360 {
			s.Ranges = append(s.Ranges, 1+float64(i)/100)
		}
		return s
	}
	fill := func(v float64) func(*robot.Scan) {
		return func(s *robot.Scan) {
			for i := range s.Ranges {
				s.Ranges[i] = v
			}
		}
	}
	for _, c := range []struct {
		name   string
		spoil  func(*robot.Scan)
		lidars int
		want   string
	}{
		{"right", func(*robot.Scan) {}, 1, ""},
		{"too few ranges", func(s *robot.Scan) { s.Ranges = s.Ranges[:359] }, 1, "lidar 0, scan of 14:32:59.900: it has 359 ranges; it must have 360, one for each beam of the description"},
		{"of another lidar", func(s *robot.Scan) { s.Lidar = 2 }, 2, "lidar 2, scan of 14:32:59.900: the description of the robot has 2 lidars; the number of a lidar must be from 0 to 1"},
		{"of no lidar", func(s *robot.Scan) { s.Lidar = -1 }, 1, "lidar -1, scan of"},
		{"where the robot has none", func(*robot.Scan) {}, 0, "the description of the robot has no lidar; it must have one"},
		{"no beam measures", fill(math.NaN()), 1, "no beam has measured anything; a lidar that works tells a range, or +Inf where nothing is within reach"},
		{"nothing within reach", fill(math.Inf(1)), 1, ""},
		{"millimetres", func(s *robot.Scan) {
			for i := range s.Ranges {
				s.Ranges[i] *= 1000
			}
		}, 1, "360 of its 360 ranges are far beyond the 12 m that it can measure, for example 4590; ranges must be in metres, not in millimetres"},
		{"a few ranges far beyond", func(s *robot.Scan) { s.Ranges[7], s.Ranges[8] = 65533, 65533 }, 1, ""},
		{"too slow", func(s *robot.Scan) { s.Lasts = time.Second }, 1, "from its first beam to its last it takes 1.000 s; at 10 scans a second it must take at most 0.100 s"},
		{"backwards", func(s *robot.Scan) { s.Lasts = -time.Millisecond }, 1, "from its first beam to its last it takes -0.001 s"},
		{"from the future", func(s *robot.Scan) { s.Time = s.Time.Add(time.Second) }, 1, "lidar 0, scan of 14:33:00.900: its last beam is 1.000 s later than the reading that brings it; the time of a scan must be that of its first beam, by the clock of the readings"},
		{"from the past", func(s *robot.Scan) { s.Time = s.Time.Add(-2 * time.Second) }, 1, "its last beam is 2.000 s older than the reading that brings it; it must be at most 1 s older"},
		{"without a time", func(s *robot.Scan) { s.Time = time.Time{} }, 1, "older than the reading that brings it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var lidars []robot.Lidar
			for range c.lidars {
				lidars = append(lidars, around())
			}
			s := good()
			c.spoil(&s)
			clouds, faults := scan.NewDeskewer(robotWith(lidars...)).Observe(robot.Reading{Time: epoch, Scans: []robot.Scan{s}})
			if c.want == "" {
				if len(clouds) != 1 || len(faults) != 0 {
					t.Errorf("got %d clouds, %v", len(clouds), faults)
				}
				return
			}
			if len(clouds) != 0 || len(faults) != 1 || !strings.Contains(faults[0].Error(), c.want) {
				t.Errorf("got %d clouds, %v\nwant %s", len(clouds), faults, c.want)
			}
		})
	}
}

func TestAClockThatRunsBackIsSaid(t *testing.T) {
	l := robot.Lidar{Step: 1, Beams: 1, Max: 5, Rate: 10}
	d := scan.NewDeskewer(robotWith(l))
	send := func(reading, at time.Duration) []scan.Fault {
		_, faults := d.Observe(robot.Reading{Time: epoch.Add(reading), Scans: []robot.Scan{{Time: epoch.Add(at), Ranges: []float64{2}}}})
		return faults
	}
	if faults := send(200*time.Millisecond, 150*time.Millisecond); len(faults) > 0 {
		t.Fatal(faults)
	}
	const want = "lidar 0, scan of 14:33:00.050: it is not later than the scan before it, which is of 14:33:00.150; each scan must be later than the one before"
	if faults := send(220*time.Millisecond, 50*time.Millisecond); len(faults) != 1 || faults[0].Error() != want {
		t.Errorf("got %v\nwant %s", faults, want)
	}
	if faults := send(240*time.Millisecond, 150*time.Millisecond); len(faults) != 1 {
		t.Error("the same scan twice is taken")
	}
	if faults := send(260*time.Millisecond, 250*time.Millisecond); len(faults) > 0 {
		t.Errorf("afterwards: %v", faults)
	}
	if faults := send(-10*time.Second, -10*time.Second); len(faults) > 0 {
		t.Errorf("when the clock of the whole base is set back: %v", faults)
	}
}

func TestALidarThatLosesAllItsEchoesAtOnceIsNotUsedUntilOneComes(t *testing.T) {
	echoes := func(n int) []float64 { // of 360 beams, the others have nothing within reach
		ranges := make([]float64, 360)
		for i := range ranges {
			ranges[i] = math.Inf(1)
			if i < n {
				ranges[i] = 2
			}
		}
		return ranges
	}
	narrow := around()
	narrow.Step /= 6
	for _, c := range []struct {
		name   string
		lidar  robot.Lidar
		echoes []int  // in one scan after the other
		faults string // which of them are rejected
	}{
		{"at once", around(), []int{360, 0, 0, 0}, ".xxx"},
		{"from most beams", around(), []int{181, 0}, ".x"},
		{"and one comes back", around(), []int{360, 0, 1, 0}, ".x.."},
		{"little by little, as in the open", around(), []int{360, 181, 100, 0, 0}, "....."},
		{"and never had one", around(), []int{0, 0, 0}, "..."},
		{"of a narrow view", narrow, []int{360, 0}, ".."},
	} {
		d := scan.NewDeskewer(robotWith(c.lidar))
		got := ""
		for n, echo := range c.echoes {
			at := epoch.Add(time.Duration(n) * 100 * time.Millisecond)
			clouds, faults := d.Observe(robot.Reading{Time: at, Scans: []robot.Scan{{Time: at, Ranges: echoes(echo)}}})
			switch {
			case len(clouds) == 1 && len(faults) == 0:
				got += "."
			case len(clouds) == 0 && len(faults) == 1 && strings.Contains(faults[0].Error(), "no beam has an echo any more"):
				got += "x"
			default:
				t.Errorf("%s: got %d clouds, %v", c.name, len(clouds), faults)
			}
		}
		if got != c.faults {
			t.Errorf("%s: the scans %v are %s, want %s (x = rejected)", c.name, c.echoes, got, c.faults)
		}
	}
}

func TestALidarThatRepeatsItselfWhileTheWheelsTurnIsNotUsed(t *testing.T) {
	for _, c := range []struct {
		name   string
		twist  robot.Twist
		ranges []float64
		change bool // from scan to scan
		want   bool // a fault
	}{
		{"driving", robot.Twist{Linear: 0.2}, []float64{1, 2, math.NaN(), 3}, false, true},
		{"turning", robot.Twist{Angular: 0.2}, []float64{1, 2, math.NaN(), 3}, false, true},
		{"standing", robot.Twist{}, []float64{1, 2, math.NaN(), 3}, false, false},
		{"driving where nothing is within reach", robot.Twist{Linear: 0.2}, []float64{math.Inf(1), math.Inf(1), math.Inf(1), math.NaN()}, false, false},
		{"driving with noise", robot.Twist{Linear: 0.2}, []float64{1, 2, math.NaN(), 3}, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := mover{desc: robotWith(robot.Lidar{Step: 1, Beams: 4, Max: 5, Rate: 10}), twist: c.twist}
			d := scan.NewDeskewer(m.desc)
			first := time.Duration(0)
			for n := range 150 {
				at := time.Duration(n) * period
				r := robot.Reading{Time: epoch.Add(at), Travel: m.travel(period)}
				if n%5 == 0 {
					ranges := append([]float64(nil), c.ranges...)
					if c.change {
						ranges[n/5%2] += 0.001
					}
					r.Scans = []robot.Scan{{Time: r.Time, Ranges: ranges}}
				}
				if _, faults := d.Observe(r); len(faults) > 0 && first == 0 {
					first = at
					if !strings.Contains(faults[0].Error(), "s while the wheels turned; a lidar that works measures anew in each scan") {
						t.Error(faults[0])
					}
				}
			}
			if !c.want && first > 0 {
				t.Errorf("after %v it is not used any more", first)
			}
			if c.want && (first < time.Second || first > 1200*time.Millisecond) {
				t.Errorf("it is not used any more after %v, want about 1 s", first)
			}
		})
	}
}
