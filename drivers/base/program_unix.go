//go:build unix

package base

import (
	"os/exec"
	"syscall"
)

// setOwnGroup puts the program into its own process group, so that Ctrl-C in a
// terminal does not reach it (Mybot ends it), and everything that it starts can be
// ended with it.
func setOwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// isGroupLeft reports whether the process group of a program that has ended still
// has processes.
func isGroupLeft(cmd *exec.Cmd) bool { return syscall.Kill(-cmd.Process.Pid, 0) == nil }

func terminate(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
func kill(cmd *exec.Cmd)      { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
