package e2e_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nhooyr.io/websocket"

	"mybot/app"
)

// A firefox is a tab of Firefox, operated by WebDriver BiDi (https://w3c.github.io/webdriver-bidi),
// for what Chromium cannot show.
type firefox struct {
	t    *testing.T
	conn *websocket.Conn
	tab  string
	last int
}

// openFirefox starts a headless Firefox with a profile of its own, and ends it with the test.
func openFirefox(t *testing.T) *firefox {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes long; -short leaves it out")
	}
	program, err := exec.LookPath("firefox-esr")
	if err != nil {
		if program, err = exec.LookPath("firefox"); err != nil {
			t.Skip("there is no Firefox: neither firefox-esr nor firefox is on the PATH")
		}
	}
	home, err := os.MkdirTemp("", "mybot-firefox-") // its processes may write for a moment after their end
	if err != nil {
		t.Fatal(err)
	}
	prefs := "" // no request to another host
	for _, name := range []string{"services.settings.server", "app.normandy.api_url", "browser.region.network.url", "toolkit.telemetry.server", "media.gmp-manager.url"} {
		prefs += fmt.Sprintf("user_pref(%q, \"\");\n", name)
	}
	if err := os.WriteFile(filepath.Join(home, "user.js"), []byte(prefs), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(modest(t, program, belowTheServer), "--headless", "--no-remote", "--profile", home, "--remote-debugging-port", "0", "about:blank")
	cmd.Env = append(os.Environ(), "HOME="+home, "MOZ_CRASHREPORTER_DISABLE=1")
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		_ = os.RemoveAll(home)
	})
	at := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(log)
		for lines.Scan() {
			if _, url, ok := strings.Cut(lines.Text(), "WebDriver BiDi listening on "); ok {
				at <- url
			}
		}
	}()
	f := &firefox{t: t}
	select {
	case url := <-at:
		if f.conn, _, err = websocket.Dial(t.Context(), url+"/session", nil); err != nil {
			t.Fatal(err)
		}
	case <-time.After(time.Minute):
		if _, err := os.Stat("/snap/bin/firefox"); err == nil {
			t.Skipf("Firefox does not start within a minute: as a snap it cannot read its profile in %s", home)
		}
		t.Fatalf("%s does not start within a minute", program)
	}
	t.Cleanup(func() { _ = f.conn.CloseNow() })
	f.conn.SetReadLimit(1 << 20)
	f.do("session.new", map[string]any{"capabilities": map[string]any{}}, nil)
	var tab struct{ Context string }
	f.do("browsingContext.create", map[string]any{"type": "tab"}, &tab)
	f.tab = tab.Context
	f.do("browsingContext.setViewport", map[string]any{"context": f.tab, "viewport": map[string]int{"width": 1440, "height": 900}}, nil)
	return f
}

// do executes a command of WebDriver BiDi.
func (f *firefox) do(method string, params map[string]any, result any) {
	f.t.Helper()
	f.last++
	order, err := json.Marshal(map[string]any{"id": f.last, "method": method, "params": params})
	if err != nil {
		f.t.Fatal(err)
	}
	if err := f.conn.Write(f.t.Context(), websocket.MessageText, order); err != nil {
		f.t.Fatal(err)
	}
	for {
		_, text, err := f.conn.Read(f.t.Context())
		if err != nil {
			f.t.Fatalf("Firefox after %s: %v", method, err)
		}
		var answer struct {
			ID      int
			Type    string
			Message string
			Result  json.RawMessage
		}
		if err := json.Unmarshal(text, &answer); err != nil {
			f.t.Fatal(err)
		}
		switch {
		case answer.ID != f.last:
			continue // an event
		case answer.Type != "success":
			f.t.Fatalf("Firefox refuses %s: %s", method, answer.Message)
		case result != nil:
			if err := json.Unmarshal(answer.Result, result); err != nil {
				f.t.Fatal(err)
			}
		}
		return
	}
}

// visit opens the robot's page.
func (f *firefox) visit(addr string) {
	f.t.Helper()
	f.do("browsingContext.navigate", map[string]any{"context": f.tab, "url": "http://" + addr + "/", "wait": "complete"}, nil)
}

// text returns the string that a script in the page evaluates to.
func (f *firefox) text(script string) string {
	f.t.Helper()
	var got struct {
		Result           struct{ Value string }
		ExceptionDetails struct{ Text string }
	}
	f.do("script.evaluate", map[string]any{"expression": "String(" + script + ")", "target": map[string]string{"context": f.tab}, "awaitPromise": true}, &got)
	if why := got.ExceptionDetails.Text; why != "" {
		f.t.Fatalf("%s: %s", script, why)
	}
	return got.Result.Value
}

// until waits until a script in the page is true.
func (f *firefox) until(what, script string) {
	f.t.Helper()
	late := time.After(time.Minute)
	for f.text(script) != "true" {
		select {
		case <-late:
			f.t.Fatalf("waiting for %s\nthe page says: %s", what, f.text("document.body.innerText"))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// key presses a key, or lets it go.
func (f *firefox) key(action, key string) {
	f.t.Helper()
	f.do("input.performActions", map[string]any{"context": f.tab, "actions": []any{
		map[string]any{"type": "key", "id": "keyboard", "actions": []any{map[string]any{"type": action, "value": key}}},
	}}, nil)
}

// Firefox writes its offers in another way than Chromium, shows H.264 only after a download, and
// uses no loopback address for WebRTC: its page had no picture. The test measures, so it runs alone.
func TestInFirefoxThePageHasAPictureAndDrives(t *testing.T) {
	h := open(t, sighted, func(c *app.Config) { c.Encoder = app.EncoderAuto })
	f := openFirefox(t)
	f.visit(h.addr)
	f.until("control", `document.querySelector('#app').dataset.conn === 'live' && !document.querySelector('#auth').hidden`)
	f.key("keyDown", "w")
	h.awaitMotion()
	f.key("keyUp", "w")
	h.awaitStill()
	if !hasOtherAddress(t) {
		t.Skip("this computer has no address but 127.0.0.1, and Firefox uses that for no picture")
	}
	f.until("a picture", `document.querySelector('#eye').dataset.state === 'live'`)
	f.key("keyDown", " ")
	f.key("keyUp", " ")
	f.until("STOP", `document.querySelector('#app').hasAttribute('data-stopped')`)
}

// hasOtherAddress reports whether this computer has an IPv4 address beside 127.0.0.1.
func hasOtherAddress(t *testing.T) bool {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
			return true
		}
	}
	return false
}
