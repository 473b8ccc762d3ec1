package app

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"

	"mybot/script"
)

// DefaultListen is where a robot listens without --listen, and DefaultUrbi where it
// serves scripts without --urbi.
const (
	DefaultListen = "127.0.0.1:8080"
	DefaultUrbi   = "127.0.0.1:" + script.DefaultPort
)

// ports is how many ports, starting at the default one, are tried.
const ports = 20

// An AddressError says what is wrong with an address to listen on, and what
// would be right.
type AddressError struct{ Sentence string }

func (e AddressError) Error() string { return e.Sentence }

// Listen listens at addr, "host:port", on this computer. An empty addr means
// DefaultListen or, if its port is taken, the next free one: moved is then true.
// The error is a sentence that says what to write instead.
func Listen(addr string) (ln net.Listener, moved bool, err error) {
	return address{"--listen", DefaultListen, "0.0.0.0:8080"}.listen(addr)
}

// ListenUrbi is Listen for the port for scripts, with DefaultUrbi.
func ListenUrbi(addr string) (ln net.Listener, moved bool, err error) {
	return address{"--urbi", DefaultUrbi, "0.0.0.0:" + script.DefaultPort}.listen(addr)
}

// An address is what a flag with an address to listen on says.
type address struct {
	flag    string
	usual   string // for this computer only
	network string // an example for the network
}

func (a address) listen(addr string) (ln net.Listener, moved bool, err error) {
	if addr != "" {
		if err := a.check(addr); err != nil {
			return nil, false, err
		}
		ln, err := net.Listen("tcp", addr)
		if errors.Is(err, syscall.EADDRINUSE) {
			err = fmt.Errorf("another program uses the port of %s: stop it, or choose another port with %s (%w)", addr, a.flag, err)
		}
		if err != nil {
			return nil, false, fmt.Errorf("app: %w", err)
		}
		return ln, false, nil
	}
	first := netip.MustParseAddrPort(a.usual)
	for port := first.Port(); port < first.Port()+ports; port++ {
		ln, err = net.Listen("tcp", netip.AddrPortFrom(first.Addr(), port).String())
		if err == nil {
			return ln, port != first.Port(), nil
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
	}
	return nil, false, fmt.Errorf("app: no port from %d to %d is free: choose one with %s (%w)", first.Port(), first.Port()+ports-1, a.flag, err)
}

// check returns what is wrong with an address to listen on.
func (a address) check(addr string) error {
	wrong := func(format string, args ...any) error {
		return AddressError{fmt.Sprintf("%s %q "+format+", such as %s for this computer only or %s for the network", append(append([]any{a.flag, addr}, args...), a.usual, a.network)...)}
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return wrong("is not an address: write HOST:PORT")
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return wrong("has the port %q: write a number from 0 to 65535", port)
	}
	if _, err := netip.ParseAddr(host); err != nil && host != "" && host != "localhost" {
		return wrong("has the host %q: write an address of this computer", host)
	}
	return nil
}

// onNetwork reports whether other computers can reach the address.
func onNetwork(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return !ok || !tcp.IP.IsLoopback()
}

// Reachable returns the addresses at which other computers reach a server on addr,
// the best first. Link-local addresses are left out.
func Reachable(addr net.Addr) []string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || tcp.IP.IsLoopback() {
		return nil
	}
	if !tcp.IP.IsUnspecified() {
		return []string{tcp.IP.String()}
	}
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil // the addresses are only shown to people
	}
	var four, six []string
	for _, a := range all {
		n, ok := a.(*net.IPNet)
		switch {
		case !ok || n.IP.IsLoopback() || n.IP.IsLinkLocalUnicast():
		case n.IP.To4() != nil:
			four = append(four, n.IP.String())
		default:
			six = append(six, n.IP.String())
		}
	}
	if tcp.IP.To4() != nil {
		return four
	}
	return append(four, six...)
}
