package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"time"

	"mybot/drivers/sim"
)

// A script is a program that only uses HTTP.
type script struct {
	h      *testServer
	client http.Client
}

// script returns a program with a cookie of the robot, obtained as in
// docs/drive-from-your-program.md.
func (h *testServer) script() *script {
	h.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		h.t.Fatal(err)
	}
	s := &script{h, http.Client{Jar: jar}}
	if status, said := s.ask("GET", "/", ""); status != http.StatusOK {
		h.t.Fatal(said)
	}
	return s
}

func (s *script) ask(method, path, body string) (status int, said string) {
	s.h.t.Helper()
	r, err := http.NewRequestWithContext(s.h.t.Context(), method, "http://"+s.h.addr+path, strings.NewReader(body))
	if err != nil {
		s.h.t.Fatal(err)
	}
	answer, err := s.client.Do(r)
	if err != nil {
		s.h.t.Fatal(err)
	}
	defer answer.Body.Close()
	all, err := io.ReadAll(answer.Body)
	if err != nil {
		s.h.t.Fatal(err)
	}
	return answer.StatusCode, string(all)
}

// control is the answer of POST /api/v1/control.
type control struct {
	Word, Reason string
	Lease, Hold  uint64
	Seconds      float64
}

func (s *script) control(seconds float64) control {
	s.h.t.Helper()
	status, said := s.ask("POST", "/api/v1/control", fmt.Sprintf(`{"seconds":%g,"name":"Lamp"}`, seconds))
	var c control
	if err := json.Unmarshal([]byte(said), &c); err != nil || status != http.StatusOK || c.Word != "SUCCESS" {
		s.h.t.Fatalf("taking control was answered %d %s", status, said)
	}
	return c
}

// wants checks the answer to a request.
func (s *script) wants(method, path, body string, status int, says string) {
	s.h.t.Helper()
	if got, said := s.ask(method, path, body); got != status || !strings.Contains(said, says) {
		s.h.t.Errorf("%s %s %s was answered %d %s, want %d %s", method, path, body, got, said, status, says)
	}
}

const toTheCorridor = `{"lease":%d,"goal":[8.5,7.3,0]}`

func TestAProgramThatSpeaksHTTPAloneDrivesTheRobot(t *testing.T) {
	t.Parallel()
	h := open(t)
	s := h.script()
	s.wants("POST", "/api/v1/plan", `{"goal":[8.5,7.3,0]}`, http.StatusOK, `"route"`)
	s.wants("POST", "/api/v1/goto", fmt.Sprintf(toTheCorridor, 1), http.StatusConflict, "Take control first, by POST /api/v1/control")
	s.wants("POST", "/api/v1/control", `{}`, http.StatusBadRequest, `"seconds" is 0`)
	s.wants("POST", "/api/v1/control", `{"seconds":3600}`, http.StatusBadRequest, "from 2 to 60")
	nobody := &script{h, http.Client{}}
	nobody.wants("POST", "/api/v1/control", `{"seconds":5}`, http.StatusForbidden, "The robot cannot tell this program from others.")
	if truth := h.driver.Truth(); !still(truth) {
		t.Fatalf("the robot moves without control: %+v", truth.Twist)
	}

	c := s.control(30)
	if c.Seconds != 30 {
		t.Errorf("control lasts %g s", c.Seconds)
	}
	other := h.script()
	other.wants("POST", "/api/v1/control", `{"seconds":5}`, http.StatusConflict, "Lamp has control.")
	other.wants("DELETE", "/api/v1/control", ``, http.StatusConflict, "You do not have control. Lamp has control.")
	s.wants("POST", "/api/v1/goto", fmt.Sprintf(toTheCorridor, c.Lease), http.StatusOK, "SUCCESS")
	h.awaitMotion()
	other.wants("POST", "/api/v1/stop", ``, http.StatusOK, "SUCCESS")
	h.awaitStill()
	s.wants("POST", "/api/v1/goto", fmt.Sprintf(toTheCorridor, c.Lease), http.StatusConflict, "Stopped by")
	s.wants("POST", "/api/v1/unstop", fmt.Sprintf(`{"lease":%d}`, c.Lease), http.StatusOK, "SUCCESS")
	s.wants("POST", "/api/v1/goto", fmt.Sprintf(toTheCorridor, c.Lease), http.StatusOK, "SUCCESS")
	h.awaitMotion()

	// Control is released during the drive: the robot stops, and the next lease differs.
	s.wants("DELETE", "/api/v1/control", ``, http.StatusOK, "SUCCESS")
	h.awaitStill()
	c2 := other.control(2)
	if c2.Lease <= c.Lease {
		t.Errorf("the lease is %d after %d", c2.Lease, c.Lease)
	}
	s.wants("POST", "/api/v1/goto", fmt.Sprintf(toTheCorridor, c.Lease), http.StatusConflict, "Take control first")

	// A term that ends leaves the goal underway.
	other.wants("POST", "/api/v1/goal", fmt.Sprintf(`{"lease":%d,"action":"resume"}`, c2.Lease), http.StatusOK, "SUCCESS")
	h.awaitMotion()
	late := time.Now().Add(patience)
	for status := http.StatusOK; status == http.StatusOK; {
		if time.Now().After(late) {
			t.Fatal("the term does not end")
		}
		status, _ = other.ask("POST", "/api/v1/goal", fmt.Sprintf(`{"lease":%d,"action":"resume"}`, c2.Lease))
	}
	h.await("the robot to arrive though nobody has control", func(truth sim.Truth) bool { return truth.Pose.X > 8.4 && still(truth) })
}

func TestThePageSaysThatAProgramHasControl(t *testing.T) {
	t.Parallel()
	h := open(t)
	s := h.script()
	s.control(60)
	v := visit(t, chromium(t), h.addr)
	v.until("who has control", saysBanner("You are watching. Lamp has had control since"))
	if value[bool](v, saysBanner("left.")) || value[bool](v, `document.querySelector('#people [data-away]') !== null`) {
		t.Error("a program with control is shown as away")
	}
	s.control(2)
	v.until("that it did not renew it", `[...document.querySelectorAll('#log li')].some((l) => l.innerText.includes('Lamp did not renew control.'))`)
	v.until("the offer of it", saysCard("You can take control"))
}
