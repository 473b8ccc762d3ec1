package app

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mybot/store/atomicfile"
)

// tables is the folder for data computed from maps, in the state directory, and
// maxTables how many files it may have.
const (
	tables    = "tables"
	maxTables = 4
)

// Tables is a localization.Cache in a folder; "" stores nothing. What cannot be
// stored is computed again.
type Tables string

// Get returns the data of the key, and notes that it was used.
func (t Tables) Get(key string) ([]byte, bool) {
	if t == "" {
		return nil, false
	}
	file := filepath.Join(string(t), key)
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, false
	}
	_ = os.Chtimes(file, time.Time{}, time.Now()) // otherwise it is only dropped earlier
	return data, true
}

// Put stores data. Of the data whose keys have the same prefix, up to a hyphen, it retains
// only what was used last.
func (t Tables) Put(key string, data []byte) {
	if t == "" || os.MkdirAll(string(t), 0o700) != nil || atomicfile.Write(filepath.Join(string(t), key), data, 0o600) != nil {
		return
	}
	entries, err := os.ReadDir(string(t))
	if err != nil {
		return
	}
	kind, _, _ := strings.Cut(key, "-")
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), kind+"-") })
	age := func(e fs.DirEntry) time.Time {
		if i, err := e.Info(); err == nil {
			return i.ModTime()
		}
		return time.Time{}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		return cmp.Or(age(b).Compare(age(a)), cmp.Compare(a.Name(), b.Name()))
	})
	for _, e := range entries[min(len(entries), maxTables):] {
		_ = os.Remove(filepath.Join(string(t), e.Name()))
	}
}
