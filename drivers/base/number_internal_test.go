package base

import (
	"io"
	"log/slog"
	"testing"
	"time"

	"mybot/drivers/base/protocol"
	"mybot/robot"
)

// TestWhenTheNumbersOfDriveLinesAreUsedUpTheConversationBeginsAnew runs a
// conversation for 248 days: without numbers not even a standstill could be sent.
func TestWhenTheNumbersOfDriveLinesAreUsedUpTheConversationBeginsAnew(t *testing.T) {
	now := time.Now()
	d := &Driver{outbox: newOutbox(), desc: robot.Description{Holds: 100 * time.Millisecond}}
	d.greeted, d.heard, d.arrived, d.number = true, true, now, protocol.MaxNumber-2000
	c := newConversation(&supervisor{driver: d, log: slog.New(slog.NewTextHandler(io.Discard, nil))}, nil)
	c.reading, c.heard, c.passed = now, now, true
	for range 3000 {
		d.sendDrive(now, robot.Twist{})
		if err := c.checkTimeouts(now); err != nil {
			t.Fatal(err)
		}
		if d.number >= protocol.MaxNumber {
			t.Fatal("no number is left")
		}
		if _, hello := d.outbox.take().(protocol.Hello); hello {
			if link := d.BaseLink(); !c.greeting || c.passed || link.Up || link.Why != "The numbers of drive lines are used up, so Mybot says hello again." {
				t.Errorf("the link is %+v", link)
			}
			return
		}
	}
	t.Error("the numbers did not restart")
}
