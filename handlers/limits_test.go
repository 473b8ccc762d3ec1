package handlers

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"mybot/session"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestNobodyAsksMoreThanTheirPace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := pace{buckets: map[netip.Prefix]bucket{}}
		asks := rapid.SliceOfN(rapid.Int64Range(0, int64(100*time.Millisecond)), 1, 400).Draw(t, "pauses")
		weight := rapid.SampledFrom([]float64{1, heavy}).Draw(t, "weight")
		now, passed := noon, 0.0
		for _, pause := range asks {
			now = now.Add(time.Duration(pause))
			wait, ok := p.take(now, netip.MustParseAddr("192.168.1.50"), weight)
			if ok {
				passed += weight
			} else if _, ok := p.take(now.Add(wait+time.Microsecond), netip.MustParseAddr("192.168.1.50"), weight); !ok {
				t.Fatalf("after the %v it was told to wait it may not ask", wait)
			} else {
				now, passed = now.Add(wait+time.Microsecond), passed+weight
			}
			if most := requestsAtOnce + now.Sub(noon).Seconds()*requestsPerSecond; passed > most+1 {
				t.Fatalf("requests of the weight %g passed in %v", passed, now.Sub(noon))
			}
		}
	})
}

func TestManyAddressesDoNotFillTheMemory(t *testing.T) {
	p := pace{buckets: map[netip.Prefix]bucket{}}
	address := netip.MustParseAddr("10.0.0.0")
	passed := 0
	for range 10 * mostAddresses {
		if address = address.Next(); true {
			if _, ok := p.take(noon, address, 1); ok {
				passed++
			}
		}
	}
	if len(p.buckets) > mostAddresses+1 || passed > mostAddresses+requestsAtOnce {
		t.Errorf("%d addresses are remembered and %d requests passed", len(p.buckets), passed)
	}
	if _, ok := p.take(noon.Add(time.Minute), address, 1); !ok {
		t.Error("a minute later a new address is still refused")
	}
	if len(p.buckets) > 2 {
		t.Errorf("%d addresses are remembered a minute later", len(p.buckets))
	}
}

func TestWhoHasAWholeNetworkOfIPv6IsOneAddress(t *testing.T) {
	if a, b := neighbourhood(netip.MustParseAddr("2001:db8::1")), neighbourhood(netip.MustParseAddr("2001:db8::ffff:1")); a != b {
		t.Errorf("%v and %v are two", a, b)
	}
	if a, b := neighbourhood(netip.MustParseAddr("192.168.1.1")), neighbourhood(netip.MustParseAddr("192.168.1.2")); a == b {
		t.Error("two of IPv4 are one")
	}
}

func TestAFloodIsRefusedAndAStopIsNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		operator := d.paired(t, session.Operator)
		far := func(r *http.Request) { r.RemoteAddr = "192.168.1.50:1" }
		answers := map[int]int{}
		for range 20_000 {
			got := d.ask("GET", "/healthz", far)
			answers[got.StatusCode]++
			if got.StatusCode == http.StatusTooManyRequests && got.Header.Get("Retry-After") == "" {
				t.Fatal("it is not told when to ask again")
			}
		}
		if answers[http.StatusOK] != requestsAtOnce || answers[http.StatusTooManyRequests] != 20_000-requestsAtOnce {
			t.Errorf("the answers are %v", answers)
		}
		for _, path := range []string{"/stop", "/api/v1/stop"} {
			if got := d.ask("POST", path, far, with("Authorization", "Bearer "+operator)); got.StatusCode >= 400 {
				t.Errorf("%s of somebody who is in is answered %s under the flood", path, got.Status)
			}
			if got := d.ask("POST", path, far); got.StatusCode != http.StatusTooManyRequests {
				t.Errorf("%s of a stranger is answered %s", path, got.Status)
			}
		}
		if n := len(d.robot.stoppedBy()); n != 2 {
			t.Errorf("the robot was stopped %d times, want 2", n)
		}
		if got := d.ask("GET", "/healthz", func(r *http.Request) { r.RemoteAddr = "192.168.1.51:1" }); got.StatusCode != http.StatusOK {
			t.Errorf("another address is answered %s", got.Status)
		}
		for range 1000 {
			if got := d.ask("GET", "/healthz"); got.StatusCode != http.StatusOK {
				t.Fatalf("this computer is answered %s", got.Status)
			}
		}
	})
}

func TestWhatIsMuchWorkIsDoneSeldomForOneAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		far := func(r *http.Request) { r.RemoteAddr = "192.168.1.50:1" }
		observer := with("Authorization", "Bearer "+d.paired(t, session.Observer))
		ask := func(seconds int) (done int) {
			for range seconds * 100 {
				if d.ask("GET", motionsPath+"/1", far, observer).StatusCode != http.StatusTooManyRequests {
					done++
				}
				time.Sleep(10 * time.Millisecond)
			}
			return done
		}
		ask(10)
		if done := ask(60); done < 59 || done > 61 {
			t.Errorf("somebody who only watches had %d motions read in a minute, want one a second", done)
		}
	})
}

func TestOneAddressHasOnlySoManyConnections(t *testing.T) {
	d := newDesk(t, func(c *Config) {
		c.Limits = Limits{Sockets: 10, PerAddress: 3}
		c.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	})
	w := &wire{conns: make(chan net.Conn, 5000)}
	ln := d.Limit(w)
	come := func(n int, address string) (kept []net.Conn) {
		t.Helper()
		var pages []net.Conn
		for range n {
			page, server := net.Pipe()
			pages = append(pages, page)
			w.conns <- farEnd{server, net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address))}
		}
		close(w.conns)
		for {
			conn, err := ln.Accept()
			if errors.Is(err, net.ErrClosed) {
				break
			}
			kept = append(kept, conn)
		}
		w.conns = make(chan net.Conn, 5000)
		t.Cleanup(func() {
			for _, p := range pages {
				_ = p.Close()
			}
		})
		return kept
	}
	first := come(200, "192.168.1.50:1")
	if len(first) != 3+besideAddress {
		t.Errorf("%d connections of one address are kept, want %d", len(first), 3+besideAddress)
	}
	if other := come(5, "192.168.1.51:1"); len(other) != 5 {
		t.Errorf("%d connections of another address are kept, want 5", len(other))
	}
	for _, c := range first[:7] {
		if err := errors.Join(c.Close(), c.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if again := come(20, "192.168.1.50:1"); len(again) != 7 {
		t.Errorf("after 7 were closed %d more are kept", len(again))
	}
	here := come(300, "127.0.0.1:1")
	proxied := come(300, "10.1.2.3:1")
	if len(here) != 300 || len(proxied) != 300 {
		t.Errorf("%d connections of this computer and %d of a trusted proxy are kept, want 300 each", len(here), len(proxied))
	}
	come(2000, "127.0.0.1:1")
	if l := ln.(*limited); l.all != 10+beside {
		t.Errorf("%d connections are open, want no more than %d", l.all, 10+beside)
	}
}
