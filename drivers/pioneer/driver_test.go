package pioneer_test

import (
	"context"
	"errors"
	"math"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/drivertest"
	"mybot/drivers/pioneer"
	"mybot/drivers/pioneer/pioneertest"
	"mybot/robot"
)

// open connects to a robot through a pipe; both end with the test.
func open(t *testing.T, r *pioneertest.Robot) *pioneer.Driver {
	t.Helper()
	ours, theirs := net.Pipe()
	var firmware sync.WaitGroup
	firmware.Go(func() { r.Serve(theirs) })
	t.Cleanup(func() { _ = theirs.Close(); firmware.Wait() })
	d, err := pioneer.Open(t.Context(), ours, pioneer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func TestThePioneerKeepsTheDriverContract(t *testing.T) {
	for _, model := range []string{"p3dx-sh", "p2dx", "amigo-sh"} {
		t.Run(model, func(t *testing.T) {
			m, err := pioneer.FindModel(model)
			if err != nil {
				t.Fatal(err)
			}
			drivertest.Run(t, func(t *testing.T) robot.Driver {
				return open(t, &pioneertest.Robot{Subtype: model, Unit: m.Distance, Sonars: 8, Range: 2000})
			}, drivertest.Options{Bubble: true})
		})
	}
}

func TestEveryModelHasADescription(t *testing.T) {
	for _, name := range []string{"p3dx-sh", "P3DX-SH", "p3dx", "p3at-sh", "p3at", "p2d8+", "p2d8", "p2dx", "p2de", "p2at", "p2at8+", "p2at8", "amigo-sh", "amigo"} {
		m, err := pioneer.FindModel(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if d, err := m.Describe(); err != nil || d.Holds != 100*time.Millisecond || d.Rate != 10 || len(d.Sonars) < 8 {
			t.Errorf("%s: %d sonars, %v Hz, holds %v, %v", name, len(d.Sonars), d.Rate, d.Holds, err)
		}
	}
	if _, err := pioneer.FindModel("p9"); err == nil || !strings.Contains(err.Error(), `the model "p9" is not known; known are amigo, amigo-sh, p2at`) {
		t.Errorf("an unknown model: %v", err)
	}
}

// readUntil reads until the condition is true, for at most ten seconds.
func readUntil(t *testing.T, d *pioneer.Driver, what string, holds func(robot.Reading) bool) robot.Reading {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		r, err := d.Read(t.Context())
		if err != nil {
			t.Fatalf("until %s: %v", what, err)
		}
		if holds(r) {
			return r
		}
	}
	t.Fatalf("not within 10 s: %s", what)
	return robot.Reading{}
}

func TestTheRobotReportsWhatItFeels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &pioneertest.Robot{Subtype: "p3dx-sh", Sonars: 16, Range: 1500}
		d := open(t, r)
		got := readUntil(t, d, "all sonars have heard", func(r robot.Reading) bool { return r.Ranges[15] > 0 })
		if got.Ranges[0] != 1.5 || !math.IsNaN(got.Heading) || got.Battery.Volts != 12.4 || got.Bump || got.EStop || got.Refuses != "" {
			t.Errorf("the reading is %+v", got)
		}
		r.Touch(1 << 8)
		readUntil(t, d, "the right wheel stalls", func(r robot.Reading) bool { return r.Bump })
		r.Touch(0)
		readUntil(t, d, "nothing is touched", func(r robot.Reading) bool { return !r.Bump })
		r.PressStop(true)
		readUntil(t, d, "the emergency stop is pressed", func(r robot.Reading) bool {
			return r.EStop && r.Refuses == "The robot's motors are off. Press the MOTORS button on the robot."
		})
		r.PressStop(false)
		readUntil(t, d, "it is released and the motors are still off", func(r robot.Reading) bool { return !r.EStop && r.Refuses != "" })
		r.PressMotors()
		readUntil(t, d, "the motors are on", func(r robot.Reading) bool { return r.Refuses == "" })
	})
}

func TestASonarThatHearsNothingReportsNoEcho(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, &pioneertest.Robot{Subtype: "amigo-sh", Sonars: 8, Range: 5000})
		r, err := d.Read(t.Context())
		if err != nil || !math.IsInf(r.Ranges[0], 1) || !math.IsNaN(r.Ranges[7]) {
			t.Errorf("the ranges are %v, %v; the first has no echo, the last has not been measured yet", r.Ranges, err)
		}
	})
}

// TestTheRobotStopsSoonAfterTheLastCommand checks the wheels: the firmware alone
// would drive on for two seconds.
func TestTheRobotStopsSoonAfterTheLastCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &pioneertest.Robot{Subtype: "p3dx-sh"}
		d := open(t, r)
		for range 100 {
			if err := d.Drive(robot.Twist{Linear: 0.45}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(20 * time.Millisecond)
		}
		if forward, _ := r.Speed(); math.Abs(forward-0.45) > 1e-9 {
			t.Fatalf("the robot drives %.3f m/s", forward)
		}
		// The last command is 20 ms old. It is valid for another 80 ms; then the
		// robot brakes at 0.6 m/s².
		time.Sleep(150 * time.Millisecond)
		if forward, _ := r.Speed(); forward > 0.45-0.6*0.05 {
			t.Errorf("170 ms after the last command the robot drives %.3f m/s", forward)
		}
	})
}

func TestClosingStopsTheRobot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &pioneertest.Robot{Subtype: "p3dx-sh"}
		d := open(t, r)
		for range 50 {
			if err := d.Drive(robot.Twist{Linear: 0.3, Angular: 0.5}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(20 * time.Millisecond)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if err := d.Drive(robot.Twist{}); !errors.Is(err, robot.ErrClosed) {
			t.Errorf("Drive after Close: %v", err)
		}
	})
}

// TestARobotThatIsStillConnectedIsConnectedAnew has a robot whose last client ended
// without closing the connection.
func TestARobotThatIsStillConnectedIsConnectedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &pioneertest.Robot{Subtype: "p3dx-sh"}
		ours, theirs := net.Pipe()
		var firmware sync.WaitGroup
		firmware.Go(func() { r.Serve(theirs) })
		first, err := pioneer.Open(t.Context(), ours, pioneer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_ = theirs.Close() // the cable
		firmware.Wait()
		if _, err := first.Read(t.Context()); err == nil || !strings.Contains(err.Error(), "the line to the robot has ended") {
			t.Errorf("reading without a line: %v", err)
		}
		_ = first.Close()
		again := open(t, r)
		if _, err := again.Read(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestWhatIsNoRobotIsExplained(t *testing.T) {
	for _, c := range []struct {
		name  string
		other func(net.Conn)
		want  string
	}{
		{"nothing answers", func(c net.Conn) { drain(c) }, "no robot answers. It should be switched on"},
		{"something else answers", func(c net.Conn) {
			go func() { _, _ = c.Write([]byte("$GPGGA,123519,4807.038,N\r\nOK\r\n")) }()
			drain(c)
		}, "no robot answers"},
		{"the line ends", func(c net.Conn) { _ = c.Close() }, "pioneer: "},
		{"an unknown model", func(c net.Conn) { (&pioneertest.Robot{Subtype: "seekur"}).Serve(c) }, `the model "seekur" is not known`},
		{"no model", func(c net.Conn) { (&pioneertest.Robot{}).Serve(c) }, "does not say its subtype"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, theirs := net.Pipe()
				var other sync.WaitGroup
				other.Go(func() { c.other(theirs) })
				_, err := pioneer.Open(t.Context(), ours, pioneer.Options{})
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("the error is %v, which does not say %q", err, c.want)
				}
				_ = theirs.Close()
				other.Wait()
			})
		})
	}
}

// drain reads until the connection ends.
func drain(c net.Conn) {
	buffer := make([]byte, 64)
	for {
		if _, err := c.Read(buffer); err != nil {
			return
		}
	}
}

func TestARobotThatFallsSilentIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		var firmware sync.WaitGroup
		stalled := &stallingConn{Conn: theirs, stall: make(chan struct{})}
		firmware.Go(func() { (&pioneertest.Robot{Subtype: "p3dx-sh"}).Serve(stalled) })
		d, err := pioneer.Open(t.Context(), ours, pioneer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
		close(stalled.stall)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		for err == nil {
			_, err = d.Read(ctx)
		}
		if !strings.Contains(err.Error(), "the robot has sent nothing for 2s") {
			t.Errorf("the error is %v", err)
		}
		_ = d.Close()
		_ = theirs.Close()
		firmware.Wait()
	})
}

// A stallingConn loses everything that is written after stall is closed.
type stallingConn struct {
	net.Conn
	stall chan struct{}
}

func (c *stallingConn) Write(b []byte) (int, error) {
	select {
	case <-c.stall:
		return len(b), nil
	default:
		return c.Conn.Write(b)
	}
}
