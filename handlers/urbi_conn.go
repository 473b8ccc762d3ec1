package handlers

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mybot/script"
	"mybot/session"
)

// An urbiConn is one connection of the port for scripts. The goroutine of serve reads from
// it, another one writes, and a third one watches for silence.
type urbiConn struct {
	port    *UrbiPort
	raw     net.Conn // without TLS
	conn    net.Conn
	address netip.Addr
	network netip.Prefix
	out     urbiOutbox
	console *consoleUser // nil = a program over TCP

	token string // that was presented
	unit  string // "" = not yet open

	mu       sync.Mutex
	heard    time.Time // when it last sent something
	isSilent bool      // its unit is held because it is silent
	begun    time.Time // when the command that is not yet complete began; zero = there is none
}

func newUrbiConn(p *UrbiPort, raw net.Conn) *urbiConn {
	c := &urbiConn{port: p, raw: raw, conn: raw, heard: time.Now()}
	c.address, c.network = networkOf(raw)
	c.out.wake = make(chan struct{}, 1)
	return c
}

// say sends a line of the port itself, which has no time, directly to the connection. Only
// for when no lines of the unit are sent. Over TLS this may begin with the handshake, which
// also reads.
func (c *urbiConn) say(tag, text string) {
	_ = c.conn.SetDeadline(time.Now().Add(urbiByeWithin))
	_, _ = fmt.Fprintf(c.conn, "[..:%s] %s\n", tag, text)
}

// interrupt ends the reading of serve. Writing ends soon after, because the goroutine that
// reads also writes: it answers pings, and takes part in the handshake of TLS.
func (c *urbiConn) interrupt() {
	_ = c.raw.SetReadDeadline(time.Unix(1, 0))
	_ = c.raw.SetWriteDeadline(time.Now().Add(urbiByeWithin))
}

// close closes the connection. It first discards a little of what was sent and not read,
// because closing with unread data can destroy the last line on its way.
func (c *urbiConn) close() {
	if secure, ok := c.conn.(*tls.Conn); ok {
		_ = secure.CloseWrite()
	}
	if half, ok := c.raw.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
		_ = c.raw.SetReadDeadline(time.Now().Add(urbiByeWithin))
		_, _ = io.CopyN(io.Discard, c.raw, script.MaxScript)
	}
	_ = c.raw.Close()
}

// serve serves the connection until it ends; end ends it from another goroutine.
func (c *urbiConn) serve(ctx context.Context, end context.CancelCauseFunc) error {
	_ = c.conn.SetDeadline(time.Now().Add(urbiLoginWithin))
	id, text, err := c.enter()
	if err != nil {
		return err
	}
	leave, err := c.port.welcome(c, id)
	if err != nil {
		return err
	}
	defer leave()
	if c.unit, err = c.port.cfg.Session.OpenScriptUnit(ctx, id); err != nil {
		return refusedError(err.Error())
	}
	if c.console != nil {
		defer c.console.hide(c.unit)()
	}
	defer c.port.cfg.Session.CloseScriptUnit(c.unit)
	if c.console != nil {
		c.beginConsole(ctx)
	}
	c.out.put([]byte("[..:ident] *** ID: "+c.unit+"\n"), nil)
	cancel := c.port.cfg.Lines.Subscribe(c.unit, func(lines []script.Line) {
		if !c.deliver(lines) {
			end(refusedError(fmt.Sprintf("You left %d bytes unread, so the robot closes the connection: read faster, or ask for less.", urbiUnread)))
		}
	})
	_ = c.conn.SetDeadline(time.Time{})
	if err := ctx.Err(); err != nil { // the deadline of interrupt is lifted
		cancel()
		return err
	}
	var beside sync.WaitGroup
	written, over := context.WithCancel(context.Background())
	watched, unwatch := context.WithCancel(ctx)
	beside.Go(func() { end(c.write(written)) })
	beside.Go(func() { end(c.watch(watched, id)) })
	err = c.read(ctx, text)
	if cause := context.Cause(ctx); cause != nil {
		err = cause // why reading was interrupted
	}
	unwatch()
	cancel()
	late := time.AfterFunc(urbiByeWithin, func() { _ = c.raw.SetWriteDeadline(time.Unix(1, 0)) })
	defer late.Stop()
	over() // the writer sends what there is, and ends
	beside.Wait()
	return err
}

// deliver puts lines into the outbox; it reports whether the connection reads fast enough.
func (c *urbiConn) deliver(lines []script.Line) bool {
	for _, l := range lines {
		data := l.Data
		if c.console != nil {
			data = nil // a page shows no bytes
		}
		if !c.out.put([]byte(l.String()+"\n"), data) {
			return false
		}
	}
	return true
}

// errQuit ends a connection whose unit has ended.
var errQuit = errors.New("the unit has ended")

// read reads commands and passes them to the unit. text is what was read before.
func (c *urbiConn) read(ctx context.Context, text string) error {
	var reader script.Reader
	isKnown := c.port.login || c.console != nil // otherwise the first line may be of another protocol
	if isKnown {
		if err := c.greet(ctx); err != nil {
			return err
		}
	}
	buffer := make([]byte, 32<<10)
	for {
		if text != "" {
			c.hear()
		}
		if !isKnown && text != "" {
			var err error
			if text, isKnown, err = c.checkFirst(text); err != nil {
				return err
			}
			if !isKnown || text == "" {
				c.noteBegun(text != "", false)
			}
			if isKnown {
				if err := c.greet(ctx); err != nil {
					return err
				}
			}
		}
		if isKnown && text != "" {
			commands := reader.Read(text)
			text = ""
			c.noteBegun(reader.Pending() > 0, !commands.IsEmpty())
			if err := c.give(ctx, commands); err != nil {
				return err
			}
		}
		n, err := c.conn.Read(buffer)
		text += string(buffer[:n])
		if c.console != nil && text == "\n" {
			c.out.put([]byte("\n"), nil) // a page that does not read gets no answer
		}
		if err != nil && n == 0 {
			return err
		}
	}
}

// beforeText is what may be before the first text: white space, and the byte order mark that
// some libraries write.
const beforeText = "\ufeff \t\r\n"

// checkFirst examines the first text of a connection on this computer. isKnown means that
// the rest may be carried out; otherwise more must arrive. A login, which is not needed here,
// is removed.
func (c *urbiConn) checkFirst(text string) (rest string, isKnown bool, err error) {
	text = strings.TrimLeft(text, beforeText)
	switch foreign, isEnough := foreignProtocol(text); {
	case foreign != "":
		return "", false, foreignError(foreign)
	case !isEnough && len(text) > maxFirst:
		return "", false, refusedError(fmt.Sprintf("The first command has more than %d bytes without an end of a line: end it earlier with ; or ,", maxFirst))
	case !isEnough:
		return text, false, nil
	}
	token, rest, state := cutLogin(text)
	switch state {
	case loginIncomplete:
		return text, false, nil
	case loginFound:
		_, err = c.port.identify(c, token)
		return rest, true, err
	}
	return text, true, nil
}

// hear notes that the connection has sent something. If the robot does not take that, the
// next text tells it again.
func (c *urbiConn) hear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = time.Now()
	if c.isSilent {
		c.isSilent = !c.port.cfg.Session.ResumeScriptUnit(c.unit)
	}
}

// noteBegun notes whether a command has begun that is not yet complete, and whether another
// one has ended.
func (c *urbiConn) noteBegun(isPending, hasEnded bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !isPending:
		c.begun = time.Time{}
	case hasEnded || c.begun.IsZero():
		c.begun = time.Now()
	}
}

// mustLogIn reports whether the connection begins with a token.
func (c *urbiConn) mustLogIn() bool { return c.port.login && c.console == nil }

// enter returns who connects, and the text that was read after the login. Without a login
// nothing is read.
func (c *urbiConn) enter() (id session.Identity, text string, err error) {
	switch {
	case c.console != nil:
		c.token = c.console.token
		return c.console.Identity, "", nil
	case !c.port.login:
		id, err = c.port.identify(c, "")
		return id, "", err
	}
	buffer := make([]byte, maxLogin)
	for {
		n, err := c.conn.Read(buffer)
		text = strings.TrimLeft(text+string(buffer[:n]), beforeText)
		if foreign, _ := foreignProtocol(text); foreign != "" {
			return id, "", foreignError(foreign)
		}
		token, rest, state := cutLogin(text)
		switch {
		case state == loginFound:
			c.token = token
			id, err = c.port.identify(c, token)
			return id, rest, err
		case state == loginMissing && text != "":
			return id, "", refusedError(`Log in first: login("TOKEN"); with the token of a pairing, which 'mybot pair' saves.`)
		case err != nil:
			return id, "", err
		}
	}
}

// watch holds endless motion while the connection is silent. It ends when the connection
// has to end, and returns why.
func (c *urbiConn) watch(ctx context.Context, id session.Identity) error {
	every := time.NewTicker(urbiOver)
	defer every.Stop()
	silence := time.NewTimer(urbiSilence)
	defer silence.Stop()
	wasOpen, began, looked := false, time.Now(), time.Now()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-silence.C:
			silence.Reset(c.holdIfSilent())
			continue
		case <-every.C:
		}
		isOpen := c.port.cfg.IsOpen(c.unit)
		switch {
		case !isOpen && (wasOpen || time.Since(began) > urbiOpenWithin):
			return errQuit
		case c.isLate():
			return refusedError(fmt.Sprintf("A command must be complete %s after its beginning: end it with ; or ,", urbiTypeWithin))
		case time.Since(looked) >= urbiAccess:
			if looked = time.Now(); !c.port.accessHolds(id, c.token) {
				return refusedError("Your access has ended. Pair this computer with the robot again.")
			}
		}
		wasOpen = isOpen
	}
}

// holdIfSilent holds the unit's endless motion if nothing was heard for urbiSilence, and
// returns when to look again.
func (c *urbiConn) holdIfSilent() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := urbiSilence - time.Since(c.heard)
	switch {
	case left > 0:
		return left
	case !c.isSilent:
		c.isSilent = c.port.cfg.Session.HoldScriptUnit(c.unit, fmt.Sprintf("Nothing was heard from %s for half a second.", c.unit))
	}
	return urbiSilence / 10
}

// isLate reports whether a command takes too long to arrive.
func (c *urbiConn) isLate() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.begun.IsZero() && time.Since(c.begun) > urbiTypeWithin
}

// write sends what is in the outbox. When ctx ends it sends the rest and ends.
func (c *urbiConn) write(ctx context.Context) error {
	for {
		last := ctx.Err() != nil
		for parts := c.out.take(); len(parts) > 0; parts = c.out.take() {
			n, err := parts.WriteTo(c.conn)
			if c.out.left(n); err != nil {
				return err
			}
		}
		if last {
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
		case <-c.out.wake:
		}
	}
}

// An urbiOutbox holds what a connection has not yet read. take and left are called by one
// goroutine, put by any.
type urbiOutbox struct {
	unread atomic.Int64
	wake   chan struct{}
	mu     sync.Mutex
	parts  net.Buffers
}

// put appends a line and its data; it reports false if too much is unread.
func (o *urbiOutbox) put(line, data []byte) bool {
	if o.unread.Load() > urbiUnread {
		return false
	}
	o.mu.Lock()
	o.parts = append(o.parts, line)
	if len(data) > 0 {
		o.parts = append(o.parts, data)
	}
	o.mu.Unlock()
	o.unread.Add(int64(len(line) + len(data)))
	select {
	case o.wake <- struct{}{}:
	default:
	}
	return true
}

// take returns everything.
func (o *urbiOutbox) take() net.Buffers {
	o.mu.Lock()
	defer o.mu.Unlock()
	parts := o.parts
	o.parts = nil
	return parts
}

// left notes that n bytes have left.
func (o *urbiOutbox) left(n int64) { o.unread.Add(-n) }
