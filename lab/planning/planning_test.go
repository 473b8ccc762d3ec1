package planning

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/experiment/experimenttest"
	"mybot/pathplan"
)

func TestTheControlLoopDoesNotWaitForAPathOnALargeFloor(t *testing.T) {
	out, _, err := commands.Run(t, "plan", "--loop", "--json", "--queries", "6")
	if err != nil {
		t.Fatal(err)
	}
	var o loopOutcome
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	if o.Cells != 4_000_000 || o.Found+o.Refused != 6 || o.Ticks < 12 || o.Held < 20 || o.Held > 150 || o.Plan <= 0 {
		t.Errorf("the outcome is %s", out)
	}
	if _, _, err := commands.Run(t, "plan", "--loop", "--scen", "x"); !errors.Is(err, experiment.ErrUsage) {
		t.Errorf("with scenarios: %v", err)
	}
}

func TestPlanMeasuresABenchmarkFromItsFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	// A wall of three cells separates the two.
	floor := write("a.map", "type octile\nheight 4\nwidth 5\nmap\n..@..\n..T..\n..@..\n.....\n")
	scen := write("a.map.scen", "version 1\n0\ta.map\t5\t4\t0\t0\t4\t0\t8.82842712\n0\ta.map\t5\t4\t0\t3\t4\t3\t4\n")
	best := write("a.csv", "scen_index,octile_opt,anyangle_opt_center\n0,8.82842712,6.83095189\n1,4,4\n")
	o := experimenttest.Outcome[planOutcome](t, commands, "plan", "--map", floor, "--scen", scen, "--optimal", best)
	// The taut path turns at the corners (2, 3) and (3, 3) of the wall.
	if o.Queries != 2 || o.Cells != 20 || !o.Exact || o.Compared != 2 || o.Ratio == nil || math.Abs(*o.Ratio-1) > 1e-6 {
		t.Errorf("got %+v, %v", o, *o.Ratio)
	}
	wrong := write("b.scen", "version 1\n0\ta.map\t5\t4\t0\t0\t4\t0\t7.5\n")
	o = experimenttest.Outcome[planOutcome](t, commands, "plan", "--map", floor, "--scen", wrong)
	if o.Exact || len(o.Wrong) != 1 {
		t.Errorf("a wrong length is accepted as the optimum: %+v", o)
	}

	for _, c := range []struct{ name, floor, scen, csv, want string }{
		{"no file", filepath.Join(dir, "no.map"), scen, "", "--map: open"},
		{"a short row", write("c.map", "type octile\nheight 2\nwidth 3\nmap\n...\n..\n"), scen, "", "line 6 has 2 cells; it must have 3"},
		{"no size", write("d.map", "type octile\nmap\n...\n"), scen, "", "width and height come before the line \"map\""},
		{"a strange line", write("e.map", "type octile\ndepth 3\n"), scen, "", "line 2: must be type, height or width with a value, or map"},
		{"an end before the map", write("f.map", "type octile\n"), scen, "", "line 2: the file ends before the line \"map\""},
		{"scenarios of another map", floor, write("c.scen", "version 1\n0\ta.map\t9\t4\t0\t0\t4\t0\t7\n"), "", "line 2 is for a map of 9 x 4 cells; this one has 5 x 4"},
		{"too few columns", floor, write("d.scen", "version 1\n0\ta.map\t9\n"), "", "line 2 has 3 columns; it must have 9"},
		{"a start that is no number", floor, write("e.scen", "0\ta.map\t5\t4\tx\t0\t4\t0\t7\n"), "", "column 5 is \"x\"; it must be a whole number"},
		{"a CSV with other columns", floor, scen, write("b.csv", "i,o,a\n0,1,2\n"), "it must be scen_index,octile_opt,anyangle_opt_center"},
		{"a CSV of another map", floor, scen, write("c.csv", "scen_index,octile_opt,anyangle_opt_center\n0,9,9\n"), "scenario 0 has 8.82842712: is it the file of another map?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := []string{"plan", "--map", c.floor, "--scen", c.scen}
			if c.csv != "" {
				args = append(args, "--optimal", c.csv)
			}
			if _, _, err := commands.Run(t, args...); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
	for _, args := range [][]string{{"plan", "--queries", "0"}, {"plan", "--repeats", "0"}, {"plan", "--optimal", best}, {"route", "--queries", "-1"}, {"route", "--repeats", "0"}} {
		if _, _, err := commands.Run(t, args...); !errors.Is(err, experiment.ErrUsage) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

func TestThePathsThroughTheOfficeAreNearlyTheShortest(t *testing.T) {
	o := experimenttest.Outcome[planOutcome](t, commands, "plan", "--queries", "20", "--repeats", "1")
	if o.Queries != 20 || !o.Exact || o.Ratio == nil || *o.Ratio < 1-1e-9 || *o.Ratio > 1.01 || *o.RatioP99 > 1.04 {
		t.Errorf("got %+v", o)
	}
}

func TestThePathsOverAViaGraphAreMeasured(t *testing.T) {
	o := experimenttest.Outcome[routeOutcome](t, commands, "route", "--queries", "20", "--repeats", "1")
	if len(o.Rows) != 3 || o.Rows[0].Nodes != 11 || o.Rows[1].Nodes != 100 || o.Rows[2].Nodes != 10000 {
		t.Fatalf("got %+v", o)
	}
	for _, r := range o.Rows {
		// Some places in the office are too narrow to turn.
		if r.Mean <= 0 || r.P99 < r.Mean/2 || r.Found < 0.5 || r.Via < 1 || r.Detoured < 5 {
			t.Errorf("got %+v", r)
		}
	}
}

// TestTheOptimumIsShorterThanEveryTautPath compares both: a taut path is never shorter than the
// optimum, and equals it if there is only one way around.
func TestTheOptimumIsShorterThanEveryTautPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(2, 30).Draw(t, "width"), rapid.IntRange(2, 20).Draw(t, "height")
		density := rapid.IntRange(0, 3).Draw(t, "density")
		cells := rapid.SliceOfN(rapid.IntRange(0, 9), width*height, width*height).Draw(t, "cells")
		field := pathplan.NewField(width, height, func(c pathplan.Cell) bool { return cells[c.J*width+c.I] >= density })
		cell := func(name string) pathplan.Cell {
			return pathplan.Cell{I: rapid.IntRange(0, width-1).Draw(t, name+" i"), J: rapid.IntRange(0, height-1).Draw(t, name+" j")}
		}
		from, to := cell("from"), cell("to")
		search := pathplan.NewSearcher(field)
		path, length, ok := search.FindOctile(nil, from, to)
		best := newOptima(field)
		octile, reachable := best.octileLength(from, to)
		if !field.IsFree(from) {
			return
		}
		if ok != reachable || math.Abs(octile-length) > 1e-9 {
			t.Fatalf("%v %v, the slow search finds %v %v", length, ok, octile, reachable)
		}
		if !ok {
			return
		}
		taut, optimum := pathplan.LengthOf(search.PullTaut(nil, path)), best.anyAngleLength(from, to)
		if optimum > taut+1e-9 || optimum < math.Hypot(float64(to.I-from.I), float64(to.J-from.J))-1e-9 {
			t.Fatalf("the optimum is %v, the taut path %v", optimum, taut)
		}
	})
}

// TestTheOptimaAreThoseOfTheBenchmark compares with any-angle optima from another planner.
func TestTheOptimaAreThoseOfTheBenchmark(t *testing.T) {
	const sets = "../../../shared/data"
	name := sets + "/movingai/dao/arena2.map"
	if _, err := os.Stat(name); err != nil {
		t.Skip("the MovingAI maps are not beside this checkout")
	}
	field, tasks, err := movingAI(name, name+".scen", sets+"/anyangle/arena2.csv")
	if err != nil {
		t.Fatal(err)
	}
	best := newOptima(field)
	for n, task := range tasks {
		if task.anyAngle == 0 || n%8 != 0 {
			continue
		}
		if got := best.anyAngleLength(task.from, task.to); math.Abs(got-task.anyAngle) > 1e-6 {
			t.Errorf("scenario %d: %v, want %v", n, got, task.anyAngle)
		}
	}
}
