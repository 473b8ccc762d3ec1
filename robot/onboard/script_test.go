package onboard

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/script"
)

// scripted returns a robot on an open floor with a connection A whose motion is not held.
func scriptedPlant(t *testing.T, walls ...robot.Segment) *plant {
	t.Helper()
	p := newPlant(robot.Pose{}, walls...)
	p.core.usePlanner(&floor{})
	p.order(t, robot.OpenUnit{Unit: "A"})
	return p
}

// say gives commands of the connection A and returns the lines that come at once.
func (p *plant) say(t *testing.T, text string) string {
	t.Helper()
	p.core.ScriptLines()
	var r script.Reader
	p.order(t, robot.GiveCommands{Unit: "A", Commands: r.Read(text + "\n")})
	return p.lines()
}

// lines returns what the scripts have said since the last call.
func (p *plant) lines() string {
	var all []string
	for _, l := range p.core.ScriptLines() {
		all = append(all, l.Unit+" "+l.Text)
	}
	return strings.Join(all, "\n")
}

// rolled returns how far the axle has come, in m.
func (p *plant) rolled() float64 {
	return p.motion.Axle.Point().Sub(p.desc.Drivetrain.Axle(robot.Pose{}).Point()).Norm()
}

func TestAScriptMovesWheelsAndHeadAsItSays(t *testing.T) {
	for text, c := range map[string]struct {
		want robot.Pose // of the axle, from its start
		head robot.HeadAngles
		most time.Duration
	}{
		"forward(1) | echo \"done\";":                                                {want: robot.Pose{X: 1}, most: 9 * time.Second},
		"forward(-50cm) | echo \"done\";":                                            {want: robot.Pose{X: -0.5}, most: 9 * time.Second},
		"turn(90deg) | echo \"done\";":                                               {want: robot.Pose{Theta: math.Pi / 2}, most: 9 * time.Second},
		"turn(-20) | echo \"done\";":                                                 {want: robot.Pose{Theta: -math.Pi / 9}, most: 9 * time.Second},
		"drive.val = drive.val + 0.5 speed:0.2 | echo \"done\";":                     {want: robot.Pose{X: 0.5}, most: 5 * time.Second},
		"drive.val = drive.val + 2 time:5000 | echo \"done\";":                       {want: robot.Pose{X: 2}, most: 7 * time.Second},
		"turn.val = turn.val + 30 smooth:2s | echo \"done\";":                        {want: robot.Pose{Theta: math.Pi / 6}, most: 4 * time.Second},
		"look(30, 10) | echo \"done\";":                                              {head: robot.HeadAngles{Pan: math.Pi / 6, Tilt: math.Pi / 18}, most: 2 * time.Second},
		"headPan.val = -20 time:1000 | echo \"done\";":                               {head: robot.HeadAngles{Pan: -math.Pi / 9}, most: 2 * time.Second},
		"{ forward(0.5) & headPan.val = 20 time:500 } | echo \"done\";":              {want: robot.Pose{X: 0.5}, head: robot.HeadAngles{Pan: math.Pi / 9}, most: 9 * time.Second},
		"{ forward(0.5) & turn(180) } | turn(-180) | echo \"done\";":                 {want: robot.Pose{X: math.NaN()}, most: 30 * time.Second},
		"wheelL.val = wheelL.val + 180 time:3s | echo \"done\";":                     {want: robot.Pose{X: math.NaN()}, most: 5 * time.Second},
		"wheelR.val = wheelR.val - 90 speed:60 | echo \"done\";":                     {want: robot.Pose{X: math.NaN()}, most: 5 * time.Second},
		"group wheels {wheelL, wheelR}; wheels.val = 360 time:5000 | echo \"done\";": {want: robot.Pose{X: 2 * math.Pi * mybot().Encoder.WheelRadius}, most: 7 * time.Second},
	} {
		p := scriptedPlant(t)
		start := p.motion.Axle
		lines := p.say(t, text)
		for end := p.now.Add(c.most); lines == "" && p.now.Before(end); {
			p.tick()
			lines = p.lines()
		}
		p.wait(time.Second)
		got := start.Inverse().Compose(p.motion.Axle)
		off, turned := got.Point().Sub(c.want.Point()).Norm(), robot.Degrees(math.Abs(robot.WrapAngle(got.Theta-c.want.Theta)))
		looks := math.Hypot(p.head.Pan-c.head.Pan, p.head.Tilt-c.head.Tilt)
		if lines != "A \"done\"" || off > 0.03 || turned > 2.5 && !math.IsNaN(c.want.X) || looks > robot.Radians(2) || !p.told.IsZero() {
			t.Errorf("%s\nsays %q after %v; the robot is %.3f m and %.1f deg beside, its head %.3f rad; told %v", text, lines, p.now.Sub(epoch), off, turned, looks, p.told)
		}
	}
}

func TestTheHeadTurnsAtMostWithItsSpeed(t *testing.T) {
	p := scriptedPlant(t)
	p.say(t, "headPan.val = 60,")
	for before := p.head.Pan; p.head.Pan < robot.Radians(59); before = p.head.Pan {
		p.tick()
		if by := p.head.Pan - before; by > p.desc.Head.Speed*0.02+1e-9 {
			t.Fatalf("the head turns by %.3f rad in a tick", by)
		}
		if p.now.Sub(epoch) > 5*time.Second {
			t.Fatalf("the head is at %.2f rad", p.head.Pan)
		}
	}
}

func TestALentHeadIsTheBorrowers(t *testing.T) {
	p := scriptedPlant(t)
	p.order(t, robot.Lend{Head: true})
	if got := p.say(t, "headPan.val = 30; drive.val = drive.val + 0.2 speed:0.2;"); got != "A !!! line 1, column 1: The head is lent." {
		t.Errorf("it says %q", got)
	}
	p.wait(3 * time.Second)
	if p.head.Pan != 0 || p.rolled() < 0.15 {
		t.Errorf("the head is at %v, the robot has come %.2f m", p.head, p.rolled())
	}
	// A loan that begins while a script turns the head has it at once.
	p.order(t, robot.Lend{})
	p.say(t, "headPan.val = 0 sin:2s ampli:40,")
	p.wait(time.Second)
	p.order(t, robot.Lend{Head: true})
	before := p.head
	if p.wait(time.Second); p.head != before {
		t.Errorf("a lent head moves from %v to %v", before, p.head)
	}
}

func TestARobotThatWasHeldUpDoesNotHurryAfterwards(t *testing.T) {
	p := scriptedPlant(t, wall(1.2, -2, 1.2, 2))
	p.say(t, "drive.val = inf speed:0.15,")
	p.wait(30 * time.Second) // the guard stops it
	if !p.measuredStill() {
		t.Fatalf("the robot drives at %v in front of a wall", p.told)
	}
	p.walls = nil
	for range 400 {
		p.tick()
		if v := p.told.Linear; v > 0.35 {
			t.Fatalf("after it was held up the robot drives at %.2f m/s instead of 0.15", v)
		}
	}
	if v := p.told.Linear; math.Abs(v-0.15) > 0.02 {
		t.Errorf("in the end it drives at %.2f m/s", v)
	}
	// What has an end does not arrive, and says so.
	p = scriptedPlant(t, wall(1.2, -2, 1.2, 2))
	p.say(t, "forward(2);")
	if p.wait(30 * time.Second); !strings.Contains(p.lines(), "A !!! line 1, column 1: drive.val did not follow") {
		t.Error("a robot that does not arrive says nothing")
	}
}

func (p *plant) measuredStill() bool { return p.core.measured.IsStill() }

func TestARobotThatLacksAPartSaysSoAndRunsTheRest(t *testing.T) {
	bare := mybot()
	bare.Head, bare.Sonars = nil, nil
	p := newPlantOf(bare, robot.Pose{})
	p.order(t, robot.OpenUnit{Unit: "A"})
	if got := p.say(t, "headPan.val = 3; forward(0.2),"); !strings.Contains(got, "headPan is not known") {
		t.Errorf("it says %q", got)
	}
	if p.wait(3 * time.Second); p.rolled() < 0.15 {
		t.Error("a robot without sonars is moved by no script; it should, slowly")
	}
}

func TestWhatTheRobotMeasuresCanBeRead(t *testing.T) {
	p := scriptedPlant(t, wall(1, -2, 1, 2))
	p.order(t, robot.NoteUsers{Control: "Ana", Count: 2})
	p.wait(time.Second)
	got := p.say(t, "battery.val; battery.volts; ok.val; pose.x; pose.trust; control.val; people.val; stop.val; clock.minute; speed.linear; goal.phase; front.val < 0.8; back.val;")
	want := "78.000000 12.400000 0.000000 0.000000 \"OK\" \"Ana\" 2.000000 0.000000 33.000000 0.000000 \"\" 1.000000 inf"
	if got = strings.ReplaceAll(strings.ReplaceAll(got, "A ", ""), "\n", " "); got != want {
		t.Errorf("it says\n%s, want\n%s", got, want)
	}
}

func TestATickWithScriptsThatWaitAllocatesNothing(t *testing.T) {
	p := scriptedPlant(t)
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "r%d: at (near.val < 0.%02d ~ 300ms) echo %d,", i, i, i)
	}
	p.say(t, text.String())
	one, _ := script.ParseWatched("near.val")
	p.order(t, robot.WatchValues{Values: []*script.Watched{one}})
	p.wait(time.Second)
	p.order(t, robot.WatchValues{}) // who watched has left
	bare := newPlant(robot.Pose{})
	bare.wait(time.Second)
	count := func(p *plant) float64 {
		r := p.reading()
		return testing.AllocsPerRun(200, func() {
			r.Time = r.Time.Add(20 * time.Millisecond)
			p.core.Tick(r)
		})
	}
	if with, without := count(p), count(bare); with > without {
		t.Errorf("a tick with 100 rules allocates %v times, without scripts %v times", with, without)
	}
}

func TestWatchedValuesComeFiveTimesASecondWhileAnybodyWatches(t *testing.T) {
	p := newPlant(robot.Pose{})
	watch := func(texts ...string) {
		t.Helper()
		var all []*script.Watched
		for _, text := range texts {
			one, f := script.ParseWatched(text)
			if f != nil {
				t.Fatal(f)
			}
			all = append(all, one)
		}
		p.order(t, robot.WatchValues{Values: all})
	}
	watch()
	if p.tick(); p.state.Scripts != nil || p.state.Watched != nil {
		t.Error("nobody watches, and the machine of the scripts was created")
	}
	watch("battery.val", "nix.val")
	seen := map[*robot.WatchedValues]bool{}
	for range 100 { // 2 s
		p.tick()
		seen[p.state.Watched] = true
	}
	v := p.state.Watched
	if len(seen) != 10 || len(v.Values) != 2 || v.Values[0] != (script.Look{Number: 78, IsNumber: true, Text: "78.000000", Unit: "%"}) || v.Values[1].Fault != "nix.val is not known now" {
		t.Errorf("in 2 s %d times %+v", len(seen), v)
	}
	watch()
	if p.tick(); p.state.Watched != nil {
		t.Error("nobody watches any more, and values are evaluated")
	}
}

func TestAGoalOfAScriptIsAsFarAsItIsBeforeItsPathIsPlanned(t *testing.T) {
	p := scriptedPlant(t)
	p.core.usePlanner(&floor{slow: 7})
	p.say(t, "goto(3, 0),")
	for range 20 {
		p.tick()
		if g := p.state.Goal; g == nil || g.Left < 2.5 {
			t.Fatalf("it is to drive 3 m: %+v", g)
		}
	}
}

// A script whose waits begin all the time does not change the list at every tick.
func TestTheListOfScriptsSaysHowLongTagsWaitAtMostFiveTimesASecond(t *testing.T) {
	p := scriptedPlant(t)
	p.say(t, "a: wait(1min), b: loop { wait(1500ms) & wait(30ms) }, c: loop { c1: wait(30ms) }, g: goto(3, 0),")
	p.tick()
	lists := map[*robot.ScriptState]bool{}
	for range 150 { // 3 s
		p.tick()
		lists[p.state.Scripts] = true
	}
	if len(lists) > 16 {
		t.Errorf("in 3 s there are %d lists", len(lists))
	}
	tags := map[string]robot.ScriptTag{}
	for _, tag := range p.state.Scripts.Units[0].Tags {
		tags[tag.Name] = tag
	}
	began := epoch // the first reading
	if left := tags["a"].Until.Sub(began); left < time.Minute || left > time.Minute+100*time.Millisecond {
		t.Errorf("a waits until %v after the start", left)
	}
	if !tags["c"].Until.IsZero() {
		t.Errorf("c, which waits for 30 ms, is listed with %v", tags["c"].Until)
	}
	if g := tags["g"]; !g.OnWay || tags["a"].OnWay {
		t.Errorf("who goes somewhere: %+v", tags)
	}
	p.say(t, "wait(10s); 1; 2;")
	p.wait(300 * time.Millisecond)
	if u := p.state.Scripts.Units[0]; u.Waits != 2 || p.now.Sub(u.WaitsSince) < 250*time.Millisecond || p.now.Sub(u.WaitsSince) > 350*time.Millisecond {
		t.Errorf("two commands wait, and it lists %+v", u)
	}
}

// While the base is silent the reference of a motion moves on; the robot does not hurry after
// it when the readings are back.
func TestARobotDoesNotHurryAfterItsBaseWasSilent(t *testing.T) {
	p := scriptedPlant(t)
	p.say(t, "drive.val = inf speed:0.15,")
	p.wait(4 * time.Second)
	for range 100 {
		p.now = p.now.Add(20 * time.Millisecond)
		p.core.Do(p.now, robot.StepUnits{})
	}
	for range 300 {
		p.tick()
		if v := p.told.Linear; v > 0.2 {
			t.Fatalf("after 2 s of silence the robot drives at %.2f m/s instead of 0.15", v)
		}
	}
	if v := p.told.Linear; math.Abs(v-0.15) > 0.02 {
		t.Errorf("in the end it drives at %.2f m/s", v)
	}
}

func TestTheFirstScriptSeesWhatIsMeasuredWhenItStarts(t *testing.T) {
	p := newPlant(robot.Pose{X: 3})
	p.order(t, robot.OpenUnit{Unit: "A"})
	if said := p.say(t, "pose.trust; pose.x;"); said != "A \"OK\"\nA 3.000000" {
		t.Errorf("before the next reading it says %q", said)
	}
}
