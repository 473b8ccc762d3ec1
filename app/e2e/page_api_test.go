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
		v.run(fmt.Sprintf(`document.documentElement.dataset.theme = %q`, c.theme)) // the theme is chosen at load
		v.settle()
		where := "api-" + c.name + "-" + c.theme
		v.axeFindsNothing(where)
		v.until(where+" has one part below the other", `[...document.querySelectorAll('.apipage > *')].every((e, i, all) => e.offsetLeft >= 0 && (i === 0 || e.getBoundingClientRect().top >= all[i - 1].getBoundingClientRect().bottom))`)
		v.until(where+" is no wider than the window", fmt.Sprintf(`document.documentElement.scrollWidth <= %d`, c.width))
		v.picture(where)
	}
	v.run(`document.querySelector('#post-runs').open = false`)
	v.run(`location.hash = '#shape-Run'`)
	v.until("the shape of a run is in sight", `document.querySelector('#shape-Run').getBoundingClientRect().top < innerHeight`)
}

// Unknown addresses used to show bare text.
func TestAnAddressWithNothingShowsAPageThatLeadsBack(t *testing.T) {
	t.Parallel()
	axe := readAxe(t)
	h := open(t)
	v := arriveAt(t, chromium(t), h.addr, "/nowhere")
	v.lands("the page", `document.querySelector('h1')?.innerText === 'There is nothing at this address'`)
	v.run(axe)
	for _, w := range []window{desktop, laptop, phone, landscape} {
		for _, theme := range []string{dark, light} {
			v.look(w, theme)
			v.run(fmt.Sprintf(`document.documentElement.dataset.theme = %q`, theme)) // the theme is chosen at load
			v.settle()
			where := "nothing-" + w.name + "-" + theme
			v.axeFindsNothing(where)
			v.picture(where)
		}
	}
	v.forgive("status of 404")
	v.run(`document.querySelector('a.btn').click()`)
	v.lands("the robot's page", `document.querySelector('#app') !== null`)
}

// Without scripts axe does not run, so the test renders the page as a browser without scripts
// does, inside another page.
func TestThePageWithoutScriptsIsReadableEverywhere(t *testing.T) {
	t.Parallel()
	axe := readAxe(t)
	h := open(t)
	v := arriveAt(t, chromium(t), h.addr, "/api")
	v.lands("a page", `document.querySelector('details') !== null`)
	v.run(`(async () => {
		const page = new DOMParser().parseFromString(await (await fetch('/')).text(), 'text/html');
		for (const n of page.querySelectorAll('noscript')) n.replaceWith(...n.childNodes);
		for (const s of page.querySelectorAll('script')) s.remove();
		document.replaceChild(document.adoptNode(page.documentElement), document.documentElement);
	})()`)
	v.until("its style", `getComputedStyle(document.querySelector('#app')).display === 'none'`)
	v.run(axe)
	for _, w := range []window{desktop, laptop, tablet, phone, landscape} {
		for _, theme := range []string{dark, light} {
			v.look(w, theme)
			v.run(fmt.Sprintf(`document.documentElement.dataset.theme = %q`, theme))
			v.settle()
			where := "no-script-" + w.name + "-" + theme
			v.axeFindsNothing(where)
			v.until(where+" is no wider than the window", fmt.Sprintf(`document.documentElement.scrollWidth <= %d`, w.width))
			v.picture(where)
		}
	}
	v.forgive("favicon.ico") // the rendered page has no icon
}
