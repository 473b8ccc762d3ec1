package handlers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"mybot/script"
	"mybot/session"
	"mybot/session/access"
)

// scriptRobot is a machine of scripts in place of a session, without a control loop.
type scriptRobot struct {
	began time.Time

	mu      sync.Mutex
	machine *script.Machine
	opened  []session.Identity
	given   int
	deliver map[string]func([]script.Line)
	closed  chan string
	silent  chan string // "U1 held" or "U1 heard"
	answers map[string]script.Value
	heard   script.Value // the last value that spk was set to

	licensed []string // units
	refusal  error    // of LicenseScriptUnit
	deaf     int      // how many of the next holds and resumes it does not take
}

func newScriptRobot() *scriptRobot {
	devices := []script.Device{
		{Name: "headPan", Unit: "deg", Min: -90, Max: 90, Moves: true, FollowsAtOnce: true},
		{Name: "turn", Unit: "deg", Moves: true, FollowsAtOnce: true, Odometric: true},
		{Name: "speaker", FollowsAtOnce: true, Initial: script.Text("")},
	}
	return &scriptRobot{
		began: time.Now(), machine: script.New(script.Config{Devices: devices, Functions: []script.Function{{Name: "camera.val"}}}),
		deliver: map[string]func([]script.Line){}, closed: make(chan string, 100), silent: make(chan string, 1000),
		answers: map[string]script.Value{"camera.val": script.Binary("jpeg 208 160", []byte("\xff\xd8;\n\x00"))},
	}
}

func (r *scriptRobot) now() script.Time { return script.Time(time.Since(r.began).Microseconds()) }

// do changes the machine, answers what it asks, and delivers its lines.
func (r *scriptRobot) do(change func(now script.Time)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(r.now())
	for _, a := range r.machine.Asks() {
		if !a.Cancelled {
			r.machine.Answer(r.now(), a.ID, r.answers[a.Name], "")
		}
	}
	for _, o := range r.machine.Outputs() {
		if o.Name == "speaker.val" {
			r.heard = o.Value
		}
	}
	for _, l := range r.machine.Lines() {
		if f := r.deliver[l.Unit]; f != nil {
			f([]script.Line{l})
		}
	}
}

func (r *scriptRobot) OpenScriptUnit(_ context.Context, by session.Identity) (unit string, err error) {
	r.do(func(now script.Time) {
		r.opened = append(r.opened, by)
		unit = fmt.Sprintf("U%d", len(r.opened))
		err = r.machine.Open(now, unit, false)
	})
	return unit, err
}

func (r *scriptRobot) GiveScriptCommands(_ context.Context, unit string, c script.Commands) error {
	r.do(func(now script.Time) {
		r.given++
		r.machine.Give(now, unit, c)
	})
	return nil
}

func (r *scriptRobot) LicenseScriptUnit(_ context.Context, unit string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.licensed = append(r.licensed, unit)
	return r.refusal
}

func (r *scriptRobot) CloseScriptUnit(unit string) {
	r.do(func(now script.Time) { r.machine.Close(now, unit) })
	r.closed <- unit
}

func (r *scriptRobot) HoldScriptUnit(unit, _ string) bool {
	return r.tellSilence(unit+" held", func(now script.Time) { r.machine.Silence(now, unit) })
}

func (r *scriptRobot) ResumeScriptUnit(unit string) bool {
	return r.tellSilence(unit+" heard", func(now script.Time) { r.machine.Hear(now, unit) })
}

func (r *scriptRobot) tellSilence(what string, change func(now script.Time)) (done bool) {
	r.mu.Lock()
	r.deaf--
	done = r.deaf < 0
	r.mu.Unlock()
	if done {
		r.do(change)
		r.silent <- what
	}
	return done
}

func (r *scriptRobot) Subscribe(unit string, deliver func([]script.Line)) func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deliver[unit] = deliver
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.deliver, unit)
	}
}

func (r *scriptRobot) isOpen(unit string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.machine.IsOpen(unit)
}

func (r *scriptRobot) countGiven() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.given
}

// An urbiTest is a port that is served to programs of the test.
type urbiTest struct {
	*testing.T
	robot  *scriptRobot
	access *access.Authenticator
	ln     net.Listener
	end    func()
}

// serveUrbi serves a port on a listener; the port believes that addr is its address.
func serveUrbi(t *testing.T, ln net.Listener, addr net.Addr, change ...func(*UrbiConfig)) *urbiTest {
	t.Helper()
	r := newScriptRobot()
	a, err := access.NewAuthenticator(noGrants{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := UrbiConfig{Session: r, Lines: r, IsOpen: r.isOpen, Access: a, Owner: "owner", Revoke: func(string) {}, Log: slog.New(slog.DiscardHandler)}
	for _, c := range change {
		c(&cfg)
	}
	port, err := NewUrbiPort(addr, cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- port.Serve(ctx, ln) }()
	end := sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the port ended with %v", err)
		}
	})
	t.Cleanup(end)
	return &urbiTest{t, r, a, ln, end}
}

// overTCP serves a port on this computer.
func overTCP(t *testing.T) *urbiTest {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serveUrbi(t, ln, ln.Addr())
}

// An urbiProgram is a program that is connected to the port.
type urbiProgram struct {
	*urbiTest
	conn net.Conn
	in   *bufio.Reader
}

func (u *urbiTest) program(conn net.Conn) *urbiProgram {
	u.Cleanup(func() { _ = conn.Close() })
	return &urbiProgram{u, conn, bufio.NewReader(conn)}
}

// dial connects from an address of this computer.
func (u *urbiTest) dial(from string) *urbiProgram {
	u.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := d.Dial("tcp", u.ln.Addr().String())
	if err != nil {
		u.Fatal(err)
	}
	return u.program(conn)
}

// connect connects, and reads the first line.
func (u *urbiTest) connect() *urbiProgram {
	u.Helper()
	p := u.dial("127.0.0.1")
	p.hears("ID: U")
	return p
}

func (p *urbiProgram) says(text string) {
	p.Helper()
	if _, err := io.WriteString(p.conn, text); err != nil {
		p.Fatal(err)
	}
}

// hears reads the next line, which must contain want.
func (p *urbiProgram) hears(want string) string {
	p.Helper()
	line, err := p.in.ReadString('\n')
	if err != nil || !strings.Contains(line, want) {
		p.Fatalf("the program hears %q, %v; it must hear %q", line, err, want)
	}
	return line
}

// isLeft reads up to the end of the connection; the rest must contain want.
func (p *urbiProgram) isLeft(want string) {
	p.Helper()
	rest, err := io.ReadAll(p.in)
	if err != nil && !errors.Is(err, io.ErrClosedPipe) || !strings.Contains(string(rest), want) {
		p.Errorf("the connection ends with %q, %v; it must say %q", rest, err, want)
	}
}

func TestAProgramTalksByLines(t *testing.T) {
	p := overTCP(t).connect()
	p.says("x = 15.104; mytag: x;")
	if line := p.hears("mytag] 15.104000\n"); !strings.HasPrefix(line, "[0000") {
		t.Errorf("the line is %q", line)
	}
	p.says("\r\n\r\nslow +report: wait(1ms),\n")
	p.hears(":slow] *** start")
	p.robot.do(func(now script.Time) { p.robot.machine.Tick(now + 1e6) })
	p.hears(":slow] *** stop")
	p.says("y: headPam.val;\n")
	p.hears(":y] !!! line 1, column 4: headPam is not known. Did you mean headPan?")
	p.says("3 +;\n")
	p.hears(":error] !!! ")
	p.says(`echo "a\nb";` + "\n")
	p.hears(`:notag] "a\nb"`)
}

func TestPicturesAndSoundAreSentAsBytes(t *testing.T) {
	p := overTCP(t).connect()
	p.says("pic: camera.val;")
	p.hears(":pic] BIN 5 jpeg 208 160\n")
	data := make([]byte, 5)
	if _, err := io.ReadFull(p.in, data); err != nil || string(data) != "\xff\xd8;\n\x00" {
		t.Fatalf("the picture is %q, %v", data, err)
	}
	p.says("speaker.val = BIN 6 wav;\n;q\n\"")
	p.says("\x01\x02echo 1;")
	p.hears(":notag] 1.000000")
	p.robot.mu.Lock()
	defer p.robot.mu.Unlock()
	if format, data, ok := p.robot.heard.Binary(); !ok || format != "wav" || string(data) != ";q\n\"\x01\x02" {
		t.Errorf("the speaker is set to %q %q", format, data)
	}
}

func TestNothingOfAnotherProtocolIsCarriedOut(t *testing.T) {
	const attack = ";\nmotoron;\nx=1;\n"
	for _, first := range []string{
		"GET / HTTP/1.1\r\nHost: 127.0.0.1:54000\r\n\r\n", "POST /;motoron; HTTP/1.1\r\n\r\n", "post / http/1.0\r\n", "PUT /a HTTP/1.1\n",
		"x /;motoron;", "motoron /x;killall;", "OPTIONS * HTTP/1.1\r\n", "CONNECT a:80 HTTP/1.1\r\n", "GET http://127.0.0.1:54000/;motoron; HTTP/1.1\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "M-SEARCH * HTTP/1.1\r\n", "GET  /;x=1;", "\r\n\r\nGET /a,b HTTP/1.1\r\n",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03;motoron;", "\x00\x01\x00\x08;motoron;", "a\x00b;",
	} {
		for _, piecewise := range []bool{false, true} {
			u := overTCP(t)
			p := u.connect()
			if piecewise {
				for i := range len(first) {
					if _, err := io.WriteString(p.conn, first[i:i+1]); err != nil {
						break
					}
				}
				_, _ = io.WriteString(p.conn, attack)
			} else {
				_, _ = io.WriteString(p.conn, first+attack)
			}
			rest, err := io.ReadAll(p.in)
			if !strings.Contains(string(rest), "none of it was carried out") && !errors.Is(err, os.ErrDeadlineExceeded) && err == nil {
				t.Errorf("after %q the connection ends with %q, %v", first, rest, err)
			}
			<-u.robot.closed
			if n := u.robot.countGiven(); n != 0 {
				t.Errorf("of %q (piecewise %v) %d commands are carried out", first, piecewise, n)
			}
		}
	}
}

func TestTextThatOnlyResemblesAnotherProtocolIsUnderstood(t *testing.T) {
	for text, want := range map[string]string{
		"6 / 2;": "3.000000", "x = 8, x / 2;": "4.000000", "echo \"GET / HTTP\";": "GET / HTTP", "# grüße\necho 1;": "1.000000", "\xff\xfdecho 2;echo 3;": "",
		"lo = 4; lo;": "4.000000", "login_count = 5; login_count;": "5.000000", "login(\"owner\"); echo 6;": "6.000000",
	} {
		p := overTCP(t).connect()
		p.says(text)
		p.hears(want)
	}
}

func TestAConnectionEndsItsStatements(t *testing.T) {
	u := overTCP(t)
	p := u.connect()
	p.says("loop { wait(1s) },echo 1;")
	p.hears("1.000000")
	_ = p.conn.Close()
	if unit := <-u.robot.closed; unit != "U1" || u.robot.isOpen("U1") {
		t.Errorf("%s is closed", unit)
	}
}

func TestQuitClosesTheConnectionAfterItsLastLine(t *testing.T) {
	p := overTCP(t).connect()
	p.says("echo 1;\n")
	p.hears("1.000000")
	p.says("echo 2; quit;\n")
	p.hears("2.000000")
	p.isLeft("")
}
