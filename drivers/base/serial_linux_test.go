package base_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mybot/drivers/base"
	"mybot/drivers/base/bridge"
	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/robot/models"
	"mybot/robot/models/modelstest"
)

// openTerminal opens a pair of terminals, the second of which acts as a serial
// port.
func openTerminal(t *testing.T) (ours *os.File, port string) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Skipf("this computer has no terminals: %v", err)
	}
	raw, err := ours.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	_ = raw.Control(func(fd uintptr) {
		if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err == nil {
			var n int
			n, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
			port = fmt.Sprintf("/dev/pts/%d", n)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return ours, port
}

// TestABaseAtASerialPortIsDriven drives the simulator at the other end of a
// terminal, and unplugs the cable.
func TestABaseAtASerialPortIsDriven(t *testing.T) {
	ours, port := openTerminal(t)
	desc := modelstest.Mybot(t)
	simulated := sim.NewDriver(sim.NewWorld(desc, nil, sim.Scene{}, sim.Options{Ideal: true}))
	var ended sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	ended.Go(func() {
		c := bridge.Config{Program: "test 1", Robot: models.Mybot(), Hold: desc.Holds, Checked: true, Log: slog.New(slog.DiscardHandler)}
		if err := bridge.Serve(ctx, bridge.OneLine(ours, ours), simulated, c); err != nil {
			t.Errorf("the base ended: %v", err)
		}
	})
	defer func() { cancel(); _ = ours.Close(); ended.Wait(); _ = simulated.Close() }()
	address, err := base.ParseAddress("serial:" + port)
	if err != nil || address.String() != "serial:"+port+"@115200" || !address.IsChecked() {
		t.Fatalf("%s, %v", address, err)
	}
	d := openDriver(t, base.Config{Address: address})
	defer func() { _ = d.Close() }()
	rolled := 0.0
	for rolled < 0.1 {
		r, err := d.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		rolled += r.Travel.Left
		if err := d.Drive(robot.Twist{Linear: 0.4}); err != nil {
			t.Fatal(err)
		}
	}
	if link := d.BaseLink(); !link.Up || link.Malformed > 0 {
		t.Errorf("the link is %+v", link)
	}
	if _, err := address.Dialer(slog.New(slog.DiscardHandler))(t.Context()); err == nil || !strings.Contains(err.Error(), port+" is open in another program") {
		t.Errorf("the port is opened twice: %v", err)
	}
	cancel()
	_ = ours.Close()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		link := d.BaseLink()
		if !link.Up && strings.Contains(link.Why, port) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the port is gone, and the link is %+v", link)
		}
	}
}

// TestAPortThatIsNoBaseIsExplained opens a file that is not a serial port, and a
// port at which another device talks.
func TestAPortThatIsNoBaseIsExplained(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for device, want := range map[string]string{
		"/dev/ttyNONE": "there is no /dev/ttyNONE: is it plugged in? The folder /dev/serial/by-id names the serial ports that are there",
		file:           file + " is no serial port",
	} {
		address, err := base.ParseAddress("serial:" + device + "@57600")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := address.Dialer(slog.New(slog.DiscardHandler))(t.Context()); err == nil || err.Error() != want {
			t.Errorf("%s: the error is %v", device, err)
		}
	}
	for _, c := range []struct{ name, says, want string }{
		{"a GPS mouse", "$GPGGA,123519,4807.038,N\r\n", "this is no base, or the baud rate is wrong: line $GPGGA,123519,4807.038,N"},
		{"a wrong baud rate", "\x80\xf0\x9c\x80", "although something comes: this is no base, or its baud rate is another one"},
		{"a base without checksums", `{"t":"describe","protocol":1,"base":"b"}` + "\n", "it has no checksum; on a serial port each line must end with ~ and four hex digits"},
		{"nothing", "", "no base has answered hello at serial:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ours, port := openTerminal(t)
			var speaker sync.WaitGroup
			defer func() { _ = ours.Close(); speaker.Wait() }()
			speaker.Go(func() {
				for {
					if _, err := ours.WriteString(c.says); err != nil {
						return
					}
					time.Sleep(100 * time.Millisecond)
				}
			})
			address, err := base.ParseAddress("serial:" + port)
			if err != nil {
				t.Fatal(err)
			}
			_, err = base.Open(t.Context(), base.Config{Address: address, Patience: 6 * time.Second, Log: slog.New(slog.DiscardHandler)})
			if err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(c.want)) {
				t.Errorf("the error is %v, which does not say %q", err, c.want)
			}
			if errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
}
