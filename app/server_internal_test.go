package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mybot/robot"
	"mybot/robot/models/modelstest"
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

func TestARobotThatIsTooFastForItsSensorsIsNamedInTheLog(t *testing.T) {
	fast, far := modelstest.Mybot(t), modelstest.Mybot(t)
	for i := range fast.Sonars {
		fast.Sonars[i].Max = 0.8
	}
	fast.Safe.Linear = 1
	for desc, want := range map[*robot.Description]string{&fast: "safe.linear_m_s", &far: ""} {
		var said strings.Builder
		warnOfShortSight(slog.New(slog.NewTextHandler(&said, nil)), *desc)
		if want == "" && said.Len() > 0 || !strings.Contains(said.String(), want) {
			t.Errorf("it says %q, want %q", said.String(), want)
		}
	}
}
