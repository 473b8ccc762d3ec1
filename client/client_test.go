package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nhooyr.io/websocket"

	"mybot/client"
	"mybot/session/protocol"
)

func dial(t *testing.T, handler http.HandlerFunc, opt client.Options) *client.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c, err := client.New(server.URL, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestARefusalHasItsStatusAndItsReason(t *testing.T) {
	for body, want := range map[string]string{`{"word":"BUSY","reason":"Ana has control."}`: "refuses: Ana has control.", "No such page.\n": "refuses: No such page."} {
		c := dial(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, body)
		}, client.Options{})
		err := c.StopRobot(t.Context())
		var refused client.RefusedError
		if !errors.As(err, &refused) || refused.Status != http.StatusConflict || !strings.HasSuffix(refused.Reason, want) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestAClientShowsItsTokenOrItsIdentity(t *testing.T) {
	var got http.Header
	handler := func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		_, _ = io.WriteString(w, `{"job":{"run":7,"phase":"running"}}`)
	}
	paired := dial(t, handler, client.Options{Token: "secret"})
	if n, err := paired.CurrentRun(t.Context()); err != nil || n != 7 || got.Get("Authorization") != "Bearer secret" || paired.NeedsIdentity() {
		t.Error(n, err, got)
	}
	local := dial(t, handler, client.Options{})
	if _, err := local.WithIdentity("word").CurrentRun(t.Context()); err != nil || got.Get("Cookie") != "mybot=word" || !local.NeedsIdentity() {
		t.Error(err, got)
	}
	far, err := client.New("http://192.168.1.7:8080", client.Options{})
	if err != nil || far.NeedsIdentity() {
		t.Error("a robot elsewhere is given an identity", err)
	}
	if _, err := client.New("", client.Options{Roots: "none"}); err == nil {
		t.Error("a certificate that is none is taken")
	}
}

func TestPairingsAreKeptForTheUserAlone(t *testing.T) {
	home := t.TempDir()
	path, err := client.PairingsFile(func(name string) string { return map[string]string{"HOME": home}[name] })
	if err != nil || path != filepath.Join(home, ".config", "mybot", "robots.json") {
		t.Fatal(path, err)
	}
	known, err := client.ReadPairings(path)
	if err != nil || len(known) != 0 {
		t.Fatal(known, err)
	}
	known["http://robot"] = client.Pairing{Token: "secret"}
	if err := known.Write(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	if again, err := client.ReadPairings(path); err != nil || again["http://robot"].Token != "secret" {
		t.Error(again, err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := client.ReadPairings(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
}

// robot serves a connection: it says hello, then sends a line for each request of
// the script.
func robot(t *testing.T, welcome string, script map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{protocol.Protocol}})
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = ws.Close(websocket.StatusNormalClosure, "") }()
		for {
			_, frame, err := ws.Read(context.Background())
			if err != nil {
				return
			}
			answers := script[string(frame)]
			if strings.HasPrefix(string(frame), `{"type":"hello"`) {
				answers = welcome
			}
			for answer := range strings.SplitSeq(answers, "\n") {
				if answer != "" && ws.Write(context.Background(), websocket.MessageText, []byte(answer)) != nil {
					return
				}
			}
		}
	}
}

const welcome = `{"type":"welcome","you":2,"lease":{"epoch":4,"holder":null,"since":"2026-11-20T14:21:00Z"},"people":[{"id":1,"name":"Ana"}]}`

func TestControlIsTakenAndReleased(t *testing.T) {
	c := dial(t, robot(t, `{"type":"tomorrow"}`+"\n"+welcome, map[string]string{
		`{"type":"control","id":1,"action":"take"}`:    `{"type":"event","kind":"lease","epoch":5,"holder":2,"since":"2026-11-20T14:21:00Z","reason":"taken"}` + "\n" + `{"type":"result","id":1,"word":"SUCCESS","reason":""}`,
		`{"type":"control","id":2,"action":"release"}`: `{"type":"result","id":2,"word":"SUCCESS","reason":""}`,
	}), client.Options{})
	conn, err := c.Connect(t.Context(), "Test", "test")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if conn.HasControl() || conn.Epoch() != 4 || conn.Welcome().You != 2 {
		t.Errorf("the lease is %d at first", conn.Epoch())
	}
	if err := conn.TakeControl(t.Context()); err != nil || !conn.HasControl() || conn.Epoch() != 5 {
		t.Error(err, conn.Epoch())
	}
	if err := conn.ReleaseControl(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestControlThatIsNotGrantedIsAnError(t *testing.T) {
	for name, c := range map[string]struct{ lease, answer, want string }{
		"another user has it": {`"holder":1`, "", "Ana has control"},
		"it is refused":       {`"holder":null`, `{"type":"result","id":1,"word":"BUSY","reason":"Not now."}`, "Not now."},
		"the robot leaves":    {`"holder":null`, `{"type":"bye","reason":"off"}`, "goodbye"},
	} {
		t.Run(name, func(t *testing.T) {
			with := strings.Replace(welcome, `"holder":null`, c.lease, 1)
			conn, err := dial(t, robot(t, with, map[string]string{`{"type":"control","id":1,"action":"take"}`: c.answer}), client.Options{}).Connect(t.Context(), "Test", "test")
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if err := conn.TakeControl(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Error(err)
			}
		})
	}
	_, err := dial(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, client.Options{}).Connect(t.Context(), "Test", "test")
	var refused client.RefusedError
	if !errors.As(err, &refused) || refused.Status != http.StatusUnauthorized {
		t.Error(err)
	}
}
