package jobs

import (
	"errors"
	"math"
	"strings"
	"time"

	"mybot/strictjson"
)

// MaxBytes is the longest job in JSON.
const MaxBytes = 256 << 10

// Parse reads a job in the form of json.Marshal, strictly: unknown and duplicate
// fields, wrong kinds of values and the findings of Check are Faults, each a
// sentence that names the step and the field. Places are not looked up.
func Parse(data []byte) (Job, error) {
	r := reader{step: -1}
	var j Job
	r.readJob(data, &j)
	if len(r.faults) == 0 {
		r.faults = j.Check(nil)
	}
	if err := r.faults.asError(); err != nil {
		return Job{}, err
	}
	return j, nil
}

// ParseSteps reads the steps of a job, a JSON list, as strictly as Parse.
func ParseSteps(data []byte) ([]Step, error) {
	r := reader{step: -1}
	j := Job{Name: "steps"}
	if r.checkSyntax(data, len(data)) {
		r.readSteps(data, &j.Steps)
	}
	if len(r.faults) == 0 {
		r.faults = j.Check(nil)
	}
	if err := r.faults.asError(); err != nil {
		return nil, err
	}
	return j.Steps, nil
}

// A reader collects the faults of a job in JSON.
type reader struct {
	step   int // being read; -1 = the job
	faults Faults
}

func (r *reader) addFault(field, format string, args ...any) {
	r.faults.addFault(r.step, field, format, args...)
}

// reportFault adds a fault of the job or of the current step.
func (r *reader) reportFault(f strictjson.Fault) {
	what, example := "it", `{"type":"WAIT","seconds":30}`
	if r.step < 0 {
		what, example = "The job", `{"name":"Paper to Jin","steps":[{"type":"MOVE","place":"Sofa"}]}`
	}
	key := clipText(f.Key)
	switch {
	case f.Key == "" && f.Problem == strictjson.WrongKind:
		r.addFault("", "%s is %s; it should be an object such as %s.", what, clipText(f.Is), example)
	case f.Problem == strictjson.Twice:
		r.addFault(key, "%s has %q twice.", what, key)
	case f.Problem == strictjson.Unknown:
		r.addFault(key, "%s has a field %q, which is not known; the fields are %s.", what, key, strings.Join(f.Known, ", "))
	default:
		r.addFault(key, "%s is %s; it should be %s.", key, clipText(f.Is), f.Want)
	}
}

// checkSyntax reports whether the data is one JSON document; otherwise it adds a
// fault.
func (r *reader) checkSyntax(data []byte, maxBytes int) bool {
	err := strictjson.Check(data, maxBytes)
	var syntax *strictjson.SyntaxError
	switch {
	case err == nil:
		return true
	case len(data) > maxBytes:
		r.addFault("", "The job has %d bytes; it should have at most %d.", len(data), maxBytes)
	case !errors.As(err, &syntax):
		r.addFault("", "The job is not UTF-8 text.")
	case syntax.Defect == strictjson.Empty:
		r.addFault("", "The job cannot be read: it is empty; it should be a JSON object.")
	case syntax.Defect == strictjson.Incomplete:
		r.addFault("", "The job cannot be read: it is not whole JSON: %v.", syntax.Err)
	case syntax.Defect == strictjson.Trailing:
		r.addFault("", "The job cannot be read: something follows the object; it should be one JSON object.")
	default:
		r.addFault("", "The job cannot be read: line %d is not JSON: %v.", syntax.Line, syntax.Err)
	}
	return false
}

func (r *reader) readJob(data []byte, j *Job) {
	if !r.checkSyntax(data, MaxBytes) {
		return
	}
	o := strictjson.NewObject(data, "", r.reportFault)
	if !o.There() {
		return
	}
	j.ID = takeText(o, "id")
	j.Name = takeText(o, "name")
	if steps := o.Take("steps"); steps != nil {
		r.readSteps(steps, &j.Steps)
	}
	if revision := takeWhole(o, "revision"); revision >= 0 {
		j.Revision = uint64(revision)
	} else {
		o.Reject("revision", "the number of the revision that was read")
	}
	if at := takeText(o, "changed"); o.Contains("changed") {
		var err error
		if j.Changed, err = time.Parse(time.RFC3339Nano, at); err != nil {
			r.addFault("changed", "changed is %q; it should be a time such as 2026-11-20T14:21:00Z.", clipText(at))
		}
	}
	o.End()
	for _, name := range []string{"name", "steps"} {
		if !o.Contains(name) {
			r.addFault(name, "The job has no %s.", name)
		}
	}
}

func (r *reader) readSteps(data []byte, steps *[]Step) {
	list, ok := strictjson.OpenList(data)
	if !ok {
		r.addFault("steps", "steps is %s; it should be a list of steps.", clipText(string(data)))
		return
	}
	var all [][]byte
	for v, ok := list.Next(); ok; v, ok = list.Next() {
		all = append(all, v)
	}
	if len(all) > MaxSteps {
		r.addFault("steps", "The job has %d steps; it should have 1 to %d.", len(all), MaxSteps)
		return
	}
	*steps = make([]Step, len(all))
	for i, v := range all {
		r.step = i
		(*steps)[i] = r.readStep(v)
	}
	r.step = -1
}

func (r *reader) readStep(data []byte) Step {
	o := strictjson.NewObject(data, "", r.reportFault)
	s := Step{
		Type:       Kind(takeText(o, "type")),
		Place:      takeText(o, "place"),
		Pose:       takePose(o, "pose"),
		Text:       takeText(o, "text"),
		Voice:      takeText(o, "voice"),
		Speed:      takeNumber(o, "speed"),
		OK:         o.BoolOr("ok"),
		Seconds:    takeNumber(o, "seconds"),
		OnFailure:  OnFailure(takeText(o, "on_failure")),
		Retries:    takeWhole(o, "retries"),
		RetryAfter: takeNumber(o, "retry_after"),
	}
	o.End()
	if o.There() && !o.Contains("type") {
		r.addFault("type", "it has no type; it should be MOVE, VOICE, MESSAGE or WAIT.")
	}
	return s
}

// All fields of a job and of a step are optional here; Check says which ones are
// required.

func takeText(o *strictjson.Object, key string) string {
	return o.TextOr(key, "text in quotes", func(string) bool { return true })
}

func takeNumber(o *strictjson.Object, key string) float64 {
	value := o.Take(key)
	n, ok := strictjson.Number(value)
	if value != nil && !ok {
		o.Reject(key, "a number")
	}
	return n
}

func takeWhole(o *strictjson.Object, key string) int {
	value := o.Take(key)
	n, ok := strictjson.Number(value)
	if value != nil && (!ok || n != math.Trunc(n) || math.Abs(n) > 1<<53) {
		o.Reject(key, "a whole number")
		return 0
	}
	return int(n)
}

func takePose(o *strictjson.Object, key string) *[3]float64 {
	value := o.Take(key)
	if value == nil {
		return nil
	}
	var pose [3]float64
	if !strictjson.Numbers(value, pose[:]) {
		o.Reject(key, "[x, y, theta], in m and rad")
		return nil
	}
	return &pose
}
