package handlers

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"mybot/session"
)

// mentions reports whether the sentence contains all parts.
func mentions(sentence string, parts ...string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(sentence, part) })
}

func TestAWrongBodyIsToldTheFieldTheFaultAndWhatWouldBeRight(t *testing.T) {
	d := newTestServer(t, func(c *Config) { c.Motions = &drives{} })
	admin := as(d.paired(t, session.Admin))
	for _, c := range []struct{ route, body, says string }{
		{"POST /api/v1/halt", `[]`, "The body is []; it should be one JSON object with the fields lease, hold, seq, v, w, valid."},
		{"POST /api/v1/halt", `"stop"`, `The body is "stop"; it should be one JSON object with the fields lease, hold, seq, v, w, valid.`},
		{"POST /api/v1/halt", `{"lease":`, "The JSON of the body ends early; it should be one JSON object with the fields lease, hold, seq, v, w, valid."},
		{"POST /api/v1/halt", "{\n\"lease\":x}", "The body is not JSON (line 2: invalid character 'x' looking for beginning of value); it should be one JSON object with the fields lease, hold, seq, v, w, valid."},
		{"POST /api/v1/halt", `{} {}`, "Something follows the JSON object; the body should be that one object."},
		{"POST /api/v1/halt", `{"lesse":1}`, `The body has a field "lesse", which is not known; the fields are lease, hold, seq, v, w, valid.`},
		{"POST /api/v1/halt", `{"lease":"1"}`, `"lease" is "1"; it should be a whole number, 0 or more.`},
		{"POST /api/v1/halt", `{"lease":-1}`, `"lease" is -1; it should be a whole number, 0 or more.`},
		{"POST /api/v1/halt", `{"lease":1.5}`, `"lease" is 1.5; it should be a whole number, 0 or more.`},
		{"POST /api/v1/drive", `{"v":"fast"}`, `"v" is "fast"; it should be a number.`},
		{"POST /api/v1/drive", `{"v":1e999}`, `"v" is 1e999; it should be a number between -1.79`},
		{"POST /api/v1/drive", `{"w":[]}`, `"w" is []; it should be a number.`},
		{"POST /api/v1/share", `{"camera":"yes"}`, `"camera" is "yes"; it should be true or false.`},
		{"POST /api/v1/invite", `{"role":3}`, `"role" is 3; it should be text in quotes.`},
		{"POST /api/v1/places", `{"name":"Lab","pose":5}`, `"pose" is 5; it should be a list.`},
		{"POST /api/v1/places", `{"name":"Lab","pose":[1,2]}`, "pose has 2 numbers; it should have three: x and y in m, and the heading in rad."},
		{"POST /api/v1/places", "{\"name\":\"caf\xe9\",\"pose\":[1,1,0]}", "The body cannot be read (it is not UTF-8 text); it should be one JSON object with the fields "},
		{"POST /api/v1/scripts", `{"name":"a","text":"\ud800"}`, `The body is not JSON (line 1: \ud800 is half a character); it should be one JSON object with the fields name, text, revision.`},
		{"POST /api/v1/scripts/a/stop", `[]`, "The body is []; it should be empty."},
		{"POST /api/v1/scripts/tags/a/stop", `{"lease":`, "The JSON of the body ends early; it should be empty."},
		{"POST /api/v1/scripts/a/stop", `{"now":true}`, `The body has a field "now", which is not known; there are none here.`},
		{"PUT /api/v1/map", `{"via":{}}`, `"via" is {}; it should be a list.`},
		{"PUT /api/v1/map", `{"via":[{"id":1,"nom":"A"}]}`, `"via[0]" has a field "nom", which is not known; the fields are id, name, at.`},
		{"PUT /api/v1/map", `{}`, "it should have lists of via, edges and places."},
		{"POST /api/v1/rehearse", `{"from":[1,"2"]}`, `"from[1]" is "2"; it should be a number.`},
		{"POST /api/v1/runs", `{}`, "it should have job, the id of one, or name and steps."},
		{"POST /api/v1/runs/1/skip", `{"lease":true}`, `"lease" is true; it should be a whole number, 0 or more.`},
		{"POST /screen/ok", `{"message":"3"}`, `"message" is "3"; it should be a whole number, 0 or more.`},
		{"POST /api/v1/goto", `[]`, `The body is []; it should be one JSON object, for example {"lease":3,"goal":[12.1,3.35,0]}.`},
		{"POST /api/v1/plan", `7`, `The body is 7; it should be one JSON object, for example {"lease":3,"goal":[12.1,3.35,0]}.`},
		{"POST /api/v1/goal", `[]`, `The body is []; it should be one JSON object, for example {"lease":3,"action":"pause"}.`},
		{"POST /api/v1/joints", `{"lease":3,"at":{}}`, `joints: "at" is {}; it should be an object of 1 to 12 joints, each with its position in rad or m, for example {"shoulder":1.2}.`},
		{"POST /api/v1/pose", `[]`, `The body is []; it should be one JSON object, for example {"lease":3,"pose":[4.5,7.3,1.57]}.`},
		{"POST /api/v1/queue", `[]`, `The body is []; it should be one JSON object, for example {"lease":3,"commands":[{"id":1,`},
		{"POST /api/v1/motions", `no`, "this file is not a recorded drive: line 1 is not JSON (invalid character 'o' in literal null (expecting 'u')); it must be a JSON object with name, made and points"},
		{"POST /api/v1/motions", `[]`, "this file is not a recorded drive: it is []; it must be a JSON object with name, made and points"},
		{"POST /api/v1/jobs", `[]`, `The job is []; it should be an object such as {"name":"Paper to Jin","steps":[{"type":"MOVE","place":"Sofa"}]}.`},
		{"POST /api/v1/jobs", `{"name":"J","steps":[{"type":"JUMP"}]}`, `Step 1: type is "JUMP"; it should be MOVE, VOICE, MESSAGE or WAIT.`},
	} {
		method, path, _ := strings.Cut(c.route, " ")
		got := d.ask(method, path, admin, body(c.body))
		if says := text(t, got); got.StatusCode != http.StatusBadRequest || !strings.Contains(says, c.says) {
			t.Errorf("%s %s is answered %s: %s\nwant %s", c.route, c.body, got.Status, says, c.says)
		}
	}
}

func TestABodyIsReadStrictly(t *testing.T) {
	for _, c := range []struct{ body, fault string }{
		{`{"lease":1,"v":0.2}`, ""},
		{``, ""},
		{` {} `, ""},
		{`{"LEASE":1}`, `"LEASE" should be written "lease"`},
		{`{"lease":1,"lease":2}`, `"lease" is there twice`},
		{`{"lease":1,"Lease":2}`, `"Lease" should be written "lease"`},
		{`null`, "should be one JSON object"},
		{`{"lease":null}`, `"lease" is null`},
		{`{"lease":1}{}`, "Something follows"},
		{`{"lease":1,"speed":2}`, "speed"},
		{strings.Repeat(`{"lease":`, 20000), ""},
	} {
		var o commandBody
		err := readJSON(httptest.NewRequest(http.MethodPost, "/api/v1/drive", strings.NewReader(c.body)), &o)
		if deep := len(c.body) > 1000; deep && err == nil || !deep && (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%.60s: %v, want %q", c.body, err, c.fault)
		}
	}
}

func TestABodyThatComesTooSlowlyIsToldSo(t *testing.T) {
	d := seeing(t)
	server := httptest.NewUnstartedServer(d.Handler)
	server.Config.ReadTimeout = 100 * time.Millisecond
	server.Start()
	defer server.Close()
	for path, kind := range map[string]string{whepPath: sdpType, "/api/v1/drive": "application/json", jobsPath: "application/json"} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: 1000\r\n\r\n{", path, conn.RemoteAddr(), kind)
		got, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if says := text(t, got); got.StatusCode != http.StatusRequestTimeout || !strings.Contains(says, "did not arrive in time") {
			t.Errorf("%s is answered %s: %s", path, got.Status, says)
		}
		_ = conn.Close()
	}
}

func TestABodyThatIsTooLargeIsToldTheLimit(t *testing.T) {
	d, b := newTestServer(t, func(c *Config) { c.Motions = &drives{} }), openDocument(t)
	admin := as(d.paired(t, session.Admin))
	path := strings.NewReplacer("{id}", "paper", "{n}", "1", "{name}", "Sofa")
	b.operations(func(route, _ string, o map[string]any) {
		method, at, _ := strings.Cut(route, " ")
		if o["requestBody"] == nil || at == "/api/v1/stop" { // STOP has no body that could be wrong
			return
		}
		most := "8 KiB"
		switch {
		case at == "/api/v1/motions":
			most = "4 MiB"
		case method == "PUT", slices.Contains([]string{jobsPath, checkPath, orderPath, rehearsePath, runsPath, "/api/v1/queue", scriptsPath, scriptsCheckPath, scriptsTryPath, draftPath}, at):
			most = "256 KiB"
		}
		got := d.ask(method, path.Replace(at), admin, body(strings.Repeat(" ", maxMotion+1)))
		if says := text(t, got); got.StatusCode == http.StatusNotFound && strings.Contains(route, "{id}") {
			return // the job is looked up first
		} else if got.StatusCode != http.StatusRequestEntityTooLarge || !mentions(says, "The body is too large", "at most "+most) {
			t.Errorf("%s is answered %s: %s", route, got.Status, says)
		}
		if responses := o["responses"].(map[string]any); responses["413"] == nil {
			t.Errorf("openapi.json does not say that %s answers 413", route)
		}
	})
}
