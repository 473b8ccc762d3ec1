package mybot_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// stilted has phrases that no native speaker writes to a person: the robot continues rather
// than goes on, stops rather than comes to a stand, and should rather than shall; things are
// saved, not kept; a map is clicked, not pressed; a path leads around an obstacle; programs
// report and predict; and who acts has a name or a role.
var stilted = regexp.MustCompile(`(?i)\b(go(es)? on\b|went on\b|com(es?|ing) to a stand\b|ha(s|ve) to stand\b|shall\b|whoever\b|somebody\b|(is|was|were|are) kept\b|press(es)? (where|sets|puts|for the place)\b|route by\b|not all as asked\b|read only\b|no farther\b|this file is no\b|for ever\b|for good\b|foretells?\b|goes round\b|nothing of it\b|made ready\b|(is|are|was|were) told\b|tells (of|what|whether|which)\b|keepers?\b|dead-man\b|everybody\b|anybody\b|has set out\b|(is|are) there again\b|so far as\b|to and fro\b|it is looked\b|in vain\b|lest\b|hitherto\b|there(by|upon|in|with)\b|where(by|in|upon)\b)`)

// archaic has further phrases that comments do not need, in the packages of plain.
var archaic = regexp.MustCompile(`(?i)\b(anew|nobody|what holds|as good as|of its own accord|one after the other)\b`)

// plain are the folders whose comments are finished, with their subfolders except those of
// rough.
var (
	plain = []string{"app", "certs", "client", "cmd", "drivers", "handlers", "jobs", "lab", "link", "localization", "mapping", "maps", "mcap", "media", "pathplan", "ratelimit", "recording", "robot", "session", "static", "store", "strictjson", "tools", "web"}
	rough = []string{"web/node_modules"}
)

// excused are texts in which such words are right, by file or key, with the reason.
var excused = map[string]string{
	"strings.json.mapedit.kept": "what stays in the tab is kept there; nothing of it is saved",
}

// TestWhatPeopleReadIsPlainEnglish reads the texts of the page, the documents, and in the Go
// code every string of at least four words that people or their programs can see.
func TestWhatPeopleReadIsPlainEnglish(t *testing.T) {
	texts := 0
	check := func(where, text string) {
		if texts++; stilted.MatchString(text) {
			if excused[where] == "" {
				t.Errorf("%s: %q; a native speaker would say it otherwise (%q)", where, text, stilted.FindString(text))
			}
		}
	}
	page, err := os.ReadFile("web/strings.json")
	if err != nil {
		t.Fatal(err)
	}
	var sections any
	if err := json.Unmarshal(page, &sections); err != nil {
		t.Fatal(err)
	}
	var walk func(where string, v any)
	walk = func(where string, v any) {
		switch v := v.(type) {
		case string:
			check(where, v)
		case []any:
			for _, item := range v {
				walk(where, item)
			}
		case map[string]any:
			for key, item := range v {
				walk(where+"."+key, item)
			}
		}
	}
	walk("strings.json", sections)
	for _, folder := range []string{"app", "certs", "client", "cmd", "drivers", "handlers", "jobs", "lab", "link", "localization", "mapping", "media", "pathplan", "robot", "script", "session", "store"} {
		err := filepath.WalkDir(folder, func(file string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || file == "session/sessiontest/history.go" { // the rules that a random history breaks
				return err
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
					if text, err := strconv.Unquote(l.Value); err == nil && len(strings.Fields(text)) >= 4 {
						check(file, text)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	documents, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(documents, "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "session/protocol/protocol.md", "drivers/base/protocol/protocol.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			check(file, line)
		}
	}
	if texts < 2500 {
		t.Errorf("only %d texts were read", texts)
	}
}

// tsComment finds a comment of TypeScript, or one line of it.
var tsComment = regexp.MustCompile(`(?m)(?:^|\s)// (.*)$`)

// TestCommentsArePlainEnglish reads every comment in the Go code and the TypeScript of the
// folders of plain, except those of generated code.
func TestCommentsArePlainEnglish(t *testing.T) {
	comments := 0
	check := func(file, text string) {
		comments++
		for _, pattern := range []*regexp.Regexp{stilted, archaic} {
			if found := pattern.FindString(text); found != "" {
				t.Errorf("%s: %q; a native speaker would say it otherwise (%q)", file, text, found)
			}
		}
	}
	for _, folder := range plain {
		err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && slices.Contains(rough, file):
				return fs.SkipDir
			case strings.HasSuffix(file, ".go"):
				parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
				if err != nil || ast.IsGenerated(parsed) {
					return err
				}
				for _, group := range parsed.Comments {
					check(file, strings.Join(strings.Fields(group.Text()), " "))
				}
			case strings.HasSuffix(file, ".ts"):
				source, err := os.ReadFile(file)
				if err != nil {
					return err
				}
				for _, line := range tsComment.FindAllSubmatch(source, -1) {
					check(file, string(line[1]))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if comments < 4000 {
		t.Errorf("only %d comments were read", comments)
	}
}
