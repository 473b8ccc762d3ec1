package faults

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/experiment/experimenttest"
)

func TestTheBeginningOfBrakingIsFoundInWhatTheWheelsWereTold(t *testing.T) {
	begin := time.Date(2026, 11, 20, 14, 33, 0, 0, time.UTC)
	at := func(ms int) time.Time { return begin.Add(time.Duration(ms) * time.Millisecond) }
	for _, c := range []struct {
		name  string
		list  []told
		fault int // ms
		stood int // ms
		want  int // ms; -1 = the robot did not cruise
		again bool
	}{
		{"the first slower command", []told{{at(0), 0.45}, {at(20), 0.45}, {at(40), 0.44}, {at(60), 0.43}, {at(80), 0}}, 10, 80, 40, false},
		{"zero at once", []told{{at(0), 0.45}, {at(20), 0}}, 10, 100, 20, false},
		{"nothing more is told", []told{{at(0), 0.45}, {at(20), 0.45}}, 30, 1000, 270, false},
		{"nothing is told for a while and then zero", []told{{at(0), 0.45}, {at(400), 0}}, 10, 500, 250, false},
		{"a dip is not for good", []told{{at(0), 0.45}, {at(20), 0.43}, {at(40), 0.45}, {at(60), 0.44}, {at(80), 0}}, 10, 100, 60, false},
		{"it is told to go when it stood", []told{{at(0), 0.45}, {at(20), 0}, {at(900), 0}, {at(920), 0.1}, {at(940), 0}}, 10, 900, 20, true},
		{"one command to go when it stood and was forgotten", []told{{at(0), 0.45}, {at(1400), 0.45}, {at(1420), 0}}, 10, 1200, 250, true},
		{"it was slow before the fault", []told{{at(0), 0.45}, {at(20), 0.3}, {at(40), 0}}, 30, 100, -1, false},
		{"it has forgotten before the fault", []told{{at(0), 0.45}, {at(20), 0.45}}, 271, 900, -1, false},
		{"it was told nothing before the fault", []told{{at(40), 0.45}}, 30, 100, -1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, again, ok := brakingIn(c.list, at(c.fault), at(c.stood), 250*time.Millisecond)
			if ok != (c.want >= 0) {
				t.Fatalf("the robot cruised: %v", ok)
			}
			if ok && !got.Equal(at(c.want)) {
				t.Errorf("braking begins at %v, want %v", got.Sub(begin), at(c.want).Sub(begin))
			}
			if again != c.again {
				t.Errorf("the robot moves again: %v", again)
			}
		})
	}
}

// outcome runs the faults and returns their outcome.
func outcome(t *testing.T, args ...string) faultsOutcome {
	t.Helper()
	experimenttest.StartChildren(t)
	out, _, err := commands.Run(t, append([]string{"faults", "--json"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(strings.TrimSpace(out))
	var o faultsOutcome
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestTheRobotStandsAfterEveryFault(t *testing.T) {
	standsAfter(t, 10, outcome(t, "--trials", "1", "--chromium=false"))
}

func TestRowsTellTheirPolicyAndWhereTheyWereMeasured(t *testing.T) {
	for _, f := range allFaults() {
		o := newFaultOutcome(f)
		track, wheels := strings.Contains(f.name, "track") || f.real == realChromium, strings.Contains(f.name, "track") || strings.HasPrefix(f.name, "server")
		if (o.Policy == "track") != track || (o.Measured == "wheels") != wheels {
			t.Errorf("%+v", o)
		}
	}
}

// The base promises to hold for 250 ms, but holds for a second.
func TestABaseWhoseWatchdogIsSlowerThanItSaysIsMissed(t *testing.T) {
	frozen := fault{name: "server loop frozen", alone: true, strike: func(r *rig) { r.hit = r.base.freezeLoop() }, heal: func(r *rig) { r.base.thawLoop() }}
	for holds, missed := range map[time.Duration]bool{0: false, time.Second: true} {
		frozen.holds = holds
		got, err := runTrial(t.Context(), frozen, 0)
		if err != nil {
			t.Fatal(err)
		}
		about := max(holds, 250*time.Millisecond)
		if got.missed != missed || got.braked < about-lookSlack || got.braked > about+lookSlack {
			t.Errorf("a base that holds for %v brakes after %v, missed %v", about, got.braked, got.missed)
		}
	}
}

func TestTheBeginningOfBrakingIsFoundAtTheWheels(t *testing.T) {
	var speeds []speed
	for ms := 0; ms < 2000; ms += 10 {
		v := 0.45 * max(0, min(1, 1-float64(ms-300)/800))
		if ms < 100 { // a short dip is no braking
			v = 0.45 - 0.2*float64(ms)/100
		}
		speeds = append(speeds, speed{time.Duration(ms) * time.Millisecond, v})
	}
	if got := wheelsBraked(speeds); got < 285*time.Millisecond || got > 305*time.Millisecond {
		t.Errorf("braking begins after %v, want 300 ms", got)
	}
}

func TestTheRobotStandsWhenItsRealPageOrBrowserBreaks(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes long; -short leaves it out")
	}
	o := outcome(t, "--trials", "1", "--fault", "Chromium")
	if o.Skipped != "" {
		t.Skip(o.Skipped)
	}
	standsAfter(t, 4, o)
	for _, f := range o.Faults {
		if f.Real != "chromium" {
			t.Errorf("%s claims to be with %q", f.Fault, f.Real)
		}
	}
}

// standsAfter returns what is wrong with an outcome of one trial of each fault.
func standsAfter(t *testing.T, faults int, o faultsOutcome) {
	t.Helper()
	if len(o.Faults) != faults {
		t.Fatalf("%d faults were tested, there are %d", len(o.Faults), faults)
	}
	for _, f := range o.Faults {
		if f.Trials != 1 || f.Missed != 0 {
			t.Errorf("%s: missed %d of %d", f.Fault, f.Missed, f.Trials)
		}
		// A base whose server is killed brakes before the first check of its wheels.
		if !(f.Worst >= 0 && f.Standstill > f.Worst && f.Way > 0.15 && f.Way < 1.5) {
			t.Errorf("%s: the robot brakes after %v ms, stands after %v ms and %v m", f.Fault, f.Worst, f.Standstill, f.Way)
		}
	}
}

func TestWithoutChromiumTheRealPagesAreSkippedWithAWord(t *testing.T) {
	t.Setenv("PATH", "")
	o := outcome(t, "--trials", "1", "--fault", "Chromium")
	if len(o.Faults) != 0 || !strings.Contains(o.Skipped, "on the PATH") {
		t.Errorf("the outcome says %q and has %d outcomes", o.Skipped, len(o.Faults))
	}
	if text := o.String(); !strings.Contains(text, "Without a real page") {
		t.Errorf("the text is %s", text)
	}
}

// The processes of this test are real and get killed.
func TestKillingOrFreezingAProcessNeverLeavesTheRobotMoving(t *testing.T) {
	if os.Getenv("MYBOT_LONG") == "" {
		t.Skip("takes a while: MYBOT_LONG is not set")
	}
	o := outcome(t, "--trials", "30", "--side", "20", "--fault", "process")
	if len(o.Faults) != 3 {
		t.Fatalf("there are %d faults of processes, want 3", len(o.Faults))
	}
	for _, f := range o.Faults {
		if f.Missed != 0 {
			t.Errorf("%s: missed %d of %d", f.Fault, f.Missed, f.Trials)
		}
	}
}

func TestAFaultThatIsNotThereIsSaid(t *testing.T) {
	for args, want := range map[string]string{
		"faults --fault lightning":    `--fault is "lightning"; it must be a part of uplink lost,`,
		"faults --trials 0":           "--trials is 0; it must be from 1 to 10000",
		"faults --side 0":             "--side is 0; it must be from 1 to 1000",
		"operator --addr 127.0.0.1:0": "127.0.0.1:0",
	} {
		_, _, err := commands.Run(t, strings.Fields(args)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("lab %s says %v, want %q", args, err, want)
		}
		if strings.HasPrefix(args, "f") && !errors.Is(err, experiment.ErrUsage) {
			t.Errorf("lab %s is no usage error", args)
		}
	}
}
