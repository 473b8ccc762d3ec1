package handlers

import (
	"net/http"
	"testing"
	"time"

	"github.com/pion/webrtc/v3"

	"mybot/session"
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
