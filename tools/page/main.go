// Command page builds the browser's files from web/: one script and one style sheet, bundled
// and minified, the small script that sets the theme before the first paint, the font, and the
// icon sprite.
//
//	go run -C tools ./page        write static/dist and web/sprite.svg
//	go run -C tools ./page test   run the unit tests of web/src with node
//
// Names of files in static/dist have a hash of their content, so the same sources give the same
// files and a browser may cache them without limit.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	switch {
	case len(args) == 0:
		if err := joinSprite(filepath.Join(root, "web")); err != nil {
			return err
		}
		return bundlePage(filepath.Join(root, "web"), filepath.Join(root, "static", "dist"))
	case len(args) == 1 && args[0] == "test":
		return testScripts(filepath.Join(root, "web"))
	default:
		return fmt.Errorf("unknown argument %q; the only one is \"test\"", args)
	}
}

// bundlePage writes the page's files into dist, and removes all others there.
func bundlePage(web, dist string) error {
	entries := []api.EntryPoint{
		{InputPath: "src/main.ts", OutputPath: "app"},
		{InputPath: "src/main.css", OutputPath: "app"},
		{InputPath: "src/cards.css", OutputPath: "cards"},
		{InputPath: "src/cards/entry.ts", OutputPath: "cards"},
		{InputPath: "src/goto/entry.ts", OutputPath: "goto"},
		{InputPath: "src/workshop/entry.ts", OutputPath: "workshop"},
		{InputPath: "src/workshop/workshop.css", OutputPath: "workshop"},
		{InputPath: "src/jobs/panel.ts", OutputPath: "jobs"},
		{InputPath: "src/jobs/jobs.css", OutputPath: "jobs"},
		{InputPath: "src/scripts/entry.ts", OutputPath: "scripts"},
		{InputPath: "src/scripts/scripts.css", OutputPath: "scripts"},
		{InputPath: "src/scripts/editor.ts", OutputPath: "editor"},
		{InputPath: "src/scripts/try.ts", OutputPath: "try"},
		{InputPath: "src/scripts/try.css", OutputPath: "try"},
		{InputPath: "src/scripts/live.ts", OutputPath: "live"},
		{InputPath: "src/mapping/entry.ts", OutputPath: "mapping"},
		{InputPath: "src/mapping/mapping.css", OutputPath: "mapping"},
		{InputPath: "src/share/panel.ts", OutputPath: "share"},
		{InputPath: "src/share/share.css", OutputPath: "share"},
		{InputPath: "src/more/panel.ts", OutputPath: "more"},
		{InputPath: "src/more/more.css", OutputPath: "more"},
		{InputPath: "src/loans/panel.ts", OutputPath: "loans"},
		{InputPath: "src/loans/loans.css", OutputPath: "loans"},
		{InputPath: "src/playback/panel.ts", OutputPath: "playback"},
		{InputPath: "src/playback/playback.css", OutputPath: "playback"},
		{InputPath: "src/parts/panel.ts", OutputPath: "parts"},
		{InputPath: "src/parts/parts.css", OutputPath: "parts"},
		{InputPath: "src/video/panel.ts", OutputPath: "video"},
		{InputPath: "src/video/video.css", OutputPath: "video"},
		{InputPath: "src/theme/first.ts", OutputPath: "theme"},
		{InputPath: "src/noscript.css", OutputPath: "noscript"},
		{InputPath: "src/pair/pair.css", OutputPath: "pair"},
		{InputPath: "src/api/api.css", OutputPath: "api"},
		{InputPath: "src/screen/screen.ts", OutputPath: "screen"},
		{InputPath: "src/screen/screen.css", OutputPath: "screen"},
		{InputPath: "favicon.svg", OutputPath: "icon"},
	}
	var files []api.OutputFile
	for _, e := range entries {
		made, err := keepWithoutLibrary(web, dist, e)
		if made == nil && err == nil {
			made, err = buildEntry(web, dist, e)
		}
		if err != nil {
			return err
		}
		files = append(files, made...)
	}
	old, err := filepath.Glob(filepath.Join(dist, "*"))
	if err != nil {
		return err
	}
	for _, f := range old {
		if !slices.ContainsFunc(files, func(n api.OutputFile) bool { return n.Path == f }) {
			if err := os.Remove(f); err != nil {
				return err
			}
		}
	}
	return writeFiles(files)
}

// keepWithoutLibrary returns the committed file of the script editor if npm has not
// installed the library that it is built from.
func keepWithoutLibrary(web, dist string, e api.EntryPoint) ([]api.OutputFile, error) {
	if e.OutputPath != "editor" {
		return nil, nil
	}
	if _, err := os.Stat(filepath.Join(web, "node_modules", "@codemirror")); err == nil {
		return nil, nil
	}
	found, err := filepath.Glob(filepath.Join(dist, "editor-*.js"))
	if err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, errors.New("the editor of scripts cannot be built: run npm ci --prefix web")
	}
	contents, err := os.ReadFile(found[0])
	return []api.OutputFile{{Path: found[0], Contents: contents}}, err
}

// buildEntry builds one entry point, with only the sentences that its sources can use.
func buildEntry(web, dist string, e api.EntryPoint) ([]api.OutputFile, error) {
	options := api.BuildOptions{
		EntryPointsAdvanced: []api.EntryPoint{e},
		AbsWorkingDir:       web,
		Outdir:              dist,
		EntryNames:          "[name]-[hash]",
		AssetNames:          "[name]-[hash]",
		PublicPath:          "/static/",
		Format:              api.FormatIIFE,
		Loader:              map[string]api.Loader{".woff2": api.LoaderFile, ".svg": api.LoaderCopy},
		MinifyWhitespace:    true,
		MinifyIdentifiers:   true,
		MinifySyntax:        true,
	}
	if strings.HasSuffix(e.InputPath, ".ts") {
		held, err := findKeys(web, options)
		if err != nil {
			return nil, err
		}
		options.Plugins = []api.Plugin{limitSentences(held)}
	}
	return buildFiles(options)
}

// everySection means all sections in the result of findKeys.
const everySection = "*"

// findKeys returns the names of sentences in a script, by section: a quoted name may mean any
// section, a property means one that its file uses. Code that the bundler drops does not count.
func findKeys(web string, o api.BuildOptions) (map[string]map[string]bool, error) {
	o.MinifyWhitespace, o.MinifyIdentifiers, o.MinifySyntax = false, false, false
	files, err := buildFiles(o)
	if err != nil {
		return nil, err
	}
	held := map[string]map[string]bool{}
	hold := func(section string, found [][][]byte) {
		if held[section] == nil {
			held[section] = map[string]bool{}
		}
		for _, key := range found {
			held[section][string(key[1])] = true
		}
	}
	script := files[0].Contents
	sources := sourceName.FindAllSubmatchIndex(script, -1)
	for i, at := range sources {
		source, end := string(script[at[2]:at[3]]), len(script)
		if i+1 < len(sources) {
			end = sources[i+1][0]
		}
		if filepath.Ext(source) != ".ts" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(web, source))
		if err != nil {
			return nil, err
		}
		kept := script[at[1]:end]
		hold(everySection, quotedKey.FindAllSubmatch(kept, -1))
		used := sectionUse.FindAllSubmatch(text, -1)
		for _, names := range sectionImport.FindAllSubmatch(text, -1) {
			used = append(used, word.FindAllSubmatch(names[1], -1)...)
		}
		for _, section := range used {
			hold(string(section[1]), propertyKey.FindAllSubmatch(kept, -1))
		}
	}
	return held, nil
}

// limitSentences limits a script to the sentences that it can use: a sentence of strings.json
// whose key is not in the script stays on the server.
func limitSentences(held map[string]map[string]bool) api.Plugin {
	return api.Plugin{Name: "sentences", Setup: func(b api.PluginBuild) {
		b.OnLoad(api.OnLoadOptions{Filter: `strings\.json$`}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
			text, err := os.ReadFile(a.Path)
			if err != nil {
				return api.OnLoadResult{}, err
			}
			var all map[string]map[string]any
			if err := json.Unmarshal(text, &all); err != nil {
				return api.OnLoadResult{}, fmt.Errorf("%s: %w", a.Path, err)
			}
			for name, section := range all {
				maps.DeleteFunc(section, func(key string, _ any) bool { return !held[everySection][key] && !held[name][key] })
			}
			said, err := json.Marshal(all)
			contents := string(said)
			return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJSON}, err
		})
	}}
}

var (
	sourceName  = regexp.MustCompile(`(?m)^  // ([a-z]\S+)$`) // the bundler writes it above the rest of a source
	quotedKey   = regexp.MustCompile(`['"]([A-Za-z][A-Za-z-]*)`)
	propertyKey = regexp.MustCompile(`\.([A-Za-z][A-Za-z-]*)`)
	// A file uses a section of the object words, or imports it under any name.
	sectionUse    = regexp.MustCompile(`\bwords\.([A-Za-z]+)`)
	sectionImport = regexp.MustCompile(`import \{([^}]*)\} from '[^']*strings\.json'`)
	word          = regexp.MustCompile(`([A-Za-z]+)`)
)

// testScripts bundles every *.test.ts for node and runs them.
func testScripts(web string) error {
	var tests []api.EntryPoint
	src := filepath.Join(web, "src")
	err := filepath.WalkDir(src, func(path string, _ os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".test.ts") {
			name, _ := filepath.Rel(src, strings.TrimSuffix(path, ".ts"))
			tests = append(tests, api.EntryPoint{InputPath: path, OutputPath: name})
		}
		return err
	})
	if err != nil {
		return err
	}
	if len(tests) == 0 {
		return errors.New("no *.test.ts in web/src")
	}
	dir, err := os.MkdirTemp("", "mybot-page-test-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	files, err := buildFiles(api.BuildOptions{
		EntryPointsAdvanced: tests,
		AbsWorkingDir:       web,
		Outdir:              dir,
		OutExtension:        map[string]string{".js": ".mjs"},
		Format:              api.FormatESModule,
		Platform:            api.PlatformNode,
		Sourcemap:           api.SourceMapInline,
	})
	if err != nil {
		return err
	}
	if err := writeFiles(files); err != nil {
		return err
	}
	args := []string{"--enable-source-maps", "--test-reporter=spec", "--test"}
	for _, t := range tests {
		args = append(args, filepath.Join(dir, t.OutputPath+".mjs"))
	}
	node := exec.Command("node", args...)
	node.Dir = web
	node.Stdout, node.Stderr = os.Stdout, os.Stderr
	return node.Run()
}

func buildFiles(o api.BuildOptions) ([]api.OutputFile, error) {
	o.Bundle = true
	o.Charset = api.CharsetUTF8
	o.Target = api.ES2022
	o.LegalComments = api.LegalCommentsNone
	o.LogLevel = api.LogLevelWarning
	r := api.Build(o)
	if len(r.Errors) > 0 {
		return nil, fmt.Errorf("%d faults in web/src, told above", len(r.Errors))
	}
	return r.OutputFiles, nil
}

func writeFiles(files []api.OutputFile) error {
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(f.Path, f.Contents, 0o644); err != nil {
			return err
		}
	}
	return nil
}

var (
	svgInside  = regexp.MustCompile(`(?s)<svg[^>]*>(.*)</svg>`)
	whitespace = regexp.MustCompile(`\s+`)
	twoPaths   = regexp.MustCompile(`<path d="([^"]*)"/><path d="([Mm])(-?(?:\d+\.?\d*|\.\d+))[ ,]?(-?(?:\d+\.?\d*|\.\d+))[ ,]?([-0-9.]?)`)
)

// joinPaths makes one path of those that follow each other. A relative move at the start of a
// path is an absolute one in the middle of it, and the lines that follow it stay relative.
func joinPaths(shapes string) string {
	for {
		m := twoPaths.FindStringSubmatchIndex(shapes)
		if m == nil {
			return shapes
		}
		part := twoPaths.FindStringSubmatch(shapes[m[0]:])
		line := ""
		if part[5] != "" {
			line = map[string]string{"m": "l", "M": "L"}[part[2]]
		}
		shapes = shapes[:m[0]] + fmt.Sprintf(`<path d="%sM%s %s%s%s`, part[1], part[3], part[4], line, part[5]) + shapes[m[1]:]
	}
}

// joinSprite joins web/icons/*.svg into web/sprite.svg, one <symbol> per icon.
func joinSprite(web string) error {
	files, err := filepath.Glob(filepath.Join(web, "icons", "*.svg")) // sorted
	if err != nil {
		return err
	}
	var out bytes.Buffer
	out.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" class="sprite" aria-hidden="true">` + "\n")
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		inside := svgInside.FindSubmatch(data)
		if inside == nil {
			return fmt.Errorf("%s is not an SVG picture", f)
		}
		shapes := strings.ReplaceAll(whitespace.ReplaceAllString(strings.TrimSpace(string(inside[1])), " "), " />", "/>")
		name := strings.TrimSuffix(filepath.Base(f), ".svg")
		fmt.Fprintf(&out, "<symbol id=\"i-%s\" viewBox=\"0 0 24 24\">%s</symbol>\n", name, joinPaths(strings.ReplaceAll(shapes, "> <", "><")))
	}
	out.WriteString("</svg>\n")
	return os.WriteFile(filepath.Join(web, "sprite.svg"), out.Bytes(), 0o644)
}
