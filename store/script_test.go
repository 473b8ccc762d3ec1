package store

import (
	"errors"
	"fmt"
	"testing"
)

func TestScriptsLastWithTheStore(t *testing.T) {
	dir := t.TempDir()
	s := reopened(t, dir)
	if err := errors.Join(
		s.PutScript("patrol", []byte("one")), s.PutScript("greeting", []byte("two")), s.PutScript("patrol", []byte("three")),
		s.DeleteScript("greeting", 7), s.DeleteScript("never saved", 3), s.Close(),
	); err != nil {
		t.Fatal(err)
	}
	if all, deleted, err := reopened(t, dir).Scripts(); err != nil || fmt.Sprintf("%s", all) != "map[patrol:three]" || deleted != 7 {
		t.Errorf("%s, %d, %v", all, deleted, err)
	}
}
