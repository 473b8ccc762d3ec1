package jobs

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"mybot/robot"
)

// anyJob draws a valid job.
func anyJob() *rapid.Generator[Job] {
	return rapid.Custom(func(t *rapid.T) Job {
		j := Job{
			Name:  rapid.StringMatching(`[A-Z][a-z ]{0,58}[a-z한]`).Draw(t, "name"),
			Steps: rapid.SliceOfN(anyStep(), 1, 12).Draw(t, "steps"),
		}
		if rapid.Bool().Draw(t, "kept") {
			j.ID, j.Revision, j.Changed = IDOf(j.Name), rapid.Uint64Range(1, 1e6).Draw(t, "revision"), epoch
		}
		return j
	})
}

func anyStep() *rapid.Generator[Step] {
	return rapid.Custom(func(t *rapid.T) Step {
		seconds := rapid.Float64Range(1, 3600)
		maybe := func() float64 {
			if rapid.Bool().Draw(t, "default") {
				return 0
			}
			return math.Ceil(seconds.Draw(t, "seconds"))
		}
		text := rapid.StringMatching(`[A-Za-z한]([A-Za-z .\n]{0,40})`)
		s := Step{Type: rapid.SampledFrom([]Kind{Move, Voice, Message, Wait}).Draw(t, "type")}
		switch s.Type {
		case Move:
			if rapid.Bool().Draw(t, "named") {
				s.Place = rapid.SampledFrom([]string{"Sofa", "Desk", "Copy room"}).Draw(t, "place")
			} else {
				at := rapid.Float64Range(-1e5, 1e5)
				s.Pose = &[3]float64{at.Draw(t, "x"), at.Draw(t, "y"), rapid.Float64Range(-math.Pi, math.Pi).Draw(t, "theta")}
			}
			s.Seconds = maybe()
		case Voice:
			s.Text, s.Voice = text.Draw(t, "text"), rapid.SampledFrom([]string{"", "en", "gmw/en-US"}).Draw(t, "voice")
			s.Speed = rapid.SampledFrom([]float64{0, 0.5, 1, 1.25, 2}).Draw(t, "speed")
		case Message:
			s.Text, s.OK, s.Seconds = text.Draw(t, "text"), rapid.Bool().Draw(t, "ok"), maybe()
		case Wait:
			s.OK, s.Seconds = rapid.Bool().Draw(t, "ok"), seconds.Draw(t, "seconds")
		}
		s.OnFailure = rapid.SampledFrom([]OnFailure{"", FailStop, FailSkip, FailRetry}).Draw(t, "on failure")
		if s.OnFailure == FailRetry {
			s.Retries = rapid.IntRange(0, maxRetries).Draw(t, "retries")
			s.RetryAfter = rapid.Float64Range(0, 600).Draw(t, "after")
		}
		return s
	})
}

func TestAJobIsReadAsItWasWritten(t *testing.T) {
	schema := compiled(t)
	rapid.Check(t, func(t *rapid.T) {
		j := anyJob().Draw(t, "job")
		data := jsonOf(j)
		got, err := Parse(data)
		if err != nil {
			t.Fatalf("%s\n%v", data, err)
		}
		if !reflect.DeepEqual(got, j) {
			t.Fatalf("read %+v, want %+v", got, j)
		}
		if err := schema(data); err != nil {
			t.Fatalf("the schema does not allow %s: %v", data, err)
		}
	})
}

// compiled returns a validator for the published schema.
func compiled(t testing.TB) func(data []byte) error {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("job.json", document); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("job.json")
	if err != nil {
		t.Fatal(err)
	}
	return func(data []byte) error {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			return err
		}
		return s.Validate(v)
	}
}

func TestEveryFaultNamesTheStepTheFieldAndWhatWouldBeRight(t *testing.T) {
	const head, tail = `{"name":"J","steps":[{"type":"WAIT","seconds":1},`, `]}`
	long := strings.Repeat("a", 201)
	schema := compiled(t)
	for _, c := range []struct {
		name, json string
		step       int
		field, say string
		loose      bool // the schema cannot say it
	}{
		{"nothing", ``, -1, "", "empty", false},
		{"no JSON", "{\n\"name\": }", -1, "", "line 2 is not JSON", false},
		{"half a job", `{"name":"J"`, -1, "", "not whole JSON", false},
		{"two jobs", `{"name":"J","steps":[{"type":"WAIT","seconds":1}]} {}`, -1, "", "one JSON object", false},
		{"a list", `[]`, -1, "", "should be an object such as", false},
		{"no name", `{"steps":[{"type":"WAIT","seconds":1}]}`, -1, "name", "no name", false},
		{"an empty name", `{"name":" ","steps":[{"type":"WAIT","seconds":1}]}`, -1, "name", "1 to 60", false},
		{"a name of lines", `{"name":"a\nb","steps":[{"type":"WAIT","seconds":1}]}`, -1, "name", "one line", true},
		{"a long name", `{"name":"` + long[:61] + `","steps":[{"type":"WAIT","seconds":1}]}`, -1, "name", "has 61 characters", false},
		{"no steps", `{"name":"J","steps":[]}`, -1, "steps", "0 steps; it should have 1 to 100", false},
		{"no list of steps", `{"name":"J","steps":{}}`, -1, "steps", "a list of steps", false},
		{"null for steps", `{"name":"J","steps":null}`, -1, "steps", "a list of steps", false},
		{"too many steps", `{"name":"J","steps":[` + strings.Repeat(`{"type":"WAIT","seconds":1},`, 100) + `{"type":"WAIT","seconds":1}]}`, -1, "steps", "has 101 steps", false},
		{"an unknown field of the job", `{"name":"J","color":1,"steps":[{"type":"WAIT","seconds":1}]}`, -1, "color", "the fields are id, name", false},
		{"a bad id", `{"id":"A B","name":"J","steps":[{"type":"WAIT","seconds":1}]}`, -1, "id", "lower-case letters", false},
		{"a revision below zero", `{"revision":-1,"name":"J","steps":[{"type":"WAIT","seconds":1}]}`, -1, "revision", "the revision that was read", false},
		{"a bad time", `{"changed":"yesterday","name":"J","steps":[{"type":"WAIT","seconds":1}]}`, -1, "changed", "2026-11-20T14:21:00Z", true},

		{"a step that is none", head + `7` + tail, 1, "", "should be an object", false},
		{"no type", head + `{}` + tail, 1, "type", "should be MOVE, VOICE, MESSAGE or WAIT", false},
		{"an unknown type", head + `{"type":"FLY"}` + tail, 1, "type", `"FLY"`, false},
		{"a type of another kind", head + `{"type":1}` + tail, 1, "type", "text in quotes", false},
		{"an unknown field", head + `{"type":"WAIT","seconds":1,"minutes":2}` + tail, 1, "minutes", "not known; the fields are", false},
		{"a field twice", head + `{"type":"WAIT","seconds":1,"seconds":2}` + tail, 1, "seconds", "twice", true},
		{"a field of another kind of step", head + `{"type":"WAIT","seconds":1,"text":"a"}` + tail, 1, "text", "a WAIT has no text", false},
		{"no goal", head + `{"type":"MOVE"}` + tail, 1, "place", "needs a place, or a pose", false},
		{"two goals", head + `{"type":"MOVE","place":"Sofa","pose":[1,2,3]}` + tail, 1, "pose", "not both", false},
		{"half a pose", head + `{"type":"MOVE","pose":[1,2]}` + tail, 1, "pose", "[x, y, theta]", false},
		{"a pose of words", head + `{"type":"MOVE","pose":[1,2,"north"]}` + tail, 1, "pose", "[x, y, theta]", false},
		{"null for a pose", head + `{"type":"MOVE","pose":null}` + tail, 1, "pose", "[x, y, theta]", false},
		{"a pose far away", head + `{"type":"MOVE","pose":[1,2e5,0]}` + tail, 1, "pose", "y of the pose is 200000", false},
		{"a place of lines", head + `{"type":"MOVE","place":"a\tb"}` + tail, 1, "place", "one line", true},
		{"no text", head + `{"type":"VOICE"}` + tail, 1, "text", "the text is empty", false},
		{"a text that is not seen", head + `{"type":"MESSAGE","text":"\u200b\u2800"}` + tail, 1, "text", "the text is empty", true},
		{"a name that is not seen", `{"name":"\u200b","steps":[{"type":"WAIT","seconds":1}]}`, -1, "name", "The name of the job is empty", true},
		{"a long text", head + `{"type":"VOICE","text":"` + long + `"}` + tail, 1, "text", "has 201 characters; it should have 1 to 200", false},
		{"a long message", head + `{"type":"MESSAGE","text":"` + long[:141] + `"}` + tail, 1, "text", "has 141 characters; it should have 1 to 140", false},
		{"a text that rings", head + `{"type":"MESSAGE","text":"a\u0007"}` + tail, 1, "text", "cannot be displayed", true},
		{"an odd voice", head + `{"type":"VOICE","text":"a","voice":"--stdin"}` + tail, 1, "voice", "such as en or ko", false},
		{"too fast", head + `{"type":"VOICE","text":"a","speed":3}` + tail, 1, "speed", "speed is 3; it should be 0.5 to 2", false},
		{"a speed in words", head + `{"type":"VOICE","text":"a","speed":"fast"}` + tail, 1, "speed", "a number", false},
		{"a wait without an end", head + `{"type":"WAIT"}` + tail, 1, "seconds", "seconds is 0; it should be 1 to 3600 s", false},
		{"a long wait", head + `{"type":"WAIT","seconds":3601}` + tail, 1, "seconds", "1 to 3600 s", false},
		{"a number that is none", head + `{"type":"WAIT","seconds":1e999}` + tail, 1, "seconds", "should be a number", false},
		{"ok in words", head + `{"type":"WAIT","seconds":1,"ok":"yes"}` + tail, 1, "ok", "true or false", false},
		{"another way to fail", head + `{"type":"WAIT","seconds":1,"on_failure":"cry"}` + tail, 1, "on_failure", "stop, skip or retry", false},
		{"retries without retry", head + `{"type":"WAIT","seconds":1,"retries":2}` + tail, 1, "retries", "only with on_failure retry", false},
		{"a pause without retry", head + `{"type":"WAIT","seconds":1,"on_failure":"skip","retry_after":2}` + tail, 1, "retry_after", "only with on_failure retry", false},
		{"half a retry", head + `{"type":"WAIT","seconds":1,"on_failure":"retry","retries":1.5}` + tail, 1, "retries", "a whole number", false},
		{"many retries", head + `{"type":"WAIT","seconds":1,"on_failure":"retry","retries":11}` + tail, 1, "retries", "1 to 10", false},
		{"a long pause", head + `{"type":"WAIT","seconds":1,"on_failure":"retry","retry_after":601}` + tail, 1, "retry_after", "0 to 600 s", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.json))
			var faults Faults
			if !errors.As(err, &faults) || len(faults) != 1 {
				t.Fatalf("the faults are %v, want one", err)
			}
			f := faults[0]
			if f.Step != c.step || f.Field != c.field || !strings.Contains(f.Text, c.say) || !strings.HasSuffix(f.Text, ".") {
				t.Errorf("the fault is %+v, want step %d, field %q and it to say %q", f, c.step, c.field, c.say)
			}
			if c.step >= 0 && !strings.HasPrefix(f.Text, "Step 2: ") {
				t.Errorf("%q does not name the step", f.Text)
			}
			if json.Valid([]byte(c.json)) && (schema([]byte(c.json)) == nil) != c.loose {
				t.Errorf("the schema allows it: %t", !c.loose)
			}
		})
	}
}

func TestAllFaultsAreToldAtOnce(t *testing.T) {
	_, err := Parse([]byte(`{"name":"","steps":[{"type":"MOVE"},{"type":"WAIT"}]}`))
	var faults Faults
	if !errors.As(err, &faults) || len(faults) != 3 || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("the error is %q, want three lines", err)
	}
}

func TestAPlaceIsLookedUp(t *testing.T) {
	j := Job{Name: "J", Steps: []Step{{Type: Move, Place: "Sofa"}, {Type: Move, Place: "Moon"}}}
	faults := j.Check(func(name string) (robot.Pose, bool) { return robot.Pose{}, name == "Sofa" })
	if len(faults) != 1 || faults[0].Step != 1 || faults[0].Field != "place" || !strings.Contains(faults[0].Text, `"Moon"`) {
		t.Errorf("the faults are %v, want one about Moon", faults)
	}
}

func TestStepsAloneAreReadAsStrictly(t *testing.T) {
	steps, err := ParseSteps([]byte(`[{"type":"WAIT","seconds":1}]`))
	if err != nil || len(steps) != 1 || steps[0] != (Step{Type: Wait, Seconds: 1}) {
		t.Errorf("read %v, %v", steps, err)
	}
	for _, bad := range []string{``, `7`, `null`, `[]`, `[{"type":"WAIT"}]`, `[{"type":"WAIT","seconds":1,"a":1}]`} {
		if _, err := ParseSteps([]byte(bad)); !errors.As(err, new(Faults)) {
			t.Errorf("%q is read with %v, want faults", bad, err)
		}
	}
}

func TestAnIDIsMadeOfTheName(t *testing.T) {
	for name, want := range map[string]string{
		"Paper to Jin": "paper-to-jin", "  Hello,  world! ": "hello-world", "심부름": "job", "": "job", "7": "7", "Tür": "t-r",
	} {
		if got := IDOf(name); got != want {
			t.Errorf("the id of %q is %q, want %q", name, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		if f := (Job{ID: IDOf(name), Name: "J", Steps: []Step{{Type: Wait, Seconds: 1}}}).Check(nil); len(f) > 0 {
			t.Fatal(f)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"name":"J","steps":[{"type":"MOVE","place":"Sofa"},{"type":"VOICE","text":"Hello!","voice":"en","speed":1},{"type":"MESSAGE","text":"Touch OK.","ok":true,"seconds":60},{"type":"WAIT","seconds":30,"ok":true,"on_failure":"skip"}]}`,
		`{"id":"a","name":"J","revision":3,"changed":"2026-11-20T14:21:00Z","steps":[{"type":"MOVE","pose":[1,2,-0.5],"on_failure":"retry","retries":2,"retry_after":0.5}]}`,
		`{"name":"J","steps":[{"type":"WAIT","seconds":-1e999,"":null}]}`, `{"steps":[[]]}`, `{`, `""`,
	} {
		f.Add([]byte(s))
	}
	schema := compiled(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		j, err := Parse(data)
		if err != nil {
			for _, fault := range err.(Faults) { //nolint:errorlint // there is no other error
				if fault.Text == "" || len(fault.Text) > 1000 {
					t.Fatalf("the fault is reported as %q", fault.Text)
				}
			}
			return
		}
		again := jsonOf(j)
		if k, err := Parse(again); err != nil || !slices.EqualFunc(j.Steps, k.Steps, Step.Equal) || !j.Changed.Equal(k.Changed) || j.Name != k.Name {
			t.Fatalf("%s is read as %s and then as %+v, %v", data, again, k, err)
		}
		if err := schema(again); err != nil {
			t.Fatalf("the schema does not allow %s: %v", again, err)
		}
		if len(j.Check(nil)) > 0 || time.Time.IsZero(j.Changed) && bytes.Contains(again, []byte("changed")) {
			t.Fatalf("%s was read", again)
		}
	})
}
