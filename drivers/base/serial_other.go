//go:build !unix

package base

import (
	"errors"
	"os"
)

var (
	errBusy   = errors.New("the port is open")
	errNoPort = errors.New("it is no port")
)

// lockSerial does nothing, because this system lets only one program open a port.
func lockSerial(string) (*os.File, error) { return os.Open(os.DevNull) }
