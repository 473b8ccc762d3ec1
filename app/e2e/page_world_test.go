package e2e_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/robot"
)

// tool selects a tool of the simulator's card.
func (v *visitor) tool(name string) {
	v.t.Helper()
	v.run(fmt.Sprintf(`document.querySelector('#world [data-tool=%s]').click()`, name))
}

func (v *visitor) clickAt(at spot) {
	v.t.Helper()
	v.mouse(input.DispatchMouseEventTypeMousePressed, at, true)
	v.mouse(input.DispatchMouseEventTypeMouseReleased, at, false)
}

// goTo sends the robot to a saved place.
func (v *visitor) goTo(place string) {
	v.t.Helper()
	v.openGoto()
	v.chooseGoal(place)
	v.sendOff(v.pressEnter)
	v.until("the robot to set out", saysState("Driving to goal"))
}

// obstacles are what stands in the simulated world.
func (h *testServer) obstacles() []sim.Thing {
	var all []sim.Thing
	for _, t := range h.driver.Contents().Things {
		if t.Kind == sim.ObstacleKind {
			all = append(all, t)
		}
	}
	return all
}

// awaitThings waits until the contents of the simulated world satisfy ok.
func (h *testServer) awaitThings(what string, ok func(sim.Contents) bool) {
	h.t.Helper()
	h.await(what, func(sim.Truth) bool { return ok(h.driver.Contents()) })
}

func TestThingsArePutDraggedAndTakenAwayOnTheMap(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := openScene(t, func(s *sim.Scene) { s.People, s.Obstacles, s.Magnets = nil, nil, nil })
	v := visit(t, browser, h.addr)
	v.work("world")
	v.run(`document.querySelector('[data-map=floor]').click()`)
	v.settle()

	v.tool("obstacle")
	v.clickAt(v.on(8, 7))
	h.awaitThings("the obstacle", func(c sim.Contents) bool {
		return len(c.Things) == 1 && c.Things[0].Kind == sim.ObstacleKind && c.Things[0].Radius == 0.25 && c.Things[0].Point.Sub(robot.Point{X: 8, Y: 7}).Norm() < 0.05
	})
	v.until("the page to list it", `document.querySelectorAll('#world-things li').length === 1`)
	v.tool("hand")
	v.dragMouse(v.on(8, 7), v.on(9, 7.4))
	h.awaitThings("the obstacle to be moved", func(c sim.Contents) bool { return c.Things[0].Point.Sub(robot.Point{X: 9, Y: 7.4}).Norm() < 0.05 })

	v.tool("magnet")
	v.clickAt(v.on(14, 7.3))
	h.awaitThings("the magnet", func(c sim.Contents) bool { return len(c.Things) == 2 && c.Things[1].Kind == sim.MagnetKind })

	// The robot stands there: the refusal is shown where the person tried.
	v.tool("obstacle")
	at := h.driver.Truth().Pose
	v.clickAt(v.on(at.X, at.Y))
	v.until("the refusal", `document.querySelector('#world-says').innerText === 'The robot stands there.'`)

	// The same by keyboard alone.
	v.run(`document.querySelector('#world-things li:first-child button').click()`)
	v.until("the map to have the keys", `document.activeElement.id === 'map'`)
	v.stroke(keyUp, keyRight)
	h.awaitThings("the obstacle to be moved by 10 cm", func(c sim.Contents) bool { return c.Things[0].Point.Sub(robot.Point{X: 9.1, Y: 7.5}).Norm() < 0.05 })
	v.stroke(keyDelete)
	h.awaitThings("the obstacle to be gone", func(c sim.Contents) bool { return len(c.Things) == 1 })
	v.until("the page to show so", `document.querySelectorAll('#world-things li').length === 1`)
}

func TestTheOKSwitchIsPressedFromTheSimulatorsCard(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := openScene(t, func(s *sim.Scene) { s.People, s.Obstacles, s.Magnets = nil, nil, nil })
	v := visit(t, browser, h.addr)
	v.work("world")
	v.push("#world [data-do=ok]")
	v.until("the log to say so", `document.querySelector('#log').textContent.includes('pressed the OK switch.')`)
	v.picture("world-ok-desktop")
}

func TestTheBatteryIsSetFromTheSimulatorsCard(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := openScene(t, func(s *sim.Scene) { s.People, s.Obstacles, s.Magnets, s.Drained = nil, nil, nil, 0.5 })
	v := visit(t, browser, h.addr)
	v.openScripts() // with a rule about the battery
	v.work("world")
	v.until("the card in place of the tab", `document.querySelector('#world').offsetParent !== null && document.querySelector('#scripts').offsetParent === null`)
	v.until("the slider to show the measured charge", `document.querySelector('#world-charge').value === '50'`)
	v.run(`document.querySelector('#world-charge').focus()`)
	v.stroke(keyLeft)
	v.until("the top bar to show the new charge", `document.querySelector('#battery').textContent.includes('49%')`)
	v.until("the log to say so", `document.querySelector('#log').textContent.includes('set the battery to 49 %.')`)
	v.picture("world-battery-desktop")
}

func TestAnObstacleThatAUserPutsOnThePathIsNotHit(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := openScene(t, func(s *sim.Scene) { s.People, s.Obstacles, s.Magnets = nil, nil, nil })
	v := visit(t, browser, h.addr)
	v.goTo("Sofa")
	start := h.await("the robot to be on its way", func(t sim.Truth) bool { return t.Twist.Linear > 0.3 }).Pose
	v.work("world")
	v.run(`document.querySelector('[data-map=floor]').click()`)
	v.settle()
	v.tool("obstacle")
	at := robot.Point{X: math.Min(start.X+2, 8.6), Y: 7.3}
	v.clickAt(v.on(at.X, at.Y))
	h.awaitThings("the obstacle", func(c sim.Contents) bool { return len(c.Things) == 1 })
	radius := h.obstacles()[0].Radius
	// It drives around, or stops and reports that its path is blocked; on the way it keeps its
	// distance.
	least := math.Inf(1)
	for end := time.Now().Add(25 * time.Second); ; {
		pose := h.driver.Truth().Pose
		least = math.Min(least, pose.Point().Sub(at).Norm()-radius)
		if pose.X > at.X+0.5 || value[bool](v, `['Route blocked', 'Blocked'].includes(document.querySelector('#pill .t').textContent)`) {
			break
		}
		if time.Now().After(end) {
			v.picture("failed")
			t.Fatalf("the robot neither drives around nor reports that it is blocked; it is at %+v", pose)
		}
	}
	if least < 0.225 {
		t.Errorf("the robot's centre came within %.2f m of the obstacle, half its width is 0.225 m", least)
	}
}

func TestADoorThatAUserClosesOnTheMapBlocksThePath(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := openScene(t, func(s *sim.Scene) {
		s.People, s.Obstacles, s.Magnets = nil, nil, nil
		s.Start = robot.Pose{X: 16.9, Y: 10.5, Theta: math.Pi / 2}
	})
	v := visit(t, browser, h.addr)
	v.work("world")
	v.run(`document.querySelector('[data-map=floor]').click()`)
	v.settle()
	const copyRoom = 3
	d := h.plan.Doors[copyRoom]
	v.clickAt(v.on(d.Hinge.X+d.Length/2*math.Cos(d.Closed), d.Hinge.Y+d.Length/2*math.Sin(d.Closed))) // in the doorway
	h.awaitThings("the door to be closed", func(c sim.Contents) bool { return c.Closed[copyRoom] })
	v.until("the list to say so", `document.querySelector('#world-doors button[aria-checked=true]')?.getAttribute('aria-label') === 'Door of Copy room 304 is closed'`)

	v.goTo("Copy room")
	blocked := `['Route blocked', 'Blocked'].includes(document.querySelector('#pill .t').textContent)`
	for end := time.Now().Add(25 * time.Second); !value[bool](v, blocked); {
		if time.Now().After(end) {
			v.picture("failed")
			t.Fatalf("the robot does not report that the door is closed; it is at %+v", h.driver.Truth().Pose)
		}
		if x := h.driver.Truth().Pose.X; x > d.Hinge.X {
			t.Fatalf("the robot went through the closed door, to x = %.2f m", x)
		}
	}
	v.work("world")
	v.run(`document.querySelector('#world-doors button[aria-checked=true]').click()`)
	h.awaitThings("the door to be open", func(c sim.Contents) bool { return !c.Closed[copyRoom] })
	v.until("the list to say so", `document.querySelector('#world-doors button[aria-checked=true]') === null`)
}

func TestARobotThatIsCarriedAwayOnTheMapNoticesIt(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	v := visit(t, browser, h.addr)
	v.work("world")
	v.run(`document.querySelector('[data-map=floor]').click()`)
	v.settle()
	v.tool("carry")
	want := robot.Pose{X: 9.6, Y: 4.6, Theta: math.Pi / 2} // the lounge
	at := v.on(want.X, want.Y)
	v.dragMouse(at, spot{at.X, at.Y - 50})
	h.await("the robot to be put down", func(t sim.Truth) bool {
		return near([3]float64{t.Pose.X, t.Pose.Y, t.Pose.Theta}, [3]float64{want.X, want.Y, want.Theta})
	})
	v.run(`document.querySelector('#world [data-do=close]').click()`)
	v.run(`document.querySelector('#tab-drive').click()`)
	// The robot gets no information about the move. A person turns it, and it reports doubt or
	// finds its pose.
	v.inFront()
	defer v.letGo(keyA)
	const notices = `fetch('/api/v1/state').then((r) => r.json()).then((s) => s.trust !== 'OK' || Math.hypot(s.pose[0] - 9.6, s.pose[1] - 4.6) < 0.5)`
	v.holdUntil(byA, "the robot to doubt its position or to find it", notices)
}

func TestARealRobotHasNoSimulator(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t, func(c *app.Config) { c.Simulator, c.World = false, nil })
	v := visit(t, browser, h.addr)
	v.until("the map editor alone", `document.querySelector('#workshop [data-work=world]').hidden && !document.querySelector('#workshop [data-work=edit]').hidden`)
}
