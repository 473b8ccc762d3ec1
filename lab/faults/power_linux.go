package faults

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"mybot/lab/internal/experiment"
)

// The power is cut under a real file system: ext4 in a file, on a loop device. FS_IOC_SHUTDOWN
// without a flush of the log makes the kernel stop all writes to the device at once: data that
// was not synced is only in memory, and is gone when the file system is mounted again. xfstests
// cuts the power in the same way.
//
// The device keeps its writes, in order. The experiment does not cover disks that lose or
// reorder writes before a flush; ext4's barriers are for those.

const (
	powerFileSystem = "ext4"
	powerDisk       = 64 << 20 // bytes
	powerWithin     = 80 * time.Millisecond
	fsShutdown      = 0x8004587d // FS_IOC_SHUTDOWN
	withoutFlush    = 2          // FS_SHUTDOWN_FLAGS_NOLOGFLUSH
)

// powerMissing returns what this computer lacks to cut the power; "" = nothing.
func powerMissing() string {
	if os.Geteuid() != 0 {
		return "mounting a file system needs root"
	}
	for _, tool := range []string{"mkfs.ext4", "mount", "umount"} {
		if _, err := exec.LookPath(tool); err != nil {
			return tool + " is not installed"
		}
	}
	if _, err := os.Stat("/dev/loop-control"); err != nil {
		return "there are no loop devices"
	}
	return ""
}

// cutPower runs writers in succession on the same disk and cuts the power under each.
func cutPower(ctx context.Context, cuts int, careless bool, rng *rand.Rand) (*powerLedger, error) {
	type outcome struct {
		*powerLedger
		error
	}
	done := make(chan outcome)
	go func() {
		// Only this thread and the processes that it starts see the file system. It is
		// unmounted with them, whatever ends this program. The thread ends with the goroutine.
		runtime.LockOSThread()
		l, err := cutAlone(ctx, cuts, careless, rng)
		done <- outcome{l, err}
	}()
	o := <-done
	return o.powerLedger, o.error
}

func cutAlone(ctx context.Context, cuts int, careless bool, rng *rand.Rand) (l *powerLedger, err error) {
	if err := syscall.Unshare(syscall.CLONE_NEWNS); err != nil {
		return nil, fmt.Errorf("unshare: %w", err)
	}
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return nil, fmt.Errorf("making mounts private: %w", err)
	}
	dir, err := os.MkdirTemp("", "mybot-power-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	d := disk{image: filepath.Join(dir, "disk"), at: filepath.Join(dir, "mounted")}
	if err := d.makeDisk(ctx); err != nil {
		return nil, err
	}
	l = newPowerLedger()
	for cut := range cuts + 1 {
		if err := d.mountDisk(ctx); err != nil {
			return nil, err
		}
		within := powerWithin
		if cut == cuts {
			within = 0 // the last writer only reads
		}
		err := d.cutUnderWriter(ctx, l, cut, careless, within, rng)
		if err := errors.Join(err, ctx.Err(), d.unmountDisk()); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// A disk is a file with a file system in it.
type disk struct{ image, at string }

func (d disk) makeDisk(ctx context.Context) error {
	if err := os.WriteFile(d.image, nil, 0o600); err != nil {
		return err
	}
	if err := os.Truncate(d.image, powerDisk); err != nil {
		return err
	}
	if err := os.Mkdir(d.at, 0o700); err != nil {
		return err
	}
	if err := layPowerMap(d.at); err != nil {
		return err
	}
	return runTool(ctx, "mkfs.ext4", "-q", "-F", d.image)
}

func (d disk) mountDisk(ctx context.Context) error {
	return runTool(ctx, "mount", "-o", "loop", d.image, d.at)
}

// unmountDisk ignores ctx: the file system must be unmounted in any case.
func (d disk) unmountDisk() error { return runTool(context.Background(), "umount", d.at) }

func runTool(ctx context.Context, name string, args ...string) error {
	if out, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(out))
	}
	return nil
}

// cutUnderWriter starts a writer, reads what it finds, and cuts the power under it.
func (d disk) cutUnderWriter(ctx context.Context, l *powerLedger, cut int, careless bool, within time.Duration, rng *rand.Rand) (err error) {
	cmd := experiment.Child(ctx, "power-writer", "-data", d.at, "-careless="+strconv.FormatBool(careless), "-seed", strconv.FormatUint(rng.Uint64(), 10))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		_ = cmd.Process.Kill() // an error means that it has ended by itself, as its disk has
		_ = cmd.Wait()
	}()
	lines := bufio.NewReader(out)
	var found map[string]uint64
	first, err := lines.ReadBytes('\n')
	if err != nil || json.Unmarshal(first, &found) != nil {
		_ = cmd.Wait()
		return fmt.Errorf("after cut %d the robot cannot read its disk: %s %s", cut, first, &said)
	}
	l.compareWith(cut, found)
	if within > 0 {
		wait := time.NewTimer(time.Duration(rng.Int64N(int64(within))))
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	// Only what the writer has reported by now was acknowledged before the cut. The writer
	// continues meanwhile, because the kernel may report success for a sync that the cut
	// interrupts, and a signal to stop the writer reaches its threads at different times, late
	// on a busy computer.
	before, err := readWaiting(lines, out)
	if err != nil {
		return err
	}
	if err := d.shutDown(); err != nil {
		return err
	}
	_ = cmd.Process.Kill() // an error means that it has ended by itself
	if within == 0 {
		return nil
	}
	after, err := io.ReadAll(lines)
	if err != nil {
		return err
	}
	return l.readLines(before, after)
}

// readWaiting returns what a pipe contains now, without waiting for more.
func readWaiting(buffered *bufio.Reader, pipe io.Reader) ([]byte, error) {
	data := make([]byte, buffered.Buffered())
	if _, err := io.ReadFull(buffered, data); err != nil {
		return nil, err
	}
	conn, err := pipe.(syscall.Conn).SyscallConn()
	if err != nil {
		return nil, err
	}
	waiting := make([]byte, 1<<16) // the capacity of a pipe
	var n int
	var failed error
	err = conn.Read(func(fd uintptr) bool {
		n, failed = syscall.Read(int(fd), waiting) //nolint:gosec // a file descriptor is an int
		return true
	})
	if errors.Is(failed, syscall.EAGAIN) {
		n, failed = 0, nil
	}
	return append(data, waiting[:max(n, 0)]...), errors.Join(err, failed)
}

// shutDown makes the file system stop all writes to its device.
func (d disk) shutDown() error {
	root, err := os.Open(d.at)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // nothing was written
	flags := uint32(withoutFlush)
	_, _, no := syscall.Syscall(syscall.SYS_IOCTL, root.Fd(), fsShutdown, uintptr(unsafe.Pointer(&flags)))
	if no != 0 {
		return fmt.Errorf("cutting the power: %w", no)
	}
	return nil
}
