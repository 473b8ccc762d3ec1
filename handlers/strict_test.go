package handlers

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

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
