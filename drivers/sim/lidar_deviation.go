package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"mybot/robot"
)

// lidarDeviations returns the deviations of lidars: first those with another
// mounting than described, then those that fail. A failing lidar works for
// lidarWorks first.
func lidarDeviations() []Deviation {
	mounted := func(mount func(*robot.Lidar)) func(*senses, *Scene, *rand.Rand) {
		return func(s *senses, _ *Scene, _ *rand.Rand) {
			for i := range s.lidars {
				mount(&s.lidars[i])
			}
		}
	}
	turned := func(degrees float64) func(*senses, *Scene, *rand.Rand) {
		return mounted(func(l *robot.Lidar) { turnLidar(l, robot.Radians(degrees)) })
	}
	failing := func(fail scanFailure) func(*senses, *Scene, *rand.Rand) {
		return func(s *senses, _ *Scene, _ *rand.Rand) { s.fail = fail }
	}
	return []Deviation{
		{"lidar-shifted", "each lidar sits 30 cm behind its place", mounted(func(l *robot.Lidar) { l.Pose.X -= 0.3 })},
		{"lidar-crooked", "each lidar is turned by 5 degrees", turned(5)},
		{"lidar-turned", "each lidar is turned by 90 degrees", turned(90)},
		{"lidar-reversed", "each lidar is turned by 180 degrees", turned(180)},
		{"lidar-mirrored", "each lidar hangs upside down: its beams run the other way round", mounted(func(l *robot.Lidar) { l.From, l.Step = -l.From, -l.Step })},
		{"lidar-silent", "after 20 s no scan comes any more", failing(fallSilent)},
		{"lidar-frozen", "after 20 s each scan repeats the same ranges", failing(freezeScan)},
		{"lidar-nan", "after 20 s no beam measures anything", failing(measureNothing)},
		{"lidar-short", "after 20 s scans have half of their ranges", failing(loseHalf)},
		{"lidar-millimetres", "after 20 s ranges are in millimetres", failing(countMillimetres)},
		{"lidar-clock-back", "after 20 s the clock of the scans runs backward", failing(runBackward)},
	}
}

// CheckFit returns an error if the deviation concerns lidars and the robot has
// none, so that it would change nothing.
func (d Deviation) CheckFit(desc robot.Description) error {
	if len(desc.Lidars) > 0 || !strings.HasPrefix(d.Name, "lidar-") {
		return nil
	}
	return fmt.Errorf("%s is a deviation of lidars, and %q has none; it must be one of wheels, compass or sonars, or the robot one with a lidar, such as that of --robot lidar", d.Name, desc.Name)
}

// lidarWorks is how long a failing lidar works, from the beginning of the world.
const lidarWorks = 20 * time.Second

// A scanFailure changes a scan of a lidar that has begun to fail; since is the time
// from the failure to the scan's first beam. ok is false if the scan never comes.
type scanFailure func(l *lidar, s robot.Scan, since time.Duration) (_ robot.Scan, ok bool)

// turnLidar rotates a lidar at its place. The directions in which beams hit the
// robot itself do not change.
func turnLidar(l *robot.Lidar, by float64) {
	l.Pose.Theta = robot.WrapAngle(l.Pose.Theta + by)
	mask := make([]robot.Sector, 0, len(l.Mask))
	for _, s := range l.Mask {
		mask = append(mask, robot.Sector{From: s.From - by, To: s.To - by})
	}
	l.Mask = mask
}

func fallSilent(*lidar, robot.Scan, time.Duration) (robot.Scan, bool) { return robot.Scan{}, false }

func freezeScan(l *lidar, s robot.Scan, _ time.Duration) (robot.Scan, bool) {
	if l.frozen == nil {
		l.frozen = s.Ranges
	}
	s.Ranges = l.frozen
	return s, true
}

func measureNothing(_ *lidar, s robot.Scan, _ time.Duration) (robot.Scan, bool) {
	for i := range s.Ranges {
		s.Ranges[i] = math.NaN()
	}
	return s, true
}

func loseHalf(_ *lidar, s robot.Scan, _ time.Duration) (robot.Scan, bool) {
	s.Ranges = s.Ranges[:len(s.Ranges)/2]
	return s, true
}

func countMillimetres(_ *lidar, s robot.Scan, _ time.Duration) (robot.Scan, bool) {
	for i := range s.Ranges {
		s.Ranges[i] *= 1000
	}
	return s, true
}

func runBackward(_ *lidar, s robot.Scan, since time.Duration) (robot.Scan, bool) {
	s.Time = s.Time.Add(-2 * since)
	return s, true
}
