package base_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/base"
	"mybot/drivers/base/basetest"
	"mybot/robot"
)

// tinker is the description of a robot with three sonars, a head and nothing else.
const tinker = `{"name":"Tinker","body":{"length_m":0.3,"width_m":0.3,"height_m":0.3,"mass_kg":2},` +
	`"drivetrain":{"wheel_base_m":0.25,"axle_offset_m":0},"encoder":{"wheel_radius_m":0.03,"ticks_per_turn":600},` +
	`"hardware":{"linear_m_s":0.5,"angular_deg_s":120,"linear_acceleration_m_s2":1,"angular_acceleration_deg_s2":360},` +
	`"safe":{"linear_m_s":0.4,"angular_deg_s":90,"linear_acceleration_m_s2":0.5,"angular_acceleration_deg_s2":180},` +
	`"sonars":[{"x_m":0.15,"y_m":0.1,"heading_deg":30,"beam_deg":30,"min_m":0.05,"max_m":3},{"x_m":0.15,"y_m":0,"heading_deg":0,"beam_deg":30,"min_m":0.05,"max_m":3},{"x_m":0.15,"y_m":-0.1,"heading_deg":-30,"beam_deg":30,"min_m":0.05,"max_m":3}],` +
	`"lidars":[{"x_m":0,"y_m":0,"heading_deg":0,"height_m":0.3,"from_deg":0,"step_deg":90,"beams":4,"min_m":0.1,"max_m":8,"rate_hz":10}],"compass":false,"bumper":true,"ok_switch":false,"battery":{"nominal_v":12,"capacity_ah":3,"idle_w":3,"moving_w":10,"charger_w":20},` +
	`"head":{"x_m":0,"z_m":0.3,"pan_min_deg":-90,"pan_max_deg":90,"tilt_min_deg":-30,"tilt_max_deg":30,"speed_deg_s":90,"camera":{"forward_m":0.02,"width_px":640,"height_px":480,"field_of_view_deg":60}},` +
	`"rate_hz":50,"holds_s":0.1}`

// A stage connects a scripted base and a driver in virtual time, and keeps a
// transcript of both.
type stage struct {
	t      *testing.T
	pipes  *basetest.Pipes
	driver *base.Driver
	conn   net.Conn // of the base; nil = not connected
	heard  chan string
	reader sync.WaitGroup

	began time.Time
	mu    sync.Mutex
	text  bytes.Buffer
	link  string
}

// newStage opens a driver for a base that a test plays. The first line of a description
// is not written into the transcript.
func newStage(t *testing.T, c base.Config) *stage { return newStageOf(t, c, tinker) }

// newStageOf opens a driver for a base of another robot.
func newStageOf(t *testing.T, c base.Config, robot string) *stage {
	s := &stage{t: t, pipes: basetest.NewPipes(), began: time.Now()}
	if c.Dial == nil {
		c.Dial = dialer(s.pipes)
	}
	c.Patience = 10 * time.Second
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	opened := make(chan *base.Driver)
	go func() {
		d, err := base.Open(t.Context(), c)
		if err != nil {
			t.Error(err)
		}
		opened <- d
	}()
	s.connect()
	s.say(describe(robot))
	if s.driver = <-opened; s.driver == nil {
		t.FailNow()
	}
	t.Cleanup(func() { s.hangUp(); _ = s.driver.Close(); _ = s.pipes.Close() })
	return s
}

func describe(robot string) string {
	return `{"t":"describe","protocol":1,"base":"tinker 1.2","robot":` + robot + `}`
}

func (s *stage) write(mark, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(text) > 400 {
		text = text[:60] + " ..."
	}
	_, _ = fmt.Fprintf(&s.text, "%6d %s %s\n", time.Since(s.began).Milliseconds(), mark, text)
}

func (s *stage) tell(text string) {
	s.settle()
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = fmt.Fprintf(&s.text, "\n# %s\n", text)
}

// connect waits for Mybot.
func (s *stage) connect() {
	s.t.Helper()
	conn, err := s.pipes.Accept()
	if err != nil {
		s.t.Fatal(err)
	}
	s.conn = conn
	s.write("-", "The line is open.")
	s.heard = make(chan string, 10_000)
	heard := s.heard
	s.reader.Go(func() {
		for lines := bufio.NewScanner(conn); lines.Scan(); {
			s.write(">", lines.Text())
			heard <- lines.Text()
		}
		close(heard)
	})
	synctest.Wait()
}

// hangUp ends the line.
func (s *stage) hangUp() {
	if s.conn != nil {
		_ = s.conn.Close()
		s.reader.Wait()
		s.conn = nil
		s.settle()
	}
}

// say writes lines as the base.
func (s *stage) say(lines ...string) {
	s.t.Helper()
	for _, line := range lines {
		s.write("<", line)
		if _, err := io.WriteString(s.conn, line+"\n"); err != nil {
			s.t.Fatal(err)
		}
	}
	s.settle()
}

// settle waits until everything due now has happened, and adds the state of the
// link to the transcript.
func (s *stage) settle() {
	synctest.Wait()
	if s.driver == nil {
		return
	}
	link := s.driver.BaseLink()
	text := "up"
	if !link.Up {
		text = "down"
	}
	if text += ": " + link.Why; text != s.link {
		s.link = text
		s.write("-", "The link is "+strings.TrimSuffix(strings.TrimSuffix(text, ": "), ".")+".")
	}
}

// sleep lets time pass.
func (s *stage) sleep(lasts time.Duration) { time.Sleep(lasts); s.settle() }

// take returns the next reading that is available now.
func (s *stage) take() (r robot.Reading, ok bool) {
	s.t.Helper()
	ctx, cancel := contextWithTimeout(s.t, time.Microsecond)
	defer cancel()
	r, err := s.driver.Read(ctx)
	return r, err == nil
}

// lastHeard returns Mybot's newest line since the last call; "" = none.
func (s *stage) lastHeard(kind string) (last string) {
	synctest.Wait()
	for {
		select {
		case line, ok := <-s.heard:
			if !ok {
				return last
			}
			if strings.Contains(line, `"t":"`+kind+`"`) {
				last = line
			}
		default:
			return last
		}
	}
}
