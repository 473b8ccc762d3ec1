package onboard

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"mybot/robot"
)

// rounding is a robot between two walls, 2.4 m apart, whose hand drives
// straight on through what stands there.
func rounding(speed float64, posts ...post) *plant {
	p := newPlant(robot.Pose{}, wall(-3, 1.2, 14, 1.2), wall(-3, -1.2, 14, -1.2))
	p.incidence, p.noise = 0.4, 0.01
	p.core.usePlanner(twoWalls{})
	p.posts = posts
	p.page = newPage(p.desc, robot.Pose{}, p.now)
	p.page.delay = 150 * time.Millisecond
	p.page.want = robot.Twist{Linear: speed}
	return p
}

// twoWalls is a planner who knows of the walls of rounding.
type twoWalls struct{ ahead }

func (twoWalls) Clearance(at robot.Point) float64 { return 1.2 - math.Abs(at.Y) }

// tracks reports whether the obstacle tracker knows of something within 5 m.
func (p *plant) tracks() bool { return p.core.teleop.tracker.Risk([]robot.Pose{{}}, 5) > 0 }

// goOn drives by hand until the virtual robot is at x, then lets go and waits until the
// robot stands.
func (p *plant) goOn(x float64) {
	for p.page.motion.Axle.X < x {
		p.tick()
	}
	p.page.want = robot.Twist{}
	for still := 0; still < 100; still++ {
		if p.tick(); math.Abs(p.motion.Twist.Linear) > 0.01 {
			still = 0
		}
	}
}

func TestAPostOnThePathIsGoneRoundAndTold(t *testing.T) {
	computesLong(t)
	passed, all := 0, 0
	speeds := []float64{0.25, 0.45}
	if testing.Short() {
		speeds = speeds[1:]
	}
	for _, speed := range speeds {
		for _, beside := range []float64{-0.4, -0.15, 0.05, 0.2, 0.3} {
			const radius = 0.2
			p := rounding(speed, post{robot.Point{X: 2.5, Y: beside}, radius})
			most, said := 0.0, false
			for p.page.motion.Axle.X < 5 {
				p.tick()
				most = math.Max(most, math.Abs(p.state.Play.Detour))
				said = said || strings.HasPrefix(p.state.Drive.Result.Reason, "Avoiding something, ")
			}
			p.goOn(5)
			all++
			switch {
			case p.closest <= 0.03 || most > 0.601:
				t.Errorf("%.2f m/s, a post %+.2f m beside: %.3f m from it, %.2f m beside the path", speed, beside, p.closest, most)
			case p.state.Held == nil && p.page.motion.Axle.Point().Sub(p.motion.Axle.Point()).Norm() < 0.05:
				passed++
				if path := 0.225 + radius - math.Abs(beside); most < path || !said {
					t.Errorf("%.2f m/s, a post %+.2f m beside: it tells %.2f m beside the path, in words: %v", speed, beside, most, said)
				}
			}
		}
	}
	if t.Logf("%d of %d passed", passed, all); 10*passed < 9*all {
		t.Errorf("only %d of %d passed", passed, all)
	}
}

func TestWhatIsOnTheMapIsNotGoneRound(t *testing.T) {
	p := rounding(0.3, post{robot.Point{X: 3}, 0.2})
	p.core.usePlanner(ahead{}) // knows of everything
	p.goOn(6)
	if p.state.Held == nil || math.Abs(p.motion.Axle.Y) > 0.05 || p.closest < 0.3 {
		t.Errorf("it is at %v, %.2f m from the post: %+v", p.motion.Axle, p.closest, p.state.Held)
	}
}

func TestWhatIsGoneIsForgotten(t *testing.T) {
	p := rounding(0.3, post{robot.Point{X: 2.5}, 0.2})
	for !p.tracks() {
		p.tick()
	}
	p.wait(200 * time.Millisecond)
	p.posts = nil
	p.wait(time.Second)
	if p.tracks() {
		t.Error("something is remembered")
	}
	p.goOn(6)
	if end := p.page.motion.Axle.Point().Sub(p.motion.Axle.Point()).Norm(); p.state.Held != nil || end > 0.05 {
		t.Errorf("%.2f m from the end: %+v", end, p.state.Held)
	}
}

// A room that lies leads the robot at walls and posts. The guard is the last
// word: nothing is touched, and nothing is driven at faster than it can brake.
func TestADetourThatIsNoneTouchesNothing(t *testing.T) {
	runs := 40
	if testing.Short() {
		runs = 5
	}
	for seed := range uint64(runs) {
		luck := rand.New(rand.NewPCG(seed, 1))
		var posts []post
		for range 1 + luck.IntN(3) {
			posts = append(posts, post{robot.Point{X: 1.2 + 2*luck.Float64(), Y: 2*luck.Float64() - 1}, 0.05 + 0.25*luck.Float64()})
		}
		p := rounding(0.2+0.25*luck.Float64(), posts...)
		p.core.teleop.player.SetObstacles(blindRoom{luck, luck.Float64()})
		for range 12 * 50 {
			if p.tick(); p.state.Held != nil {
				break
			}
		}
		p.wait(2 * time.Second)
		if p.closest <= 0 {
			t.Errorf("seed %d: it touched something at %v", seed, p.motion.Axle)
		}
	}
}

// blindRoom says that there is something straight ahead, and room wherever the
// hand is led; sometimes it says just anything.
type blindRoom struct {
	luck *rand.Rand
	lies float64
}

func (b blindRoom) Risk(path []robot.Pose, _ float64) float64 {
	if b.luck.Float64() < b.lies {
		return b.luck.Float64()
	}
	return 0.5 - math.Min(0.5, math.Abs(path[len(path)-1].Y))
}

// BenchmarkTickRound is a tick beside things on the way round.
func BenchmarkTickRound(b *testing.B) {
	p := rounding(0.3, post{robot.Point{X: 2.2, Y: 0.3}, 0.2}, post{robot.Point{X: 3, Y: -0.6}, 0.2})
	for p.motion.Axle.X < 1.5 {
		p.tick()
	}
	b.Logf("%.2f m beside the path", p.state.Play.Detour)
	b.ReportAllocs()
	for b.Loop() {
		p.tick()
	}
}
