package obstacle

import (
	"math"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

var epoch = time.Date(2026, 11, 20, 14, 33, 0, 0, time.UTC)

// faceAt is a cluster that is width m across, with its disc at a point.
func faceAt(n int, at robot.Point, width float64) cluster {
	return cluster{first: at, last: at.Add(robot.Point{Y: width}), count: 1, whole: n, track: -1, middle: at, radius: width / 2}
}

// TestATrackMovesFromOneSpeedAndUntilAnother tracks an obstacle that moves at several
// speeds in succession.
func TestATrackMovesFromOneSpeedAndUntilAnother(t *testing.T) {
	type leg struct {
		speed  float64 // m/s
		scans  int
		moving bool // after that
	}
	for _, c := range []struct {
		name string
		legs []leg
	}{
		{"who walks moves after a second", []leg{{1, 6, false}, {1, 6, true}}},
		{"who creeps does not", []leg{{0.25, 40, false}}},
		{"who walked and goes slowly still does", []leg{{1, 15, true}, {0.25, 30, true}}},
		{"until they nearly stand", []leg{{1, 15, true}, {0.1, 30, false}}},
		{"who then goes on slowly stands for the robot", []leg{{1, 15, true}, {0, 30, false}, {0.25, 30, false}}},
		{"and who then walks moves again", []leg{{1, 15, true}, {0, 30, false}, {1, 15, true}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var k tracker
			now, at := epoch, robot.Point{X: 2}
			for _, l := range c.legs {
				for range l.scans {
					now = now.Add(100 * time.Millisecond)
					at.Y += 0.1 * l.speed
					k.follow([]cluster{faceAt(0, at, 0.4)}, now, robot.Point{})
				}
				if len(k.tracks) != 1 || k.tracks[0].moving != l.moving {
					t.Fatalf("after %.2f m/s it moves: %+v, want %v", l.speed, k.tracks, l.moving)
				}
			}
		})
	}
}

func TestTheFilterKnowsHowSureItIs(t *testing.T) {
	var k tracker
	now, at := epoch, robot.Point{X: 2}
	for range 20 {
		now = now.Add(100 * time.Millisecond)
		at.X += 0.1
		k.follow([]cluster{faceAt(0, at, 0.4)}, now, robot.Point{})
	}
	f := k.tracks[0]
	if f.at.Sub(at).Norm() > 0.03 || f.v.Sub(robot.Point{X: 1}).Norm() > 0.1 || f.pp <= 0 || f.pp > centreSigma*centreSigma {
		t.Errorf("after two seconds the track is %+v, truth is at %v", f, at)
	}
	before := f.pp
	f.predict(now.Add(time.Second))
	if off := f.at.Sub(at.Add(robot.Point{X: 1})).Norm(); off > 0.1 || f.pp < 10*before {
		t.Errorf("a second later it is %.2f m off and %v m2 sure", off, f.pp)
	}
	same := f
	if f.predict(now); f.at != same.at || f.pp != same.pp {
		t.Error("a prediction into the past moves it")
	}
}

func TestHowExactlyAClusterIsKnown(t *testing.T) {
	sure := func(make func(*cluster)) float64 {
		var k tracker
		now := epoch
		for range 10 {
			now = now.Add(100 * time.Millisecond)
			c := faceAt(0, robot.Point{X: 2}, 0.4)
			make(&c)
			k.follow([]cluster{c}, now, robot.Point{})
		}
		return math.Sqrt(k.tracks[0].pp)
	}
	whole := sure(func(*cluster) {})
	legs := sure(func(c *cluster) { c.legs = true })
	leg := sure(func(c *cluster) { c.last = c.first.Add(robot.Point{Y: 0.1}) })
	partial := sure(func(c *cluster) { c.partial = true })
	if !(whole < legs && leg == legs && legs < partial) {
		t.Errorf("a whole object is known to %.3f m, two legs to %.3f m, one to %.3f m, a partly hidden object to %.3f m", whole, legs, leg, partial)
	}
}

func TestOnlyTheNearestThingsAreTracked(t *testing.T) {
	var k tracker
	now := epoch
	var clusters []cluster
	for range 3 {
		now = now.Add(100 * time.Millisecond)
		clusters = clusters[:0]
		for n := range 2 * limits.TrackCount {
			clusters = append(clusters, faceAt(n, robot.Point{X: 70 - float64(n)}, 0.4))
		}
		k.follow(clusters, now, robot.Point{})
	}
	if len(k.tracks) != limits.TrackCount {
		t.Fatalf("%d tracks", len(k.tracks))
	}
	for n, c := range clusters {
		if near := n >= limits.TrackCount; near != (c.track >= 0) {
			t.Errorf("what is %.0f m away has the track %d", c.middle.X, c.track)
		}
		if c.track >= 0 && k.tracks[c.track].at.Sub(c.middle).Norm() > 0.01 {
			t.Errorf("an object %.0f m away has the track of another one", c.middle.X)
		}
	}
}

func TestWhatIsFarFromWhereATrackShouldBeIsAnother(t *testing.T) {
	var k tracker
	for n, x := range []float64{2, 2.49, 3.1} {
		k.follow([]cluster{faceAt(0, robot.Point{X: x}, 0.4)}, epoch.Add(time.Duration(n)*time.Millisecond), robot.Point{})
	}
	if len(k.tracks) != 2 {
		t.Errorf("%d tracks, want 2", len(k.tracks))
	}
	k = tracker{}
	for _, x := range []float64{2, 2 + limits.TrackSame} {
		k.follow([]cluster{faceAt(0, robot.Point{X: x}, 0.4)}, epoch, robot.Point{})
	}
	if len(k.tracks) != 2 {
		t.Errorf("at the limit there are %d tracks, want 2", len(k.tracks))
	}
}

func TestANearerThingTakesTheTrackOfTheFarthest(t *testing.T) {
	var k tracker
	var clusters []cluster
	see := func(added ...cluster) { // after the old ones
		clusters = clusters[:0]
		for n := range limits.TrackCount {
			clusters = append(clusters, faceAt(n, robot.Point{X: 40 - float64(n)}, 0.4))
		}
		clusters = append(clusters, added...)
		k.follow(clusters, epoch, robot.Point{})
	}
	see()
	see(faceAt(limits.TrackCount, robot.Point{X: -40}, 0.4))
	if far := clusters[limits.TrackCount]; far.track != -1 || clusters[0].track != 0 {
		t.Errorf("what is just as far away as the farthest has the track %d, and that one %d", far.track, clusters[0].track)
	}
	see(faceAt(limits.TrackCount, robot.Point{X: 5}, 0.4))
	if near := clusters[limits.TrackCount]; near.track != 0 || clusters[0].track != -1 || k.tracks[0].at != near.middle {
		t.Errorf("the nearer one has the track %d, the farthest %d", near.track, clusters[0].track)
	}
}

func TestASpeedAtItsLimitIsFastEnough(t *testing.T) {
	since := epoch.Add(-limits.TrackMovesFor)
	for _, c := range []struct {
		name string
		t    track
	}{
		{"to move", track{v: robot.Point{X: limits.TrackMoves}, seen: epoch, fast: since}},
		{"to be significant", track{v: robot.Point{X: 1}, vv: 0.25, seen: epoch, fast: since}},
		{"not to stand", track{v: robot.Point{X: limits.TrackStands}, seen: epoch, moving: true}},
	} {
		if c.t.judge(); !c.t.moving {
			t.Errorf("%.2f m/s is not fast enough %s", c.t.v.X, c.name)
		}
	}
}

func TestAPairThatIsNearestToEachOtherIsTheSame(t *testing.T) {
	var k tracker
	k.follow([]cluster{faceAt(0, robot.Point{X: 2}, 0.4), faceAt(1, robot.Point{X: 2.4}, 0.4)}, epoch, robot.Point{})
	next := []cluster{faceAt(0, robot.Point{X: 2.3}, 0.4), faceAt(1, robot.Point{X: 1.9}, 0.4)}
	k.follow(next, epoch.Add(time.Millisecond), robot.Point{})
	if next[0].track != 1 || next[1].track != 0 || len(k.tracks) != 2 {
		t.Errorf("the tracks are %d and %d", next[0].track, next[1].track)
	}
}

func TestATrackIsForgottenUnseenAndWhenTheClockIsSetBack(t *testing.T) {
	for _, c := range []struct {
		later time.Duration
		want  int
	}{{800 * time.Millisecond, 1}, {801 * time.Millisecond, 0}, {-time.Millisecond, 0}} {
		var k tracker
		k.follow([]cluster{faceAt(0, robot.Point{X: 2}, 0.4)}, epoch, robot.Point{})
		if k.forget(epoch.Add(c.later)); len(k.tracks) != c.want {
			t.Errorf("after %v there are %d tracks, want %d", c.later, len(k.tracks), c.want)
		}
	}
}

func TestTheDiscOfAFace(t *testing.T) {
	c := cluster{first: robot.Point{X: 2, Y: -0.25}, last: robot.Point{X: 2, Y: 0.25}, whole: 0, track: -1}
	for y := -0.25; y <= 0.2501; y += 0.05 { // the face of a disc at (2, 0) with a radius of 0.25 m
		c.sum = c.sum.Add(robot.Point{X: 2 - math.Sqrt(math.Max(0, 0.0625-y*y)), Y: y})
		c.count++
	}
	if c.fitDisc(robot.Point{}); c.middle.Sub(robot.Point{X: 2}).Norm() > 0.03 || c.radius != 0.25 {
		t.Errorf("the disc is at %v with a radius of %.2f m", c.middle, c.radius)
	}
	at := c.middle
	c.fitDisc(robot.Point{X: at.X - 0.196, Y: at.Y}) // the lidar is almost inside it
	if !robot.Finite(c.middle.X, c.middle.Y) {
		t.Errorf("the disc is at %v", c.middle)
	}
}
