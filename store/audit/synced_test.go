package audit

import (
	"path/filepath"
	"testing"

	"mybot/robot/robottest"
)

func TestEveryLineHasReachedTheDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	record(t, path, 3)
	robottest.MustBeSynced(t, path)
}
