// Package mybot_test holds the rules of the layers: which package may import
// which, and which package or file may import which library.
// docs/architecture.md says why.
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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "mybot"

// A plan says what may import what. Packages are folders below the module's root.
type plan struct {
	// layers holds the layer of each package. A folder that is not named itself
	// belongs to the nearest named folder above it; folders that belong together
	// may import each other as far as Go allows.
	layers map[string]int
	// owners holds who may import a library: a package, or one file of it. A
	// library without owners is for tests only.
	owners map[string][]string
}

var mybot = plan{
	layers: map[string]int{
		"cmd":      9,
		"maps/gen": 9, // a command too, run by go generate
		"lab":      8,
		"app":      7,

		"jobs/library": 6,

		"handlers": 5,
		"client":   5,

		"session":             4,
		"session/access":      4,
		"session/motions":     4,
		"session/sessiontest": 4,
		"jobs/rehearsal":      4,
		"web":                 4,

		"session/protocol": 3,
		"script/library":   3,
		"robot/onboard":    3,
		"mapping/draft":    3,
		"mapping/folder":   3,
		"mapping/survey":   3,
		"media":            3,
		"media/vp8":        3,
		"media/h264":       3,
		"media/voice":      3,
		"certs":            3,

		"session/lease":      2,
		"localization":       2,
		"pathplan":           2,
		"jobs":               2,
		"jobs/vda5050":       2,
		"robot/guard":        2,
		"robot/playout":      2,
		"robot/obstacle":     2,
		"robot/rollout":      2,
		"robot/behavior":     2,
		"robot/floorplan":    2,
		"robot/urdf":         2,
		"mapping":            2,
		"mapping/carmen":     2,
		"mapping/sketch":     2,
		"recording":          2,
		"drivers/replay":     3,
		"drivers/base":       2,
		"drivers/sim":        2,
		"drivers/camera":     2,
		"drivers/pioneer":    2,
		"drivers/drivertest": 2,
		"store":              2,
		"store/audit":        2,
		"link":               2,

		"robot":            1,
		"script/talk":      1,
		"script/client":    1,
		"robot/models":     1,
		"store/atomicfile": 1,

		"mcap":       0,
		"script":     0,
		"ratelimit":  0,
		"strictjson": 0,
		"static":     0,
		"maps":       0,
	},
	owners: map[string][]string{
		"nhooyr.io/websocket":                   {"handlers/websocket.go", "client/conn.go"},
		"github.com/pion":                       {"media"},
		"github.com/y9o/go-openh264":            {"media/h264/encoder.go"},
		"github.com/go-chi/chi/v5":              {"handlers"},
		"github.com/prometheus/client_golang":   {"handlers"},
		"github.com/a-h/templ":                  {"web", "handlers"},
		"go.etcd.io/bbolt":                      {"store"},
		"github.com/paulmach/orb":               {"robot/floorplan"},
		"go.yaml.in/yaml/v3":                    {"robot/floorplan"},
		"github.com/mdp/qrterminal/v3":          {"cmd/mybot/invite.go"},
		"rsc.io/qr":                             {"handlers/qr.go"},
		"github.com/foxglove/mcap/go/mcap":      {"mcap"},
		"github.com/klauspost/compress":         {"mcap"},
		"github.com/pierrec/lz4/v4":             {"mcap"},
		"github.com/blackjack/webcam":           {"drivers/camera/v4l2_linux.go"},
		"golang.org/x/net/publicsuffix":         {"certs"},
		"golang.org/x/text":                     {"session/name.go", "robot/floorplan.go", "robot/floorplan/write.go"},
		"go.bug.st/serial":                      {"drivers/base/serial.go"},
		"golang.org/x/sys":                      {"drivers/base", "lab/internal/testbed/thread_linux.go"},
		"golang.org/x/sync":                     {"app", "handlers", "lab"},
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

// faults returns how these files break the plan, one sentence each.
func (p plan) faults(files []source) []string {
	var faults []string
	for _, f := range files {
		folder := path.Dir(f.path)
		if folder == "." {
			continue // the module's root: these tests
		}
		if _, _, ok := p.packageOf(folder); !ok {
			faults = append(faults, fmt.Sprintf("%s: the package %q has no layer; give it one in layers_test.go and in docs/architecture.md", f.path, folder))
			continue
		}
		for _, imported := range f.imports {
			if fault := p.judgeImport(f.path, imported); fault != "" {
				faults = append(faults, fault)
			}
		}
	}
	return faults
}

// judgeImport returns what is wrong with one import of one file, or "".
func (p plan) judgeImport(file, imported string) string {
	if folder, ok := strings.CutPrefix(imported, module+"/"); ok {
		return p.judgeLayers(file, folder)
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		return "" // the standard library
	}
	library, ok := p.libraryOf(imported)
	if !ok {
		return fmt.Sprintf("%s imports %s, which has no owner; name its owners in layers_test.go and its reason in docs/dependencies.md", file, imported)
	}
	owners := p.owners[library]
	importer, _, _ := p.packageOf(path.Dir(file))
	if strings.HasSuffix(file, "_test.go") || slices.Contains(owners, file) || slices.Contains(owners, importer) {
		return ""
	}
	if len(owners) == 0 {
		return fmt.Sprintf("%s imports %s, which is for tests only", file, imported)
	}
	return fmt.Sprintf("%s imports %s, which only %s may import", file, imported, strings.Join(owners, ", "))
}

// judgeLayers judges an import of one folder of the module by a file of another.
// A package imports only lower layers and the packages whose sub-folder it is;
// its tests may also import packages of its own layer.
func (p plan) judgeLayers(file, imported string) string {
	folder := path.Dir(file)
	importer, layer, _ := p.packageOf(folder)
	target, targetLayer, ok := p.packageOf(imported)
	switch {
	case !ok:
		return fmt.Sprintf("%s imports %s, a package without a layer; give it one in layers_test.go", file, imported)
	case targetLayer < layer, importer == target, strings.HasPrefix(folder, imported+"/"):
		return ""
	case targetLayer > layer:
		return fmt.Sprintf("%s (layer %d) imports %s (layer %d); a package imports only lower layers", file, layer, imported, targetLayer)
	case strings.HasSuffix(file, "_test.go"):
		return ""
	default:
		return fmt.Sprintf("%s imports %s; both are in layer %d, and packages of one layer do not import each other", file, imported, layer)
	}
}

// packageOf finds the package that a folder belongs to: the nearest one named.
func (p plan) packageOf(folder string) (name string, layer int, ok bool) {
	for name = folder; name != "."; name = path.Dir(name) {
		if layer, ok = p.layers[name]; ok {
			return name, layer, true
		}
	}
	return "", 0, false
}

// libraryOf finds the library that an import path belongs to.
func (p plan) libraryOf(imported string) (name string, ok bool) {
	for name = imported; name != "."; name = path.Dir(name) {
		if _, ok = p.owners[name]; ok {
			return name, true
		}
	}
	return "", false
}

func TestPackagesImportOnlyLowerLayers(t *testing.T) {
	files := sources(t)
	if len(files) < 20 {
		t.Fatalf("go list found only %d files; is the test run in the module's root?", len(files))
	}
	for _, fault := range mybot.faults(files) {
		t.Error(fault)
	}
}

// TestTheArchitectureListsEveryPackage compares the table of docs/architecture.md with the
// layers above.
func TestTheArchitectureListsEveryPackage(t *testing.T) {
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, layer := range mybot.layers {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("the package %s has a layer but no folder", name)
		}
		row := regexp.MustCompile(fmt.Sprintf("(?m)^\\| %d \\| .*`%s[`/]", layer, regexp.QuoteMeta(name)))
		if name != "maps/gen" && !row.Match(page) {
			t.Errorf("docs/architecture.md has no row of layer %d with `%s`", layer, name)
		}
	}
}

func TestEveryLibraryHasAReason(t *testing.T) {
	reasons, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	for library := range mybot.owners {
		if !strings.Contains(string(reasons), library) {
			t.Errorf("docs/dependencies.md does not say why Mybot needs %s", library)
		}
	}
}

func TestAForbiddenImportIsReported(t *testing.T) {
	p := plan{
		layers: map[string]int{"cmd": 3, "pump": 2, "water": 1, "water/hot": 1, "fire": 1, "words": 0},
		owners: map[string][]string{"example.org/pipe": {"pump/pipe.go"}, "example.org/glue": {"water"}, "example.org/probe": nil},
	}
	for _, c := range []struct {
		name, file, imports string
		want                string // part of the fault; "" = none
	}{
		{"a package imports the layer below", "pump/pump.go", "mybot/water", ""},
		{"a package may skip layers", "cmd/house/main.go", "mybot/words", ""},
		{"a package imports upward", "words/word.go", "mybot/pump", "words/word.go (layer 0) imports pump (layer 2)"},
		{"a test imports upward", "words/word_test.go", "mybot/pump", "a package imports only lower layers"},
		{"a package imports its neighbour", "water/tap.go", "mybot/fire", "both are in layer 1"},
		{"a test imports a neighbour", "water/tap_test.go", "mybot/fire", ""},
		{"a sub-folder imports its parent", "water/hot/tap.go", "mybot/water", ""},
		{"a package imports a sub-folder with a layer of its own", "water/tap.go", "mybot/water/hot", "both are in layer 1"},
		{"a package imports a sub-folder that belongs to it", "water/tap.go", "mybot/water/cold", ""},
		{"two sub-folders that belong together", "water/cold/tap.go", "mybot/water/ice", ""},
		{"a test from outside imports its own package", "water/tap_test.go", "mybot/water", ""},
		{"a name that only begins like a package's is another package", "waterfall/fall.go", "fmt", `the package "waterfall" has no layer`},
		{"a package without a layer is imported", "cmd/house/main.go", "mybot/cellar", "cellar, a package without a layer"},
		{"every package may import the standard library", "words/word.go", "encoding/json", ""},
		{"the owner of a library imports it", "pump/pipe.go", "example.org/pipe", ""},
		{"another file of the owner's package imports it", "pump/pump.go", "example.org/pipe", "which only pump/pipe.go may import"},
		{"a package owns a library for all its files", "water/cold/tap.go", "example.org/glue/v2", ""},
		{"another package imports an owned library", "fire/fire.go", "example.org/glue", "which only water may import"},
		{"a test imports a test library", "fire/fire_test.go", "example.org/probe", ""},
		{"a package imports a test library", "fire/fire.go", "example.org/probe", "for tests only"},
		{"a library without an owner", "fire/fire_test.go", "example.org/new", "which has no owner"},
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
