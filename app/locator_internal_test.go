package app

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/sim"
	"mybot/localization"
	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/models"
	"mybot/robot/models/modelstest"
	"mybot/robot/scan"
)

// built returns the built-in robot and floor.
func built(t *testing.T) (robot.Description, *robot.Floorplan) {
	t.Helper()
	desc := modelstest.Mybot(t)
	plan, err := floorplan.Load(maps.Office())
	if err != nil {
		t.Fatal(err)
	}
	return desc, plan
}

// small is a room of 4 m by 3 m with a cut corner, whose table is made quickly.
func small() *robot.Floorplan {
	p := &robot.Floorplan{Name: "a room", Grid: robot.Grid{Width: 40, Height: 30, Resolution: 0.1}}
	for range p.Grid.Width * p.Grid.Height {
		p.Grid.Cells = append(p.Grid.Cells, robot.Free)
	}
	corners := []robot.Point{{}, {X: 4}, {X: 4, Y: 2}, {X: 3, Y: 3}, {Y: 3}}
	for i, a := range corners {
		p.Lines = append(p.Lines, robot.Segment{A: a, B: corners[(i+1)%len(corners)]})
	}
	return p
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// gated is a cache that blocks all calls until it is opened.
type gated chan struct{}

func (g gated) Get(string) ([]byte, bool) { <-g; return nil, false }
func (g gated) Put(string, []byte)        {}

func TestTheLocatorIsOdometryUntilTheTableIsMadeAndThenGoesOnWithoutAJump(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		desc, _ := built(t)
		plan := small()
		cfg := Config{Plan: plan, Start: robot.Pose{X: 1, Y: 1.5}, Seed: 1}
		world := sim.NewWorld(desc, plan, sim.DefaultScene(), sim.Options{Seed: 1, Start: cfg.Start})
		l := newLocator(desc, cfg, nil, new(odometryMemory))
		cache := make(gated)
		var made sync.WaitGroup
		made.Go(func() { l.prepareMonteCarlo(t.Context(), desc, cfg, cache, quiet()) })
		step := func(v float64) (before, after robot.Pose) {
			if err := world.Drive(robot.Twist{Linear: v}); err != nil {
				t.Fatal(err)
			}
			before = l.Estimate().Pose
			l.Update(world.Step())
			return before, l.Estimate().Pose
		}
		for range 100 {
			step(0.3)
		}
		synctest.Wait()
		if _, odometry := l.now.(*localization.Odometry); !odometry {
			t.Fatalf("without a table it is %T", l.now)
		}
		close(cache)
		made.Wait()
		before, after := step(0.3)
		if _, better := l.now.(*localization.MCL); !better {
			t.Fatalf("with the table it is %T", l.now)
		}
		if d := after.Point().Sub(before.Point()).Norm(); d > 0.02 {
			t.Errorf("it jumps %v m", d)
		}
		for range 100 {
			step(0.3)
		}
		off := world.Truth().Pose.Point().Sub(l.Estimate().Pose.Point()).Norm()
		if e := l.Estimate(); off > 0.1 || e.Sonars == 0 || e.Trust != robot.TrustOK {
			t.Errorf("2 s later it is %v m off and says %+v", off, e)
		}
	})
}

func TestTheLocatorsThatAreAskedFor(t *testing.T) {
	desc, plan := built(t)
	for name, is := range map[Localizer]func(*locator) bool{
		Odometry: func(l *locator) bool { _, ok := l.now.(*localization.Odometry); return ok },
		SeedSum:  func(l *locator) bool { _, ok := l.now.(*localization.Seed); return ok },
		SeedMean: func(l *locator) bool { _, ok := l.now.(*localization.Seed); return ok },
	} {
		l := newLocator(desc, Config{Plan: plan, Localizer: name}, nil, new(odometryMemory))
		l.prepareMonteCarlo(t.Context(), desc, Config{Plan: plan, Localizer: name}, make(gated), quiet()) // does not use the cache
		if l.Update(robot.Reading{}); !is(l) {
			t.Errorf("%s is %T", name, l.now)
		}
	}
	for _, name := range []string{"", "MCL", "amcl"} {
		if _, err := ParseLocalizer(name); err == nil || !strings.Contains(err.Error(), "mcl, odometry, seed-sum, seed-mean") {
			t.Errorf("%q is read: %v", name, err)
		}
	}
}

func TestWithoutAFreeFloorOrSonarsOdometryStays(t *testing.T) {
	desc, plan := built(t)
	blind := desc
	blind.Sonars = nil
	walled := *plan
	walled.Grid.Cells = make([]robot.Cell, len(plan.Grid.Cells))
	for i := range walled.Grid.Cells {
		walled.Grid.Cells[i] = robot.Occupied
	}
	for name, c := range map[string]struct {
		desc robot.Description
		plan *robot.Floorplan
		says string
	}{
		"no map":        {desc, &robot.Floorplan{}, "level=INFO msg=\"the position comes from the wheels and the compass alone\" why=\"there is no map\""},
		"no free floor": {desc, &walled, "no free floor"},
		"no sonars":     {blind, plan, "neither sonars nor lidars"},
	} {
		t.Run(name, func(t *testing.T) {
			var said strings.Builder
			cfg := Config{Plan: c.plan}
			l := newLocator(c.desc, cfg, nil, new(odometryMemory))
			l.prepareMonteCarlo(t.Context(), c.desc, cfg, nil, slog.New(slog.NewTextHandler(&said, nil)))
			if l.better.Load() != nil || !strings.Contains(said.String(), c.says) {
				t.Errorf("the log says %s", said.String())
			}
		})
	}
}

func TestALidarIsEnoughForTheLocator(t *testing.T) {
	data, _ := models.Find(models.LidarName)
	desc, err := robot.ParseDescription(data)
	if err != nil {
		t.Fatal(err)
	}
	plan := small()
	cfg := Config{Plan: plan, Start: robot.Pose{X: 1, Y: 1.5}, Seed: 1}
	world := sim.NewWorld(desc, plan, sim.DefaultScene(), sim.Options{Seed: 1, Start: robot.Pose{X: 1.2, Y: 1.6}})
	l := newLocator(desc, cfg, nil, new(odometryMemory))
	deskewer := scan.NewDeskewer(desc)
	step := func(v float64) float64 {
		if err := world.Drive(robot.Twist{Linear: v}); err != nil {
			t.Fatal(err)
		}
		r := world.Step()
		clouds, _ := deskewer.Observe(r)
		l.Update(r)
		l.ObserveScans(clouds)
		return l.Estimate().Pose.Point().Sub(world.Truth().Pose.Point()).Norm()
	}
	if off := step(0); off < 0.2 {
		t.Fatalf("it begins only %.2f m off", off)
	}
	l.prepareMonteCarlo(t.Context(), desc, cfg, nil, quiet())
	off := 0.0
	for range 200 {
		off = step(0.2)
	}
	if off > 0.05 {
		t.Errorf("after 0.8 m it is %.2f m off", off)
	}
}

func TestAKeptPoseIsWhereItBeginsAndIsDoubted(t *testing.T) {
	desc, _ := built(t)
	plan := small()
	old := robot.Pose{X: 1, Y: 1.5, Theta: 2}
	cfg := Config{Plan: plan, Start: robot.Pose{X: 3, Y: 1}, Seed: 1}
	world := sim.NewWorld(desc, plan, sim.DefaultScene(), sim.Options{Seed: 1, Start: old})
	l := newLocator(desc, cfg, &old, new(odometryMemory))
	if e := l.Estimate(); e.Pose != old || e.Trust != robot.TrustUnsure {
		t.Errorf("it begins with %+v", e)
	}
	l.prepareMonteCarlo(t.Context(), desc, cfg, nil, quiet())
	for range 100 {
		l.Update(world.Step())
	}
	if e := l.Estimate(); e.Pose.Point().Sub(old.Point()).Norm() > 0.1 || e.Trust != robot.TrustUnsure || e.Sonars == 0 {
		t.Errorf("with the table it continues with %+v", e)
	}
	said := robot.Pose{X: 2, Y: 1.5}
	l.SetPose(said)
	if e := l.Estimate(); e.Pose != said || e.Trust != robot.TrustUnsure {
		t.Errorf("after a person's correction, which may be half a metre off, it reports %+v", e)
	}
	l.SetPose(old)
	for range 250 {
		if err := world.Drive(robot.Twist{Angular: 0.5}); err != nil {
			t.Fatal(err)
		}
		l.Update(world.Step())
	}
	if e := l.Estimate(); e.Pose.Point().Sub(world.Truth().Pose.Point()).Norm() > 0.1 || e.Trust != robot.TrustOK {
		t.Errorf("when its sonars confirm the correction it reports %+v", e)
	}
}

// newest is the robot's newest state, which the pose file stores.
type newest struct {
	mu    sync.Mutex
	state robot.State
}

func (s *newest) set(x float64, trust robot.Trust) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = robot.State{Time: time.Now(), Estimate: robot.Estimate{Pose: robot.Pose{X: x, Y: 2, Theta: math.Pi / 2}, Trust: trust}}
}

func (s *newest) get() (robot.State, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state, !s.state.Time.IsZero()
}

func TestThePoseIsKeptWhileItChangesAndAtTheEnd(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		plan := small()
		file := filepath.Join(dir, PoseFile)
		k := &poseFile{file: file, floor: func() string { return floorOf(plan) }}
		var s newest

		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- k.run(ctx, s.get, quiet()) }()
		at := func(after time.Duration) (x float64, written time.Time) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			p, _ := LoadPose(dir, plan)
			var k savedPose
			if data, err := os.ReadFile(file); err == nil {
				if err := json.Unmarshal(data, &k); err != nil {
					t.Fatal(err)
				}
			}
			return p.X, k.At
		}
		if x, _ := at(2 * savePeriod); x != 0 {
			t.Errorf("before the robot has reported anything x = %v m is saved", x)
		}
		s.set(1, robot.TrustOK)
		if x, _ := at(savePeriod); x != 1 {
			t.Errorf("after %v x = %v m is saved", savePeriod, x)
		}
		_, first := at(0)
		s.set(1.005, robot.TrustOK)
		if _, again := at(3 * savePeriod); !again.Equal(first) {
			t.Error("a pose that is the same is written again")
		}
		for _, trust := range []robot.Trust{robot.TrustUnsure, robot.TrustLost} {
			s.set(9, trust)
			if x, _ := at(2 * savePeriod); x != 1 {
				t.Errorf("a pose that is %v is saved: x = %v m", trust, x)
			}
		}
		s.set(2, robot.TrustOK)
		cancel()
		if err := <-done; err == nil {
			t.Error("it ends by itself")
		}
		if x, _ := at(0); x != 2 {
			t.Errorf("at the end x = %v m is saved", x)
		}
	})
	if _, ok := LoadPose(dir, &robot.Floorplan{}); ok {
		t.Error("the pose is also valid on another floor")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("beside the pose there is something left: %v, %v", entries, err)
	}
}

func TestAKeptPoseThatCannotBeReadIsNone(t *testing.T) {
	dir, plan := t.TempDir(), small()
	for name, data := range map[string]string{
		"empty": "", "cut off": `{"floor":"`, "another floor": `{"floor":"00","x_m":1,"y_m":1,"heading_deg":0}`, "no object": "[]",
		"off the map":          `{"floor":"` + floorOf(plan) + `","x_m":1e6,"y_m":1,"heading_deg":0}`,
		"farther than numbers": `{"floor":"` + floorOf(plan) + `","x_m":1e300,"y_m":-1e300,"heading_deg":1e308}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, PoseFile), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if p, ok := LoadPose(dir, plan); ok {
			t.Errorf("%s: %v", name, p)
		}
	}
	if _, ok := LoadPose("", plan); ok {
		t.Error("without a directory there is a pose")
	}
}

func TestTheFolderOfTablesKeepsThoseThatWereUsedLast(t *testing.T) {
	dir := t.TempDir()
	cache := Tables(filepath.Join(dir, "tables"))
	if _, ok := cache.Get("a"); ok {
		t.Error("an empty folder has a table")
	}
	cache.Put("other", []byte("other"))
	for i, key := range []string{"cones-a", "cones-b", "cones-c", "cones-d", "cones-e", "cones-f"} {
		cache.Put(key, []byte(key))
		when := time.Unix(int64(1000+i), 0)
		if err := os.Chtimes(filepath.Join(string(cache), key), when, when); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"cones-c", "cones-d", "cones-e", "cones-f", "other"} {
		if data, ok := cache.Get(key); !ok || string(data) != key {
			t.Errorf("%s is %q", key, data)
		}
	}
	for _, key := range []string{"cones-a", "cones-b"} {
		if _, ok := cache.Get(key); ok {
			t.Errorf("%s is still there", key)
		}
	}
	cache.Get("cones-c")
	for i, key := range []string{"cones-d", "cones-e", "cones-f"} {
		when := time.Unix(int64(2000+i), 0)
		if err := os.Chtimes(filepath.Join(string(cache), key), when, when); err != nil {
			t.Fatal(err)
		}
	}
	cache.Put("cones-g", []byte("cones-g"))
	for key, want := range map[string]bool{"cones-c": true, "cones-d": false, "cones-g": true} {
		if _, ok := cache.Get(key); ok != want {
			t.Errorf("after the use of cones-c, and cones-g, %s is there: %v", key, ok)
		}
	}
	Tables("").Put("a", nil)
	if _, ok := Tables("").Get("a"); ok {
		t.Error("without a folder a table is saved")
	}
	cache = Tables(filepath.Join(dir, "tables", "cones-f")) // a file instead of a directory: writing fails
	cache.Put("a", nil)
	if _, ok := cache.Get("a"); ok {
		t.Error("with a file instead of a folder a table is saved")
	}
}

func TestUntilTheTableIsMadeTheCompassIsReadAsTheMapSays(t *testing.T) {
	desc, _ := built(t)
	for _, compass := range []float64{0, 0.08, -1.9} {
		plan := small()
		plan.Compass = compass
		l := newLocator(desc, Config{Plan: plan, Start: robot.Pose{X: 1, Y: 1.5, Theta: 0.5}}, nil, new(odometryMemory))
		for n := range 500 {
			l.Update(robot.Reading{Time: time.Unix(0, 0).Add(time.Duration(n) * 20 * time.Millisecond), Heading: robot.WrapAngle(0.5 + compass)})
		}
		if e := l.Estimate(); math.Abs(e.Pose.Theta-0.5) > 1e-6 || !e.Compass {
			t.Errorf("where the compass shows %g rad more, the yaw becomes %.3f rad, by the compass: %t", compass, e.Pose.Theta, e.Compass)
		}
	}
}
