package jobs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// MaxBytes is how long a job in JSON may be.
const MaxBytes = 256 << 10

// Parse reads a job as json.Marshal writes it, strictly: an unknown field, one
// that comes twice, a wrong kind of value and what Check finds are Faults, each
// a sentence that names the step and the field. Places are not looked up.
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
	r.readSteps(data, &j.Steps)
	if len(r.faults) == 0 {
		r.faults = j.Check(nil)
	}
	if err := r.faults.asError(); err != nil {
		return nil, err
	}
	return j.Steps, nil
}

// A reader gathers what is wrong with a job in JSON.
type reader struct {
	step   int // that is being read; -1 = the job
	faults Faults
}

func (r *reader) addFault(field, format string, args ...any) {
	r.faults.add(r.step, field, format, args...)
}

func (r *reader) readJob(data []byte, j *Job) {
	switch {
	case len(data) > MaxBytes:
		r.addFault("", "The job has %d bytes; it should have at most %d.", len(data), MaxBytes)
		return
	case !utf8.Valid(data):
		r.addFault("", "The job is not UTF-8 text.")
		return
	}
	if err := valid(data); err != nil {
		r.addFault("", "The job cannot be read: %s.", err)
		return
	}
	has := r.members(data, `The job`, `{"name":"Paper to Jin","steps":[{"type":"MOVE","place":"Sofa"}]}`, func(name string, v json.RawMessage) bool {
		switch name {
		case "id":
			r.text(name, v, &j.ID)
		case "name":
			r.text(name, v, &j.Name)
		case "steps":
			r.readSteps(v, &j.Steps)
		case "revision":
			revision := 0
			if r.whole(name, v, &revision); revision < 0 {
				r.wrong(name, v, "the number of the revision that was read")
			}
			j.Revision = uint64(revision) //nolint:gosec // below zero it is a fault
		case "changed":
			var at string
			r.text(name, v, &at)
			var err error
			if j.Changed, err = time.Parse(time.RFC3339Nano, at); err != nil {
				r.addFault(name, "changed is %q; it should be a time such as 2026-11-20T14:21:00Z.", clip(at))
			}
		default:
			return false
		}
		return true
	}, "id, name, steps, revision, changed")
	for _, name := range []string{"name", "steps"} {
		if has != nil && !has[name] {
			r.addFault(name, "The job has no %s.", name)
		}
	}
}

func (r *reader) readSteps(data []byte, steps *[]Step) {
	var list []json.RawMessage
	if ok := json.Unmarshal(data, &list); ok != nil || list == nil {
		r.addFault("steps", "steps is %s; it should be a list of steps.", clip(string(data)))
		return
	}
	if len(list) > MostSteps {
		r.addFault("steps", "The job has %d steps; it should have 1 to %d.", len(list), MostSteps)
		return
	}
	*steps = make([]Step, len(list))
	for i, v := range list {
		r.step = i
		r.oneStep(v, &(*steps)[i])
	}
	r.step = -1
}

func (r *reader) oneStep(data []byte, s *Step) {
	has := r.members(data, "it", `{"type":"WAIT","seconds":30}`, func(name string, v json.RawMessage) bool {
		var word string
		switch name {
		case "type":
			r.text(name, v, &word)
			s.Type = Kind(word)
		case "place":
			r.text(name, v, &s.Place)
		case "pose":
			r.pose(name, v, &s.Pose)
		case "text":
			r.text(name, v, &s.Text)
		case "voice":
			r.text(name, v, &s.Voice)
		case "speed":
			r.number(name, v, &s.Speed)
		case "ok":
			r.truth(name, v, &s.OK)
		case "seconds":
			r.number(name, v, &s.Seconds)
		case "on_failure":
			r.text(name, v, &word)
			s.OnFailure = OnFailure(word)
		case "retries":
			r.whole(name, v, &s.Retries)
		case "retry_after":
			r.number(name, v, &s.RetryAfter)
		default:
			return false
		}
		return true
	}, "type, place, pose, text, voice, speed, ok, seconds, on_failure, retries, retry_after")
	if has != nil && !has["type"] {
		r.addFault("type", "it has no type; it should be MOVE, VOICE, MESSAGE or WAIT.")
	}
}

// members gives each member of an object to read, which tells whether it knows
// the name, and returns the names; nil = it is no object.
func (r *reader) members(data []byte, what, such string, read func(name string, v json.RawMessage) bool, known string) map[string]bool {
	d := json.NewDecoder(bytes.NewReader(data))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		r.addFault("", "%s is %s; it should be an object such as %s.", what, clip(string(bytes.TrimSpace(data))), such)
		return nil
	}
	has := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		var v json.RawMessage
		if err == nil {
			err = d.Decode(&v)
		}
		name, _ := key.(string)
		switch {
		case err != nil: // not of JSON that is valid
			r.addFault(name, "%s cannot be read: %s.", what, err)
			return nil
		case has[name]:
			r.addFault(clip(name), "%s has %q twice.", what, clip(name))
		default:
			has[name] = true
			if !read(name, v) {
				r.addFault(clip(name), "%s has a field %q, which is not known; the fields are %s.", what, clip(name), known)
			}
		}
	}
	return has
}

func (r *reader) wrong(name string, v json.RawMessage, right string) {
	r.addFault(name, "%s is %s; it should be %s.", name, clip(string(v)), right)
}

func (r *reader) text(name string, v json.RawMessage, into *string) {
	if v[0] != '"' || json.Unmarshal(v, into) != nil {
		r.wrong(name, v, "text in quotes")
	}
}

func (r *reader) truth(name string, v json.RawMessage, into *bool) {
	if s := string(v); s == "true" || s == "false" {
		*into = s == "true"
		return
	}
	r.wrong(name, v, "true or false")
}

func (r *reader) number(name string, v json.RawMessage, into *float64) {
	n, ok := number(v)
	if !ok {
		r.wrong(name, v, "a number")
		return
	}
	*into = n
}

func (r *reader) whole(key string, v json.RawMessage, into *int) {
	n, ok := number(v)
	if !ok || n != math.Trunc(n) || math.Abs(n) > 1<<53 {
		r.wrong(key, v, "a whole number")
		return
	}
	*into = int(n)
}

func (r *reader) pose(name string, v json.RawMessage, into **[3]float64) {
	const right = "[x, y, theta], in m and rad"
	var list []json.RawMessage
	if json.Unmarshal(v, &list) != nil || len(list) != 3 {
		r.wrong(name, v, right)
		return
	}
	var pose [3]float64
	for i, n := range list {
		var ok bool
		if pose[i], ok = number(n); !ok {
			r.wrong(name, v, right)
			return
		}
	}
	*into = &pose
}

// number reads a JSON number that is finite.
func number(v json.RawMessage) (float64, bool) {
	if v[0] != '-' && (v[0] < '0' || v[0] > '9') {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(v), 64)
	return n, err == nil
}

// valid says where JSON is wrong.
func valid(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	var v json.RawMessage
	err := d.Decode(&v)
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("it is empty; it should be a JSON object")
	case errors.As(err, &syntax):
		line := 1 + bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n"))
		return fmt.Errorf("line %d is not JSON: %w", line, err)
	case err != nil:
		return fmt.Errorf("it is not whole JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the object; it should be one JSON object")
	}
	return nil
}
