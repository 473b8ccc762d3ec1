package survey_test

import (
	"testing"
	"testing/synctest"

	"mybot/robot"
)

func TestTheDockIsWhereTheRobotChargedWhileTheMapWasMade(t *testing.T) {
	for name, c := range map[string]struct {
		stands float64 // s at the dock, before it drives
		known  bool
	}{
		"it begins at the dock":  {2, true},
		"it drives past it only": {0, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				plan, begin := room(), robot.Pose{Y: -2.2}
				if plan.Dock = &begin; !c.known {
					plan.Dock = &robot.Pose{X: 2.2}
				}
				r := newRideIn(t, plan, "nominal")
				l, err := r.survey.Begin(t.Context(), newNotebook(t))
				r.must(err)
				for range int(50 * c.stands) {
					r.step(l, robot.Twist{})
				}
				if _, err := r.survey.Dock(t.Context()); err == nil {
					t.Error("an unfinished map has a dock")
				}
				r.drive(l, 20)
				r.finish()
				at, err := r.survey.Dock(t.Context())
				r.must(err)
				switch {
				case at == nil && c.known:
					t.Error("it is not known where the robot charged")
				case at != nil && !c.known:
					t.Errorf("it charged at %v without standing there", at)
				case at != nil && (at.Point().Norm() > 0.01 || at.Theta > 0.01 || at.Theta < -0.01):
					t.Errorf("it charged at %v; the map begins there", at)
				}
				r.kill()
			})
		})
	}
}

func TestADockOfAWayThatIsTakenBackIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := room()
		plan.Dock = &robot.Pose{X: 1.3, Y: -2.2}
		r := newRideIn(t, plan, "nominal")
		l, err := r.survey.Begin(t.Context(), newNotebook(t))
		r.must(err)
		for range 130 { // 1.3 m at 0.5 m/s
			r.step(l, robot.Twist{Linear: 0.5})
		}
		for range 100 {
			r.step(l, robot.Twist{})
		}
		r.must(r.survey.Undo(t.Context()))
		r.drive(l, 3)
		r.finish()
		if at, err := r.survey.Dock(t.Context()); err != nil || at != nil {
			t.Errorf("the robot charged at %v (%v), where nothing was mapped", at, err)
		}
		r.kill()
	})
}
