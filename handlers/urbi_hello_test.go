package handlers

import (
	"net"
	"testing"

	"mybot/session"
)

const helloText = "greeting = \"Hello\"; x = 0;\nwait 2 3;\necho greeting\n  + headPam.val;\nat (x == 1) echo \"one\"; echo greeting"

// withHello gives a port a script that runs for each new connection.
func withHello(text string) func(*UrbiConfig) {
	return func(c *UrbiConfig) { c.Hello = func() string { return text } }
}

func helloPort(t *testing.T, text string) *urbiTest {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serveUrbi(t, ln, ln.Addr(), withHello(text))
}

// The script runs in the unit of the connection before what the program sends, and the
// lines of its faults are those of its text. What watches in it continues.
func TestTheScriptHelloRunsForEachConnection(t *testing.T) {
	u := helloPort(t, helloText)
	for range 2 {
		p := u.connect()
		p.says("greeting; x = 1;\n")
		p.hears(":error] !!! line 2, column 8: hello: ")
		p.hears("!!! line 4, column 5: headPam is not known. Did you mean headPan?")
		p.hears(`] "Hello"`)
		p.hears(`] "Hello"`)
		p.hears(`] "one"`)
	}
}

func TestTheScriptHelloRunsAfterTheLogin(t *testing.T) {
	u, dial := overTLS(t, withHello("echo 1;"))
	token, _ := u.tokenOf(session.Operator)
	p := dial()
	p.says("login(\"" + token + "\");")
	p.hears("ID: U1")
	p.hears("] 1.000000")
}

// A web page that makes the browser connect does not make it run, nor does a program that
// has sent nothing.
func TestTheScriptHelloDoesNotRunForAnotherProtocol(t *testing.T) {
	u := helloPort(t, "echo 1;")
	p := u.connect()
	p.says("GET / HTTP/1.1\r\n\r\n")
	p.isLeft("does not understand HTTP")
	if n := u.robot.countGiven(); n != 0 {
		t.Errorf("%d commands were given", n)
	}
	p = u.connect()
	p.says("noop;\n")
	p.hears("] 1.000000")
}

func TestAPortWithoutTheScriptHelloGivesNothing(t *testing.T) {
	u := helloPort(t, "# nothing\n")
	p := u.connect()
	p.says("1;")
	p.hears("] 1.000000")
	if n := u.robot.countGiven(); n != 1 {
		t.Errorf("%d commands were given", n)
	}
}
