package bridge_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/base/basetest"
	"mybot/drivers/base/bridge"
	"mybot/drivers/base/firmware"
	"mybot/drivers/base/protocol"
	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/robot/models"
	"mybot/robot/robottest"
)

// newRobot returns a simulated robot without errors on an empty floor, and its
// description as bridge.Config needs it.
func newRobot(t *testing.T, name string) (*sim.Driver, bridge.Config) {
	t.Helper()
	description, ok := models.Find(name)
	if !ok {
		t.Fatalf("there is no robot %s", name)
	}
	desc, err := robot.ParseDescription(description)
	if err != nil {
		t.Fatal(err)
	}
	d := sim.NewDriver(sim.NewWorld(desc, nil, sim.Scene{}, sim.Options{Ideal: true}))
	t.Cleanup(func() { _ = d.Close() })
	return d, bridge.Config{Program: "test 1", Robot: description, Hold: firmware.RecommendedHold, Log: slog.New(slog.DiscardHandler)}
}

// serve runs the base until the test ends.
func serve(t *testing.T, l net.Listener, d robot.Driver, c bridge.Config) {
	ctx, cancel := context.WithCancel(t.Context())
	var ended sync.WaitGroup
	ended.Go(func() {
		if err := bridge.Serve(ctx, l, d, c); err != nil {
			t.Errorf("the base ended: %v", err)
		}
	})
	t.Cleanup(func() { cancel(); ended.Wait() })
}

// connectTo connects to a base through a pipe.
func connectTo(t *testing.T, l *basetest.Pipes) net.Conn {
	t.Helper()
	conn, err := l.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// A transcript collects the timed lines of a conversation.
type transcript struct {
	began time.Time
	mu    sync.Mutex
	text  bytes.Buffer
}

func (r *transcript) add(mark, line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, _ = fmt.Fprintf(&r.text, "%6d %s %s\n", time.Since(r.began).Milliseconds(), mark, line)
}

func (r *transcript) tell(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, _ = fmt.Fprintf(&r.text, "\n# %s\n", text)
}

// TestAConversationWithTheSimulatedRobot is testdata/conversation.txt: the simulator
// as a base, in virtual time.
func TestAConversationWithTheSimulatedRobot(t *testing.T) {
	var got string
	synctest.Test(t, func(t *testing.T) {
		d, c := newRobot(t, models.MybotName)
		l := basetest.NewPipes()
		r := &transcript{began: time.Now()}
		serve(t, l, d, c)
		connect := func() (say func(after time.Duration, line string), hangUp func()) {
			conn := connectTo(t, l)
			var reader sync.WaitGroup
			reader.Go(func() {
				for lines := bufio.NewScanner(conn); lines.Scan(); {
					line := lines.Text()
					if strings.HasPrefix(line, `{"t":"describe"`) {
						line = line[:100] + " ..."
					}
					r.add("<", line)
				}
			})
			return func(after time.Duration, line string) {
				time.Sleep(after)
				r.add(">", line)
				if _, err := io.WriteString(conn, line+"\n"); err != nil {
					t.Error(err)
				}
				synctest.Wait() // for the answer
			}, func() { _ = conn.Close(); reader.Wait() }
		}
		r.tell("Mybot connects. A drive line before hello is not executed.")
		time.Sleep(3 * time.Millisecond)
		say, hangUp := connect()
		say(time.Millisecond, `{"t":"drive","n":1,"until":90,"v":0.4,"w":0}`)
		say(time.Millisecond, `{"t":"hello","v":[1]}`)
		r.tell("A driver drives. The first reading tells all sensors, the next ones what has changed.")
		for n := 1; n <= 5; n++ {
			say(20*time.Millisecond, fmt.Sprintf(`{"t":"drive","n":%d,"until":%d,"v":0.4,"w":0.2}`, n, 100+20*n))
		}
		r.tell("Mybot is frozen from here. The last line was executed until 200, its until; then the robot brakes.")
		time.Sleep(220 * time.Millisecond)
		r.tell("What waited comes at once, and is not executed. The head turns meanwhile.")
		say(time.Millisecond, `{"t":"drive","n":6,"until":220,"v":0.4,"w":0}`)
		say(time.Millisecond, `{"t":"drive","n":7,"until":240,"v":0.4,"w":0}`)
		say(time.Millisecond, `{"t":"look","pan":0.5,"tilt":0}`)
		say(time.Millisecond, `{"t":"ping","id":4}`)
		say(time.Millisecond, `{"t":"drive","n":8,"until":NaN,"v":0.4,"w":0}`)
		time.Sleep(40 * time.Millisecond)
		r.tell("Another Mybot wants to connect.")
		other := connectTo(t, l)
		if line, err := bufio.NewReader(other).ReadString('\n'); err == nil {
			r.add("<", strings.TrimSpace(line)+" (to the other)")
		} else {
			t.Error(err)
		}
		_ = other.Close()
		say(time.Millisecond, `{"t":"drive","n":9,"until":500,"v":0.4,"w":0}`)
		say(20*time.Millisecond, `{"t":"drive","n":10,"until":520,"v":0.4,"w":0}`)
		time.Sleep(20 * time.Millisecond)
		r.tell("The connection ends in mid-drive. The robot brakes at once, and a second later another conversation begins where the wheels are now.")
		hangUp()
		time.Sleep(time.Second)
		say, hangUp = connect()
		say(time.Millisecond, `{"t":"hello","v":[1]}`)
		time.Sleep(45 * time.Millisecond)
		hangUp()
		got = strings.TrimLeft(r.text.String(), "\n")
	})
	robottest.Golden(t, "testdata/conversation.txt", got)
}

// A mybot is the robot program's end of a TCP connection.
type mybot struct {
	t     *testing.T
	conn  *net.TCPConn
	lines *bufio.Scanner
	n     int64
}

func dial(t *testing.T, address string) *mybot {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(conn)
	lines.Buffer(nil, protocol.MaxLongLine+1)
	return &mybot{t: t, conn: conn.(*net.TCPConn), lines: lines}
}

func (m *mybot) say(message protocol.ToBase) {
	m.t.Helper()
	line, err := protocol.AppendLine(nil, message, false)
	if err != nil {
		m.t.Fatal(err)
	}
	if _, err := m.conn.Write(line); err != nil {
		m.t.Fatal(err)
	}
}

// drive drives for 100 ms after a reading.
func (m *mybot) drive(r protocol.Reading, t robot.Twist) {
	m.n++
	m.say(protocol.Drive{Number: m.n, Until: r.At + 100, Twist: t})
}

// hear returns the next line of the given type.
func hear[T protocol.FromBase](m *mybot) T {
	m.t.Helper()
	for m.lines.Scan() {
		message, err := protocol.DecodeFromBase(m.lines.Bytes(), false)
		if err != nil {
			m.t.Fatal(err)
		}
		if of, ok := message.(T); ok {
			return of
		}
	}
	m.t.Fatalf("the line ended: %v", m.lines.Err())
	panic("unreachable")
}

func wheels(r protocol.Reading) protocol.WheelTotals { return r.Totals.(protocol.WheelTotals) }

// TestTheSimulatorIsDrivenOverTCP drives over a real loopback connection, on the
// clock of the base.
func TestTheSimulatorIsDrivenOverTCP(t *testing.T) {
	d, c := newRobot(t, models.LidarSonarName)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serve(t, l, d, c)
	m := dial(t, l.Addr().String())
	m.say(protocol.Hello{Versions: []int{protocol.Version}})
	described := hear[protocol.Describe](m)
	desc, err := robot.ParseDescription(described.Robot)
	if err != nil || described.Version != protocol.Version || desc.Name != d.Describe().Name {
		t.Fatalf("the base is %s, version %d: %v", desc.Name, described.Version, err)
	}
	r := hear[protocol.Reading](m)
	if len(r.Ranges) != len(desc.Sonars) || r.Compass == nil || r.Battery == nil || r.Head == nil || r.Bump == nil || r.OK == nil {
		t.Errorf("the first reading lacks sensors: %+v", r.Senses)
	}
	if s := hear[protocol.Scan](m); len(s.Ranges) != desc.Lidars[0].Beams || s.Lasts < 90 || s.Lasts > 110 {
		t.Errorf("a scan has %d beams and lasts %d ms", len(s.Ranges), s.Lasts)
	}

	// forward, then left, on the clock of the base
	from := wheels(r)
	for end := r.At + 500; r.At < end; r = hear[protocol.Reading](m) {
		m.drive(r, robot.Twist{Linear: 0.3})
	}
	if to := wheels(r); to.Left-from.Left < 0.02 || math.Abs(to.Left-to.Right) > 0.01 {
		t.Errorf("driving forward took the wheels from %v to %v", from, to)
	}
	from = wheels(r)
	for end := r.At + 500; r.At < end; r = hear[protocol.Reading](m) {
		m.drive(r, robot.Twist{Angular: 0.5})
	}
	if to := wheels(r); to.Right-to.Left-(from.Right-from.Left) < 0.02 {
		t.Errorf("turning left took the wheels from %v to %v", from, to)
	}
	if r.Got == 0 || r.Got > m.n {
		t.Errorf("of %d drive lines the reading has got %d", m.n, r.Got)
	}

	// a connection that is reset during a drive
	for end := r.At + 300; r.At < end; r = hear[protocol.Reading](m) {
		m.drive(r, robot.Twist{Linear: 0.3})
	}
	other := dial(t, l.Addr().String())
	if refusal := hear[protocol.Error](other); !strings.Contains(refusal.Text, "busy") {
		t.Errorf("the second Mybot received %q", refusal.Text)
	}
	if err := m.conn.SetLinger(0); err != nil {
		t.Fatal(err)
	}
	_ = m.conn.Close()
	again := reconnect(t, l.Addr().String())
	r = hear[protocol.Reading](again)
	for end := r.At + 1000; r.At < end; { // braking takes almost a second
		r = hear[protocol.Reading](again)
	}
	stood := wheels(r)
	for end := r.At + 200; r.At < end; {
		r = hear[protocol.Reading](again)
	}
	if wheels(r) != stood || r.Got != 0 {
		t.Errorf("after the reset the wheels rolled from %v to %v, got %d", stood, wheels(r), r.Got)
	}
}

// reconnect connects again as soon as the base has noticed the end of the previous
// connection.
func reconnect(t *testing.T, address string) *mybot {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		m := dial(t, address)
		m.say(protocol.Hello{Versions: []int{protocol.Version}})
		if m.lines.Scan() && !strings.Contains(m.lines.Text(), "busy") {
			return m
		}
		_ = m.conn.Close()
	}
	t.Fatal("the base stays busy")
	return nil
}

// The head and joints of a base stay where they are when the connection ends during
// a move.
func TestHeadAndJointsStayWhereTheyAreWhenTheLineEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := newRobot(t, models.ArmName)
		l := basetest.NewPipes()
		serve(t, l, d, c)
		conn := connectTo(t, l)
		go func() { _, _ = io.Copy(io.Discard, conn) }()
		_, _ = io.WriteString(conn, `{"t":"hello","v":[1]}`+"\n"+`{"t":"joints","at":{"lift":0.3}}`+"\n"+`{"t":"look","pan":1.5,"tilt":0}`+"\n")
		time.Sleep(time.Second)
		_ = conn.Close()
		time.Sleep(5 * time.Second)
		again := connectTo(t, l)
		defer func() { _ = again.Close() }()
		go func() { _, _ = io.WriteString(again, `{"t":"hello","v":[1]}`+"\n") }()
		for lines := bufio.NewScanner(again); lines.Scan(); {
			m, err := protocol.DecodeFromBase(lines.Bytes(), false)
			if err != nil {
				t.Fatal(err)
			}
			if r, ok := m.(protocol.Reading); ok && r.Joints != nil {
				if lift := r.Joints["lift"]; math.Abs(lift-0.08) > 0.005 || math.Abs(r.Head.Pan-robot.Radians(60)) > 0.05 {
					t.Errorf("the lift is at %v m, the head at %v rad", lift, r.Head.Pan)
				}
				return
			}
		}
		t.Error("no reading came")
	})
}

// broken is a driver whose base is lost.
type broken struct{ robot.Driver }

func (broken) Read(context.Context) (robot.Reading, error) {
	return robot.Reading{}, errors.New("the cable is cut")
}

func TestABaseEndsWithItsDriverOrItsListener(t *testing.T) {
	d, c := newRobot(t, models.MybotName)
	if err := bridge.Serve(t.Context(), basetest.NewPipes(), broken{d}, c); err == nil || !strings.Contains(err.Error(), "the cable is cut") {
		t.Errorf("the base of a driver without a robot ended with %v", err)
	}
	l := basetest.NewPipes()
	_ = l.Close()
	if err := bridge.Serve(t.Context(), l, d, c); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the base without a listener ended with %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := bridge.Serve(ctx, basetest.NewPipes(), d, c); err != nil {
		t.Errorf("the base that was ended failed with %v", err)
	}
}

// TestAFrozenMybotHoldsNothingUp connects a client that neither reads nor writes:
// the next one replaces it after two seconds.
func TestAFrozenMybotHoldsNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := newRobot(t, models.MybotName)
		l := basetest.NewPipes()
		serve(t, l, d, c)
		frozen := connectTo(t, l)
		defer func() { _ = frozen.Close() }()
		_, _ = io.WriteString(frozen, `{"t":"hello","v":[1]}`+"\n"+`{"t":"drive","n":1,"until":9000,"v":0.4,"w":0}`+"\n")
		time.Sleep(50 * time.Millisecond)
		if d.Truth().Twist.Linear == 0 {
			t.Error("the robot does not drive")
		}
		time.Sleep(1900 * time.Millisecond)
		if d.Truth().Twist.Linear != 0 {
			t.Error("the robot still drives")
		}
		for _, want := range []string{`"error","text":"this base is busy`, `"describe"`} {
			conn := connectTo(t, l)
			go func() { _, _ = io.WriteString(conn, `{"t":"hello","v":[1]}`+"\n") }()
			if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, want) {
				t.Errorf("the answer is %s, %v; want %s", line, err, want)
			}
			_ = conn.Close()
			time.Sleep(100 * time.Millisecond)
		}
	})
}

func TestTheSimulatorSpeaksAndShowsOverALineAndIsClearedAtItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := newRobot(t, models.MybotName)
		l := basetest.NewPipes()
		serve(t, l, d, c)
		for range 2 { // the ids of another Mybot are the same
			conn := connectTo(t, l)
			said := make(chan protocol.Said, 10)
			var reader sync.WaitGroup
			reader.Go(func() {
				for lines := bufio.NewScanner(conn); lines.Scan(); {
					if m, err := protocol.DecodeFromBase(lines.Bytes(), false); err != nil {
						t.Error(err)
					} else if m, ok := m.(protocol.Said); ok {
						said <- m
					}
				}
			})
			for _, line := range []string{
				`{"t":"hello","v":[1]}`, `{"t":"say","id":1,"text":"This is interrupted."}`,
				`{"t":"say","id":2,"text":"Hello!","lang":"en"}`, `{"t":"show","lines":["Touch OK","when the tray is full"]}`,
			} {
				if _, err := io.WriteString(conn, line+"\n"); err != nil {
					t.Error(err)
				}
			}
			time.Sleep(700 * time.Millisecond)
			if len(said) != 0 {
				t.Errorf("within 0.7 s it answers %v", <-said)
			}
			time.Sleep(2 * time.Second)
			if len(said) != 1 || <-said != (protocol.Said{ID: 2}) {
				t.Error("the base does not answer exactly the last text")
			}
			if got := d.Shown(); len(got) != 2 || got[0] != "Touch OK" {
				t.Errorf("it shows %q", got)
			}
			_ = conn.Close()
			reader.Wait()
			synctest.Wait()
			if got := d.Shown(); got != nil {
				t.Errorf("after the end of the line it shows %q", got)
			}
		}
	})
}
