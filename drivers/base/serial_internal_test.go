//go:build unix

package base

import (
	"fmt"
	"io/fs"
	"syscall"
	"testing"
)

// What the system says of a port becomes a sentence. The tests may run as a user who may
// open everything, so the system's answers are given.
func TestWhyAPortCannotBeOpenedIsExplained(t *testing.T) {
	const port = "/dev/ttyUSB0"
	for _, c := range []struct {
		err  error
		want string
	}{
		{syscall.EACCES, "permission denied for /dev/ttyUSB0: add the user that runs Mybot to the group dialout (sudo usermod -aG dialout USER), and log in again"},
		{syscall.EPERM, "permission denied for /dev/ttyUSB0: add the user that runs Mybot to the group dialout (sudo usermod -aG dialout USER), and log in again"},
		{&fs.PathError{Op: "open", Path: port, Err: syscall.EACCES}, "permission denied for /dev/ttyUSB0: add the user that runs Mybot to the group dialout (sudo usermod -aG dialout USER), and log in again"},
		{syscall.ENOENT, "there is no /dev/ttyUSB0: is it plugged in? The folder /dev/serial/by-id names the serial ports that are there"},
		{syscall.EBUSY, "/dev/ttyUSB0 is open in another program; close that one, such as a serial monitor"},
		{errNoPort, "/dev/ttyUSB0 is no serial port"},
		{fmt.Errorf("x: %w", syscall.EIO), "/dev/ttyUSB0 cannot be opened: x: input/output error"},
	} {
		if err := explainSerial(port, 115_200, c.err); err.Error() != c.want {
			t.Errorf("%v is explained by %q", c.err, err)
		}
	}
}
