package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestAStartRemovesTheIncompleteFilesOfAServerThatWasKilled(t *testing.T) {
	data := filepath.Join(t.TempDir(), "robot [1]")
	kept := []string{"pose.json", filepath.Join(tables, "cones-1"), filepath.Join("maps", "Lab [2]", "map.yaml")}
	for _, name := range append(slices.Clone(kept), ".pose.json.unfinished-1", filepath.Join(tables, ".cones-1.unfinished-2"), filepath.Join("maps", "Lab [2]", ".map.yaml.unfinished-3")) {
		at := filepath.Join(data, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	removeUnfinished(data, slog.New(slog.DiscardHandler))
	var left []string
	err := filepath.WalkDir(data, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			name, _ := filepath.Rel(data, path)
			left = append(left, name)
		}
		return err
	})
	slices.Sort(kept)
	slices.Sort(left)
	if err != nil || !slices.Equal(left, kept) {
		t.Errorf("what is left is %v, %v; want %v", left, err, kept)
	}
}
