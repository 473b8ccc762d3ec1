package base_test

import (
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
		{"unix:", false, "has no path; it should be like unix:/run/base.sock"},
		{"127.0.0.1:7401", false, "should be like tcp:127.0.0.1:7401 or unix:/run/base.sock"},
		{"", false, "should be like tcp:127.0.0.1:7401"},
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

func TestABaseIsReachedAtItsAddress(t *testing.T) {
	a, err := base.ParseAddress("unix:" + filepath.Join(t.TempDir(), "base.sock"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Dial(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "no base answers at "+a.String()+": ") {
		t.Errorf("without a base: %v", err)
	}
	l, err := a.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Listen(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "a base cannot wait at "+a.String()+": ") {
		t.Errorf("two bases at one address: %v", err)
	}
	conn, err := a.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	_ = l.Close()
}
