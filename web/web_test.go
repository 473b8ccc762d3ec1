package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/static"
)

func render(t *testing.T, d PageData) string {
	t.Helper()
	var out bytes.Buffer
	if err := Page(d).Render(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func data() PageData {
	return PageData{Name: "Mybot", Place: "3rd floor, KAIST EE", Build: "0.1.0", Floorplan: json.RawMessage(`{"name":"</script><b>"}`)}
}

// sources returns the texts of all components and scripts, and of the Go code that renders
// pages.
func sources(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "node_modules" {
			return filepath.SkipDir
		}
		if ext := filepath.Ext(path); ext == ".templ" || (ext == ".ts" && !strings.HasSuffix(path, ".test.ts")) || path == "page.go" {
			text, err := os.ReadFile(path)
			all.Write(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	handlers, err := filepath.Glob("../handlers/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range handlers {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

func size(t *testing.T, text string) int {
	t.Helper()
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}

func TestThePageHasEveryPartBeforeAnyScriptRuns(t *testing.T) {
	page := render(t, data())
	for _, want := range []string{
		`<!doctype html>`, `<html lang="en"`, `data-build="0.1.0"`, `<h1>Mybot</h1>`, `3rd floor, KAIST EE`,
		`id="map"`, `id="hud"`, `id="drive"`, `id="banner"`, `id="people"`, `id="log"`, `id="toasts"`, `id="release"`, `id="handover"`, `id="ask"`, `id="share"`, `<dialog`,
		`id="t-person"`, `id="t-log"`, `id="t-toast"`, `aria-live="assertive"`,
		`rel="preload"`, `/static/app-`, `/static/theme-`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if n := strings.Count(page, `aria-keyshortcuts="Space"`); n != 2 {
		t.Errorf("STOP is there %d times, want twice: one for wide pages, one for narrow ones", n)
	}
	if n := strings.Count(page, "<h1"); n != 2 { // one of them for browsers without scripts
		t.Errorf("%d h1", n)
	}
}

func TestThePageObeysAStrictContentSecurityPolicy(t *testing.T) {
	page := render(t, data())
	for what, is := range map[string]string{
		"a style attribute": `\sstyle="`, "a style element": `<style`, "an event attribute": `\son[a-z]+="`, "a script in the page": `<script(>|\s[^>]*type="text/javascript")`,
	} {
		if found := regexp.MustCompile(is).FindString(page); found != "" {
			t.Errorf("the page has %s: %s", what, found)
		}
	}
	for _, script := range regexp.MustCompile(`<script[^>]*>`).FindAllString(page, -1) {
		if !strings.Contains(script, "src=") && !strings.Contains(script, `type="application/json"`) {
			t.Errorf("a script without a file: %s", script)
		}
	}
}

func TestTheFloorPlanCannotLeaveItsScript(t *testing.T) {
	page := render(t, data())
	_, rest, ok := strings.Cut(page, `<script id="floorplan" type="application/json">`)
	if !ok {
		t.Fatal("no floor plan in the page")
	}
	plan, _, _ := strings.Cut(rest, "</script>")
	var got struct{ Name string }
	if err := json.Unmarshal([]byte(plan), &got); err != nil || got.Name != "</script><b>" {
		t.Errorf("the plan reads %q: %v", got.Name, err)
	}
}

func TestAPageOverPlainHTTPSaysWhatItLacks(t *testing.T) {
	d := data()
	if strings.Contains(render(t, d), Text("insecure", "told")) {
		t.Error("a page that lacks nothing says that it does")
	}
	d.Insecure = true
	if n := strings.Count(render(t, d), Text("insecure", "told")); n != 2 { // in the notice, and always in the sheet of keys
		t.Errorf("the page says %d times what it lacks, want 2", n)
	}
}

func TestNamesArePlainText(t *testing.T) {
	d := data()
	d.Name, d.Place = `<img src=x onerror=alert(1)>`, `"><script>`
	if page := render(t, d); strings.Contains(page, "<img src=x") || strings.Contains(page, `"><script>`) {
		t.Error("a name became markup")
	}
}

func TestABrowserWithoutScriptsCanStopTheRobotAndReadItsState(t *testing.T) {
	for name, c := range map[string]struct {
		state *robot.State
		want  string
	}{
		"before the first state": {nil, "Status unknown"},
		"ready":                  {&robot.State{Mode: robot.ModeReady}, "Ready"},
		"driven by hand":         {&robot.State{Mode: robot.ModeManual}, "Driving by hand"},
		"a base out of reach":    {&robot.State{Mode: robot.ModeReady, Base: &robot.BaseLink{}}, "Base out of reach"},
		"stopped":                {&robot.State{Mode: robot.ModeStopped, Stop: &robot.StopState{By: "Jin", At: time.Now()}}, "Stopped by Jin"},
	} {
		t.Run(name, func(t *testing.T) {
			d := data()
			d.State = c.state
			_, rest, _ := strings.Cut(render(t, d), "<noscript>")
			plain, _, _ := strings.Cut(rest, "</noscript>")
			for _, want := range []string{`<form method="post" action="/stop">`, `src="/map.svg"`, c.want} {
				if !strings.Contains(plain, want) {
					t.Errorf("lacks %s", want)
				}
			}
		})
	}
}

func TestThePageStaysWithinItsBudget(t *testing.T) {
	page := strings.Replace(render(t, data()), spriteSVG, "", 1)
	for what, c := range map[string]struct {
		text   string
		budget int
	}{"the page": {page, 12 << 10}, "the sprite": {spriteSVG, 5 << 10}} {
		n := size(t, c.text)
		t.Logf("%s: %d of %d bytes, gzip", what, n, c.budget)
		if n > c.budget {
			t.Errorf("%s is %d bytes with gzip, the budget is %d", what, n, c.budget)
		}
	}
}

// What a browser loads before a person sees the map and the camera: the specification's 119 KB
// without the camera, plus its script and style, and the styles of cards.
func TestTheFirstLoadWithTheCameraStaysWithinItsBudget(t *testing.T) {
	sum := size(t, render(t, data()))
	for _, name := range []string{"theme.js", "app.js", "app.css", "cards.css", "inter.woff2", "video.js", "video.css"} {
		file, err := os.ReadFile(filepath.Join("..", "static", "dist", filepath.Base(static.Path(name))))
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(name) == ".woff2" {
			sum += len(file)
		} else {
			sum += size(t, string(file))
		}
	}
	const budget = (119 + 12 + 3 + 3) << 10
	t.Logf("%d of %d bytes", sum, budget)
	if sum > budget {
		t.Errorf("the first load is %d bytes, the budget is %d", sum, budget)
	}
}

func TestEveryIconIsThereAndUsed(t *testing.T) {
	var there []string
	for _, m := range regexp.MustCompile(`id="i-([a-z0-9-]+)"`).FindAllStringSubmatch(spriteSVG, -1) {
		there = append(there, m[1])
	}
	text := sources(t)
	for _, name := range there {
		if !strings.Contains(text, `"`+name+`"`) && !strings.Contains(text, `'`+name+`'`) && !strings.Contains(text, "#i-"+name+"'") {
			t.Errorf("web/icons/%s.svg is not used", name)
		}
	}
	for _, is := range []string{`#i-([a-z0-9-]+)`, `@Icon\("([a-z0-9-]+)"`, `icon: '([a-z0-9-]+)'`} {
		for _, m := range regexp.MustCompile(is).FindAllStringSubmatch(text+render(t, data()), -1) {
			if !slices.Contains(there, m[1]) && !slices.Contains([]string{"drive", "stop", "control", "person", "warn"}, m[1]) { // words of the log
				t.Errorf("there is no web/icons/%s.svg", m[1])
			}
		}
	}
}

func TestEverySentenceIsUsed(t *testing.T) {
	text := sources(t)
	for section, keys := range texts {
		for key := range keys {
			stem, _, dashed := strings.Cut(key, "-")
			if dashed {
				stem += "-"
			}
			if !strings.Contains(text, "."+stem) && !strings.Contains(text, `"`+stem) && !strings.Contains(text, `'`+stem) {
				t.Errorf("strings.json: %s.%s is not used", section, key)
			}
		}
	}
}

func TestAMissingSentenceIsAFaultOfTheProgram(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Text("stop", "no such key")
}

func TestNamesInASentenceAreFilled(t *testing.T) {
	if got := Text("noscript", "map", "place", "3rd floor"); got != "Map of 3rd floor" {
		t.Errorf("got %q", got)
	}
}
