package e2e_test

import (
	"fmt"
	"testing"
)

func TestThePageAboutTheInterfaceIsReadableEverywhere(t *testing.T) {
	t.Parallel()
	axe := readAxe(t)
	h := open(t)
	v := arriveAt(t, chromium(t), h.addr, "/api")
	v.lands("the page", `document.querySelectorAll('details').length > 40`)
	v.run(axe)
	v.run(`document.querySelectorAll('details').forEach((d) => { d.open = true })`)
	for _, c := range []struct {
		window
		theme string
	}{{desktop, dark}, {phone, light}} {
		v.look(c.window, c.theme)
		v.run(fmt.Sprintf(`document.documentElement.dataset.theme = %q`, c.theme)) // it is chosen when a page is loaded
		v.settle()
		where := "api-" + c.name + "-" + c.theme
		v.axeFindsNothing(where)
		v.until(where+" is no wider than the window", fmt.Sprintf(`document.documentElement.scrollWidth <= %d`, c.width))
		v.picture(where)
	}
	v.run(`document.querySelector('#post-runs').open = false`)
	v.run(`location.hash = '#shape-Run'`)
	v.until("the shape of a run is in sight", `document.querySelector('#shape-Run').getBoundingClientRect().top < innerHeight`)
}
