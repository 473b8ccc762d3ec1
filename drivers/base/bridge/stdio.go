package bridge

import (
	"io"
	"net"
	"os/signal"
	"sync"
	"syscall"
)

// OneLine returns a listener for the one line over a program's standard input and
// output. Serve ends when the input ends. The goroutine that reads the input ends
// only with the program. By default a write to a standard output without a reader
// would end the program before it could brake; from now on such a write returns an
// error.
func OneLine(in io.Reader, out io.Writer) net.Listener {
	signal.Ignore(syscall.SIGPIPE)
	ours, theirs := net.Pipe()
	l := &oneLine{first: make(chan net.Conn, 1), ended: make(chan struct{})}
	l.first <- theirs
	go func() { _, _ = io.Copy(ours, in); l.end(); _ = ours.Close() }()
	go func() { _, _ = io.Copy(out, ours); l.end() }()
	return l
}

// oneLine is a listener with a single connection that exists from the start.
type oneLine struct {
	first chan net.Conn
	ended chan struct{}
	once  sync.Once
}

func (l *oneLine) end() { l.once.Do(func() { close(l.ended) }) }

// Accept returns the connection, and io.EOF when it has ended.
func (l *oneLine) Accept() (net.Conn, error) {
	select {
	case conn := <-l.first:
		return conn, nil
	case <-l.ended:
		return nil, io.EOF
	}
}

func (l *oneLine) Close() error   { l.end(); return nil }
func (l *oneLine) Addr() net.Addr { return stdio{} }

type stdio struct{}

func (stdio) Network() string { return "stdio" }
func (stdio) String() string  { return "standard input and output" }
