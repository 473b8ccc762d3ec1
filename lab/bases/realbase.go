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

// A realBase is a base in its own process, with its own folder.
type realBase struct {
	folder  string
	address string // for --driver
	motors  motorLog
	process *exec.Cmd // nil = the driver that opens the address starts it
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

// startBase creates the folder of a base and starts it. If start fails, it cleans up.
func startBase(ctx context.Context, start func(context.Context, *realBase) error) (*realBase, error) {
	folder, err := os.MkdirTemp("", "mybot-base-")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	b := &realBase{folder: folder, motors: motorLog(filepath.Join(folder, "motors")), cancel: cancel}
	if err := start(ctx, b); err != nil {
		b.stop()
		return nil, err
	}
	return b, nil
}

// transports are the lines by which the simulated robot can be a base.
const (
	overTCP  = "tcp"
	overUnix = "unix"
	overPipe = "pipe" // as a child of the driver that opens its address
	overPTY  = "pty"  // at a pseudo terminal, which looks like a serial port to the driver
)

// startSim starts the simulated robot as a base over a transport.
func startSim(ctx context.Context, transport string) (*realBase, error) {
	return startBase(ctx, func(ctx context.Context, b *realBase) error {
		switch transport {
		case overTCP:
			return b.startAndRead(b.command(ctx, "-listen", "tcp:"+testbed.Loopback))
		case overUnix:
			return b.startAndRead(b.command(ctx, "-listen", "unix:"+filepath.Join(b.folder, "base.sock")))
		case overPipe:
			b.address = "exec:" + strings.Join(b.command(ctx).Args, " ")
			return nil
		default:
			b.address = "serial:" + b.terminal()
			return b.plug(ctx)
		}
	})
}

// command returns the command that starts the simulated base.
func (b *realBase) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := experiment.Child(ctx, SimPart, append([]string{"-motors", string(b.motors)}, args...)...)
	cmd.Args[0] = cmd.Path
	return cmd
}

// startAndRead starts a base that prints its address.
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

// plug creates the pseudo terminal, with a new base behind it.
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

// awaitTerminal waits until the pseudo terminal of the base exists.
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

// unplug removes the pseudo terminal and the base behind it.
func (b *realBase) unplug() error {
	err := b.process.Process.Kill()
	_ = b.process.Wait() // it was killed
	b.process = nil
	_ = os.Remove(b.terminal()) // the killed socat leaves it
	return err
}

// startsWithin is how long a base may take to start on a busy computer.
const startsWithin = 20 * time.Second
