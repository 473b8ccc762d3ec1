package obstacle

import (
	"math"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/models"
)

// ping makes a sonar report a range once.
func (r *rig) ping(sonar int, far float64) {
	r.now = r.now.Add(100 * time.Millisecond)
	r.ranges[sonar] = far
	r.read(robot.Wheels{})
}

func TestAnEchoIsAnObstacleWhenTwoPingsAgree(t *testing.T) {
	for _, c := range []struct {
		name  string
		pings []float64
		want  bool
	}{
		{"one ping may be another sonar's", []float64{1}, false},
		{"two that agree tell where it is", []float64{1, 1.02}, true},
		{"they may differ by 0.2 m", []float64{0.2, 0.4}, true},
		{"two that do not agree tell nothing", []float64{1, 1.3}, false},
		{"an echo from far away says too little about where it is", []float64{1.6, 1.61}, false},
		{"a sonar that is out of order says nothing", []float64{math.NaN(), math.NaN()}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(models.MybotName)
			for _, far := range c.pings {
				r.ping(0, far)
			}
			far := c.pings[len(c.pings)-1]
			if got := len(r.layer.raster.points) > 0; got != c.want || c.want && !r.sees(0.26+far, 0) {
				t.Errorf("the layer has it: %v, want %v", got, c.want)
			}
			if c.want && (!r.sees(0.26+far*math.Cos(0.157), far*math.Sin(0.157)) || !r.sees(0.26+far*math.Cos(0.157), -far*math.Sin(0.157))) {
				t.Error("it may be anywhere on the arc")
			}
		})
	}
}

func TestARangeThatRepeatsIsANewPingFromSomeTimeOn(t *testing.T) {
	for _, c := range []struct {
		after time.Duration
		want  bool
	}{{repeats - time.Millisecond, false}, {repeats, true}} {
		r := newRig(models.MybotName)
		r.ping(0, 1)
		r.blind(c.after)
		if got := len(r.layer.raster.points) > 0; got != c.want {
			t.Errorf("after %v it is one: %v, want %v", c.after, got, c.want)
		}
	}
}

func TestWhatASonarHeardIsForgottenWhenItShouldBe(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(r *rig)
		want bool
	}{
		{"a sonar that repeats its range hears it still", func(r *rig) { r.blind(200 * time.Millisecond) }, true},
		{"one ping behind it may be wrong", func(r *rig) { r.ping(0, 2.01) }, true},
		{"three pings are right", func(r *rig) { r.ping(0, 2.01); r.ping(0, 2.02); r.ping(0, 2.03) }, false},
		{"without an echo it may stand there at a slant", func(r *rig) {
			for range 4 {
				r.ping(0, math.Inf(1))
				r.now = r.now.Add(100 * time.Millisecond)
			}
		}, true},
		{"for so long", func(r *rig) {
			for range 8 {
				r.ping(0, math.Inf(1))
				r.now = r.now.Add(100 * time.Millisecond)
			}
		}, false},
		{"another sonar does not look there", func(r *rig) { r.ping(6, 2.01); r.ping(6, 2.02); r.ping(6, 2.03) }, true},
		{"a broken sonar says nothing", func(r *rig) {
			for range 8 {
				r.ping(0, math.NaN())
				r.now = r.now.Add(200 * time.Millisecond)
			}
		}, true},
		{"unheard it is remembered for 20 s", func(r *rig) { r.ranges[0] = math.NaN(); r.blind(20100 * time.Millisecond) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(models.MybotName)
			r.ping(0, 1)
			r.ping(0, 1.01)
			c.do(r)
			if got := r.sees(1.27, 0); got != c.want {
				t.Errorf("the layer has it: %v, want %v", got, c.want)
			}
		})
	}
}

func TestFromNearerASonarKnowsBetterWhereSomethingIs(t *testing.T) {
	r := newRig(models.MybotName)
	r.ping(0, 1.4)
	r.ping(0, 1.41)
	edge := robot.Point{X: 0.26 + 1.41*math.Cos(0.157), Y: 1.41 * math.Sin(0.157)}
	if !r.sees(edge.X, edge.Y) {
		t.Fatal("the arc has no edge")
	}
	r.pose.X = 0.8
	r.now = r.now.Add(100 * time.Millisecond)
	r.read(robot.Wheels{Left: 0.8, Right: 0.8})
	r.ping(0, 0.61)
	r.ping(0, 0.605)
	if r.sees(edge.X, edge.Y) {
		t.Error("the edge of the wide arc is still there")
	}
	if !r.sees(0.8+0.26+0.605, 0) {
		t.Error("the near arc is missing")
	}
}

func TestAnEchoOfAWallOfTheMapIsNoObstacle(t *testing.T) {
	r := newRig(models.MybotName)
	r.walls = line(1.2)
	r.ping(3, 0.97) // to the left, from y 0.225
	r.ping(3, 0.98)
	if len(r.layer.raster.points) > 0 {
		t.Error("it is")
	}
}

func TestBesideALidarOnlyWhatItLooksThroughIsHeard(t *testing.T) {
	r := newRig(models.LidarSonarName, disc{at: robot.Point{X: 1.5}, radius: 0.25})
	r.scans(3, robot.Twist{})
	before := len(r.layer.raster.points)
	hear := func(sonar int, far float64) {
		r.ping(sonar, far)
		r.ping(sonar, far+0.005)
	}
	hear(0, 1.0) // the barrel, 1.25 - 0.26 m
	if got := len(r.layer.raster.points); got != before {
		t.Errorf("an object that the lidar sees is also marked by the sonar: %d points more", got-before)
	}
	hear(0, 0.5) // glass in front of it
	if !r.sees(0.765, 0) {
		t.Error("glass before something that is seen is no obstacle")
	}
	hear(6, 0.5) // glass behind the robot
	if !r.sees(-0.765, 0) {
		t.Error("glass is no obstacle")
	}
	for range 10 {
		r.scans(1, robot.Twist{})
	}
	if !r.sees(-0.765, 0) {
		t.Error("a lidar that looks through glass makes it go")
	}
}
