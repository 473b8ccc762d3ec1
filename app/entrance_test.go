package app

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/certs"
)

// A corridor is a listener for in-memory connections.
type corridor chan net.Conn

func (c corridor) Accept() (net.Conn, error) {
	conn, ok := <-c
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (c corridor) Close() error   { return nil }
func (c corridor) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080} }

func TestWhoAsksSlowlyIsCutOff(t *testing.T) {
	for _, c := range []struct {
		name   string
		begin  string        // sent at once
		drip   string        // sent every second after the connection
		within time.Duration // it is cut off
	}{
		{"a header that never ends", "GET / HTTP/1.1\r\nHost: localhost\r\n", "X-A: b\r\n", 6 * time.Second},
		{"one letter a second", "", "G", 6 * time.Second},
		{"nothing at all", "", "", 6 * time.Second},
		{"a body that never ends", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4000\r\n\r\n", "x", 11 * time.Second},
		{"a connection that is kept and not used", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "", 62 * time.Second},
		{"an answer that is not taken", "GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n", "", 32 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := newHTTPServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					if r.URL.Path == "/long" {
						_, _ = w.Write(make([]byte, 1<<20))
					}
				}), nil, slog.New(slog.DiscardHandler))
				ln := make(corridor, 1)
				page, server := net.Pipe()
				gone := make(chan struct{})
				ln <- &told{Conn: server, gone: sync.OnceFunc(func() { close(gone) })}
				served := make(chan error, 1)
				go func() { served <- web.Serve(ln) }()
				begin := time.Now()
				var others sync.WaitGroup
				others.Go(func() {
					_, _ = io.WriteString(page, c.begin)
					for {
						if _, err := io.WriteString(page, c.drip); err != nil {
							return
						}
						time.Sleep(time.Second)
					}
				})
				if !strings.Contains(c.begin, "/long") {
					others.Go(func() { _, _ = io.Copy(io.Discard, page) })
				}
				<-gone
				if took := time.Since(begin); took > c.within {
					t.Errorf("it was cut off after %v, want %v", took, c.within)
				}
				_ = page.Close()
				close(ln)
				if err := <-served; !errors.Is(err, net.ErrClosed) {
					t.Error(err)
				}
				others.Wait()
			})
		})
	}
}

// A told connection reports when it is closed.
type told struct {
	net.Conn
	gone func()
}

func (c *told) Close() error {
	defer c.gone()
	return c.Conn.Close()
}

func TestHeadersHaveALimit(t *testing.T) {
	web := newHTTPServer(http.NotFoundHandler(), nil, slog.New(slog.DiscardHandler))
	ln := make(corridor, 1)
	page, server := net.Pipe()
	ln <- server
	go web.Serve(ln) //nolint:errcheck // it ends with the corridor
	defer close(ln)
	go func() {
		_, _ = io.WriteString(page, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: "+strings.Repeat("x", 64<<10)+"\r\n\r\n")
	}()
	answer := make([]byte, 64)
	n, err := page.Read(answer)
	if err != nil || !strings.Contains(string(answer[:n]), "431") {
		t.Errorf("a header of 64 KiB is answered %q, %v", answer[:n], err)
	}
	_ = page.Close()
}

func TestFlagsOfTheEntranceAreRead(t *testing.T) {
	for text, want := range map[string]TLS{"": {}, "self": {Self: true}, "a.pem,b.pem": {Cert: "a.pem", Key: "b.pem"}} {
		if got, err := ParseTLS(text); err != nil || got != want {
			t.Errorf("--tls %q is %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"a.pem", "a,b,c", ",b", "a,", "SELF"} {
		if _, err := ParseTLS(text); err == nil || !strings.Contains(err.Error(), "self") {
			t.Errorf("--tls %q is answered %v", text, err)
		}
	}
	got, err := ParseProxies("10.1.2.3/8, 127.0.0.1,::1")
	var texts []string
	for _, p := range got {
		texts = append(texts, p.String())
	}
	if err != nil || !reflect.DeepEqual(texts, []string{"10.0.0.0/8", "127.0.0.1/32", "::1/128"}) {
		t.Errorf("the proxies are %v, %v", texts, err)
	}
	for _, text := range []string{"", "nginx", "10.0.0.0/33", "10.0.0.0/8,,"} {
		if _, err := ParseProxies(text); err == nil || !strings.Contains(err.Error(), "10.0.0.0/8") {
			t.Errorf("--trusted-proxy %q is answered %v", text, err)
		}
	}
}

func TestTheEntranceKnowsItsAddresses(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	tcp := func(ip string) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: 8080} }
	proxies, err := ParseProxies("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		addr net.Addr
		cfg  Config
		open bool
		want []string
	}{
		{"this computer only", tcp("127.0.0.1"), Config{}, false, nil},
		{"one address of the network", tcp("192.168.1.7"), Config{}, true, []string{"http://192.168.1.7:8080"}},
		{"a name goes first", tcp("192.168.1.7"), Config{Hosts: []string{"robot.example"}}, true, []string{"http://robot.example:8080", "http://192.168.1.7:8080"}},
		{"a proxy on this computer", tcp("127.0.0.1"), Config{Hosts: []string{"robot.example"}, Proxies: proxies}, true, []string{"https://robot.example"}},
		{"a proxy without a name", tcp("127.0.0.1"), Config{Proxies: proxies}, true, nil},
		{"TLS, IPv6", tcp("fd00::7"), Config{TLS: TLS{Self: true}, DataDir: t.TempDir()}, true, []string{"https://[fd00::7]:8080"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := newEntrance(c.addr, "Mybot", c.cfg, log)
			if err != nil || e.open != c.open || !slices.Equal(e.addresses(), c.want) {
				t.Errorf("it is open: %v, at %v, %v", e.open, e.addresses(), err)
			}
		})
	}
	if _, err := newEntrance(tcp("127.0.0.1"), "Mybot", Config{TLS: TLS{Self: true}}, log); err == nil {
		t.Error("an authority is made nowhere")
	}
}

func TestAnAuthorityThatIsNotValidYetIsLogged(t *testing.T) {
	for ahead, want := range map[time.Duration]bool{0: false, 10000 * time.Hour: true} {
		dir := t.TempDir()
		if _, err := certs.OpenAuthority(dir, "Mybot", time.Now().Add(ahead)); err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		if _, err := newEntrance(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}, "Mybot", Config{TLS: TLS{Self: true}, DataDir: dir}, slog.New(slog.NewTextHandler(&said, nil))); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(said.String(), "browsers refuse the certificate authority in ca.pem, which is valid from "); got != want {
			t.Errorf("made %s ahead, the log says %q", ahead, said.String())
		}
	}
}

func TestAKeyIsForThisUserAlone(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, keyFile), []byte("{"), 0o644); err != nil { // another user's, or half a file
		t.Fatal(err)
	}
	if _, err := ReadKey(dir); err == nil || !strings.Contains(err.Error(), "start the robot again") {
		t.Errorf("a key without a certificate was answered %v", err)
	}
	k := Key{URL: "http://127.0.0.1:8080", Token: "secret"}
	if err := k.write(dir); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, keyFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key is saved as %v, %v", info.Mode(), err)
	}
	if got, err := ReadKey(dir); err != nil || got != k {
		t.Errorf("it reads back as %+v, %v", got, err)
	}
	k.remove(dir)
	if _, err := ReadKey(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing key was answered %v", err)
	}
}

func TestADataDirectoryThatOthersMayWriteToIsWarnedOf(t *testing.T) {
	dir := t.TempDir()
	for mode, warned := range map[os.FileMode]bool{0o700: false, 0o755: false, 0o775: true, 0o777: true} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		warnOfOthers(dir, slog.New(slog.NewTextHandler(&log, nil)))
		if strings.Contains(log.String(), "chmod go-w") != warned {
			t.Errorf("of a directory with mode %o the log says %q", mode, log.String())
		}
	}
}
