package pioneer_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"mybot/drivers/base/basetest"
	"mybot/drivers/base/bridge"
	"mybot/drivers/base/check"
	"mybot/drivers/pioneer/pioneertest"
)

// TestAPioneerIsABaseThatFollowsTheRules checks the robot behind two connections:
// the base protocol, and behind it its own packets.
func TestAPioneerIsABaseThatFollowsTheRules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, &pioneertest.Robot{Subtype: "p3dx-sh", Sonars: 16, Range: 1500})
		l := basetest.NewPipes()
		ctx, cancel := context.WithCancel(t.Context())
		var serving sync.WaitGroup
		serving.Go(func() {
			c := bridge.Config{Program: "pioneer", Robot: d.Model().Description, Hold: d.Describe().Holds, Log: slog.New(slog.DiscardHandler)}
			if err := bridge.Serve(ctx, l, d, c); err != nil {
				t.Error(err)
			}
		})
		report, err := check.Run(t.Context(), check.Options{Dial: func(ctx context.Context) (check.Conn, error) { return l.Dial(ctx) }})
		cancel()
		serving.Wait()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range report.Broken() {
			t.Error(r)
		}
		if len(report.Rules) < 18 {
			t.Errorf("only %d rules were tried: %s", len(report.Rules), report.Untried)
		}
	})
}

// TestTheEmergencyStopIsSaidOnTheLine presses it while the robot drives: nothing
// more is executed, and the base reports why.
func TestTheEmergencyStopIsSaidOnTheLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &pioneertest.Robot{Subtype: "p3dx-sh"}
		d := open(t, r)
		l := basetest.NewPipes()
		ctx, cancel := context.WithCancel(t.Context())
		var serving sync.WaitGroup
		serving.Go(func() {
			_ = bridge.Serve(ctx, l, d, bridge.Config{Program: "pioneer", Robot: d.Model().Description, Hold: d.Describe().Holds, Log: slog.New(slog.DiscardHandler)})
		})
		defer serving.Wait()
		defer cancel()
		conn, err := l.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		lines := bufio.NewScanner(conn)
		say := func(line string) {
			if _, err := io.WriteString(conn, line+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		await := func(part string) string {
			for lines.Scan() {
				if strings.Contains(lines.Text(), part) {
					return lines.Text()
				}
			}
			t.Fatalf("no line has %s: %v", part, lines.Err())
			return ""
		}
		say(`{"t":"hello","v":[1]}`)
		await(`"t":"describe"`)
		say(`{"t":"drive","n":1,"until":1000000,"v":0.3,"w":0}`)
		await(`"got":1`)
		r.PressStop(true)
		await(`"estop":true`)
		say(`{"t":"drive","n":2,"until":1000000,"v":0.3,"w":0}`)
		if line := await(`"refuses":"The robot's motors are off.`); !strings.Contains(line, `"got":1`) {
			t.Errorf("with the emergency stop pressed a drive line was executed: %s", line)
		}
		r.PressStop(false)
		r.PressMotors()
		await(`"estop":false`)
		if line := await(`"refuses":""`); !strings.Contains(line, `"got":1`) {
			t.Errorf("a drive line of before was executed: %s", line)
		}
		if forward, _ := r.Speed(); forward > 0.001 {
			t.Errorf("after the emergency stop the robot drives %.3f m/s without a new line", forward)
		}
	})
}
