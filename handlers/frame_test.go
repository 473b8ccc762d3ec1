package handlers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nhooyr.io/websocket"

	"mybot/session"
)

// masked returns a frame of a page. Bits other than final and op go into first.
func masked(first byte, payload string) []byte {
	return maskedLength(first, payload, 0)
}

// maskedLength is masked with an extended length of 2 or 8 bytes; 0 = as few as
// possible.
func maskedLength(first byte, payload string, size int) []byte {
	frame := []byte{first}
	switch n := len(payload); {
	case n > 65535 || size == 8:
		frame = binary.BigEndian.AppendUint64(append(frame, maskBit|127), uint64(n))
	case n > 125 || size == 2:
		frame = binary.BigEndian.AppendUint16(append(frame, maskBit|126), uint16(n))
	default:
		frame = append(frame, maskBit|byte(n))
	}
	mask := [4]byte{0x37, 0xfa, 0x21, 0x3d}
	frame = append(frame, mask[:]...)
	for i := range len(payload) {
		frame = append(frame, payload[i]^mask[i&3])
	}
	return frame
}

const (
	whole     = finalBit
	wholeText = whole | opText
)

// The cases are those of the Autobahn test suite about what a server without
// extensions receives: its chapters 1 to 7.
func TestFramesAreReadAsTheRFCHasThem(t *testing.T) {
	long := strings.Repeat("x", readLimit)
	say := func(code int, reason string) string {
		return string(binary.BigEndian.AppendUint16(nil, uint16(code))) + reason
	}
	for _, c := range []struct {
		name   string
		frames [][]byte
		want   []string // messages
		out    string   // that is sent back
		code   int      // of the close frame; 0 = the input ends; 1000 = the page says goodbye
	}{
		{"1.1 nothing", [][]byte{masked(wholeText, "")}, []string{""}, "", 0},
		{"1.1 lengths around each boundary", [][]byte{
			masked(wholeText, long[:125]), masked(wholeText, long[:126]), masked(wholeText, long[:127]), masked(wholeText, long[:128]), masked(wholeText, long[:readLimit]),
		}, []string{long[:125], long[:126], long[:127], long[:128], long}, "", 0},
		{"1.1 a length in more bytes than it needs", [][]byte{maskedLength(wholeText, "a", 2), maskedLength(wholeText, "b", 8)}, []string{"a", "b"}, "", 0},
		{"1.1 one byte too many", [][]byte{masked(wholeText, long+"x")}, nil, "", closeTooLong},
		{"1.1 too many in parts", [][]byte{masked(opText, long), masked(whole, "x")}, nil, "", closeTooLong},
		{"1.1 2^62 bytes", [][]byte{{wholeText, maskBit | 127, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}}, nil, "", closeTooLong},
		{"1.1 all bits of a length", [][]byte{{wholeText, maskBit | 127, 255, 255, 255, 255, 255, 255, 255, 255, 1, 2, 3, 4}}, nil, "", closeTooLong},
		{"1.2 bytes", [][]byte{masked(whole|opBinary, "x")}, nil, "", closeUnsupported},
		{"2.1 a ping", [][]byte{masked(whole|opPing, ""), masked(whole|opPing, "hello")}, nil, "\x8a\x00\x8a\x05hello", 0},
		{"2.4 the longest ping", [][]byte{masked(whole|opPing, long[:125])}, nil, "\x8a\x7d" + long[:125], 0},
		{"2.5 a longer ping", [][]byte{masked(whole|opPing, long[:126])}, nil, "", closeProtocol},
		{"2.7 a pong that nobody asked for", [][]byte{masked(whole|opPong, "x"), masked(wholeText, "a")}, []string{"a"}, "", 0},
		{"3 reserved bits", [][]byte{masked(wholeText, "a"), masked(wholeText|0x40, "b")}, []string{"a"}, "", closeProtocol},
		{"3 a reserved bit of a ping", [][]byte{masked(whole|opPing|0x10, "")}, nil, "", closeProtocol},
		{"4.1 an unknown kind", [][]byte{masked(whole|3, "")}, nil, "", closeProtocol},
		{"4.2 an unknown kind of control", [][]byte{masked(whole|11, "")}, nil, "", closeProtocol},
		{"5.1 a ping in parts", [][]byte{masked(opPing, "a"), masked(whole, "b")}, nil, "", closeProtocol},
		{"5.3 a message in parts", [][]byte{masked(opText, "Hel"), masked(0, "l"), masked(whole, "o")}, []string{"Hello"}, "", 0},
		{"5.6 a ping between parts", [][]byte{masked(opText, "Hel"), masked(whole|opPing, "p"), masked(whole, "lo")}, []string{"Hello"}, "\x8a\x01p", 0},
		{"5.9 a continuation of nothing", [][]byte{masked(whole, "x")}, nil, "", closeProtocol},
		{"5.12 a continuation after the end", [][]byte{masked(wholeText, "a"), masked(0, "b")}, []string{"a"}, "", closeProtocol},
		{"5.18 a message within a message", [][]byte{masked(opText, "a"), masked(wholeText, "b")}, nil, "", closeProtocol},
		{"6.2 letters of several bytes", [][]byte{masked(wholeText, "\u03ba\u1f79\U0001f916")}, []string{"\u03ba\u1f79\U0001f916"}, "", 0},
		{"6.2 a letter in two parts", [][]byte{masked(opText, "\xce"), masked(whole, "\xba")}, []string{"\u03ba"}, "", 0},
		{"6.3 no UTF-8, which the session answers", [][]byte{masked(wholeText, "\xce\xba\xed\xa0\x80")}, []string{"\xce\xba\xed\xa0\x80"}, "", 0},
		{"7.1 a goodbye", [][]byte{masked(whole|opClose, say(1000, "")), masked(wholeText, "late")}, nil, "\x88\x02\x03\xe8", 1000},
		{"7.3 a goodbye without a code", [][]byte{masked(whole|opClose, "")}, nil, "\x88\x00", 1000},
		{"7.3 half a code", [][]byte{masked(whole|opClose, "\x03")}, nil, "", closeProtocol},
		{"7.3 the longest reason", [][]byte{masked(whole|opClose, say(1000, long[:123]))}, nil, "\x88\x02\x03\xe8", 1000},
		{"7.3 a longer reason", [][]byte{masked(whole|opClose, say(1000, long[:124]))}, nil, "", closeProtocol},
		{"7.5 a reason that is no UTF-8", [][]byte{masked(whole|opClose, say(1000, "\xce\xba\xed\xa0\x80"))}, nil, "", closeBadText},
		{"7.7 a code of one's own", [][]byte{masked(whole|opClose, say(4999, ""))}, nil, "\x88\x02\x13\x87", 1000},
		{"7.9 the code 0", [][]byte{masked(whole|opClose, say(0, ""))}, nil, "", closeProtocol},
		{"7.9 the code 999", [][]byte{masked(whole|opClose, say(999, ""))}, nil, "", closeProtocol},
		{"7.9 the code 1005", [][]byte{masked(whole|opClose, say(1005, ""))}, nil, "", closeProtocol},
		{"7.9 the code 1006", [][]byte{masked(whole|opClose, say(1006, ""))}, nil, "", closeProtocol},
		{"7.9 the code 1015", [][]byte{masked(whole|opClose, say(1015, ""))}, nil, "", closeProtocol},
		{"7.9 the code 2999", [][]byte{masked(whole|opClose, say(2999, ""))}, nil, "", closeProtocol},
		{"7.9 the code 5000", [][]byte{masked(whole|opClose, say(5000, ""))}, nil, "", closeProtocol},
		{"no mask", [][]byte{{wholeText, 1, 'a'}}, nil, "", closeProtocol},
		{"half a frame", [][]byte{masked(wholeText, "hello")[:8]}, nil, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				r := newFrameReader(bufio.NewReaderSize(&sip{bytes.Join(c.frames, nil)}, 16), &out)
				var got []string
				var err error
				for err == nil {
					var message []byte
					if message, err = r.nextMessage(); err == nil {
						got = append(got, string(message))
						time.Sleep(time.Second) // in the bubble's time: this is no flood
					}
				}
				if strings.Join(got, "|") != strings.Join(c.want, "|") || len(got) != len(c.want) {
					t.Errorf("%d messages came, want %d", len(got), len(c.want))
				}
				if out.String() != c.out {
					t.Errorf("%q was sent back, want %q", out.String(), c.out)
				}
				code := 0
				var wrong closeError
				switch {
				case errors.As(err, &wrong):
					code = wrong.code
				case errors.Is(err, errClosed):
					code = 1000
				case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
					t.Errorf("it ended with %v", err)
				}
				if code != c.code {
					t.Errorf("it ended with the code %d (%v), want %d", code, err, c.code)
				}
			})
		})
	}
}

// A sip returns few bytes at a time.
type sip struct{ rest []byte }

func (r *sip) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), 7)], r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func TestAFloodOfAnyKindOfFrameEndsAWebSocket(t *testing.T) {
	for name, frame := range map[string][]byte{
		"pings":           masked(whole|opPing, ""),
		"pongs":           masked(whole|opPong, ""),
		"empty fragments": masked(0, ""),
		"messages":        masked(wholeText, `{"type":"ack","n":1}`),
		"long pings":      masked(whole|opPing, strings.Repeat("x", 125)),
		"long messages":   masked(wholeText, strings.Repeat("x", 30<<10)),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newTestServer(t)
				conn, page := visit(t, d)
				defer conn.CloseNow() //nolint:errcheck // it is gone either way
				ended := make(chan error, 1)
				go func() {
					for {
						if _, _, err := conn.Read(context.Background()); err != nil {
							ended <- err
							return
						}
					}
				}()
				if name == "empty fragments" {
					_, _ = page.Write(masked(opText, ""))
				}
				sent := 0
				for ; sent < 2*rawFramesAtOnce; sent++ {
					if _, err := page.Write(frame); err != nil {
						break
					}
				}
				if code := websocket.CloseStatus(<-ended); code != websocket.StatusPolicyViolation {
					t.Errorf("after %d frames it ends with %v, want %v", sent, code, websocket.StatusPolicyViolation)
				}
			})
		})
	}
}

// Each new WebSocket may send a burst of frames, so that an observer who opens one
// after another would still flood.
func TestAnObserverWhoFloodsOpensNoWebSocketForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newTestServer(t)
		eve, kim := d.paired(t, session.Observer), d.paired(t, session.Observer)
		conn, page := visitWith(t, d, net.IPv4(192, 168, 1, 50), http.Header{"Cookie": {"mybot=" + eve}})
		defer conn.CloseNow() //nolint:errcheck // it is gone either way
		go func() {
			for {
				if _, _, err := conn.Read(context.Background()); err != nil {
					return
				}
			}
		}()
		for range 2 * rawFramesAtOnce {
			if _, err := page.Write(masked(whole|opPing, "")); err != nil {
				break
			}
		}
		ask := func(method, path, token string) *http.Response {
			return d.ask(method, path, with("Cookie", "mybot="+token), with("Connection", "Upgrade"), with("Upgrade", "websocket"),
				with("Sec-Websocket-Protocol", subprotocol), func(r *http.Request) { r.RemoteAddr = "192.168.1.50:40000" })
		}
		time.Sleep(time.Second)
		if got := ask("GET", "/ws", eve); got.StatusCode != http.StatusTooManyRequests || got.Header.Get("Retry-After") != "9" {
			t.Errorf("who has flooded is answered %s, Retry-After %q", got.Status, got.Header.Get("Retry-After"))
		}
		if got := ask("POST", "/api/v1/stop", eve); got.StatusCode != http.StatusOK {
			t.Errorf("STOP of who has flooded is answered %s", got.Status)
		}
		if got := ask("GET", "/ws", kim); got.StatusCode == http.StatusTooManyRequests {
			t.Error("somebody else at the same address is kept out")
		}
		time.Sleep(floodPause)
		if got := ask("GET", "/ws", eve); got.StatusCode == http.StatusTooManyRequests {
			t.Error("who has flooded is kept out for longer")
		}
	})
}

func TestAnHonestPageIsNoFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var in bytes.Buffer
		r := newFrameReader(bufio.NewReader(&in), io.Discard)
		send := func(n int) {
			for range n {
				in.Write(masked(wholeText, strings.Repeat("x", 250)))
				if _, err := r.nextMessage(); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range 600 { // a minute of driving
			send(6)
			time.Sleep(100 * time.Millisecond)
		}
		send(900) // that were delayed by 15 s
	})
}

func TestAnObserverHasFewWebSocketsAndTakesNoneOfAnOperator(t *testing.T) {
	s := sockets{limits: Limits{Sockets: 1000, PerAddress: 64}}
	address := netip.MustParseAddr("192.168.1.50")
	add := func(role session.Role, grant string) bool {
		k := &socket{}
		k.countsToward(caller{Identity: session.Identity{Role: role, Grant: grant}, address: address})
		return s.addSocket(k)
	}
	for i := range 2 * socketsOfObserver {
		if in := add(session.Observer, "one"); in != (i < socketsOfObserver) {
			t.Errorf("WebSocket %d of an observer is taken: %v", i+1, in)
		}
	}
	n := socketsOfObserver
	for grant := 'a'; grant < 'z'; grant++ {
		for range socketsOfObserver {
			if add(session.Observer, string(grant)) {
				n++
			}
		}
	}
	if n != 64 {
		t.Errorf("observers of one address have %d WebSockets, want 64", n)
	}
	if !add(session.Operator, "ana") {
		t.Error("observers of the same address keep an operator out")
	}
}

// A socket whose buffers are full takes part of a frame: the rest is written before
// anything else.
func TestAFrameThatHadNotQuiteRoomIsSentWhole(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	page, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	conn, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw := &sharedConn{Conn: conn, writing: make(chan struct{}, 1)}
	send := raw.directSender(nil)
	message := bytes.Repeat([]byte("0123456789abcdef"), 4000)
	sent := 0
	for send(message) {
		sent++
	}
	if len(raw.unsent) == 0 {
		t.Skip("the socket took whole frames alone")
	}
	go func() { _ = raw.writeText([]byte("last")) }()
	in := bufio.NewReader(page)
	for i := range sent + 1 {
		want := message
		if i == sent {
			want = []byte("last")
		}
		frame := appendTextHeader(nil, len(want))
		got := make([]byte, len(frame)+len(want))
		if _, err := io.ReadFull(in, got); err != nil || !bytes.Equal(got, append(frame, want...)) {
			t.Fatalf("frame %d of %d is not what was sent: %v", i, sent, err)
		}
	}
}

// FuzzFrames reads arbitrary frames of a page, in pieces as TCP may deliver them.
func FuzzFrames(f *testing.F) {
	f.Add(masked(wholeText, "{}"), 3)
	f.Add(append(masked(opText, "a"), masked(whole|opContinuation, "b")...), 1)
	f.Add(append(masked(whole|opPing, "ping"), masked(whole|opClose, "\x03\xe8")...), 7)
	f.Add(maskedLength(wholeText, "x", 8), 2)
	f.Fuzz(func(t *testing.T, stream []byte, piece int) {
		var answers bytes.Buffer
		r := newFrameReader(bufio.NewReaderSize(&pieces{stream, max(1, piece)}, 16), &answers)
		for {
			message, err := r.nextMessage()
			if err != nil {
				break
			}
			if len(message) > readLimit || len(message) > len(stream) {
				t.Fatalf("a message of %d bytes in a stream of %d", len(message), len(stream))
			}
		}
		for rest := answers.Bytes(); len(rest) > 0; {
			if len(rest) < 2 || rest[0] != finalBit|opPong && rest[0] != finalBit|opClose || rest[1] > maxControl || len(rest) < 2+int(rest[1]) {
				t.Fatalf("the answer % x is no frame", rest)
			}
			rest = rest[2+rest[1]:]
		}
	})
}

// pieces is a stream that is read in pieces of at most size bytes.
type pieces struct {
	rest []byte
	size int
}

func (p *pieces) Read(to []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(to[:min(len(to), p.size)], p.rest)
	p.rest = p.rest[n:]
	return n, nil
}
