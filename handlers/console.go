package handlers

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"mybot/ratelimit"
	"mybot/session"
)

// The console of a page is a connection of the port for scripts over a WebSocket: each frame
// of text is a piece of the program, and what the robot says comes as one frame for each
// line. An empty line is the page's sign of life, and the answer to it that of the robot. The
// console ends with its WebSocket.
const (
	consolePath     = "/ws/console"
	consoleProtocol = "mybot.console.v1"
)

// A consoleUser is the person at a console.
type consoleUser struct {
	session.Identity
	token string
	hide  func(unit string) (end func()) // keeps the lines of the unit from everyone else
}

// serveConsole serves the console of a page until it ends.
func (h *Handler) serveConsole(w http.ResponseWriter, r *http.Request) {
	if h.cfg.Console == nil {
		writeSentence(w, http.StatusNotFound, "This robot has no console.")
		return
	}
	raw, ok := h.upgrade(w, r, consoleProtocol)
	if !ok {
		return
	}
	defer raw.release()
	c := callerOf(r)
	s := &socket{raw: raw.conn}
	s.countsToward(c)
	if !h.sockets.addSocket(s) {
		s.close(closeTryAgain, h.sockets.explainRefusal(), nil)
		return
	}
	defer h.sockets.removeSocket(s)
	ctx, cancel := context.WithCancel(r.Context())
	var beside sync.WaitGroup
	defer beside.Wait()
	defer cancel()
	beside.Go(func() {
		select {
		case <-h.closing:
			cancel()
		case <-ctx.Done():
		}
	})
	conn := &consoleConn{sharedConn: raw.conn, in: newFrameReader(raw.in, raw.conn), socket: s}
	h.cfg.Console.serve(ctx, newConsoleConn(h.cfg.Console, conn, c, h.lines.hide))
}

// newConsoleConn returns the connection of a console.
func newConsoleConn(p *UrbiPort, conn net.Conn, by caller, hide func(unit string) (end func())) *urbiConn {
	c := newUrbiConn(p, conn)
	c.console = &consoleUser{by.Identity, by.token, hide}
	if by.address.IsValid() {
		c.address, c.network = by.address, ratelimit.Network(by.address)
	}
	return c
}

// beginConsole licenses the unit of a console whose person has control, and says otherwise
// why it may not move the robot.
func (c *urbiConn) beginConsole(ctx context.Context) {
	if err := c.port.cfg.Session.LicenseScriptUnit(ctx, c.unit); err != nil {
		c.out.put([]byte("[..:held] *** "+err.Error()+"\n"), nil)
	}
}

// A consoleConn is the WebSocket of a console as a stream: it reads the text of the frames,
// and writes each line as a frame.
type consoleConn struct {
	*sharedConn
	in     *frameReader
	rest   []byte // of the last frame
	socket *socket
}

// Read reads the text of the frames. A frame that cannot be read ends the console with a
// sentence.
func (c *consoleConn) Read(p []byte) (int, error) {
	for len(c.rest) == 0 {
		message, err := c.in.nextMessage()
		if wrong := (closeError{}); errors.As(err, &wrong) {
			return 0, refusedError("The console is closed: " + wrong.reason + ".")
		}
		if err != nil {
			return 0, err
		}
		c.rest = message
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// Write writes a line as a frame. The caller writes whole lines.
func (c *consoleConn) Write(p []byte) (int, error) {
	return len(p), c.writeText(bytes.TrimSuffix(p, []byte("\n")))
}

// Close says goodbye and closes the connection. It waits briefly for the page to do the same,
// because closing with unread data can destroy the last lines on their way.
func (c *consoleConn) Close() error {
	_ = c.SetDeadline(time.Time{}) // the socket bounds the time
	c.socket.close(closeGoingAway, "", nil)
	return nil
}
