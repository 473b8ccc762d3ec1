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
)

// TestABaseWhoseWheelsDoNotDoWhatTheyAreAskedIsNamed has the wheels turn at other speeds
// than they are asked, the base of tinker for the rest working.
func TestABaseWhoseWheelsDoNotDoWhatTheyAreAskedIsNamed(t *testing.T) {
	ahead, turn := robot.Twist{Linear: 0.2}, robot.Twist{Angular: 1}
	for _, c := range []struct {
		name        string
		asked       robot.Twist
		left, right float64 // m/s
		more        string  // fields of the readings
		lasts       time.Duration
		why         string // "" = nothing is said
		down        bool   // the robot is no longer driven
	}{
		{name: "wheels that obey", asked: ahead, left: 0.2, right: 0.2},
		{name: "wheels that turn it", asked: turn, left: -0.125, right: 0.125},
		{name: "wheels that slip by a third", asked: ahead, left: 0.14, right: 0.13},
		{name: "an arc with a wheel that hardly turns", asked: robot.Twist{Linear: 0.125, Angular: 1}, right: 0.25},
		{name: "wheels that stand", asked: robot.Twist{}},
		{name: "a base that refuses and is pushed", left: 0.2, right: 0.2, more: `,"refuses":"The motors are switched off."`},
		{name: "wheels that still brake", left: 0.2, right: 0.2, lasts: 600 * time.Millisecond},
		{name: "wheels that roll", left: 0.15, right: 0.15, why: "The wheels roll although Mybot asks the base to stand"},
		{name: "a wheel that rolls", left: -0.1, why: "The wheels roll although"},
		{name: "motors that are off", asked: ahead, why: "The wheels do not turn although the base is asked to drive"},
		{name: "an encoder that does not count", asked: ahead, left: 0.2, why: "The right wheel does not turn although it is asked to"},
		{name: "an encoder that counts backward", asked: ahead, left: 0.2, right: -0.2, why: "The right wheel turns the other way than it is asked", down: true},
		{name: "both motors reversed", asked: ahead, left: -0.2, right: -0.2, why: "Both wheels turn the other way", down: true},
		{name: "the wheels exchanged", asked: turn, left: 0.125, right: -0.125, why: "left and right are exchanged", down: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, base.Config{})
				at, left, right := protocol.Millis(5000), 1.0, 1.0
				roll := func(lasts time.Duration, l, r float64, more string, asked robot.Twist) {
					for began := time.Now(); time.Since(began) < lasts && s.driver.BaseLink().Up; {
						time.Sleep(20 * time.Millisecond)
						at, left, right = at+20, left+0.02*l, right+0.02*r
						s.say(fmt.Sprintf(`{"t":"reading","ms":%d,"wheels":[%.5f,%.5f],"got":2000000000%s}`, at, left, right, more))
						s.take()
						_ = s.driver.Drive(asked)
					}
				}
				s.standing(&at, 500*time.Millisecond, "")
				roll(2*time.Second, 0, 0, "", robot.Twist{})
				if link := s.driver.BaseLink(); !link.Up || link.Why != "" {
					t.Fatalf("while it stands the link is %+v", link)
				}
				if c.lasts == 0 {
					c.lasts = 2 * time.Second
				}
				if c.more == "" && c.asked == (robot.Twist{}) { // it has just been driven
					roll(time.Second, 0.2, 0.2, "", ahead)
				}
				roll(c.lasts, c.left, c.right, c.more, c.asked)
				link := s.driver.BaseLink()
				if link.Up == c.down || !strings.Contains(link.Why, c.why) || c.why == "" && link.Why != "" {
					t.Errorf("the link is %+v, want up %v and %q", link, !c.down, c.why)
				}
				if !c.down {
					return
				}
				if line := s.lastHeard("drive"); !strings.Contains(line, `"v":0,"w":0`) {
					t.Errorf("the last drive line is %s", line)
				}
				roll(200*time.Millisecond, 0, 0, "", c.asked)
				if line := s.lastHeard("drive"); line != "" && !strings.Contains(line, `"v":0,"w":0`) {
					t.Errorf("it is driven on: %s", line)
				}
			})
		})
	}
}
