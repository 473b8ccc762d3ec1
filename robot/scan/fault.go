package scan

import (
	"fmt"
	"math"
	"slices"
	"time"

	"mybot/robot"
)

// Conditions for using a scan.
const (
	maxAge      = time.Second             // of its last beam at the time of its reading
	maxAhead    = 50 * time.Millisecond   // by which its last beam may be later than its reading
	slowTurn    = 1.2                     // a turn may take this times as long as described
	maxTurn     = 1200 * time.Millisecond // the longest turn: that of a lidar with one scan per second, times slowTurn
	metreFactor = 10                      // ranges above this times Max are not in metres
	frozenFor   = time.Second             // for which a lidar may repeat one scan while the wheels turn
	frozenWay   = 0.10                    // m, or rad, the least motion of the robot meanwhile
	wideView    = math.Pi / 2             // rad; a lidar that sees less can turn away from everything in one scan
)

// A Fault says why the Deskewer rejects a scan, in one sentence with the lidar, the time
// of the scan and what would be right.
type Fault struct {
	Lidar   int       // as given in the scan
	Time    time.Time // of the scan's first beam, as given in the scan
	Problem string
}

func (f Fault) Error() string {
	return fmt.Sprintf("lidar %d, scan of %s: %s", f.Lidar, f.Time.Format("15:04:05.000"), f.Problem)
}

// judgeScan returns what is wrong with a scan in a reading at the time now; "" = nothing.
func (d *Deskewer) judgeScan(s robot.Scan, now time.Time) string {
	if s.Lidar < 0 || s.Lidar >= len(d.lidars) {
		if len(d.lidars) == 0 {
			return "the description of the robot has no lidar; it must have one for each that sends scans"
		}
		return fmt.Sprintf("the description of the robot has %d lidars; the number of a lidar must be from 0 to %d", len(d.lidars), len(d.lidars)-1)
	}
	l := &d.lidars[s.Lidar]
	end := s.Time.Add(s.Lasts)
	switch {
	case len(s.Ranges) != l.Beams:
		return fmt.Sprintf("it has %d ranges; it must have %d, one for each beam of the description", len(s.Ranges), l.Beams)
	case s.Lasts < 0 || s.Lasts.Seconds() > slowTurn/l.Rate:
		return fmt.Sprintf("from its first beam to its last it takes %.3f s; at %g scans a second it must take at most %.3f s", s.Lasts.Seconds(), l.Rate, 1/l.Rate)
	case end.Sub(now) > maxAhead:
		return fmt.Sprintf("its last beam is %.3f s later than the reading that brings it; the time of a scan must be that of its first beam, by the clock of the readings", end.Sub(now).Seconds())
	case now.Sub(end) > maxAge:
		return fmt.Sprintf("its last beam is %.3f s older than the reading that brings it; it must be at most %.0f s older", now.Sub(end).Seconds(), maxAge.Seconds())
	case !l.newest.IsZero() && !s.Time.After(l.newest) && now.Sub(l.newest) > -maxAhead:
		return fmt.Sprintf("it is not later than the scan before it, which is of %s; each scan must be later than the one before", l.newest.Format("15:04:05.000"))
	}
	l.newest = s.Time
	if problem := l.judgeRanges(s.Ranges); problem != "" {
		return problem
	}
	if problem := l.judgeEchoes(s.Ranges); problem != "" {
		return problem
	}
	return d.judgeChange(l, s)
}

// judgeRanges returns what is wrong with the ranges of a scan; "" = nothing.
func (l *lidar) judgeRanges(ranges []float64) string {
	measured, beyond, example := 0, 0, 0.0
	for i, r := range ranges {
		if math.IsNaN(r) || l.directions[i] == (robot.Point{}) {
			continue
		}
		measured++
		if r > metreFactor*l.Max && !math.IsInf(r, 1) {
			beyond++
			example = r
		}
	}
	switch {
	case measured == 0:
		return "no beam has measured anything; a lidar that works tells a range, or +Inf where nothing is within reach, in most of its beams"
	case 2*beyond > measured:
		return fmt.Sprintf("%d of its %d ranges are far beyond the %g m that it can measure, for example %.6g; ranges must be in metres, not in millimetres", beyond, measured, l.Max, example)
	}
	return ""
}

// judgeEchoes returns a problem if most beams had an echo and now none has: walls leave a
// robot's surroundings little by little, but a lidar that is covered or fails can report
// "nothing within reach" in all beams at once, and the guard would take the floor for free.
// The problem lasts until a beam has an echo.
func (l *lidar) judgeEchoes(ranges []float64) string {
	measured, echoes := 0, 0
	for i, r := range ranges {
		if math.IsNaN(r) || l.directions[i] == (robot.Point{}) {
			continue
		}
		measured++
		if r <= l.Max {
			echoes++
		}
	}
	if echoes > 0 {
		l.surrounded = 2*echoes > measured && math.Abs(l.Step)*float64(l.Beams-1) >= wideView
		return ""
	}
	if l.surrounded {
		return "no beam has an echo any more, but in the last scan with echoes most beams had one; a lidar that works loses them little by little"
	}
	return ""
}

// judgeChange returns a problem if the lidar repeats a scan while the robot moves. Noise
// alone makes two scans differ, unless there is no echo at all.
func (d *Deskewer) judgeChange(l *lidar, s robot.Scan) string {
	here := d.track[len(d.track)-1].after
	if !sameRanges(l.same, s.Ranges) {
		l.same, l.since, l.from = s.Ranges, s.Time, here
		return ""
	}
	by, moved := s.Time.Sub(l.since), l.from.Inverse().Compose(here)
	if by < frozenFor || moved.Point().Norm() < frozenWay && math.Abs(moved.Theta) < frozenWay || !slices.ContainsFunc(s.Ranges, isEcho) {
		return ""
	}
	return fmt.Sprintf("it has shown the same ranges for %.1f s while the wheels turned; a lidar that works measures anew in each scan", by.Seconds())
}

// sameRanges reports whether two scans have equal ranges in all beams; NaN equals NaN.
func sameRanges(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })
}

func isEcho(r float64) bool { return robot.Finite(r) }
