package bases

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/testbed"
)

// A realBase is a base in a process of its own, with a folder of its own.
type realBase struct {
	folder  string
	address string // for --driver
	motors  motorLog
	process *exec.Cmd // nil = whoever opens the address starts it
	cancel  func()
}

// stop ends the base, waits until it is gone, and removes its folder.
func (b *realBase) stop() {
	b.cancel()
	if b.process != nil {
		_ = b.process.Process.Kill()
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

// transports are the lines over which the simulated robot is a base.
const (
	overTCP  = "tcp"
	overUnix = "unix"
	overPipe = "pipe" // as a child of whoever opens its address
	overPTY  = "pty"  // at a pseudo terminal, which is a serial port to who opens it
)

// startSim starts the simulated robot as a base over a transport.
func startSim(ctx context.Context, transport string) (_ *realBase, err error) {
	ctx, b, err := prepare(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			b.stop()
		}
	}()
	switch transport {
	case overTCP:
		err = b.startAndRead(b.command(ctx, "-listen", "tcp:"+testbed.Loopback))
	case overUnix:
		err = b.startAndRead(b.command(ctx, "-listen", "unix:"+filepath.Join(b.folder, "base.sock")))
	case overPipe:
		b.address = "exec:" + strings.Join(b.command(ctx).Args, " ")
	case overPTY:
		b.address = "serial:" + b.terminal()
		err = b.plug(ctx)
	}
	return b, err
}

// command returns what starts the simulated base.
func (b *realBase) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := experiment.Child(ctx, SimPart, append([]string{"-motors", string(b.motors)}, args...)...)
	cmd.Args[0] = cmd.Path
	return cmd
}

// startAndRead starts a base that prints the address at which it waits.
func (b *realBase) startAndRead(cmd *exec.Cmd) error {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	b.process = cmd
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return fmt.Errorf("the base does not start: %w", err)
	}
	b.address = strings.TrimSpace(line)
	return nil
}

// terminal returns the name of the pseudo terminal of the base.
func (b *realBase) terminal() string { return filepath.Join(b.folder, "tty") }

// plug makes the pseudo terminal, with a new base behind it.
func (b *realBase) plug(ctx context.Context) error {
	socat, err := exec.LookPath("socat")
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, socat, "pty,raw,echo=0,link="+b.terminal(), "exec:'"+strings.Join(b.command(ctx, "-checked").Args, " ")+"'")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	b.process = cmd
	return b.awaitTerminal(ctx)
}

// awaitTerminal waits until the pseudo terminal of the base is there.
func (b *realBase) awaitTerminal(ctx context.Context) error {
	for late := time.Now().Add(startsWithin); ; {
		_, err := os.Stat(b.terminal())
		if err == nil {
			return nil
		}
		if time.Now().After(late) {
			return err
		}
		if err := pause(ctx, lookEvery); err != nil {
			return err
		}
	}
}

// unplug has the pseudo terminal go, and the base behind it.
func (b *realBase) unplug() error {
	err := b.process.Process.Kill()
	_ = b.process.Wait() // it was killed
	b.process = nil
	_ = os.Remove(b.terminal()) // socat was killed and leaves it
	return err
}

// startsWithin is how long a base may take to start on a busy computer.
const startsWithin = 20 * time.Second
