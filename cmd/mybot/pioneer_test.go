package main

import (
	"bufio"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"mybot/drivers/pioneer/pioneertest"
)

// servePioneer runs a Pioneer behind a TCP port, as a serial device server does.
func servePioneer(t *testing.T, r *pioneertest.Robot) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var firmware sync.WaitGroup
	firmware.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			r.Serve(conn)
			_ = conn.Close()
		}
	})
	t.Cleanup(func() { _ = l.Close(); firmware.Wait() })
	return "tcp:" + l.Addr().String()
}

func TestAPioneerIsABase(t *testing.T) {
	said, end := serveBaseOf(t, "pioneer", servePioneer(t, &pioneertest.Robot{Subtype: "p3dx-sh", Sonars: 16, Range: 1500}), "--listen", "tcp:127.0.0.1:0")
	if !strings.HasPrefix(said, "Test robot (p3dx-sh) is a base at tcp:") {
		t.Errorf("it says %q", said)
	}
	_, address, _ := strings.Cut(strings.TrimSuffix(said, ". Ctrl-C ends it.\n"), " is a base at tcp:")
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, `{"t":"hello","v":[1]}`+"\n")
	described, heard := false, false
	for lines := bufio.NewScanner(conn); lines.Scan() && !heard; {
		described = described || strings.Contains(lines.Text(), `"name":"Pioneer DX"`)
		heard = described && strings.Contains(lines.Text(), `"ranges":[1500,`)
	}
	if !heard {
		t.Errorf("the base described its robot: %v, and reported its sonars: %v", described, heard)
	}
	if code := end(); code != 0 {
		t.Errorf("it ended with %d", code)
	}
}

func TestTheAddressOfAPioneerIsReadOrExplained(t *testing.T) {
	for _, c := range []struct{ driver, want, fault string }{
		{"pioneer:serial:/dev/ttyUSB0", "pioneer:serial:/dev/ttyUSB0", ""},
		{"pioneer:tcp:192.168.1.7:8101", "pioneer:tcp:192.168.1.7:8101", ""},
		{"tcp:192.168.1.7:7400", "tcp:192.168.1.7:7400", ""},
		{"pioneer:/dev/ttyUSB0", "", `a Pioneer is at the end of a port or a network: the address "/dev/ttyUSB0" should be like`},
	} {
		a, err := parseDriver(c.driver)
		if c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) || c.fault == "" && (err != nil || a.String() != c.want) {
			t.Errorf("%s is read as %s, %v", c.driver, a, err)
		}
	}
	for given, want := range map[string]string{"serial:/dev/ttyUSB0": "serial:/dev/ttyUSB0@9600", "serial:/dev/ttyUSB0@115200": "serial:/dev/ttyUSB0@115200"} {
		if a, err := parsePioneer(given); err != nil || a.String() != want {
			t.Errorf("%s is read as %s, %v", given, a, err)
		}
	}
}
