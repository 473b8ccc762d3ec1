// Package mybot_test holds the rules of the house: which room may lean on
// which, and which file may know which library. docs/architecture.md tells why.
package mybot_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "mybot"

// A plan is what may lean on what. Rooms are folders below the module's root.
type plan struct {
	// floors tells the floor of each room. A folder inside a room is on the
	// room's floor, unless it is named itself.
	floors map[string]int
	// keepers tells who may import a library: a room, or one file of it. A
	// library without keepers is for tests only.
	keepers map[string][]string
}

var house = plan{
	floors: map[string]int{
		"cmd":      8,
		"maps/gen": 8, // a command too, run by go generate
		"lab":      7,
		"app":      6,

		"handlers": 5,
		"web":      4,
		"session":  3,

		"robot/onboard": 2,
		"media":         2,

		"localization":    1,
		"pathplan":        1,
		"jobs":            1,
		"robot/playout":   1,
		"robot/floorplan": 1,
		"drivers":         1,
		"store":           1,
		"link":            1,

		"robot":  0,
		"static": 0,
		"robots": 0,
		"maps":   0,
	},
	keepers: map[string][]string{
		"nhooyr.io/websocket":                   {"handlers/websocket.go", "cmd/mybot/line.go"},
		"github.com/pion":                       {"media"},
		"github.com/y9o/go-openh264":            {"media/h264/encoder.go"},
		"github.com/go-chi/chi/v5":              {"handlers"},
		"github.com/prometheus/client_golang":   {"handlers"},
		"github.com/a-h/templ":                  {"web", "handlers"},
		"go.etcd.io/bbolt":                      {"store"},
		"github.com/paulmach/orb":               {"robot/floorplan"},
		"go.yaml.in/yaml/v3":                    {"robot/floorplan"},
		"github.com/mdp/qrterminal/v3":          {"cmd/mybot/invite.go"},
		"rsc.io/qr":                             {"handlers/api.go"},
		"github.com/blackjack/webcam":           {"drivers/camera/v4l2_linux.go"},
		"golang.org/x/net/publicsuffix":         {"app/certificate.go"},
		"golang.org/x/text":                     {"session/name.go"},
		"golang.org/x/sync":                     {"app", "robot/onboard", "session", "handlers", "link", "lab"},
		"github.com/chromedp/chromedp":          nil,
		"github.com/chromedp/cdproto":           nil,
		"golang.org/x/image":                    nil,
		"pgregory.net/rapid":                    nil,
		"github.com/santhosh-tekuri/jsonschema": nil,
	},
}

// A source is one Go file and what it imports.
type source struct {
	path    string // from the module's root, with slashes
	imports []string
}

// faults tells, one sentence each, what in these files breaks the plan.
func (p plan) faults(files []source) []string {
	var faults []string
	for _, f := range files {
		from := path.Dir(f.path)
		if from == "." {
			continue // the house itself: these tests
		}
		room, floor, ok := p.room(from)
		if !ok {
			faults = append(faults, fmt.Sprintf("%s: the room %q has no floor; give it a floor in floors_test.go and in docs/architecture.md", f.path, from))
			continue
		}
		for _, imported := range f.imports {
			if fault := p.fault(f.path, room, floor, imported); fault != "" {
				faults = append(faults, fault)
			}
		}
	}
	return faults
}

// fault judges one import of one file.
func (p plan) fault(file, room string, floor int, imported string) string {
	test := strings.HasSuffix(file, "_test.go")
	if within, ok := strings.CutPrefix(imported, module+"/"); ok {
		return p.inside(file, floor, within, test)
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		return "" // the standard library
	}
	library, ok := p.library(imported)
	if !ok {
		return fmt.Sprintf("%s imports %s, which no room keeps; name its keepers in floors_test.go and its reason in docs/dependencies.md", file, imported)
	}
	keepers := p.keepers[library]
	if test || slices.Contains(keepers, file) || slices.Contains(keepers, room) {
		return ""
	}
	if len(keepers) == 0 {
		return fmt.Sprintf("%s imports %s, which is for tests only", file, imported)
	}
	return fmt.Sprintf("%s imports %s, which only %s may know", file, imported, strings.Join(keepers, ", "))
}

// inside judges an import of one folder of the house by another. A room leans
// on the floors below and on the room it is a child of; its tests may also
// meet their neighbours.
func (p plan) inside(file string, floor int, imported string, test bool) string {
	_, below, ok := p.room(imported)
	from := path.Dir(file)
	switch {
	case !ok:
		return fmt.Sprintf("%s imports %s, a room without a floor; give it a floor in floors_test.go", file, imported)
	case below < floor, from == imported, strings.HasPrefix(from, imported+"/"):
		return ""
	case below > floor:
		return fmt.Sprintf("%s (floor %d) imports %s (floor %d); a room leans only on floors below it", file, floor, imported, below)
	case test:
		return ""
	default:
		return fmt.Sprintf("%s imports %s; both are on floor %d, and rooms of one floor do not know each other", file, imported, floor)
	}
}

// room finds the room that a folder belongs to: the nearest one named.
func (p plan) room(folder string) (name string, floor int, ok bool) {
	for name = folder; name != "."; name = path.Dir(name) {
		if floor, ok = p.floors[name]; ok {
			return name, floor, true
		}
	}
	return "", 0, false
}

// library finds the library that an import path belongs to.
func (p plan) library(imported string) (name string, ok bool) {
	for name = imported; name != "."; name = path.Dir(name) {
		if _, ok = p.keepers[name]; ok {
			return name, true
		}
	}
	return "", false
}

func TestEveryRoomLeansOnlyOnFloorsBelow(t *testing.T) {
	files := sources(t)
	if len(files) < 20 {
		t.Fatalf("go list found only %d files; is the test run in the module's root?", len(files))
	}
	for _, fault := range house.faults(files) {
		t.Error(fault)
	}
}

func TestEveryLibraryHasAReason(t *testing.T) {
	reasons, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	for library := range house.keepers {
		if !strings.Contains(string(reasons), library) {
			t.Errorf("docs/dependencies.md does not say why Mybot needs %s", library)
		}
	}
}

func TestABadHouseIsTold(t *testing.T) {
	p := plan{
		floors:  map[string]int{"cmd": 3, "pump": 2, "water": 1, "fire": 1, "words": 0},
		keepers: map[string][]string{"example.org/pipe": {"pump/pipe.go"}, "example.org/glue": {"water"}, "example.org/probe": nil},
	}
	for _, c := range []struct {
		name, file, imports string
		want                string // part of the fault; "" = none
	}{
		{"a room leans on the floor below", "pump/pump.go", "mybot/water", ""},
		{"a room may skip floors", "cmd/house/main.go", "mybot/words", ""},
		{"a room leans upward", "words/word.go", "mybot/pump", "words/word.go (floor 0) imports pump (floor 2)"},
		{"a test leans upward", "words/word_test.go", "mybot/pump", "a room leans only on floors below it"},
		{"neighbours know each other", "water/tap.go", "mybot/fire", "both are on floor 1"},
		{"a test meets a neighbour", "water/tap_test.go", "mybot/fire", ""},
		{"a child leans on its parent", "water/hot/tap.go", "mybot/water", ""},
		{"a parent leans on its child", "water/tap.go", "mybot/water/hot", "both are on floor 1"},
		{"a test from outside imports its own room", "water/tap_test.go", "mybot/water", ""},
		{"a name that only begins like a room's is another room", "waterfall/fall.go", "fmt", `the room "waterfall" has no floor`},
		{"a room without a floor is imported", "cmd/house/main.go", "mybot/cellar", "cellar, a room without a floor"},
		{"the standard library is everybody's", "words/word.go", "encoding/json", ""},
		{"the keeper of a library imports it", "pump/pipe.go", "example.org/pipe", ""},
		{"another file of the keeper's room imports it", "pump/pump.go", "example.org/pipe", "which only pump/pipe.go may know"},
		{"a room keeps a library for all its files", "water/hot/tap.go", "example.org/glue/v2", ""},
		{"a stranger imports a kept library", "fire/fire.go", "example.org/glue", "which only water may know"},
		{"a test imports a test library", "fire/fire_test.go", "example.org/probe", ""},
		{"a room imports a test library", "fire/fire.go", "example.org/probe", "for tests only"},
		{"a library nobody keeps", "fire/fire_test.go", "example.org/new", "which no room keeps"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := strings.Join(p.faults([]source{{c.file, []string{c.imports}}}), "\n")
			if c.want == "" && got != "" {
				t.Errorf("an allowed import was refused: %s", got)
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("the fault is %q, want it to say %q", got, c.want)
			}
		})
	}
}

// sources asks the go command for every file of the module and reads its
// imports.
func sources(t *testing.T) []source {
	t.Helper()
	list := exec.Command("go", "list", "-json=Dir,GoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles", "./...")
	var stderr bytes.Buffer
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var files []source
	for packages := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir                                                string
			GoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string
		}
		if err := packages.Decode(&p); errors.Is(err, io.EOF) {
			return files
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		folder, err := filepath.Rel(root, p.Dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range slices.Concat(p.GoFiles, p.IgnoredGoFiles, p.TestGoFiles, p.XTestGoFiles) {
			files = append(files, source{
				path:    path.Join(filepath.ToSlash(folder), name),
				imports: imports(t, filepath.Join(p.Dir, name)),
			})
		}
	}
}

func imports(t *testing.T, file string) []string {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, spec := range tree.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}
	return paths
}
