package mybot_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	goTest    = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	namedTest = regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z]\\w+)`")
	link      = regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)\s]*)?\)`)
)

// TestDocumentsNameTestsAndFilesThatExist finds what a document still names after it was renamed.
func TestDocumentsNameTestsAndFilesThatExist(t *testing.T) {
	tests, documents := map[string]bool{}, map[string]string{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || path != "." && strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go") && filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		if filepath.Ext(path) == ".md" {
			documents[path] = string(text)
		}
		for _, found := range goTest.FindAllSubmatch(text, -1) {
			tests[string(found[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names, links := 0, 0
	for path, text := range documents {
		for _, found := range namedTest.FindAllStringSubmatch(text, -1) {
			if names++; !tests[found[1]] {
				t.Errorf("%s names %s, which does not exist", path, found[1])
			}
		}
		for _, found := range link.FindAllStringSubmatch(text, -1) {
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), filepath.FromSlash(found[1]))); err != nil {
				t.Errorf("%s links to %s, which does not exist", path, found[1])
			}
		}
	}
	if names < 50 || links < 100 {
		t.Errorf("only %d names of tests and %d links were found", names, links)
	}
	t.Logf("%d names of tests and %d links in %d documents", names, links, len(documents))
}
