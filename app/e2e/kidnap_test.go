package e2e_test

import (
	"testing"
	"time"

	"mybot/app"
	"mybot/robot"
)

func TestARobotThatIsCarriedAwaySaysSoIsFoundAndStaysWhereItIsOverARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lasting := func(c *app.Config) { c.DataDir = dir }
	h := open(t, lasting)
	ana := h.enter("Ana")
	ana.until("sonars that agree", func(m message) bool { return m.Type == "state" && m.Sources.Sonars > 6 })
	to := robot.Pose{X: 20, Y: 7.3, Theta: 3.1} // turned as well
	if yes := ana.ask(map[string]any{"type": "world", "lease": ana.epoch, "action": "carry", "pose": []float64{to.X, to.Y, to.Theta}}); yes.Word != robot.Success {
		t.Fatalf("carrying the robot was answered %s %s", yes.Word, yes.Reason)
	}
	m := ana.until("a doubt", func(m message) bool { return m.Type == "state" && m.Trust != "OK" })
	if off := h.off(m.Pose); off < 10 {
		t.Errorf("the estimate is only %.1f m off, as if the robot had been informed", off)
	}
	found := func(m message) bool { return m.Trust == "OK" && h.off(m.Pose) < 0.3 }
	for begin := time.Now(); !found(m); { // a busy computer takes long to search everywhere
		if time.Since(begin) > time.Minute {
			t.Fatalf("after a minute the robot is at %v and its estimate is %v, %s", h.driver.Truth().Pose, m.Pose, m.Trust)
		}
		part := time.Now()
		m = ana.drive(0.25, 0, func(m message) bool { return found(m) || time.Since(part) > patience/3 })
	}
	if s := h.driver.Truth().Pose.X; s > to.X-0.4 {
		t.Errorf("the pose was found before the robot has driven: it is at %v, the estimate is %v", s, m.Pose)
	}
	ana.letGo()
	ana.awaitStandstill()
	h.close()

	at, ok := app.LoadPose(dir, h.plan)
	if !ok || h.off([3]float64{at.X, at.Y, at.Theta}) > 0.3 {
		t.Errorf("the robot is at %v, saved is %v (%v)", h.driver.Truth().Pose, at, ok)
	}
	h = open(t, lasting)
	ana = h.enter("Ana")
	m = ana.until("a state", func(m message) bool { return m.Type == "state" })
	if off := h.off(m.Pose); off > 0.1 || m.Trust != "UNSURE" {
		t.Errorf("after a restart the estimate is %.2f m off with %s; the robot may have been moved meanwhile", off, m.Trust)
	}
}

// off returns the distance of a pose from the true one, in m.
func (h *testServer) off(pose [3]float64) float64 {
	return h.driver.Truth().Pose.Point().Sub(robot.Point{X: pose[0], Y: pose[1]}).Norm()
}
