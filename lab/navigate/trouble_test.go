package navigate

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"mybot/lab/internal/testbed"
	"mybot/pathplan"
	"mybot/robot/models"
)

func TestAClassOfTroubleIsTheSameErrandWithLessInTheWay(t *testing.T) {
	f := officeFloor(t)
	planner := pathplan.NewPlanner(f.Plan, f.Desc)
	barrels, doors, people := 0, 0, 0
	for seed := range uint64(8) {
		all := drawOffice(t, f, planner, seed, crowdedness{people: 3, barrels: true, doors: true})
		for name, class := range troubles {
			meets := crowdedness{barrels: class.barrels, doors: class.doors}
			if class.people {
				meets.people = 3
			}
			e := drawOffice(t, f, planner, seed, meets)
			if e.from != all.from || e.goal != all.goal || e.lasts != all.lasts {
				t.Errorf("%s: seed %d has another start or goal", name, seed)
			}
			var want []event
			for _, v := range all.events {
				if v.barrel != nil && class.barrels || v.barrel == nil && class.doors {
					want = append(want, v)
				}
			}
			if len(e.events)+len(want) > 0 && !reflect.DeepEqual(e.events, want) {
				t.Errorf("%s: seed %d meets %+v, want %+v", name, seed, e.events, want)
			}
			if class.barrels != (len(e.scene.Obstacles) > 0) && len(all.scene.Obstacles) > 0 || class.people != (len(e.scene.People) > 0) {
				t.Errorf("%s: seed %d meets %d barrels and %d people", name, seed, len(e.scene.Obstacles), len(e.scene.People))
			}
		}
		barrels, people = barrels+len(all.scene.Obstacles), people+len(all.scene.People)
		for _, v := range all.events {
			if v.barrel == nil {
				doors++
			}
		}
	}
	if barrels == 0 || doors == 0 || people == 0 {
		t.Errorf("8 errands meet %d barrels, %d doors and %d people", barrels, doors, people)
	}
}

// The fields that checks read from the outcome: the original ones, and later ones.
func TestTheOutcomeHasTheFieldsThatChecksRead(t *testing.T) {
	out, _, err := commands.Run(t, "goto", "--json", "--trouble", "all", "--sensor", "both", "--people", "3", "--runs", "1", "--corridors", "0", "--tracks", "0", "--seed", "12")
	if err != nil {
		t.Fatal(err)
	}
	var o map[string]any
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(`map seed runs controller arrived_fraction reachable arrived arrived_alone alone_fraction people refused blocked blocked_unsaid failed
		collisions walked_into lost asked helped said_elsewhere near_passes min_clearance_m drawn_pairs refused_pairs off_median_m off_p95_m turned_p95_deg
		time_ratio_median time_ratio_p95 way_km estimate_worst_m replans replan_p99_ms faults
		trouble sensor crowd helped_needed helped_reachable help_moved excess_median excess_p95 oracle_ratio_median frozen_fraction nearest_person_median_m
		nearest_person_p05_m nearest_thing_p05_m intrusion_s_mean intrusion_035_s_mean jerk_linear_rms jerk_angular_rms turn_reversals_per_min states decision_ms_mean decision_ms_p99`) {
		if _, ok := o[name]; !ok {
			t.Errorf("there is no %s", name)
		}
	}
	if o["trouble"] != "all" || o["sensor"] != "both" || o["crowd"] != mixed || o["people"] != 3.0 {
		t.Errorf("trouble %v, sensor %v, crowd %v, people %v", o["trouble"], o["sensor"], o["crowd"], o["people"])
	}
	states, _ := o["states"].(map[string]any)
	for _, name := range []string{"follow", "yield", "replan", "wait", "free"} {
		if _, ok := states[name].(float64); !ok {
			t.Errorf("there are no seconds of %s", name)
		}
	}
	if o["decision_ms_mean"] == 0.0 || o["jerk_linear_rms"] == 0.0 {
		t.Errorf("a decision takes %v ms, the jerk is %v", o["decision_ms_mean"], o["jerk_linear_rms"])
	}
}

func TestARobotGetsTheSensorsThatAreAskedFor(t *testing.T) {
	large := testbed.Mybot()
	large.Body.Length, large.Name = 0.9, "Large"
	blind := large
	blind.Sonars = nil
	for _, c := range []struct {
		robot, sensor   string
		sonars, lidars  int
		named, refusing string
	}{
		{models.MybotName, "", 12, 0, "sonar", ""},
		{models.LidarName, "", 0, 1, "lidar", ""},
		{models.MybotName, "lidar", 0, 1, "lidar", ""},
		{models.MybotName, "both", 12, 1, "both", ""},
		{models.LidarName, "sonar", 12, 0, "sonar", ""},
		{models.LidarSonarName, "lidar", 0, 1, "lidar", ""},
		{"large", "lidar", 0, 1, "lidar", ""},
		{"large", "sonar", 12, 0, "sonar", ""},
		{"blind", "sonar", 0, 0, "", `the robot "Large" has no sonars`},
		{"blind", "", 0, 0, "none", ""},
		{models.MybotName, "eyes", 0, 0, "", "it must be sonar, lidar or both"},
	} {
		desc := large
		switch c.robot {
		case "large":
		case "blind":
			desc = blind
		default:
			var err error
			if desc, err = testbed.LoadRobot(c.robot); err != nil {
				t.Fatal(err)
			}
		}
		got, err := equipRobot(desc, c.sensor)
		if c.refusing != "" {
			if err == nil || !strings.Contains(err.Error(), c.refusing) {
				t.Errorf("%s with %q: %v; it must say %q", c.robot, c.sensor, err, c.refusing)
			}
			continue
		}
		if err != nil || len(got.Sonars) != c.sonars || len(got.Lidars) != c.lidars || sensorOf(got) != c.named {
			t.Errorf("%s with %q: %d sonars, %d lidars, %s, %v", c.robot, c.sensor, len(got.Sonars), len(got.Lidars), sensorOf(got), err)
		}
	}
}

func TestPeopleAreMixedOnlyWhereAClassOfTroubleIsAskedFor(t *testing.T) {
	for _, c := range []struct {
		args                  string
		trouble, crowd, meets string
		people                int
	}{
		{"", "all", considerate, "up to 4 people (considerate), unknown obstacles, closing doors", usualPeople},
		{"--empty", "none", considerate, "with nobody and nothing in the way", 0},
		{"--trouble none", "none", mixed, "with nobody and nothing in the way", 0},
		{"--trouble people --people 7", "people", mixed, "up to 7 people (mixed)", 7},
		{"--trouble people,barrels", "people,barrels", mixed, "up to 4 people (mixed), unknown obstacles", usualPeople},
		{"--trouble doors --people 7", "doors", mixed, "with closing doors", 0},
		{"--trouble all --crowd considerate", "all", considerate, "up to 4 people (considerate)", usualPeople},
		{"--crowd mixed", "all", mixed, "up to 4 people (mixed)", usualPeople},
	} {
		args := append(strings.Fields("goto --json --runs 0 --corridors 0 --tracks 0"), strings.Fields(c.args)...)
		out, _, err := commands.Run(t, args...)
		var o gotoOutcome
		if err != nil || json.Unmarshal([]byte(out), &o) != nil {
			t.Fatalf("%s: %v, %s", c.args, err, out)
		}
		if o.Trouble != c.trouble || o.Crowd != c.crowd || o.People != c.people || !strings.Contains(o.describeTraffic(), c.meets) {
			t.Errorf("%s: %s, %s, %d people, %q", c.args, o.Trouble, o.Crowd, o.People, o.describeTraffic())
		}
	}
}
