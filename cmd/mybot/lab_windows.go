package main

import (
	"context"
	"errors"
	"io"
)

// hasLab is true if this program contains the experiments, which freeze and kill processes by
// signals. Windows does not have these.
const hasLab = false

// labCommand returns an error that says that there are no experiments.
func labCommand(context.Context, []string, io.Writer, io.Writer) error {
	return errors.New("lab: the experiments need Linux or macOS; this program was built without them")
}
