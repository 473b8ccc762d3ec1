package handlers

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"mybot/session/access"
)

// Time servers can be forged, and a robot whose clock has no battery starts in
// 1970: here the computer's clock changes while the program runs.
func TestWhoIsInNeitherGoesNorStaysLongerWhenTheComputersClockIsSet(t *testing.T) {
	for name, change := range map[string]time.Duration{"back to 1970": 30 * 365 * 24 * time.Hour, "30 years ahead": -30 * 365 * 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := wide(t, func(c *Config) { c.Began = time.Now().Add(change) })
				came := func(code string) string { return cookieIn(t, d.show(code, "Ana")).Value }
				is := func(token string, want int) {
					t.Helper()
					if got := d.ask("GET", "/api/v1/map", far, with("Cookie", "mybot="+token)); got.StatusCode != want {
						t.Errorf("it is answered %s, want %d", got.Status, want)
					}
				}
				pin, err := d.access.PIN()
				if err != nil {
					t.Fatal(err)
				}
				ana := came(pin)
				code, err := d.access.Share(d.clock.now(), false, "")
				if err != nil {
					t.Fatal(err)
				}
				jin := came(code)
				time.Sleep(access.ShareLife - time.Hour)
				is(ana, http.StatusOK)
				is(jin, http.StatusOK)
				time.Sleep(2 * time.Hour)
				is(ana, http.StatusOK)
				is(jin, http.StatusUnauthorized)
				if got := d.show(code, "Eve"); got.StatusCode != http.StatusForbidden {
					t.Errorf("a link that has ended is answered %s", got.Status)
				}
				time.Sleep(access.GrantLife - access.ShareLife)
				is(ana, http.StatusUnauthorized)
			})
		})
	}
}
