package localization

import (
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/models"
)

func TestAPlaceThatScansSupportIsNotTakenTooSoon(t *testing.T) {
	floor := &scanFloor{chance: 0.3}
	h := health{scale: &scanScale, lately: 0.4, usual: 0.95, worth: 0.6, gain: 0.1}
	only := scanSearch{floor: floor, unique: true}
	several := scanSearch{floor: floor}
	for _, c := range []struct {
		what  string
		r     relocalizer
		lost  bool
		want  outcome
		fresh bool
	}{
		{"the only place, at once", relocalizer{scan: only, settledScans: 3, gained: 50, fit: 0.95}, false, found, false},
		{"the only place, by two scans", relocalizer{scan: only, settledScans: 2, gained: 50, fit: 0.95}, false, searching, false},
		{"the only place, hardly better than the tracker's", relocalizer{scan: only, settledScans: 9, gained: 10, fit: 0.95}, false, searching, false},
		{"the only place, but it fits badly", relocalizer{scan: only, settledScans: 7, scans: 7, gained: 90, fit: 0.6}, false, searching, false},
		{"one of several, without distance", relocalizer{scan: several, settledScans: 30, gained: 50, fit: 0.95}, false, searching, false},
		{"one of several, after a metre", relocalizer{scan: several, settledScans: 30, gained: 50, fit: 0.95, trip: trip{far: 1.1}}, false, found, false},
		{"one of several, after half a metre with overwhelming evidence", relocalizer{scan: several, settledScans: 30, gained: 90, fit: 0.95, trip: trip{far: 0.5}}, false, found, false},
		{"the only place, against the compass", relocalizer{scan: only, settledScans: 9, gained: 70, fit: 0.95, against: true}, false, searching, false},
		{"the only place, against the compass with overwhelming evidence", relocalizer{scan: only, settledScans: 9, gained: 90, fit: 0.95, against: true}, false, found, false},
		{"the tracker's own place", relocalizer{scan: only, settledScans: 5, agreed: 5, fit: 0.95}, false, confirmed, false},
		{"the tracker's own place, poorly supported", relocalizer{scan: several, settledScans: 7, scans: 7, agreed: 7, fit: 0.6}, false, searching, false},
		{"the same for long", relocalizer{scan: several, settledScans: 30, scans: 30, agreed: 25, fit: 0.6}, false, confirmed, false},
		{"the same, though it explains nothing", relocalizer{scan: several, settledScans: 30, scans: 30, agreed: 30, fit: 0.35}, false, searching, true},
		{"another place that fits badly", relocalizer{scan: several, settledScans: 8, scans: 8, fit: 0.6}, false, searching, true},
		{"nobody else knows, and nothing looks alike", relocalizer{scan: only, settledScans: 3, fit: 0.95}, true, found, false},
		{"nobody else knows, and others look alike", relocalizer{scan: several, settledScans: 24, fit: 0.95}, true, searching, false},
		{"nobody else knows, and others looked alike for long", relocalizer{scan: several, settledScans: 25, fit: 0.95}, true, found, false},
	} {
		if got := c.r.decideByScans(&h, c.lost, false); got != c.want || c.r.fresh != c.fresh {
			t.Errorf("%s: %v, restarts: %v; want %v, %v", c.what, got, c.r.fresh, c.want, c.fresh)
		}
	}
}

// Barrels around a robot with a short lidar look like a place elsewhere for as long as it
// stands among them, while it still sees the walls where it is.
func TestAPlaceThatExplainsMuchIsNotLeftBeforeTheRobotSeesOtherThings(t *testing.T) {
	h := health{scale: &scanScale, lately: 0.5, usual: 0.85, worth: 0.52, gain: 0.18}
	for _, c := range []struct {
		what                   string
		far                    float64 // m
		unique, alone, opposed bool
		want                   outcome
	}{
		{what: "one of several, after half a metre with overwhelming evidence", far: 0.43, want: searching},
		{what: "the only other place, at once", unique: true, want: searching},
		{what: "one of several, after a long way", far: 2.1, want: found},
		{what: "one of several, which the compass supports", far: 0.43, opposed: true, want: found},
		{what: "where the robot was only one of several", far: 0.43, alone: true, want: found},
	} {
		r := relocalizer{
			scan: scanSearch{floor: &scanFloor{chance: 0.3}, unique: c.unique}, settledScans: 26, gained: 180, fit: 0.89,
			trip: trip{far: c.far}, alone: c.alone,
		}
		if got := r.decideByScans(&h, false, c.opposed); got != c.want {
			t.Errorf("%s: %v; want %v", c.what, got, c.want)
		}
	}
}

// A scan in progress while a robot is carried shows half of each place.
func TestASearchWaitsForAScanFromWhereTheRobotIs(t *testing.T) {
	start := robot.Pose{X: 3, Y: 7.3}
	d, s := withLidar(t, models.LidarName, office(t), start, start, 3)
	d.round = hall
	d.drive(5 * time.Second)
	s.Doubt()
	s.search.alone = true
	s.search.skipScan()
	came := 0
	for range 50 {
		before := s.scans.newest
		s.Update(d.world.Step())
		if s.search.scan.running != nil {
			break
		}
		if !s.scans.newest.Equal(before) {
			came++
		}
	}
	if came != 2 {
		t.Errorf("it searches by scan %d after it was carried, want the second", came)
	}
}

func TestASearchByScansWorksInSlices(t *testing.T) {
	start := robot.Pose{X: 17, Y: 12, Theta: 1}
	d, s := withLidar(t, models.LidarName, office(t), start, robot.Pose{}, 3)
	s.Forget()
	updates, before := 0, 0
	d.round = []robot.Point{{X: 17, Y: 9.4}}
	d.each = func() {
		if running := s.search.scan.running; running != nil {
			if updates == 0 {
				before = 0
			}
			if done := running.Work() - before; done > lookupsPerUpdate*11/10 {
				t.Fatalf("one update looks up %d points of the field", done)
			}
			before = running.Work()
			updates++
		}
	}
	d.drive(time.Second)
	if updates < 4 {
		t.Errorf("the search took %d updates", updates)
	}
}
