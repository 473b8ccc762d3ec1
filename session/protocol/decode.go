package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"mybot/jobs"
	"mybot/robot"
	"mybot/strictjson"
)

// Protocol is the WebSocket subprotocol and the version that hello names.
const Protocol = "mybot.v1"

// MaxFrame is the largest frame that is read, in bytes.
const MaxFrame = 32 << 10

// maxFields is more than any request has.
const maxFields = 12

// maxWholeNumber is the largest whole number that JavaScript has exactly.
const maxWholeNumber = 1<<53 - 1

// MaxPlaceName is how many letters the name of a place may have.
const MaxPlaceName = 60

// maxCoordinate is how far from zero a coordinate in map may be, in m, as in the
// files of a map folder.
const maxCoordinate = 100_000

// maxReason is how many letters the reason of a request for control may have.
const maxReason = 80

// maxOffer is the longest offer of a channel of datagrams, in bytes.
const maxOffer = 8 << 10

// Bounds of the radius of a thing in the world, in m.
const (
	minRadius = 0.05
	maxRadius = 2.0
)

// MaxValid is how long a drive sample may ask to live.
const MaxValid = 500 * time.Millisecond

// A FrameError says what is wrong with a frame, or with the body of an HTTP
// request, in a sentence for the user. ID and Seq tell which request it was, as
// far as that could be read.
type FrameError struct {
	ID, Seq *uint64
	Reason  string
}

func (e *FrameError) Error() string { return e.Reason }

// Decode reads one frame that a client has sent into one of the requests: Hello,
// Clock, Drive and so on. What protocol.md does not describe is a *FrameError.
func Decode(frame []byte) (request any, err error) {
	var buffer [maxFields]field
	r := newReader("frame", frame, buffer[:0])
	if kind := r.text("type", `the kind of command, for example "drive"`); r.fault == "" {
		r.kind = kind
	}
	request = r.request()
	r.rejectUnknown()
	if r.fault != "" {
		return nil, &FrameError{ID: r.peek("id", 1), Seq: r.peek("seq", 0), Reason: r.fault}
	}
	return request, nil
}

// DecodeNavigate reads the body of an HTTP request that asks for plan, goto, goal
// or pose, which is the kind: what a frame has, but for type and id.
func DecodeNavigate(kind string, body []byte) (Navigate, error) {
	r := newReader(kind, body, nil)
	var n Navigate
	n.Lease, n.Command = r.navigate()
	if r.rejectUnknown(); r.fault != "" {
		return Navigate{}, bodyError(r)
	}
	return n, nil
}

// bodyError returns what is wrong with the body of an HTTP request.
func bodyError(r *reader) error {
	example, ok := map[string]string{
		"goal": `{"lease":3,"action":"pause"}`, "pose": `{"lease":3,"pose":[4.5,7.3,1.57]}`, "queue": `{"lease":3,"commands":[{"id":1,"v":0.3,"w":0,"valid":2}]}`,
	}[r.kind]
	if !ok {
		example = `{"lease":3,"goal":[12.1,3.35,0]}`
	}
	return &FrameError{Reason: strings.NewReplacer("The frame", "The body", ackExample, example).Replace(r.fault)}
}

// request reads the fields that its kind of request has.
func (r *reader) request() any {
	switch r.kind {
	case "hello":
		return Hello{
			Protocol: r.text("protocol", `the protocol's name, "`+Protocol+`"`),
			Tab:      r.text("tab", "the tab's random word"),
			Name:     r.name("name", false),
			Build:    r.text("build", `the build of the page, for example "0.1.0"`),
		}
	case "clock":
		return Clock{T1: r.number("t1", "the page's time in s"), RTT: r.roundTrip("rtt_ms")}
	case "drive":
		d := Drive{
			Lease:      r.wholeNumber("lease", 0),
			DriveEpoch: r.wholeNumber("hold", 0),
			Seq:        r.wholeNumber("seq", 0),
			T:          r.number("t", "the page's time in s"),
			V:          r.number("v", "a speed in m/s, for example 0.3"),
			W:          r.number("w", "a turning speed in rad/s, for example -0.2"),
			Valid:      r.valid("valid"),
		}
		d.Path = r.path(d)
		return d
	case "stop":
		return Stop{ID: r.id(false)}
	case "unstop":
		return Unstop{ID: r.id(true), Lease: r.wholeNumber("lease", 0)}
	case "control":
		return r.control()
	case "rename":
		return Rename{ID: r.id(true), Name: r.name("name", true)}
	case "plan", "goto", "goal", "pose":
		e := Navigate{ID: r.id(true)}
		e.Lease, e.Command = r.navigate()
		return e
	case "world":
		return World{ID: r.id(true), Lease: r.wholeNumber("lease", 0), Change: r.worldChange()}
	case "rtc":
		return RTC{ID: r.id(true), Offer: r.document("offer", maxOffer, "a session description of WebRTC")}
	case "link":
		return Link{
			ID: r.id(true), Lease: r.wholeNumber("lease", 0),
			Profile: r.text("profile", `a network, for example "kaist-davis", or "`+LinkOff+`"`),
		}
	case "motion":
		return r.motion()
	case "job":
		return r.job()
	case "look":
		return r.look()
	case "ack":
		return Ack{N: r.wholeNumber("n", 0)}
	}
	if r.fault == "" {
		r.fault = `"type" is ` + strconv.Quote(Clip(r.kind)) + "; it should be hello, clock, drive, stop, unstop, control, rename, plan, goto, goal, pose, world, rtc, link, motion, job, look or ack."
	}
	return nil
}

// control reads a control request.
func (r *reader) control() Control {
	c := Control{ID: r.id(true)}
	switch c.Action = r.text("action", controlActions); c.Action {
	case "take", "release", "cancel", "accept", "decline", "here":
	case "request":
		c.Reason = r.line("reason", maxReason)
	case "give", "keep":
		c.To = int(r.wholeNumber("to", 1))
	default:
		r.reject("action", "is "+strconv.Quote(Clip(c.Action)), controlActions)
	}
	return c
}

// controlActions are what a control request may ask for.
const controlActions = "take, release, request, cancel, give, keep, accept, decline or here"

// navigate reads what is in plan, goto, goal and pose beside the id.
func (r *reader) navigate() (lease uint64, cmd robot.Command) {
	if r.kind != "plan" {
		lease = r.wholeNumber("lease", 0)
	}
	switch r.kind {
	case "plan":
		cmd = robot.Plan{Goal: r.pose("goal")}
	case "goto":
		cmd = robot.GoTo{Goal: r.pose("goal"), Name: r.line("name", MaxPlaceName)}
	case "goal":
		cmd = r.goalAction()
	default:
		cmd = robot.SetPose{Pose: r.pose("pose")}
	}
	return lease, cmd
}

// goalAction reads what a goal request asks for.
func (r *reader) goalAction() robot.Command {
	const actions = "pause, resume, cancel or around"
	action := r.text("action", actions)
	switch action {
	case "pause":
		return robot.Pause{}
	case "resume":
		return robot.Resume{}
	case "cancel":
		return robot.Cancel{}
	case "around":
		return robot.GoAround{}
	}
	r.reject("action", "is "+strconv.Quote(Clip(action)), actions)
	return nil
}

// worldChange reads what a world request asks for.
func (r *reader) worldChange() WorldChange {
	const changes = "put, move, remove, door, carry or ok"
	switch action := r.text("action", changes); action {
	case "put":
		return PutThing{Kind: r.thingKind("kind"), At: r.point("at"), Radius: r.radius("radius")}
	case "move":
		return MoveThing{Thing: int(r.wholeNumber("thing", 1)), At: r.point("at")}
	case "remove":
		return RemoveThing{Thing: int(r.wholeNumber("thing", 1))}
	case "door":
		return SetDoor{Door: int(r.wholeNumber("door", 0)), Closed: r.boolean("closed")}
	case "carry":
		return Carry{Pose: r.pose("pose")}
	case "ok":
		return PressOK{}
	default:
		r.reject("action", "is "+strconv.Quote(Clip(action)), changes)
		return nil
	}
}

// maxHistory is how many earlier samples a drive sample may bring along.
const maxHistory = 8

// path reads the pose of the virtual robot that a drive sample may have, and the
// samples before it; nil = it has none.
func (r *reader) path(d Drive) *robot.Follow {
	if r.find("vr") == nil {
		if r.find("hist") != nil {
			r.reject("hist", "is there without vr", `beside "vr", or left out`)
		}
		return nil
	}
	const should = "[x, y, heading, linear, angular, s] in m, rad, m/s and rad/s"
	var vr [6]float64
	r.list("vr", vr[:], should)
	r.checkCoordinates("vr", vr[:2], should)
	f := followSample(vr[:])
	f.Lease, f.Hold, f.Seq, f.T, f.Want, f.Valid = d.Lease, d.DriveEpoch, d.Seq, d.T, d.Twist(), d.Valid
	f.Hist = r.history("hist", &f)
	return &f
}

// followSample returns the sample of a virtual robot: its pose, twist and arc.
func followSample(vr []float64) robot.Follow {
	return robot.Follow{
		Pose:  robot.Pose{X: vr[0], Y: vr[1], Theta: robot.WrapAngle(vr[2])},
		Twist: robot.Twist{Linear: vr[3], Angular: vr[4]}, S: vr[5],
	}
}

// history reads the samples before f, which may be left out.
func (r *reader) history(name string, f *robot.Follow) []robot.Follow {
	field := r.find(name)
	if field == nil {
		return nil
	}
	const should = "a list of at most 8 samples, each [seq, t, v, w, x, y, heading, linear, angular, s]"
	var hist []robot.Follow
	samples, ok := strictjson.OpenList(field.value)
	if !ok {
		r.reject(name, "is "+Clip(string(field.value)), should)
		return nil
	}
	for {
		var x [10]float64
		sample, ok := samples.Next()
		switch {
		case !ok:
			return hist
		case len(hist) == maxHistory || !strictjson.Numbers(sample, x[:]):
			r.reject(name, "is "+Clip(string(field.value)), should)
			return nil
		case x[0] != math.Trunc(x[0]) || x[0] < 0 || x[0] > maxWholeNumber:
			r.reject(name, fmt.Sprintf("has the seq %g", x[0]), should)
			return nil
		}
		h := followSample(x[4:])
		h.Lease, h.Hold, h.Seq, h.T, h.Valid = f.Lease, f.Hold, uint64(x[0]), x[1], f.Valid
		h.Want = robot.Twist{Linear: x[2], Angular: x[3]}
		r.checkCoordinates(name, x[4:6], should)
		hist = append(hist, h)
	}
}

// radius reads how large a thing is.
func (r *reader) radius(name string) float64 {
	should := fmt.Sprintf("a radius in m between %g and %g", minRadius, maxRadius)
	x := r.number(name, should)
	if r.fault == "" && (x < minRadius || x > maxRadius) {
		r.reject(name, fmt.Sprintf("is %g", x), should)
	}
	return x
}

// thingKind reads what a thing is.
func (r *reader) thingKind(name string) ThingKind {
	const should = "obstacle or magnet"
	kind := ThingKind(r.text(name, should))
	if kind != Obstacle && kind != Magnet {
		r.reject(name, "is "+strconv.Quote(Clip(string(kind))), should)
	}
	return kind
}

// valid reads how long a sample lives; without the field it is DriveValid.
func (r *reader) valid(name string) time.Duration {
	if r.find(name) == nil {
		return robot.DriveValid
	}
	const should = "a time in s above 0 and at most 0.5"
	s := r.number(name, should)
	d := time.Duration(s * float64(time.Second))
	if r.fault == "" && (s > MaxValid.Seconds() || d <= 0) {
		r.reject(name, "is "+strconv.FormatFloat(s, 'g', -1, 64), should)
	}
	return d
}

// roundTrip reads a time in ms that may be null.
func (r *reader) roundTrip(name string) *float64 {
	const should = "a time in ms from 0 on, or null"
	value := r.require(name, should)
	if value == nil || string(value) == "null" {
		return nil
	}
	ms := r.number(name, should)
	if ms < 0 {
		r.reject(name, "is "+Clip(string(value)), should)
	}
	return &ms
}

// name reads the name of a user.
func (r *reader) name(name string, must bool) string {
	f := r.find(name)
	if f == nil && !must {
		return ""
	}
	const should = `a name of 1 to 24 letters, for example "Jin"`
	value := r.require(name, should)
	if value == nil {
		return ""
	}
	s, ok := strictjson.Unquote(value)
	if !ok || !IsName(s) {
		r.reject(name, "is "+Clip(string(value)), should)
		return ""
	}
	return s
}

// jobActions are what a job request may ask for.
const jobActions = "run, change, pause, resume, skip, retry, end or ok"

// job reads a job request.
func (r *reader) job() Job {
	j := Job{ID: r.id(true), Lease: r.wholeNumber("lease", 0)}
	switch action := r.text("action", jobActions); action {
	case "run":
		j.Command = robot.RunJob{}
		name, steps := r.require("name", "the name of the job"), r.require("steps", someSteps)
		if r.find("job") != nil {
			j.Job.ID = r.text("job", "the id of the job, or left out")
		}
		if r.fault == "" {
			id := j.Job.ID
			var err error
			j.Job, err = jobs.Parse(encodeValue(map[string]json.RawMessage{"name": name, "steps": steps}))
			r.rejectJob(err)
			j.Job.ID = id
		}
	case "change":
		j.Command = robot.ChangeRun{}
		if steps := r.require("steps", someSteps); steps != nil {
			var err error
			j.Job.Steps, err = jobs.ParseSteps(steps)
			r.rejectJob(err)
		}
	case "pause":
		j.Command = robot.PauseRun{}
	case "resume":
		j.Command = robot.ResumeRun{}
	case "skip":
		j.Command = robot.SkipStep{Nth: r.stepNumber()}
	case "retry":
		j.Command = robot.RetryStep{Nth: r.stepNumber()}
	case "end":
		j.Command = robot.EndRun{}
	case "ok":
		ok := robot.OK{}
		if r.find("message") != nil {
			ok.Message = r.wholeNumber("message", 1)
		}
		j.Command = ok
	default:
		r.reject("action", "is "+Clip(fmt.Sprintf("%q", action)), jobActions)
	}
	return j
}

// stepNumber reads the index of a step and counts it from 1; 0 = the current one.
func (r *reader) stepNumber() int {
	if r.find("step") == nil {
		return 0
	}
	return int(r.wholeNumber("step", 0)) + 1
}

// someSteps is what the steps of a job should be.
const someSteps = "a list of 1 to 100 steps"

// rejectJob keeps what is wrong with the definition of a job.
func (r *reader) rejectJob(err error) {
	var faults jobs.Faults
	switch {
	case r.fault != "" || err == nil:
	case errors.As(err, &faults):
		r.fault = faults.Sentence()
	default:
		r.fault = err.Error()
	}
}

// look reads a look request.
func (r *reader) look() Look {
	return Look{ID: r.id(true), Lease: r.wholeNumber("lease", 0), Look: robot.Look{HeadAngles: robot.HeadAngles{
		Pan:  r.number("pan", "an angle in rad, for example 0.5"),
		Tilt: r.number("tilt", "an angle in rad, for example -0.2"),
	}}}
}

// motionActions are what a motion request may ask for.
const motionActions = "play, stop, rename or delete"

// motion reads a motion request.
func (r *reader) motion() Motion {
	m := Motion{ID: r.id(true), Lease: r.wholeNumber("lease", 0)}
	switch m.Action = r.text("action", motionActions); m.Action {
	case "stop":
		return m
	case "play", "delete":
	case "rename":
		const should = "a name of 1 to 60 letters"
		r.require("name", should)
		if m.Name = r.line("name", MaxPlaceName); m.Name == "" {
			r.reject("name", "is empty", should)
		}
	default:
		r.reject("action", "is "+Clip(fmt.Sprintf("%q", m.Action)), motionActions)
	}
	m.Motion = r.wholeNumber("motion", 1)
	return m
}
