package e2e_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"

	"mybot/drivers/sim"
)

func TestOnAPhoneASheetHasWhatTheMapHasNoRoomFor(t *testing.T) {
	t.Parallel()
	h := open(t, sighted)
	v := visit(t, chromium(t), h.addr)
	v.until("no need of it on a desktop", `!document.querySelector('#more-open').checkVisibility()`)
	press := func(selector string) string { return fmt.Sprintf("#more [data-press='%s']", selector) }
	for _, w := range []window{phone, landscape} {
		v.look(w, dark)
		v.settle()
		v.tap("#more-open")
		v.until("the sheet on a "+w.name, `document.querySelector('#more').open && `+onTop("#more .close"))
		v.stopInReach("more on a " + w.name)
		v.picture("more-" + w.name)
		before := value[float64](v, `document.querySelector('#map').drawn.view.scale`)
		v.run("document.querySelector(`" + press("[data-map=in]") + "`).click()")
		v.until("a larger map", fmt.Sprintf(`document.querySelector('#map').drawn.view.scale > %v`, before*1.2))
		theme := value[string](v, `document.documentElement.dataset.theme`)
		v.run("document.querySelector(`" + press("#theme") + "`).click()")
		v.until("the other theme", fmt.Sprintf(`document.documentElement.dataset.theme !== %q`, theme))
		v.run("document.querySelector(`" + press("#sounds") + "`).click()")
		v.until("sounds to be on or off", "document.querySelector(`"+press("#sounds")+"`).getAttribute('aria-pressed') === document.querySelector('#sounds').getAttribute('aria-checked')")
		v.run(`document.querySelector('#more [data-layer=names]').click()`)
		v.until("no names", `!document.querySelector('#layers [data-layer=names]').checked`)
		v.run(`document.querySelector('#more [data-layer=names]').click()`)
		for _, part := range []string{press("[data-eye=shot]"), "#compensation", "#more [data-layer=estimate]", "#more .legend li:last-child", "#more-delay #delay .ends"} {
			v.run("document.querySelector(`" + part + "`).scrollIntoView({ block: 'center' })")
			v.until(part+" in reach on a "+w.name, `document.querySelector("`+part+`").checkVisibility()`)
		}
		v.until("the round trip", `/\d+ ms/.test(document.querySelector('#delay [data-of=rtt]').textContent)`)
		v.picture("more-" + w.name + "-below")
		v.run(`document.querySelector('#more .close').click()`)
		v.until("the delay card back in its panel", `document.querySelector('#drive > #delay') !== null && !document.querySelector('#more').open`)
	}
	v.look(phone, light)
	v.run(`document.querySelector('#more-open').click()`)
	v.run("document.querySelector(`" + press("[data-eye=swap]") + "`).click()")
	v.until("the camera in the map's place", `document.querySelector('#app').hasAttribute('data-swap') && !document.querySelector('#more').open`)
}

func TestOnAPhoneTheStickLiesOverTheMapWhenThePanelIsFolded(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	for name, change := range map[string]func(*sim.Scene){"with a camera": nil, "without": func(*sim.Scene) {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			if change == nil {
				h = open(t, sighted)
			}
			v := visit(t, browser, h.addr)
			v.look(phone, dark)
			v.until("the stick", onTop(".knob"))
			high := value[float64](v, `document.querySelector('#map').clientHeight`)
			v.run(`document.querySelector('#fold').click()`)
			v.until("a higher map with the stick over it", fmt.Sprintf(`document.querySelector('#map').clientHeight > %v && %s`, high+100, onTop(".knob")))
			v.until("nothing under another thing", robotOnTop+` && `+onTop("[data-map=goal]")+` && `+onTop("#more-open")+` && `+onTop("#tab-goto"))
			if change == nil {
				v.until("the picture beside it", onTop("#eye-glass"))
			}
			v.stopInReach("folded")
			v.picture("folded-" + map[bool]string{true: "camera", false: "plain"}[change == nil])
			knob := driveControl{"a finger on the knob", func(v *visitor) {
				at := v.middle(".knob")
				v.touch(input.DispatchTouchEventTypeTouchStart, at)
				v.touch(input.DispatchTouchEventTypeTouchMove, spot{at.X, at.Y - 60})
			}, byFinger.release, byFinger.ended}
			h.drivenBy(v, knob)
			knob.release(v)
			h.awaitStill()
			v.run(`document.querySelector('#tab-goto').click()`)
			v.until("the panel of a tab that is touched", onTop(".places h2"))
		})
	}
}
