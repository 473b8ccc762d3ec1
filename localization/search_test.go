package localization

import (
	"math"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/robot"
)

func TestAnUpdateWorksOnASliceOfALargeSearchAndFindsTheSame(t *testing.T) {
	computesLong(t)
	d, m := inOffice(t, robot.Pose{X: 4.5, Y: 7.3}, sim.DefaultScene())
	m.search = newRelocalizer(m.search.cloud.rng, len(robotOf(t).Sonars), maxSearchParticles)
	m.Forget()
	d.to = 1
	before, updates := 0, 0
	d.each = func() {
		r := &m.search
		if r.stage == comparing && r.at > before {
			if r.at-before > maxParticlesPerUpdate {
				t.Fatalf("one update compares %d particles", r.at-before)
			}
			updates++
		}
		before = r.at
	}
	d.drive(12 * time.Second)
	if updates < maxSearchParticles/maxParticlesPerUpdate {
		t.Errorf("the search took %d updates; of %d particles it must be more", updates, maxSearchParticles)
	}
	d.drive(2 * time.Second)
	if d.worst > 0.3 || m.Estimate().Trust == robot.TrustLost {
		t.Errorf("12 s later it is %.2f m off and says %v", d.worst, m.Estimate().Trust)
	}
}

func TestASearchHasAsManyParticlesAsTheFloorIsLarge(t *testing.T) {
	for metres, want := range map[int]int{100: maxParticles, 1000: 40000, 10000: maxSearchParticles} {
		table := &Table{free: make([]int32, metres*100)}
		if got := table.searchCount(); got != want {
			t.Errorf("%d m2 have %d particles, want %d", metres, got, want)
		}
	}
}

func TestASearchThatHasFallenBehindItsMemoryBeginsAnew(t *testing.T) {
	_, m := inRoom(t, sim.DefaultScene(), 1)
	r := &m.search
	r.startSearch()
	for range memorySize + 10 {
		r.storeObservation(&observation{heading: math.NaN(), distance: 0.04}, judgement{}, robot.Pose{}, false, 1)
	}
	r.fresh = false
	r.stepDue(&m.senses, &m.drift, &m.health, false)
	if r.next < r.newest-memorySize+1 {
		t.Errorf("it works on observation %d, which has been overwritten: the newest is %d", r.next, r.newest)
	}
}

// Every tick of a search on a large floor. Each is the fastest of several runs, and
// the slowest tick counts: the computer's other work is not part of the search.
func BenchmarkSearch(b *testing.B) {
	desc, plan := robotOf(b), room()
	table := tableOf(b, plan, desc.Sonars, kept)
	var dearest time.Duration
	for b.Loop() {
		var ticks [600]time.Duration
		for run := range 5 {
			scene := sim.DefaultScene()
			scene.Start = robot.Pose{X: 1, Y: 1}
			w := sim.NewWorld(desc, plan, scene, sim.Options{Seed: 1, Epoch: time.Unix(0, 0)})
			m := NewMCL(desc, table, scene.Start, 1)
			m.search = newRelocalizer(m.search.cloud.rng, len(desc.Sonars), maxSearchParticles)
			m.Forget()
			for k := range ticks {
				if err := w.Drive(robot.Twist{Linear: 0.2, Angular: 0.5}); err != nil {
					b.Fatal(err)
				}
				r := w.Step()
				began := time.Now()
				m.Update(r)
				if took := time.Since(began); run == 0 || took < ticks[k] {
					ticks[k] = took
				}
			}
		}
		for _, t := range ticks {
			dearest = max(dearest, t)
		}
	}
	b.ReportMetric(float64(dearest.Microseconds())/1000, "dearest-ms")
}
