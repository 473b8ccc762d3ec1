package survey_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"mybot/mapping/survey"
)

func TestMappingSaysThatTheLidarIsMountedOtherwise(t *testing.T) {
	for _, c := range []struct {
		deviation string
		says      []string
		pauses    bool
	}{
		{"nominal", nil, false},
		{"lidar-crooked", nil, false},
		{"lidar-mirrored", []string{"its beams follow each other the other way around", `lidars[0] must have "from_deg": 180, "step_deg": -1.`}, true},
		{"lidar-turned", []string{"it is turned by 90 degrees to the left", `lidars[0] must have "heading_deg": 90.`}, true},
		{"lidar-reversed", []string{"it is turned by 180 degrees", `lidars[0] must have "heading_deg": 180.`}, true},
		{"lidar-shifted", []string{"m behind its place, or the robot turns about another point", `lidars[0] must have "x_m": -0.`}, false},
	} {
		t.Run(c.deviation, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRideIn(t, room(), c.deviation)
				defer r.kill()
				l, err := r.survey.Begin(t.Context(), nil)
				r.must(err)
				for range 3 {
					r.drive(l, 4)
					r.turn(l, 3)
				}
				for _, says := range c.says {
					if !strings.Contains(r.state.Why, says) {
						t.Errorf("it says %q, and not %q", r.state.Why, says)
					}
				}
				if len(c.says) == 0 && r.state.Why != "" {
					t.Errorf("it says %q", r.state.Why)
				}
				if paused := r.state.Phase == survey.Paused; paused != c.pauses {
					t.Fatalf("its phase is %v", r.state.Phase)
				}
				if !c.pauses {
					return
				}
				// A user who continues anyway is not asked again.
				r.must(r.survey.Resume(t.Context()))
				r.drive(l, 1)
				if r.state.Phase != survey.Mapping || !strings.Contains(r.state.Why, c.says[0]) {
					t.Errorf("after Resume its phase is %v, and it says %q", r.state.Phase, r.state.Why)
				}
			})
		})
	}
}
