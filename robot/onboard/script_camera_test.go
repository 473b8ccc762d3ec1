package onboard

import (
	"testing"
	"time"

	"mybot/robot"
)

func TestAScriptSetsTheQualityOfThePicturesThatItTakes(t *testing.T) {
	for text, want := range map[string]float64{"camera.val;": defaultQuality, "camera.quality = 20; camera.val;": 20} {
		p := scriptedPlant(t)
		p.say(t, text)
		asks := p.core.ScriptAsks()
		for range 5 {
			p.tick()
			asks = append(asks, p.core.ScriptAsks()...)
		}
		if len(asks) != 1 || asks[0].Name != cameraPath || len(asks[0].Values) != 1 {
			t.Fatalf("%s asks the host %+v", text, asks)
		}
		if got, _ := asks[0].Values[0].Number(); got != want {
			t.Errorf("%s has the quality %v, want %v", text, got, want)
		}
	}
}

func TestTheCameraIsOffForAsLongAsTheUnitThatSwitchedItOffRuns(t *testing.T) {
	p := scriptedPlant(t)
	off := func() string {
		p.tick()
		return p.state.Scripts.CameraOff
	}
	if p.say(t, "camera.load;"); off() != "" {
		t.Error("the camera is off from the start")
	}
	if p.say(t, "camera.load = 0,"); off() != "A" {
		t.Errorf("camera.load = 0 leaves the camera on, as far as the state says")
	}
	p.order(t, robot.OpenUnit{Unit: "B", Held: true})
	if p.say(t, "camera.load = 1,"); off() != "" {
		t.Error("camera.load = 1 leaves the camera off")
	}
	p.say(t, "camera.load = 0,")
	p.wait(time.Second)
	if off() != "A" {
		t.Error("the camera is on again by itself")
	}
	p.order(t, robot.CloseUnit{Unit: "A"})
	if off(); off() != "" {
		t.Error("the camera is off for a unit that has ended")
	}
	p.core.ScriptLines()
	p.order(t, robot.OpenUnit{Unit: "A"})
	if got := p.say(t, "camera.load;"); got != "A 1.000000" {
		t.Errorf("camera.load is then %q", got)
	}
}
