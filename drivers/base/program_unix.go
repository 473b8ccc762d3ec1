//go:build unix

package base

import (
	"os/exec"
	"syscall"
)

// setOwnGroup keeps Ctrl-C of a terminal from the program, which ends when Mybot has
// ended, and lets what the program starts be ended with it.
func setOwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// isGroupLeft reports whether something runs that a program started, which itself has ended.
func isGroupLeft(cmd *exec.Cmd) bool { return syscall.Kill(-cmd.Process.Pid, 0) == nil }

func terminate(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
func kill(cmd *exec.Cmd)      { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
