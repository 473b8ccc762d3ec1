package base_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/base"
	"mybot/drivers/base/basetest"
	"mybot/drivers/base/protocol"
	"mybot/robot"
)

// talker is tinker with a speaker and a display.
var talker = strings.Replace(tinker, `{"name":"Tinker",`, `{"name":"Tinker","speaker":true,"display":true,`, 1)

func speech(n uint64, text string) robot.Speech {
	return robot.Speech{Number: n, Text: text, Voice: "en+f3", Speed: 1}
}

func TestTheSentenceThatTheBaseWasToldLastIsTheOneThatCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStageOf(t, base.Config{}, talker)
		say := func(n uint64, text, want string) {
			t.Helper()
			if err := s.driver.Say(speech(n, text)); err != nil {
				t.Fatal(err)
			}
			if got := s.lastHeard("say"); got != want {
				t.Errorf("Mybot says %s, want %s", got, want)
			}
		}
		hear := func(line string, want uint64) {
			t.Helper()
			if s.say(line); s.driver.Said() != want {
				t.Errorf("after %s said is %d, want %d", line, s.driver.Said(), want)
			}
		}
		say(3_000_000_001, "One,\ttwo\u202e.", `{"t":"say","id":1,"text":"One, two .","lang":"en"}`)
		say(3_000_000_002, "Three.", `{"t":"say","id":2,"text":"Three.","lang":"en"}`)
		hear(`{"t":"said","id":1}`, 0)
		hear(`{"t":"said","id":7}`, 0)
		hear(`{"t":"said","id":2}`, 3_000_000_002)
		hear(`{"t":"said","id":2}`, 3_000_000_002)
		if err := s.driver.Show(make([]string, 30)); err != nil {
			t.Error(err)
		}
		if m, err := protocol.DecodeToBase([]byte(s.lastHeard("show")), false); err != nil || len(m.(protocol.Show).Lines) != 20 {
			t.Errorf("of 30 lines the base gets %+v, %v", m, err)
		}
	})
}

func TestABaseThatComesBackShowsTheMessageAndSaysNoOldSentence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStageOf(t, base.Config{}, talker)
		if got := s.lastHeard("show"); got != `{"t":"show","lines":[]}` {
			t.Errorf("a display that may show something old received %q", got)
		}
		if err := s.driver.Say(speech(1, "Hello!")); err != nil {
			t.Error(err)
		}
		if err := s.driver.Show([]string{"One"}); err != nil {
			t.Error(err)
		}
		s.settle()
		s.hangUp()
		if err := s.driver.Say(speech(2, "Two!")); err == nil {
			t.Error("a base out of reach takes a sentence")
		}
		if err := s.driver.Show([]string{"Two", "\x1b[31mred"}); err != nil {
			t.Error(err)
		}
		s.connect()
		s.say(describe(talker), `{"t":"said","id":1}`)
		if got := s.lastHeard("show"); got != `{"t":"show","lines":["Two","[31mred"]}` {
			t.Errorf("its display received %s", got)
		}
		if s.driver.Said() != 1 || s.lastHeard("say") != "" || strings.Count(s.text.String(), `"say"`) != 1 {
			t.Error("a sentence spoken meanwhile does not count, or is spoken again")
		}
	})
}

// A base that takes no lines fills its outbox; the caller does not block.
func TestNobodyWaitsForABaseThatTakesNoLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipes := basetest.NewPipes()
		var playing sync.WaitGroup
		playing.Go(func() {
			conn, err := pipes.Accept()
			if err != nil {
				return
			}
			if bufio.NewScanner(conn).Scan() {
				_, _ = io.WriteString(conn, describe(talker)+"\n")
			}
		})
		d := openDriver(t, base.Config{Dial: dialer(pipes)})
		defer func() { _ = d.Close(); _ = pipes.Close(); playing.Wait() }()
		synctest.Wait()
		began, refused := time.Now(), 0
		for n := range uint64(40) {
			if err := d.Say(speech(n+1, "Hello!")); err != nil {
				refused++
			}
			if err := d.Show([]string{"Hello!"}); err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(began); took != 0 || refused < 20 {
			t.Errorf("40 sentences take %v, and %d are refused", took, refused)
		}
	})
}

func TestWithoutSpeakerAndDisplayABaseIsToldNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, base.Config{})
		if err := s.driver.Say(speech(1, "Hello!")); !errors.Is(err, robot.ErrNA) {
			t.Errorf("Say says %v", err)
		}
		if err := s.driver.Show(nil); !errors.Is(err, robot.ErrNA) {
			t.Errorf("Show says %v", err)
		}
		if strings.Contains(s.text.String(), `"s`) {
			t.Errorf("the base received\n%s", s.text.String())
		}
	})
}

func TestThePartWithTheSpeakerSpeaksAndTheOneWithTheDisplayShows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, base.Config{}) // which drives, and neither speaks nor shows anything
		heard := make(chan protocol.ToBase, 100)
		pipes := basetest.NewPipes()
		var playing sync.WaitGroup
		playing.Go(func() {
			conn, err := pipes.Accept()
			if err != nil {
				return
			}
			defer func() { _ = conn.Close() }()
			for lines := bufio.NewScanner(conn); lines.Scan(); {
				m, err := protocol.DecodeToBase(lines.Bytes(), false)
				if err != nil {
					t.Error(err)
				}
				answer := `{"t":"more","ms":1}`
				switch m := m.(type) {
				case protocol.Hello:
					answer = `{"t":"describe","protocol":1,"base":"voice 1","robot":{"name":"Voice","speaker":true,"display":true}}` + "\n" + answer
				case protocol.Say:
					answer = fmt.Sprintf(`{"t":"said","id":%d}`, m.ID)
					heard <- m
				case protocol.Show:
					heard <- m
				}
				if _, err := fmt.Fprintln(conn, answer); err != nil {
					return
				}
			}
		})
		defer func() { _ = pipes.Close(); playing.Wait() }()
		c, err := base.Compose(s.driver, openDriver(t, base.Config{Dial: dialer(pipes), Part: true}))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { s.hangUp(); _ = c.Close() }()
		if d := c.Describe(); !d.Speaker || !d.Display {
			t.Fatalf("the robot has a speaker: %v, a display: %v", d.Speaker, d.Display)
		}
		synctest.Wait()
		if err := errors.Join(c.Say(speech(9, "Hello!")), c.Show([]string{"Touch OK."})); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		close(heard)
		said, shown := "", ""
		for m := range heard {
			switch m := m.(type) {
			case protocol.Say:
				said += m.Text
			case protocol.Show:
				shown += strings.Join(m.Lines, "|")
			}
		}
		if said != "Hello!" || shown != "Touch OK." || c.Said() != 9 {
			t.Errorf("the part says %q and shows %q; said is %d", said, shown, c.Said())
		}
	})
}
