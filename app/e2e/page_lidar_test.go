package e2e_test

import (
	"math"
	"testing"

	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/robot/models"
)

// The page of a robot without sonars works, and names the side of what its lidar sees.
func TestThePageSaysWhereTheNearestThingIsThatALidarSees(t *testing.T) {
	t.Parallel()
	data, _ := models.Find(models.LidarName)
	desc, err := robot.ParseDescription(data)
	if err != nil {
		t.Fatal(err)
	}
	h := openRobot(t, desc, "127.0.0.1:0", func(s *sim.Scene) {
		s.People, s.Obstacles = nil, nil
		s.Start = robot.Pose{X: 11.5, Y: 7.6, Theta: math.Pi} // the wall to the right is 0.575 m off the hull
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
