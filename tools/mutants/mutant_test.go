package main

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestAMutantIsOneComparisonOrBoundOrNegationTurnedRound(t *testing.T) {
	for _, c := range []struct {
		source string // of a function's body
		want   []string
	}{
		{"_ = a < b", []string{"a < b => (a <= b)", "a < b => (a >= b)"}},
		{"_ = a <= b", []string{"a <= b => (a < b)", "a <= b => (a > b)"}},
		{"_ = a > b", []string{"a > b => (a >= b)", "a > b => (a <= b)"}},
		{"_ = a >= b", []string{"a >= b => (a > b)", "a >= b => (a < b)"}},
		{"_ = a == b", []string{"a == b => (a != b)"}},
		{"_ = a != b", []string{"a != b => (a == b)"}},
		{"_ = !a && f(b)", []string{"f(b) => !f(b)", "!a && f(b) => (!a || f(b))", "!a => (a)"}},
		{"_ = a || b", []string{"a => !a", "b => !b", "a || b => (a && b)"}},
		{"x := -y", []string{"-y => (y)"}},
		{"x := min(a, max(b, c))", []string{"min(a, max(b, c)) => max(a, max(b, c))", "max(b, c) => min(b, c)"}},
		{"x := math.Max(a, math.Min(b, c))", []string{"math.Max(a, math.Min(b, c)) => math.Min(a, math.Min(b, c))", "math.Min(b, c) => math.Max(b, c)"}},
		{"_ = now.Before(end)", []string{"now.Before(end) => !now.After(end)"}},
		{"_ = now.After(end)", []string{"now.After(end) => !now.Before(end)"}},
		{"if f(a) { }", []string{"f(a) => !f(a)"}},
		{"for ok { }", []string{"ok => !ok"}},
		{"switch { case p.on: }", []string{"p.on => !p.on"}},
		{"switch a { case b: }", nil},
		{"for { x = a + b*c - d }", nil},
		{"if a < b { }; if a < b { }", []string{"a < b => (a <= b)", "a < b => (a >= b)", "a < b => (a <= b) (2)", "a < b => (a >= b) (2)"}},
	} {
		t.Run(c.source, func(t *testing.T) {
			found, err := findMutants("room/file.go", []byte("package room\n\nfunc fn() {\n"+c.source+"\n}\n"))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range found {
				name, ok := strings.CutPrefix(m.String(), "room/file.go fn: ")
				if !ok || m.line != 4 {
					t.Errorf("%q is in line %d; it should be fn's, in line 4", m, m.line)
				}
				got = append(got, name)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestAMutantDiffersFromItsSourceInOnePlace(t *testing.T) {
	const source = "package room\n\nfunc fn(a, b int) bool { return a < b || b < a }\n"
	found, err := findMutants("room/file.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range found {
		got = append(got, string(m.source))
	}
	want := []string{
		"package room\n\nfunc fn(a, b int) bool { return (a < b && b < a) }\n",
		"package room\n\nfunc fn(a, b int) bool { return (a <= b) || b < a }\n",
		"package room\n\nfunc fn(a, b int) bool { return (a >= b) || b < a }\n",
		"package room\n\nfunc fn(a, b int) bool { return a < b || (b <= a) }\n",
		"package room\n\nfunc fn(a, b int) bool { return a < b || (b >= a) }\n",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestOneSourceHoldsEveryMutantThatIsTrueOrFalse(t *testing.T) {
	const source = "package room\n\nfunc fn(a, b int) bool { return a < b && !f(min(a, b)) }\n"
	found, err := findMutants("room/file.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]int, len(found))
	for i := range ids {
		ids[i] = i + 1
	}
	got := string(withSwitches([]byte(source), found, ids))
	const c = chosen
	want := "package room\n\nfunc fn(a, b int) bool { return (" + c + " == 1 && ((a < b || !f(min(a, b)))) || " + c + " != 1 && (" +
		"(" + c + " == 2 && ((a <= b)) || " + c + " == 3 && ((a >= b)) || " + c + " != 2 && " + c + " != 3 && (a < b)) && " +
		"(" + c + " == 4 && ((f(min(a, b)))) || " + c + " != 4 && (!f(min(a, b)))))) }\n"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestASampleIsSpreadOverAFile(t *testing.T) {
	found := make([]mutant, 10)
	for i := range found {
		found[i].line = i
	}
	var lines []int
	for _, m := range spreadMutants(found, 3) {
		lines = append(lines, m.line)
	}
	if !slices.Equal(lines, []int{1, 5, 8}) {
		t.Errorf("the sample has the lines %v", lines)
	}
	if n := len(spreadMutants(found, 0)); n != 10 {
		t.Errorf("without a bound the sample has %d of 10", n)
	}
}

func TestEveryEquivalentMutantNeedsAReason(t *testing.T) {
	e, err := readExcuses("# a comment\n\nroom/a.go f: a < b => (a <= b)\nroom/a.go: -a => (a)\n\tThey are never equal.\n")
	if err != nil || len(e) != 2 || !e["room/a.go: -a => (a)"] {
		t.Errorf("%v, %v", e, err)
	}
	if m := "room/a.go: -a => (a)"; !e.isIn(m, "room/a.go") || e.isIn(m, "room/a") {
		t.Errorf("%q is not known as one of room/a.go alone", m)
	}
	for _, bad := range []string{"room/a.go f: a < b => (a <= b)\n", "room/a.go f: a < b => (a <= b)\n\n\tToo late.\n"} {
		if _, err := readExcuses(bad); err == nil || !strings.Contains(err.Error(), "has no reason; it should stand below it") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestRoomsAndFilesArePickedByTheirNames(t *testing.T) {
	all := []testedPackage{{folder: "a", files: []string{"x.go", "y.go"}}, {folder: "a/b", files: []string{"x.go"}}}
	for _, c := range []struct {
		wanted []string
		want   string
	}{
		{nil, "a: x.go, y.go a/b: x.go"},
		{[]string{"a/b"}, "a/b: x.go"},
		{[]string{"a/y.go"}, "a: y.go"},
	} {
		picked, err := pickPackages(all, c.wanted)
		if got := strings.Join(strings.Fields(listPackages(picked)), " "); err != nil || got != c.want {
			t.Errorf("%q: %s, %v; want %s", c.wanted, got, err, c.want)
		}
	}
	if _, err := pickPackages(all, []string{"a/z.go"}); err == nil || !strings.Contains(err.Error(), `"a/z.go" is not among the packages`) {
		t.Errorf("a file that nobody examines: %v", err)
	}
}

func TestEveryExcuseIsForAMutantThatThereIs(t *testing.T) {
	root := filepath.Join("..", "..")
	known, err := readEquivalents(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range testedPackages() {
		for _, f := range r.files {
			src, err := os.ReadFile(filepath.Join(root, r.folder, f))
			if err != nil {
				t.Fatal(err)
			}
			found, err := findMutants(path.Join(r.folder, f), src)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range found {
				delete(known, m.String())
			}
		}
	}
	for m := range known {
		t.Errorf("%s excuses %q, which is no mutant of a file that is examined", listed, m)
	}
}
