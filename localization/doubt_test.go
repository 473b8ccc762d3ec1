package localization

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/robot"
)

func TestARobotThatIsCarriedOffWhileDrivingAndTurnedSaysSoWithinHalfASecond(t *testing.T) {
	computesLong(t)
	// The sonars take longer to show it; the compass has turned and the wheels have
	// not.
	d, m := inOffice(t, robot.Pose{X: 4.5, Y: 7.3}, sim.DefaultScene())
	d.to = 1
	d.drive(8 * time.Second)
	if m.Estimate().Trust != robot.TrustOK {
		t.Fatal("it is not sure though nothing happened")
	}
	p := d.world.Truth().Pose
	d.carry(robot.Pose{X: p.X + 6, Y: p.Y, Theta: p.Theta + robot.Radians(35)})
	d.drive(500 * time.Millisecond)
	if m.Estimate().Trust == robot.TrustOK {
		t.Error("half a second later it is still sure")
	}
	d.drive(12 * time.Second)
	d.drive(2 * time.Second)
	if d.worst > 0.3 {
		t.Errorf("12 s later it is %.2f m off", d.worst)
	}
}

func TestASearchIsNotDecidedByWhatTheOneBeforeItFound(t *testing.T) {
	h := health{lately: -0.9, usual: -0.9, varies: startVaries}
	r := relocalizer{settled: 30, agreed: 20, trip: trip{far: 3}, gained: 100, lately: -0.9}
	if got := r.decideOutcome(&h, false, false); got != confirmed {
		t.Fatalf("the first search is %v", got)
	}
	r.startSearch()
	if got := r.decideOutcome(&h, false, false); got != searching {
		t.Errorf("the next one is %v before it has learned anything", got)
	}
}

func TestTheCompassJumpsWhereTheRobotIsCarriedAndNotNearIron(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		what  string
		noise float64 // degrees
		turn  func(distance float64) float64
		want  bool
	}{
		{"turned by 30 degrees", 1, func(distance float64) float64 { return 30 * math.Floor(distance/5) }, true},
		{"turned by 30 degrees, half of it in each of two observations", 1, func(distance float64) float64 { return 15 * (math.Floor(distance/5) + math.Floor((distance+0.04)/5)) }, true},
		{"not turned", 1, func(float64) float64 { return 0 }, false},
		{"iron that turns it by 70 degrees in 2 m", 1, func(distance float64) float64 { return 70 * max(0, 1-math.Abs(distance-5)/2) }, false},
		{"a noisy one", 8, func(float64) float64 { return 0 }, false},
	} {
		n := newCompassModel(0)
		jumped := 0
		for k := range 200 {
			distance := 0.04 * float64(k)
			if n.detectJump(&observation{heading: robot.WrapAngle(robot.Radians(c.turn(distance) + c.noise*rng.NormFloat64())), distance: 0.04}) {
				jumped++
			}
		}
		if (jumped == 1) != c.want || jumped > 1 {
			t.Errorf("%s: it jumped %d times", c.what, jumped)
		}
	}
}

func TestIronThatTurnsTheCompassLittleByLittleDoesNotMakeTheRobotUnsure(t *testing.T) {
	computesLong(t)
	scene := sim.DefaultScene()
	for _, x := range []float64{10, 10.3} { // 70 degrees together
		scene.Magnets = append(scene.Magnets, sim.Magnet{Point: robot.Point{X: x, Y: 7.3}, Radius: 2, Deviation: robot.Radians(35)})
	}
	d, m := inOffice(t, robot.Pose{X: 4, Y: 7.3}, scene)
	d.to = 1
	unsure, turned := 0, 0.0
	d.each = func() {
		if m.Estimate().Trust != robot.TrustOK {
			unsure++
		}
		turned = max(turned, m.senses.compass.recent)
	}
	d.drive(25 * time.Second)
	if turned < opposesFrom {
		t.Fatalf("the compass is %.0f degrees off only; this tests nothing", robot.Degrees(turned))
	}
	if unsure > 0 || d.worst > 0.2 {
		t.Errorf("it was unsure for %.1f s, and %.2f m off at most", float64(unsure)/50, d.worst)
	}
}

func TestAPlaceThatExplainsNoMoreThanAnyOtherIsDoubtedThoughSilenceFitsIt(t *testing.T) {
	// If a robot has few echoes, most beams are silent, and silence fits anywhere:
	// the mean over all beams hardly falls at a wrong pose.
	h := health{}
	h.reset()
	now := time.Unix(0, 0)
	step := func(gain float64, n int) {
		for range n {
			now = now.Add(100 * time.Millisecond)
			h.addMoving(-0.9, gain, robot.Pose{X: 0.04}, now, false)
		}
	}
	step(3, 500)
	if !h.isGood() || h.explainsNothing() {
		t.Fatal("a good place is doubted")
	}
	step(-0.2, 50)
	if !h.lowFor(now, suspectAfter) {
		t.Error("2 m where nothing fits better than anywhere, and it is not doubted")
	}
	step(3, 50)
	if !h.isGood() {
		t.Error("the position is doubted though the readings fit again for 2 m")
	}
}

func TestASearchThatHasSettledElsewhereIsNotCalledOff(t *testing.T) {
	for _, c := range []struct {
		what string
		r    relocalizer
		want bool
	}{
		{"elsewhere, and better", relocalizer{settled: 30, gained: 20}, true},
		{"where the tracker is", relocalizer{settled: 30, gained: 20, agreed: 3}, false},
		{"elsewhere, no better", relocalizer{settled: 30, gained: 1}, false},
		{"not yet", relocalizer{settled: 3, gained: 20}, false},
	} {
		if got := c.r.settledElsewhere(); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}

// A robot-built map has the yaw of the drive's start; its compass_deg is the
// heading by a compass minus that yaw.
func TestAMapThatIsTurnedAgainstTheCompassSaysByHowMuch(t *testing.T) {
	computesLong(t)
	for _, c := range []struct {
		name   string
		says   float64 // rad
		unsure bool
	}{{"it says it", 2, false}, {"it says nothing", 0, true}} {
		t.Run(c.name, func(t *testing.T) {
			plan := *office(t)
			plan.Compass = c.says
			desc := robotOf(t)
			table, err := NewTable(t.Context(), &plan, desc, kept)
			if err != nil {
				t.Fatal(err)
			}
			scene := sim.DefaultScene()
			scene.Start = robot.Pose{X: 3, Y: 7.3}
			scene.Compass.Bias = 2
			m := NewMCL(desc, table, scene.Start, 1)
			unsure := 0
			d := driver{t: t, world: sim.NewWorld(desc, &plan, scene, sim.Options{Seed: 1}), loc: m, round: hall, to: 1}
			d.each = func() {
				if m.Estimate().Trust != robot.TrustOK {
					unsure++
				}
			}
			d.drive(30 * time.Second)
			if (unsure > 0) != c.unsure || !c.unsure && d.worst > 0.15 {
				t.Errorf("unsure at %d readings, %.2f m off at worst", unsure, d.worst)
			}
		})
	}
}
