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
		s.DeleteScript("greeting"), s.DeleteScript("never saved"), s.Close(),
	); err != nil {
		t.Fatal(err)
	}
	if all, err := reopened(t, dir).Scripts(); err != nil || fmt.Sprintf("%s", all) != "map[patrol:three]" {
		t.Errorf("%s, %v", all, err)
	}
}
