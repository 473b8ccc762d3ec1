package watch_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/base/watch"
)

// TestBothDirectionsOfALineAreShown plays a base that boots slowly, sends a late
// hello and an unreadable line, and disconnects.
func TestBothDirectionsOfALineAreShown(t *testing.T) {
	const want = `    0.000 > {"t":"hello","v":[1]}
    0.300 ! line ready: it does not begin with a brace; each line must be one JSON object
    0.500 > {"t":"hello","v":[1]}
    0.520 < {"t":"describe","protocol":1,"base":"tinker 1.2"}
    0.540 < {"t":"reading","ms":240,"wheels":[0,0],"got":0}
    0.570 < {"t":"reading","ms":270,"wheels":[0,0],"got":0}
    0.570 < {"t":"more","ms":270,"bump":true}
    0.570 ! line {"t":"reading","ms":270,"wheels":[0]}: wheels is [0]; it must be a list of 2 numbers between -1e+08 and 1e+08: m that each wheel has rolled since power-on
    0.570 < "{\"t\":\"dance\",\"beat\":\"\\t\u202e\"}"
    1.000 > {"t":"ping","id":1}
    1.004 < {"t":"pong","id":1,"ms":704}
`
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		var base sync.WaitGroup
		heard := make(chan string, 10)
		base.Go(func() {
			defer close(heard)
			for lines := bufio.NewScanner(theirs); lines.Scan(); {
				heard <- lines.Text()
			}
		})
		say := func(after time.Duration, lines ...string) {
			time.Sleep(after)
			for _, line := range lines {
				_, _ = io.WriteString(theirs, line+"\n")
				synctest.Wait()
			}
		}
		base.Go(func() {
			say(300*time.Millisecond, "ready")
			<-heard
			<-heard
			say(20*time.Millisecond, `{"t":"describe","protocol":1,"base":"tinker 1.2"}`)
			say(20*time.Millisecond, `{"t":"reading","ms":240,"wheels":[0,0],"got":0}`)
			say(30*time.Millisecond, `{"t":"reading","ms":270,"wheels":[0,0],"got":0}`, `{"t":"more","ms":270,"bump":true}`,
				`{"t":"reading","ms":270,"wheels":[0]}`, "{\"t\":\"dance\",\"beat\":\"\\t\u202e\"}")
			<-heard
			say(4*time.Millisecond, `{"t":"pong","id":1,"ms":704}`)
			time.Sleep(96 * time.Millisecond)
			_ = theirs.Close()
		})
		var out bytes.Buffer
		summary, err := watch.Run(t.Context(), ours, false, &out)
		base.Wait()
		if err != nil {
			t.Error(err)
		}
		if got := out.String(); got != want {
			t.Errorf("it shows\n%s\nwant\n%s", got, want)
		}
		const says = `tinker 1.2; 1.1 s. The base ended the connection.
dance          1 lines,   0.9 a second
describe       1 lines,   0.9 a second
more           1 lines,   0.9 a second
pong           1 lines,   0.9 a second
reading        2 lines,   1.8 a second, the longest gap was 30 ms
A ping was answered after 4.0 ms at best.
2 lines could not be read.`
		if summary.String() != says {
			t.Errorf("the summary is\n%s\nwant\n%s", summary, says)
		}
	})
}

func TestAWatchEndsWhenAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, theirs) }()
		ctx, cancel := context.WithTimeout(t.Context(), 1900*time.Millisecond)
		defer cancel()
		var out bytes.Buffer
		summary, err := watch.Run(ctx, ours, false, &out)
		if err != nil || summary.Ended || summary.Lasts != 1900*time.Millisecond || !strings.HasPrefix(summary.String(), "The base has not answered hello; 1.9 s.\n0 lines") {
			t.Errorf("%+v, %v", summary, err)
		}
		if hellos := strings.Count(out.String(), `"hello"`); hellos != 4 {
			t.Errorf("%d hellos were sent, want 4:\n%s", hellos, out.String())
		}
	})
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestAWatchEndsWithItsOutput(t *testing.T) {
	ours, theirs := net.Pipe()
	go func() { _, _ = io.Copy(io.Discard, theirs) }()
	if _, err := watch.Run(t.Context(), ours, false, full{}); err == nil || err.Error() != "the disk is full" {
		t.Errorf("it ends with %v", err)
	}
}

// TestABaseOfManyKindsOfLinesMakesNoLongSummary has a base say lines of a thousand kinds that
// Mybot does not know.
func TestABaseOfManyKindsOfLinesMakesNoLongSummary(t *testing.T) {
	ours, theirs := net.Pipe()
	go func() { _, _ = io.Copy(io.Discard, theirs) }()
	go func() {
		for i := range 1000 {
			_, _ = fmt.Fprintf(theirs, "{\"t\":\"k%d\"}\n", i)
		}
		_ = theirs.Close()
	}()
	summary, err := watch.Run(t.Context(), ours, false, io.Discard)
	total := 0
	for _, n := range summary.Lines {
		total += n
	}
	if lines := strings.Count(summary.String(), "\n"); err != nil || lines > 40 || total != 1000 {
		t.Errorf("the summary has %d lines and counts %d: %v", lines, total, err)
	}
}
