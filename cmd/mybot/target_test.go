package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

func TestARobotOfAnotherUserIsNamedWithWhatToDo(t *testing.T) {
	denied := fmt.Errorf("app: %w", &fs.PathError{Op: "open", Path: "/var/lib/mybot/server.json", Err: fs.ErrPermission})
	for err, want := range map[error]string{denied: "use sudo", fs.ErrNotExist: "--data DIR", errors.New("damaged"): "damaged"} {
		if got := explainAbsence(err); got == nil || !strings.Contains(got.Error(), want) {
			t.Errorf("%v is explained as %v", err, got)
		}
	}
	if err := explainAbsence(nil); err != nil {
		t.Errorf("a robot that was found is refused: %v", err)
	}
}
