package handlers

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pion/webrtc/v3"

	"mybot/session"
	"mybot/session/access"
)

// viewersBecome waits until n viewers get the picture, for a limited time.
func (d *testServer) viewersBecome(most time.Duration, want int) bool {
	late := time.NewTimer(most)
	defer late.Stop()
	every := time.NewTicker(5 * time.Millisecond)
	defer every.Stop()
	for d.cfg.Broadcaster.CountViewers() != want {
		select {
		case <-every.C:
		case <-late.C:
			return false
		}
	}
	return true
}

// A user whose access is revoked loses the picture at once: not when the
// broadcaster next checks for expired access, which it does every two seconds.
func TestWhoWatchesSeesNothingMoreOnceRevoked(t *testing.T) {
	d := seeing(t)
	admin := d.paired(t, session.Admin)
	for range 3 {
		code, err := d.access.Share(time.Now(), true, "")
		if err != nil {
			t.Fatal(err)
		}
		token, grant, err := d.access.Redeem(time.Now(), "test", code, "Bo")
		if err != nil {
			t.Fatal(err)
		}
		p := watcher(t)
		got := d.ask("POST", "/whep", as(token), saying("application/sdp", p.offer))
		opened(t, got)
		if err := p.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: text(t, got)}); err != nil {
			t.Fatal(err)
		}
		if !d.viewersBecome(20*time.Second, 1) {
			t.Fatal("nobody sees a picture")
		}
		if got := d.ask("DELETE", "/api/v1/users/"+grant.ID, as(admin)); got.StatusCode != http.StatusOK {
			t.Fatalf("revoking is answered %s", got.Status)
		}
		if !d.viewersBecome(500*time.Millisecond, 0) {
			t.Error("half a second after it was revoked the picture is still sent")
		}
	}
}

// revocations calls told for each entry about a revocation.
type revocations struct {
	notes
	told func()
}

func (n *revocations) AppendEntry(at time.Time, kind, who, text string) {
	if n.notes.AppendEntry(at, kind, who, text); strings.Contains(text, "was revoked") {
		n.told()
	}
}

// Eve has invited Fay, who has invited Gus. If their access did not end together, those
// who are left could let in the next device while the first are being revoked.
func TestWhoCameByTheLinksOfARevokedUserEndsInTheSameStep(t *testing.T) {
	for query, others := range map[string]int{"": 2, "?alone": 0, "?link": 2} {
		audit := &revocations{}
		d := wide(t, func(c *Config) { c.Audit = audit })
		admin := d.paired(t, session.Admin)
		var tokens []string
		var first access.Grant
		maker := ""
		for range 3 {
			code, err := d.access.OneTime(time.Now(), session.Admin, maker)
			if err != nil {
				t.Fatal(err)
			}
			token, g, err := d.access.Redeem(time.Now(), "test", code, "")
			if err != nil {
				t.Fatal(err)
			}
			if maker == "" {
				first = g
			}
			maker, tokens = g.ID, append(tokens, token)
		}
		entries := 0
		audit.told = func() {
			entries++
			for i, token := range tokens {
				if _, in := d.access.Lookup(time.Now(), token); in && i <= others {
					t.Errorf("%q: after entry %d of the audit log device %d is still let in", query, entries, i)
				}
			}
		}
		if got := d.ask("DELETE", "/api/v1/users/"+first.ID+query, far, as(admin)); got.StatusCode != http.StatusOK {
			t.Fatalf("%q is answered %s", query, got.Status)
		}
		if left := len(d.access.Grants(time.Now())); entries != 1+others || left != 3-others {
			t.Errorf("%q: %d entries in the audit log, and %d devices are left", query, entries, left)
		}
	}
}
