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
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// shelf is a Book in memory that can be told to fail.
type shelf struct {
	grants map[string]Grant
	err    error
}

func (s *shelf) Grants() ([]Grant, error) { return slices.Collect(maps.Values(s.grants)), s.err }
func (s *shelf) PutGrant(g Grant) error {
	if s.err == nil {
		s.grants[g.ID] = g
	}
	return s.err
}

func (s *shelf) DeleteGrant(id string) error {
	if s.err == nil {
		delete(s.grants, id)
	}
	return s.err
}

func newDesk(t *testing.T) (*Desk, *shelf) {
	t.Helper()
	book := &shelf{grants: map[string]Grant{}}
	d, err := NewDesk(book)
	if err != nil {
		t.Fatal(err)
	}
	return d, book
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
	d, _ := newDesk(t)
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
		if seen, ok := d.Look(noon, token); !ok || seen != g {
			t.Errorf("the token is not known: %+v %v", seen, ok)
		}
	}
}

func TestTheConsoleLinkMakesOneAdminInTime(t *testing.T) {
	d, _ := newDesk(t)
	link := must[string](t)(d.OneTime(noon, session.Admin))
	late := must[string](t)(d.OneTime(noon, session.Admin))
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
	d, _ := newDesk(t)
	link := must[string](t)(d.Share(noon, false))
	first, g, err := d.Redeem(noon, "10.0.0.1", link, "")
	if err != nil || g.Role != session.Observer || g.Camera {
		t.Fatalf("the link gave %+v, %v, want an observer without the camera", g, err)
	}
	if _, _, err := d.Redeem(noon.Add(time.Hour), "10.0.0.2", link, ""); err != nil {
		t.Errorf("the second person was refused: %v", err)
	}
	if _, ok := d.Look(noon.Add(ShareLife-1), first); !ok {
		t.Error("the observer was sent away before the link's end")
	}
	if _, ok := d.Look(noon.Add(ShareLife), first); ok {
		t.Error("the observer outlives the link")
	}
}

func TestGuessingIsSlow(t *testing.T) {
	t.Run("five a minute from one address", func(t *testing.T) {
		d, _ := newDesk(t)
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
		d, _ := newDesk(t)
		pin := must[string](t)(d.PIN())
		for i := range totalLimit {
			if _, _, err := d.Redeem(noon, fmt.Sprint("10.0.0.", i), "wrong", ""); !errors.Is(err, ErrCode) {
				t.Fatalf("guess %d: %v", i, err)
			}
		}
		if _, _, err := d.Redeem(noon.Add(time.Hour-1), "10.0.1.1", pin, ""); !errors.Is(err, ErrGuess) {
			t.Errorf("the twenty-first within the hour: %v", err)
		}
		if _, _, err := d.Redeem(noon.Add(time.Hour), "10.0.1.1", pin, ""); err != nil {
			t.Errorf("an hour later: %v", err)
		}
	})
}

func TestGrantsLastOverARestartAndOnlyTheirHashIsKept(t *testing.T) {
	d, book := newDesk(t)
	pin := must[string](t)(d.PIN())
	token, g, err := d.Redeem(noon, "10.0.0.1", pin, "Ana")
	if err != nil {
		t.Fatal(err)
	}
	kept := must[[]byte](t)(json.Marshal(book.grants))
	if strings.Contains(string(kept), token) || strings.Contains(string(kept), pin) {
		t.Errorf("the book holds a secret: %s", kept)
	}
	again := must[*Desk](t)(NewDesk(book))
	if seen, ok := again.Look(noon.Add(time.Hour), token); !ok || seen != g {
		t.Errorf("after a restart the token gives %+v %v, want %+v", seen, ok, g)
	}
	if _, _, err := again.Redeem(noon, "10.0.0.1", pin, ""); !errors.Is(err, ErrCode) {
		t.Errorf("the PIN outlives the robot's program: %v", err)
	}
	if _, ok := again.Look(noon.Add(GrantLife), token); ok {
		t.Error("a grant lives for ever")
	}
}

func TestARevokedTokenIsWorthNothingAtOnce(t *testing.T) {
	d, book := newDesk(t)
	pin := must[string](t)(d.PIN())
	token, g, err := d.Redeem(noon, "10.0.0.1", pin, "Ana")
	if err != nil {
		t.Fatal(err)
	}
	if list := d.Grants(noon); len(list) != 1 || list[0] != g {
		t.Errorf("the list is %+v", list)
	}
	must[Grant](t)(d.Revoke(g.ID))
	if _, ok := d.Look(noon, token); ok || len(book.grants) != 0 || len(d.Grants(noon)) != 0 {
		t.Error("the grant is still there")
	}
	if _, err := d.Revoke(g.ID); !errors.Is(err, ErrToken) {
		t.Errorf("revoking twice: %v", err)
	}
}

func TestADiskThatFailsGivesNoGrantAndKeepsWhatItCannotDelete(t *testing.T) {
	d, book := newDesk(t)
	pin := must[string](t)(d.PIN())
	token, g, err := d.Redeem(noon, "10.0.0.1", pin, "")
	if err != nil {
		t.Fatal(err)
	}
	book.err = errors.New("disk full")
	if _, _, err := d.Redeem(noon, "10.0.0.1", pin, ""); !errors.Is(err, book.err) {
		t.Errorf("Redeem says %v", err)
	}
	if _, err := d.Revoke(g.ID); !errors.Is(err, book.err) {
		t.Errorf("Revoke says %v", err)
	}
	if _, ok := d.Look(noon, token); !ok {
		t.Error("a grant that is still on the disk was forgotten")
	}
}

func TestWhatIsNoTokenIsNobody(t *testing.T) {
	d, _ := newDesk(t)
	for _, token := range []string{"", "x", strings.Repeat("A", 43), strings.Repeat("A", 10000)} {
		if _, ok := d.Look(noon, token); ok {
			t.Errorf("%.20q is somebody", token)
		}
	}
}

func TestNamesAreCutToTwentyFourLetters(t *testing.T) {
	for in, want := range map[string]string{
		" Ana ":                          "Ana",
		strings.Repeat("é", nameLimit):   strings.Repeat("é", nameLimit),
		strings.Repeat("é", nameLimit+9): strings.Repeat("é", nameLimit),
		"a\xffb":                         "ab",
	} {
		if got := shorten(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestTheListIsInTheOrderOfPairing(t *testing.T) {
	d, _ := newDesk(t)
	pin := must[string](t)(d.PIN())
	var want []string
	for i := range 20 {
		_, g, err := d.Redeem(noon.Add(time.Duration(i/2)*time.Minute), "10.0.0.1", pin, "")
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, g.ID)
		if i%2 == 1 {
			slices.Sort(want[i-1:]) // of the same moment: by their ids
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

func TestThereIsRoomForSoManyCodesAndGrants(t *testing.T) {
	d, _ := newDesk(t)
	pin := must[string](t)(d.PIN())
	for i := 1; i < mostCodes; i++ {
		must[string](t)(d.Share(noon, false))
	}
	if _, err := d.Share(noon, false); err == nil {
		t.Error("there is no end of codes")
	}
	for range mostGrants {
		if _, _, err := d.Redeem(noon, "10.0.0.1", pin, ""); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := d.Redeem(noon, "10.0.0.1", pin, ""); err == nil || !strings.Contains(err.Error(), "mybot users") {
		t.Errorf("grant %d: %v", mostGrants+1, err)
	}
}

func TestABookThatCannotBeReadOpensNoDesk(t *testing.T) {
	if _, err := NewDesk(&shelf{err: errors.New("torn page")}); err == nil {
		t.Error("the desk opened without its book")
	}
	for _, hash := range []string{"", "xyz", "00"} {
		if _, err := NewDesk(&shelf{grants: map[string]Grant{"a": {ID: "a", Hash: hash}}}); err == nil {
			t.Errorf("the hash %q was taken", hash)
		}
	}
}
