//go:build !unix

package base

import "os/exec"

func setOwnGroup(*exec.Cmd) {}

func isGroupLeft(*exec.Cmd) bool { return false } // unknown on this system

func terminate(*exec.Cmd) {} // this system has no signal for it
func kill(cmd *exec.Cmd)  { _ = cmd.Process.Kill() }
