package survey

import (
	"math"
	"strings"
	"testing"
	"time"

	"mybot/mapping"
	"mybot/robot"
	"mybot/robot/scan"
)

// seenFrom is the scan of 360 beams in a room of 6 x 4 m from x m right of its
// centre.
func seenFrom(x float64) (c scan.Cloud) {
	for i := range 360 {
		sin, cos := math.Sincos(robot.Radians(float64(i)))
		d := math.Min((3-math.Copysign(x, cos))/math.Max(1e-9, math.Abs(cos)), 2/math.Max(1e-9, math.Abs(sin)))
		c.Beams = append(c.Beams, scan.Beam{End: robot.Point{X: d * cos, Y: d * sin}, Echo: true})
	}
	return c
}

func TestWhoWaitsForAMapIsToldWhatIsDoneAndHowFarItIs(t *testing.T) {
	s := New(robot.Description{Lidars: []robot.Lidar{{Rate: 10}}}, 0, func(State) {})
	s.clearMap()
	s.beginMap(&mapping.Mapper{}, nil, robot.Pose{})
	s.startKeyFrames(time.Time{})
	const waiting = 40
	for i := range waiting {
		s.mapper.Add(mapping.KeyFrame{Motion: robot.Pose{X: 0.025 * math.Min(1, float64(i)), Theta: 0.02 * float64(i%3-1)}, Cloud: seenFrom(0.02 * float64(i))})
	}
	s.stopKeyFrames(time.Time{}, Finishing, "")
	s.waiting = s.countWaiting()
	if what, _ := s.finishProgress(); !strings.HasPrefix(what, "Adding") {
		t.Errorf("with %d waiting scans the message is %q", waiting, what)
	}
	progress, sentences := -1.0, map[string]float64{}
	for s.phase == Finishing {
		what, now := s.finishProgress()
		if now < progress || now > 1 {
			t.Fatalf("progress changes from %.3f to %.3f: %s", progress, now, what)
		}
		progress = now
		if _, told := sentences[what]; !told {
			sentences[what] = now
		}
		if s.advanceFinish(); s.hasWork() {
			s.stepMapper()
		}
	}
	if s.hasWork() {
		t.Error("the map is in review before the last optimization is over")
	}
	for sentence, least := range map[string]float64{
		"Adding what the lidar saw last: 40 of 40 scans to go.": 0,
		"Adding what the lidar saw last: 10 of 40 scans to go.": 0.3,
		"Fitting all 40 scans together: round 1 of at most 20.": 0.5,
		"Fitting all 40 scans together: round 2 of at most 20.": 0.51,
	} {
		if at, told := sentences[sentence]; !told || at < least {
			t.Errorf("%q is reported at %.2f, want %.2f or more; reported are %v", sentence, at, least, strings.Join(keysOf(sentences), "; "))
		}
	}
}

func keysOf(m map[string]float64) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}
