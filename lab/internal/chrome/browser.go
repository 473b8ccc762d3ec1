// Package chrome drives a real, headless browser by the DevTools protocol. It does not use the
// library of the browser tests, which is for tests only.
package chrome

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"
)

// A Browser is a real, headless browser that shows the robot's page. The experiment controls its
// keyboard by the DevTools protocol: JSON objects over two pipes, each followed by a zero byte.
// Its processes are a process group of their own, so that a signal reaches all of them at once.
type Browser struct {
	cmd     *exec.Cmd
	profile string // its folder
	to      *os.File
	from    *os.File
	tab     string // its id
	session string // with the tab

	asking sync.Mutex
	in     *bufio.Reader
	asked  int
}

// SpeedLimit is the speed limit set in the page, in m/s.
const SpeedLimit = 0.45

// answersIn is how long a browser may take to answer.
const answersIn = 20 * time.Second

// pressEvery is the interval at which HoldForward checks the key; a page takes a moment until it
// shows that it drives.
const pressEvery = 500 * time.Millisecond

// errNoChromium means that trials with a real page are impossible.
var errNoChromium = errors.New("neither chromium, chromium-browser nor google-chrome is on the PATH")

// FindBrowser returns the path of the computer's Chromium.
func FindBrowser() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errNoChromium
}

// Open starts a browser that opens the robot's page at addr, with SpeedLimit set. The end of ctx
// kills it; WaitUntilGone waits for that.
func Open(ctx context.Context, addr string) (_ *Browser, err error) {
	return OpenWith(ctx, nil, addr, "/")
}

// OpenWith starts a browser that opens a page of the robot. by is a command to put before the
// browser's, for example one that runs it in another network.
func OpenWith(ctx context.Context, by []string, addr, page string) (_ *Browser, err error) {
	path, err := FindBrowser()
	if err != nil {
		return nil, err
	}
	c := &Browser{}
	if c.profile, err = os.MkdirTemp("", "mybot-lab-chromium-"); err != nil {
		return nil, err
	}
	words := append(slices.Clone(by), path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-breakpad",
		"--disable-extensions", "--disable-component-update", "--disable-background-networking", "--disable-dev-shm-usage",
		"--no-first-run", "--mute-audio", "--remote-debugging-pipe", "--user-data-dir="+c.profile, "about:blank")
	c.cmd = exec.CommandContext(ctx, words[0], words[1:]...)
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.cmd.Cancel = func() error { return c.Signal(syscall.SIGKILL) }
	if err := c.startProcess(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(c.profile))
	}
	if err := c.openTab("http://" + addr + page); err != nil {
		_ = c.Signal(syscall.SIGKILL)
		return nil, errors.Join(err, c.WaitUntilGone())
	}
	return c, nil
}

// startProcess starts the process with the pipes as its files 3 and 4.
func (c *Browser) startProcess() error {
	in, to, err := os.Pipe()
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // the child has its own
	from, out, err := os.Pipe()
	if err != nil {
		_ = to.Close()
		return err
	}
	defer out.Close() //nolint:errcheck // the child has its own
	c.to, c.from, c.in = to, from, bufio.NewReader(from)
	c.cmd.ExtraFiles = []*os.File{in, out}
	if err := c.cmd.Start(); err != nil {
		_, _ = to.Close(), from.Close()
		return err
	}
	return nil
}

// openTab opens the page at the address in a tab.
func (c *Browser) openTab(address string) error {
	var tab struct{ TargetID string }
	if err := c.Call("Target.createTarget", map[string]any{"url": "about:blank"}, &tab); err != nil {
		return err
	}
	c.tab = tab.TargetID
	var session struct{ SessionID string }
	if err := c.Call("Target.attachToTarget", map[string]any{"targetId": c.tab, "flatten": true}, &session); err != nil {
		return err
	}
	c.session = session.SessionID
	if err := c.Call("Page.enable", nil, nil); err != nil { // required for scripts
		return err
	}
	fast := fmt.Sprintf(`localStorage.setItem('mybot.prefs', '{"speedLimit":%g}')`, SpeedLimit)
	if err := c.Call("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": fast}, nil); err != nil {
		return err
	}
	return c.Call("Page.navigate", map[string]any{"url": address}, nil)
}

// Call calls a method of the browser and waits for the answer.
func (c *Browser) Call(method string, params map[string]any, answer any) error {
	c.asking.Lock()
	defer c.asking.Unlock()
	if err := c.sendRequest(method, params); err != nil {
		return err
	}
	if err := c.from.SetReadDeadline(time.Now().Add(answersIn)); err != nil {
		return err
	}
	for {
		data, err := c.in.ReadBytes(0)
		if err != nil {
			return fmt.Errorf("the browser does not answer %s: %w", method, err)
		}
		var m struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		switch err := json.Unmarshal(data[:len(data)-1], &m); {
		case err != nil:
			return err
		case m.ID != c.asked: // an event
		case m.Error != nil:
			return fmt.Errorf("the browser refuses %s: %s", method, m.Error.Message)
		case answer != nil:
			return json.Unmarshal(m.Result, answer)
		default:
			return nil
		}
	}
}

func (c *Browser) sendRequest(method string, params map[string]any) error {
	c.asked++
	m := map[string]any{"id": c.asked, "method": method}
	if params != nil {
		m["params"] = params
	}
	if c.session != "" {
		m["sessionId"] = c.session
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = c.to.Write(append(data, 0))
	return err
}

// HoldForward presses W and keeps it down until again returns false. If the page does not drive,
// it presses the key again.
func (c *Browser) HoldForward(ctx context.Context, again func() bool) error {
	every := time.NewTicker(pressEvery)
	defer every.Stop()
	for again() {
		var waits struct{ Result struct{ Value bool } }
		if err := c.Call("Runtime.evaluate", map[string]any{
			"expression": `document.querySelector('#app')?.dataset.conn === 'live' && !('driving' in document.querySelector('#drive').dataset)`,
		}, &waits); err != nil {
			return err
		}
		if waits.Result.Value {
			for _, kind := range []string{"keyUp", "rawKeyDown"} {
				if err := c.Call("Input.dispatchKeyEvent", map[string]any{"type": kind, "code": "KeyW", "key": "w", "windowsVirtualKeyCode": 'W'}, nil); err != nil {
					return err
				}
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-every.C:
		}
	}
	return nil
}

// EvaluateScript runs a script in the page, waits for its promise, and stores its result in value.
func (c *Browser) EvaluateScript(script string, value any) error {
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	if err := c.Call("Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true, "awaitPromise": true}, &got); err != nil {
		return err
	}
	if e := got.ExceptionDetails; e != nil {
		return fmt.Errorf("the page: %s %s", e.Text, e.Exception.Description)
	}
	if value == nil || len(got.Result.Value) == 0 {
		return nil
	}
	return json.Unmarshal(got.Result.Value, value)
}

// BlockScripts blocks the page's scripts for a time, as an endless loop would, and returns since
// when. The rest of the browser continues.
func (c *Browser) BlockScripts(lasts time.Duration) time.Time {
	busy := fmt.Sprintf("{ const end = Date.now() + %d; setTimeout(() => { while (Date.now() < end); }); Date.now() }", lasts.Milliseconds())
	var since struct{ Result struct{ Value int64 } }
	if c.Call("Runtime.evaluate", map[string]any{"expression": busy}, &since) != nil {
		return time.Now() // the robot will be missed
	}
	return time.UnixMilli(since.Result.Value)
}

// CloseTab closes the page as the cross on its tab does.
func (c *Browser) CloseTab() error {
	c.asking.Lock()
	defer c.asking.Unlock()
	c.session = "" // address the browser, not the tab
	return c.sendRequest("Target.closeTarget", map[string]any{"targetId": c.tab})
}

// Signal sends a signal to all processes of the browser.
func (c *Browser) Signal(s syscall.Signal) error { return syscall.Kill(-c.cmd.Process.Pid, s) }

// WaitUntilGone waits until the browser has ended and removes its files.
func (c *Browser) WaitUntilGone() error {
	_, _ = io.Copy(io.Discard, c.from) // until all of its processes are gone
	_ = c.cmd.Wait()                   // it was killed
	return errors.Join(c.to.Close(), c.from.Close(), os.RemoveAll(c.profile))
}

// Kill ends the browser.
func (c *Browser) Kill() error {
	_ = c.Signal(9) // an error means that it is already gone
	return c.WaitUntilGone()
}
