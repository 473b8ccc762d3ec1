package base_test

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"mybot/drivers/base"
)

func TestAnAddressIsReadOrExplained(t *testing.T) {
	for _, c := range []struct {
		address string
		local   bool
		fault   string // part of it; "" = none
	}{
		{"tcp:127.0.0.1:7401", true, ""},
		{"tcp:localhost:7401", true, ""},
		{"tcp:[::1]:7401", true, ""},
		{"tcp:0.0.0.0:7401", false, ""},
		{"tcp:robot.example:7401", false, ""},
		{"unix:/run/base.sock", true, ""},
		{"tcp:7401", false, `the address "tcp:7401" has no host and port; it should be like tcp:127.0.0.1:7401`},
		{"tcp::7401", false, "has no host and port"},
		{"tcp:robot", false, "has no host and port"},
		{"tcp:robot:99999", false, `has the port "99999"; it should be a number from 1 to 65535`},
		{"tcp:robot:-1", false, `has the port "-1"`},
		{"tcp:robot:0", false, "has the port 0, at which no base can be; it should be a number from 1 to 65535"},
		{"unix:", false, "has no path; it should be like unix:/run/base.sock"},
		{"127.0.0.1:7401", false, "should be like tcp:192.168.1.7:7400, unix:/run/base.sock, serial:/dev/ttyUSB0@115200 or exec:./base.py"},
		{"", false, "should be like tcp:192.168.1.7:7400"},
		{"serial:/dev/ttyUSB0@57600", true, ""},
		{"serial:/dev/serial/by-id/usb-a@b-port0@115200", true, ""},
		{"exec:./base.py --fast 'my robot'", true, ""},
		{"serial:", false, "has no device; it should be like serial:/dev/ttyUSB0@115200"},
		{"serial:/dev/ttyUSB0@fast", false, "has no baud rate behind the @"},
		{"exec: ", false, "has no command; it should be like exec:./base.py --fast 'my robot'"},
		{"exec:./base.py 'my robot", false, "has no command"},
	} {
		a, err := base.ParseAddress(c.address)
		switch {
		case c.fault == "" && (err != nil || a.String() != c.address || a.IsLocal() != c.local):
			t.Errorf("%s is read as %s, local %v, %v", c.address, a, a.IsLocal(), err)
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%s: the fault is %v, which does not say %q", c.address, err, c.fault)
		}
	}
}

func TestASerialPortHasADefaultSpeed(t *testing.T) {
	if a, err := base.ParseAddress("serial:/dev/ttyACM0"); err != nil || a.String() != "serial:/dev/ttyACM0@115200" {
		t.Errorf("it is %s, %v", a, err)
	}
	a, err := base.ParseAddress("exec:./base.py")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Listen(t.Context()); err == nil || !strings.Contains(err.Error(), "a base cannot wait at exec:./base.py; it can at an address like ") {
		t.Errorf("the error is %v", err)
	}
}

func TestABaseIsReachedAtItsAddress(t *testing.T) {
	a, err := base.ParseAddress("unix:" + filepath.Join(t.TempDir(), "base.sock"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Dialer(slog.New(slog.DiscardHandler))(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "no base answers at "+a.String()+": ") {
		t.Errorf("without a base: %v", err)
	}
	l, err := a.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Listen(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "a base cannot wait at "+a.String()+": ") {
		t.Errorf("two bases at one address: %v", err)
	}
	conn, err := a.Dialer(slog.New(slog.DiscardHandler))(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	_ = l.Close()
}
