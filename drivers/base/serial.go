package base

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"go.bug.st/serial"
)

// errStuck says that a serial port did not accept output in time.
var errStuck = errors.New("the port takes nothing")

// A serialPort is an open serial port. Closing it does not reset a microcontroller.
type serialPort struct {
	serial.Port
	device string
	lock   *os.File // keeps other programs from the port, even those with permission to open it twice

	closing  atomic.Bool
	writing  sync.Mutex // held while Write or Close uses the port
	deadline atomic.Pointer[time.Time]
}

// openSerial opens a port exclusively: 8 bits, no parity, one stop bit, no flow
// control.
func openSerial(device string, baud int) (Conn, error) {
	lock, err := lockSerial(device)
	if err != nil {
		return nil, explainSerial(device, baud, err)
	}
	port, err := serial.Open(device, &serial.Mode{BaudRate: baud})
	if err != nil {
		_ = lock.Close()
		return nil, explainSerial(device, baud, err)
	}
	return &serialPort{Port: port, device: device, lock: lock}, nil
}

// explainSerial says why a port cannot be opened.
func explainSerial(device string, baud int, err error) error {
	var port *serial.PortError
	code := serial.PortErrorCode(-1)
	if errors.As(err, &port) {
		code = port.Code()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) || code == serial.PortNotFound:
		return fmt.Errorf("there is no %s: is it plugged in? The folder /dev/serial/by-id names the serial ports that are there", device)
	case errors.Is(err, fs.ErrPermission) || code == serial.PermissionDenied:
		return fmt.Errorf("permission denied for %s: add the user that runs Mybot to the group dialout (sudo usermod -aG dialout USER), and log in again", device)
	case errors.Is(err, errBusy) || code == serial.PortBusy:
		return fmt.Errorf("%s is open in another program; close that one, such as a serial monitor", device)
	case code == serial.InvalidSpeed:
		return fmt.Errorf("%s does not know the baud rate %d", device, baud)
	case code == serial.InvalidSerialPort || errors.Is(err, errNoPort):
		return fmt.Errorf("%s is no serial port", device)
	}
	return fmt.Errorf("%s cannot be opened: %w", device, err)
}

// Read returns input; unplugging the device is an error with an explanation.
func (p *serialPort) Read(b []byte) (int, error) {
	n, err := p.Port.Read(b)
	if err != nil && !p.closing.Load() {
		if _, gone := os.Stat(p.device); gone != nil {
			return n, fmt.Errorf("%s is gone; was it unplugged?", p.device)
		}
		return n, fmt.Errorf("%s has hung up", p.device)
	}
	return n, err
}

func (p *serialPort) SetWriteDeadline(t time.Time) error {
	p.deadline.Store(&t)
	return nil
}

// Write waits until the port has accepted the bytes, at most until the deadline,
// and then drops the rest.
func (p *serialPort) Write(b []byte) (int, error) {
	p.writing.Lock()
	defer p.writing.Unlock()
	if p.closing.Load() {
		return 0, fs.ErrClosed
	}
	var late atomic.Bool
	if t := p.deadline.Load(); t != nil {
		timer := time.AfterFunc(time.Until(*t), func() { late.Store(true); _ = p.ResetOutputBuffer() })
		defer timer.Stop()
	}
	n, err := p.Port.Write(b)
	if late.Load() {
		return n, errStuck
	}
	return n, err
}

// SetBaud sets the rate, after what was written has left.
func (p *serialPort) SetBaud(baud int) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	if p.closing.Load() {
		return fs.ErrClosed
	}
	if err := errors.Join(p.Drain(), p.SetMode(&serial.Mode{BaudRate: baud})); err != nil {
		return explainSerial(p.device, baud, err)
	}
	return nil
}

// Close ends a Read and a Write that wait.
func (p *serialPort) Close() error {
	if p.closing.Swap(true) {
		return nil
	}
	for !p.writing.TryLock() { // flushing the port ends a blocked Write
		_ = p.ResetOutputBuffer()
		time.Sleep(time.Millisecond)
	}
	defer p.writing.Unlock()
	return errors.Join(p.Port.Close(), p.lock.Close())
}
