package e2e_test

import (
	"fmt"
	"math"
	"testing"

	"mybot/drivers/sim"
	"mybot/robot"
)

// openFarFromDock starts a server whose robot needs twenty seconds to its dock, which is to the
// west in the same corridor.
func openFarFromDock(t *testing.T) *testServer {
	t.Helper()
	return openScene(t, func(s *sim.Scene) {
		s.People, s.Start = nil, robot.Pose{X: 10.5, Y: 7.3, Theta: math.Pi}
	})
}

// A robot with a goal or a job continues without the page. What the page shows meanwhile must
// be true.
func TestWithoutContactThePageSaysThatTheRobotContinuesAndItDoes(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := openFarFromDock(t)
	network := newProxy(t, h.addr)
	v := visit(t, browser, network.addr)
	v.away = true
	start := h.driver.Truth().Pose
	v.openGoto()
	v.chooseGoal("Dock")
	v.sendOff(func() { v.push("#draft button[type=submit]") })
	h.awaitMotion()
	v.until("the page to know the route", saysState("Driving to goal"))

	seen := h.driver.Truth()
	network.swallow(true)
	v.until("the banner to say what the robot does", saysBanner("It continues to Dock by itself."))
	v.until("the banner to point at the map", saysBanner("The map shows where it may be now."))
	for _, where := range []string{"#assertive", "#log"} {
		v.until(where+" to say it too", fmt.Sprintf(`document.querySelector(%q).textContent.includes('It continues to Dock by itself.')`, where))
	}
	if said := v.words(); value[bool](v, `document.querySelector('#banner').innerText.includes('stops by itself')`) {
		t.Errorf("the robot drives and the page says: %s", said)
	}
	h.await("the robot to drive a metre more", func(t sim.Truth) bool { return t.Pose.Point().Sub(seen.Pose.Point()).Norm() > 1 })
	far := value[*[3]float64](v, `document.querySelector('#map').drawn.mayBe`)
	if far == nil {
		t.Fatal("the map does not show how far the robot may have come")
	}
	if now := h.driver.Truth().Pose; now.X < far[0]-0.3 || now.X > start.X {
		t.Errorf("the robot is at x %.2f, the map shows it between %.2f and %.2f", now.X, far[0], start.X)
	}
	for _, in := range []struct {
		window
		theme string
	}{{desktop, dark}, {desktop, light}, {phone, dark}, {phone, light}} {
		v.look(in.window, in.theme)
		v.settle()
		v.stopInReach("no-contact-goal-" + in.name)
		v.picture("no-contact-goal-" + in.name + "-" + in.theme)
	}
}
