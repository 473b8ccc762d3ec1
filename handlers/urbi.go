package handlers

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"mybot/ratelimit"
	"mybot/script"
	"mybot/session"
	"mybot/session/access"
)

// Bounds on the connections of the port for scripts.
const (
	urbiConnections = 32
	urbiStrangers   = 32                     // that have not logged in
	urbiPerAddress  = 8                      // of these
	urbiUnread      = 1 << 20                // bytes that a connection may leave unread
	urbiSilence     = 500 * time.Millisecond // after which endless motion is held
	urbiLoginWithin = 10 * time.Second       // with the handshake of TLS
	urbiTypeWithin  = 2 * time.Minute        // for the rest of a command that has begun
	urbiByeWithin   = 300 * time.Millisecond // for the last lines to a connection
	urbiAccess      = 2 * time.Second        // between two looks at the grant of a connection
	urbiOpenWithin  = time.Second            // for the robot to report a new unit
	urbiOver        = 100 * time.Millisecond // between two looks whether the unit has ended
)

// A ScriptSession is the session as the port for scripts uses it.
type ScriptSession interface {
	ScriptSilence
	// OpenScriptUnit opens a unit for a connection and returns its name, such as U7.
	OpenScriptUnit(ctx context.Context, by session.Identity) (unit string, err error)
	// GiveScriptCommands passes commands to a unit.
	GiveScriptCommands(ctx context.Context, unit string, c script.Commands) error
	// LicenseScriptUnit licenses a unit to move the robot if the person who opened it has
	// control, and does nothing otherwise.
	LicenseScriptUnit(ctx context.Context, unit string) error
	CloseScriptUnit(unit string)
}

// A ScriptSilence holds the endless motions of connections that are silent. done = the robot
// has taken it.
type ScriptSilence interface {
	HoldScriptUnit(unit, reason string) (done bool)
	ResumeScriptUnit(unit string) (done bool)
}

// ScriptLines delivers the lines of a unit, in order and never after cancel has returned;
// cancel delivers those that were said before it. deliver never waits.
type ScriptLines interface {
	Subscribe(unit string, deliver func([]script.Line)) (cancel func())
}

// An UrbiConfig configures an UrbiPort.
type UrbiConfig struct {
	Session ScriptSession
	Lines   ScriptLines
	IsOpen  func(unit string) bool // a unit exists; it ends by quit
	Hello   func() string          // text of the script that runs for each new connection, "" = none; nil = none
	Access  *access.Authenticator
	Owner   string             // token of the robot's owner; "" = none
	Revoke  func(grant string) // ends what came by a grant
	TLS     *tls.Config        // nil = without TLS, only for this computer
	Log     *slog.Logger
}

// An UrbiPort serves the line protocol of scripts (Baillie 2004, section 5) to programs over
// TCP. Each connection is one unit of the script machine.
type UrbiPort struct {
	cfg    UrbiConfig
	clock  clock
	login  bool  // a token comes first
	places quota // of connections that may send commands

	mu        sync.Mutex
	strangers map[*urbiConn]time.Time // that have not logged in, and when they came
	from      map[netip.Prefix]int    // of these
}

// NewUrbiPort returns the port that is served on a listener with the address; nil = on none,
// only for the consoles of pages. Without TLS this must be an address of this computer only.
func NewUrbiPort(addr net.Addr, cfg UrbiConfig) (*UrbiPort, error) {
	isLocal := addr == nil || addressOf(addr.String()).IsLoopback()
	if !isLocal && cfg.TLS == nil {
		return nil, fmt.Errorf("handlers: other computers reach the port for scripts at %s, so it needs TLS", addr)
	}
	p := &UrbiPort{
		cfg: cfg, clock: newClock(time.Now()), login: !isLocal,
		places:    quota{of: "connections to the port for scripts", max: urbiConnections},
		strangers: map[*urbiConn]time.Time{}, from: map[netip.Prefix]int{},
	}
	if isLocal {
		p.cfg.TLS = nil
	}
	return p, nil
}

// Serve serves connections until ctx ends or the listener fails. It returns after all
// connections have ended.
func (p *UrbiPort) Serve(ctx context.Context, ln net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = ln.Close() })
	defer stop()
	for {
		conn, err := ln.Accept()
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ECONNABORTED):
			time.Sleep(acceptAgain)
			continue
		case err != nil:
			return fmt.Errorf("handlers: the port for scripts: %w", err)
		}
		c := newUrbiConn(p, conn)
		if p.cfg.TLS != nil {
			c.conn = tls.Server(conn, p.cfg.TLS)
		}
		if c.mustLogIn() {
			p.admit(c) // here, in the order in which they come
		}
		all.Go(func() { p.serve(ctx, c) })
	}
}

// serve serves one connection until it ends.
func (p *UrbiPort) serve(ctx context.Context, c *urbiConn) {
	defer c.close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(ctx, c.interrupt)
	defer stop()
	defer p.remove(c)
	err := c.serve(ctx, cancel)
	var refused refusedError
	switch {
	case errors.As(err, &refused):
		c.say("error", "!!! "+refused.Error())
	case errors.Is(err, context.Canceled):
		c.say("bye", "*** "+"The robot is shutting down.")
	}
	p.cfg.Log.Debug("a connection for scripts has ended", "remote", c.address, slog.Any("reason", err))
}

// A refusedError says why a connection is closed, and what would be right.
type refusedError string

func (e refusedError) Error() string { return string(e) }

// admit counts a connection that has not logged in. One too many, at its address or in total,
// takes the place of the one that has waited longest.
func (p *UrbiPort) admit(c *urbiConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.from[c.network] >= urbiPerAddress:
		p.evict(func(o *urbiConn) bool { return o.network == c.network })
	case len(p.strangers) >= urbiStrangers:
		p.evict(func(*urbiConn) bool { return true })
	}
	p.strangers[c] = time.Now()
	p.from[c.network]++
}

// evict closes the connection, of those that have not logged in, that has waited longest.
// p.mu is locked.
func (p *UrbiPort) evict(counts func(*urbiConn) bool) {
	var oldest *urbiConn
	for o, since := range p.strangers {
		if counts(o) && (oldest == nil || since.Before(p.strangers[oldest])) {
			oldest = o
		}
	}
	p.forget(oldest)
	_ = oldest.raw.Close() // its reader gets an error
}

// welcome gives a connection that has logged in, or need not, a place until leave is called.
func (p *UrbiPort) welcome(c *urbiConn, id session.Identity) (leave func(), err error) {
	if c.mustLogIn() && !p.remove(c) {
		return nil, net.ErrClosed // another one has taken its place
	}
	leave, has := p.places.take(id.Sharer())
	if leave == nil {
		_, says := p.places.refuse(id, has)
		return nil, refusedError(says)
	}
	return leave, nil
}

func (p *UrbiPort) countOpen() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.strangers) + p.places.count()
}

// remove stops counting a connection that has not logged in; false = it was not counted.
func (p *UrbiPort) remove(c *urbiConn) (wasCounted bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, wasCounted = p.strangers[c]; wasCounted {
		p.forget(c)
	}
	return wasCounted
}

// forget stops counting a connection. p.mu is locked.
func (p *UrbiPort) forget(c *urbiConn) {
	delete(p.strangers, c)
	if p.from[c.network]--; p.from[c.network] == 0 {
		delete(p.from, c.network)
	}
}

// identify returns who presents a token. Users at the robot's own computer need none, as for
// a page.
func (p *UrbiPort) identify(c *urbiConn, token string) (session.Identity, error) {
	id := session.Identity{Remote: c.address.String()}
	switch {
	case token == "" && !p.login:
		id.Browser, id.Role, id.Camera = browserOf(rand.Text()), session.Operator, true
		return id, nil
	case p.cfg.Owner != "" && subtle.ConstantTimeCompare([]byte(token), []byte(p.cfg.Owner)) == 1:
		id.Browser, id.Role, id.Camera, id.Name = browserOf(token), session.Admin, true, "Command line"
		return id, nil
	}
	g, ok := p.cfg.Access.Lookup(p.clock.now(), token)
	switch {
	case !ok:
		return id, refusedError("The robot does not know this token. Pair this computer with 'mybot pair', and log in with the token that it saves.")
	case g.Role < session.Operator:
		return id, refusedError(fmt.Sprintf("You are here as %s; scripts are for %s and %s only.", g.Role, session.Operator, session.Admin))
	}
	id.Browser, id.Role, id.Camera, id.Name, id.Grant = browserOf(token), g.Role, g.Camera, g.Name, g.ID
	return id, nil
}

// accessHolds reports whether the grant of a token is still valid. It revokes one that has
// expired.
func (p *UrbiPort) accessHolds(id session.Identity, token string) bool {
	if id.Grant == "" {
		return true
	}
	_, ok := p.cfg.Access.Lookup(p.clock.now(), token)
	if !ok {
		p.cfg.Revoke(id.Grant)
	}
	return ok
}

// networkOf returns the addresses whose connections count together.
func networkOf(conn net.Conn) (netip.Addr, netip.Prefix) {
	a := addressOf(conn.RemoteAddr().String())
	return a, ratelimit.Network(a)
}
