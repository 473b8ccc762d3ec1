package base_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/base"
	"mybot/drivers/base/protocol"
	"mybot/robot"
)

// TestALineOfNoiseIsOpenedAnew has a base send 25 unreadable lines a second between
// its readings.
func TestALineOfNoiseIsOpenedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, base.Config{})
		at := protocol.Millis(0)
		s.standing(&at, time.Second, "")
		began := time.Now()
		for time.Since(began) < 4*time.Second {
			s.standing(&at, 40*time.Millisecond, "")
			s.say("#")
		}
		if link := s.driver.BaseLink(); !link.Up || link.Malformed != 100 || !strings.Contains(link.Why, "line #: it does not begin with a brace") {
			t.Errorf("after 4 s the link is %+v", link)
		}
		for s.driver.BaseLink().Up && time.Since(began) < 10*time.Second {
			time.Sleep(20 * time.Millisecond)
			at += 20
			_, _ = fmt.Fprintf(s.conn, `{"t":"reading","ms":%d,"wheels":[1,1],"got":0}`+"\n#\n", at)
			synctest.Wait()
		}
		link := s.driver.BaseLink()
		if took := time.Since(began); link.Up || took < 5*time.Second || took > 7*time.Second || !strings.HasPrefix(link.Why, "For 5s more than 20 lines a second could not be read, the newest: line #: ") {
			t.Errorf("after %v the link is %+v", took, link)
		}
		s.conn = nil
		s.connect()
		at += 200
		s.say(describe(tinker))
		s.standing(&at, time.Second, "")
		if link := s.driver.BaseLink(); !link.Up || link.Restarts != 1 {
			t.Errorf("then the link is %+v", link)
		}
	})
}

// TestTenThousandLinesASecondDelayNothing has a base flood the connection for a
// second.
func TestTenThousandLinesASecondDelayNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, base.Config{})
		at := protocol.Millis(0)
		s.standing(&at, time.Second, "")
		for range 50 {
			_, _ = s.conn.Write([]byte(strings.Repeat(`{"t":"log","level":"info","text":"hot"}`+"\n"+"#\n", 100)))
			s.standing(&at, 20*time.Millisecond, "")
			if r, ok := s.take(); !ok || time.Since(r.Time) > 20*time.Millisecond {
				t.Fatalf("the newest reading is of %v (%v)", r.Time, ok)
			}
			if err := s.driver.Drive(robot.Twist{}); err != nil || s.lastHeard("drive") == "" {
				t.Fatalf("no drive line is sent: %v", err)
			}
		}
		if link := s.driver.BaseLink(); !link.Up || link.Malformed != 5000 {
			t.Errorf("the link is %+v", link)
		}
	})
}

// TestALineThatIsResetIsOpenedAnew resets a TCP connection, as an operating system
// does when a program is killed.
func TestALineThatIsResetIsOpenedAnew(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	accepted := make(chan *net.TCPConn)
	go func() {
		defer close(accepted)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte(describe(tinker) + "\n"))
			accepted <- conn.(*net.TCPConn)
		}
	}()
	address, err := base.ParseAddress("tcp:" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	opened := make(chan *base.Driver)
	go func() {
		d, err := base.Open(context.Background(), base.Config{Address: address, Patience: time.Minute, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Error(err)
		}
		opened <- d
	}()
	first := <-accepted
	d := <-opened
	if err := first.SetLinger(0); err != nil {
		t.Error(err)
	}
	_ = first.Close()
	second := <-accepted // 0.2 s later
	if link := d.BaseLink(); !strings.Contains(link.Why, "connection reset by peer") && !strings.Contains(link.Why, "ended the line") {
		t.Errorf("the link is %+v", link)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	_ = second.Close()
	_ = l.Close()
	for conn := range accepted {
		_ = conn.Close()
	}
}
