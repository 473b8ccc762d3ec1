package base

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// An Address is where a base is: at a TCP port or a Unix socket, at a serial port,
// or in a child process.
type Address struct {
	network string // tcp, unix, serial or exec
	where   string // HOST:PORT, PATH, DEVICE or COMMAND
	baud    int    // of a serial port
	name    string // for people; "" = built from the other fields
}

// defaultBaud is the default speed of a serial port, in bit/s.
const defaultBaud = 115_200

const examples = "tcp:192.168.1.7:7400, unix:/run/base.sock, serial:/dev/ttyUSB0@115200 or exec:./base.py"

// ParseAddress parses tcp:HOST:PORT, unix:PATH, serial:DEVICE[@BAUD] or
// exec:COMMAND.
func ParseAddress(s string) (Address, error) {
	a, err := ParseListen(s)
	if _, port, _ := net.SplitHostPort(a.where); err == nil && a.network == "tcp" {
		if n, _ := net.LookupPort("tcp", port); n == 0 {
			return Address{}, fmt.Errorf("the address %q has the port 0, at which no base can be; it should be a number from 1 to 65535, as in tcp:127.0.0.1:7401", s)
		}
	}
	return a, err
}

// ParseListen is ParseAddress for a base that waits at the address, where the port 0
// stands for any free one.
func ParseListen(s string) (Address, error) {
	network, where, _ := strings.Cut(s, ":")
	a := Address{network: network, where: where}
	switch network {
	case "tcp":
		if host, port, err := net.SplitHostPort(where); err != nil || host == "" || port == "" {
			return Address{}, fmt.Errorf("the address %q has no host and port; it should be like tcp:127.0.0.1:7401", s)
		} else if _, err := net.LookupPort("tcp", port); err != nil {
			return Address{}, fmt.Errorf("the address %q has the port %q; it should be a number from 1 to 65535, as in tcp:127.0.0.1:7401", s, port)
		}
	case "unix":
		if where == "" {
			return Address{}, fmt.Errorf("the address %q has no path; it should be like unix:/run/base.sock", s)
		}
	case "serial":
		a.baud = defaultBaud
		if at := strings.LastIndexByte(where, '@'); at >= 0 {
			baud, err := strconv.Atoi(where[at+1:])
			if err != nil || baud <= 0 {
				return Address{}, fmt.Errorf("the address %q has no baud rate behind the @; it should be like serial:/dev/ttyUSB0@115200", s)
			}
			a.where, a.baud = where[:at], baud
		}
		if a.where == "" {
			return Address{}, fmt.Errorf("the address %q has no device; it should be like serial:/dev/ttyUSB0@115200", s)
		}
	case "exec":
		if words, err := splitCommand(where); err != nil || len(words) == 0 {
			return Address{}, fmt.Errorf("the address %q has no command; it should be like exec:./base.py --fast 'my robot'", s)
		}
	default:
		return Address{}, fmt.Errorf("the address %q should be like %s", s, examples)
	}
	return a, nil
}

// Named returns the address with another name for people.
func (a Address) Named(text string) Address {
	a.name = text
	return a
}

func (a Address) String() string {
	if a.name != "" {
		return a.name
	}
	if a.network == "serial" {
		return fmt.Sprintf("serial:%s@%d", a.where, a.baud)
	}
	return a.network + ":" + a.where
}

// place returns the address as every page may show it: of a command without its arguments,
// which may have a password.
func (a Address) place() string {
	if words, err := splitCommand(a.where); a.network == "exec" && a.name == "" && err == nil && len(words) > 1 {
		return "exec:" + words[0] + " ..."
	}
	return a.String()
}

// IsLocal reports whether only programs on this computer reach the address. A
// line has no login.
func (a Address) IsLocal() bool {
	if a.network != "tcp" {
		return true
	}
	host, _, _ := net.SplitHostPort(a.where)
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// IsChecked reports whether every line must have a checksum, because bytes can be
// lost or changed on a serial port.
func (a Address) IsChecked() bool { return a.network == "serial" }

// IsShared reports whether several programs can connect to the base, so that the
// base notices when one of them disconnects.
func (a Address) IsShared() bool { return a.network == "tcp" || a.network == "unix" }

// Listen listens for Mybot at the address.
func (a Address) Listen(ctx context.Context) (net.Listener, error) {
	if !a.IsShared() {
		return nil, fmt.Errorf("a base cannot wait at %s; it can at an address like tcp:127.0.0.1:7401 or unix:/run/base.sock", a)
	}
	l, err := new(net.ListenConfig).Listen(ctx, a.network, a.where)
	if err != nil {
		return nil, fmt.Errorf("a base cannot wait at %s: %w", a, findReason(err))
	}
	return l, nil
}

// A Dialer opens the line to a base, repeatedly. One goroutine uses it.
type Dialer func(context.Context) (Conn, error)

// Dialer returns a function that opens the line to the base at the address. The
// standard error of a child process goes into the log.
func (a Address) Dialer(log *slog.Logger) Dialer {
	switch a.network {
	case "serial":
		return func(context.Context) (Conn, error) { return openSerial(a.where, a.baud) }
	case "exec":
		p := &program{command: a.where, log: log}
		return func(context.Context) (Conn, error) { return p.start() }
	}
	return func(ctx context.Context) (Conn, error) { return a.Dial(ctx) }
}

// Dial connects to the base at a TCP port or a Unix socket.
func (a Address) Dial(ctx context.Context) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, a.network, a.where)
	if err != nil {
		return nil, fmt.Errorf("no base answers at %s: %w", a, findReason(err))
	}
	return conn, nil
}

// findReason returns an error of the network without the address.
func findReason(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}
