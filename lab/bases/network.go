package bases

import (
	"context"
	"net"
	"sync"

	"mybot/drivers/base"
	"mybot/lab/internal/testbed"
)

// A network connects a server and a base at a TCP port. It can delay what the base sends, as a
// queue does, and it can be cut.
type network struct {
	base     base.Address
	listener net.Listener
	queue    sync.RWMutex // locked while readings are delayed

	mu    sync.Mutex
	conns map[net.Conn]bool // of both sides
	cut   bool              // it accepts no connections
	parts sync.WaitGroup
}

// newNetwork starts a network. The caller closes it.
func newNetwork(ctx context.Context, where string) (*network, error) {
	address, err := base.ParseAddress(where)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", testbed.Loopback)
	if err != nil {
		return nil, err
	}
	n := &network{base: address, listener: l, conns: map[net.Conn]bool{}}
	n.parts.Go(func() {
		for {
			server, err := l.Accept()
			if err != nil {
				return
			}
			n.parts.Go(func() { n.join(ctx, server) })
		}
	})
	return n, nil
}

// address returns the address at which the server reaches the base.
func (n *network) address() string { return "tcp:" + n.listener.Addr().String() }

// join connects a server with the base until one of them ends.
func (n *network) join(ctx context.Context, server net.Conn) {
	defer n.forget(server)
	if !n.remember(server) {
		return
	}
	base, err := n.base.Dial(ctx)
	if err != nil {
		return
	}
	robot := base
	defer n.forget(robot)
	if !n.remember(robot) {
		return
	}
	var up sync.WaitGroup
	up.Go(func() {
		n.pass(robot, server, true)
		_ = server.Close()
	})
	n.pass(server, robot, false)
	_ = robot.Close()
	up.Wait()
}

// pass forwards bytes until one side has ended.
func (n *network) pass(from, to net.Conn, readings bool) {
	buffer := make([]byte, 4096)
	for {
		got, err := from.Read(buffer)
		if err != nil {
			return
		}
		if readings {
			n.queue.RLock()   // while it is locked, readings wait here and in the socket's buffers
			n.queue.RUnlock() //nolint:staticcheck // waiting is all
		}
		if _, err := to.Write(buffer[:got]); err != nil {
			return
		}
	}
}

func (n *network) remember(c net.Conn) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns[c] = !n.cut
	return !n.cut
}

func (n *network) forget(c net.Conn) {
	n.mu.Lock()
	delete(n.conns, c)
	n.mu.Unlock()
	_ = c.Close()
}

// pull closes all connections, by a reset if reset is set, and refuses new ones until plug.
func (n *network) pull(reset bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut = true
	for c := range n.conns {
		if tcp, ok := c.(*net.TCPConn); ok && reset {
			_ = tcp.SetLinger(0)
		}
		_ = c.Close()
	}
}

// plug lets servers connect again.
func (n *network) plug() {
	n.mu.Lock()
	n.cut = false
	n.mu.Unlock()
}

func (n *network) close() {
	_ = n.listener.Close()
	n.pull(false)
	n.parts.Wait()
}
