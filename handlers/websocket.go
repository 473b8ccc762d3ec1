package handlers

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"nhooyr.io/websocket" // only this file and client/conn.go import it, so that it is easy to replace

	"mybot/link"
	"mybot/ratelimit"
	"mybot/session"
	"mybot/session/protocol"
)

const (
	subprotocol = protocol.Protocol
	readLimit   = protocol.MaxFrame      // bytes in one frame
	pingEvery   = 2 * time.Second        //
	pongWithin  = 5 * time.Second        // otherwise the connection to the page is broken
	byeWithin   = 2 * time.Second        // for the last frames to a page after the robot's bye
	closeWithin = 300 * time.Millisecond // for the closing handshake of the WebSocket

	controlFrame = 128 // bytes, more than the longest frame that the library writes by itself
)

// Other errors that end a socket.
var (
	errBye    = errors.New("the robot has said goodbye")
	errSilent = errors.New("the page does not answer pings")
	errStuck  = errors.New("the page does not take its goodbye")
)

// upgrade makes a WebSocket of the request. If that is not possible it answers why, and ok
// is false.
func (h *Handler) upgrade(w http.ResponseWriter, r *http.Request, subprotocol string) (raw *connHijacker, ok bool) {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		w.Header().Set("Upgrade", "websocket")
		writeSentence(w, http.StatusUpgradeRequired, "This address is a WebSocket of the subprotocol "+subprotocol+". The robot's page is at /.")
		return nil, false
	}
	if !offersProtocol(r, subprotocol) {
		writeSentence(w, http.StatusBadRequest, "The WebSocket must ask for the subprotocol "+subprotocol+".")
		return nil, false
	}
	c := callerOf(r)
	if c.Browser == "" {
		writeSentence(w, http.StatusForbidden, "The cookie "+cookieName+" is missing or is not 32 bytes in base64url (43 letters). Open the robot's page at / first; cookies must be allowed there.")
		return nil, false
	}
	if wait := h.sockets.floodWait(c, time.Now()); wait > 0 {
		seconds := int(math.Ceil(wait.Seconds()))
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		writeSentence(w, http.StatusTooManyRequests, fmt.Sprintf("This device sent far too much. Try again in %d s.", seconds))
		return nil, false
	}
	raw = &connHijacker{ResponseWriter: w}
	socket, err := websocket.Accept(raw, r, &websocket.AcceptOptions{
		Subprotocols:    []string{subprotocol},
		CompressionMode: websocket.CompressionDisabled, // it costs time for a frame that fits into one packet

		InsecureSkipVerify: true, // checkOrigin has checked the origin, including its scheme
	})
	if err != nil {
		h.cfg.Log.Debug("a WebSocket was refused", "remote", c.address, "error", err)
		return nil, false // Accept has answered that the request is not a proper WebSocket
	}
	raw.socket = socket
	return raw, true
}

// serveSocket upgrades the request and carries frames between the page and its
// session.User until one of them ends.
func (h *Handler) serveSocket(w http.ResponseWriter, r *http.Request) {
	raw, ok := h.upgrade(w, r, subprotocol)
	if !ok {
		return
	}
	defer raw.release()
	c := callerOf(r)
	s := &socket{raw: raw.conn, in: newFrameReader(raw.in, raw.conn), roundTrip: h.metrics.roundTrip.Observe, valid: func() bool { return h.accessHolds(c) }}
	s.countsToward(c)
	if !h.sockets.addSocket(s) {
		s.close(closeTryAgain, h.sockets.explainRefusal(), nil)
		return
	}
	defer h.sockets.removeSocket(s)

	user, err := h.cfg.Hub.Join(r.Context(), c.Identity)
	if err != nil {
		s.close(closeTryAgain, clipText(err.Error()), nil)
		return
	}
	defer user.Leave()
	var up, down *link.Path
	if n := h.cfg.Network; n != nil {
		up, down = n.AddUser()
		defer n.RemoveUser(up, down)
	}
	user.Direct(s.raw.directSender(down))
	s.channel = func(ctx context.Context) error { return h.serveChannel(ctx, c, user, up, down) }
	err = s.run(r.Context(), user, up, down)
	if errors.Is(err, errFlood) {
		h.sockets.noteFlood(c, time.Now())
	}
	if !errors.Is(err, errBye) {
		h.cfg.Log.Debug("a WebSocket has ended", "remote", c.address, slog.Any("reason", err))
	}
}

// accessHolds reports whether the caller's access is still valid. It revokes a
// grant that has expired, so that the robot stands before its driver is
// disconnected.
func (h *Handler) accessHolds(c caller) bool {
	if c.Grant == "" {
		return true // no grant let the caller in
	}
	_, ok := h.cfg.Access.Lookup(h.clock.now(), c.token)
	if !ok {
		h.cfg.Hub.Revoke(c.Grant)
		if h.cfg.Broadcaster != nil {
			h.cfg.Broadcaster.RevokeGrant(c.Grant)
		}
	}
	return ok
}

// offersProtocol reports whether the request asks for the subprotocol.
func offersProtocol(r *http.Request, protocol string) bool {
	for _, line := range r.Header.Values("Sec-Websocket-Protocol") {
		if slices.ContainsFunc(strings.Split(line, ","), func(p string) bool { return strings.TrimSpace(p) == protocol }) {
			return true
		}
	}
	return false
}

// A connHijacker remembers the connection under a WebSocket, because only closing
// that one ends a WebSocket at once, whatever the other end does.
type connHijacker struct {
	http.ResponseWriter
	conn   *sharedConn
	in     *bufio.Reader
	socket *websocket.Conn // has done the handshake, no more
}

// release closes the connection, which is gone either way, and what the library holds of it.
func (h *connHijacker) release() { _ = h.socket.CloseNow() }

// Hijack hands over the connection.
func (h *connHijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.conn, h.in = &sharedConn{Conn: conn, writing: make(chan struct{}, 1)}, rw.Reader
	return h.conn, bufio.NewReadWriter(rw.Reader, bufio.NewWriterSize(h.conn, controlFrame)), nil
}

// A socket is one WebSocket.
type socket struct {
	raw       *sharedConn
	in        *frameReader
	channel   func(ctx context.Context) error // its data channel, until ctx ends
	roundTrip func(seconds float64)
	valid     func() bool  // reports whether the access is still valid
	address   netip.Prefix // whose bound it counts toward; zero = none
	grant     string       // whose bound it counts toward; "" = none
	max       int          // bound of the grant
}

// countsToward notes the bounds that a caller's socket counts toward: users who may
// drive have a bound by grant, so that observers at the same address cannot use
// theirs up.
func (s *socket) countsToward(c caller) {
	switch {
	case c.local:
	case c.Role > session.Observer && c.Grant != "":
		s.grant, s.max = c.Grant, 0
	default:
		s.grant, s.max, s.address = c.Grant, socketsOfObserver, ratelimit.Network(c.address)
	}
}

// socketsOfObserver is the largest number of WebSockets of one observer: a few
// tabs.
const socketsOfObserver = 8

// run moves frames both ways, along the paths. It returns why it ended, after all
// its goroutines have ended.
func (s *socket) run(ctx context.Context, user *session.User, up, down *link.Path) error {
	// Reading continues until the connection closes, in order to receive the page's
	// side of the closing handshake; everything else ends with pumping.
	all, pumping := errgroup.WithContext(ctx)
	heard := make(chan struct{}) // closed when the reader has ended
	read := func(context.Context) ([]byte, error) {
		frame, err := s.in.nextMessage()
		if err != nil {
			close(heard)
		}
		return frame, err
	}
	pumpFrames(pumping, all, up, read, func(frame []byte) error { user.Receive(frame); return nil })
	pumpFrames(pumping, all, down, func(ctx context.Context) ([]byte, error) {
		frame, err := user.Next(ctx)
		if err != nil && ctx.Err() == nil {
			err = errBye
		}
		return frame, err
	}, s.raw.writeText)
	all.Go(func() error { return s.ping(pumping) })
	all.Go(func() error { return s.channel(pumping) })
	why := waitPumping(pumping, user.Done())
	var wrong closeError
	switch {
	case errors.Is(why, errBye):
		s.close(closeGoingAway, "", heard)
	case errors.As(why, &wrong):
		s.close(wrong.code, wrong.reason, nil)
	default:
		_ = s.raw.Close()
	}
	_ = all.Wait() // the first error is the cause, or a result of closing
	return why
}

// waitPumping waits until pumping ends and returns why, or errStuck if the robot
// has ended the user and the last frames are not taken.
func waitPumping(pumping context.Context, done <-chan struct{}) error {
	select {
	case <-pumping.Done():
		return context.Cause(pumping)
	case <-done:
	}
	late := time.NewTimer(byeWithin)
	defer late.Stop()
	select {
	case <-pumping.Done():
		return context.Cause(pumping)
	case <-late.C:
		return errStuck
	}
}

// ping sends pings to the page's browser and records the round trips. It cuts off a
// page that does not answer or takes nothing.
func (s *socket) ping(ctx context.Context) error {
	every := time.NewTicker(pingEvery)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-every.C:
		}
		select {
		case <-s.in.pong: // an unsolicited pong
		default:
		}
		sent := time.Now()
		late := time.AfterFunc(pongWithin, func() { _ = s.raw.Close() })
		_, err := s.raw.Write(pingFrame)
		if err == nil {
			select {
			case <-s.in.pong:
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		if !late.Stop() || err != nil {
			return errors.Join(errSilent, err)
		}
		s.roundTrip(time.Since(sent).Seconds())
		if !s.valid() {
			<-ctx.Done() // the hub says why and ends the connection
			return ctx.Err()
		}
	}
}

// close sends a close frame and closes the connection, but waits only briefly for
// the answer: heard is closed when it arrives; nil = the reader has ended, and
// further frames are discarded.
func (s *socket) close(code int, reason string, heard <-chan struct{}) {
	cut := time.AfterFunc(closeWithin, func() { _ = s.raw.Close() })
	defer cut.Stop()
	_, _ = s.raw.Write(closeFrame(code, reason))
	if heard != nil {
		<-heard
	} else {
		_, _ = io.Copy(io.Discard, s.raw)
	}
	_ = s.raw.Close()
}

// orUsual replaces zeros by the defaults.
func (l Limits) orUsual() Limits {
	if l.Sockets == 0 {
		l.Sockets = 4096
	}
	if l.PerAddress == 0 {
		l.PerAddress = 64
	}
	return l
}

// sockets are the open WebSockets of a Handler.
type sockets struct {
	limits Limits

	mu   sync.Mutex
	open map[*socket]struct{}
	from map[netip.Prefix]int
	by   map[string]int // grant
	none chan struct{}  // nil unless shutting down; closed when open is empty

	flooded map[string]time.Time // grants of observers who sent far too much, and when
}

// floodPause is how long an observer who sent far too much may open no WebSocket,
// because a new one may send a new burst.
const floodPause = 10 * time.Second

// noteFlood notes that the caller sent far too much.
func (s *sockets) noteFlood(c caller, now time.Time) {
	if c.Grant == "" || c.Role > session.Observer {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.flooded, func(_ string, at time.Time) bool { return now.Sub(at) >= floodPause })
	if s.flooded == nil {
		s.flooded = map[string]time.Time{}
	}
	s.flooded[c.Grant] = now
}

// floodWait returns how long the caller may open no WebSocket.
func (s *sockets) floodWait(c caller, now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, flooded := s.flooded[c.Grant]
	if !flooded {
		return 0
	}
	return floodPause - now.Sub(at)
}

// addSocket counts a connection; false = there are too many, or the server ends.
func (s *sockets) addSocket(one *socket) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit := cmp.Or(one.max, s.limits.PerAddress)
	if s.none != nil || len(s.open) >= s.limits.Sockets ||
		one.address.IsValid() && s.from[one.address] >= s.limits.PerAddress || one.grant != "" && s.by[one.grant] >= limit {
		return false
	}
	if s.open == nil {
		s.open, s.from, s.by = map[*socket]struct{}{}, map[netip.Prefix]int{}, map[string]int{}
	}
	s.open[one] = struct{}{}
	s.from[one.address]++
	s.by[one.grant]++
	return true
}

// explainRefusal says why addSocket did not add a connection.
func (s *sockets) explainRefusal() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.none != nil {
		return "The robot is shutting down."
	}
	return "Too many connections to this robot are open. Close some of its pages."
}

func (s *sockets) removeSocket(one *socket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, one)
	if s.from[one.address]--; s.from[one.address] == 0 {
		delete(s.from, one.address)
	}
	if s.by[one.grant]--; s.by[one.grant] == 0 {
		delete(s.by, one.grant)
	}
	if s.none != nil && len(s.open) == 0 {
		close(s.none)
	}
}

func (s *sockets) countOpen() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// Shutdown says goodbye to the screens, accepts no new WebSockets, waits for the
// open ones to end and, if ctx ends first, cuts them off. The hub must be ending
// too, because it is the hub that says goodbye. Call it once.
func (h *Handler) Shutdown(ctx context.Context) error {
	close(h.closing)
	if h.silence != nil {
		h.silence()
	}
	s := &h.sockets
	s.mu.Lock()
	none := make(chan struct{})
	s.none = none
	if len(s.open) == 0 {
		close(none)
	}
	s.mu.Unlock()
	select {
	case <-none:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	cut := len(s.open)
	for one := range s.open {
		_ = one.raw.Close()
	}
	s.mu.Unlock()
	<-none
	if cut == 0 {
		return nil
	}
	return fmt.Errorf("handlers: %d WebSockets did not take their goodbye and were cut", cut)
}
