package handlers

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nhooyr.io/websocket" // the page's side of websocket.go
)

// A wire is a listener for one connection in memory.
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

// visit opens a WebSocket to the desk over a connection in memory, and says
// hello. It returns the page's end of the connection, too.
func visit(t *testing.T, d *desk) (*websocket.Conn, net.Conn) {
	t.Helper()
	page, server := net.Pipe()
	w := &wire{conns: make(chan net.Conn, 1)}
	w.conns <- server
	served := make(chan error, 1)
	go func() { served <- (&http.Server{Handler: d}).Serve(w) }()
	t.Cleanup(func() {
		_ = page.Close()
		close(w.conns)
		if err := <-served; !errors.Is(err, net.ErrClosed) {
			t.Errorf("the server ended with %v", err)
		}
	})
	cookie := cookieIn(t, d.ask("GET", "/")).Value
	conn, _, err := websocket.Dial(t.Context(), "ws://127.0.0.1:8080/ws", &websocket.DialOptions{
		Subprotocols: []string{subprotocol},
		HTTPHeader:   http.Header{"Cookie": {"mybot=" + cookie}},
		HTTPClient: &http.Client{Transport: &http.Transport{
			DialContext: func(context.Context, string, string) (net.Conn, error) { return page, nil },
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"hello","protocol":"mybot.v1","tab":"x","build":"test"}`)); err != nil {
		t.Fatal(err)
	}
	if _, welcome, err := conn.Read(t.Context()); err != nil || !strings.Contains(string(welcome), `"welcome"`) {
		t.Fatalf("the robot says %s, %v", welcome, err)
	}
	return conn, page
}

func TestAPageThatAnswersPingsMayBeQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
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
				d := newDesk(t)
				begin := time.Now()
				conn, page := visit(t, d)
				defer conn.CloseNow() //nolint:errcheck // it is gone either way
				if n := d.sockets.count(); n != 1 {
					t.Fatalf("%d WebSockets are open, want 1", n)
				}
				go c.page(page)
				for d.sockets.count() > 0 && time.Since(begin) < time.Minute {
					time.Sleep(100 * time.Millisecond) // in the bubble's time
				}
				if took := time.Since(begin); took < writeTimeout || took > pingEvery+pongWithin+time.Second {
					t.Errorf("it was cut after %v", took)
				}
			})
		})
	}
}

func TestAShutdownCutsWhoDoesNotTakeGoodbye(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
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
		if d.sockets.add(&socket{}) {
			t.Error("a new WebSocket is taken after the shutdown")
		}
	})
}
