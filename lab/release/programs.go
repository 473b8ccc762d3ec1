package release

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// compareReleases returns the differences between two releases, one sentence each.
func compareReleases(a, b string) ([]string, error) {
	first, err := listFiles(a)
	if err != nil {
		return nil, err
	}
	second, err := listFiles(b)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(first, second)
	slices.Sort(all)
	var different []string
	for _, name := range slices.Compact(all) {
		if !slices.Contains(first, name) || !slices.Contains(second, name) {
			different = append(different, name+" is in one of the two releases only")
			continue
		}
		one, err := os.ReadFile(filepath.Join(a, name))
		if err != nil {
			return nil, err
		}
		other, err := os.ReadFile(filepath.Join(b, name))
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(one, other) {
			different = append(different, name+" differs between two builds")
		}
	}
	if len(all) == 0 {
		different = append(different, "nothing was built")
	}
	return different, nil
}

// listFiles returns the files in a folder and below.
func listFiles(folder string) ([]string, error) {
	var names []string
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// examinePrograms returns the number of programs in a release, and which of them are not
// static, one sentence each.
func examinePrograms(release string) (count int, dynamic []string, err error) {
	paths, err := filepath.Glob(filepath.Join(release, "programs", "*", "mybot*"))
	if err != nil {
		return 0, nil, err
	}
	for _, path := range paths {
		libraries, err := listLibraries(path)
		if err != nil {
			return 0, nil, fmt.Errorf("%s: %w", path, err)
		}
		if len(libraries) > 0 {
			dynamic = append(dynamic, fmt.Sprintf("%s needs %s", path, strings.Join(libraries, ", ")))
		}
	}
	return len(paths), dynamic, nil
}

// listLibraries returns the libraries, including the dynamic loader, that a program needs
// besides those of its system. On macOS and Windows, Go always needs libraries of the system.
func listLibraries(path string) ([]string, error) {
	if f, err := elf.Open(path); err == nil {
		defer f.Close() //nolint:errcheck // it was only read
		libraries, err := f.ImportedLibraries()
		for _, p := range f.Progs {
			if p.Type == elf.PT_INTERP {
				libraries = append(libraries, "a dynamic loader")
			}
		}
		return libraries, err
	}
	ofSystem := func(library string) bool {
		return strings.HasPrefix(library, "/usr/lib/") || strings.HasPrefix(library, "/System/Library/")
	}
	if f, err := macho.Open(path); err == nil {
		defer f.Close() //nolint:errcheck // it was only read
		libraries, err := f.ImportedLibraries()
		return slices.DeleteFunc(libraries, ofSystem), err
	}
	f, err := pe.Open(path)
	if err != nil {
		return nil, fmt.Errorf("it is a program of no system that is known: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	libraries, err := f.ImportedLibraries()
	return slices.DeleteFunc(libraries, func(l string) bool { return strings.EqualFold(l, "kernel32.dll") }), err
}
