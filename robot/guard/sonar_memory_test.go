package guard

import (
	"math"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// echoAt is a sonar with an echo at p from far away.
func echoAt(p robot.Point, far float64) *sonarView {
	return &sonarView{echo: far, half: robot.Radians(10), points: [3]robot.Point{p, p, p}}
}

func newMemory() *sonarMemory { return &sonarMemory{latest: []int{-1, -1}} }

// alive counts the marks that have not been removed.
func (m *sonarMemory) alive() int {
	points, _ := m.appendNear(nil, nil, robot.Pose{})
	return len(points)
}

func TestAnEchoOfTheSameThingIsNoNewMark(t *testing.T) {
	at := robot.Point{X: 1}
	for _, c := range []struct {
		name  string
		next  *sonarView
		sonar int
		new   bool
	}{
		{"the same echo", echoAt(at, 1), 0, false},
		{"a little beside it", echoAt(robot.Point{X: 1, Y: 0.05}, 1), 0, false},
		{"beside it", echoAt(robot.Point{X: 1, Y: markSpacing}, 1), 0, true},
		{"from a little farther", echoAt(at, 1.02), 0, false},
		{"from farther", echoAt(at, 1.04), 0, true},
		{"from nearer", echoAt(at, 0.96), 0, true},
		{"of another sonar", echoAt(at, 1), 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMemory()
			m.keepEcho(0, robot.Pose{}, echoAt(at, 1), epoch)
			m.marks[0].doubts, m.marks[2].gone = 5, true
			later := epoch.Add(time.Second)
			m.keepEcho(c.sonar, robot.Pose{}, c.next, later)
			if got := m.count == 6; got != c.new {
				t.Fatalf("%d marks", m.count)
			}
			for i, k := range m.marks[m.count-3 : m.count] {
				if !k.seen.Equal(later) || k.doubts != 0 || k.gone {
					t.Errorf("mark %d is %+v", i, k)
				}
			}
		})
	}
	t.Run("half the distance counts for how far it is", func(t *testing.T) {
		m := newMemory()
		m.keepEcho(0, robot.Pose{}, echoAt(at, markSpacing/2), epoch)
		if m.keepEcho(0, robot.Pose{}, echoAt(at, 0), epoch); m.count != 6 {
			t.Errorf("%d marks", m.count)
		}
	})
	t.Run("a mark that went is no mark to go on with", func(t *testing.T) {
		m := newMemory()
		m.keepEcho(0, robot.Pose{}, echoAt(at, 1), epoch)
		m.marks[1].gone = true
		if m.keepEcho(0, robot.Pose{}, echoAt(at, 1), epoch); m.count != 6 {
			t.Errorf("%d marks", m.count)
		}
	})
}

func TestFromNearItIsKnownBetterWhereAThingIs(t *testing.T) {
	for _, c := range []struct {
		name  string
		far   float64 // of the previous mark
		at    float64 // m, offset of the next echo to its side
		sonar int
		gone  bool
	}{
		{"a thing that was heard from farther", 1.5, 0.1, 0, true},
		{"a thing that was heard from about as far", 1 + markSpacing/4, 0.1, 0, false},
		{"another thing", 1.5, 0.4, 0, false},
		{"what another sonar hears", 1.5, 0.1, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMemory()
			m.keepEcho(0, robot.Pose{}, echoAt(robot.Point{X: 1}, c.far), epoch)
			m.keepEcho(c.sonar, robot.Pose{}, echoAt(robot.Point{X: 1, Y: c.at}, 1), epoch)
			if got := m.marks[0].gone && m.marks[1].gone && m.marks[2].gone; got != c.gone {
				t.Errorf("the mark before is gone: %v", got)
			}
			if m.marks[3].gone || m.marks[4].gone || m.marks[5].gone {
				t.Error("the new mark is gone")
			}
		})
	}
	t.Run("as near and as far as it just may be", func(t *testing.T) {
		m := newMemory()
		m.marks[0] = mark{distance: markSpacing / 3, at: robot.Point{X: 0.01}}
		m.marks[1] = mark{distance: 1, at: robot.Point{X: markSpacing}}
		m.count = 2
		m.dropFartherOwn(0, &sonarView{echo: 0}, robot.Point{})
		if m.marks[0].gone || m.marks[1].gone {
			t.Errorf("%+v", m.marks[:2])
		}
	})
}

func TestASonarThatIsNearExplainsWhatAnotherHeardFromFar(t *testing.T) {
	// A post at (1, 0.5), heard from 1.12 m on an arc that reaches into the path.
	post, far := robot.Point{X: 1, Y: 0.5}, math.Hypot(1, 0.5)
	arc := func() *sonarView {
		e := &sonarView{echo: far, half: robot.Radians(12.5)}
		for k, f := range ends {
			sin, cos := math.Sincos(math.Atan2(0.5, 1) - 0.9*e.half + f*e.half)
			e.points[k] = robot.Point{X: far * cos, Y: far * sin}
		}
		return e
	}
	for _, c := range []struct {
		name  string
		sonar int
		echo  float64
		at    robot.Point
		gone  bool
	}{
		{"another sonar hears the post from near", 1, 0.5, post, true},
		{"another sonar hears it from not much nearer", 1, far / finer * 1.01, post, false},
		{"another sonar hears something else from near", 1, 0.5, robot.Point{X: 1, Y: 0.7}, false},
		{"another sonar hears something before the arc", 1, 0.5, robot.Point{X: 0.9, Y: 0.1}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMemory()
			m.keepEcho(0, robot.Pose{}, arc(), epoch)
			m.keepEcho(c.sonar, robot.Pose{X: 0.01}, echoAt(c.at, c.echo), epoch)
			for n, k := range m.marks[:6] {
				if k.gone != (c.gone && n < 3) {
					t.Errorf("mark %d at %.2v is gone: %v", n, k.at, k.gone)
				}
			}
		})
	}
	t.Run("every echo that the new one explains, and no other", func(t *testing.T) {
		m := newMemory()
		other := arc()
		for k := range other.points {
			other.points[k].Y += 1.5
		}
		m.keepEcho(0, robot.Pose{}, other, epoch)
		m.keepEcho(0, robot.Pose{}, arc(), epoch)
		m.keepEcho(1, robot.Pose{}, echoAt(post, 0.5), epoch)
		if m.alive() != 3+3 {
			t.Errorf("%d marks are left of 9: %+v", m.alive(), m.marks[:9])
		}
	})
}

func TestTheOldestMarksMakeRoom(t *testing.T) {
	m := newMemory()
	sonars := []sonarView{{lost: 1}}
	body := box(-100, -99, 1)
	places := len(m.marks) / 3
	for i := range places {
		m.keepEcho(i%2, robot.Pose{}, echoAt(robot.Point{X: 1 + 0.001*float64(i%2), Y: float64(i) / 1000 * 70}, 1), epoch)
		if m.count != 3*(i+1) {
			t.Fatalf("after %d echoes there are %d marks", i+1, m.count)
		}
	}
	if m.next != 0 || m.latest[0] != 3*places-5 || m.latest[1] != 3*places-2 {
		t.Errorf("next %d, latest %v", m.next, m.latest)
	}
	for range 2 * share {
		m.doubtMarks(robot.Pose{}, &body, sonars, epoch)
	}
	// A sonar that has heard nothing else for that time has no latest mark.
	m.latest[1] = 1
	m.keepEcho(0, robot.Pose{}, echoAt(robot.Point{X: -1}, 1), epoch)
	if m.count != len(m.marks) || m.next != 3 || m.latest[0] != 1 || m.latest[1] != -1 || m.marks[0].at.X != -1 {
		t.Errorf("%d marks, next %d, latest %v, %+v", m.count, m.next, m.latest, m.marks[0])
	}
}

func TestMarksAreSeenFromWhereTheRobotIs(t *testing.T) {
	m := newMemory()
	for i, x := range []float64{1, limits.GuardRange, 2.9, -2.9} {
		m.marks[i].at.X = x
	}
	m.marks[3].gone = true
	m.count = 4
	got, _ := m.appendNear(nil, nil, robot.Pose{})
	if len(got) != 2 || got[0].X != 1 || got[1].X != 2.9 {
		t.Errorf("around the start: %v", got)
	}
	got, _ = m.appendNear(nil, nil, robot.Pose{X: 1, Y: 1, Theta: math.Pi / 2})
	if want := (robot.Point{X: -1, Y: 0}); len(got) != 3 || got[0].Sub(want).Norm() > 1e-12 {
		t.Errorf("from elsewhere, turned: %v, want %v first", got, want)
	}
}

// doubted tests a mark with the sonars n times, and reports whether it remains.
func doubted(k mark, body Footprint, now time.Time, n int, sonars ...sonarView) bool {
	m := newMemory()
	m.marks[0], m.count = k, 1
	for range n * share {
		m.doubtMarks(robot.Pose{}, &body, sonars, now)
	}
	return m.alive() == 1
}

func TestAMarkGoes(t *testing.T) {
	away := box(-100, -99, 1)
	inf := math.Inf(1)
	at := robot.Point{X: 1}
	silent := sonarView{facing: robot.Point{X: 1}, half: 0.2, heard: inf, before: inf, echo: inf}
	through := silent
	through.heard, through.before, through.echo = 2, 2, 2
	deaf := silent
	deaf.lost = 1
	for _, c := range []struct {
		name   string
		k      mark
		body   Footprint
		age    time.Duration
		looks  int
		sonars []sonarView
		stays  bool
	}{
		{"not while nobody looks", mark{at: at}, away, 0, 100, nil, true},
		{"not within a minute", mark{at: at}, away, limits.EchoLife, 1, nil, true},
		{"after a minute", mark{at: at}, away, limits.EchoLife + 1, 1, nil, false},
		{"when the clock of the base jumps back", mark{at: at}, away, -1, 1, nil, false},
		{"when the robot stands there", mark{at: robot.Point{X: -0.03}}, box(-9, 0, 4), 0, 1, nil, false},
		{"not when the robot only touches it", mark{at: robot.Point{X: -inside}}, box(-9, 0, 4), 0, 1, nil, true},
		{"not when nothing was heard eight times", mark{at: at}, away, 0, 8, []sonarView{silent}, true},
		{"when nothing was heard nine times", mark{at: at}, away, 0, 9, []sonarView{silent}, false},
		{"not when something behind it was heard twice", mark{at: at}, away, 0, 2, []sonarView{through}, true},
		{"when something behind it was heard three times", mark{at: at}, away, 0, 3, []sonarView{through}, false},
		{"by the sonar that doubts it most", mark{at: at}, away, 0, 3, []sonarView{deaf, through, silent}, false},
		{"not by a sonar that is out of order", mark{at: at}, away, 0, 100, []sonarView{deaf}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.k.seen = epoch
			if got := doubted(c.k, c.body, epoch.Add(c.age), c.looks, c.sonars...); got != c.stays {
				t.Errorf("it stays: %v", got)
			}
		})
	}
	t.Run("and one that went stays away", func(t *testing.T) {
		if doubted(mark{at: at, seen: epoch, gone: true}, away, epoch, 1) {
			t.Error("it is back")
		}
	})
}

func TestASonarDoubtsWhatItLooksThrough(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name                string
		p                   robot.Point
		heard, before, echo float64
		want                int
	}{
		{"it hears something behind it", robot.Point{X: 1}, 2, 2, 2, behindIt},
		{"just behind it", robot.Point{X: 1}, 1.2, 1.2, 1.2, behindIt},
		{"something that may be it", robot.Point{X: 1}, 1.19, 1.19, 1.19, 0},
		{"nothing", robot.Point{X: 1}, inf, inf, inf, nothing},
		{"nothing now, but it may be it that it heard before", robot.Point{X: 1}, inf, 1, inf, 0},
		{"one ping of it", robot.Point{X: 1}, 1, inf, inf, 0},
		{"what the two pings tell may be it", robot.Point{X: 1}, inf, inf, 1, 0},
		{"something behind it, once", robot.Point{X: 1}, 3, inf, inf, behindIt},
		{"nothing, and it lies at the edge of the beam", robot.Point{X: 1, Y: 1.1}, inf, inf, inf, nothing},
		{"nothing, and it lies at the other edge", robot.Point{X: 1, Y: -1.1}, inf, inf, inf, nothing},
		{"nothing, and it lies out of the beam", robot.Point{X: 1, Y: 1.11}, inf, inf, inf, 0},
		{"nothing, and it lies out of the beam on the other side", robot.Point{X: 1, Y: -1.11}, inf, inf, inf, 0},
		{"nothing, and it lies behind the sonar", robot.Point{X: -1}, inf, inf, inf, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := sonarView{facing: robot.Point{X: 1}, half: 1, heard: c.heard, before: c.before, echo: c.echo}
			if got := e.doubtAbout(c.p); got != c.want {
				t.Errorf("%d doubts, want %d", got, c.want)
			}
			turned := sonarView{pose: robot.Pose{X: 5, Theta: math.Pi / 2}, facing: robot.Point{Y: 1}, half: 1, heard: c.heard, before: c.before, echo: c.echo}
			if got := turned.doubtAbout(robot.Point{X: 5 - c.p.Y, Y: c.p.X}); got != c.want {
				t.Errorf("turned to the left, %d doubts, want %d", got, c.want)
			}
		})
	}
}
