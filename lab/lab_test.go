package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
)

// tables holds what is made from maps, once for all tests.
var tables shelf

// shelf is a cache in memory.
type shelf struct{ sync.Map }

func (s *shelf) Get(key string) ([]byte, bool) {
	data, ok := s.Load(key)
	if !ok {
		return nil, false
	}
	return data.([]byte), true
}

func (s *shelf) Put(key string, data []byte) { s.Store(key, data) }

// run runs lab and returns what it prints.
func run(t *testing.T, args ...string) (out, errOut string, err error) {
	t.Helper()
	var o, e bytes.Buffer
	err = call{out: &o, err: &e, tables: &tables}.run(t.Context(), args)
	return o.String(), e.String(), err
}

func TestAFullBatteryLastsFiveHours(t *testing.T) {
	out, _, err := run(t, "battery", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var o batteryOutcome
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	t.Log(out)
	if !(o.Hours >= 4.5 && o.Hours <= 5.5) {
		t.Errorf("it lasts %v h; it must last 5 h within a tenth", o.Hours)
	}
	if o.Seed != 1 || !(o.Metres > 1000) {
		t.Errorf("the outcome is %+v", o)
	}
}

func TestOdometryLosesASquareOnlyWithSlip(t *testing.T) {
	out, _, err := run(t, "square", "--json", "--seed", "3", "--seeds", "2")
	if err != nil {
		t.Fatal(err)
	}
	var o squareOutcome
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	if len(o.Seeds) != 2 || o.Seeds[0] != 3 || o.Seeds[1] != 4 || len(o.Runs) != 8 {
		t.Errorf("the seeds are %v and there are %d runs; they must be 3 and 4, and 8", o.Seeds, len(o.Runs))
	}
	if e := o.Ideal.Worst; !(e.Position < 0.01 && e.Heading < 0.2) {
		t.Errorf("without slip odometry is off by %+v", e)
	}
	if e := o.Real.Mean; !(e.Position > 0.05 && e.Position < 1.5) {
		t.Errorf("with slip odometry is off by %+v on average", e)
	}
	if !(o.Real.Fused.Heading < o.Real.Mean.Heading) {
		t.Errorf("with the compass the heading is off by %v deg, without it by %v deg", o.Real.Fused.Heading, o.Real.Mean.Heading)
	}
	again, _, err := run(t, "square", "--json", "--seed", "3", "--seeds", "2")
	if err != nil || again != out {
		t.Errorf("the same seeds give another outcome: %v\n%s", err, again)
	}
}

func TestTheOutcomeIsAlsoToldInWords(t *testing.T) {
	out, _, err := run(t, "square", "--seeds", "1")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Without slip: wheels alone 0.00", "With slip: wheels alone 0.", "       1  with    left"} {
		if !strings.Contains(out, want) {
			t.Errorf("the words lack %q:\n%s", want, out)
		}
	}
}

func TestAWrongCallIsToldWhatWouldBeRight(t *testing.T) {
	for call, want := range map[string]string{
		"squire":            `there is no experiment "squire": it is battery or `,
		"square --sides 5":  "flag provided but not defined: -sides",
		"square --seeds 0":  "--seeds is 0; it must be from 1 to 1000",
		"battery --seed -1": "invalid value",
		"battery now":       `battery takes flags only, not "now"`,
	} {
		_, _, err := run(t, strings.Fields(call)...)
		if !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), want) {
			t.Errorf("lab %s: %v; it must say %q", call, err, want)
		}
	}
}

func TestHelpListsTheExperiments(t *testing.T) {
	for _, args := range [][]string{nil, {"help"}, {"--help"}} {
		out, _, err := run(t, args...)
		if err != nil || !strings.Contains(out, "mybot lab battery") || !strings.Contains(out, "mybot lab square") {
			t.Errorf("lab %v: %v\n%s", args, err, out)
		}
	}
	if _, errOut, err := run(t, "square", "-h"); err != nil || !strings.Contains(errOut, "-seeds") {
		t.Errorf("lab square -h: %v\n%s", err, errOut)
	}
}

func TestAnExperimentEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"battery", "square"} {
		if err := Run(ctx, []string{name}, &bytes.Buffer{}, &bytes.Buffer{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s says %v", name, err)
		}
	}
}
