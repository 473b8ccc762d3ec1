package handlers

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

// hundred is the largest order list, with times of day and all digits.
func hundred(lease uint64) string {
	var commands []string
	for i := range 100 {
		commands = append(commands, fmt.Sprintf(`{"id":%d,"at":"2030-11-20T14:33:05.123456789Z","v":0.29999999999999998,"w":-0.70685834705770345,"for":0.29999999999999998}`, 100+i))
	}
	return fmt.Sprintf(`{"lease":%d,"commands":[%s]}`, lease, strings.Join(commands, ","))
}

func TestTheQueueGoesThroughTheGateOfThePage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _, lease, _, ask := drivenBy(t)
		two := `"commands":[{"id":1,"v":0.2,"w":0.1,"for":2},{"id":2,"after":4,"goto":[12.1,3.35,0]}]}`
		for _, c := range []struct {
			body   string
			status int
			says   string
			did    int // commands that reached the robot
		}{
			{fmt.Sprintf(`{"lease":%d,%s`, lease, two), http.StatusOK, `{"commands":[{"id":1,"accepted":true},{"id":2,"accepted":true}]}`, 2},
			{`{"lease":0,` + two, http.StatusConflict, `{"commands":[{"id":1,"accepted":false,"word":"INTERRUPTED","reason":"Control changed, and you have it. Look again, then send it again."},` +
				`{"id":2,"accepted":false,"word":"INTERRUPTED","reason":"Control changed, and you have it. Look again, then send it again."}]}`, 0},
			{fmt.Sprintf(`{"lease":%d,"commands":[{"id":1,"v":0.2,"w":0.1,"for":2},{"id":2}]}`, lease), http.StatusBadRequest, `command 2 of the queue: "v" is missing; it should be a speed in m/s, for example 0.3.`, 0},
			{strings.Repeat(" ", maxMapBody+1), http.StatusRequestEntityTooLarge, `The body is too large; it should have at most 256 KiB.`, 0},
			{hundred(lease), http.StatusOK, "", 100},
		} {
			before := len(d.robot.did)
			got := ask("POST", "/api/v1/queue", c.body)
			if body := strings.TrimSpace(text(t, got)); got.StatusCode != c.status || c.says != "" && body != c.says {
				t.Errorf("%.60s is answered %s: %s", c.body, got.Status, body)
			}
			if did := len(d.robot.did) - before; did != c.did {
				t.Errorf("%.60s had the robot do %v", c.body, d.robot.did[before:])
			}
		}
		if got := strings.TrimSpace(text(t, ask("GET", "/api/v1/queue", ""))); got != `{"waiting":0,"running":null,"answers":[]}` {
			t.Errorf("the queue is %s", got)
		}
	})
}
