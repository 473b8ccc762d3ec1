package onboard

import (
	"strings"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/localization"
	"mybot/robot"
	"mybot/robot/models"
)

func TestTheStateSaysWhatIsWrongWithALidarAndWhenItIsWellAgain(t *testing.T) {
	computesLong(t)
	plan, scene := office(t)
	scene.People = nil
	desc := builtIn(t, models.LidarSonarName)
	for _, c := range []struct{ world, says string }{
		{"nominal", ""},
		{"lidar-silent", "Lidar: It is silent: no scan comes."},
		{"lidar-frozen", "the same ranges"},
		{"lidar-nan", "no beam has measured anything"},
		{"lidar-short", "it has 180 ranges; it must have 360"},
		{"lidar-millimetres", "not in millimetres"},
		{"lidar-clock-back", "not later than the scan before it"},
	} {
		deviation, err := sim.ParseDeviation(c.world)
		if err != nil {
			t.Fatal(err)
		}
		w := sim.NewWorld(desc, plan, scene, sim.Options{Seed: 1, Epoch: epoch, Deviation: deviation})
		core := NewCore(desc, localization.NewOdometry(desc, scene.Start), nil)
		var said string
		changes := 0
		for n := range 24 * 50 {
			r := w.Step()
			core.Do(r.Time, drive(0.1, 0.3))
			out, s := core.Tick(r)
			if err := w.Drive(out); err != nil {
				t.Fatal(err)
			}
			if n < 20*50 && s.Lidars != "" {
				t.Fatalf("%s: after %d readings, while it works: %q", c.world, n, s.Lidars)
			}
			if s.Lidars != said {
				said = s.Lidars
				changes++
			}
		}
		if !strings.Contains(said, c.says) || (said == "") != (c.says == "") || changes > 2 {
			t.Errorf("%s: it says %q, and has changed that %d times", c.world, said, changes)
		}
	}
}

func TestALidarThatSendsScansAgainIsWell(t *testing.T) {
	desc := builtIn(t, models.LidarName)
	core := NewCore(desc, localization.NewOdometry(desc, robot.Pose{}), nil)
	ranges := make([]float64, desc.Lidars[0].Beams)
	var s robot.State
	read := func(lasts time.Duration, from time.Duration, works bool) {
		for after := from; after < from+lasts; after += 20 * time.Millisecond {
			r := robot.Reading{Time: epoch.Add(after)}
			if works && after%(100*time.Millisecond) == 0 {
				fresh := append([]float64(nil), ranges...)
				for i := range fresh {
					fresh[i] = 2 + 1e-3*float64(i) + 1e-9*float64(after)
				}
				r.Scans = []robot.Scan{{Time: r.Time, Ranges: fresh}}
			}
			_, s = core.Tick(r)
		}
	}
	read(2*time.Second, 0, true)
	if s.Lidars != "" {
		t.Fatalf("while it works it says %q", s.Lidars)
	}
	read(2*time.Second, 2*time.Second, false)
	if !strings.HasPrefix(s.Lidars, "Lidar: It is silent") {
		t.Errorf("after 2 s of silence it says %q", s.Lidars)
	}
	read(time.Second, 4*time.Second, true)
	read(2*time.Second, 5*time.Second, true)
	if s.Lidars != "" {
		t.Errorf("3 s after it came back it says %q", s.Lidars)
	}
}
