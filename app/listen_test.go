package app_test

import (
	"errors"
	"net"
	"strings"
	"testing"

	"mybot/app"
)

func TestWhatIsNoAddressIsSaid(t *testing.T) {
	for _, c := range []struct {
		addr string
		want string // part of the sentence
	}{
		{"robot.example:8080", "an address of this computer"},
		{"8080", "HOST:PORT"},
		{"127.0.0.1", "HOST:PORT"},
		{"127.0.0.1:http", "a number from 0 to 65535"},
		{"127.0.0.1:65536", "a number from 0 to 65535"},
		{"127.0.0.1:%d", "a number from 0 to 65535"},
	} {
		t.Run(c.addr, func(t *testing.T) {
			ln, _, err := app.Listen(c.addr)
			if err == nil {
				_ = ln.Close()
				t.Fatal("it is listened on")
			}
			if !errors.As(err, new(app.AddressError)) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), app.DefaultListen) {
				t.Errorf("the error %q does not say %q and what would be right", err, c.want)
			}
		})
	}
	for addr, network := range map[string]bool{"127.0.0.1:0": false, "localhost:0": false, "127.1.2.3:0": false, "0.0.0.0:0": true, ":0": true} {
		t.Run(addr, func(t *testing.T) {
			ln, moved, err := app.Listen(addr)
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close() // no connection was made
			if ip := ln.Addr().(*net.TCPAddr).IP; ip.IsLoopback() == network || moved {
				t.Errorf("it listens on %v, moved: %v", ip, moved)
			}
		})
	}
}

func TestATakenPortIsSaid(t *testing.T) {
	first, moved, err := app.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close() // no connection was made
	if !strings.HasPrefix(first.Addr().String(), "127.0.0.1:80") || moved != (first.Addr().String() != app.DefaultListen) {
		t.Errorf("it listens on %v, moved: %v", first.Addr(), moved)
	}
	second, moved, err := app.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close() // no connection was made
	if !moved || second.Addr().String() == first.Addr().String() {
		t.Errorf("the second one listens on %v, moved: %v", second.Addr(), moved)
	}
	if _, _, err := app.Listen(first.Addr().String()); err == nil || !strings.Contains(err.Error(), "another program uses the port") {
		t.Errorf("a taken explicit address returns: %v", err)
	}
}

func TestThePortForScriptsIsChosenLikeThatOfThePage(t *testing.T) {
	first, _, err := app.ListenUrbi("")
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close() // no connection was made
	second, moved, err := app.ListenUrbi("")
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close() // no connection was made
	if !moved || !strings.HasPrefix(second.Addr().String(), "127.0.0.1:540") {
		t.Errorf("beside it listens on %v, moved: %v", second.Addr(), moved)
	}
	if _, _, err := app.ListenUrbi("54000"); !errors.As(err, new(app.AddressError)) || !strings.Contains(err.Error(), `--urbi "54000" is not an address: write HOST:PORT, such as 127.0.0.1:54000`) {
		t.Errorf("an address without a host is %v", err)
	}
}
