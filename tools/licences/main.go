// Command licences gathers the licences of the program's modules into cmd/mybot/licences.txt,
// which `mybot licences` prints: the licences require that everyone who gets the program gets
// them.
//
//	go run -C tools ./licences
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// systems are those that the program is built for; each may need other modules.
var systems = []string{"linux", "darwin", "windows"}

var licence = regexp.MustCompile(`^(?i)(licen[cs]e|copying|notice|patents)(\.[a-z]+)?$`)

func main() {
	log.SetFlags(0)
	if err := writeLicences(".."); err != nil {
		log.Fatal("licences: ", err)
	}
}

// writeLicences gathers the licences for the program in the folder root.
func writeLicences(root string) error {
	folders, err := listModules(root)
	if err != nil {
		return err
	}
	of := map[string][]string{} // from texts to modules
	for name, folder := range folders {
		text, err := readTexts(folder)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if text == "" {
			return fmt.Errorf("%s has no licence in %s", name, folder)
		}
		of[text] = append(of[text], name)
	}
	var parts []string
	for text, names := range of {
		slices.Sort(names)
		parts = append(parts, strings.Join(names, "\n")+"\n\n"+text)
	}
	slices.Sort(parts)
	rule := "\n" + strings.Repeat("=", 80) + "\n\n"
	return os.WriteFile(filepath.Join(root, "cmd/mybot/licences.txt"), []byte(strings.Join(parts, rule)), 0o644) //nolint:gosec // everybody reads it
}

// listModules returns the folders of the modules whose packages are in the program,
// by name and version, and of the standard library.
func listModules(root string) (map[string]string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	folders := map[string]string{"The Go Programming Language and its standard library": strings.TrimSpace(string(out))}
	for _, system := range systems {
		list := exec.Command("go", "list", "-e", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/mybot")
		list.Dir, list.Stderr = root, os.Stderr
		list.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0", "GOWORK=off")
		out, err := list.Output()
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(out)) {
			if name, folder, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				folders[name] = folder
			}
		}
	}
	return folders, nil
}

// readTexts returns the licences in a folder.
func readTexts(folder string) (string, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	var all strings.Builder
	for _, f := range files {
		if f.IsDir() || !licence.MatchString(f.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			return "", err
		}
		if all.Len() > 0 {
			fmt.Fprintf(&all, "\n%s:\n\n", f.Name())
		}
		for line := range strings.Lines(string(bytes.ReplaceAll(text, []byte("\r"), nil))) {
			all.WriteString(strings.TrimRight(line, " \t\n") + "\n")
		}
	}
	return strings.TrimRight(all.String(), "\n") + "\n", nil
}
