package handlers

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"mybot/session"
)

// A stuckBrowser reads nothing of an answer until it is released.
type stuckBrowser struct {
	*httptest.ResponseRecorder
	released chan struct{}
}

func (b stuckBrowser) Write(p []byte) (int, error) {
	<-b.released
	return b.ResponseRecorder.Write(p)
}

// TestLongAnswersAreMadeOneAfterTheOther because 120 pages at once, which one observer may ask for,
// kept all processors from the control loop for a third of a second.
func TestLongAnswersAreMadeOneAfterTheOther(t *testing.T) {
	for _, c := range []struct{ path, how string }{{"/", ""}, {"/", "gzip"}, {"/api/v1/openapi.json", "gzip"}, {"/api/v1/openapi.json", "deflate"}} {
		t.Run(c.path+" "+c.how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newTestServer(t)
				observer := as(d.paired(t, session.Observer))
				leave := d.turn.take() // one is made
				var waits sync.WaitGroup
				var mu sync.Mutex
				made := 0
				for range 20 {
					waits.Go(func() {
						got := d.ask("GET", c.path, observer, with("Accept-Encoding", c.how))
						mu.Lock()
						defer mu.Unlock()
						if made++; got.StatusCode != http.StatusOK || got.Header.Get("Content-Encoding") != c.how {
							t.Errorf("one is answered %s, %s", got.Status, got.Header.Get("Content-Encoding"))
						}
					})
				}
				synctest.Wait()
				mu.Lock()
				if made > 0 {
					t.Errorf("meanwhile %d others are made", made)
				}
				mu.Unlock()
				if got := d.ask("POST", "/api/v1/stop", observer, with("Accept-Encoding", c.how)); got.StatusCode != http.StatusOK {
					t.Errorf("a STOP is answered %s", got.Status)
				}
				if by := d.robot.stoppedBy(); len(by) != 1 {
					t.Errorf("the robot is stopped by %q", by)
				}
				leave()
				waits.Wait()
			})
		})
	}
}

func TestABrowserThatReadsNothingDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newTestServer(t)
		observer := as(d.paired(t, session.Observer))
		stuck := stuckBrowser{httptest.NewRecorder(), make(chan struct{})}
		var waits sync.WaitGroup
		waits.Go(func() {
			r := httptest.NewRequest(http.MethodGet, "http://localhost/", nil)
			observer(r)
			r.Header.Set("Accept-Encoding", "gzip")
			d.ServeHTTP(stuck, r)
		})
		synctest.Wait()
		if got := d.ask("GET", "/", observer, with("Accept-Encoding", "gzip")); got.StatusCode != http.StatusOK {
			t.Errorf("another browser is answered %s", got.Status)
		}
		close(stuck.released)
		waits.Wait()
		if stuck.Code != http.StatusOK || strings.HasPrefix(stuck.Body.String(), "<") || stuck.Body.Len() == 0 {
			t.Errorf("the browser got %d and %d bytes", stuck.Code, stuck.Body.Len())
		}
	})
}
