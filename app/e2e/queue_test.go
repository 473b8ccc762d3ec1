package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"mybot/robot"
)

// A queue is the state of the robot's queue in the REST API.
type queue struct {
	Waiting int
	Running *uint64
	Answers []struct {
		ID     uint64
		Word   robot.Word
		Reason string
	}
}

// ask sends a request with the cookie and reads the answer.
func (h *testServer) ask(cookie, method, path, body string) (status int, answer string) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, "http://"+h.addr+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Cookie", "mybot="+cookie)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer got.Body.Close() // it was only read
	text, err := io.ReadAll(got.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return got.StatusCode, string(text)
}

func TestTheQueueEndsWhenItsHolderLeaves(t *testing.T) {
	h := open(t)
	cookie := h.cookie()
	ana, jin := enter(t, h.addr, cookie, "Ana"), h.enter("Jin")
	begin := time.Now()
	body := fmt.Sprintf(`{"lease":%d,"commands":[{"id":2,"after":2.5,"v":0.3,"w":0,"for":10},{"id":1,"after":0.2,"v":0.3,"w":0,"for":8}]}`, ana.epoch)
	if status, answer := h.ask(cookie, "POST", "/api/v1/queue", body); status != http.StatusOK {
		t.Fatalf("the commands were answered %d: %s", status, answer)
	}
	jin.until("the first order", func(m message) bool { return m.Type == "state" && m.Mode == robot.ModeManual && moving(m) })
	ana.closeNow()
	jin.awaitStandstill()
	if v := h.driver.Truth().Twist; v.Linear > 0.05 {
		t.Errorf("the person in control has left and the robot still moves: %+v", v)
	}
	_, answer := h.ask(cookie, "GET", "/api/v1/queue", "")
	var q queue
	if err := json.Unmarshal([]byte(answer), &q); err != nil {
		t.Fatal(err)
	}
	if q.Waiting != 0 || q.Running != nil || len(q.Answers) != 2 {
		t.Fatalf("the queue is %s", answer)
	}
	for i, a := range q.Answers {
		if a.ID != uint64(i+1) || a.Word != robot.Interrupted || a.Reason != "Ana left." {
			t.Errorf("command %d was answered %+v", i+1, a)
		}
	}
	rests := h.driver.Truth().Pose.Point()
	jin.until("the time of the second order", func(message) bool { return time.Since(begin) > 3500*time.Millisecond })
	if far := h.driver.Truth().Pose.Point().Sub(rests).Norm(); far > 0.02 {
		t.Errorf("the robot continued for %.2f m", far)
	}
}

// A STOP is answered before the control loop has reported it.
func TestTheQueueIsEmptyAsSoonAsSTOPIsAnswered(t *testing.T) {
	h := open(t)
	cookie := h.cookie()
	ana := enter(t, h.addr, cookie, "Ana")
	for range 20 {
		body := fmt.Sprintf(`{"lease":%d,"commands":[{"id":1,"after":60,"v":0.3,"w":0,"for":10}]}`, ana.epoch)
		if status, answer := h.ask(cookie, "POST", "/api/v1/queue", body); status != http.StatusOK {
			t.Fatalf("the commands were answered %d: %s", status, answer)
		}
		look := func() (q queue) {
			if _, answer := h.ask(cookie, "GET", "/api/v1/queue", ""); json.Unmarshal([]byte(answer), &q) != nil {
				t.Fatalf("the queue is %s", answer)
			}
			return q
		}
		ana.until("the order in the queue", func(message) bool { return look().Waiting == 1 })
		h.ask(cookie, "POST", "/api/v1/stop", "")
		if q := look(); q.Waiting != 0 || q.Running != nil {
			t.Fatalf("the queue is %+v", q)
		}
		ana.until("the stop", func(m message) bool { return m.Type == "state" && m.Mode == robot.ModeStopped })
		if status, answer := h.ask(cookie, "POST", "/api/v1/unstop", fmt.Sprintf(`{"lease":%d}`, ana.epoch)); status != http.StatusOK {
			t.Fatalf("the release was answered %d: %s", status, answer)
		}
		ana.until("the release", func(m message) bool { return m.Type == "state" && m.Mode == robot.ModeReady })
	}
}
