package main

import (
	"context"
	"errors"
	"io"
)

// hasLab says whether the experiments are part of this program: they freeze and kill
// processes by signals, which Windows does not have.
const hasLab = false

// labCommand returns an error that says so.
func labCommand(context.Context, []string, io.Writer, io.Writer) error {
	return errors.New("lab: the experiments need Linux or macOS; this program was built without them")
}
