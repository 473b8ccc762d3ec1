package base

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// An Address is where a base waits for Mybot: a TCP port or a Unix socket.
type Address struct {
	network string // tcp or unix
	where   string // HOST:PORT or PATH
}

// ParseAddress reads tcp:HOST:PORT or unix:PATH.
func ParseAddress(s string) (Address, error) {
	network, where, _ := strings.Cut(s, ":")
	switch network {
	case "tcp":
		if host, port, err := net.SplitHostPort(where); err != nil || host == "" || port == "" {
			return Address{}, fmt.Errorf("the address %q has no host and port; it should be like tcp:127.0.0.1:7401", s)
		}
	case "unix":
		if where == "" {
			return Address{}, fmt.Errorf("the address %q has no path; it should be like unix:/run/base.sock", s)
		}
	default:
		return Address{}, fmt.Errorf("the address %q should be like tcp:127.0.0.1:7401 or unix:/run/base.sock", s)
	}
	return Address{network, where}, nil
}

func (a Address) String() string { return a.network + ":" + a.where }

// IsLocal reports whether only programs on this computer reach the address. On a
// line nobody has to log in.
func (a Address) IsLocal() bool {
	if a.network == "unix" {
		return true
	}
	host, _, _ := net.SplitHostPort(a.where)
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// Listen waits for Mybot at the address.
func (a Address) Listen(ctx context.Context) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, a.network, a.where)
	if err != nil {
		return nil, fmt.Errorf("a base cannot wait at %s: %w", a, reason(err))
	}
	return l, nil
}

// Dial connects to the base at the address.
func (a Address) Dial(ctx context.Context) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, a.network, a.where)
	if err != nil {
		return nil, fmt.Errorf("no base answers at %s: %w", a, reason(err))
	}
	return conn, nil
}

// reason returns an error of the network without the address.
func reason(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}
