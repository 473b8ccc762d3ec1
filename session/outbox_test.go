package session

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/session/protocol"
)

func TestAtMostEightStatesAreInFlight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w creditWindow
		var flying []uint64
		next := uint64(1)
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "send") {
				if w.hasCredit() != (len(flying) < 8) {
					t.Fatalf("room is %v with %d on the way", w.hasCredit(), len(flying))
				}
				if w.hasCredit() {
					next += rapid.Uint64Range(0, 3).Draw(t, "skipped")
					w.noteSent(next)
					flying = append(flying, next)
					next++
				}
				continue
			}
			n := rapid.Uint64Range(0, next+2).Draw(t, "ack")
			w.acknowledgeState(n)
			for len(flying) > 0 && flying[0] <= n {
				flying = flying[1:]
			}
			if w.n != len(flying) {
				t.Fatalf("%d on the way after ack %d, should be %v", w.n, n, flying)
			}
		}
	})
}

func TestABudgetLetsTwoHundredFramesASecondThrough(t *testing.T) {
	var b budget
	spend := func(at time.Time, n int) (through int) {
		for range n {
			if b.spendToken(at, framesPerSecond) {
				through++
			}
		}
		return through
	}
	for i, tc := range []struct {
		after time.Duration
		n     int
		want  int
	}{
		{0, 1000, 200},
		{0, 10, 0},
		{100 * time.Millisecond, 1000, 20},
		{time.Hour, 1000, 200},
		{time.Hour - time.Second, 1, 0}, // an earlier time adds nothing
	} {
		if got := spend(noon.Add(tc.after), tc.n); got != tc.want {
			t.Errorf("%d: %d frames went through, want %d", i, got, tc.want)
		}
	}
}

func TestAnInboxDropsTheOldestSampleAndKeepsTheRest(t *testing.T) {
	var b inbox
	if first, room := b.putCommand(incoming{cmd: protocol.Rename{ID: 1}}); !first || !room {
		t.Fatal("the hub was not called")
	}
	for i := range maxSamples + 5 {
		if first, room := b.putCommand(incoming{cmd: protocol.Drive{Seq: uint64(i)}}); first || !room {
			t.Fatal("a sample found no room, or the hub was called again")
		}
	}
	for i := range maxCommands - 1 {
		if _, room := b.putCommand(incoming{cmd: protocol.Rename{ID: uint64(i)}}); !room {
			t.Fatalf("command %d found no room", i)
		}
	}
	if _, room := b.putCommand(incoming{cmd: protocol.Rename{}}); room {
		t.Fatal("there is room without end")
	}
	queue, left := b.takeAll()
	if left || len(queue) != maxCommands+maxSamples || queue[0].cmd != (protocol.Rename{ID: 1}) || queue[1].cmd.(protocol.Drive).Seq != 5 {
		t.Fatalf("%d waited, first %v", len(queue), queue[:2])
	}
	b.putCommand(incoming{cmd: protocol.Drive{}})
	b.putCommand(incoming{cmd: protocol.Control{}})
	b.noteLeave(false)
	if first, _ := b.putCommand(incoming{cmd: protocol.Rename{}}); first {
		t.Error("a connection that is gone called the hub")
	}
	if queue, left = b.takeAll(); !left || len(queue) != 1 || queue[0].cmd != (protocol.Control{}) {
		t.Errorf("%v waited of a connection that is gone", queue)
	}
	if b.noteLeave(false) {
		t.Error("it left twice")
	}
	b = inbox{}
	b.putCommand(incoming{cmd: protocol.Hello{}})
	if b.noteLeave(true); len(b.queue) > 0 {
		t.Errorf("%v is to be done for a page that was told bye", b.queue)
	}
}

// read takes everything that is in the outbox now.
func (o *outbox) read(t *testing.T) (frames []string, err error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for {
		frame, _, ok := o.takeFrame(noon)
		if !ok {
			return frames, nil
		}
		if frame == nil {
			_, _, err := o.waitFrame(ctx, noon)
			return frames, err
		}
		frames = append(frames, string(frame))
	}
}

func expect(t *testing.T, o *outbox, want string, ended bool) {
	t.Helper()
	frames, err := o.read(t)
	if got := strings.Join(frames, " "); got != want || errors.Is(err, ErrClosed) != ended {
		t.Errorf("it held %q, %v; want %q, ended %v", got, err, want, ended)
	}
}

func TestAnOutboxGivesEventsInOrderThenTheNewestState(t *testing.T) {
	o := newOutbox()
	put := func(s string) bool { return o.enqueueEvent(outgoing{frame: []byte(s)}) }
	show := func(n uint64) bool {
		skipped, _, _ := o.showState(&stateFrame{n, fmt.Appendf(nil, "state%d", n)}, noon)
		return skipped
	}
	show(1)
	expect(t, o, "", false) // no state before the welcome
	put("welcome")
	o.openStates()
	show(2)
	put("a")
	if skipped := show(3); !skipped {
		t.Error("state 2 was skipped and not counted")
	}
	put("b")
	expect(t, o, "welcome a b state3", false)
	for n := uint64(4); n <= 20; n++ {
		show(n)
		if _, err := o.read(t); err != nil {
			t.Fatal(err)
		}
	}
	put("c")
	expect(t, o, "c", false) // no credit
	o.acknowledgeState(3)
	expect(t, o, "state20", false)
	o.close([]byte("bye"))
	put("late")
	show(21)
	o.close([]byte("bye again"))
	expect(t, o, "bye", true)
	expect(t, o, "", true)
}

func TestAByeComesAfterWhatWaits(t *testing.T) {
	o := newOutbox()
	o.enqueueEvent(outgoing{frame: []byte("a")})
	o.close([]byte("bye"))
	expect(t, o, "a bye", true)

	o = newOutbox()
	o.enqueueEvent(outgoing{frame: []byte("a")})
	o.close(nil)
	expect(t, o, "", true)
}

func TestAPageThatIsTooSlowForItsEventsIsDisconnected(t *testing.T) {
	const bye = `{"type":"bye","reason":"This page reads too slowly.","again":true}`
	t.Run("by their number", func(t *testing.T) {
		o := newOutbox()
		for i := range maxWaiting {
			if !o.enqueueEvent(outgoing{frame: []byte("e")}) {
				t.Fatalf("event %d was one too many", i)
			}
		}
		if o.enqueueEvent(outgoing{frame: []byte("e")}) {
			t.Fatal("events wait without end")
		}
		expect(t, o, bye, true)
	})
	t.Run("by their size", func(t *testing.T) {
		o := newOutbox()
		if !o.enqueueEvent(outgoing{frame: make([]byte, maxWaitingBytes)}) {
			t.Fatal("the bytes that may wait are one too many")
		}
		if o.enqueueEvent(outgoing{frame: []byte("e")}) {
			t.Fatal("bytes wait without end")
		}
		expect(t, o, bye, true)
	})
}

func TestAStateGoesDirectlyOnlyWhenNothingElseWaits(t *testing.T) {
	room, sent := true, ""
	o := newOutbox()
	o.direct = func(frame []byte) bool {
		if room {
			sent += string(frame) + " "
		}
		return room
	}
	o.openStates()
	show := func(n uint64) (direct bool) {
		s := &stateFrame{n, fmt.Appendf(nil, "state%d", n)}
		if _, _, direct = o.showState(s, noon); direct {
			if _, _, busy := o.takeFrame(noon); busy {
				t.Errorf("the write pump takes something while state %d is sent directly", n)
			}
			o.sendDirect(s)
		}
		return direct
	}
	next := func() string {
		frame, _, err := o.waitFrame(t.Context(), noon)
		if err != nil {
			t.Fatal(err)
		}
		return string(frame)
	}
	if !show(1) || sent != "state1 " {
		t.Fatalf("with nothing else to send %q went directly", sent)
	}
	o.enqueueEvent(outgoing{frame: []byte("event")})
	if show(2) {
		t.Error("a state overtakes an event")
	}
	if got := next() + " " + next(); got != "event state2" {
		t.Errorf("the write pump sends %q", got)
	}
	if show(3) {
		t.Error("a state goes directly while the write pump holds a frame")
	}
	if got := next(); got != "state3" {
		t.Errorf("the write pump sends %q", got)
	}
	go func() { _, _, _ = o.waitFrame(t.Context(), noon) }() // it has written a frame, and waits
	for pumping := true; pumping; {
		o.mu.Lock()
		pumping = o.pumping
		o.mu.Unlock()
		runtime.Gosched()
	}
	for n := uint64(4); n <= maxUnacknowledged; n++ {
		show(n)
	}
	if show(maxUnacknowledged + 1) {
		t.Errorf("more than %d states are on the way", maxUnacknowledged)
	}
}
