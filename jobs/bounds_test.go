package jobs

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"mybot/robot"
	"mybot/strictjson"
)

func TestEveryBoundOfAJobHoldsExactly(t *testing.T) {
	wait := Step{Type: Wait, Seconds: 1}
	waits := func(n int) []Step {
		steps := make([]Step, n)
		for i := range steps {
			steps[i] = wait
		}
		return steps
	}
	with := func(s Step) Job { return Job{Name: "Job", Steps: []Step{s}} }
	pose := func(x, theta float64) Job { return with(Step{Type: Move, Pose: &[3]float64{x, 0, theta}}) }
	for name, c := range map[string]struct {
		job   Job
		fault bool
	}{
		"an id of the longest length":     {Job{ID: strings.Repeat("a", MaxName), Name: "Job", Steps: waits(1)}, false},
		"an id that is one letter longer": {Job{ID: strings.Repeat("a", MaxName+1), Name: "Job", Steps: waits(1)}, true},
		"a name of the longest length":    {Job{Name: strings.Repeat("ä", MaxName), Steps: waits(1)}, false},
		"a name that is one longer":       {Job{Name: strings.Repeat("ä", MaxName+1), Steps: waits(1)}, true},
		"as many steps as there may be":   {Job{Name: "Job", Steps: waits(MaxSteps)}, false},
		"one step more":                   {Job{Name: "Job", Steps: waits(MaxSteps + 1)}, true},
		"a place of the longest name":     {with(Step{Type: Move, Place: strings.Repeat("p", MaxName)}), false},
		"a place of a longer name":        {with(Step{Type: Move, Place: strings.Repeat("p", MaxName+1)}), true},
		"the farthest pose":               {pose(1e5, 0), false},
		"a pose beyond it":                {pose(math.Nextafter(1e5, 2e5), 0), true},
		"a heading of many turns":         {pose(0, 2e5), false},
		"a heading that is no number":     {pose(0, math.NaN()), true},
		"a heading without end":           {pose(0, math.Inf(1)), true},
		"a text of the longest length":    {with(Step{Type: Voice, Text: strings.Repeat("t", maxTextLength(t))}), false},
		"a text that is one longer":       {with(Step{Type: Voice, Text: strings.Repeat("t", maxTextLength(t)+1)}), true},
	} {
		t.Run(name, func(t *testing.T) {
			if f := c.job.Check(nil); (len(f) > 0) != c.fault {
				t.Errorf("the faults are %q; a fault is expected: %v", Faults(f).Error(), c.fault)
			}
		})
	}
}

// maxTextLength finds the longest VOICE text that the check accepts.
func maxTextLength(t *testing.T) int {
	t.Helper()
	var most int
	f := Job{Name: "Job", Steps: []Step{{Type: Voice}}}.Check(nil)
	for _, fault := range f {
		if _, after, ok := strings.Cut(fault.Text, "1 to "); ok && fault.Field == "text" {
			if _, err := fmt.Sscanf(after, "%d", &most); err != nil {
				t.Fatal(err)
			}
			return most
		}
	}
	t.Fatalf("an empty text is no fault: %v", f)
	return 0
}

func TestABodyOfTheLongestLengthIsReadAndALongerOneIsNot(t *testing.T) {
	body := []byte(`{"name":"Job","steps":[{"type":"WAIT","seconds":1}]}`)
	padded := append(body, []byte(strings.Repeat(" ", MaxBytes-len(body)))...)
	if _, err := Parse(padded); err != nil {
		t.Errorf("%d bytes: %v", len(padded), err)
	}
	if _, err := Parse(append(padded, ' ')); err == nil || !strings.Contains(err.Error(), fmt.Sprint(MaxBytes)) {
		t.Errorf("%d bytes: %v; the limit should be named", len(padded)+1, err)
	}
}

func TestTheFirstFaultIsToldWithTheNumberOfOthers(t *testing.T) {
	for n, end := range map[int]string{1: "a", 2: "a There is one more", 3: "a There are 2 more"} {
		f := make(Faults, n)
		f[0].Text = "a"
		if got := f.Sentence(); !strings.HasPrefix(got, end) || n == 1 && got != "a" {
			t.Errorf("of %d faults the error names %q", n, got)
		}
	}
	if got := (Faults{}).Sentence(); got != "" {
		t.Errorf("without a fault the error names %q", got)
	}
	var f Faults
	f.addFault(0, "", "first")
	f.addFault(-1, "", "whole")
	if f[0].Text != "Step 1: first" || f[1].Text != "whole" {
		t.Errorf("the faults are %q", f)
	}
}

func TestAnIDKeepsTheFirstAndTheLastOfLettersAndDigits(t *testing.T) {
	if got := IDOf("Az 09"); got != "az-09" {
		t.Errorf("the id is %q", got)
	}
}

func TestANumberIsAWholeOneUpToWhatAFloatTellsApart(t *testing.T) {
	r := reader{step: -1}
	for text, ok := range map[string]bool{
		"9007199254740992": true, "-9007199254740992": true, "9007199254740994": false, "1.5": false, `"1"`: false, "true": false, "null": false,
	} {
		r.faults = nil
		if takeWhole(strictjson.NewObject([]byte(`{"n":`+text+`}`), "", r.reportFault), "n"); (len(r.faults) == 0) != ok {
			t.Errorf("%s: %v", text, r.faults)
		}
	}
}

func TestARevisionOfZeroIsNoFault(t *testing.T) {
	if _, err := Parse([]byte(`{"name":"Job","revision":0,"steps":[{"type":"WAIT","seconds":1}]}`)); err != nil {
		t.Error(err)
	}
	if _, err := Parse([]byte(`{"name":"Job","revision":-1,"steps":[{"type":"WAIT","seconds":1}]}`)); err == nil {
		t.Error("a revision below zero is read")
	}
	if _, err := ParseSteps([]byte(`[5]`)); err == nil || !strings.HasPrefix(err.Error(), "Step 1: ") {
		t.Errorf("a step that is a number: %v", err)
	}
	if _, err := ParseSteps([]byte(`{}`)); err == nil || strings.HasPrefix(err.Error(), "Step") {
		t.Errorf("steps that are no list: %v", err)
	}
}

func TestAPlaceThatIsOnTheMapIsNoFault(t *testing.T) {
	here := func(name string) (robot.Pose, bool) { return robot.Pose{}, name == "Sofa" }
	if f := (Job{Name: "Job", Steps: []Step{{Type: Move, Place: "Sofa"}}}).Check(here); len(f) != 0 {
		t.Errorf("the faults are %v", f)
	}
}
