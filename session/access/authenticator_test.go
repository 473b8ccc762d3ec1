package access

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"mybot/session"
	"mybot/session/protocol"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// fakeStore is a GrantStore in memory that can be made to fail.
type fakeStore struct {
	grants map[string]Grant
	err    error
}

func (s *fakeStore) Grants() ([]Grant, error) { return slices.Collect(maps.Values(s.grants)), s.err }
func (s *fakeStore) PutGrant(g Grant) error {
	if s.err == nil {
		s.grants[g.ID] = g
	}
	return s.err
}

func (s *fakeStore) DeleteGrant(id string) error {
	if s.err == nil {
		delete(s.grants, id)
	}
	return s.err
}

func newTestAuthenticator(t *testing.T) (*Authenticator, *fakeStore) {
	t.Helper()
	store := &fakeStore{grants: map[string]Grant{}}
	d, err := NewAuthenticator(store)
	if err != nil {
		t.Fatal(err)
	}
	return d, store
}

// must fails the test on an error.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestThePINMakesOperators(t *testing.T) {
	d, _ := newTestAuthenticator(t)
	pin := must[string](t)(d.PIN())
	if len(pin) != pinDigits {
		t.Fatalf("the PIN %q has %d digits", pin, len(pin))
	}
	for i, typed := range []string{pin, pin[:4] + " " + pin[4:], pin[:4] + "-" + pin[4:] + " "} {
		token, g, err := d.Redeem(noon, "10.0.0.1", typed, "Ana")
		if err != nil {
			t.Fatalf("%q was refused: %v", typed, err)
		}
		if g.Role != session.Operator || g.Name != "Ana" || !g.Camera {
			t.Errorf("time %d gave %+v, want an operator called Ana with the camera", i, g)
		}
		if seen, ok := d.Lookup(noon, token); !ok || seen != g {
			t.Errorf("the token is not known: %+v %v", seen, ok)
		}
	}
}

func TestTheConsoleLinkMakesOneAdminInTime(t *testing.T) {
	d, _ := newTestAuthenticator(t)
	link := must[string](t)(d.OneTime(noon, session.Admin, ""))
	late := must[string](t)(d.OneTime(noon, session.Admin, ""))
	if _, g, err := d.Redeem(noon.Add(OneTimeLife-time.Second), "10.0.0.1", link, ""); err != nil || g.Role != session.Admin {
		t.Fatalf("the link gave %+v, %v, want an admin", g, err)
	}
	if _, _, err := d.Redeem(noon, "10.0.0.1", link, ""); !errors.Is(err, ErrCode) {
		t.Errorf("the link was taken twice: %v", err)
	}
	if _, _, err := d.Redeem(noon.Add(OneTimeLife), "10.0.0.1", late, ""); !errors.Is(err, ErrCode) {
		t.Errorf("a link of ten minutes ago was taken: %v", err)
	}
}

func TestAShareLinkMakesObserversUntilItEnds(t *testing.T) {
	d, _ := newTestAuthenticator(t)
	link := must[string](t)(d.Share(noon, false, ""))
	first, g, err := d.Redeem(noon, "10.0.0.1", link, "")
	if err != nil || g.Role != session.Observer || g.Camera {
		t.Fatalf("the link gave %+v, %v, want an observer without the camera", g, err)
	}
	if _, _, err := d.Redeem(noon.Add(time.Hour), "10.0.0.2", link, ""); err != nil {
		t.Errorf("the second person was refused: %v", err)
	}
	if _, ok := d.Lookup(noon.Add(ShareLife-1), first); !ok {
		t.Error("the observer was sent away before the link's end")
	}
	if _, ok := d.Lookup(noon.Add(ShareLife), first); ok {
		t.Error("the observer outlives the link")
	}
}

func TestGuessingIsSlow(t *testing.T) {
	t.Run("five a minute from one address", func(t *testing.T) {
		d, _ := newTestAuthenticator(t)
		pin := must[string](t)(d.PIN())
		for i := range addressLimit {
			if _, _, err := d.Redeem(noon, "10.0.0.1", fmt.Sprint("wrong", i), ""); !errors.Is(err, ErrCode) {
				t.Fatalf("guess %d: %v", i, err)
			}
		}
		if _, _, err := d.Redeem(noon.Add(59*time.Second), "10.0.0.1", pin, ""); !errors.Is(err, ErrGuess) || !strings.Contains(err.Error(), "try again in 1s") {
			t.Errorf("the right code within the minute: %v, want a refusal with the wait", err)
		}
		if _, _, err := d.Redeem(noon, "10.0.0.2", pin, ""); err != nil {
			t.Errorf("another address was refused too: %v", err)
		}
		if _, _, err := d.Redeem(noon.Add(time.Minute), "10.0.0.1", pin, ""); err != nil {
			t.Errorf("a minute later: %v", err)
		}
	})
	t.Run("twenty an hour in all", func(t *testing.T) {
		d, _ := newTestAuthenticator(t)
		pin := must[string](t)(d.PIN())
		for i := range 20 { // the number that SECURITY.md promises
			if _, _, err := d.Redeem(noon, fmt.Sprint("10.0.0.", i), "wrong", ""); !errors.Is(err, ErrCode) {
				t.Fatalf("guess %d: %v", i, err)
			}
		}
		if _, _, err := d.Redeem(noon.Add(time.Hour-1), "10.0.1.1", pin, ""); !errors.Is(err, ErrGuess) {
			t.Errorf("the twenty-first within the hour: %v", err)
		}
		for name, link := range map[string]string{"a share link": must[string](t)(d.Share(noon, false, "")), "an invitation": must[string](t)(d.OneTime(noon.Add(time.Hour-2), session.Admin, ""))} {
			if _, _, err := d.Redeem(noon.Add(time.Hour-1), "10.0.1.1", link, ""); err != nil {
				t.Errorf("who guesses PINs keeps %s from being used: %v", name, err)
			}
		}
		if _, _, err := d.Redeem(noon.Add(time.Hour), "10.0.1.1", pin, ""); err != nil {
			t.Errorf("an hour later: %v", err)
		}
	})
}

func TestGrantsLastOverARestartAndOnlyTheirHashIsKept(t *testing.T) {
	d, store := newTestAuthenticator(t)
	pin := must[string](t)(d.PIN())
	token, g, err := d.Redeem(noon, "10.0.0.1", pin, "Ana")
	if err != nil {
		t.Fatal(err)
	}
	kept := must[[]byte](t)(json.Marshal(store.grants))
	if strings.Contains(string(kept), token) || strings.Contains(string(kept), pin) {
		t.Errorf("the book holds a secret: %s", kept)
	}
	again := must[*Authenticator](t)(NewAuthenticator(store))
	if seen, ok := again.Lookup(noon.Add(time.Hour), token); !ok || seen != g {
		t.Errorf("after a restart the token gives %+v %v, want %+v", seen, ok, g)
	}
	if _, _, err := again.Redeem(noon, "10.0.0.1", pin, ""); !errors.Is(err, ErrCode) {
		t.Errorf("the PIN outlives the robot's program: %v", err)
	}
	if _, ok := again.Lookup(noon.Add(GrantLife), token); ok {
		t.Error("a grant lives for ever")
	}
}

func TestARevokedTokenIsWorthNothingAtOnce(t *testing.T) {
	d, store := newTestAuthenticator(t)
	pin := must[string](t)(d.PIN())
	token, g, err := d.Redeem(noon, "10.0.0.1", pin, "Ana")
	if err != nil {
		t.Fatal(err)
	}
	if list := d.Grants(noon); len(list) != 1 || list[0] != g {
		t.Errorf("the list is %+v", list)
	}
	must[Grant](t)(d.Revoke(g.ID))
	if _, ok := d.Lookup(noon, token); ok || len(store.grants) != 0 || len(d.Grants(noon)) != 0 {
		t.Error("the grant is still there")
	}
	if _, err := d.Revoke(g.ID); !errors.Is(err, ErrToken) {
		t.Errorf("revoking twice: %v", err)
	}
}

func TestADiskThatFailsGivesNoGrant(t *testing.T) {
	d, store := newTestAuthenticator(t)
	pin := must[string](t)(d.PIN())
	store.err = errors.New("disk full")
	if _, _, err := d.Redeem(noon, "10.0.0.1", pin, ""); !errors.Is(err, store.err) {
		t.Errorf("Redeem says %v", err)
	}
	if len(d.Grants(noon)) != 0 {
		t.Error("somebody came in whom a restart would forget")
	}
}

func TestARevokedAccessEndsAlsoWhenTheDiskFails(t *testing.T) {
	d, store := newTestAuthenticator(t)
	pin := must[string](t)(d.PIN())
	token, g, err := d.Redeem(noon, "10.0.0.1", pin, "")
	if err != nil {
		t.Fatal(err)
	}
	store.err = errors.New("disk full")
	if got, err := d.Revoke(g.ID); !errors.Is(err, store.err) || got != g {
		t.Errorf("Revoke says %+v, %v", got, err)
	}
	if _, ok := d.Lookup(noon, token); ok || len(d.Grants(noon)) != 0 {
		t.Error("who was sent away is still let in")
	}
	store.err = nil
	if _, err := d.Revoke(g.ID); err != nil || len(store.grants) != 0 {
		t.Errorf("with room on the disk, revoking again says %v, and the book holds %d", err, len(store.grants))
	}
	if _, err := d.Revoke(g.ID); !errors.Is(err, ErrToken) {
		t.Errorf("and a third time: %v", err)
	}
}

// A slow store blocks each write until the test releases it.
type slow struct {
	*fakeStore
	begun, goOn chan struct{}
}

func (s slow) PutGrant(g Grant) error {
	s.begun <- struct{}{}
	<-s.goOn
	return s.fakeStore.PutGrant(g)
}

func TestADiskThatHangsKeepsNoUserOut(t *testing.T) {
	store := slow{&fakeStore{grants: map[string]Grant{}}, make(chan struct{}, 2), make(chan struct{}, 2)}
	d, err := NewAuthenticator(store)
	if err != nil {
		t.Fatal(err)
	}
	pin := must[string](t)(d.PIN())
	store.goOn <- struct{}{}
	token, _, err := d.Redeem(noon, "10.0.0.1", pin, "")
	if err != nil {
		t.Fatal(err)
	}
	<-store.begun
	paired, looked := make(chan error, 1), make(chan bool, 1)
	go func() {
		_, _, err := d.Redeem(noon, "10.0.0.2", pin, "")
		paired <- err
	}()
	<-store.begun
	go func() {
		_, ok := d.Lookup(noon, token)
		looked <- ok && len(d.Grants(noon)) == 1
	}()
	select {
	case ok := <-looked:
		if !ok {
			t.Error("who is in is not known")
		}
	case <-time.After(10 * time.Second):
		t.Error("who is in waits for the disk: a STOP would")
	}
	store.goOn <- struct{}{}
	if err := <-paired; err != nil {
		t.Error(err)
	}
}

func TestAPersonWhoIsSentAwayDoesNotComeBackByTheSamePath(t *testing.T) {
	d, _ := newTestAuthenticator(t)
	enter := func(code string) (string, Grant, error) { return d.Redeem(noon, "10.0.0.1", code, "") }
	pin, link, other := must[string](t)(d.PIN()), must[string](t)(d.Share(noon, true, "")), must[string](t)(d.Share(noon, false, ""))
	for name, code := range map[string]string{"the PIN": pin, "a share link": link} {
		_, g, err := enter(code)
		if err != nil {
			t.Fatal(err)
		}
		again, h, err := enter(code)
		if err != nil {
			t.Fatal(err)
		}
		must[Grant](t)(d.Replace(h.ID, g.ID)) // the same browser has paired again
		if _, _, err := enter(code); err != nil {
			t.Errorf("who pairs anew ends %s for the others: %v", name, err)
		}
		must[Grant](t)(d.Revoke(g.ID))
		if _, _, err := enter(code); !errors.Is(err, ErrCode) {
			t.Errorf("who was sent away comes back by %s: %v", name, err)
		}
		if _, ok := d.Lookup(noon, again); ok {
			t.Error("a grant that was replaced is still good")
		}
	}
	if _, _, err := enter(other); err != nil {
		t.Errorf("a link that nobody misused has ended too: %v", err)
	}
}

func TestTheLinksOfWhoIsSentAwayEndWithThem(t *testing.T) {
	d, _ := newTestAuthenticator(t)
	enter := func(code string) (Grant, error) {
		_, g, err := d.Redeem(noon, "10.0.0.1", code, "")
		return g, err
	}
	first, err := enter(must[string](t)(d.OneTime(noon, session.Admin, "")))
	if err != nil {
		t.Fatal(err)
	}
	theirs := []string{must[string](t)(d.Share(noon, true, first.ID)), must[string](t)(d.OneTime(noon, session.Admin, first.ID))}
	other, err := enter(must[string](t)(d.PIN()))
	if err != nil {
		t.Fatal(err)
	}
	kept := must[string](t)(d.Share(noon, false, other.ID))
	g, err := enter(must[string](t)(d.OneTime(noon, session.Admin, ""))) // the same browser, paired again
	if err != nil {
		t.Fatal(err)
	}
	must[Grant](t)(d.Replace(first.ID, g.ID))
	if _, err := enter(theirs[0]); err != nil {
		t.Errorf("a link ended when its maker paired anew: %v", err)
	}
	must[Grant](t)(d.Revoke(g.ID))
	for name, id := range map[string]string{"revoked": g.ID, "replaced": first.ID} {
		_, shared := d.Share(noon, true, id)
		if _, invited := d.OneTime(noon, session.Admin, id); !errors.Is(shared, ErrToken) || !errors.Is(invited, ErrToken) {
			t.Errorf("whose access was %s makes new links: %v, %v", name, shared, invited)
		}
	}
	for _, code := range theirs {
		if g, err := enter(code); !errors.Is(err, ErrCode) {
			t.Errorf("a link that they left behind makes %s: %v", g.Role, err)
		}
	}
	if _, err := enter(kept); err != nil {
		t.Errorf("somebody else's link has ended too: %v", err)
	}
	if _, err := d.Share(noon.Add(GrantLife), false, other.ID); !errors.Is(err, ErrToken) {
		t.Errorf("whose access has expired makes a new link: %v", err)
	}
}

func TestWhatIsNoTokenIsNoUser(t *testing.T) {
	d, _ := newTestAuthenticator(t)
	for _, token := range []string{"", "x", strings.Repeat("A", 43), strings.Repeat("A", 10000)} {
		if _, ok := d.Lookup(noon, token); ok {
			t.Errorf("%.20q is somebody", token)
		}
	}
}

func TestNamesAreCutToTwentyFourLetters(t *testing.T) {
	for in, want := range map[string]string{
		" Ana ":                         "Ana",
		strings.Repeat("é", 24):         strings.Repeat("é", 24),
		strings.Repeat("é", 24+9):       strings.Repeat("é", 24),
		"a\xffb":                        "ab",
		"\x1b[2J\aA\tn\na\u202e\u200b ": "[2JAna", // control sequences for a terminal
	} {
		if got := protocol.TidyName(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestTheListIsInTheOrderOfPairing(t *testing.T) {
	d, _ := newTestAuthenticator(t)
	pin := must[string](t)(d.PIN())
	var want []string
	for i := range 20 {
		_, g, err := d.Redeem(noon.Add(time.Duration(i/2)*time.Minute), "10.0.0.1", pin, "")
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, g.ID)
		if i%2 == 1 {
			slices.Sort(want[i-1:]) // of the same moment: by id
		}
	}
	var got []string
	for _, g := range d.Grants(noon.Add(GrantLife - 1)) {
		got = append(got, g.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the list is %v, want %v", got, want)
	}
	if rest := d.Grants(noon.Add(GrantLife)); len(rest) != 18 {
		t.Errorf("%d grants are left when two have ended, want 18", len(rest))
	}
}

func TestThereIsRoomForSoManyCodes(t *testing.T) {
	d, _ := newTestAuthenticator(t)
	for range maxCodes - reservedCodes {
		must[string](t)(d.Share(noon, false, ""))
	}
	if _, err := d.Share(noon, false, ""); err == nil {
		t.Error("there is no end of share links")
	}
	must[string](t)(d.OneTime(noon, session.Admin, ""))
	must[string](t)(d.PIN())
	for range reservedCodes - 2 {
		must[string](t)(d.OneTime(noon, session.Admin, ""))
	}
	if _, err := d.OneTime(noon, session.Admin, ""); err == nil {
		t.Error("there is no end of links")
	}
	if _, err := d.Share(noon.Add(ShareLife), false, ""); err != nil {
		t.Errorf("the links that have expired take up room: %v", err)
	}
}

func TestThereIsRoomForSoManyGrants(t *testing.T) {
	d, store := newTestAuthenticator(t)
	pin := must[string](t)(d.PIN())
	enter := func(now time.Time, code string) error {
		_, _, err := d.Redeem(now, "10.0.0.1", code, "")
		return err
	}
	observers := 0
	for range 11 { // link after link, each used up
		link := must[string](t)(d.Share(noon, false, ""))
		for range maxByShare {
			if enter(noon, link) == nil {
				observers++
			}
		}
		if err := enter(noon, link); err == nil {
			t.Fatal("there is no end of devices by one link")
		}
	}
	if observers != maxGrants-reservedGrants {
		t.Errorf("%d observers were let in, want %d", observers, maxGrants-reservedGrants)
	}
	const pause = 10 * time.Second // between two pairings by the PIN
	for i := range reservedGrants {
		if err := enter(noon.Add(time.Duration(i)*pause), pin); err != nil {
			t.Fatalf("the observers have left no room for those who drive: %v", err)
		}
	}
	if err := enter(noon, pin); err == nil || !strings.Contains(err.Error(), "mybot users") {
		t.Errorf("grant %d: %v", maxGrants+1, err)
	}
	later := noon.Add(ShareLife)
	for i := range maxGrants - reservedGrants {
		if err := enter(later.Add(time.Duration(i)*pause), pin); err != nil {
			t.Fatalf("grants that have expired take up room: %v", err)
		}
	}
	if len(store.grants) != maxGrants || len(d.grants) != maxGrants {
		t.Errorf("the store holds %d grants and the authenticator %d, want %d", len(store.grants), len(d.grants), maxGrants)
	}
}

func TestLinksThatAreUsedUpLeaveRoomForTheNextLink(t *testing.T) {
	d, _ := newTestAuthenticator(t)
	for i, want := range []int{250, 250, 200, 100, 50, 25} { // each link is used up before the next one is made
		link, devices := must[string](t)(d.Share(noon, false, "")), 0
		err := error(nil)
		for ; err == nil && devices <= maxByShare; devices++ {
			_, _, err = d.Redeem(noon, "10.0.0.1", link, "")
		}
		if devices--; devices != want || !strings.Contains(err.Error(), fmt.Sprintf("has already let in %d devices", want)) {
			t.Errorf("link %d lets in %d devices, want %d, and then says: %v", i+1, devices, want, err)
		}
	}
}

func TestGrantsThatCannotBeReadStartNoAuthenticator(t *testing.T) {
	if _, err := NewAuthenticator(&fakeStore{err: errors.New("torn page")}); err == nil {
		t.Error("the authenticator opened without its store")
	}
	for _, hash := range []string{"", "xyz", "00"} {
		if _, err := NewAuthenticator(&fakeStore{grants: map[string]Grant{"a": {ID: "a", Hash: hash}}}); err == nil {
			t.Errorf("the hash %q was taken", hash)
		}
	}
}

func TestALinkIsKnownAsLongAsItIsGoodAndAPINIsNone(t *testing.T) {
	d, _ := newTestAuthenticator(t)
	pin := must[string](t)(d.PIN())
	share, once := must[string](t)(d.Share(noon, false, "")), must[string](t)(d.OneTime(noon, session.Admin, ""))
	is := func(now time.Time, text string) string {
		id, ok := d.FindLink(now, text)
		if ok == (id == "") {
			t.Errorf("%q is a link: %v, with the id %q", text, ok, id)
		}
		return id
	}
	first := is(noon, share)
	for _, c := range []struct {
		name string
		now  time.Time
		text string
		want bool
	}{
		{"a share link", noon.Add(ShareLife - 1), share, true},
		{"a share link that has ended", noon.Add(ShareLife), share, false},
		{"an invitation", noon.Add(OneTimeLife - 1), once, true},
		{"an invitation of ten minutes ago", noon.Add(OneTimeLife), once, false},
		{"the PIN", noon, pin, false},
		{"something else", noon, "something else", false},
	} {
		if (is(c.now, c.text) != "") != c.want {
			t.Errorf("%s is a link: %v", c.name, !c.want)
		}
	}
	for range 2 { // looking a link up uses nothing up
		if _, g, err := d.Redeem(noon, "10.0.0.1", share, ""); err != nil || g.Code != first || is(noon, share) != first || is(noon, once) == first {
			t.Errorf("the link %s made %+v, %v", first, g, err)
		}
	}
	if _, _, err := d.Redeem(noon, "10.0.0.1", once, ""); err != nil || is(noon, once) != "" {
		t.Errorf("an invitation that was used is a link: %v", err)
	}
}

func TestWhoGuessesKeepsNoLinkFromBeingUsedAlsoWhenItIsTheOnlyCode(t *testing.T) {
	d, _ := newTestAuthenticator(t)
	link := must[string](t)(d.Share(noon, false, ""))
	for range addressLimit {
		if _, _, err := d.Redeem(noon, "10.0.0.1", "wrong", ""); !errors.Is(err, ErrCode) {
			t.Fatal(err)
		}
	}
	if _, _, err := d.Redeem(noon, "10.0.0.1", link, ""); err != nil {
		t.Error(err)
	}
}

// A deaf store fails to store grants, and counts deletions.
type deaf struct {
	*fakeStore
	deleted *int
	err     error
}

func (b deaf) PutGrant(g Grant) error {
	if b.err != nil {
		return b.err
	}
	return b.fakeStore.PutGrant(g)
}

func (b deaf) DeleteGrant(id string) error {
	*b.deleted++
	return b.fakeStore.DeleteGrant(id)
}

func TestAPairingWaitsForFewGrantsThatHaveExpired(t *testing.T) {
	deleted := 0
	d := must[*Authenticator](t)(NewAuthenticator(deaf{&fakeStore{grants: map[string]Grant{}}, &deleted, nil}))
	pin := must[string](t)(d.PIN())
	for range 10 {
		if _, _, err := d.Redeem(noon, "10.0.0.1", pin, ""); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []int{4, 8, 10, 10} {
		if _, _, err := d.Redeem(noon.Add(GrantLife), "10.0.0.1", pin, ""); err != nil || deleted != want {
			t.Errorf("%d are deleted, want %d, %v", deleted, want, err)
		}
	}
}

func TestALinkThatGoesOnUnderAnotherGrantReportsAStoreThatFails(t *testing.T) {
	deleted := 0
	store := &deaf{&fakeStore{grants: map[string]Grant{}}, &deleted, nil}
	d := must[*Authenticator](t)(NewAuthenticator(store))
	enter := func(code string) Grant {
		_, g, err := d.Redeem(noon, "10.0.0.1", code, "")
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	first := enter(must[string](t)(d.OneTime(noon, session.Admin, "")))
	child := enter(must[string](t)(d.Share(noon, true, first.ID)))
	second := enter(must[string](t)(d.OneTime(noon, session.Admin, "")))
	store.err = errors.New("disk full")
	if g, err := d.Replace(first.ID, second.ID); !errors.Is(err, store.err) || g.ID != first.ID {
		t.Errorf("Replace says %+v, %v", g, err)
	}
	if got := d.descendants(second.ID, false); !slices.Equal(got, []string{child.ID}) {
		t.Errorf("who came by the link of the first belongs to %v", got)
	}
}

func TestABrowserThatPairsAgainAndAgainByThePINMustWait(t *testing.T) {
	d, _ := newTestAuthenticator(t)
	pin, link := must[string](t)(d.PIN()), must[string](t)(d.OneTime(noon, session.Operator, ""))
	last := ""
	again := func(now time.Time) error {
		_, g, err := d.Redeem(now, "10.0.0.1", pin, "Eve")
		if err != nil {
			return err
		}
		if last != "" {
			_ = must[Grant](t)(d.Replace(last, g.ID))
		}
		last = g.ID
		return nil
	}
	for i := range 60 {
		if err := again(noon); err != nil {
			t.Fatalf("pairing %d: %v", i+1, err)
		}
	}
	if err := again(noon); !errors.Is(err, ErrOften) || !strings.Contains(err.Error(), "try again in 10s") {
		t.Errorf("the 61st pairing within a moment: %v", err)
	}
	if _, _, err := d.Redeem(noon, "10.0.0.2", link, "Ana"); err != nil {
		t.Errorf("and a link is refused: %v", err)
	}
	hour := 0
	for now := noon; now.Before(noon.Add(time.Hour)); now = now.Add(time.Second) {
		if again(now) == nil {
			hour++
		}
	}
	if hour < 350 || hour > 360 {
		t.Errorf("%d more pairings within an hour, want one each 10 s", hour)
	}
}
