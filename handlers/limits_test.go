package handlers

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"mybot/ratelimit"
	"mybot/session"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestNoUserAsksMoreThanTheirRateAllows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rateLimiter{buckets: map[payer]ratelimit.Bucket{}}
		asks := rapid.SliceOfN(rapid.Int64Range(0, int64(100*time.Millisecond)), 1, 400).Draw(t, "pauses")
		weight := rapid.SampledFrom([]float64{1, heavy}).Draw(t, "weight")
		now, passed := noon, 0.0
		for _, pause := range asks {
			now = now.Add(time.Duration(pause))
			wait, ok := p.takeTokens(now, payer{from: netip.MustParsePrefix("192.168.1.50/32")}, weight)
			if ok {
				passed += weight
			} else if _, ok := p.takeTokens(now.Add(wait+time.Microsecond), payer{from: netip.MustParsePrefix("192.168.1.50/32")}, weight); !ok {
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
	p := rateLimiter{buckets: map[payer]ratelimit.Bucket{}}
	address := netip.MustParseAddr("10.0.0.0")
	passed := 0
	for range 10 * maxPayers {
		if address = address.Next(); true {
			if _, ok := p.takeTokens(noon, payer{from: ratelimit.Network(address)}, 1); ok {
				passed++
			}
		}
	}
	if len(p.buckets) > maxPayers+1 || passed > maxPayers+requestsAtOnce {
		t.Errorf("%d addresses are remembered and %d requests passed", len(p.buckets), passed)
	}
	if _, ok := p.takeTokens(noon.Add(time.Minute), payer{from: ratelimit.Network(address)}, 1); !ok {
		t.Error("a minute later a new address is still refused")
	}
	if len(p.buckets) > 2 {
		t.Errorf("%d addresses are remembered a minute later", len(p.buckets))
	}
}

func TestWhoHasAWholeNetworkOfIPv6IsOneAddress(t *testing.T) {
	if a, b := ratelimit.Network(netip.MustParseAddr("2001:db8::1")), ratelimit.Network(netip.MustParseAddr("2001:db8::ffff:1")); a != b {
		t.Errorf("%v and %v are two", a, b)
	}
	if a, b := ratelimit.Network(netip.MustParseAddr("192.168.1.1")), ratelimit.Network(netip.MustParseAddr("192.168.1.2")); a == b {
		t.Error("two of IPv4 are one")
	}
}

func TestAFloodIsRefusedAndAStopIsNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newTestServer(t)
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
		d := newTestServer(t)
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

func TestAStrangerAtTheSameAddressKeepsNoUserOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := wide(t)
		operator, observer := with("Authorization", "Bearer "+d.paired(t, session.Operator)), with("Authorization", "Bearer "+d.paired(t, session.Observer))
		link, err := d.access.OneTime(time.Now(), session.Operator, "")
		if err != nil {
			t.Fatal(err)
		}
		for range 5 * requestsAtOnce {
			d.show("00000000", "Eve")
			d.ask("GET", "/pair", far)
		}
		if got := d.ask("GET", "/pair", far); got.StatusCode != http.StatusTooManyRequests {
			t.Fatalf("the stranger is answered %s", got.Status)
		}
		for range 40 {
			for _, path := range []string{"/", "/api/v1/robot"} {
				if got := d.ask("GET", path, far, operator); got.StatusCode != http.StatusOK {
					t.Fatalf("%s of an operator at the stranger's address is answered %s", path, got.Status)
				}
			}
			if got := d.ask("GET", "/ws", far, operator); got.StatusCode != http.StatusUpgradeRequired {
				t.Fatalf("the WebSocket of an operator at the stranger's address is answered %s", got.Status)
			}
		}
		if got := d.ask("GET", "/api/v1/robot", far, observer); got.StatusCode != http.StatusOK {
			t.Errorf("an observer pays for an operator: %s", got.Status)
		}
		if got := d.ask("GET", "/pair?code="+link, far); got.StatusCode != http.StatusOK {
			t.Errorf("the page of a good link is answered %s", got.Status)
		}
		if got := d.show(link, "Ana"); got.StatusCode != http.StatusSeeOther {
			t.Errorf("a good link from the stranger's address is answered %s", got.Status)
		}
		if got := d.show(link, "Eve"); got.StatusCode != http.StatusTooManyRequests {
			t.Errorf("a link that is used up is answered %s", got.Status)
		}
		// The limit for one's own grant is a rate, too.
		refused := 0
		for range 5 * requestsAtOnce {
			if d.ask("GET", "/api/v1/robot", far, observer).StatusCode == http.StatusTooManyRequests {
				refused++
			}
		}
		if refused < 3*requestsAtOnce {
			t.Errorf("of %d requests of an observer at once %d were refused", 5*requestsAtOnce, refused)
		}
	})
}

func TestAnObserverWhoseLinkIsUnknownIsToldOfTheDevice(t *testing.T) {
	q := quota{of: "screens", max: 2}
	id := session.Identity{Role: session.Observer, Grant: "old"}
	if leave, _ := q.take(id.Sharer()); leave == nil {
		t.Fatal("the first gets no place")
	}
	leave, has := q.take(id.Sharer())
	if leave != nil {
		t.Fatal("one device gets both places")
	}
	if _, says := q.refuse(id, has); !strings.HasPrefix(says, "This device has 1 screens already") {
		t.Errorf("the answer is %q", says)
	}
}
