package handlers

import (
	"strings"
	"testing"
)

func TestTheFirstLineShowsItsProtocol(t *testing.T) {
	for text, want := range map[string]string{
		"GET / HT": "", "GET / HTTP/1.1": "HTTP", "GET /a": "HTTP", "x /;y": "HTTP", "x / 2;": "", "get http://a": "HTTP", "CONNECT a:80 HTTP/1.1\r\n": "HTTP",
		"\x16\x03\x01": "TLS", "a\x00": "binary data", "a\x7f": "binary data", "\tx = 1;\r\n": "", "# grüße": "", "x;\n\x16": "",
	} {
		if name, _ := foreignProtocol(text); name != want {
			t.Errorf("%q is of %q; want %q", text, name, want)
		}
	}
	for text, want := range map[string]bool{"": false, "GET ": false, "x = 1": false, "x = 1;": true, "x,": true, "x\n": true} {
		if _, isEnough := foreignProtocol(text); isEnough != want {
			t.Errorf("%q is enough: %v", text, isEnough)
		}
	}
}

func FuzzFirstLine(f *testing.F) {
	f.Add("login(\"a\");x=1;", 3)
	f.Add("GET / HTTP/1.1\r\n", 7)
	f.Fuzz(func(t *testing.T, text string, at int) {
		name, isEnough := foreignProtocol(text)
		if name != "" && !isEnough {
			t.Fatalf("%q is of %s, and more is needed to know", text, name)
		}
		token, rest, state := cutLogin(text)
		if state == loginFound && (len(token)+len(rest) >= len(text) || !strings.HasSuffix(text, rest)) {
			t.Fatalf("%q has the token %q and the rest %q", text, token, rest)
		}
		if at < 0 || at > len(text) || state != loginFound || at >= len(text)-len(rest) {
			return
		}
		if _, _, early := cutLogin(text[:at]); early != loginIncomplete {
			t.Fatalf("%q is a login, but its beginning %q is none", text, text[:at])
		}
	})
}
