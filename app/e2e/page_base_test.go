package e2e_test

import (
	"context"
	"io"
	"log/slog"
	"math"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"mybot/app"
	"mybot/drivers/base"
	"mybot/drivers/base/bridge"
	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/robot/models"
)

// A lineBase is the driver of a base on a line. The base ends with it.
type lineBase struct {
	*base.Driver
	end func()
}

func (l lineBase) Close() error {
	defer l.end()
	return l.Driver.Close()
}

// openOnLine starts a server whose robot is a base on a TCP line. It returns the cable, and the
// address at which the base listens.
func openOnLine(t *testing.T, change ...func(*app.Config)) (h *testServer, cable *proxy, plug string) {
	t.Helper()
	desc, plan, scene := office(t)
	scene.People = nil
	h = openBehind(t, desc, plan, scene, "127.0.0.1:0", func(d robot.Driver) robot.Driver {
		return putOnLine(t, d, models.Mybot(), func(at string) string {
			plug, cable = at, newProxy(t, at)
			return "tcp:" + cable.addr
		})
	}, change...)
	return h, cable, plug
}

// putOnLine serves a driver as a base on TCP, and returns a driver of that base, which connects
// to the address that lead returns for the base's address.
func putOnLine(t *testing.T, d robot.Driver, description []byte, lead func(at string) string) robot.Driver {
	t.Helper()
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background()) // the server ends first
	var served sync.WaitGroup
	served.Go(func() {
		if err := bridge.Serve(ctx, ln, d, bridge.Config{Program: "test 1", Robot: description, Hold: d.Describe().Holds, Log: quiet}); err != nil {
			t.Errorf("the base ended: %v", err)
		}
	})
	end := func() {
		cancel()
		served.Wait()
		_ = d.Close()
	}
	address, err := base.ParseAddress(lead(ln.Addr().String()))
	if err != nil {
		t.Fatal(err)
	}
	driver, err := base.Open(ctx, base.Config{Address: address, Patience: patience, Log: quiet})
	if err != nil {
		end()
		t.Fatal(err)
	}
	return lineBase{driver, end}
}

const (
	bannerText = `document.querySelector('#banner').innerText.replace(/\s+/g, ' ')`
	baseLost   = `!document.querySelector('#banner').hidden && /Nothing from the base for \d+ s: \S.*\./.test(` + bannerText + `)`
	stickIsOff = `'off' in document.querySelector('#drive').dataset`
)

// The cable is pulled while the robot drives, and reconnected while the key is still held.
func TestALostBaseIsToldAndNothingMovesUntilANewPress(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	axe := readAxe(t)
	h, cable, plug := openOnLine(t)
	v := visit(t, browser, h.addr)
	v.inFront()
	h.drivenBy(v, byW)
	cable.lead("")
	v.until("the banner", baseLost)
	h.awaitStill()
	stood := h.driver.Truth().Pose
	v.until("what moves to be off, with the reason", stickIsOff+` && document.querySelector('#drive-how').innerText.includes('Driving is off until the base is back.')`)
	v.until("the pill", `document.querySelector('#pill').innerText.includes('Base out of reach')`)
	v.until("old numbers to look old", `document.querySelector('#hud').classList.contains('stale') && !document.querySelector('[data-hud=age]').hidden`)
	v.until("the seconds to run", `Number(`+bannerText+`.match(/for (\d+) s/)[1]) >= 3`)
	v.until("contact with the robot all the while", `document.querySelector('#app').dataset.conn === 'live'`)
	if clear := value[bool](v, `(() => { const r = document.querySelector("[data-hud=age]").getBoundingClientRect(); return document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2)?.matches("[data-hud=age]") ?? false; })()`); !clear {
		t.Error("the age of the numbers is not visible")
	}
	v.inEveryWindow("base-lost", axe, (*visitor).stopInReach)

	cable.lead(plug)
	v.until("the base to be back", `document.querySelector('#toasts').innerText.includes('The base is back. Nothing moves until you drive or press Resume.')`)
	v.until("no banner", `document.querySelector('#banner').hidden`)
	v.until("the key to be let go first", `document.querySelector('#drive-how').innerText.includes('Let go, then press again.')`)
	if at := h.driver.Truth().Pose; at.Point().Sub(stood.Point()).Norm() > 0.01 {
		t.Errorf("the robot stopped at %v and is at %v, without a new press", stood, at)
	}
	v.letGo(keyW)
	h.drivenBy(v, byW)
	v.letGo(keyW)
	h.awaitStill()
	v.check()
}

// A STOP is accepted while the base is out of reach, and stays.
func TestSTOPIsTakenWhileTheBaseIsLost(t *testing.T) {
	t.Parallel()
	h, cable, plug := openOnLine(t)
	v := visit(t, chromium(t), h.addr)
	v.inFront()
	cable.lead("")
	v.until("the banner", baseLost)
	v.stroke(keySpace)
	v.until("the stop, with the base beside it", `document.querySelector('#banner').dataset.kind === 'bad' && /Nothing from the base for \d+ s/.test(`+bannerText+`)`)
	cable.lead(plug)
	v.until("the stop alone", `document.querySelector('#banner').dataset.kind === 'bad' && !/Nothing from the base/.test(`+bannerText+`)`)
	h.awaitStill()
	v.check()
}

// An unwilling base sends what the test makes it send.
type unwilling struct {
	robot.Driver
	mu      sync.Mutex
	link    robot.BaseLink
	estop   bool
	refuses string
}

func (u *unwilling) BaseLink() robot.BaseLink {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.link
}

func (u *unwilling) Read(ctx context.Context) (robot.Reading, error) {
	r, err := u.Driver.Read(ctx)
	u.mu.Lock()
	defer u.mu.Unlock()
	r.EStop, r.Refuses = u.estop, u.refuses
	return r, err
}

func (u *unwilling) say(estop bool, refuses string, why string, gone ...robot.LostPart) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.estop, u.refuses = estop, refuses
	u.link = robot.BaseLink{Up: true, Why: why, Since: time.Now(), Gone: gone}
}

func TestTheWordsOfTheBaseReachThePage(t *testing.T) {
	t.Parallel()
	desc, plan, scene := office(t)
	scene.People = nil
	u := &unwilling{}
	u.say(false, "", "")
	h := openBehind(t, desc, plan, scene, "127.0.0.1:0", func(d robot.Driver) robot.Driver { u.Driver = d; return u })
	v := visit(t, chromium(t), h.addr)
	v.inFront()
	v.until("no banner", `document.querySelector('#banner').hidden`)
	banner := func(text string) string {
		return `!document.querySelector('#banner').hidden && ` + bannerText + `.includes('` + strings.ReplaceAll(text, "'", `\'`) + `')`
	}

	u.say(false, "The motors are switched off.", "")
	v.until("the refusal", banner("The robot will not drive now: The motors are switched off.")+" && "+stickIsOff)
	u.say(true, "", "")
	v.until("the stop of the base, which is first released there", `document.querySelector('#banner').dataset.kind === 'bad' && `+bannerText+`.startsWith('Stopped by the robot\'s own emergency stop at') && `+bannerText+`.includes('release it on the robot first') && document.querySelector('#release-hold').disabled`)
	u.say(false, "", "")
	v.until("the stop to wait for its release", `document.querySelector('#banner').dataset.kind === 'bad' && !document.querySelector('#release-hold').disabled`)
	v.releaseStop()
	u.say(false, "", "The base does not hear us.")
	v.until("its deafness", banner("The base does not hear us."))
	u.say(false, "", "", robot.LostPart{Name: "lidar", Sees: true})
	v.until("what is gone", banner("Out of reach: lidar."))
	u.say(false, "", "")
	v.until("no banner", `document.querySelector('#banner').hidden`)
	h.driveUntil(v, byW, "the robot to drive", func(s sim.Truth) bool { return math.Abs(s.Twist.Linear) > 0.05 })
	v.letGo(keyW)
	h.awaitStill()
	v.check()
}

// A person at the robot switches the motors off for a tenth of a second while the key is held:
// the robot stands until the key is pressed again.
func TestAHeldKeyMovesNothingAfterTheMotorsWereSwitchedOff(t *testing.T) {
	t.Parallel()
	desc, plan, scene := office(t)
	scene.People = nil
	u := &unwilling{}
	u.say(false, "", "")
	h := openBehind(t, desc, plan, scene, "127.0.0.1:0", func(d robot.Driver) robot.Driver { u.Driver = d; return u })
	v := visit(t, chromium(t), h.addr)
	v.inFront()
	drives := func(s sim.Truth) bool { return math.Abs(s.Twist.Linear) > 0.05 }
	h.driveUntil(v, byW, "the robot to drive", drives)
	u.say(false, "The motors are switched off.", "")
	time.Sleep(100 * time.Millisecond)
	u.say(false, "", "")
	h.awaitStill()
	for began := time.Now(); time.Since(began) < 3*time.Second; time.Sleep(20 * time.Millisecond) {
		if s := h.driver.Truth(); drives(s) {
			t.Fatalf("the key is still held, and the robot continues to drive with %v", s.Twist)
		}
	}
	v.letGo(keyW)
	h.driveUntil(v, byW, "the robot to drive again", drives)
	v.letGo(keyW)
	h.awaitStill()
	v.check()
}
