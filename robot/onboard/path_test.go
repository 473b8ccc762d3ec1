package onboard

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/robot"
	"mybot/robot/playout"
)

// A stretch of driving by hand is a wish that is held for a while.
type stretch struct {
	want  robot.Twist
	stall time.Duration // for which the network is silent from its beginning on
	lasts time.Duration
}

// handDrive is a drive by hand among posts, over a network that stalls.
type handDrive struct {
	posts     []post
	delay     time.Duration
	stretches []stretch
}

// fault drives by hand and says what went wrong; "" = nothing. The robot must touch
// nothing. Where it can drive, it stays on the virtual robot's path, or as far beside it
// as it reports, or holds. After the driver has let go and the path is played out, at a
// third of the speed where the robot passes an obstacle, the wheels stand.
func (d handDrive) fault() string {
	p := newPlant(robot.Pose{})
	p.posts = d.posts
	p.page = newPage(p.desc, robot.Pose{}, p.now)
	p.page.delay = d.delay
	var worst float64
	follow := func(d time.Duration) {
		for range int(d / (20 * time.Millisecond)) {
			p.tick()
			if p.state.Play.Policy == string(playout.Track) {
				worst = max(worst, p.page.off(p.motion.Axle.Point())-math.Abs(p.state.Play.Detour))
			}
		}
	}
	for _, s := range d.stretches {
		p.page.want = s.want
		if s.stall > 0 {
			p.page.stalled = p.now.Add(s.stall)
		}
		follow(s.lasts)
	}
	p.page.want = robot.Twist{}
	follow(200 * time.Millisecond) // three neutral samples
	if p.now.Before(p.page.stalled) {
		follow(p.page.stalled.Sub(p.now))
	}
	follow(p.page.delay + 40*time.Millisecond) // the last one is here
	lead := time.Duration(p.state.Play.Lead * 1e9)
	follow(3*lead + 4*time.Second) // the guard may slow it down until it holds
	for range 50 {
		if p.tick(); !p.told.IsZero() || p.state.Mode == robot.ModeManual {
			return fmt.Sprintf("%.2f s after the last neutral sample it is told %v: %+v", 3*lead.Seconds()+4, p.told, p.state.Play)
		}
	}
	end := p.page.motion.Axle.Point().Sub(p.motion.Axle.Point()).Norm()
	switch {
	case p.closest <= 0:
		return "it touched something"
	case worst > 0.06:
		return fmt.Sprintf("%.3f m off the path", worst)
	case p.state.Held == nil && end > 0.03 && len(p.posts) == 0:
		return fmt.Sprintf("%.3f m from where the virtual robot ended", end)
	}
	return ""
}

// A hand drives about at random.
func TestAPathEndsWhereTheDriverLetGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d handDrive
		for range rapid.IntRange(0, 2).Draw(t, "posts") {
			at := robot.Point{X: rapid.Float64Range(0.9, 4).Draw(t, "x"), Y: rapid.Float64Range(-2, 2).Draw(t, "y")}
			d.posts = append(d.posts, post{at, rapid.Float64Range(0.05, 0.3).Draw(t, "radius")})
		}
		d.delay = time.Duration(rapid.IntRange(0, 1000).Draw(t, "delay")) * time.Millisecond
		for range rapid.IntRange(1, 3).Draw(t, "stretches") {
			s := stretch{want: robot.Twist{
				Linear:  rapid.Float64Range(-0.45, 0.45).Draw(t, "v"),
				Angular: rapid.Float64Range(-0.7, 0.7).Draw(t, "w"),
			}}
			if rapid.IntRange(0, 3).Draw(t, "stalls") == 0 {
				s.stall = time.Duration(rapid.IntRange(100, 3000).Draw(t, "stall")) * time.Millisecond
			}
			s.lasts = time.Duration(rapid.IntRange(100, 2000).Draw(t, "lasts")) * time.Millisecond
			d.stretches = append(d.stretches, s)
		}
		if wrong := d.fault(); wrong != "" {
			t.Fatal(wrong)
		}
	})
}

func TestAPathEndsAlsoWhereTheGuardOnlyLetsTheRobotCreep(t *testing.T) {
	for name, d := range map[string]handDrive{
		"between two posts": { // -rapid.seed=9323759661142643133
			posts: []post{{robot.Point{X: 1, Y: 1}, 0.3}, {robot.Point{X: 0.953125, Y: 0.001953125}, 0.25732421875}},
			stretches: []stretch{
				{robot.Twist{Linear: 0.015625, Angular: 0.001953125}, 0, 100 * time.Millisecond},
				{robot.Twist{Linear: 0.0009765625, Angular: 0.001953125}, 0, 100 * time.Millisecond},
				{robot.Twist{Linear: 0.3779296875, Angular: 0.4140625}, 0, 1740 * time.Millisecond},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if wrong := d.fault(); wrong != "" {
				t.Fatal(wrong)
			}
		})
	}
}

// Whatever ends a path that is driven by hand, the commanded speed falls from the next
// reading on, and the stream is held.
func TestWhateverEndsAPathEndsItAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		end func(*plant)
		ok  bool // there is no more to it: the stream need not be held
	}{
		"STOP":                     {func(p *plant) { p.core.Do(p.now, robot.Stop{By: "Jin"}) }, false},
		"control is lost":          {func(p *plant) { p.core.Do(p.now, robot.Halt{Reason: "Ana left."}) }, false},
		"it is driven otherwise":   {func(p *plant) { p.core.Do(p.now, robot.Drive{}) }, false},
		"the loop was held up":     {func(p *plant) { p.core.loopStalled(time.Second) }, false},
		"a newer stream begins":    {func(p *plant) { p.core.Do(p.now, robot.Follow{Lease: 1, Hold: 2, Seq: 1}) }, true},
		"a newer lease begins":     {func(p *plant) { p.core.Do(p.now, robot.Follow{Lease: 2, Hold: 1, Seq: 1}) }, true},
		"its position jumps":       {func(p *plant) { p.core.loc.SetPose(robot.Pose{X: 3}) }, false},
		"a reading makes no sense": {func(p *plant) { p.travel.Left = math.NaN() }, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlant(robot.Pose{})
			p.page = newPage(p.desc, robot.Pose{}, p.now)
			p.page.delay = 300 * time.Millisecond
			p.page.want = robot.Twist{Linear: 0.4}
			p.wait(3 * time.Second)
			if p.told.Linear < 0.39 || p.state.Mode != robot.ModeManual || p.state.Play.Policy != "track" || p.state.Held != nil {
				t.Fatalf("%v, %+v", p.told, p.state)
			}
			c.end(p)
			last := p.told.Linear
			for i := range 100 {
				p.tick()
				if last = math.Min(last, 1); p.told.Linear > 0 && p.told.Linear > last-0.005 {
					t.Fatalf("%d readings later it is told %v after %v", i, p.told, last)
				}
				last = p.told.Linear
			}
			if !p.told.IsZero() {
				t.Errorf("told %v", p.told)
			}
			if h := p.state.Held; (h == nil) != c.ok || h != nil && (h.Lease != 1 || h.Hold != 1 || h.Reason == "") {
				t.Errorf("held %+v", h)
			}
		})
	}
}

func TestASampleOfAPathIsRefusedLikeAnyOrder(t *testing.T) {
	sample := robot.Follow{Lease: 1, Hold: 1, Seq: 1}
	for name, c := range map[string]struct {
		before func(*plant)
		change func(*robot.Follow)
		want   robot.Word
	}{
		"taken":              {func(*plant) {}, func(*robot.Follow) {}, robot.Success},
		"stopped":            {func(p *plant) { p.core.Do(p.now, robot.Stop{}) }, func(*robot.Follow) {}, robot.Panic},
		"no reading":         {func(p *plant) { p.now = p.now.Add(time.Second) }, func(*robot.Follow) {}, robot.Error},
		"not neutral":        {func(*plant) {}, func(f *robot.Follow) { f.Want.Linear = 0.1 }, robot.Error},
		"not a number":       {func(*plant) {}, func(f *robot.Follow) { f.Pose.X = math.NaN() }, robot.Error},
		"of an older stream": {func(p *plant) { p.core.Do(p.now, robot.Follow{Lease: 1, Hold: 2, Seq: 1}) }, func(*robot.Follow) {}, robot.Interrupted},
	} {
		p := newPlant(robot.Pose{})
		c.before(p)
		f := sample
		c.change(&f)
		if r := p.core.Do(p.now, f); r.Word != c.want {
			t.Errorf("%s: %v", name, r)
		}
	}
	core := NewCore(mybot(), &believed{}, nil)
	if r := core.Do(epoch, sample); r.Word != robot.Busy {
		t.Errorf("before the first reading: %v", r)
	}
}

// A hand ends a motion that is played, and drives on its own path from then on.
func TestADriverTakesOverFromAMotion(t *testing.T) {
	for name, c := range map[string]struct {
		lease, hold uint64
		word        robot.Word
		motion      uint64
	}{
		"a newer hand":    {2, 4, robot.Success, 0},
		"a newer lease":   {3, 1, robot.Success, 0},
		"the same stream": {2, 3, robot.Interrupted, 0},
		"an older hand":   {2, 2, robot.Interrupted, 1},
		"an older lease":  {1, 9, robot.Interrupted, 1},
	} {
		p := newPlant(robot.Pose{})
		m := recorded(p.desc, robot.Pose{}, leg{robot.Twist{Linear: 0.4}, 8})
		if r := p.core.Do(p.now, robot.Replay{Lease: 2, Hold: 3, Number: 1, Points: m.Points}); r.Word != robot.Success {
			t.Fatal(r)
		}
		p.wait(1500 * time.Millisecond)
		if p.state.Play.Motion != 1 || p.told.Linear < 0.3 {
			t.Fatalf("%s: %+v", name, p.state.Play)
		}
		r := p.core.Do(p.now, robot.Follow{Lease: c.lease, Hold: c.hold, Seq: 1, Pose: p.centre()})
		p.wait(40 * time.Millisecond)
		if r.Word != c.word || p.core.teleop.motion != c.motion {
			t.Errorf("%s: %v, it plays %d", name, r, p.core.teleop.motion)
		}
		if c.word == robot.Success {
			r := p.core.Do(p.now, robot.Follow{Lease: c.lease, Hold: c.hold, Seq: 2, T: 0.05, Want: robot.Twist{Linear: 0.1}, Pose: p.centre()})
			if p.wait(400 * time.Millisecond); r.Word != robot.Success || p.state.Play.Policy != "track" {
				t.Errorf("%s: the hand's next sample: %v, %+v", name, r, p.state.Play)
			}
		}
	}
}
