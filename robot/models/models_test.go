package models_test

import (
	"slices"
	"testing"

	"mybot/robot"
	"mybot/robot/models"
	"mybot/robot/models/modelstest"
)

func TestTheBuiltInRobotsDifferInTheirSensorsAndTheArmAlone(t *testing.T) {
	want := map[string][2]int{models.MybotName: {12, 0}, models.LidarName: {0, 1}, models.LidarSonarName: {12, 1}, models.ArmName: {12, 0}}
	if len(models.Names()) != len(want) {
		t.Errorf("there are %v", models.Names())
	}
	mybot := modelstest.Mybot(t)
	for _, name := range models.Names() {
		data, ok := models.Find(name)
		d, err := robot.ParseDescription(data)
		if !ok || err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if [2]int{len(d.Sonars), len(d.Lidars)} != want[name] {
			t.Errorf("%s has %d sonars and %d lidars", name, len(d.Sonars), len(d.Lidars))
		}
		if len(d.Sonars) > 0 && !slices.Equal(d.Sonars, mybot.Sonars) {
			t.Errorf("%s has other sonars than Mybot", name)
		}
		if !slices.Equal(d.Body.Hull, mybot.Body.Hull) || d.Body.Mass != mybot.Body.Mass || d.Drivetrain != mybot.Drivetrain || d.Encoder != mybot.Encoder ||
			d.Hardware != mybot.Hardware || d.Safe != mybot.Safe || *d.Head != *mybot.Head || d.Battery != mybot.Battery ||
			d.Rate != mybot.Rate || d.Holds != mybot.Holds || d.Compass != mybot.Compass || d.Bumper != mybot.Bumper || d.OKSwitch != mybot.OKSwitch || d.Speaker != mybot.Speaker || d.Display != mybot.Display {
			t.Errorf("%s differs from Mybot in more than its sensors", name)
		}
		if joints := len(d.Joints); joints != 0 && name != models.ArmName || joints != 5 && name == models.ArmName {
			t.Errorf("%s has %d joints", name, joints)
		}
		for _, l := range d.Lidars {
			if l.Beams != 360 || l.Rate != 10 {
				t.Errorf("%s has the lidar %+v", name, l)
			}
		}
	}
	if _, ok := models.Find("../models/mybot"); ok {
		t.Error("a robot that is not built in is found")
	}
}
