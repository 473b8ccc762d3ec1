package experiment

import (
	"context"
	"os"
	"os/exec"
)

// Child returns the command that runs this program as another of its parts. It
// is killed when ctx ends.
func Child(ctx context.Context, part string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], append([]string{"lab", part}, args...)...)
	cmd.Stderr = os.Stderr
	if self, err := os.Executable(); err == nil {
		cmd.Path = self
	}
	return cmd
}
