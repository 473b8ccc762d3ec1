package handlers

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"time"
	"unicode/utf8"

	"mybot/link"
	"mybot/ratelimit"
)

// The most that one WebSocket may send per second, and per burst, of any kind:
// pings, pongs, empty fragments and frames that are refused later cost time too. A
// page sends some 40 frames, 10 KiB in all.
const (
	rawFramesPerSecond = 400
	rawFramesAtOnce    = 1000 // from a page that was blocked for seconds
	rawBytesPerSecond  = 128 << 10
	rawBytesAtOnce     = 512 << 10
)

// Opcodes of frames: RFC 6455, section 5.2.
const (
	opContinuation = 0x0
	opText         = 0x1
	opBinary       = 0x2
	opClose        = 0x8
	opPing         = 0x9
	opPong         = 0xa

	finalBit    = 0x80
	reservedBit = 0x70
	maskBit     = 0x80
	maxControl  = 125 // bytes, the longest payload of a control frame
)

// Codes of close frames: RFC 6455, section 7.4.1.
const (
	closeGoingAway   = 1001
	closeProtocol    = 1002
	closeUnsupported = 1003
	closeNone        = 1005 // stands for a close frame without a code
	closeBadText     = 1007
	closePolicy      = 1008
	closeTooLong     = 1009
	closeTryAgain    = 1013
)

// A closeError ends a WebSocket with a close frame.
type closeError struct {
	code   int
	reason string
}

func (e closeError) Error() string { return fmt.Sprintf("close %d: %s", e.code, e.reason) }

// Errors that end a socket because of what the page sent, and that are reported to
// the page. Any other error means that the connection is gone.
var (
	errBinary = closeError{closeUnsupported, "a frame of text is needed, not of bytes"}
	errLong   = closeError{closeTooLong, fmt.Sprintf("a frame is at most %d bytes", readLimit)}
	errFlood  = closeError{closePolicy, "this page sends far too much"}
	errText   = closeError{closeBadText, "the reason is not UTF-8"}

	errClosed = errors.New("the page has said goodbye")
)

func protocolError(reason string) error { return closeError{closeProtocol, reason} }

// A frameReader reads a page's text messages, answers pings and close frames, and
// counts everything that arrives. It reads the connection after the library's
// handshake: the library's own reader wakes a goroutine with two timers for each
// frame, which takes a fifth of the server's time with a thousand pages, and does
// not count control frames.
type frameReader struct {
	in   *bufio.Reader
	out  io.Writer     // each Write sends a whole frame
	pong chan struct{} // holds one token when a pong has arrived

	frames, bytes ratelimit.Bucket
	head          [14]byte
	control       [maxControl]byte
}

// newFrameReader returns a reader of a page's frames that answers its pings on out.
func newFrameReader(in *bufio.Reader, out io.Writer) *frameReader {
	return &frameReader{in: in, out: out, pong: make(chan struct{}, 1)}
}

// nextMessage returns the next message. The error is a closeError if the page
// breaks the protocol, and errClosed if it closes the socket.
func (r *frameReader) nextMessage() ([]byte, error) {
	var message []byte
	for begun := false; ; {
		op, final, n, mask, err := r.readHeader()
		if err != nil {
			return nil, err
		}
		if op >= opClose {
			if err := r.takeControl(op, int(n), mask); err != nil {
				return nil, err
			}
			continue
		}
		switch {
		case op == opBinary:
			return nil, errBinary
		case op == opContinuation && !begun:
			return nil, protocolError("a continuation of nothing")
		case op == opText && begun:
			return nil, protocolError("a message within a message")
		case n > readLimit || len(message)+int(n) > readLimit:
			return nil, errLong
		}
		begun = true
		at := len(message)
		message = append(message, make([]byte, n)...)
		if err := r.readPayload(message[at:], mask); err != nil {
			return nil, err
		}
		if final {
			return message, nil // session answers text that is not UTF-8 with a sentence
		}
	}
}

// readHeader reads and checks the header of a frame.
func (r *frameReader) readHeader() (op byte, final bool, n uint64, mask [4]byte, err error) {
	h := r.head[:]
	if _, err = io.ReadFull(r.in, h[:2]); err != nil {
		return 0, false, 0, mask, err
	}
	op, final, n = h[0]&0xf, h[0]&finalBit != 0, uint64(h[1]&^maskBit)
	switch {
	case h[0]&reservedBit != 0:
		err = protocolError("a reserved bit is set")
	case h[1]&maskBit == 0:
		err = protocolError("the frame is not masked")
	case op > opPong || op > opBinary && op < opClose:
		err = protocolError(fmt.Sprintf("a frame of the unknown kind %#x", op))
	case op >= opClose && !final:
		err = protocolError("a control frame in parts")
	case op >= opClose && n > maxControl:
		err = protocolError("a control frame that is too long")
	}
	if err != nil {
		return 0, false, 0, mask, err
	}
	size := 0
	switch n {
	case 126:
		size = 2
	case 127:
		size = 8
	}
	if _, err = io.ReadFull(r.in, h[2:2+size+len(mask)]); err != nil {
		return 0, false, 0, mask, err
	}
	switch size {
	case 2:
		n = uint64(binary.BigEndian.Uint16(h[2:]))
	case 8:
		n = binary.BigEndian.Uint64(h[2:])
	}
	copy(mask[:], h[2+size:])
	now := time.Now()
	if n <= readLimit {
		_, frames := r.frames.Take(now, 1, rawFramesPerSecond, rawFramesAtOnce)
		_, bytes := r.bytes.Take(now, float64(n)+8, rawBytesPerSecond, rawBytesAtOnce)
		if !frames || !bytes {
			err = errFlood
		}
	}
	return op, final, n, mask, err
}

// readPayload reads and unmasks the payload of a frame.
func (r *frameReader) readPayload(to []byte, mask [4]byte) error {
	_, err := io.ReadFull(r.in, to)
	for i := range to {
		to[i] ^= mask[i&3]
	}
	return err
}

// takeControl handles a control frame.
func (r *frameReader) takeControl(op byte, n int, mask [4]byte) error {
	p := r.control[:n]
	if err := r.readPayload(p, mask); err != nil {
		return err
	}
	switch op {
	case opPing:
		_, err := r.out.Write(append([]byte{finalBit | opPong, byte(n)}, p...))
		return err
	case opPong:
		select {
		case r.pong <- struct{}{}:
		default:
		}
		return nil
	}
	code, err := closeCode(p)
	if err != nil {
		return err
	}
	_, _ = r.out.Write(closeFrame(code, "")) // the connection ends either way
	return errClosed
}

// closeCode reads the payload of a close frame: RFC 6455, sections 5.5.1 and 7.4.
func closeCode(payload []byte) (int, error) {
	if len(payload) == 0 {
		return closeNone, nil
	}
	if len(payload) == 1 {
		return 0, protocolError("half a code in a close frame")
	}
	code := int(binary.BigEndian.Uint16(payload))
	switch {
	case code >= 3000 && code <= 4999:
	case code < 1000 || code > 1014 || code >= 1004 && code <= 1006:
		return 0, protocolError(fmt.Sprintf("the code %d in a close frame", code))
	}
	if !utf8.Valid(payload[2:]) {
		return 0, errText
	}
	return code, nil
}

// closeFrame returns a close frame.
func closeFrame(code int, reason string) []byte {
	if code == closeNone {
		return []byte{finalBit | opClose, 0}
	}
	reason = reason[:min(len(reason), maxControl-2)]
	frame := []byte{finalBit | opClose, byte(2 + len(reason))}
	return append(binary.BigEndian.AppendUint16(frame, uint16(code)), reason...) //nolint:gosec // a code has four digits
}

// appendTextHeader appends the header of a single unmasked text frame with a
// payload of n bytes: RFC 6455, section 5.2.
func appendTextHeader(to []byte, n int) []byte {
	to = append(to, finalBit|opText)
	switch {
	case n < 126:
		return append(to, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(to, 126), uint16(n))
	}
	return binary.BigEndian.AppendUint64(append(to, 127), uint64(n))
}

// pingFrame is a ping without payload.
var pingFrame = []byte{finalBit | opPing, 0}

// A sharedConn lets several goroutines write frames to a connection: each Write
// goes out whole, before the next one. Nothing goes out after a close frame.
type sharedConn struct {
	net.Conn
	writing chan struct{} // holds one token while a goroutine writes

	// These belong to the goroutine that holds the token.
	bye    bool   // a close frame went out
	unsent []byte // rest of a frame that did not fit into the send buffer; it is sent first
	buffer []byte // for the next frame
}

// Write writes p after the writes before it.
func (t *sharedConn) Write(p []byte) (int, error) {
	t.writing <- struct{}{}
	defer func() { <-t.writing }()
	return t.writeLocked(p)
}

// writeText writes a frame of text.
func (t *sharedConn) writeText(message []byte) error {
	t.writing <- struct{}{}
	defer func() { <-t.writing }()
	t.buffer = append(appendTextHeader(t.buffer[:0], len(message)), message...)
	_, err := t.writeLocked(t.buffer)
	return err
}

// writeLocked writes the unsent rest of the last frame, then p.
func (t *sharedConn) writeLocked(p []byte) (int, error) {
	if t.bye {
		return len(p), nil
	}
	if len(t.unsent) > 0 {
		n, err := t.Conn.Write(t.unsent)
		if t.unsent = t.unsent[n:]; err != nil {
			return 0, err
		}
	}
	t.bye = len(p) > 0 && p[0] == finalBit|opClose
	return t.Conn.Write(p)
}

// directSender returns a function that sends a message without waiting while down
// is transparent, and returns false if it sent nothing of the message. nil = this
// connection cannot do that, as with TLS or on Windows.
func (t *sharedConn) directSender(down *link.Path) func(message []byte) bool {
	inner := t.Conn
	if c, ok := inner.(*countedConn); ok {
		inner = c.Conn
	}
	tcp, ok := inner.(*net.TCPConn)
	if !ok || !canWriteDirectly {
		return nil
	}
	file, err := tcp.SyscallConn()
	if err != nil {
		return nil
	}
	impaired, n := false, 0
	write := func(fd uintptr) bool { // a single call, whether the send buffer has room or not
		n = writeDirectly(fd, t.buffer)
		return true
	}
	return func(message []byte) bool {
		if impaired = impaired || down != nil && !down.IsTransparent(); impaired {
			return false // frames on the path go first; from then on nothing is sent directly
		}
		select {
		case t.writing <- struct{}{}:
		default:
			return false
		}
		defer func() { <-t.writing }()
		if t.bye || len(t.unsent) > 0 {
			return t.bye
		}
		t.buffer = append(appendTextHeader(t.buffer[:0], len(message)), message...)
		if n = 0; file.Write(write) != nil {
			return true // the connection is gone, as its own goroutines will notice
		}
		if n > 0 {
			t.unsent = append(t.unsent[:0], t.buffer[n:]...)
		}
		return n > 0
	}
}
