package session

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/script"
)

// showWatched has the robot publish values for what it was last told to watch, and returns
// that list.
func (tb *table) showWatched(value float64) (of string) {
	tb.t.Helper()
	var newest robot.WatchValues
	for _, cmd := range tb.robot.commands() {
		if w, ok := cmd.(robot.WatchValues); ok {
			newest = w
		}
	}
	v := &robot.WatchedValues{Time: tb.now, Of: newest.Values}
	for _, one := range newest.Values {
		of += one.Text() + " "
		v.Values = append(v.Values, script.Look{Number: value, IsNumber: true, Text: "n"})
	}
	tb.hub.Publish(robot.State{Time: tb.now, Battery: robot.UnknownBattery(), Watched: v})
	tb.hub.step(tb.now)
	return strings.TrimSpace(of)
}

// commands returns the commands that the robot has received.
func (f *fakeRobot) commands() []robot.Command {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.did
}

// values returns the watched values among the queued frames.
func (p *page) values() (all []string) {
	p.t.Helper()
	for _, m := range p.hear() {
		if m["kind"] == "values" {
			line := ""
			for _, v := range m["values"].([]any) {
				v := v.(map[string]any)
				line += fmt.Sprint(v["of"], "=", v["number"], " ")
			}
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}

func TestEachPageReceivesTheValuesThatItWatches(t *testing.T) {
	tb := newTable(t)
	ana, eve, jin := tb.join("Ana"), tb.joinAs("Eve", Observer), tb.join("Jin")
	tb.pass(3 * time.Second)
	ana.hear()
	ana.say(`{"type":"watch","id":1,"values":["pose.x","near.val"]}`)
	eve.say(`{"type":"watch","id":2,"values":["near.val"]}`)
	equal(t, "Ana's answer", ana.results(), "SUCCESS")
	equal(t, "an observer's answer", eve.results(), "SUCCESS")
	if of := tb.showWatched(1.5); of != "pose.x near.val" && of != "near.val pose.x" {
		t.Errorf("the robot evaluates %q", of)
	}
	equal(t, "Ana's values", ana.values(), "pose.x=1.5 near.val=1.5")
	equal(t, "the observer's values", eve.values(), "near.val=1.5")
	equal(t, "the values of who watches nothing", jin.values())

	tb.showWatched(2)
	tb.showWatched(3)
	equal(t, "the values of a page that was slow", ana.values(), "pose.x=3 near.val=3")

	eve.say(`{"type":"watch","id":3,"values":["pose.x","random(0,1)"]}`)
	equal(t, "an effect", eve.results(), "ERROR random(0,1), column 1: random is not called in a watched value, which may change nothing; functions such as abs and max are.")
	tb.showWatched(4)
	equal(t, "after a refused list the one before stays", eve.values(), "near.val=4")

	ana.user.Leave()
	tb.showWatched(5)
	if of := tb.showWatched(6); of != "near.val" {
		t.Errorf("after Ana has left the robot evaluates %q", of)
	}
	eve.say(`{"type":"watch","id":4,"values":[]}`)
	if of := tb.showWatched(7); of != "" {
		t.Errorf("nobody watches, and the robot evaluates %q", of)
	}
	equal(t, "the values of who has stopped watching", eve.values(), "near.val=6")
}

func TestWatchingIsBounded(t *testing.T) {
	tb := newTable(t)
	eve := tb.joinAs("Eve", Observer)
	for range watchesPerSecond {
		eve.say(`{"type":"watch","id":1,"values":["1"]}`)
	}
	eve.results()
	eve.say(`{"type":"watch","id":2,"values":["1"]}`)
	equal(t, "too often", eve.results(), "BUSY The list of watched values changes too often. Send at most 5 a second.")
	for i := range 9 {
		p := tb.joinAs(fmt.Sprint("P", i), Observer)
		var list []string
		for n := range 24 {
			list = append(list, fmt.Sprintf("%q", fmt.Sprint(i, "+", n)))
		}
		p.say(`{"type":"watch","id":1,"values":[%s]}`, strings.Join(list, ","))
		want := "SUCCESS"
		if i == 8 {
			want = "BUSY Together all pages would watch 217 values; the robot evaluates at most 200."
		}
		equal(t, fmt.Sprint("page ", i), p.results(), want)
	}
	tb.robot.hang.Lock()
	tb.pass(time.Second)
	eve.say(`{"type":"watch","id":3,"values":["2"]}`)
	tb.robot.hang.Unlock()
	if got := eve.results(); len(got) != 1 || !strings.HasPrefix(got[0], "BUSY") {
		t.Errorf("a robot that hangs: %q", got)
	}
	tb.pass(2 * time.Second)
	if of := tb.showWatched(1); !strings.Contains(" "+of+" ", " 1 ") || strings.Contains(" "+of+" ", " 2 ") {
		t.Errorf("then it evaluates %q", of)
	}
}
