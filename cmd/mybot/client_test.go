package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mybot/app"
	"mybot/client"
	"mybot/robot"
	"mybot/store"
)

// A screen holds the output of a program.
type screen struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

// A home is a user's computer with a robot on it.
type home struct {
	t      *testing.T
	dir    string
	data   string
	screen screen
	errs   screen
	end    context.CancelFunc
	code   chan int
}

// at looks up the environment of the home.
func (h *home) at(name string) string { return map[string]string{"HOME": h.dir}[name] }

// serve starts the robot, and waits until it is ready.
func (h *home) serve(args ...string) {
	h.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	h.end, h.code = sync.OnceFunc(func() { cancel(); <-h.code }), make(chan int, 1)
	ready := make(chan struct{})
	out, in := io.Pipe()
	go func() {
		h.code <- run(ctx, append([]string{"--data", h.data}, args...), in, &h.errs, h.at)
		_ = in.Close()
	}()
	go func() {
		once := sync.OnceFunc(func() { close(ready) })
		defer once()
		buffer := make([]byte, 4096)
		for {
			n, err := out.Read(buffer)
			_, _ = h.screen.Write(buffer[:n])
			if strings.Contains(h.screen.String(), "is ready") {
				once()
			}
			if err != nil {
				return
			}
		}
	}()
	h.t.Cleanup(h.end)
	<-ready
	if !strings.Contains(h.screen.String(), "is ready") {
		h.t.Fatalf("the robot does not start: %s", h.errs.String())
	}
}

// do runs a sub-command and returns its exit code and what it printed.
func (h *home) do(args ...string) (int, string) {
	var out, errs bytes.Buffer
	code := run(h.t.Context(), args, &out, &errs, h.at)
	return code, out.String() + errs.String()
}

// ok runs a sub-command that should succeed and print want.
func (h *home) ok(want string, args ...string) string {
	h.t.Helper()
	code, said := h.do(args...)
	if code != exitDone || !strings.Contains(said, want) {
		h.t.Fatalf("%v ends with %d and does not say %q: %s", args, code, want, said)
	}
	return said
}

// no runs a sub-command that should fail and print want.
func (h *home) no(want string, args ...string) {
	h.t.Helper()
	code, said := h.do(args...)
	if code != exitFailed || !strings.Contains(said, want) {
		h.t.Errorf("%v ends with %d and does not say %q: %s", args, code, want, said)
	}
}

// printed returns the part of the robot's output that matches.
func (h *home) printed(pattern string) string {
	h.t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(h.screen.String())
	if found == nil {
		h.t.Fatalf("the robot did not print %s: %s", pattern, h.screen.String())
	}
	return found[1]
}

func newHome(t *testing.T) *home {
	dir := t.TempDir()
	return &home{t: t, dir: dir, data: filepath.Join(dir, "data")}
}

func TestACommandLineComesInWithThePINUntilItIsRevoked(t *testing.T) {
	h := newHome(t)
	h.serve("--listen", "127.0.0.1:0", "--host", "robot.local", "--trusted-proxy", "10.0.0.0/8", "--tls", "self")
	pin := h.printed(`PIN   (\d{4} \d{4})`)
	if link := h.printed(`(https://robot\.local\S*/pair\?code=\S+)`); !strings.Contains(h.screen.String(), "█") || len(link) < 60 {
		t.Error("the terminal shows no QR code of the link")
	}
	if print := h.printed(`([0-9A-F]{2}(?::[0-9A-F]{2}){31})`); len(print) != 95 {
		t.Errorf("the fingerprint is %s", print)
	}
	url := h.printed(`(https://127\.0\.0\.1:\d+)`)
	key, err := app.ReadKey(h.data)
	if err != nil {
		t.Fatal(err)
	}
	ca := filepath.Join(h.dir, "ca.crt")
	if err := os.WriteFile(ca, []byte(key.Roots), 0o600); err != nil {
		t.Fatal(err)
	}

	h.ok("Nobody is paired", "users", "list", "--data", h.data)
	h.no("no authority this computer trusts", "pair", "--robot", url, "--code", pin)
	h.no("not in PEM", "pair", "--robot", url, "--code", pin, "--ca", filepath.Join(h.data, "server.json"))
	h.no("Wrong or expired code", "pair", "--robot", url, "--code", "1234", "--ca", ca)
	h.ok("as operator", "pair", "--robot", url, "--code", pin, "--ca", ca, "--name", "desk")
	info, err := os.Stat(filepath.Join(h.dir, ".config", "mybot", "robots.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token is saved as %v, %v", info.Mode(), err)
	}
	h.ok("is ready", "status", "--robot", url)
	for mode, want := range map[robot.Mode]string{robot.ModeGoal: "driving to its goal", robot.ModeManual: "driven by hand", robot.ModeJob: "running a job", robot.ModePaused: "paused", robot.ModeCharging: "charging"} {
		if got := inWords(mode); got != want {
			t.Errorf("the status of a robot in the mode %s is %s", mode, got)
		}
	}
	h.ok(`"type":"state"`, "status", "--robot", url, "--json")
	h.ok("is stopped", "stop", "--robot", url)
	h.soon("stopped by desk", "status", "--data", h.data)
	h.no("for admin only", "users", "list", "--robot", url)

	id := strings.Fields(strings.Split(h.ok("desk", "users", "list", "--data", h.data), "\n")[1])[0]
	h.ok("can no longer connect", "users", "revoke", id, "--data", h.data)
	h.no("does not know you", "status", "--robot", url)
	h.no("no device", "users", "revoke", id, "--data", h.data)

	h.end()
	if _, err := os.Stat(filepath.Join(h.data, "server.json")); !os.IsNotExist(err) {
		t.Errorf("the robot leaves its key behind: %v", err)
	}
	said := h.ok("unbroken", "audit", "verify", "--data", h.data)
	if !strings.Contains(said, "last hash ") {
		t.Errorf("the output lacks the last hash: %s", said)
	}
	log, err := os.ReadFile(filepath.Join(h.data, app.AuditFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"desk", `Stopped by \"desk\"`, "was revoked", "was refused", "The server ended."} {
		if !strings.Contains(string(log), want) {
			t.Errorf("the audit log does not say %q:\n%s", want, log)
		}
	}
}

func TestARobotThatNeedsNoPairingIsStoppedEvenIfThePairingsCannotBeRead(t *testing.T) {
	h := newHome(t)
	h.serve("--listen", "127.0.0.1:0")
	url := h.printed(`(http://127\.0\.0\.1:\d+)`)
	pairings, err := client.PairingsFile(h.at)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(pairings), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(pairings, []byte(`{"http://x": {`), 0o600); err != nil {
		t.Fatal(err)
	}
	h.no("cannot be read", "status", "--robot", url)
	h.ok("is stopped", "stop", "--robot", url)
	h.soon("is stopped", "status", "--data", h.data)
	h.no("cannot be read", "stop", "--robot", "http://127.0.0.1:1")
}

func TestARobotWhoseCertificateIsNotTrustedIsStoppedAndSaidNotToBeVerified(t *testing.T) {
	h := newHome(t)
	h.serve("--listen", "127.0.0.1:0", "--tls", "self")
	url := h.printed(`(https://127\.0\.0\.1:\d+)`)
	h.no("no authority this computer trusts", "status", "--robot", url)
	h.ok("cannot tell which program answered: look at the robot", "stop", "--robot", url)
	h.soon("is stopped", "status", "--data", h.data)
}

func TestARobotOfAnotherUserOfThisComputerIsStopped(t *testing.T) {
	local := []string{"http://" + app.DefaultListen, "https://" + app.DefaultListen}
	denied := fmt.Errorf("app: %w", fs.ErrPermission)
	for _, c := range []struct {
		t    target
		err  error
		want []string
	}{
		{target{}, fs.ErrNotExist, local},
		{target{data: "d"}, denied, local},
		{target{data: "d"}, fs.ErrNotExist, nil},
		{target{}, nil, nil}, // it does not answer, and another one is not it
		{target{}, errors.New("damaged"), nil},
		{target{robot: "192.168.1.7"}, denied, nil},
		{target{robot: "http://192.168.1.7:8080"}, denied, []string{"http://192.168.1.7:8080"}},
	} {
		if got := c.t.addressesWithoutPairing(c.err); !slices.Equal(got, c.want) {
			t.Errorf("%+v after %v: %v, want %v", c.t, c.err, got, c.want)
		}
	}
	h := newHome(t)
	h.serve("--listen", "127.0.0.1:0", "--tls", "self")
	host := strings.TrimPrefix(h.printed(`(https://127\.0\.0\.1:\d+)`), "https://")
	if said := stopUnpaired(t.Context(), []string{"http://127.0.0.1:1", "http://" + host, "https://" + host}); !strings.HasPrefix(said, "The robot at https://"+host) {
		t.Errorf("it says %q", said)
	}
	h.soon("is stopped", "status", "--data", h.data)
}

// Between here and a robot elsewhere another program may answer in its place, and say what it likes.
func TestAnUnverifiedAnswerFromElsewhereIsNotTakenForAStop(t *testing.T) {
	for base, want := range map[string]bool{
		"https://127.0.0.1:8080": true, "https://[::1]:8080": true, "https://localhost:8080": true,
		"https://192.168.1.7:8080": false, "https://robot.local:8080": false, "https://localhost.example": false, "https://127.0.0.1.example": false,
	} {
		if got := isOnThisComputer(base); got != want {
			t.Errorf("%s is on this computer: %v, want %v", base, got, want)
		}
	}
	asked := false
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked = true
		_, _ = io.WriteString(w, `{"word":"SUCCESS","reason":""}`) // to a client that may have gone
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that the client ends
	server.StartTLS()
	defer server.Close()
	elsewhere := strings.Replace(server.URL, "127.0.0.1", "0.0.0.0", 1) // leads here, and is no loopback address
	if said := stopUnpaired(t.Context(), []string{elsewhere}); said != "" || asked {
		t.Errorf("it says %q; the server was asked: %v", said, asked)
	}
	if said := stopUnpaired(t.Context(), []string{server.URL}); !strings.Contains(said, "cannot tell which program answered") || !asked {
		t.Errorf("at this computer it says %q; the server was asked: %v", said, asked)
	}
}

func TestALinkIsNotUsedUpIfThePairingCannotBeSaved(t *testing.T) {
	h := newHome(t)
	h.serve("--listen", "127.0.0.1:0", "--host", "localhost")
	link := h.printed(`(http://localhost:\d+/pair\?code=\S+)`)
	config := filepath.Join(h.dir, ".config")
	if err := os.Symlink(filepath.Join(h.dir, "missing", "folder"), config); err != nil {
		t.Fatal(err)
	}
	h.no("the code was not sent", "pair", "--robot", link, "--name", "Ana")
	if err := os.Remove(config); err != nil {
		t.Fatal(err)
	}
	h.ok("as admin", "pair", "--robot", link, "--name", "Ana")
}

func TestUsersOfARobotThatIsOffAreRevokedToo(t *testing.T) {
	h := newHome(t)
	h.serve("--listen", "127.0.0.1:0", "--host", "localhost")
	h.ok("as admin", "pair", "--robot", h.printed(`(http://localhost:\d+/pair\?code=\S+)`), "--name", "Ana")
	url := h.printed(`(http://127\.0\.0\.1:\d+)`)
	link := func(said string) string {
		return regexp.MustCompile(`http://localhost:\d+/pair\?code=\S+`).FindString(said)
	}
	fresh, other := h.ok("makes an admin", "users", "invite", "--data", h.data), h.ok("makes an operator", "users", "invite", "operator", "--data", h.data)
	if !strings.Contains(fresh, "█") {
		t.Errorf("no QR code of the link is shown: %s", fresh)
	}
	h.ok("as operator", "pair", "--robot", link(other), "--name", "Jin")
	h.no("for admin only", "users", "invite", "--robot", link(other))
	h.ok("as admin", "pair", "--robot", link(fresh), "--name", "Ana")
	h.no("Wrong or expired code", "pair", "--robot", link(fresh), "--name", "Eve")
	h.ok("Ana", "users", "list", "--robot", strings.Replace(url, "127.0.0.1", "localhost", 1))
	stale, err := os.ReadFile(filepath.Join(h.data, "server.json"))
	if err != nil {
		t.Fatal(err)
	}
	h.end()

	if err := os.WriteFile(filepath.Join(h.data, "server.json"), stale, 0o600); err != nil { // as after a power cut
		t.Fatal(err)
	}
	list := h.ok("Ana", "users", "list", "--data", h.data)
	var id string
	for _, row := range strings.Split(strings.TrimSpace(list), "\n")[1:] {
		id = strings.Fields(row)[0]
		h.ok("can no longer connect", "users", "revoke", id, "--data", h.data)
	}
	h.ok("Nobody is paired", "users", "list", "--data", h.data)
	h.no("no such grant", "users", "revoke", id, "--data", h.data)
	h.no("is not running", "users", "invite", "--data", h.data)
	elsewhere := filepath.Join(h.dir, "elsewhere")
	h.no("no robot has saved anything in "+elsewhere, "users", "list", "--data", elsewhere)
	if _, err := os.Stat(filepath.Join(elsewhere, store.File)); !os.IsNotExist(err) {
		t.Errorf("looking for users makes a database: %v", err)
	}
	h.ok("unbroken", "audit", "verify", filepath.Join(h.data, app.AuditFile))
}

func TestARevocationSaysWhoStillConnects(t *testing.T) {
	h := newHome(t)
	h.serve("--listen", "127.0.0.1:0", "--host", "localhost")
	pin := h.printed(`PIN   (\d{4} \d{4})`)
	desk := h.printed(`(http://127\.0\.0\.1:\d+)`)
	tablet := strings.Replace(desk, "127.0.0.1", "localhost", 1)
	idOf := func(name string) string {
		return regexp.MustCompile(`(\w+) +` + name).FindStringSubmatch(h.ok(name, "users", "list", "--data", h.data))[1]
	}
	h.ok("as operator", "pair", "--robot", desk, "--code", pin, "--name", "desk")
	h.ok("as operator", "pair", "--robot", tablet, "--code", pin, "--name", "tablet")
	h.ok("Those that came by the same PIN or link still can", "users", "revoke", idOf("desk"), "--data", h.data)
	h.no("does not know you", "status", "--robot", desk)
	h.ok("is ready", "status", "--robot", tablet)
	h.no("Wrong or expired code", "pair", "--robot", desk, "--code", pin)
	h.ok("nor can those that came by the same PIN or link", "users", "revoke", idOf("tablet"), "--link", "--data", h.data)
	h.no("does not know you", "status", "--robot", tablet)
	h.end()
}

func TestAnAuditLogThatWasChangedIsTold(t *testing.T) {
	h := newHome(t)
	h.serve("--listen", "127.0.0.1:0")
	h.ok("is stopped", "stop", "--data", h.data)
	h.end()
	path := filepath.Join(h.data, app.AuditFile)
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(log, []byte("\n"))
	if len(lines) < 4 {
		t.Fatalf("the log has only %d lines", len(lines))
	}
	forged := bytes.Replace(log, []byte("Command line"), []byte("Somebody"), 1)
	if err := os.WriteFile(path, forged, 0o600); err != nil {
		t.Fatal(err)
	}
	h.no("line 2 was changed", "audit", "verify", "--data", h.data)
	if err := os.WriteFile(path, bytes.Join(append(lines[:1:1], lines[2:]...), nil), 0o600); err != nil {
		t.Fatal(err)
	}
	h.no("line 2 carries the number 3", "audit", "verify", path)
	h.serve("--listen", "127.0.0.1:0") // the robot starts anyway
	h.end()
	h.ok("entry 2 says that damaged lines were moved", "audit", "verify", path)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h.ok("no entries", "audit", "verify", path)
}

func TestTwoProgramsDifferInTheirBuild(t *testing.T) {
	if b := buildName(); b == version || b != buildName() {
		t.Errorf("the build is %q, then %q", b, buildName())
	}
	if !regexp.MustCompile(`^[0-9a-f]{12}$`).MatchString(programHash()) {
		t.Errorf("the hash of the program is %q", programHash())
	}
	begin := time.Now()
	buildName()
	t.Logf("naming the build takes %v", time.Since(begin).Round(time.Millisecond))
}
