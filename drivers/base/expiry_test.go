package base_test

import (
	"bufio"
	"context"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/base"
	"mybot/drivers/base/protocol"
	"mybot/robot"
	"mybot/robot/models"
)

// TestDriveLinesExpireSoonAfterTheNewestReading has a base that stops sending
// readings, like one behind a network that queues them.
func TestDriveLinesExpireSoonAfterTheNewestReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const every, hold = 20 * time.Millisecond, 100
		began := time.Now()
		ms := func() protocol.Millis { return protocol.Millis(1000 + time.Since(began).Milliseconds()) }
		ours, theirs := net.Pipe()
		say := func(m protocol.FromBase) {
			line, err := protocol.AppendLine(nil, m, false)
			if err != nil {
				t.Error(err)
			}
			_, _ = theirs.Write(line)
		}
		var drives []protocol.Drive
		go func() {
			for lines := bufio.NewScanner(theirs); lines.Scan(); {
				switch m, _ := protocol.DecodeToBase(lines.Bytes(), false); m := m.(type) {
				case protocol.Hello:
					robot := strings.Replace(string(models.Mybot()), `"holds_s": 0.25`, `"holds_s": 0.1`, 1)
					say(protocol.Describe{Version: 1, Base: "queue", Robot: []byte(robot)})
				case protocol.Drive:
					if !m.Twist.IsZero() {
						drives = append(drives, m)
					}
				}
			}
		}()
		d := openDriver(t, base.Config{Dial: func(context.Context) (base.Conn, error) { return ours, nil }})
		var newest protocol.Millis
		drive := func() protocol.Drive {
			_ = d.Drive(robot.Twist{Linear: 0.2})
			synctest.Wait()
			if len(drives) == 0 {
				return protocol.Drive{}
			}
			return drives[len(drives)-1]
		}
		for range 50 {
			newest = ms()
			say(protocol.Reading{At: newest, Totals: protocol.WheelTotals{}, Senses: protocol.Senses{Ranges: make([]int, 12)}})
			synctest.Wait()
			drive()
			time.Sleep(every)
		}
		if len(drives) == 0 || drives[len(drives)-1].Until != newest+hold {
			t.Errorf("at the reading of %d ms the drive lines are %+v", newest, drives)
		}
		for age := protocol.Millis(every.Milliseconds()); age < 240; age += 20 {
			if got, want := drive().Until, newest+hold+min(age, 30); got != want {
				t.Errorf("%d ms after the newest reading a drive line expires at %d ms, want %d", age, got-newest, want-newest)
			}
			time.Sleep(every)
		}
		_ = d.Close()
		_ = theirs.Close()
	})
}
