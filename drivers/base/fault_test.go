package base_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"mybot/drivers/base"
	"mybot/drivers/base/basetest"
	"mybot/drivers/base/protocol"
	"mybot/robot"
)

func contextWithTimeout(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), d)
}

// standing sends readings of a standing robot for a time, one every 20 ms, each
// with the additional fields.
func (s *stage) standing(at *protocol.Millis, lasts time.Duration, more string) {
	for range int(lasts / (20 * time.Millisecond)) {
		time.Sleep(20 * time.Millisecond)
		*at += 20
		s.say(fmt.Sprintf(`{"t":"reading","ms":%d,"wheels":[1,1],"got":0%s}`, *at, more))
	}
}

// TestWhatIsWrongWithABaseIsSaidAndNothingMoves has a base do one thing wrong
// during a drive.
func TestWhatIsWrongWithABaseIsSaidAndNothingMoves(t *testing.T) {
	fine := func(at *protocol.Millis, s *stage) { s.standing(at, 200*time.Millisecond, "") }
	for _, c := range []struct {
		name string
		do   func(at *protocol.Millis, s *stage)
		why  string // the reason shown to users
		down bool   // readings no longer count
	}{
		{"totals that jump by a kilometre", func(at *protocol.Millis, s *stage) {
			*at += 20
			s.say(fmt.Sprintf(`{"t":"reading","ms":%d,"wheels":[1001,1001],"got":0}`, *at))
		}, "The wheels have rolled 1000.00 m and 1000.00 m in 20 ms; the motors can do ", true},
		{
			"ranges of a wrong count", func(at *protocol.Millis, s *stage) { s.standing(at, 100*time.Millisecond, `,"ranges":[1,2]`) },
			"The base reports 2 ranges, but its description has 3 sonars; there must be one range for each.", true,
		},
		{
			"ranges of a wrong count in more", func(_ *protocol.Millis, s *stage) { s.say(`{"t":"more","ms":1,"ranges":[1,2,3,4]}`) },
			"The base reports 4 ranges", true,
		},
		{"a clock that stands still", func(at *protocol.Millis, s *stage) {
			s.say(fmt.Sprintf(`{"t":"reading","ms":%d,"wheels":[1,1],"got":0}`, *at))
		}, "The clock of the base stands still at ", true},
		{"a clock that goes back", func(_ *protocol.Millis, s *stage) { s.say(`{"t":"reading","ms":4,"wheels":[0,0],"got":0}`) }, "The base has restarted.", true},
		{"a clock in microseconds", func(at *protocol.Millis, s *stage) {
			for range 225 {
				*at += 19_980
				s.standing(at, 20*time.Millisecond, "")
			}
			s.take()
			s.standing(at, 20*time.Millisecond, "")
		}, "The clock of the base grew by 2000000 ms in 2.0 s; ms must be in milliseconds.", true},
		{"a clock in hundredths of a second", func(at *protocol.Millis, s *stage) {
			for range 225 {
				*at -= 18
				s.standing(at, 20*time.Millisecond, "")
			}
			s.take()
			s.standing(at, 20*time.Millisecond, "")
		}, "The clock of the base grew by 200 ms in 2.0 s; ms must be in milliseconds.", true},
		{"another form of travel", func(at *protocol.Millis, s *stage) {
			*at += 20
			s.say(fmt.Sprintf(`{"t":"reading","ms":%d,"ticks":[0,0],"got":0}`, *at))
		}, "The base reported wheels and now reports ticks; every reading must have the same of the two.", true},
		{"ranges of a lidar in metres", func(_ *protocol.Millis, s *stage) {
			s.say(`{"t":"scan","ms":1,"lidar":0,"lasts":1,"mm":[1,2,3,4]}`)
		}, "mm must be in millimetres, not in metres", true},
		{"silence", func(_ *protocol.Millis, s *stage) { s.sleep(300 * time.Millisecond) }, "The base sends no readings.", true},
		{"half a line, and then silence", func(_ *protocol.Millis, s *stage) {
			_, _ = s.conn.Write([]byte(`{"t":"read`))
			s.sleep(300 * time.Millisecond)
		}, "The base sends no readings.", true},
		{"the end of the line", func(_ *protocol.Millis, s *stage) { s.hangUp() }, "The base ended the line.", true},
		{
			"a malformed line", func(at *protocol.Millis, s *stage) {
				s.say(`{"t":"reading","ms":NaN}`)
				fine(at, s)
				s.standing(at, 300*time.Millisecond, "")
			},
			`A line of the base cannot be read: line {"t":"reading","ms":NaN}: column 21: it is not JSON`, false,
		},
		{
			"a number that no float holds", func(at *protocol.Millis, s *stage) {
				s.say(`{"t":"reading","ms":1,"wheels":[1e400,0]}`)
				s.standing(at, 500*time.Millisecond, "")
			},
			"A line of the base cannot be read: ", false,
		},
		{
			"no UTF-8", func(at *protocol.Millis, s *stage) {
				s.say("{\"t\":\"log\",\"level\":\"info\",\"text\":\"\xff\"}")
				s.standing(at, 500*time.Millisecond, "")
			},
			"A line of the base cannot be read: ", false,
		},
		{
			"a doubled key", func(at *protocol.Millis, s *stage) {
				s.say(`{"t":"reading","ms":1,"ms":2,"wheels":[0,0]}`)
				s.standing(at, 500*time.Millisecond, "")
			},
			"ms comes twice", false,
		},
		{
			"a wrong checksum", func(at *protocol.Millis, s *stage) {
				s.say(`{"t":"pong","id":1,"ms":1}~0000`)
				s.standing(at, 500*time.Millisecond, "")
			},
			"its checksum is 0000, but that of the line is ", false,
		},
		{
			"a right checksum over a wrong line", func(at *protocol.Millis, s *stage) {
				line := `{"t":"reading","ms":12.5,"wheels":[0,0]}`
				s.say(fmt.Sprintf("%s~%04X", line, protocol.Checksum([]byte(line))))
				s.standing(at, 500*time.Millisecond, "")
			},
			"ms is 12.5; it must be a whole number", false,
		},
		{"a line without an end", func(_ *protocol.Millis, s *stage) {
			for range 32 { // 1 MB in 3.2 s
				_, _ = s.conn.Write([]byte(strings.Repeat("x", 1<<15)))
				s.sleep(100 * time.Millisecond)
			}
		}, "No reading has come from the base for 3s, and a line that came cannot be read: line xxx", true},
		{
			"a line of 1 MB", func(at *protocol.Millis, s *stage) {
				s.say(strings.Repeat("x", 1<<20))
				s.standing(at, 500*time.Millisecond, "")
			},
			"it is longer than 32768 bytes", false,
		},
		{
			"deep nesting", func(at *protocol.Millis, s *stage) {
				s.say(`{"t":"log","x":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + "}")
				s.standing(at, 500*time.Millisecond, "")
			},
			"A line of the base cannot be read: ", false,
		},
		{
			"an error line", func(at *protocol.Millis, s *stage) {
				s.say(`{"t":"error","text":"drive has no v"}`)
				s.standing(at, 500*time.Millisecond, "")
			},
			`The base says "drive has no v".`, false,
		},
		{"deafness", func(at *protocol.Millis, s *stage) {
			for range 75 {
				_ = s.driver.Drive(robot.Twist{Linear: 0.2})
				s.standing(at, 20*time.Millisecond, "")
			}
		}, "The base does not hear Mybot: it sends readings, and executes nothing of what it is sent.", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, base.Config{})
				at := protocol.Millis(5000)
				s.standing(&at, 2*time.Second, "")
				if link := s.driver.BaseLink(); !link.Up || link.Why != "" {
					t.Fatalf("before it the link is %+v", link)
				}
				s.take()
				s.lastHeard("drive")
				c.do(&at, s)
				link := s.driver.BaseLink()
				if link.Up == c.down || !strings.Contains(link.Why, c.why) {
					t.Errorf("the link is %+v, which does not say %q", link, c.why)
				}
				if !c.down {
					return
				}
				s.lastHeard("drive")
				if _, ok := s.take(); ok && c.name != "silence" && !strings.HasPrefix(c.name, "half") {
					t.Error("a reading came")
				}
				if err := s.driver.Drive(robot.Twist{Linear: 0.3}); err != nil {
					t.Error(err)
				}
				if s.conn != nil {
					if line := s.lastHeard("drive"); strings.Contains(line, `"v":0.3`) {
						t.Errorf("the base was commanded to move: %s", line)
					}
				}
			})
		})
	}
}

// TestABaseThatComesBackIsDrivenOnlyAfterAGap checks that the control loop sees the
// gap.
func TestABaseThatComesBackIsDrivenOnlyAfterAGap(t *testing.T) {
	for _, c := range []struct {
		name string
		at   protocol.Millis // on the clock when the base is back
		roll float64         // its totals then
		want float64         // travel of the first reading
	}{
		{"it has counted on", 5240, 1.05, 0.05},
		{"it has restarted", 40, 0, 0},
		{"its totals are zero again", 5240, 0, 0},
		{"its clock is another one", 905240, 1.05, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, base.Config{})
				at := protocol.Millis(4000)
				s.standing(&at, time.Second, "")
				before, _ := s.take()
				s.hangUp()
				s.connect() // 200 ms later
				s.say(describe(tinker))
				restarted := c.at < at || c.want == 0
				at = c.at
				total := c.roll
				for range 100 {
					time.Sleep(20 * time.Millisecond)
					if line := s.lastHeard("hello"); line != "" {
						s.say(describe(tinker))
					}
					at += 20
					s.say(fmt.Sprintf(`{"t":"reading","ms":%d,"wheels":[%.3f,%.3f],"got":0}`, at, total, total))
					r, ok := s.take()
					if !ok {
						continue
					}
					if gap := r.Time.Sub(before.Time); gap <= 250*time.Millisecond {
						t.Errorf("it is back after only %v; the control loop must notice", gap)
					}
					if math.Abs(r.Travel.Left-c.want) > 1e-9 {
						t.Errorf("the wheels have rolled %v m, want %v (restarted: %v)", r.Travel.Left, c.want, restarted)
					}
					if link := s.driver.BaseLink(); !link.Up || link.Restarts != 1 {
						t.Errorf("the link is %+v", link)
					}
					return
				}
				t.Error("no reading came")
			})
		})
	}
}

func TestAnotherRobotIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, base.Config{})
		at := protocol.Millis(0)
		s.standing(&at, time.Second, "")
		s.hangUp()
		s.connect()
		s.say(describe(strings.Replace(tinker, `"wheel_base_m":0.25`, `"wheel_base_m":0.27`, 1)))
		want := "The base tinker 1.2: this is another robot than before: drivetrain.wheel_base_m was 0.25 and is 0.27; restart Mybot to drive it."
		if link := s.driver.BaseLink(); link.Up || link.Why != want {
			t.Errorf("the link is %+v, want %q", link, want)
		}
		s.conn = nil // Mybot has ended it
		lost := time.Now()
		s.connect()
		if waited := time.Since(lost); waited < 4*time.Second {
			t.Errorf("Mybot tries again after %v; that is of no use so soon", waited)
		}
		at += protocol.Millis(time.Since(lost).Milliseconds())
		s.say(describe(strings.Replace(tinker, `"wheel_base_m":0.25`, `"wheel_base_m": 0.250`, 1)))
		s.standing(&at, time.Second, "")
		if link := s.driver.BaseLink(); !link.Up {
			t.Errorf("the same robot is refused: %+v", link)
		}
	})
}

// TestWhyABaseIsOutOfReachTellsNoSecretOfItsCommand because every observer reads it, and the
// arguments of a program may have a password.
func TestWhyABaseIsOutOfReachTellsNoSecretOfItsCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		address, err := base.ParseAddress("exec:ssh robot.local base.py --key s3cret")
		if err != nil {
			t.Fatal(err)
		}
		pipes := basetest.NewPipes()
		d, err := base.Open(t.Context(), base.Config{Address: address, Robot: []byte(tinker), Patience: time.Millisecond, Log: slog.New(slog.DiscardHandler), Dial: dialer(pipes)})
		if err != nil {
			t.Fatal(err)
		}
		conn, err := pipes.Accept()
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.Copy(io.Discard, conn) }()
		time.Sleep(5500 * time.Millisecond)
		if why := d.BaseLink().Why; !strings.HasPrefix(why, "No base has answered hello at exec:ssh ... for 5s") {
			t.Errorf("the reason is %q", why)
		}
		_ = conn.Close()
		_ = d.Close()
		_ = pipes.Close()
	})
}

// TestNoBaseMakesItsSentenceLong has a base describe itself with thousands of wrong keys, and
// then say sentences as long as a line may have them, of letters that take much to be shown.
func TestNoBaseMakesItsSentenceLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := newStage(t, base.Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
		at := protocol.Millis(0)
		judge := func(what string) {
			t.Helper()
			why := s.driver.BaseLink().Why
			if why == "" || len(why) > 600 || strings.ContainsFunc(why, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("after %s the link has a reason of %d bytes: %.900q", what, len(why), why)
			}
			if log.Len() > 20_000 {
				t.Fatalf("after %s the log has %d bytes", what, log.Len())
			}
		}
		s.standing(&at, time.Second, "")
		s.say(`{"t":"error","text":"` + strings.Repeat("\U000e0001", 1000) + `"}`)
		s.standing(&at, 300*time.Millisecond, "")
		judge("a long sentence")
		if r, ok := s.take(); !ok || len(r.Refuses) != 0 {
			t.Fatalf("the reading is %+v, %v", r, ok)
		}
		s.say(fmt.Sprintf(`{"t":"reading","ms":%d,"wheels":[1,1],"got":0,"refuses":"%s"}`, at+20, strings.Repeat("é", 1000)))
		at += 20
		s.standing(&at, 20*time.Millisecond, "")
		if r, ok := s.take(); !ok || len(r.Refuses) < 100 || len(r.Refuses) > 600 {
			t.Errorf("the base refuses with %d bytes, %v", len(r.Refuses), ok)
		}
		var wrong strings.Builder
		for i := range 3000 {
			fmt.Fprintf(&wrong, `"k%d":1,`, i)
		}
		s.hangUp()
		s.connect()
		s.say(describe("{" + wrong.String() + tinker[1:]))
		judge("3000 wrong keys")
	})
}

// TestABaseThatIsWrongInEveryLineFillsNoLog has the totals jump in each reading, by
// another distance every time.
func TestABaseThatIsWrongInEveryLineFillsNoLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := newStage(t, base.Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
		const seconds = 60
		for n := range 50 * seconds {
			time.Sleep(20 * time.Millisecond)
			s.say(fmt.Sprintf(`{"t":"reading","ms":%d,"wheels":[%d,0],"got":0}`, 20*n, n*n))
		}
		if n := strings.Count(log.String(), "\n"); n > 3*seconds || n == 0 {
			t.Errorf("%d lines are in the log after %d s", n, seconds)
		}
		if !strings.Contains(log.String(), " skipped=") {
			t.Error("the log does not say that lines are missing")
		}
		if link := s.driver.BaseLink(); link.Up || !strings.HasPrefix(link.Why, "The wheels have rolled ") {
			t.Errorf("the link is %+v", link)
		}
	})
}

// TestAFirstStartSaysWhatCameInPlaceOfABase opens a driver whose robot is not known, at the
// end of a line on which there is no base.
func TestAFirstStartSaysWhatCameInPlaceOfABase(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer func(heard []byte) string
		why    string
	}{
		{"a modem", func(heard []byte) string { return string(heard) }, "what Mybot says comes back: this is no base"},
		{"another baud rate", func([]byte) string { return "\x00\xf8x\x80\n" }, "what comes cannot be read: this is no base, or the baud rate is wrong"},
		{"a base that does not understand", func([]byte) string { return `{"t":"error","text":"no memory"}` + "\n" }, `the base says "no memory"`},
		{"silence", func([]byte) string { return "" }, "No base has answered hello"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pipes := basetest.NewPipes()
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					conn, err := pipes.Accept()
					if err != nil {
						return
					}
					defer conn.Close()
					for heard := make([]byte, 1000); ; {
						n, err := conn.Read(heard)
						if err != nil {
							return
						}
						_, _ = io.WriteString(conn, c.answer(heard[:n]))
					}
				}()
				_, err := base.Open(t.Context(), base.Config{Dial: dialer(pipes), Patience: base.Patience, Log: slog.New(slog.DiscardHandler)})
				if err == nil || !strings.Contains(err.Error(), c.why) {
					t.Errorf("the error is %v, which does not say %q", err, c.why)
				}
				_ = pipes.Close()
				<-ended
			})
		})
	}
}
