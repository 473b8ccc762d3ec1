package handlers

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"mybot/certs"
	"mybot/session"
)

// overTLS serves a port to other computers, as its address says; the test connects over
// TLS, from an address of this computer if it names one.
func overTLS(t *testing.T, change ...func(*UrbiConfig)) (u *urbiTest, dial func(from ...byte) *urbiProgram) {
	t.Helper()
	return overTLSOf(t, func(ln net.Listener) net.Listener { return ln }, change...)
}

// overTLSOf is overTLS with a listener that accepts what another one does.
func overTLSOf(t *testing.T, accept func(net.Listener) net.Listener, change ...func(*UrbiConfig)) (u *urbiTest, dial func(from ...byte) *urbiProgram) {
	t.Helper()
	authority, err := certs.OpenAuthority(t.TempDir(), "Test", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	certificate := authority.TLSConfig(func() []string { return []string{"localhost"} })
	u = serveUrbi(t, accept(ln), &net.TCPAddr{IP: net.IPv4zero, Port: 54000}, append(change, func(c *UrbiConfig) { c.TLS = certificate })...)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority.PEM())
	return u, func(from ...byte) *urbiProgram {
		t.Helper()
		d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, append(from, 1)[0])}}
		conn, err := tls.DialWithDialer(d, "tcp", ln.Addr().String(), &tls.Config{RootCAs: roots, ServerName: "localhost"})
		if err != nil {
			t.Fatal(err)
		}
		return u.program(conn)
	}
}

// tokenOf pairs a program and returns its token.
func (u *urbiTest) tokenOf(role session.Role) (token, grant string) {
	u.Helper()
	var code string
	var err error
	if role == session.Observer {
		code, err = u.access.Share(time.Now(), true, "")
	} else {
		code, err = u.access.OneTime(time.Now(), role, "")
	}
	if err != nil {
		u.Fatal(err)
	}
	token, g, err := u.access.Redeem(time.Now(), "192.168.1.50", code, "Ana")
	if err != nil {
		u.Fatal(err)
	}
	return token, g.ID
}

func TestOtherComputersLogInFirst(t *testing.T) {
	u, dial := overTLS(t)
	operator, grant := u.tokenOf(session.Operator)
	observer, _ := u.tokenOf(session.Observer)
	for text, want := range map[string]string{
		"echo 1;\n":                             `!!! Log in first: login("TOKEN"); with the token of a pairing`,
		"login(3);\n":                           "Log in first",
		"loginx;":                               "Log in first",
		"login(\"" + strings.Repeat("x", 600):   "Log in first",
		"login(\"wrong\");echo 1;":              "The robot does not know this token. Pair this computer with 'mybot pair'",
		"login(\"\");":                          "The robot does not know this token",
		"login(\"" + observer + "\");":          "You are here as observer; scripts are for operator and admin only.",
		"GET / HTTP/1.1\r\nHost: robot\r\n\r\n": "does not understand HTTP",
	} {
		p := dial()
		p.says(text)
		p.isLeft(want)
	}
	if n := u.robot.countGiven(); n != 0 || len(u.robot.opened) != 0 {
		t.Fatalf("%d commands are carried out without a login, for %v", n, u.robot.opened)
	}
	p := dial()
	for _, piece := range []string{"\r\nlog", "in ( \"", operator, "\" ) ", ";echo 1;"} {
		p.says(piece)
	}
	p.hears("ID: U1")
	p.hears("1.000000")
	if by := u.robot.opened[0]; by.Role != session.Operator || by.Grant != grant || by.Name != "Ana" || by.Remote != "127.0.0.1" || by.Browser == "" {
		t.Errorf("the unit is opened by %+v", by)
	}
	q := dial()
	q.says("\ufefflogin(\"owner\");")
	q.hears("ID: U2")
	if by := u.robot.opened[1]; by.Role != session.Admin {
		t.Errorf("the owner is %+v", by)
	}
}

func TestTheAccessOfAConnectionEndsWithItsGrant(t *testing.T) {
	revoked := make(chan string, 1)
	u, dial := overTLS(t, func(c *UrbiConfig) { c.Revoke = func(grant string) { revoked <- grant } })
	token, grant := u.tokenOf(session.Operator)
	p := dial()
	p.says("login(\"" + token + "\");")
	p.hears("ID: U1")
	if _, err := u.access.Revoke(grant); err != nil {
		t.Fatal(err)
	}
	p.isLeft("Your access has ended. Pair this computer with the robot again.")
	if got := <-revoked; got != grant {
		t.Errorf("%s is revoked", got)
	}
}

func TestOtherComputersNeedTLS(t *testing.T) {
	for _, addr := range []string{"0.0.0.0", "192.168.1.7", "::"} {
		if _, err := NewUrbiPort(&net.TCPAddr{IP: net.ParseIP(addr)}, UrbiConfig{}); err == nil || !strings.Contains(err.Error(), "so it needs TLS") {
			t.Errorf("at %s: %v", addr, err)
		}
	}
	u, _ := overTLS(t)
	p := u.dial("127.0.0.1")
	p.says("echo 1;\necho 2;\n")
	p.isLeft("")
	if len(u.robot.opened) != 0 {
		t.Error("a connection without TLS opens a unit")
	}
}

func TestAConnectionThatSendsNothingIsClosedWhenThePortEnds(t *testing.T) {
	u, dial := overTLS(t)
	p := u.dial("127.0.0.1")
	q := dial()
	q.says("login(\"owner\");")
	q.hears("ID: U1") // both are admitted
	go u.end()
	p.isLeft("")
}

// logIn logs a program in; false = it has no place, and hears want.
func (p *urbiProgram) logIn(token, want string) (ok bool) {
	p.Helper()
	p.says("login(\"" + token + "\");")
	line, err := p.in.ReadString('\n')
	if ok = strings.Contains(line, "ID: U"); err != nil || !ok && !strings.Contains(line, want) {
		p.Fatalf("the program hears %q, %v", line, err)
	}
	return ok
}

func TestOneDeviceLeavesPlacesForOthersWhateverItsAddresses(t *testing.T) {
	u, dial := overTLS(t)
	greedy, _ := u.tokenOf(session.Operator)
	other, _ := u.tokenOf(session.Operator)
	third, _ := u.tokenOf(session.Operator)
	const enough = "connections to the port for scripts already; the other places are for other devices."
	var all []*urbiProgram
	take := func(token string) (n int) {
		for ; ; n++ {
			p := dial(byte(1 + n%5))
			all = append(all, p)
			if !p.logIn(token, enough) {
				return n
			}
		}
	}
	if n := take(greedy); n != urbiConnections/2 {
		t.Errorf("one device has %d connections", n)
	}
	if n := take(other); n != urbiConnections/4 {
		t.Errorf("a second one has %d", n)
	}
	if !dial().logIn(third, enough) {
		t.Error("a third one has none")
	}
	_ = all[0].conn.Close()
	<-u.robot.closed
}

func TestStrangersWhoSayNothingKeepNoProgramOut(t *testing.T) {
	u, dial := overTLS(t)
	first := dial()
	first.logIn("owner", "")
	var strangers []*urbiProgram
	for n := range urbiStrangers { // all of their places, and all of one address
		strangers = append(strangers, u.dial(fmt.Sprintf("127.0.0.%d", 1+n/urbiPerAddress)))
	}
	for range urbiPerAddress {
		if p := dial(); !p.logIn("owner", "") {
			t.Error("a program does not come in")
		}
	}
	for range urbiPerAddress {
		u.dial("127.0.0.1")
	}
	strangers[0].isGone() // one of the oldest at the same address
	first.says("echo 1;")
	first.hears("1.000000")
}

// A crowdListener accepts its first connections when all of them have come.
type crowdListener struct {
	net.Listener
	first int
	crowd []net.Conn
}

func (l *crowdListener) Accept() (net.Conn, error) {
	for ; l.first > 0; l.first-- {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		l.crowd = append(l.crowd, conn)
	}
	if len(l.crowd) > 0 {
		conn := l.crowd[0]
		l.crowd = l.crowd[1:]
		return conn, nil
	}
	return l.Listener.Accept()
}

func TestOfStrangersThatComeTogetherTheFirstGivesWay(t *testing.T) {
	for range 20 { // in one of them the goroutine of the last one would begin before the others
		u, dial := overTLSOf(t, func(ln net.Listener) net.Listener { return &crowdListener{Listener: ln, first: urbiPerAddress + 1} })
		for range urbiPerAddress {
			u.dial("127.0.0.1")
		}
		if !dial().logIn("owner", "") {
			t.Error("the last one does not come in")
		}
	}
}

// isGone waits for the end of the connection, which may be a reset.
func (p *urbiProgram) isGone() {
	p.Helper()
	_ = p.conn.SetReadDeadline(time.Now().Add(8 * time.Second)) // before the time for its login is over
	if _, err := p.in.ReadByte(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		p.Errorf("the connection is open: %v", err)
	}
}
