package experiment

import (
	"context"
	"os"
	"os/exec"
)

// Child returns a command that runs another part of this program as a process. The end of ctx
// kills it.
func Child(ctx context.Context, part string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], append([]string{"lab", part}, args...)...)
	cmd.Stderr = os.Stderr
	if self, err := os.Executable(); err == nil {
		cmd.Path = self
	}
	return cmd
}
