package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// TestMain makes the test binary the program itself, for the tests of signals.
func TestMain(m *testing.M) {
	if os.Getenv("MYBOT_TEST_BE_THE_PROGRAM") == "1" {
		main()
		return
	}
	os.Exit(m.Run())
}

// nothing is an environment without variables.
func nothing(string) string { return "" }

func TestAWrongCallIsSaid(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.json")
	if err := os.WriteFile(bad, []byte(`{"name":"Bad"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	data := []string{"--data", dir, "--listen", "127.0.0.1:0"}
	for _, c := range []struct {
		name string
		args []string
		code int
		want string // part of the message
	}{
		{"a sub-command that is not there", []string{"fly"}, exitUsage, `no sub-command "fly"`},
		{"a flag that is not there", []string{"--fly"}, exitUsage, "not defined: -fly"},
		{"a word that is no flag", []string{"serve", "fly"}, exitUsage, `"fly" is not a flag`},
		{"a flag without its value", []string{"--data"}, exitUsage, "needs an argument"},
		{"a seed that is no number", []string{"--seed", "-1"}, exitUsage, "a whole number, 0 or more"},
		{"a log level that is not there", []string{"--log-level", "loud"}, exitUsage, "debug, info, warn or error"},
		{"a log format that is not there", []string{"--log-format", "xml"}, exitUsage, "text or json"},
		{"an address that is none", []string{"--data", dir, "--listen", "everywhere"}, exitUsage, "0.0.0.0:8080 for the network"},
		{"a port for scripts that is no address", []string{"--data", dir, "--listen", "127.0.0.1:0", "--urbi", "54000"}, exitUsage, "such as 127.0.0.1:54000 for this computer only"},
		{"a port for scripts for others without TLS", []string{"--data", dir, "--listen", "127.0.0.1:0", "--urbi", "0.0.0.0:0"}, exitUsage, "so it needs --tls"},
		{"a name with a port", []string{"--host", "robot:80"}, exitUsage, "just a name"},
		{"a proxy that is no network", []string{"--trusted-proxy", "nginx"}, exitUsage, "10.0.0.0/8"},
		{"a base at a port that cannot be", []string{"--driver", "tcp:127.0.0.1:99999"}, exitUsage, "a number from 1 to 65535"},
		{"a base at no port", []string{"--driver", "tcp:127.0.0.1:0"}, exitUsage, "the port 0, at which no base can be"},
		{"checking a base at no port", []string{"base", "check", "tcp:127.0.0.1:0"}, exitUsage, "a number from 1 to 65535"},
		{"a port for the media that cannot be", []string{"--media-tcp", "0.0.0.0:99999"}, exitUsage, "such as 0.0.0.0:8443"},
		{"a certificate without its key", []string{"--tls", "cert.pem"}, exitUsage, "cert.pem,key.pem"},
		{"a certificate that is not there", append([]string{"--tls", "none.pem,none.key"}, data...), exitFailed, "none.pem"},
		{"no pages at all", []string{"--max-pages", "0"}, exitUsage, "1 or more"},
		{"pairing without an address", []string{"pair", "--code", "1"}, exitUsage, "http://192.168.1.7:8080"},
		{"pairing without a code", []string{"pair", "--robot", "http://127.0.0.1:1"}, exitUsage, "PIN"},
		{"pairing with nowhere to keep it", []string{"pair", "--robot", "http://127.0.0.1:1", "--code", "1"}, exitFailed, "HOME"},
		{"stopping a word", []string{"stop", "now"}, exitUsage, `"now" is not a flag`},
		{"stopping nothing", []string{"stop", "--data", dir}, exitFailed, "no robot of this user is running"},
		{"stopping at an address that is none", []string{"stop", "--robot", "robot"}, exitUsage, "http://192.168.1.7:8080"},
		{"a robot that does not answer", []string{"status", "--robot", "http://127.0.0.1:1"}, exitFailed, "does not answer"},
		{"users without what", []string{"users"}, exitUsage, "list"},
		{"revoking nobody", []string{"users", "revoke"}, exitUsage, "revoke"},
		{"revoking nobody by an empty word", []string{"users", "revoke", " ", "--data", dir}, exitUsage, "takes the id of a device"},
		{"revoking somebody who is not there", []string{"users", "revoke", "00", "--data", dir}, exitFailed, "users list"},
		{"motions without what", []string{"motions"}, exitUsage, "takes list"},
		{"a motion without a number", []string{"motions", "get", "first"}, exitUsage, "motions list"},
		{"a script without what", []string{"script"}, exitUsage, "script takes check"},
		{"a mirror of nobody", []string{"script", "mirror"}, exitUsage, "mirror and --to"},
		{"a script of no robot", []string{"script", "talk", "--data", dir}, exitFailed, "its port for scripts with --urbi HOST:PORT"},
		{"a script of a robot that is not there", []string{"script", "talk", "--urbi", "127.0.0.1:1"}, exitFailed, "does not answer: is the robot on"},
		{"checking no script", []string{"script", "check"}, exitUsage, "a FILE, run or stop"},
		{"an audit of nothing", []string{"audit"}, exitUsage, "verify"},
		{"an audit log that is not there", []string{"audit", "verify", filepath.Join(dir, "none")}, exitFailed, "none"},
		{"a bad network that is not there", []string{"--data", dir, "--link", "carrier-pigeon"}, exitUsage, "kaist-davis"},
		{"a data directory that is a file", []string{"--listen", "127.0.0.1:0", "--data", bad}, exitFailed, "the data directory " + bad + " is not a directory"},
		{"a data directory in a file", []string{"--listen", "127.0.0.1:0", "--data", filepath.Join(bad, "data")}, exitFailed, "choose another with --data"},
		{"nowhere to keep anything", []string{"--listen", "127.0.0.1:0"}, exitUsage, "--data"},
		{"a robot that is not there", append([]string{"--robot", filepath.Join(dir, "none.json")}, data...), exitFailed, "none.json"},
		{"a robot that is not right", append([]string{"--robot", bad}, data...), exitFailed, "drivetrain"},
		{"a robot of a file that is much too long", append([]string{"--robot", os.Args[0]}, data...), exitFailed, "has more than 65536 bytes"},
		{"a localizer that is none", append([]string{"--localizer", "amcl"}, data...), exitUsage, "mcl, odometry, seed-sum, seed-mean"},
		{"a start that is no pose", append([]string{"--start", "4.5,7.3"}, data...), exitUsage, "4.5,7.3,90"},
		{"a start that is no number", append([]string{"--start", "4.5,here,0"}, data...), exitUsage, "4.5,7.3,90"},
		{"a start in a wall", append([]string{"--start", "6.5,8.4,0"}, data...), exitUsage, "does not fit"},
		{"a map that is not there", append([]string{"--map", filepath.Join(dir, "none")}, data...), exitFailed, "none"},
		{"a map that is a file", append([]string{"--map", bad}, data...), exitFailed, "is a file; a map is a folder that contains map.yaml and a picture"},
		{"a map command that is not there", []string{"map", "draw"}, exitUsage, "check DIR"},
		{"a map command without a folder", []string{"map", "check"}, exitUsage, "map check needs the folder"},
		{"two map folders", []string{"map", "info", dir, dir}, exitUsage, "takes one folder"},
		{"a map folder that is a file", []string{"map", "lines", bad}, exitFailed, "is a file; a map is a folder"},
		{"a map folder that is not there", []string{"map", "check", filepath.Join(dir, "none")}, exitFailed, "none"},
		{"a map folder without a map", []string{"map", "lines", dir}, exitFailed, "map.yaml: is missing"},
		{"a flag that is of another map command", []string{"map", "check", dir, "--write"}, exitUsage, "not defined: -write"},
		{"an experiment that is not there", []string{"lab", "fly"}, exitUsage, "fly"},
		{"a base of nothing", []string{"base"}, exitUsage, "mybot base serve sim"},
		{"an example of nothing", []string{"base", "example"}, exitUsage, "mybot base example python >base.py:\n  python   two wheels,"},
		{"an example that is not there", []string{"base", "example", "cobol"}, exitUsage, "\n  lidar    a lidar beside a base"},
		{"a base check without an address", []string{"base", "check"}, exitUsage, "mybot base check tcp:127.0.0.1:7401"},
		{"a base check at an address that is none", []string{"base", "check", "/dev/ttyUSB0"}, exitUsage, "should be like tcp:192.168.1.7:7400, unix:/run/base.sock"},
		{"a base that is not there", []string{"base", "check", "unix:" + filepath.Join(dir, "none.sock")}, exitFailed, "no base answers at unix:"},
		{"a base watch without an address", []string{"base", "watch"}, exitUsage, "mybot base watch tcp:127.0.0.1:7401"},
		{"a base watch for no time", []string{"base", "watch", "tcp:127.0.0.1:1", "--for", "-1s"}, exitUsage, "such as 10s"},
		{"a base of something that cannot be one", []string{"base", "serve", "toaster"}, exitUsage, "mybot base serve sim"},
		{"a base at no address", []string{"base", "serve", "sim", "--listen", "127.0.0.1:7401"}, exitUsage, "should be like tcp:192.168.1.7:7400"},
		{"a base that forgets too late", []string{"base", "serve", "sim", "--hold", "2s"}, exitUsage, "between 20ms and 1s"},
		{"a base of a robot that is not there", []string{"base", "serve", "sim", "--robot", filepath.Join(dir, "none.json")}, exitFailed, "none.json"},
		{"a base of a robot that is not right", []string{"base", "serve", "sim", "--robot", bad}, exitFailed, "drivetrain"},
		{"a base on a floor that is not there", []string{"base", "serve", "sim", "--floor", filepath.Join(dir, "none")}, exitFailed, "--floor " + filepath.Join(dir, "none")},
		{"a base that starts in a wall", []string{"base", "serve", "sim", "--start", "6.5,8.4,0"}, exitUsage, "does not fit"},
		{"a version of something", []string{"version", "lab"}, exitUsage, "takes no arguments"},
		{"a version of a flag", []string{"--version", "--seed"}, exitUsage, "takes no arguments"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			if code := run(t.Context(), c.args, &out, &errs, nothing); code != c.code {
				t.Errorf("the exit code is %d, want %d", code, c.code)
			}
			if !strings.HasPrefix(errs.String(), "mybot: ") || !strings.Contains(errs.String(), c.want) {
				t.Errorf("the message %q lacks %q", errs.String(), c.want)
			}
			if out.Len() > 0 {
				t.Errorf("it also prints %q", out.String())
			}
		})
	}
}

func TestHelpNamesEveryFlag(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"--help"}, {"-h"}, {"serve", "--help"}, {"job", "list", "--help"}, {"--listen", "127.0.0.1:0", "-h"}} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), args, &out, &errs, nothing); code != exitDone {
			t.Errorf("%v ends with %d: %s", args, code, errs.String())
		}
		for _, flag := range []string{"listen", "data", "link", "seed", "robot", "map", "localizer", "start", "truth", "log-level", "log-format", "host", "trusted-proxy", "tls", "max-pages", "max-pages-each"} {
			if !strings.Contains(out.String(), "--"+flag) {
				t.Errorf("%v does not name --%s", args, flag)
			}
		}
	}
}

func TestTheVersionIsPrinted(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"--version"}, {"-version"}} {
		var out bytes.Buffer
		if code := run(t.Context(), args, &out, io.Discard, nothing); code != exitDone || !strings.HasPrefix(out.String(), "mybot "+version) {
			t.Errorf("%v ends with %d and prints %q", args, code, out.String())
		}
		for _, want := range []string{runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, "mybot licences"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%v does not print %s, but %q", args, want, out.String())
			}
		}
	}
}

func TestWhatMustLastGoesWhereXDGSays(t *testing.T) {
	for _, c := range []struct {
		name string
		o    options
		env  map[string]string
		want string // "" = the message asks for --data
	}{
		{"a flag goes first", options{data: "/here"}, map[string]string{"XDG_STATE_HOME": "/state", "HOME": "/home/ana"}, "/here"},
		{"then XDG_STATE_HOME", options{}, map[string]string{"XDG_STATE_HOME": "/state", "HOME": "/home/ana"}, "/state/mybot"},
		{"a relative one is ignored", options{}, map[string]string{"XDG_STATE_HOME": "state", "HOME": "/home/ana"}, "/home/ana/.local/state/mybot"},
		{"then the home", options{}, map[string]string{"HOME": "/home/ana"}, "/home/ana/.local/state/mybot"},
		{"and nowhere without one", options{}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.o.dataDir(func(name string) string { return c.env[name] })
			if got != c.want || (err == nil) != (c.want != "") {
				t.Errorf("it is %q (%v), want %q", got, err, c.want)
			}
		})
	}
}

func TestServePrintsTheAddressAndServesThere(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, stdout := io.Pipe()
	var errs bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"--listen", "127.0.0.1:0", "--data", t.TempDir(), "--link", "lan", "--truth", "--log-format", "json"}, stdout, &errs, nothing)
		_ = stdout.Close()
	}()
	address := printedAddress(t, out)
	go io.Copy(io.Discard, out) //nolint:errcheck // it ends with the program
	for path, want := range map[string]string{"/": "floorplan", "/map.svg": "<svg", "/metrics": "mybot_position_error_meters"} {
		body := get(t, address+path)
		if !strings.Contains(body, want) {
			t.Errorf("%s does not have %s", path, want)
		}
	}
	cancel()
	if got := <-code; got != exitDone {
		t.Errorf("it ends with %d: %s", got, errs.String())
	}
	if !strings.Contains(errs.String(), `"msg":"shut down"`) {
		t.Errorf("the log is not JSON, or does not report the shutdown: %s", errs.String())
	}
}

func TestAProgramThatIsEndedWhileItWaitsForItsBaseEndsInOrder(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		if conn, err := silent.Accept(); err == nil {
			cancel()
			_, _ = io.Copy(io.Discard, conn)
			_ = conn.Close()
		}
	}()
	var errs bytes.Buffer
	args := []string{"serve", "--listen", "127.0.0.1:0", "--data", t.TempDir(), "--driver", "tcp:" + silent.Addr().String()}
	if code := run(ctx, args, io.Discard, &errs, nothing); code != exitDone || strings.Contains(errs.String(), "interrupted") {
		t.Errorf("it ends with %d: %s", code, errs.String())
	}
}

// printedAddress reads the program's output until it contains the address.
func printedAddress(t *testing.T, out io.Reader) string {
	t.Helper()
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if a := address.FindString(lines.Text()); a != "" {
			return a
		}
	}
	t.Fatal("no address was printed")
	return ""
}

// get returns the content at an address.
func get(t *testing.T, address string) string {
	t.Helper()
	r, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close() // it was only read
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// A process is the program in a separate process.
type process struct {
	cmd     *exec.Cmd
	address string
	log     *bufio.Scanner
	pipes   [2]io.Closer // its output
}

func start(t *testing.T, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.CommandContext(t.Context(), self, append([]string{"--listen", "127.0.0.1:0", "--data", t.TempDir()}, args...)...)}
	p.cmd.Env = append(os.Environ(), "MYBOT_TEST_BE_THE_PROGRAM=1")
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errs, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.address, p.log, p.pipes = printedAddress(t, out), bufio.NewScanner(errs), [2]io.Closer{out, errs}
	return p
}

func (p *process) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

func TestASignalEndsTheProgramInOrder(t *testing.T) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) {
			if signal.Ignored(s) {
				t.Skip("the tests run with it ignored, as under nohup")
			}
			p := start(t)
			begin := time.Now()
			p.signal(t, s)
			var last string
			for p.log.Scan() {
				last = p.log.Text()
			}
			if err := p.cmd.Wait(); err != nil {
				t.Errorf("it ended with %v", err)
			}
			if took := time.Since(begin); took > 2*time.Second {
				t.Errorf("it took %v", took)
			}
			if !strings.Contains(last, "shut down") {
				t.Errorf("the last line of its log is %q", last)
			}
		})
	}
}

// Ctrl-C in `mybot 2>&1 | tee log` ends tee, too.
func TestTheProgramEndsInOrderWhenTheReaderOfItsOutputIsGone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGPIPE")
	}
	p := start(t)
	for _, pipe := range p.pipes {
		_ = pipe.Close()
	}
	p.signal(t, os.Interrupt)
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

func TestASecondInterruptEndsTheProgramAtOnce(t *testing.T) {
	p := start(t, "--link", "rtt=10s") // a link on which goodbyes take long
	cookie := cookieOf(t, p.address)
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() // the peer is gone
	if _, err := io.WriteString(conn, "GET /ws HTTP/1.1\r\nHost: "+strings.TrimPrefix(p.address, "http://")+"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mybot.v1\r\nCookie: "+cookie+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, "101") {
		t.Fatalf("the WebSocket is answered %q, %v", line, err)
	}
	p.signal(t, os.Interrupt)
	for p.log.Scan() && !strings.Contains(p.log.Text(), "shutting down") {
	}
	ended := make(chan error, 1)
	go func() { ended <- p.cmd.Wait() }()
	for p.cmd.Process.Signal(os.Interrupt) == nil { // until one comes late enough to count
		runtime.Gosched()
	}
	err = <-ended
	if code := p.cmd.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("it ended with %v, want exit code %d", err, exitInterrupted)
	}
}

func TestASignalThatComesTwiceAtOnceIsOneSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		signals, stopping, killed := make(chan os.Signal), false, false
		go func() {
			awaitSignals(signals, func() { stopping = true })
			killed = true
		}()
		for _, c := range []struct {
			after            time.Duration
			stopping, killed bool
		}{{0, true, false}, {0, true, false}, {sameSignal - 1, true, false}, {1, true, true}} {
			time.Sleep(c.after)
			signals <- syscall.SIGTERM
			synctest.Wait()
			if stopping != c.stopping || killed != c.killed {
				t.Errorf("another signal after %v: it shuts down %v, it is killed %v", c.after, stopping, killed)
			}
		}
	})
}

// cookieOf opens the page and returns its cookie as a header.
func cookieOf(t *testing.T, address string) string {
	t.Helper()
	r, err := http.Get(address + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close() // it was only read
	for _, c := range r.Cookies() {
		return c.Name + "=" + c.Value
	}
	t.Fatal("the page came without a cookie")
	return ""
}

func TestTheProgramNotifiesItsSupervisor(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "notify")
	supervisor, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Skipf("there are no datagram sockets with paths here: %v", err)
	}
	defer supervisor.Close()
	t.Setenv("NOTIFY_SOCKET", socket)
	t.Setenv("WATCHDOG_USEC", "400000")
	p := start(t)
	heard := map[string]int{}
	hear := func() string {
		var message [64]byte
		n, err := supervisor.Read(message[:])
		if err != nil {
			t.Fatal(err)
		}
		heard[string(message[:n])]++
		return string(message[:n])
	}
	for heard["READY=1"] == 0 || heard["WATCHDOG=1"] < 3 {
		hear()
	}
	p.signal(t, syscall.SIGTERM)
	for hear() != "STOPPING=1" {
	}
	for p.log.Scan() { // until the program ends
	}
	if err := p.cmd.Wait(); err != nil {
		t.Error(err)
	}
	if len(heard) != 3 || heard["READY=1"] != 1 {
		t.Errorf("the message is %v", heard)
	}
}
