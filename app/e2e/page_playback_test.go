package e2e_test

import (
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"

	"mybot/app"
	"mybot/drivers/replay"
	"mybot/recording"
	"mybot/robot"
)

// recordWay records a robot that drives three metres again and again, for two minutes, and
// returns the file.
func recordWay(t *testing.T) string {
	t.Helper()
	desc, plan, _ := office(t)
	path := filepath.Join(t.TempDir(), "way.mcap")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	recorder, err := recording.NewSyncRecorder(file, recording.About{Robot: desc, Build: "test"}, plan)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1_800_000_000, 0)
	echoes := slices.Repeat([]float64{math.Inf(1)}, len(desc.Sonars))
	for i := range 6000 {
		at = at.Add(20 * time.Millisecond)
		pose := robot.Pose{X: 2 + 0.002*float64(i%1500), Y: 2}
		recorder.ObserveTick(at, robot.Reading{Time: at, Travel: robot.Wheels{Left: 0.002, Right: 0.002}, Ranges: echoes, Battery: robot.Battery{Volts: 12, Charge: 0.9}}, robot.State{Time: at, Estimate: robot.Estimate{Pose: pose}})
	}
	if err := errors.Join(recorder.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// openReplay starts a server that shows a recording.
func openReplay(t *testing.T, path string) (*testServer, *replay.Driver) {
	t.Helper()
	driver, err := replay.Open(replay.Address{File: path, Speed: 1})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ready := make(chan struct{})
	h := &testServer{t: t, addr: ln.Addr().String(), plan: driver.Floorplan(), ended: make(chan error, 1)}
	h.start(ln, driver, app.Config{
		Plan: driver.Floorplan(), Start: driver.Estimate().Pose, Build: "test", Ready: func() { close(ready) },
		Locate: driver, Player: driver, ReadOnly: replay.Refusal,
	}, ready)
	return h, driver
}

func TestARecordingIsPlayedPausedAndWoundInThePage(t *testing.T) {
	t.Parallel()
	axe, browser := readAxe(t), chromium(t)
	h, driver := openReplay(t, recordWay(t))
	ana := visit(t, browser, h.addr)
	ana.inFront()
	ana.run(listen)
	const (
		bar   = `#playback`
		play  = bar + ` button:first-child`
		again = bar + ` button:nth-child(2)`
		place = bar + ` input`
		speed = bar + ` select`
	)
	says := func(name string) string {
		return fmt.Sprintf(`document.querySelector(%q)?.ariaLabel === %q && document.querySelector(%q).checkVisibility()`, play, name, play)
	}
	is := func(what string, ok func(recording.Playback) bool) {
		t.Helper()
		for late := time.After(patience); !ok(driver.Playback()); time.Sleep(20 * time.Millisecond) {
			select {
			case <-late:
				t.Fatalf("the playback is not %s: %+v", what, driver.Playback())
			default:
			}
		}
	}
	ana.until("a recording that plays", says("Pause"))
	ana.until("the place to go on by itself", `/^0:0[2-9] \/ 1:59$/.test(document.querySelector('#playback span').textContent)`)

	// An observer sees the position in the recording, and cannot change it.
	kim := visit(t, browser, h.addr)
	kim.until("the place, and who may change it", says("Pause")+` && document.querySelector('`+place+`').disabled && document.querySelector('#playback small').textContent === 'Take control to play and pause the recording.'`)

	// By keyboard: pause, seek, back to the start.
	ana.tabTo(play)
	ana.stroke(keyEnter)
	ana.until("the pause", says("Play")+` && `+hears("The recording is paused."))
	is("paused", func(p recording.Playback) bool { return !p.Playing })
	kim.until("the pause", says("Play"))
	ana.tabTo(place)
	ana.stroke(key{"End", "End", 35, ""})
	is("at the end", func(p recording.Playback) bool { return p.At > 119 })
	ana.until("the end", `document.querySelector('`+place+`').ariaValueText.startsWith('1:5') && document.querySelector('#playback span').textContent.startsWith('1:59')`)
	ana.stroke(key{"Home", "Home", 36, ""}, key{"ArrowRight", "ArrowRight", 39, ""}, key{"ArrowRight", "ArrowRight", 39, ""})
	is("at two seconds", func(p recording.Playback) bool { return p.At == 2 && !p.Playing })
	ana.until("two seconds", `document.querySelector('`+place+`').ariaValueText === '0:02 of 1:59'`)
	ana.until("the robot there", `/x 2\.20/.test(document.querySelector('.hud').innerText)`)

	// By mouse: a drag that ends where it began leaves the slider free to follow the robot.
	ana.stroke(key{"Home", "Home", 36, ""})
	is("at the beginning", func(p recording.Playback) bool { return p.At == 0 })
	at := ana.middle(place)
	at.X = value[float64](ana, `document.querySelector('`+place+`').getBoundingClientRect().left + 8`)
	ana.mouse(input.DispatchMouseEventTypeMousePressed, at, true)
	ana.mouse(input.DispatchMouseEventTypeMouseMoved, spot{at.X + 80, at.Y}, true)
	ana.until("another place under the pointer", `document.querySelector('`+place+`').valueAsNumber > 9`)
	ana.mouse(input.DispatchMouseEventTypeMouseMoved, spot{at.X - 8, at.Y}, true)
	ana.mouse(input.DispatchMouseEventTypeMouseReleased, at, false)
	there := 30.0
	is("followed", func(recording.Playback) bool { // the page's own request for 0 s may come later than the first of these
		return driver.Control(recording.PlaybackOrder{At: &there}) == nil && value[float64](ana, `document.querySelector('`+place+`').valueAsNumber`) == 30
	})
	ana.dragMouse(ana.middle(place), at)
	is("where the drag ended", func(p recording.Playback) bool { return p.At < 9 })
	ana.run(fmt.Sprintf(`(() => { const s = document.querySelector(%q); s.value = '10'; s.dispatchEvent(new Event('change')); })()`, speed))
	is("ten times as fast", func(p recording.Playback) bool { return p.Speed == 10 })

	ana.inEveryWindow("playback", axe, (*visitor).stopInReach, func(v *visitor, where string) {
		for _, control := range []string{play, again, place, speed} {
			v.until(control+" in "+where, onTop(control))
		}
	})

	ana.click(again)
	ana.until("the beginning", says("Pause")+` && `+hears("The recording plays from the beginning."))
	is("played", func(p recording.Playback) bool { return p.Playing && p.At > 5 })
	is("over", func(p recording.Playback) bool { return p.At > 119.9 })
	ana.until("that it is over", says("Play"))

	// STOP works as always, for everyone.
	kim.strokeTwice(keyEsc, 200*time.Millisecond)
	ana.until("the stop", `'stopped' in document.querySelector('#app').dataset`)
	for _, v := range []*visitor{ana, kim} {
		v.check()
	}
	if other := visit(t, browser, open(t).addr); value[bool](other, `document.querySelector('#playback') !== null`) {
		t.Error("a robot has the playback bar of a recording")
	}
}
