package protocol_test

import (
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/session/protocol"
)

func TestCommandsOfTheQueueAreReadStrictly(t *testing.T) {
	now := time.Date(2026, 11, 20, 14, 33, 0, 0, time.UTC)
	lease, got, err := protocol.DecodeQueue([]byte(`{"lease":4,"commands":[
		{"id":1,"at":"2026-11-20T15:33:05+01:00","v":0.2,"w":-0.1,"for":2},
		{"id":2,"after":1.5,"goto":[12.1,3.35,0.5],"name":"Copy room"},
		{"id":3,"after":-2,"v":0,"w":0,"for":10},
		{"id":4,"v":0,"w":0,"for":0.5}]}`), now)
	if err != nil {
		t.Fatal(err)
	}
	want := []robot.Enqueue{
		{ID: 1, At: now.Add(5 * time.Second), Command: robot.Drive{Twist: robot.Twist{Linear: 0.2, Angular: -0.1}, Valid: 2 * time.Second}},
		{ID: 2, At: now.Add(1500 * time.Millisecond), Command: robot.GoTo{Goal: robot.Pose{X: 12.1, Y: 3.35, Theta: 0.5}, Name: "Copy room"}},
		{ID: 3, Command: robot.Drive{Valid: 10 * time.Second}},
		{ID: 4, Command: robot.Drive{Valid: 500 * time.Millisecond}},
	}
	for i, is := range got {
		if lease != 4 || !is.At.Equal(want[i].At) {
			t.Errorf("lease %d: %+v starts at %v, want %v", lease, is, is.At, want[i].At)
		}
		if is.At = want[i].At; is != want[i] {
			t.Errorf("%+v, want %+v", is, want[i])
		}
	}
	for body, says := range map[string]string{
		``:                           `The body is not JSON`,
		`{"commands":[{}]}`:          `queue: "lease" is missing`,
		`{"lease":1}`:                `queue: "commands" is missing; it should be a list of 1 to 100 commands.`,
		`{"lease":1,"commands":{}}`:  `queue: "commands" is {}; it should be a list of 1 to 100 commands.`,
		`{"lease":1,"commands":[]}`:  `queue: "commands" is []; it should be a list of 1 to 100 commands.`,
		`{"lease":1,"commands":[7]}`: `The body is 7`,
		`{"lease":1,"commands":[{"id":1,"v":0,"w":0,"for":1},{"v":0,"w":0,"for":1}]}`:            `command 2 of the queue: "id" is missing`,
		`{"lease":1,"commands":[{"id":1,"v":0,"w":0}]}`:                                          `command 1 of the queue: "for" is missing; it should be a time in s above 0 and at most 10.`,
		`{"lease":1,"commands":[{"id":1,"v":0,"w":0,"for":10.5}]}`:                               `"for" is 10.5; it should be a time in s above 0 and at most 10.`,
		`{"lease":1,"commands":[{"id":1,"v":0,"w":0,"for":0}]}`:                                  `"for" is 0;`,
		`{"lease":1,"commands":[{"id":1,"goto":[1,2,3],"v":0.2}]}`:                               `"v"`,
		`{"lease":1,"commands":[{"id":1,"at":"noon","goto":[1,2,3]}]}`:                           `"at" is "noon"; it should be a time like "2026-11-20T14:33:05Z".`,
		`{"lease":1,"commands":[{"id":1,"at":"2026-11-20T14:33:05Z","after":1,"goto":[1,2,3]}]}`: `"after" is there beside "at"; it should be left out, or the only one of them.`,
		`{"lease":1,"commands":[{"id":1,"after":1e400,"goto":[1,2,3]}]}`:                         `"after" is 1e400, which is not a finite number`,
		`{"lease":1,"commands":[{"id":1,"stop":true}]}`:                                          `"v" is missing`,
		`{"lease":1,"commands":[` + strings.Repeat(`{},`, 100) + `{}]}`:                          `it should be a list of 1 to 100 commands.`,
	} {
		if _, _, err := protocol.DecodeQueue([]byte(body), now); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.70s is answered %v, want %s", body, err, says)
		}
	}
}

func FuzzDecodeQueue(f *testing.F) {
	f.Add([]byte(`{"lease":4,"commands":[{"id":1,"at":"2026-11-20T15:33:05+01:00","v":0.2,"w":-0.1,"for":2},{"id":2,"after":4,"goto":[1,2,3]}]}`))
	f.Add([]byte(`{"lease":4,"commands":[{"id":1,"after":1e300,"v":0,"w":0,"for":1e-12}]}`))
	f.Add([]byte(`{"lease":4,"commands":[null]}`))
	now := time.Date(2026, 11, 20, 14, 33, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, body []byte) {
		_, commands, err := protocol.DecodeQueue(body, now)
		if err == nil == (len(commands) == 0) {
			t.Fatalf("%d commands and %v", len(commands), err)
		}
		for _, c := range commands {
			if d, ok := c.Command.(robot.Drive); ok && (!d.Twist.IsFinite() || d.Valid <= 0 || d.Valid > robot.LongestQueued) {
				t.Errorf("%+v", d)
			}
		}
	})
}
