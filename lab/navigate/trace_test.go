package navigate

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestATraceHasALineEachSecondOfEachErrand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	out, _, err := commands.Run(t, "goto", "--json", "--trouble", "people", "--people", "2", "--sensor", "lidar", "--runs", "2", "--corridors", "0", "--tracks", "0", "--seed", "31", "--trace", file)
	if err != nil {
		t.Fatal(err)
	}
	var o gotoOutcome
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var lines []traceLine
	for s := bufio.NewScanner(f); s.Scan(); {
		var l traceLine
		d := json.NewDecoder(strings.NewReader(s.Text()))
		d.DisallowUnknownFields()
		if err := d.Decode(&l); err != nil {
			t.Fatalf("line %d: %v", len(lines)+1, err)
		}
		for _, key := range []string{"time", "truth", "estimate", "state", "lane", "speed", "nearest", "people"} {
			if !strings.Contains(s.Text(), `"`+key+`":`) {
				t.Fatalf("line %d has no %s: %s", len(lines)+1, key, s.Text())
			}
		}
		lines = append(lines, l)
	}
	seconds := o.States.Follow + o.States.Yield + o.States.Replan + o.States.Wait + o.States.Free
	if math.Abs(float64(len(lines))-seconds) > 3 || len(lines) < 10 {
		t.Errorf("%d lines of %.1f s", len(lines), seconds)
	}
	fastest := 0.0
	for n, l := range lines {
		fastest = max(fastest, l.Speed)
		if n > 0 && l.Seed == lines[n-1].Seed && math.Abs(l.Time-lines[n-1].Time-1) > 1e-6 {
			t.Errorf("%g s after %g s", l.Time, lines[n-1].Time)
		}
		if l.Seed < 31 || l.Seed > 32 || n > 0 && l.Seed < lines[n-1].Seed {
			t.Errorf("line %d is of seed %d", n+1, l.Seed)
		}
		if len(l.People) != 2 || l.Nearest == nil || *l.Nearest < 0 || !slices.Contains([]string{"follow", "yield", "replan", "wait", "free"}, l.State) {
			t.Errorf("line %d: %+v", n+1, l)
		}
		if math.Hypot(l.Truth.X-l.Estimate.X, l.Truth.Y-l.Estimate.Y) > 0.3 {
			t.Errorf("line %d: the robot is at %+v and its estimate is %+v", n+1, l.Truth, l.Estimate)
		}
	}
	if fastest < 0.3 || fastest > 0.6 {
		t.Errorf("the robot drives at %g m/s at most", fastest)
	}
}
