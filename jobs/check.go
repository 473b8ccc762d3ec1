package jobs

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"mybot/robot"
	"mybot/strictjson"
)

// Limits of a job.
const (
	MaxSteps   = 100
	MaxName    = 60  // letters of a job's name, of its id and of a place's name
	maxVoice   = 200 // letters of the text of a VOICE
	MaxMessage = 140 // letters of the text of a MESSAGE
	maxRetries = 10

	maxSeconds    = 3600.0
	maxRetryAfter = 600.0
	minSpeed      = 0.5
	maxSpeed      = 2.0
	MaxCoordinate = 100_000.0 // m
)

// A Fault is one thing that is wrong with a job.
type Fault struct {
	Step  int    `json:"step"`  // index; -1 = the job itself
	Field string `json:"field"` // of the step or the job, as in JSON; "" = the whole
	Text  string `json:"text"`  // a sentence that names both and says what would be right
}

// Faults is a list of faults, and an error.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.Text
	}
	return strings.Join(lines, "\n")
}

// Sentence returns the first fault, and the number of the others.
func (f Faults) Sentence() string {
	switch more := len(f) - 1; {
	case more < 0:
		return ""
	case more == 0:
		return f[0].Text
	case more == 1:
		return f[0].Text + " There is one more fault."
	default:
		return fmt.Sprintf("%s There are %d more faults.", f[0].Text, more)
	}
}

func (f *Faults) addFault(step int, field, format string, args ...any) {
	where := ""
	if step >= 0 {
		where = fmt.Sprintf("Step %d: ", step+1)
	}
	*f = append(*f, Fault{step, field, where + fmt.Sprintf(format, args...)})
}

// asError returns the faults as an error; nil if there are none.
func (f Faults) asError() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

var (
	idForm    = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	voiceForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_+/-]{0,39}$`)
)

// Check returns the faults of the job; none = it can be prepared. place looks up a
// place on the map; nil = names are not looked up.
func (j Job) Check(place func(name string) (robot.Pose, bool)) []Fault {
	var f Faults
	if j.ID != "" && (!idForm.MatchString(j.ID) || len(j.ID) > MaxName) {
		f.addFault(-1, "id", "The id of the job is %q; it should be lower-case letters, digits and single hyphens, at most %d characters.", clipText(j.ID), MaxName)
	}
	switch n := utf8.RuneCountInString(j.Name); {
	case robot.Blank(j.Name):
		f.addFault(-1, "name", "The name of the job is empty; it should have 1 to %d characters.", MaxName)
	case n > MaxName:
		f.addFault(-1, "name", "The name of the job has %d characters; it should have 1 to %d.", n, MaxName)
	case !robot.Legible(j.Name, ""):
		f.addFault(-1, "name", "The name of the job %s; it should be one line of text.", unlegible)
	}
	if n := len(j.Steps); n == 0 || n > MaxSteps {
		f.addFault(-1, "steps", "The job has %d steps; it should have 1 to %d.", n, MaxSteps)
	}
	for i, s := range j.Steps[:min(len(j.Steps), MaxSteps)] {
		s.checkStep(i, place, &f)
	}
	return f
}

// fieldsOf returns the fields that a kind of step may have besides those of all
// steps.
func fieldsOf(k Kind) ([]string, bool) {
	switch k {
	case Move:
		return []string{"place", "pose", "seconds"}, true
	case Voice:
		return []string{"text", "voice", "speed"}, true
	case Message:
		return []string{"text", "ok", "seconds"}, true
	case Wait:
		return []string{"seconds", "ok"}, true
	}
	return nil, false
}

func (s Step) checkStep(i int, place func(string) (robot.Pose, bool), f *Faults) {
	fields, known := fieldsOf(s.Type)
	if !known {
		f.addFault(i, "type", "type is %q; it should be MOVE, VOICE, MESSAGE or WAIT.", clipText(string(s.Type)))
		return
	}
	for _, c := range []struct {
		name string
		has  bool
	}{
		{"place", s.Place != ""},
		{"pose", s.Pose != nil},
		{"text", s.Text != ""},
		{"voice", s.Voice != ""},
		{"speed", s.Speed != 0},
		{"ok", s.OK},
		{"seconds", s.Seconds != 0},
	} {
		if c.has && !slices.Contains(fields, c.name) {
			f.addFault(i, c.name, "a %s has no %s; it may have %s.", s.Type, c.name, strings.Join(fields, ", "))
		}
	}
	switch s.Type {
	case Move:
		s.checkGoal(i, place, f)
	case Voice:
		checkText(i, s.Text, maxVoice, f)
		if s.Voice != "" && !voiceForm.MatchString(s.Voice) {
			f.addFault(i, "voice", "voice is %q; it should be the name of a voice, such as en or ko.", clipText(s.Voice))
		}
		if s.Speed != 0 {
			checkNumber(i, "speed", s.Speed, minSpeed, maxSpeed, "", f)
		}
	case Message:
		checkText(i, s.Text, MaxMessage, f)
	}
	if s.Seconds != 0 || s.Type == Wait {
		checkNumber(i, "seconds", s.Seconds, 1, maxSeconds, " s", f)
	}
	s.checkFailure(i, f)
}

func (s Step) checkGoal(i int, place func(string) (robot.Pose, bool), f *Faults) {
	switch {
	case s.Place == "" && s.Pose == nil:
		f.addFault(i, "place", "a MOVE needs a place, or a pose of x, y and heading.")
	case s.Place != "" && s.Pose != nil:
		f.addFault(i, "pose", "a MOVE has a place or a pose, but not both.")
	case s.Pose != nil:
		for n, v := range s.Pose {
			if math.IsNaN(v) || math.IsInf(v, 0) || n < 2 && math.Abs(v) > MaxCoordinate {
				f.addFault(i, "pose", "%s of the pose is %g; it should be in %s.", []string{"x", "y", "theta"}[n], v, []string{"m, at most 100000 either way", "m, at most 100000 either way", "rad"}[n])
			}
		}
	case utf8.RuneCountInString(s.Place) > MaxName || !robot.Legible(s.Place, ""):
		f.addFault(i, "place", "the place's name %q should be one line of at most %d characters.", clipText(s.Place), MaxName)
	case place != nil:
		if _, ok := place(s.Place); !ok {
			f.addFault(i, "place", "there is no place %q on the map; choose one that exists, or give a pose.", s.Place)
		}
	}
}

func (s Step) checkFailure(i int, f *Faults) {
	switch s.OnFailure {
	case "", FailStop, FailSkip, FailRetry:
	default:
		f.addFault(i, "on_failure", "on_failure is %q; it should be stop, skip or retry.", clipText(string(s.OnFailure)))
		return
	}
	if s.OnFailure != FailRetry {
		if s.Retries != 0 {
			f.addFault(i, "retries", "retries has a meaning only with on_failure retry.")
		}
		if s.RetryAfter != 0 {
			f.addFault(i, "retry_after", "retry_after has a meaning only with on_failure retry.")
		}
		return
	}
	if s.Retries < 0 || s.Retries > maxRetries {
		f.addFault(i, "retries", "retries is %d; it should be 1 to %d.", s.Retries, maxRetries)
	}
	checkNumber(i, "retry_after", s.RetryAfter, 0, maxRetryAfter, " s", f)
}

func checkNumber(i int, name string, v, least, most float64, unit string, f *Faults) {
	if !(v >= least && v <= most) {
		f.addFault(i, name, "%s is %g; it should be %g to %g%s.", name, v, least, most, unit)
	}
}

func checkText(i int, text string, most int, f *Faults) {
	switch n := utf8.RuneCountInString(text); {
	case robot.Blank(text):
		f.addFault(i, "text", "the text is empty; it should have 1 to %d characters.", most)
	case n > most:
		f.addFault(i, "text", "the text has %d characters; it should have 1 to %d.", n, most)
	case !robot.Legible(text, "\n"):
		f.addFault(i, "text", "the text %s; it should be text and line ends only.", unlegible)
	}
}

const unlegible = "has a character that cannot be displayed"

// clipText shortens text of a job for a quotation.
func clipText(s string) string { return strictjson.Clip(s, 40) }

// IDOf returns an id for a job of this name: for "Paper to Jin" it is paper-to-jin.
// It is never empty.
func IDOf(name string) string {
	return cmp.Or(robot.Slug(name, '-', MaxName), "job")
}
