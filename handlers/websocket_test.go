package handlers

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nhooyr.io/websocket" // the page's side of websocket.go

	"mybot/ratelimit"
	"mybot/session"
	"mybot/session/access"
)

// A wire is an in-memory listener for one connection.
type wire struct {
	conns chan net.Conn
}

func (w *wire) Accept() (net.Conn, error) {
	conn, ok := <-w.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (w *wire) Close() error   { return nil }
func (w *wire) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080} }

// A far end is an in-memory connection from a given address.
type farEnd struct {
	net.Conn
	address net.Addr
}

func (f farEnd) RemoteAddr() net.Addr { return f.address }

// visit opens a WebSocket to the server over an in-memory connection, and says
// hello. It also returns the page's end of the connection.
func visit(t *testing.T, d *testServer) (*websocket.Conn, net.Conn) {
	t.Helper()
	return visitWith(t, d, net.IPv4(127, 0, 0, 1), http.Header{"Cookie": {"mybot=" + cookieIn(t, d.ask("GET", "/")).Value}})
}

// visitWith does the same from an address, with the page's credentials.
func visitWith(t *testing.T, d *testServer, from net.IP, header http.Header) (*websocket.Conn, net.Conn) {
	t.Helper()
	conn, page := dial(t, d, from, header, "/ws", subprotocol)
	if err := conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"hello","protocol":"mybot.v1","tab":"x","build":"test"}`)); err != nil {
		t.Fatal(err)
	}
	if _, welcome, err := conn.Read(t.Context()); err != nil || !strings.Contains(string(welcome), `"welcome"`) {
		t.Fatalf("the robot says %s, %v", welcome, err)
	}
	return conn, page
}

// dial opens a WebSocket to the server over an in-memory connection. It also returns the
// page's end of the connection.
func dial(t *testing.T, d *testServer, from net.IP, header http.Header, path, protocol string) (*websocket.Conn, net.Conn) {
	t.Helper()
	page, server := net.Pipe()
	w := &wire{conns: make(chan net.Conn, 1)}
	w.conns <- farEnd{server, &net.TCPAddr{IP: from, Port: 50000}}
	served := make(chan error, 1)
	go func() { served <- (&http.Server{Handler: d}).Serve(w) }()
	t.Cleanup(func() {
		_ = page.Close()
		close(w.conns)
		if err := <-served; !errors.Is(err, net.ErrClosed) {
			t.Errorf("the server ended with %v", err)
		}
	})
	conn, _, err := websocket.Dial(t.Context(), "ws://127.0.0.1:8080"+path, &websocket.DialOptions{
		Subprotocols: []string{protocol},
		HTTPHeader:   header,
		HTTPClient: &http.Client{Transport: &http.Transport{
			DialContext: func(context.Context, string, string) (net.Conn, error) { return page, nil },
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return conn, page
}

func TestAPageThatAnswersPingsMayBeQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newTestServer(t)
		conn, _ := visit(t, d)
		defer conn.CloseNow() //nolint:errcheck // it is gone either way
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		begin := time.Now()
		var err error
		for err == nil {
			_, _, err = conn.Read(ctx) // answers pings, too
		}
		if quiet := time.Since(begin); quiet < time.Hour {
			t.Errorf("a quiet page was cut after %v: %v", quiet, err)
		}
		if got := text(t, d.ask("GET", "/metrics")); !strings.Contains(got, "mybot_websocket_round_trip_seconds_count 1799") && !strings.Contains(got, "mybot_websocket_round_trip_seconds_count 1800") {
			t.Error("the round trips of an hour were not counted, one every two seconds")
		}
	})
}

func TestAPageThatIsGoneIsCut(t *testing.T) {
	for _, c := range []struct {
		name string
		page func(net.Conn) // what the page still does
	}{
		{"it takes everything and answers no ping", func(page net.Conn) { _, _ = io.Copy(io.Discard, page) }},
		{"it takes nothing", func(net.Conn) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newTestServer(t)
				begin := time.Now()
				conn, page := visit(t, d)
				defer conn.CloseNow() //nolint:errcheck // it is gone either way
				if n := d.sockets.countOpen(); n != 1 {
					t.Fatalf("%d WebSockets are open, want 1", n)
				}
				go c.page(page)
				for d.sockets.countOpen() > 0 && time.Since(begin) < time.Minute {
					time.Sleep(100 * time.Millisecond) // in the bubble's time
				}
				if took := time.Since(begin); took < pongWithin || took > pingEvery+pongWithin+time.Second {
					t.Errorf("it was cut after %v", took)
				}
			})
		})
	}
}

func TestAShutdownCutsWhoDoesNotTakeGoodbye(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newTestServer(t)
		conn, _ := visit(t, d)
		defer conn.CloseNow() //nolint:errcheck // it is gone either way
		begin := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := d.Shutdown(ctx); err == nil || !strings.Contains(err.Error(), "1 WebSockets") {
			t.Errorf("it ends with: %v", err)
		}
		if took := time.Since(begin); took != time.Second {
			t.Errorf("it took %v, want the second it was given", took)
		}
		if d.sockets.addSocket(&socket{}) {
			t.Error("a new WebSocket is taken after the shutdown")
		}
	})
}

// A scribe is a connection that records what is written.
type scribe struct {
	net.Conn
	wrote []string
}

func (s *scribe) Write(p []byte) (int, error) {
	s.wrote = append(s.wrote, string(p))
	return len(p), nil
}

func TestNothingIsSaidAfterTheGoodbyeOfAWebSocket(t *testing.T) {
	s := &scribe{}
	conn := &sharedConn{Conn: s, writing: make(chan struct{}, 1)}
	for _, frame := range []string{"HTTP/1.1 101", "\x81\x01a", "\x88\x02\x03\xe9", "\x88\x02\x03\xe9", "\x81\x01b"} {
		if n, err := conn.Write([]byte(frame)); n != len(frame) || err != nil {
			t.Errorf("%q: %d, %v", frame, n, err)
		}
	}
	if got := strings.Join(s.wrote, "|"); got != "HTTP/1.1 101|\x81\x01a|\x88\x02\x03\xe9" {
		t.Errorf("it wrote %q", got)
	}
}

// farewell reads until the connection ends and returns the last frame.
func farewell(t *testing.T, conn *websocket.Conn) (last string, took time.Duration) {
	t.Helper()
	begin := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
	defer cancel()
	for {
		_, frame, err := conn.Read(ctx)
		if err != nil {
			return last, time.Since(begin)
		}
		last = string(frame)
	}
}

func TestWhoIsRevokedIsSentAwayAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newTestServer(t)
		token := d.paired(t, session.Operator)
		conn, _ := visitWith(t, d, net.IPv4(192, 168, 1, 50), http.Header{"Authorization": {"Bearer " + token}})
		defer conn.CloseNow() //nolint:errcheck // it is gone either way
		id := d.access.Grants(time.Now())[0].ID
		admin := d.paired(t, session.Admin)
		go func() {
			time.Sleep(61 * time.Second) // between two pings, which would notice it, too
			if got := d.ask("DELETE", "/api/v1/users/"+id, with("Authorization", "Bearer "+admin)); got.StatusCode != http.StatusOK {
				t.Errorf("revoking is answered %s", got.Status)
			}
		}()
		last, took := farewell(t, conn)
		if !strings.Contains(last, "revoked") || !strings.Contains(last, `"bye"`) || took > 61*time.Second+100*time.Millisecond {
			t.Errorf("the page hears %s, %v after it was revoked", last, took-61*time.Second)
		}
		if got := d.audit.all(); !strings.Contains(got, "was revoked") {
			t.Errorf("the audit log does not tell of it: %s", got)
		}
	})
}

func TestAPageWhoseAccessHasExpiredIsSentAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newTestServer(t)
		token := d.paired(t, session.Observer)
		conn, _ := visitWith(t, d, net.IPv4(192, 168, 1, 50), http.Header{"Cookie": {"mybot=" + token}})
		defer conn.CloseNow() //nolint:errcheck // it is gone either way
		last, took := farewell(t, conn)
		if !strings.Contains(last, `"bye"`) || took < access.ShareLife-time.Second || took > access.ShareLife+3*time.Second {
			t.Errorf("the page hears %s after %v, want a goodbye after %v", last, took, access.ShareLife)
		}
	})
}

func TestOneAddressHasOnlySoManyWebSockets(t *testing.T) {
	s := sockets{limits: Limits{Sockets: 5, PerAddress: 2}}
	one, other := ratelimit.Network(netip.MustParseAddr("192.168.1.50")), ratelimit.Network(netip.MustParseAddr("2001:db8::1"))
	var open []*socket
	for i, c := range []struct {
		address netip.Prefix
		want    bool
	}{{one, true}, {one, true}, {one, false}, {other, true}, {netip.Prefix{}, true}, {netip.Prefix{}, true}, {netip.Prefix{}, false}, {other, false}} {
		k := &socket{address: c.address}
		if s.addSocket(k) != c.want {
			t.Errorf("WebSocket %d, from %v, is taken: %v", i+1, c.address, !c.want)
		} else if c.want {
			open = append(open, k)
		}
	}
	for _, k := range open {
		s.removeSocket(k)
	}
	if s.countOpen() != 0 || len(s.from) != 0 {
		t.Errorf("%d WebSockets and %d addresses are remembered", s.countOpen(), len(s.from))
	}
}

// The protocol says what a program on the robot's computer may send in place of the
// page's cookie.
func TestAProgramsOwnCookieIs32BytesAndAnotherOneIsExplained(t *testing.T) {
	d := newTestServer(t)
	for cookie, good := range map[string]bool{
		base64.RawURLEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32)): true,
		"k3v9x2":                false,
		strings.Repeat("a", 43): false, // its last letter has bits too many
		"":                      false,
	} {
		got := d.ask("GET", "/ws", with("Cookie", cookieName+"="+cookie), with("Connection", "Upgrade"), with("Upgrade", "websocket"), with("Sec-WebSocket-Protocol", subprotocol))
		says := text(t, got)
		if refused := got.StatusCode == http.StatusForbidden && strings.Contains(says, "is not 32 bytes in base64url"); refused == good || good && got.StatusCode == http.StatusForbidden {
			t.Errorf("%q is answered %s: %s", cookie, got.Status, says)
		}
	}
}
