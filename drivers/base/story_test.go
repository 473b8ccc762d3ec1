package base_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/base"
	"mybot/drivers/base/protocol"
	"mybot/robot"
	"mybot/robot/robottest"
)

// TestAStoryOfALine is testdata/story.txt: the lines of Mybot (>) and a base (<)
// from the opening of the port until another robot is connected to it, in virtual
// time.
func TestAStoryOfALine(t *testing.T) {
	var got string
	synctest.Test(t, func(t *testing.T) {
		s := newStageOf(t, base.Config{}, talker)
		clock, number, rolled := protocol.Millis(52_000), 0, 1.2
		report := func(n int, more string, drive *robot.Twist) {
			for range n {
				time.Sleep(20 * time.Millisecond)
				clock += 20
				s.say(fmt.Sprintf(`{"t":"reading","ms":%d,"wheels":[%.4f,%.4f],"got":%d%s}`, clock, rolled, rolled, number, more))
				s.take()
				if drive != nil {
					if err := s.driver.Drive(*drive); err != nil {
						t.Error(err)
					}
					synctest.Wait()
				}
			}
		}
		time.Sleep(3 * time.Millisecond) // so that no reading arrives just when Mybot checks the connection
		s.tell("The first reading tells all sensors. Mybot drives; until is the newest ms and the hold of 100 ms.")
		report(1, `,"ranges":[812,0,-1],"bump":false,"refuses":""`, nil)
		for range 3 {
			report(1, "", &robot.Twist{Linear: 0.3, Angular: -0.2})
			number, rolled = number+1, rolled+0.006
		}
		s.tell("Between two readings the twist is repeated. The head turns; more than its joints can do is not asked for.")
		time.Sleep(10 * time.Millisecond)
		_ = s.driver.Drive(robot.Twist{Linear: 0.3, Angular: -0.2})
		_ = s.driver.Look(robot.HeadAngles{Pan: 0.4, Tilt: -2})
		synctest.Wait()
		clock += 10
		number++
		report(1, `,"head":[0.1,0]`, nil)
		s.tell("The robot says something, and a message waits for OK. The base reports that it has spoken.")
		_ = s.driver.Say(robot.Speech{Number: 17_000_001, Text: "Hello!", Voice: "en+f3", Speed: 1})
		_ = s.driver.Show([]string{"The tray is for Jin.", "Touch OK."})
		report(2, "", nil)
		s.say(`{"t":"said","id":1}`)
		s.tell("A line is damaged on its way. It is counted, and said for a while.")
		s.say(`{"t":"reading","ms":52100,"whe#ls":[1.2,1.2]}`)
		report(13, "", nil)
		s.tell("The base does not understand something, and a reading is lost: totals lose nothing.")
		s.say(`{"t":"error","text":"look: this base has no tilt"}`)
		time.Sleep(20 * time.Millisecond)
		clock += 20
		report(13, "", nil)
		s.tell("The motors are switched off; then the base takes drive lines and executes none of them.")
		report(2, `,"refuses":"The motors are switched off."`, &robot.Twist{Linear: 0.1})
		report(1, `,"refuses":""`, &robot.Twist{})
		s.mu.Lock()
		s.text.WriteString("        (two seconds with 100 readings and 100 drive lines are left out)\n")
		left := s.text.Len()
		s.mu.Unlock()
		report(100, "", &robot.Twist{Linear: 0.1})
		s.mu.Lock()
		var kept []string // pings, and the state of the link
		for line := range strings.Lines(string(s.text.Bytes()[left:])) {
			if !strings.Contains(line, `"reading"`) && !strings.Contains(line, `"drive"`) {
				kept = append(kept, line)
			}
		}
		s.text.Truncate(left)
		s.text.WriteString(strings.Join(kept, ""))
		s.mu.Unlock()
		s.tell("The base loses its power for a moment: its clock begins anew. Mybot says hello, and no reading counts until the control loop has noticed. The display shows again what it showed; nothing is said again.")
		number, clock, rolled = 0, 0, 0
		report(1, "", &robot.Twist{})
		s.say(describe(talker))
		report(16, "", &robot.Twist{})
		s.tell("The cable is pulled. Mybot connects again, 0.2 s later; but another robot is at its end.")
		s.hangUp()
		s.connect()
		s.say(describe(strings.Replace(talker, `"name":"Tinker"`, `"name":"Tailor"`, 1)))
		s.conn = nil
		s.tell("The right one is back. Mybot waits longer after such a refusal.")
		s.connect()
		clock += 5220
		s.say(describe(talker))
		report(2, "", nil)
		s.tell("Mybot ends: the last line asks the robot to stand.")
		time.Sleep(5 * time.Millisecond)
		_ = s.driver.Close()
		s.reader.Wait()
		s.conn = nil
		got = strings.TrimLeft(s.text.String(), "\n")
	})
	robottest.Golden(t, "testdata/story.txt", got)
}
