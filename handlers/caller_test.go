package handlers

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"mybot/session"
)

// contextWith is the context of a request whose connection arrived at the address.
func contextWith(r *http.Request, here net.Addr) context.Context {
	return context.WithValue(r.Context(), http.LocalAddrContextKey, here)
}

func TestAProxyIsBelievedOnlyWhenItIsTrusted(t *testing.T) {
	d := newTestServer(t, func(c *Config) {
		c.Hosts = []string{"robot.example"}
		c.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.0.0.0/8")}
	})
	for _, c := range []struct {
		name, remote string
		header       map[string][]string
		address      string
		host         string
		secure       bool
		local        bool
	}{
		{"no proxy", "127.0.0.1:1", nil, "127.0.0.1", "127.0.0.1:8080", false, true},
		{"a trusted proxy", "127.0.0.1:1", map[string][]string{"X-Forwarded-For": {"203.0.113.9"}, "X-Forwarded-Host": {"robot.example"}, "X-Forwarded-Proto": {"https"}}, "203.0.113.9", "robot.example", true, false},
		{"two trusted proxies", "10.1.1.1:1", map[string][]string{"X-Forwarded-For": {"203.0.113.9, 10.2.2.2"}}, "203.0.113.9", "127.0.0.1:8080", false, false},
		{"what stands left of the client is not believed", "127.0.0.1:1", map[string][]string{"X-Forwarded-For": {"127.0.0.1", "192.168.1.1, 203.0.113.9, 10.2.2.2"}}, "203.0.113.9", "127.0.0.1:8080", false, false},
		{"an address with a port", "127.0.0.1:1", map[string][]string{"X-Forwarded-For": {"[2001:db8::1]:99"}}, "2001:db8::1", "127.0.0.1:8080", false, false},
		{"a proxy that says this computer", "127.0.0.1:1", map[string][]string{"X-Forwarded-For": {"127.0.0.1"}}, "127.0.0.1", "127.0.0.1:8080", false, false},
		{"a proxy that says nonsense", "10.1.1.1:1", map[string][]string{"X-Forwarded-For": {"unknown"}}, "10.1.1.1", "127.0.0.1:8080", false, false},
		{"a proxy that says nothing of who it is for", "10.1.1.1:1", map[string][]string{"Via": {"1.1 x"}}, "10.1.1.1", "127.0.0.1:8080", false, false},
		{"a stranger that says to be a proxy", "192.168.1.9:1", map[string][]string{"X-Forwarded-For": {"127.0.0.1"}, "X-Forwarded-Proto": {"https"}, "X-Forwarded-Host": {"robot.example"}}, "192.168.1.9", "127.0.0.1:8080", false, false},
		{"an IPv4 address in IPv6", "[::ffff:127.0.0.1]:1", nil, "127.0.0.1", "127.0.0.1:8080", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8080/", nil)
			r.RemoteAddr, r.Header = c.remote, http.Header(c.header)
			if r.Header == nil {
				r.Header = http.Header{}
			}
			var got caller
			var host string
			d.withCaller(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got, host = callerOf(r), r.Host })).ServeHTTP(httptest.NewRecorder(), r)
			if got.address.String() != c.address || host != c.host || got.secure != c.secure || got.local != c.local {
				t.Errorf("it is %v by %q, secure: %v, local: %v", got.address, host, got.secure, got.local)
			}
		})
	}
}

func TestDevicesOfOneLinkAreKnownAsSuch(t *testing.T) {
	d := wide(t)
	linkOf := func(token string) (link string) {
		r := httptest.NewRequest(http.MethodGet, "http://mybot.local:8080/", nil)
		far(r)
		as(token)(r)
		d.withCaller(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { link = callerOf(r).Link })).ServeHTTP(httptest.NewRecorder(), r)
		return link
	}
	code, err := d.access.Share(time.Now(), false, "")
	if err != nil {
		t.Fatal(err)
	}
	a, other := linkOf(cookieIn(t, d.show(code, "")).Value), linkOf(d.paired(t, session.Observer))
	if b := linkOf(cookieIn(t, d.show(code, "")).Value); a == "" || a != b || a == other {
		t.Errorf("two devices of one link are known by %q and %q, and one of another link by %q", a, b, other)
	}
}
