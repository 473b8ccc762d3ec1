package pioneer_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"mybot/drivers/base"
	"mybot/drivers/pioneer"
	"mybot/drivers/pioneer/pioneertest"
	"mybot/robot"
)

// openPort runs a robot at one of a pair of terminals, and returns what opens the other as
// a serial port. The robot hears and is heard only at the rate of its own port.
func openPort(t *testing.T, r *pioneertest.Robot) (dial func() base.Conn, rate func() int) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Skipf("this computer has no terminals: %v", err)
	}
	raw, err := ours.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	number := 0
	_ = raw.Control(func(fd uintptr) {
		if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err == nil {
			number, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	rate = func() (baud int) {
		_ = raw.Control(func(fd uintptr) {
			if settings, err := unix.IoctlGetTermios(int(fd), unix.TCGETS); err == nil {
				baud = map[uint32]int{unix.B9600: 9600, unix.B115200: 115_200}[settings.Cflag&unix.CBAUD]
			}
		})
		return baud
	}
	held, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0) // else its end is that of ours
	if err != nil {
		t.Fatal(err)
	}
	r.Rate = rate
	var firmware sync.WaitGroup
	firmware.Go(func() { r.Serve(ours) })
	t.Cleanup(func() { _, _ = held.Close(), ours.Close(); firmware.Wait() })
	address, err := base.ParseAddress(fmt.Sprintf("serial:/dev/pts/%d@9600", number))
	if err != nil {
		t.Fatal(err)
	}
	return func() base.Conn {
		port, err := address.Dialer(slog.New(slog.DiscardHandler))(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return port
	}, rate
}

// TestARobotAtASerialPortIsHeardAtTheHighestRateThatItHas begins the conversation at 9600
// baud, and a second one after a server that was killed, for which the robot did not return
// to that rate.
func TestARobotAtASerialPortIsHeardAtTheHighestRateThatItHas(t *testing.T) {
	for _, c := range []struct {
		name  string
		robot *pioneertest.Robot
		raise bool
		want  int
		says  string // empty: nothing
	}{
		{"a robot that can", &pioneertest.Robot{Subtype: "p3dx-sh"}, true, 115_200, ""},
		{"a robot that does not", &pioneertest.Robot{Subtype: "p3dx-sh", Fixed: true}, true, 9600, "The robot was asked for 115200 baud and is not heard at that rate; it stays at 9600."},
		{"a robot whose firmware is older", &pioneertest.Robot{Subtype: "p2dx"}, true, 9600, ""},
		{"a person who has given the rate", &pioneertest.Robot{Subtype: "p3dx-sh"}, false, 9600, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dial, rate := openPort(t, c.robot)
			for _, attempt := range []string{"at first", "with the rate of last time"} {
				var log bytes.Buffer
				d, err := pioneer.Open(t.Context(), dial(), pioneer.Options{RaiseBaud: c.raise, Log: slog.New(slog.NewTextHandler(&log, nil))})
				if err != nil {
					t.Fatalf("%s: %v", attempt, err)
				}
				if got := rate(); got != c.want {
					t.Errorf("%s it is spoken to at %d baud, want %d", attempt, got, c.want)
				}
				if !strings.Contains(log.String(), c.says) || c.says == "" && log.Len() > 0 {
					t.Errorf("%s the log says %q", attempt, log.String())
				}
				_ = d.Drive(robot.Twist{Linear: 0.2})
				readUntil(t, d, "the robot moves", func(robot.Reading) bool {
					_ = d.Drive(robot.Twist{Linear: 0.2})
					v, _ := c.robot.Speed()
					return v > 0.1
				})
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
