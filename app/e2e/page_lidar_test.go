package e2e_test

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/robot/models"
)

// The page of a robot without sonars works, and shows the direction of the nearest obstacle
// that its lidar sees.
func TestThePageSaysWhereTheNearestThingIsThatALidarSees(t *testing.T) {
	t.Parallel()
	data, _ := models.Find(models.LidarName)
	desc, err := robot.ParseDescription(data)
	if err != nil {
		t.Fatal(err)
	}
	h := openRobot(t, desc, "127.0.0.1:0", func(s *sim.Scene) {
		s.People, s.Obstacles = nil, nil
		s.Start = robot.Pose{X: 11.5, Y: 7.6, Theta: math.Pi} // 0.575 m from the wall to the right
	})
	v := arrive(t, chromium(t), h.addr)
	v.until("the nearest thing", `/^0\.[56]/.test(document.querySelector('[data-hud=nearest]').textContent) && document.querySelector('[data-hud=side]').textContent === 'right'`)
	v.check()
}

func TestThePageSaysWhatIsWrongWithALidar(t *testing.T) {
	t.Parallel()
	data, _ := models.Find(models.LidarSonarName)
	desc, err := robot.ParseDescription(data)
	if err != nil {
		t.Fatal(err)
	}
	h := openRobot(t, desc, "127.0.0.1:0", func(s *sim.Scene) {
		s.People, s.Obstacles = nil, nil
		s.Lidar.Lost = 1 // every beam
	})
	v := arrive(t, chromium(t), h.addr)
	v.until("the sentence", `!document.querySelector('#lidar-fault').hidden && document.querySelector('#lidar-fault').checkVisibility() && document.querySelector('#lidar-fault').textContent.startsWith('Lidar: A scan is not used: no beam has measured anything')`)
	v.check()
}

// A failing robot measures no distances once its sensors are broken.
type failing struct {
	robot.Driver
	broken *atomic.Bool
}

func (f failing) Read(ctx context.Context) (robot.Reading, error) {
	r, err := f.Driver.Read(ctx)
	if f.broken.Load() {
		r.Ranges, r.Scans = slices.Repeat([]float64{math.NaN()}, len(r.Ranges)), nil
	}
	return r, err
}

// If a sonar or a lidar fails while a person drives, the robot slows down, and the page's
// virtual robot with it.
func TestWhenASensorFailsTheVirtualRobotIsSlowedDownWithTheRobot(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	for _, model := range []string{models.MybotName, models.LidarName} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			data, _ := models.Find(model)
			desc, err := robot.ParseDescription(data)
			if err != nil {
				t.Fatal(err)
			}
			_, plan, scene := office(t)
			scene.People, scene.Obstacles = nil, nil
			var broken atomic.Bool
			h := openBehind(t, desc, plan, scene, "127.0.0.1:0", func(d robot.Driver) robot.Driver { return failing{d, &broken} })
			v := visit(t, browser, h.addr)
			v.inFront()
			h.driveUntil(v, byW, "the robot to be fast", func(t sim.Truth) bool { return t.Twist.Linear > 0.3 })
			broken.Store(true)
			const asked = `__seen.sent.filter((m) => m.type === 'drive').map((m) => Math.max(Math.abs(m.v), Math.abs(m.vr?.[3] ?? 0)))`
			v.holdUntil(byW, "the page to ask for less", `((a) => a.slice(-3).every((speed) => speed > 0.14 && speed < 0.1501))(`+asked+`)`)
			v.run(`__seen.sent.length = 0`)
			from, fastest := h.driver.Truth().Pose.Point(), 0.0
			h.driveUntil(v, byW, "some way more", func(t sim.Truth) bool {
				fastest = max(fastest, t.Twist.Linear)
				return t.Pose.Point().Sub(from).Norm() > 0.3
			})
			if speed := value[float64](v, `Math.max(...`+asked+`)`); speed > 0.1501 || fastest > 0.2 {
				t.Errorf("without its sensor the robot drives at %.2f m/s, and the virtual robot at %.2f", fastest, speed)
			}
			broken.Store(false)
			v.holdUntil(byW, "the page to ask for more again", asked+`.at(-1) > 0.29`)
			v.letGo(keyW)
			h.awaitStill()
			v.check()
		})
	}
}
