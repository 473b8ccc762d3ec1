//go:build !unix

package base

import "os/exec"

func setOwnGroup(*exec.Cmd) {}

func isGroupLeft(*exec.Cmd) bool { return false } // it is not known

func terminate(*exec.Cmd) {} // there is no polite signal
func kill(cmd *exec.Cmd)  { _ = cmd.Process.Kill() }
