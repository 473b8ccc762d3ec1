package handlers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
	"mybot/robot/playout"
	"mybot/session"
)

// A drives store keeps motions in memory.
type drives struct {
	mu   sync.Mutex
	kept []playout.Motion
	err  error
}

func (d *drives) List() []session.KeptMotion {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := []session.KeptMotion{}
	for i, m := range slices.Backward(d.kept) {
		list = append(list, session.KeptMotion{N: uint64(i + 1), Name: m.Name, Made: m.Made, Length: m.Length(), Duration: m.Duration(), Start: m.Points[0].Pose})
	}
	return list
}

func (d *drives) Add(m playout.Motion, _ string) (uint64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept = append(d.kept, m)
	return uint64(len(d.kept)), d.err
}

func (d *drives) Get(n uint64) (playout.Motion, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n == 0 || n > uint64(len(d.kept)) {
		return playout.Motion{}, robot.Refusal{Word: robot.Error, Reason: fmt.Sprintf("There is no motion %d.", n)}
	}
	return d.kept[n-1], nil
}

func (d *drives) Rename(uint64, string, string) error { return errors.ErrUnsupported }
func (d *drives) Delete(uint64) error                 { return errors.ErrUnsupported }

const aMotion = `{"name":"Round the table","made":"2026-11-20T14:30:00Z","points":[` +
	`{"t":0,"pose":{"x":1,"y":2,"theta":0},"twist":{"linear":0,"angular":0},"want":{"linear":0.3,"angular":0}},` +
	`{"t":0.5,"pose":{"x":1.2,"y":2,"theta":0},"twist":{"linear":0.3,"angular":0},"want":{"linear":0,"angular":0}}]}`

func post(t *testing.T, d *testServer, body string) *http.Response {
	cookie := "mybot=" + cookieIn(t, d.ask("GET", "/")).Value
	return d.ask("POST", motionsPath, func(r *http.Request) {
		*r = *httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080"+motionsPath, strings.NewReader(body))
		r.RemoteAddr = "127.0.0.1:50000"
		r.Header.Set("Cookie", cookie)
	})
}

func TestAMotionGoesInAsAFileAndComesOutAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		motions := &drives{}
		d := newTestServer(t, func(c *Config) { c.Motions = motions })
		if got := text(t, d.ask("GET", motionsPath)); got != `{"motions":[]}`+"\n" {
			t.Errorf("at first there are %s", got)
		}
		if got := text(t, post(t, d, aMotion)); got != `{"n":1}`+"\n" {
			t.Fatal(got)
		}
		if got := text(t, d.ask("GET", motionsPath)); got != `{"motions":[{"n":1,"name":"Round the table","at":"2026-11-20T14:30:00Z","length":0.2,"time":0.5,"start":[1,2,0]}]}`+"\n" {
			t.Errorf("then %s", got)
		}
		file := d.ask("GET", motionsPath+"/1")
		if name := file.Header.Get("Content-Disposition"); name != `attachment; filename="motion-1.json"` {
			t.Errorf("the file is %s", name)
		}
		if got := text(t, file); got != aMotion+"\n" {
			t.Errorf("it comes back as %s", got)
		}
		if got := text(t, post(t, d, strings.Replace(aMotion, `"made":"2026-11-20T14:30:00Z",`, "", 1))); got != `{"n":2}`+"\n" {
			t.Fatal(got)
		}
		if made := motions.kept[1].Made; !made.Equal(time.Now()) {
			t.Errorf("a motion that does not say when was made %v", made)
		}
	})
}

func TestALongMotionIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		motions := &drives{}
		d := newTestServer(t, func(c *Config) { c.Motions = motions })
		m, err := playout.ParseMotion([]byte(aMotion))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 11_998 {
			w := m.Points[1]
			w.T = 1 + 0.04912345*float64(i)
			w.Pose.X, w.Pose.Y, w.Pose.Theta = 12.34567, 12.34567, -1.23456
			w.Twist.Angular, w.Want.Angular = -0.12345, -0.12345
			m.Points = append(m.Points, w)
		}
		body, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if got := post(t, d, string(body)); got.StatusCode != http.StatusOK {
			t.Errorf("%d bytes: %s %s", len(body), got.Status, text(t, got))
		}
	})
}

func TestABadMotionIsToldWhatIsWrong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		motions := &drives{}
		d := newTestServer(t, func(c *Config) { c.Motions = motions })
		for _, c := range []struct {
			body   string
			status int
			says   string
		}{
			{``, 400, "this file is not a recorded drive: it is empty; it must be a JSON object with name, made and points"},
			{`{"points":[]}`, 400, "the motion has 0 points; it must have 1 to 36000."},
			{strings.Replace(aMotion, `"t":0.5`, `"t":-1`, 1), 400, "points[1].t is -1; it must be more than the one before it, 0."},
			{strings.Replace(aMotion, `"t":0.5`, `"t":700`, 1), 400, "The motion lasts 700 s; it should last at most 600 s."},
			{strings.Replace(aMotion, "Round the table", "", 1), 400, `The motion's name is ""; it should be one line of 1 to 60 letters.`},
			{strings.Replace(aMotion, "1.2", "1", 1), 400, "Nothing moves in this motion."},
			{aMotion + strings.Repeat(" ", maxMotion), 413, "The body is too large; it should have at most 4 MiB."},
		} {
			got := post(t, d, c.body)
			if says := text(t, got); got.StatusCode != c.status || !strings.Contains(strings.ToLower(says), strings.ToLower(c.says)) {
				t.Errorf("%.60s: %s %s", c.body, got.Status, says)
			}
		}
		if len(motions.kept) != 0 {
			t.Errorf("%d motions are kept", len(motions.kept))
		}
		for _, path := range []string{"/1", "/x", "/-1"} {
			if got := d.ask("GET", motionsPath+path); got.StatusCode != http.StatusNotFound {
				t.Errorf("%s: %s", path, got.Status)
			}
		}
	})
}

// TestASlowUploadTakesNoPlaceOfOthers has an operator begin more and more uploads that never
// end, and those on this computer as well.
func TestASlowUploadTakesNoPlaceOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newTestServer(t, func(c *Config) { c.Motions = &drives{} })
		var slow sync.WaitGroup
		var ends []*io.PipeWriter
		upload := func(body io.Reader, from func(*http.Request)) *http.Response {
			return d.ask("POST", motionsPath, with("Content-Type", "application/json"), func(r *http.Request) { r.Body = io.NopCloser(body) }, from)
		}
		begin := func(from func(*http.Request)) {
			body, end := io.Pipe()
			ends = append(ends, end)
			slow.Go(func() { upload(body, from) })
		}
		local := with("Cookie", "mybot="+cookieIn(t, d.ask("GET", "/")).Value)
		greedy, other := as(d.paired(t, session.Operator)), as(d.paired(t, session.Operator))
		for _, from := range []func(*http.Request){greedy, local} {
			for range maxUploadsOf {
				begin(from)
			}
		}
		synctest.Wait() // they wait for their bodies
		for _, from := range []func(*http.Request){greedy, local} {
			got := upload(strings.NewReader(aMotion), from)
			if says := text(t, got); got.StatusCode != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" || !strings.Contains(says, "This device has 2 uploads of motions already") {
				t.Errorf("one more is answered %s: %s", got.Status, says)
			}
		}
		if got := upload(strings.NewReader(aMotion), other); got.StatusCode != http.StatusOK {
			t.Errorf("that of another person is answered %s: %s", got.Status, text(t, got))
		}
		for len(ends) < maxUploads {
			begin(as(d.paired(t, session.Operator)))
		}
		synctest.Wait()
		if got := upload(strings.NewReader(aMotion), as(d.paired(t, session.Operator))); got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
			t.Errorf("one more than there may be in all is answered %s: %s", got.Status, text(t, got))
		}
		for _, end := range ends {
			_ = end.Close() // writing to a pipe does not fail
		}
		slow.Wait()
		time.Sleep(4 * time.Second) // until the device may ask again
		for _, from := range []func(*http.Request){greedy, local} {
			if got := upload(strings.NewReader(aMotion), from); got.StatusCode != http.StatusOK {
				t.Errorf("afterwards one is answered %s: %s", got.Status, text(t, got))
			}
		}
	})
}
