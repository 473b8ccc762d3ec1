package bases

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/testbed"
)

// A realBase is a base in a process of its own, with a folder of its own.
type realBase struct {
	folder  string
	address string    // for --driver
	motors  motorLog  // "" = it writes none
	process *exec.Cmd // nil = whoever opens the address starts it
	cancel  func()
}

// missing says that a program which an experiment needs is not installed.
type missing struct{ error }

// stop ends the base, waits until it is gone, and removes its folder.
func (b *realBase) stop() {
	b.cancel()
	if b.process != nil {
		_ = b.process.Wait() // it was killed
	}
	_ = os.RemoveAll(b.folder)
}

// prepare makes the folder of a base.
func prepare(ctx context.Context) (context.Context, *realBase, error) {
	folder, err := os.MkdirTemp("", "mybot-base-")
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	return ctx, &realBase{folder: folder, motors: motorLog(filepath.Join(folder, "motors")), cancel: cancel}, nil
}

// startSim starts the simulated robot as a base at a TCP port, or at a Unix socket.
func startSim(ctx context.Context, network string) (_ *realBase, err error) {
	ctx, b, err := prepare(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			b.stop()
		}
	}()
	listen := "tcp:" + testbed.Loopback
	if network == "unix" {
		listen = "unix:" + filepath.Join(b.folder, "base.sock")
	}
	cmd := experiment.Child(ctx, SimPart, "-listen", listen, "-motors", string(b.motors))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	b.process = cmd
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("the simulated base does not start: %w", err)
	}
	b.address = strings.TrimSpace(line)
	return b, nil
}
