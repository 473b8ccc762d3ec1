package library_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"mybot/script"
	"mybot/script/library"
	"mybot/store"
)

// A failingStore is a store whose writes fail with err unless it is nil.
type failingStore struct {
	library.Store
	err error
}

func (f *failingStore) PutScript(id string, data []byte) error {
	if f.err != nil {
		return f.err
	}
	return f.Store.PutScript(id, data)
}

func (f *failingStore) DeleteScript(id string, revision uint64) error {
	if f.err != nil {
		return f.err
	}
	return f.Store.DeleteScript(id, revision)
}

func openLibrary(t *testing.T, s library.Store) *library.Library {
	t.Helper()
	l, err := library.Open(s, []string{"battery"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func openStore(t *testing.T, dir string) *store.Store {
	t.Helper()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestANewScriptIsNotTakenForADeletedOneOfItsName(t *testing.T) {
	s := openStore(t, t.TempDir())
	l := openLibrary(t, s)
	seen, err := l.Save(library.Script{Name: "Patrol", Text: "echo 1;"}, "Jin")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Delete(seen.ID); err != nil {
		t.Fatal(err)
	}
	l = openLibrary(t, s) // as after a restart
	other, err := l.Save(library.Script{Name: "Patrol", Text: "drive.val = inf speed:1,"}, "Jin")
	if err != nil || other.ID != seen.ID {
		t.Fatalf("%+v, %v", other, err)
	}
	if _, err := l.PermitStandby(seen.ID, seen.Revision, "Ana"); !errors.Is(err, library.ErrStale) {
		t.Errorf("an admin who saw the deleted script permits the new one: %v", err)
	}
	if _, err := l.Save(seen, "Ana"); !errors.Is(err, library.ErrStale) {
		t.Errorf("a change of the deleted script replaces the new one: %v", err)
	}
	if got, _ := l.Get(seen.ID); got != other {
		t.Errorf("the new script is now %+v", got)
	}
}

func TestScriptsAreSavedWithRevisionsAndLast(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	l := openLibrary(t, s)
	first, err := l.Save(library.Script{Name: "Night round", Text: "wait(1s);"}, "Ana")
	if err != nil || first.ID != "night_round" || first.Revision != 1 || first.Changed.IsZero() {
		t.Fatalf("%+v, %v", first, err)
	}
	first.Text, first.Name = "wait(2s);", "Evening round"
	second, err := l.Save(first, "Jin")
	if err != nil || second.ID != "night_round" || second.Revision != 2 {
		t.Fatalf("%+v, %v", second, err)
	}
	if _, err := l.Save(first, "Jin"); !errors.Is(err, library.ErrStale) {
		t.Errorf("an old revision is saved: %v", err)
	}
	if _, err := l.Save(library.Script{ID: "never", Name: "Never", Revision: 1}, "Jin"); !errors.Is(err, library.ErrStale) {
		t.Errorf("a script that does not exist is saved: %v", err)
	}
	again, err := l.Save(library.Script{Name: "Night Round!"}, "Jin")
	if err != nil || again.ID != "night_round_2" {
		t.Fatalf("%+v, %v", again, err)
	}
	if device, err := l.Save(library.Script{Name: "Battery"}, "Jin"); err != nil || device.ID != "script_battery" || l.NextID("Battery!") != "script_battery_2" {
		t.Errorf("with the name of a device: %+v, %v", device, err)
	} else if err := l.Delete(device.ID); err != nil {
		t.Error(err)
	}
	_ = s.Close()

	l = openLibrary(t, openStore(t, dir))
	if got := fmt.Sprint(names(l)); got != "[Evening round Night Round!]" {
		t.Errorf("after a restart there are %s", got)
	}
	if got, ok := l.Get("night_round"); !ok || got != second || l.OwnerOf("night_round") != "Ana" || l.OwnerOf("night_round_2") != "Jin" {
		t.Errorf("%+v of %q, %v", got, l.OwnerOf("night_round"), ok)
	}
	if err := l.Delete("night_round"); err != nil {
		t.Error(err)
	}
	if err := l.Delete("night_round"); err == nil || err.Error() != "This script no longer exists." {
		t.Error(err)
	}
	if got := fmt.Sprint(names(l)); got != "[Night Round!]" {
		t.Errorf("there are %s", got)
	}
}

func names(l *library.Library) (names []string) {
	for _, s := range l.List() {
		names = append(names, s.Name)
	}
	return names
}

func TestTheIDOfAScriptIsTheNameOfAUnit(t *testing.T) {
	for name, want := range map[string]string{
		"Night round": "night_round", "hello": "hello", "  Grüß Gott ": "gr_gott", "wait": "script_wait", "Words": "script_words", "3 rounds": "script_3_rounds", "가": "script",
		strings.Repeat("a", 99): strings.Repeat("a", library.MaxName),
	} {
		if got := library.IDOf(name); got != want || !script.IsName(got) {
			t.Errorf("the id of %q is %q, want %q", name, got, want)
		}
	}
}

func TestWhatCannotBeSavedIsRefusedWithASentence(t *testing.T) {
	l := openLibrary(t, openStore(t, t.TempDir()))
	for name, c := range map[string]struct {
		script library.Script
		want   string
	}{
		"no name":             {library.Script{Name: " "}, "The name of the script is empty; it should have 1 to 60 characters."},
		"a name that hides":   {library.Script{Name: "\u200b"}, "The name of the script is empty; it should have 1 to 60 characters."},
		"a long name":         {library.Script{Name: strings.Repeat("ä", 61)}, "The name of the script has 61 characters; it should have 1 to 60."},
		"a name of two lines": {library.Script{Name: "a\nb"}, "one line of text"},
		"a long text":         {library.Script{Name: "a", Text: strings.Repeat(" ", script.MaxScript+1)}, "The script has 65537 bytes; it should have at most 65536."},
		"a NUL":               {library.Script{Name: "a", Text: "wait(1s);\x00"}, "plain text in UTF-8"},
		"no UTF-8":            {library.Script{Name: "a", Text: "say(\"\xff\");"}, "plain text in UTF-8"},
		"turned text":         {library.Script{Name: "a", Text: "# \u202e"}, "plain text in UTF-8"},
	} {
		if _, err := l.Save(c.script, ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	for i := range 100 {
		if _, err := l.Save(library.Script{Name: fmt.Sprint("Script ", i), Text: "\tat (\r\n"}, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Save(library.Script{Name: "One more"}, ""); err == nil || err.Error() != "There are 100 scripts already; delete one first." {
		t.Error(err)
	}
}

func TestOneDeviceLeavesPlacesForTheScriptsOfOthers(t *testing.T) {
	l := openLibrary(t, openStore(t, t.TempDir()))
	saveAll := func(owner string) (n int, says string) {
		for ; ; n++ {
			if _, err := l.Save(library.Script{Name: "Full"}, owner); err != nil {
				return n, err.Error()
			}
		}
	}
	if n, says := saveAll("a"); n != 50 || !strings.HasPrefix(says, "This device has made 50 of the 100 scripts already") {
		t.Errorf("one device saves %d of 100: %s", n, says)
	}
	if n, _ := saveAll("b"); n != 25 {
		t.Errorf("the next one saves %d of 50", n)
	}
}

func TestAFullDiskChangesNothing(t *testing.T) {
	s := &failingStore{Store: openStore(t, t.TempDir())}
	l := openLibrary(t, s)
	first, err := l.Save(library.Script{Name: "Patrol"}, "")
	if err != nil {
		t.Fatal(err)
	}
	for cause, want := range map[error]string{
		fmt.Errorf("store: %w", store.ErrFull): "The script cannot be saved. The robot's disk is full. Make room on it, then try again.",
		errors.New("input/output error"):       "The script cannot be saved. The robot's log says why.",
	} {
		s.err = cause
		if _, err := l.Save(first, ""); err == nil || err.Error() != want || !errors.Is(err, cause) {
			t.Error(err)
		}
		if err := l.Delete(first.ID); err == nil || !errors.Is(err, cause) {
			t.Error(err)
		}
	}
	if got, ok := l.Get("patrol"); !ok || got != first {
		t.Errorf("%+v, %v", got, ok)
	}
}

func TestAnUnreadableScriptStaysInTheStore(t *testing.T) {
	s := openStore(t, t.TempDir())
	if err := errors.Join(s.PutScript("patrol", []byte("{")), s.PutScript("guard", []byte(`{"id":"another"}`))); err != nil {
		t.Fatal(err)
	}
	l := openLibrary(t, s)
	if n := len(l.List()); n != 0 {
		t.Errorf("%d scripts are listed", n)
	}
	if got, err := l.Save(library.Script{Name: "Patrol"}, ""); err != nil || got.ID != "patrol_2" {
		t.Errorf("%+v, %v", got, err)
	}
	if all, _, err := s.Scripts(); err != nil || string(all["patrol"]) != "{" {
		t.Errorf("%s, %v", all, err)
	}
}

func TestACheckReturnsEveryFaultWithItsPlace(t *testing.T) {
	got := library.Check("wait(1s);\nwait 2 3;\nat (near.val < 1 dock();\nwait(1s);")
	if len(got) != 2 || got[0].Line != 2 || got[0].Column != 8 || got[1].Line != 3 || got[0].Text == "" {
		t.Errorf("%+v", got)
	}
	if got := library.Check(strings.Repeat("wait 2 3;\n", 200)); len(got) != 100 {
		t.Errorf("%d faults", len(got))
	}
	if got := library.Check("# nothing"); got == nil || len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestEveryExampleHasNoFaults(t *testing.T) {
	all := library.Examples()
	if len(all) != 7 {
		t.Errorf("there are %d examples", len(all))
	}
	l := openLibrary(t, openStore(t, t.TempDir()))
	for _, e := range all {
		for _, f := range library.Check(e.Text) {
			t.Errorf("%s: line %d, column %d: %s", e.Name, f.Line, f.Column, f.Text)
		}
		if _, err := l.Save(library.Script{Name: e.Name, Text: e.Text}, ""); err != nil {
			t.Error(err)
		}
	}
}

// TestTheGuideFitsOnOnePageAndItsRulesHaveNoFaults reads the indented lines of the parts
// that are scripts.
func TestTheGuideFitsOnOnePageAndItsRulesHaveNoFaults(t *testing.T) {
	guide := library.Guide()
	if len(guide) > 6<<10 {
		t.Errorf("the guide has %d bytes", len(guide))
	}
	lines, heading := 0, ""
	for line := range strings.Lines(guide) {
		code, indented := strings.CutPrefix(line, "  ")
		if !indented {
			heading = strings.TrimSpace(line) + " " + heading
			continue
		}
		if !strings.HasPrefix(heading, "RULES") && !strings.HasPrefix(heading, "EXAMPLES") {
			continue
		}
		lines++
		for _, f := range library.Check(code) {
			t.Errorf("%q: column %d: %s", strings.TrimSpace(code), f.Column, f.Text)
		}
	}
	if lines != 10 {
		t.Errorf("%d lines of rules and examples were read", lines)
	}
}

// The page's form writes such lines.
func TestEveryRuleOfTheFormHasNoFaults(t *testing.T) {
	rules, err := os.ReadFile("testdata/rules.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range library.Check(string(rules)) {
		t.Errorf("line %d, column %d: %s", f.Line, f.Column, f.Text)
	}
}
