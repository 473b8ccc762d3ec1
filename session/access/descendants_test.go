package access

import (
	"slices"
	"testing"

	"mybot/session"
)

// Ana, an admin, invites Ben, who invites Cem and shares a link with Dan and
// Eva; Fay came by Ana's own PIN.
func TestRevokingAUserReachesAllWhoCameByTheirLinks(t *testing.T) {
	d, store := newTestAuthenticator(t)
	come := func(code, name string) Grant {
		t.Helper()
		_, g, err := d.Redeem(noon, "10.0.0.1", code, name)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	pin := must[string](t)(d.PIN())
	ana, fay := come(pin, "Ana"), come(pin, "Fay")
	ben := come(must[string](t)(d.OneTime(noon, session.Admin, ana.ID)), "Ben")
	cem := come(must[string](t)(d.OneTime(noon, session.Admin, ben.ID)), "Cem")
	share := must[string](t)(d.Share(noon, false, ben.ID))
	dan, eva := come(share, "Dan"), come(share, "Eva")
	sorted := func(gs ...Grant) (ids []string) {
		for _, g := range gs {
			ids = append(ids, g.ID)
		}
		slices.Sort(ids)
		return ids
	}
	check := func(what string, got, want []string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("with %s go %v, not %v", what, got, want)
		}
	}
	check("Ben", d.descendants(ben.ID, false), sorted(cem, dan, eva))
	check("Ana", d.descendants(ana.ID, false), sorted(ben, cem, dan, eva))
	check("Ana and all by the PIN", d.descendants(ana.ID, true), sorted(ben, cem, dan, eva, fay))
	check("Dan's link", d.descendants(dan.ID, true), sorted(eva))
	check("Dan", d.descendants(dan.ID, false), nil)

	again := come(must[string](t)(d.OneTime(noon, session.Admin, "")), "Ben")
	must[Grant](t)(d.Replace(ben.ID, again.ID)) // the same browser has paired again
	check("Ben's new grant", d.descendants(again.ID, false), sorted(cem, dan, eva))
	reopened := must[*Authenticator](t)(NewAuthenticator(store))
	check("Ben's new grant after a restart", reopened.descendants(again.ID, false), sorted(cem, dan, eva))
}
