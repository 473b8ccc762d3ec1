package check

import (
	"context"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/base/protocol"
)

// A board is one end of a line. It sends a reading every 20 ms of its own clock and answers
// ping 7 after a while.
type board struct {
	pace    float64       // seconds of its clock in a second
	answers time.Duration // on its clock, until it answers; 0 = never
	silent  time.Duration // on our clock, until it stops sending; 0 = never
}

// serve plays the board until the connection ends.
func (b board) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	const period = 20 * time.Millisecond
	for at := period; ; at += period {
		<-time.After(time.Duration(float64(period) / b.pace))
		if b.silent > 0 && time.Duration(float64(at)/b.pace) > b.silent {
			_, _ = conn.Read(make([]byte, 1))
			return
		}
		messages := []protocol.FromBase{protocol.Reading{At: protocol.Millis(at.Milliseconds()), Totals: protocol.WheelTotals{}}}
		if at == b.answers {
			messages = append(messages, protocol.Pong{ID: 7})
		}
		for _, m := range messages {
			text, err := protocol.AppendLine(nil, m, true)
			if err != nil {
				panic(err)
			}
			if _, err := conn.Write(text); err != nil {
				return
			}
		}
	}
}

func TestTheAnswerToAPingIsAwaitedByTheClockOfTheBase(t *testing.T) {
	for _, c := range []struct {
		name   string
		board  board
		ok     bool
		within time.Duration // on our clock
	}{
		{"a board answers in time", board{pace: 1, answers: 8 * time.Second}, true, 8100 * time.Millisecond},
		{"a board answers too late", board{pace: 1, answers: 12 * time.Second}, false, 10200 * time.Millisecond},
		{"an emulated board at a sixth of the pace answers in time", board{pace: 1. / 6, answers: 8 * time.Second}, true, 48200 * time.Millisecond},
		{"an emulated board answers too late", board{pace: 1. / 6, answers: 12 * time.Second}, false, 60200 * time.Millisecond},
		{"a board falls silent", board{pace: 1. / 6, silent: 3 * time.Second}, false, 13200 * time.Millisecond},
		{"the clock of a board hardly moves", board{pace: 0.01}, false, 100200 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, theirs := net.Pipe()
				var boards sync.WaitGroup
				boards.Go(func() { c.board.serve(theirs) })
				defer boards.Wait()
				l := newLine(ours, &odometer{}, true)
				defer l.close()
				began := time.Now()
				ok, err := l.awaitPong(context.Background(), 7, 10*time.Second, func(int64) {})
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); ok != c.ok || took > c.within || took < c.within-500*time.Millisecond {
					t.Errorf("answered: %t after %v, want %t after about %v", ok, took, c.ok, c.within)
				}
			})
		})
	}
}
