//go:build unix

package base

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

var (
	errBusy   = syscall.EBUSY
	errNoPort = errors.New("it is no terminal")
)

// lockSerial opens a serial port a second time, for two things that the library
// does not do: it keeps out other programs, and it leaves the modem lines unchanged
// on closing, because a falling line resets an Arduino.
func lockSerial(device string) (*os.File, error) {
	fd, err := unix.Open(device, unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), device)
	settings, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		_ = f.Close()
		return nil, errNoPort
	}
	if err = unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, errBusy
	}
	settings.Cflag &^= unix.HUPCL
	if err = unix.IoctlSetTermios(fd, setTermios, settings); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
