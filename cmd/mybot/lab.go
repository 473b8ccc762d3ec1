//go:build !windows

package main

import (
	"context"
	"errors"
	"io"

	"mybot/lab"
)

// hasLab is true if this program contains the experiments, which freeze and kill processes by
// signals.
const hasLab = true

// labCommand runs an experiment.
func labCommand(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	err := lab.Run(ctx, args, stdout, stderr)
	if errors.Is(err, lab.ErrUsage) {
		return usageError{err}
	}
	return err
}
