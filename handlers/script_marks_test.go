package handlers

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mybot/session"
)

// permitted says that the scripts of its ids stand by.
type permitted map[string]bool

func (s permitted) StandsBy(id string) bool { return s[id] }

func TestTheMarksOfAScriptAreSetBySwitches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, shelf := &stage{}, &scriptShelf{}
		d := newTestServer(t, withStage(t, s, shelf), func(c *Config) { c.Scripts.Standby = permitted{"other": true} })
		token := d.paired(t, session.Admin)
		grant, _ := d.access.Lookup(time.Now(), token)
		admin := as(token)
		want := func(status int, method, path, sent, say string, with ...func(*http.Request)) {
			t.Helper()
			got := d.ask(method, "/api/v1/scripts"+path, append(with, body(sent))...)
			if answer := text(t, got); got.StatusCode != status || !strings.Contains(answer, say) {
				t.Errorf("%s %s %s is answered %s: %s", method, path, sent, got.Status, answer)
			}
		}
		want(201, "POST", "", batteryScript, `"starts":false,"stands_by":false`)
		want(400, "POST", "", `{"name":"Low","text":"","starts":true}`, `"starts"`) // no file brings marks
		want(200, "POST", "/low_battery/starts", `{"on":true}`, `"revision":1,`)
		want(200, "GET", "", "", `"starts":true,"stands_by":false`)
		want(400, "POST", "/low_battery/starts", `{}`, `The body has no "on"`)
		want(404, "POST", "/other/starts", `{"on":true}`, `There is no script "other"`)
		want(403, "POST", "/low_battery/stands_by", `{"on":true}`, "")
		want(409, "POST", "/low_battery/stands_by", `{"on":true,"revision":7}`, "Someone else has saved this script.", admin)
		want(200, "POST", "/low_battery/stands_by", `{"on":true,"revision":1}`, `"starts":true`, admin)
		want(200, "GET", "/low_battery", "", `"starts":true,"stands_by":false`) // as Standby says
		if by, _, ok := d.cfg.Scripts.Library.StandbyOf("low_battery"); !ok || by != grant.ID {
			t.Errorf("it is permitted by %q", by)
		}
		d.sendAway(grant, "a test", "revoked")
		if _, _, ok := d.cfg.Scripts.Library.StandbyOf("low_battery"); ok {
			t.Error("it stands by after the access of the admin has ended")
		}
		want(200, "POST", "/low_battery/starts", `{"on":false}`, `"starts":false`)
		log := d.audit.all()
		for _, line := range []string{
			`The script "Low battery" now starts with the robot.`, `The script "Low battery" now stands by: it may continue by itself after a visitor.`,
			`The script "Low battery" no longer stands by: the access of the admin who permitted it has ended.`, `The script "Low battery" no longer starts with the robot.`,
		} {
			if !strings.Contains(log, line) {
				t.Errorf("the audit log has no line %s:\n%s", line, log)
			}
		}
	})
}
