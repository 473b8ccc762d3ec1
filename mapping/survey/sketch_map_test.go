package survey_test

import (
	"math"
	"testing"

	"mybot/drivers/sim"
	"mybot/localization"
	"mybot/mapping/draft"
	"mybot/mapping/sketch"
	"mybot/mapping/survey"
	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/models/modelstest"
)

// A sketched robot has sonars in a simulated building. It makes a sketch while
// driving back and forth, and is then localized on it by sonar.
type sketched struct {
	t     *testing.T
	world *sim.World
	begin robot.Pose // in the building
	loc   *survey.SketchLocalizer
	made  *sketch.Sketch
	mcl   *localization.MCL // nil = it draws
	worst float64           // m, error of the localization by sonar
}

func newSketched(t *testing.T, building string, seed uint64) *sketched {
	t.Helper()
	folder, _ := maps.Find(building)
	plan, err := floorplan.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	scene, err := sim.ReadScene(folder, "scene.json")
	if err != nil {
		t.Fatal(err)
	}
	scene.People, scene.Obstacles = nil, nil
	desc := modelstest.Mybot(t)
	s := &sketched{t: t, world: sim.NewWorld(desc, plan, scene, sim.Options{Seed: seed}), loc: survey.NewSketchLocalizer(desc), made: sketch.New(desc)}
	s.begin = s.world.Truth().Pose
	return s
}

// driveTo drives to a point at that distance in m from its start, along x of the
// building.
func (s *sketched) driveTo(ahead float64) {
	s.t.Helper()
	to := s.begin.Point().Add(robot.Point{X: ahead})
	for range 60 * 50 {
		at := s.world.Truth().Pose
		way := to.Sub(at.Point())
		if way.Norm() < 0.25 {
			return
		}
		off := robot.WrapAngle(math.Atan2(way.Y, way.X) - at.Theta)
		twist := robot.Twist{Linear: 0.4, Angular: robot.Clamp(1.5*off, -0.7, 0.7)}
		if math.Abs(off) > 0.5 {
			twist = robot.Twist{Angular: math.Copysign(0.7, off)}
		}
		if err := s.world.Drive(twist); err != nil {
			s.t.Fatal(err)
		}
		s.take(s.world.Step())
	}
	s.t.Fatalf("it does not come to %.1f m ahead", ahead)
}

func (s *sketched) take(r robot.Reading) {
	s.loc.Update(r)
	if s.mcl == nil {
		s.made.Observe(s.loc.Estimate().Pose, r)
		return
	}
	s.mcl.Update(r)
	s.worst = math.Max(s.worst, s.begin.Inverse().Compose(s.world.Truth().Pose).Point().Sub(s.mcl.Estimate().Pose.Point()).Norm())
}

// useMap has the robot localized by sonar on the map that the sketch becomes.
func (s *sketched) useMap(seed uint64) {
	s.t.Helper()
	result, err := s.made.Result()
	if err != nil {
		s.t.Fatal(err)
	}
	d, err := draft.New(draft.Source{Result: result, Robot: s.world.Describe()})
	if err != nil {
		s.t.Fatal(err)
	}
	plan, err := d.Plan("Sketch")
	if err != nil {
		s.t.Fatal(err)
	}
	plan.Compass, _ = s.loc.Compass()
	table, err := localization.NewTable(s.t.Context(), plan, s.world.Describe(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	mcl := localization.NewMCL(s.world.Describe(), table, robot.Pose{}, seed)
	mcl.Continue(s.loc.Estimate())
	s.mcl = mcl
}

func TestSonarsTellThePositionInTheSketchThatTheyDrew(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 2
	}
	for _, building := range []string{maps.OfficeName, maps.ClinicName} {
		worst := 0.0
		for seed := range seeds {
			s := newSketched(t, building, 1+seed)
			s.driveTo(4)
			s.driveTo(1)
			s.useMap(1 + seed)
			s.driveTo(3)
			s.driveTo(0)
			s.driveTo(4)
			worst = max(worst, s.worst)
		}
		t.Logf("%s: at most %.2f m off on the sketched path, %d drives", building, worst, seeds)
		if worst > 0.35 {
			t.Errorf("%s: it is %.2f m off", building, worst)
		}
	}
}
