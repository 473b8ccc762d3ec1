package mybot_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"regexp"
	"testing"
)

// ./test runs the packages of its list single without the race detector.
func TestPackagesThatRunWithoutTheRaceDetectorStartNoGoroutine(t *testing.T) {
	script, err := os.ReadFile("test")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^single='(.*)'$`).FindSubmatch(script)
	if line == nil {
		t.Fatal("./test has no line that begins with single='")
	}
	single, err := regexp.Compile(string(line[1]))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, f := range sources(t) {
		folder := path.Dir(f.path)
		if !single.MatchString(module + "/" + folder) {
			continue
		}
		found[folder] = true
		for _, fault := range goroutines(t, f.path, nil) {
			t.Errorf("%s, but ./test runs %s without the race detector; take it out of the list single", fault, folder)
		}
	}
	if len(found) == 0 {
		t.Errorf("no package is in the list single of ./test, %s", line[1])
	}
}

// goroutines returns where a Go file starts a goroutine, one sentence each: by a go statement,
// by Go of a WaitGroup or an errgroup, by a timer that calls a function, or as a parallel test.
// text replaces the content of the file, unless it is nil.
func goroutines(t *testing.T, file string, text any) (faults []string) {
	t.Helper()
	positions := token.NewFileSet()
	tree, err := parser.ParseFile(positions, file, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		what := ""
		switch n := n.(type) {
		case *ast.GoStmt:
			what = "go"
		case *ast.SelectorExpr:
			switch n.Sel.Name {
			case "Go", "AfterFunc", "Parallel", "RunParallel":
				what = n.Sel.Name
			}
		}
		if what != "" {
			faults = append(faults, fmt.Sprintf("%s starts a goroutine by %s", positions.Position(n.Pos()), what))
		}
		return true
	})
	return faults
}

func TestEachWayToStartAGoroutineIsFound(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       int
	}{
		{"none", "wait()", 0},
		{"a go statement", "go wait()", 1},
		{"in a function of its own", "func() { go func() {}() }()", 1},
		{"a wait group", "all.Go(wait)", 1},
		{"a timer", "time.AfterFunc(1, wait)", 1},
		{"a test beside others", "t.Parallel()", 1},
		{"a benchmark on all cores", "b.RunParallel(wait)", 1},
		{"a word in a comment", "wait() // go on", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := goroutines(t, "pump.go", "package pump\n\nfunc f() {\n"+c.body+"\n}\n"); len(got) != c.want {
				t.Errorf("found %q, want %d", got, c.want)
			}
		})
	}
}
