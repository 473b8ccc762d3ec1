package handlers

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"nhooyr.io/websocket" // this file and the command line's alone know it, so its successor is little work

	"mybot/link"
	"mybot/session"
)

const (
	subprotocol = session.Protocol
	readLimit   = session.MaxFrame       // bytes in one frame
	pingEvery   = 2 * time.Second        //
	pongWithin  = 5 * time.Second        // or the way to the page is gone
	byeWithin   = 2 * time.Second        // for the last frames to a page the robot is done with
	closeWithin = 300 * time.Millisecond // for the goodbye of the WebSocket itself

	controlFrame = 128 // bytes, more than the longest: all that the library writes by itself
)

// What ends a socket and is worth a word to the page. Any other end is a
// connection that is gone.
var (
	errBye    = errors.New("the robot has said goodbye")
	errBinary = errors.New("a frame of text is needed, not of bytes")
	errLong   = fmt.Errorf("a frame is at most %d bytes", readLimit)
	errSilent = errors.New("the page does not answer pings")
	errStuck  = errors.New("the page does not take its goodbye")
)

// serveSocket upgrades the request and carries frames between the page and its
// session.User until one of them goes.
func (h *Handler) serveSocket(w http.ResponseWriter, r *http.Request) {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		w.Header().Set("Upgrade", "websocket")
		say(w, http.StatusUpgradeRequired, "This address is a WebSocket of the subprotocol "+subprotocol+". The robot's page is at /.")
		return
	}
	if !offers(r, subprotocol) {
		say(w, http.StatusBadRequest, "The WebSocket must ask for the subprotocol "+subprotocol+".")
		return
	}
	c := callerOf(r)
	if c.Browser == "" {
		say(w, http.StatusForbidden, "The cookie "+cookieName+" is missing. Open the robot's page at / first; cookies must be allowed there.")
		return
	}
	raw := &hijacker{ResponseWriter: w}
	conn, err := websocket.Accept(raw, r, &websocket.AcceptOptions{
		Subprotocols:    []string{subprotocol},
		CompressionMode: websocket.CompressionDisabled, // it costs time on a frame that fits one packet

		InsecureSkipVerify: true, // the origin was looked at before, with its scheme: see ours
	})
	if err != nil {
		h.cfg.Log.Debug("a WebSocket was refused", "remote", c.address, "error", err)
		return // Accept has answered: it is no proper WebSocket
	}
	s := &socket{conn: conn, raw: raw.conn, roundTrip: h.metrics.roundTrip.Observe, valid: func() bool { return h.holds(c) }}
	if !c.local {
		s.address = neighbourhood(c.address)
	}
	if !h.sockets.add(s) {
		s.close(websocket.StatusTryAgainLater, "too many connections, or shutting down")
		return
	}
	defer h.sockets.remove(s)

	user, err := h.cfg.Hub.Join(r.Context(), c.Identity)
	if err != nil {
		s.close(websocket.StatusTryAgainLater, clip(err.Error()))
		return
	}
	defer user.Leave()
	var up, down *link.Path
	if n := h.cfg.Network; n != nil {
		up, down = n.Join()
		defer n.Leave(up, down)
	}
	s.channel = func(ctx context.Context) error { return h.serveChannel(ctx, user, up, down) }
	err = s.serve(r.Context(), user, up, down)
	if !errors.Is(err, errBye) {
		h.cfg.Log.Debug("a WebSocket has ended", "remote", c.address, slog.Any("reason", err))
	}
}

// holds tells whether what let the caller in still does. A grant that has
// expired is revoked, so that the robot stands before its driver is gone.
func (h *Handler) holds(c caller) bool {
	if c.Grant == "" {
		return true // nothing did
	}
	_, ok := h.cfg.Desk.Look(time.Now(), c.token)
	if !ok {
		h.cfg.Hub.Revoke(c.Grant)
		if h.cfg.Studio != nil {
			h.cfg.Studio.Revoke(c.Grant)
		}
	}
	return ok
}

// offers tells whether the request asks for the subprotocol.
func offers(r *http.Request, protocol string) bool {
	for _, line := range r.Header.Values("Sec-Websocket-Protocol") {
		if slices.ContainsFunc(strings.Split(line, ","), func(p string) bool { return strings.TrimSpace(p) == protocol }) {
			return true
		}
	}
	return false
}

// A hijacker remembers the connection under a WebSocket: only closing that one
// ends a WebSocket at once whatever its other end does.
type hijacker struct {
	http.ResponseWriter
	conn net.Conn
}

// Hijack hands the connection over.
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.conn = &turns{Conn: conn, turn: make(chan struct{}, 1)}
	return h.conn, bufio.NewReadWriter(rw.Reader, bufio.NewWriterSize(h.conn, controlFrame)), nil
}

// A turns is a connection that several may write to: each Write goes out whole,
// one after the other. The goodbye of the WebSocket is the last: the library
// says it again when the page answers it.
type turns struct {
	net.Conn
	turn chan struct{} // holds one token while somebody writes
	bye  bool          // a close frame went out
}

// closeFrame is the first byte of a close frame: RFC 6455, section 5.2.
const closeFrame = 0x88

// Write writes p when it is its turn.
func (t *turns) Write(p []byte) (int, error) {
	t.turn <- struct{}{}
	defer func() { <-t.turn }()
	if t.bye {
		return len(p), nil
	}
	t.bye = len(p) > 0 && p[0] == closeFrame
	return t.Conn.Write(p)
}

// A socket is one WebSocket.
type socket struct {
	conn      *websocket.Conn
	raw       net.Conn
	out       []byte                          // the frame that is being written
	channel   func(ctx context.Context) error // that belongs to it, until ctx ends
	roundTrip func(seconds float64)
	valid     func() bool  // what let it in still does
	address   netip.Prefix // that it counts toward; zero = none
}

// serve moves frames both ways, along the paths, and returns why it ended, when
// all its goroutines have.
func (s *socket) serve(ctx context.Context, user *session.User, up, down *link.Path) error {
	s.conn.SetReadLimit(-1) // read has its own, which leaves time to say so
	// Reading goes on until the connection closes, so that the page's side of
	// the closing handshake is heard; everything else ends with pumping.
	all, pumping := errgroup.WithContext(ctx)
	pump(pumping, all, up, s.read, func(frame []byte) error { user.Receive(frame); return nil })
	pump(pumping, all, down, func(ctx context.Context) ([]byte, error) {
		frame, err := user.Next(ctx)
		if err != nil && ctx.Err() == nil {
			err = errBye
		}
		return frame, err
	}, s.write)
	all.Go(func() error { return s.ping(pumping) })
	all.Go(func() error { return s.channel(pumping) })
	why := ended(pumping, user.Done())
	switch {
	case errors.Is(why, errBye):
		s.close(websocket.StatusGoingAway, "")
	case errors.Is(why, errBinary):
		s.close(websocket.StatusUnsupportedData, errBinary.Error())
	case errors.Is(why, errLong):
		s.close(websocket.StatusMessageTooBig, errLong.Error())
	default:
		_ = s.raw.Close()
		_ = s.conn.CloseNow()
	}
	_ = all.Wait() // the first error is why, or comes of closing
	return why
}

// ended waits until pumping ends and returns why, or errStuck when the robot is
// done with the user and the last frames do not go out.
func ended(pumping context.Context, done <-chan struct{}) error {
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

// read returns the next frame from the page. It ends when the connection does,
// whatever ctx says.
func (s *socket) read(ctx context.Context) ([]byte, error) {
	kind, r, err := s.conn.Reader(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	if kind != websocket.MessageText {
		return nil, errBinary
	}
	frame, err := io.ReadAll(io.LimitReader(r, readLimit+1))
	if err == nil && len(frame) > readLimit {
		err = errLong
	}
	return frame, err
}

// write sends one frame to the page. It goes past the library, which for each
// frame wakes a goroutine twice and sets a timer; what the library itself still
// writes are control frames, one a Write, and they take turns with these. What ends
// a Write to a page that takes nothing is ping, which gets no answer either.
func (s *socket) write(frame []byte) error {
	s.out = append(appendTextHeader(s.out[:0], len(frame)), frame...)
	_, err := s.raw.Write(s.out)
	return err
}

// appendTextHeader appends the header of an unmasked frame of text, whole, with
// a payload of n bytes: RFC 6455, section 5.2.
func appendTextHeader(to []byte, n int) []byte {
	const whole, text = 0x80, 0x1
	to = append(to, whole|text)
	switch {
	case n < 126:
		return append(to, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(to, 126), uint16(n))
	}
	return binary.BigEndian.AppendUint64(append(to, 127), uint64(n))
}

// ping asks the page's browser whether it is there, and notes the round trip.
func (s *socket) ping(ctx context.Context) error {
	every := time.NewTicker(pingEvery)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-every.C:
		}
		sent := time.Now()
		within, cancel := context.WithTimeout(ctx, pongWithin)
		err := s.conn.Ping(within)
		cancel()
		if err != nil {
			return errors.Join(errSilent, err)
		}
		s.roundTrip(time.Since(sent).Seconds())
		if !s.valid() {
			<-ctx.Done() // the hub says why and ends it
			return ctx.Err()
		}
	}
}

// close says goodbye as WebSockets do, but does not wait long for the answer.
func (s *socket) close(code websocket.StatusCode, reason string) {
	cut := time.AfterFunc(closeWithin, func() { _ = s.raw.Close() })
	defer cut.Stop()
	_ = s.conn.Close(code, reason)
}

// orUsual fills in what is usual.
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
	none chan struct{} // not nil = shutting down; closed when open is empty
}

func (s *sockets) add(one *socket) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.none != nil || len(s.open) >= s.limits.Sockets || one.address.IsValid() && s.from[one.address] >= s.limits.PerAddress {
		return false
	}
	if s.open == nil {
		s.open, s.from = map[*socket]struct{}{}, map[netip.Prefix]int{}
	}
	s.open[one] = struct{}{}
	s.from[one.address]++
	return true
}

func (s *sockets) remove(one *socket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, one)
	if s.from[one.address]--; s.from[one.address] == 0 {
		delete(s.from, one.address)
	}
	if s.none != nil && len(s.open) == 0 {
		close(s.none)
	}
}

func (s *sockets) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// Shutdown says goodbye to the screens, takes no new WebSocket, waits for those
// that are open to end and, when ctx ends first, cuts them. The hub must be
// ending too, for it is what says goodbye. It is called once.
func (h *Handler) Shutdown(ctx context.Context) error {
	close(h.closing)
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
